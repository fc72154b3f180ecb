"""Looking at a claim in a tree: what is so, what has moved, what cannot be told."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from brain.claims import forms, tree
from brain.claims.check import Checker, Finding


def put(root: Path, **files: str) -> None:
    """Writes files; ``__`` in a name is a folder's slash and ``_dot_`` a dot."""
    for name, text in files.items():
        place = root / name.replace("__", "/").replace("_dot_", ".")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def look(
    root: Path, written: str, *, read_off: bool = False, work: tree.Work | None = None
) -> Finding:
    origin = forms.READ_OFF if read_off else forms.GIVEN
    checker = Checker(tree.Tree(tree.root_of(root), work or tree.Work()))
    return checker.check(forms.read(written, origin))


def told(found: Finding) -> tuple[str, str | None]:
    return found.result, found.found_at


def test_a_file_is_there_or_has_moved_or_is_gone(tmp_path: Path) -> None:
    put(
        tmp_path,
        src__main_dot_py="x",
        src__app__run_dot_py="y",
        lib__a__x_dot_py="",
        lib__b__x_dot_py="",
    )
    assert told(look(tmp_path, "file src/main.py")) == ("verified", "src/main.py")
    assert told(look(tmp_path, "file ./src/")) == ("verified", "src")
    assert told(look(tmp_path, "file src\\main.py")) == ("verified", "src/main.py")
    assert told(look(tmp_path, f"file {tmp_path}/src/main.py")) == ("verified", "src/main.py")
    moved = look(tmp_path, "file src/run.py")
    assert told(moved) == ("failed", "src/app/run.py")
    assert moved.moved == "src/app/run.py"
    assert "src/run.py 不在了，现为 src/app/run.py" in moved.reason
    assert told(look(tmp_path, "file src/gone.py")) == ("failed", None)
    assert told(look(tmp_path, "file lib/x.py")) == ("failed", None)  # two are as likely
    assert told(look(tmp_path, "file old/a/x.py")) == ("failed", "lib/a/x.py")
    assert told(look(tmp_path, "file source/app")) == ("failed", "src/app")


def test_what_git_ignores_is_no_new_place(tmp_path: Path) -> None:
    put(
        tmp_path,
        _dot_gitignore="build/\n*.log\n",
        build__main_dot_py="",
        src__a_dot_log="",
        sub___dot_gitignore="!keep.log\ngen/\n",
        sub__keep_dot_log="",
        sub__gen__z_dot_py="",
        _dot_git__info__exclude="private.txt\n",
        deep__private_dot_txt="",
    )
    assert told(look(tmp_path, "file main.py")) == ("failed", None)
    assert told(look(tmp_path, "file a.log")) == ("failed", None)
    assert told(look(tmp_path, "file keep.log")) == ("failed", "sub/keep.log")
    assert told(look(tmp_path, "file z.py")) == ("failed", None)
    assert told(look(tmp_path, "file private.txt")) == ("failed", None)
    assert told(look(tmp_path, "file build/main.py")) == ("verified", "build/main.py")


def test_words_are_there_or_have_moved(tmp_path: Path) -> None:
    put(tmp_path, conf__a_dot_toml="x = 1\nmax_retries\n  = 3\n", conf__b_dot_toml="timeout = 9\n")
    (tmp_path / "gbk.txt").write_bytes("超时是三十秒".encode("gb18030"))
    (tmp_path / "wide.txt").write_bytes("重试 5 次".encode("utf-16"))
    assert told(look(tmp_path, "text max_retries = 3 in conf/a.toml")) == (
        "verified",
        "conf/a.toml:2",
    )
    assert told(look(tmp_path, "text 三十秒 in gbk.txt")) == ("verified", "gbk.txt:1")
    assert told(look(tmp_path, "text 重试 in wide.txt")) == ("verified", "wide.txt:1")
    moved = look(tmp_path, "text timeout = 9 in conf/a.toml")
    assert told(moved) == ("failed", "conf/b.toml:1")
    assert moved.moved == "timeout = 9 in conf/b.toml"
    assert told(look(tmp_path, "text timeout = 9 in old/b.toml")) == ("failed", "conf/b.toml:1")
    assert told(look(tmp_path, "text nothing of it in conf/a.toml")) == ("failed", None)


