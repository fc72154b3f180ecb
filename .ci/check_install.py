"""Checks the packages: builds sdist and wheel, installs the wheel away from the tree, uses it.

``python .ci/check_install.py`` from the root; needs a package index, and is as slow as it is.
The wheel is built out of the sdist, so both are whole when it is. Ends with 1 when a file of the
package is missing in either, or the README's console block prints something else.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
DAY = re.compile(r"\d{4}-\d\d-\d\d")


def environment(folder: Path) -> Path:
    """A fresh virtual environment; gives its folder of programs."""
    venv.create(folder, with_pip=True)
    return folder / SCRIPTS


def pip(programs: Path, *words: str) -> None:
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *words], check=True)


def packaged() -> set[str]:
    """Every file of the package, as the wheel names it."""
    found = (ROOT / "brain").rglob("*")
    return {
        file.relative_to(ROOT).as_posix()
        for file in found
        if file.is_file() and "__pycache__" not in file.parts
    }


def missing(out: Path) -> list[str]:
    """What a built package lacks of the tree."""
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as held:
        told = [f"wheel: {name}" for name in sorted(packaged() - set(held.namelist()))]
    with tarfile.open(sdist) as held_too:
        names = {name.partition("/")[2] for name in held_too.getnames()}
    beside = {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "constraints.txt"}
    return told + [f"sdist: {name}" for name in sorted((packaged() | beside) - names)]


def console(readme: str) -> list[tuple[list[str], str]]:
    """The first console block of the README: each command's words and what it prints."""
    block = re.search(r"^```console\n(.*?)^```", readme, re.M | re.S)
    assert block
    turns = re.split(r"^\$ python brain\.py ", block.group(1), flags=re.M)[1:]
    return [
        (shlex.split(line), printed)
        for line, _, printed in (turn.partition("\n") for turn in turns)
    ]


def differing(program: Path, home: Path) -> list[str]:
    """The commands of the README that print something else here."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BRAIN_", "PYTHON"))}
    env = {**kept, "HOME": str(home), "USERPROFILE": str(home)}
    wrong = []
    for words, printed in console((ROOT / "README.md").read_text(encoding="utf-8")):
        done = subprocess.run([program, *words], cwd=home, env=env, capture_output=True)
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        if "新建了记忆文件" in printed:
            printed = printed.partition("\n")[2]
            if "新建了记忆文件" not in err:
                wrong.append(f"{words}: {err}")
        if DAY.sub("DAY", out.replace("\r\n", "\n")) != DAY.sub("DAY", printed):
            wrong.append(f"{words}:\n{out}{err}not\n{printed}")
    return wrong


def main() -> int:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        work = Path(scratch)
        builder = environment(work / "build")
        pip(builder, "build")
        out = work / "dist"
        subprocess.run([builder / "python", "-m", "build", "-o", out, ROOT], check=True)
        wrong = missing(out)
        programs = environment(work / "fresh")
        pip(programs, "--require-hashes", "--no-deps", "-r", str(ROOT / "constraints.txt"))
        pip(programs, "--no-deps", str(next(out.glob("*.whl"))))
        (work / "home").mkdir()
        wrong += differing(programs / ("brain.exe" if os.name == "nt" else "brain"), work / "home")
    for one in wrong:
        print(one)
    print("the packages are whole" if not wrong else f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