SOURCES = {
    "a.py": "class Store:\n    def open(self):\n        return used_here()\n# def remark(): pass\n",
    "b.ts": "export const handler = async () => {}\nclass Page {\n  render(): void {\n  }\n}\n",
    "c.go": "package c\n\nfunc (s *Server) Start() error {\n\treturn nil\n}\n",
    "d.rs": "pub fn parse_all(x: &str) -> u8 { 1 }\n",
    "E.java": "public class E {\n  public List<User> findAll(int a) {\n    return null;\n  }\n}\n",
    "f.c": "static int\nhash_of(const char *s)\n{\n  return 0;\n}\n",
}


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Store", "a.py:1"),
        ("Store.open", "a.py:2"),
        ("handler", "b.ts:1"),
        ("Page.render", "b.ts:3"),
        ("Start", "c.go:3"),
        ("parse_all", "d.rs:1"),
        ("findAll", "E.java:2"),
        ("hash_of", "f.c:2"),
        ("remark", None),
        ("used_here", None),
        ("nowhere", None),
    ],
)
def test_a_symbol_is_where_it_is_defined(tmp_path: Path, name: str, place: str | None) -> None:
    for file, text in SOURCES.items():
        (tmp_path / file).write_text(text)
    assert told(look(tmp_path, f"symbol {name}")) == ("verified" if place else "failed", place)


def test_a_symbol_of_another_language_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "a.kt").write_text("fun greet() {}")
    assert look(tmp_path, "symbol greet").result == "unknown"
    (tmp_path / "b.py").write_text("def other(): json_dumps(1)")
    assert look(tmp_path, "symbol greet").result == "unknown"
    assert look(tmp_path, "symbol gone").result == "failed"
    # A text may speak of what a library defines.
    assert look(tmp_path, "symbol json_dumps", read_off=True).result == "unknown"


MANIFESTS = {
    "uv.lock": '[[package]]\nname = "Requests"\nversion = "2.31.0"\n',
    "poetry.lock": '[[package]]\nname = "requests"\nversion = "2.31.0"\n',
    "Cargo.lock": 'version = 3\n[[package]]\nname = "requests"\nversion = "2.31.0"\n',
    "requirements-dev.txt": "# x\n-r base.txt\nrequests[socks]==2.31.0 ; python_version>'3'\n",
    "pyproject.toml": '[project]\nname="x"\ndependencies = ["requests==2.31.0"]\n',
    "package.json": json.dumps({"dependencies": {"requests": "2.31.0"}}),
    "package-lock.json": json.dumps(
        {
            "packages": {
                "node_modules/requests": {"version": "2.31.0"},
                "node_modules/x/node_modules/requests": {"version": "1.0.0"},
            }
        }
    ),
    "go.mod": "module x\n\ngo 1.22\n\nrequire (\n\tgithub.com/psf/requests v2.31.0 // x\n)\n",
    "pom.xml": "<project><properties><r>2.31.0</r></properties><dependency>"
    "<groupId>org.psf</groupId><artifactId>requests</artifactId><version>${r}</version></dependency></project>",
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_version_is_read_where_a_project_says_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(MANIFESTS[name])
    for right in ("2.31.0", "2.31", "==2.31.0", ">=2,<3", "^2.30", "~=2.31", "2.x"):
        assert look(tmp_path, f"version requests {right}").result == "verified", right
    for wrong in ("2.30", "==2.30.1", ">=3", "^1.0", "3.1"):
        assert look(tmp_path, f"version requests {wrong}").result == "failed", wrong
    moved = look(tmp_path, "version requests ==2.28.0")
    assert moved.moved == "requests ==2.31.0"
    assert name in str(moved.found_at)
    assert look(tmp_path, "version absent 1.0").result == "failed"
    assert look(tmp_path, "version absent 1.0", read_off=True).result == "unknown"


def test_a_range_says_what_is_allowed_and_a_lock_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"react": "^18.2.0"}}))
    assert look(tmp_path, "version react ^18.2.0").result == "verified"
    assert look(tmp_path, "version react 18").result == "verified"
    assert look(tmp_path, "version react 18.3.1").result == "unknown"
    assert look(tmp_path, "version react 17.0.2").result == "failed"
    lock = {"packages": {"node_modules/react": {"version": "18.3.1"}}}
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    assert look(tmp_path, "version react 18.3.1").result == "verified"
    assert look(tmp_path, "version react 18.2.0").result == "failed"


def test_a_manifest_below_the_root_counts_too(tmp_path: Path) -> None:
    put(tmp_path, services__api__go_dot_mod="module x\nrequire github.com/gin-gonic/gin v1.9.1\n")
    assert look(tmp_path, "version gin 1.9").result == "verified"
    assert look(tmp_path, "version github.com/gin-gonic/gin 1.8.0").result == "failed"


def test_a_damaged_or_huge_manifest_cannot_be_told(tmp_path: Path) -> None:
    assert look(tmp_path, "version requests 2").result == "unknown"
    (tmp_path / "uv.lock").write_text("[[package")
    assert look(tmp_path, "version requests 2").result == "unknown"
    with (tmp_path / "uv.lock").open("wb") as file:
        file.truncate(2 * 1024**3)
    assert look(tmp_path, "version requests 2").result == "unknown"
    (tmp_path / "package.json").write_text("[" * 100_000)
    assert look(tmp_path, "version requests 2").result == "unknown"


def test_a_ref_is_read_from_the_repository_itself(tmp_path: Path) -> None:
    put(
        tmp_path,
        _dot_git__HEAD="ref: refs/heads/main\n",
        _dot_git__refs__heads__feature__x="1" * 40,
        _dot_git__packed_refs="x",
        sub__a="",
    )
    (tmp_path / ".git/packed-refs").write_text(
        f"# pack-refs\n{'2' * 40} refs/tags/v1.0\n^{'3' * 40}\n"
    )
    assert told(look(tmp_path, "ref main")) == ("verified", "refs/heads/main")
    assert told(look(tmp_path, "ref feature/x")) == ("verified", "refs/heads/feature/x")
    assert told(look(tmp_path, "ref v1.0")) == ("verified", "refs/tags/v1.0")
    assert told(look(tmp_path / "sub", "ref v1.0")) == ("verified", "refs/tags/v1.0")
    assert look(tmp_path, "ref gone").result == "failed"
    (tmp_path / ".git/reftable").mkdir()
    assert look(tmp_path, "ref v1.0").result == "unknown"


def test_without_a_repository_no_ref_can_be_told(tmp_path: Path) -> None:
    assert look(tmp_path, "ref main").result == "unknown"


def test_no_path_leaves_the_root(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret words")
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "in" / "real.txt").write_text("words")
    (root / "away").symlink_to(outside)
    (root / "up").symlink_to(tmp_path)
    (root / "alias.txt").symlink_to(root / "in" / "real.txt")
    (root / "broken").symlink_to(root / "nothing")
    for path in ("../outside.txt", "in/../../outside.txt", str(outside), "/etc/passwd", "~/x"):
        assert look(root, f"file {path}").result == "unknown", path
    for path in ("away", "up/outside.txt"):
        assert look(root, f"file {path}").result == "unknown", path
        assert look(root, f"text secret in {path}").result == "unknown", path
    assert look(root, "file alias.txt").result == "verified"
    assert look(root, "text words in alias.txt").result == "verified"
    assert look(root, "file broken").result == "failed"
    # What is looked for is not found by way of a link out of the root.
    assert told(look(root, "file outside.txt")) == ("failed", None)


def test_what_is_no_text_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\0\0words")
    with (tmp_path / "big.txt").open("wb") as file:
        file.truncate(100 * 1024**2)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("logo.png", "big.txt", "pipe", "folder"):
        found = look(tmp_path, f"text words in {name}")
        assert found.result == "unknown", name
        assert found.reason
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert look(tmp_path, "text words in zero").result == "unknown"
    if os.geteuid():
        (tmp_path / "locked.txt").write_text("words")
        (tmp_path / "locked.txt").chmod(0)
        assert look(tmp_path, "text words in locked.txt").result == "unknown"


def test_work_is_bounded_and_not_time(tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        for n in range(40):
            put(tmp_path, **{f"{folder}__{folder}{n:02}_dot_py": "x = 1\n"})
    put(tmp_path, c__deep__main_dot_py="def run(): pass\n")
    few = [told(look(tmp_path, "file main.py", work=tree.Work(entries=90))) for _ in range(3)]
    assert few == [("failed", None)] * 3
    assert told(look(tmp_path, "file main.py")) == ("failed", "c/deep/main.py")
    assert look(tmp_path, "symbol run", work=tree.Work(entries=90)).result == "unchecked"
    assert look(tmp_path, "text x in a/a00.py", work=tree.Work(bytes=3)).result == "unchecked"


def test_names_that_no_claim_can_hold_are_passed_over(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(folder)
    with open(folder + b"/main.py", "w"):
        pass
    (tmp_path / "bad\nname").mkdir()
    (tmp_path / "bad\nname" / "main.py").write_text("")
    assert told(look(tmp_path, "file main.py")) == ("failed", None)
