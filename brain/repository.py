"""Git repository: its root, the name of the project, its branches and tags, read from ``.git``.

No program is started: a repository's own configuration can name commands that git runs.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

MOST_BYTES = 16 * 1024 * 1024
"""Of a file in ``.git`` that is read; a ``packed-refs`` of a hundred thousand names is smaller."""

# A token in the URL of a build machine differs from run to run.
_LOGIN = re.compile(r"^(https?://)[^/@]*@")
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?\Z", re.DOTALL)
_NAMES = ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/remotes/origin/")
"""Where a branch or tag may stand, in the order in which it is looked for."""


def top(folder: Path) -> Path | None:
    """The root of the repository that a folder lies in; None outside of one."""
    here = Path(os.path.realpath(folder))
    for place in (here, *here.parents):
        if _git_folder(place) is not None:
            return place
    return None


def project(folder: Path) -> str:
    """The name of the project a folder belongs to: ``root-1a2b3c``, or '' outside of a repository.

    The six hex digits are of the SHA-256 of the remote's URL (origin first), else of the path,
    so that two checkouts of one project share a name and two projects of one name do not. All
    worktrees of a repository are one project.
    """
    root = top(folder)
    if root is None:
        return ""
    shared = _shared(root)
    if shared.name == ".git":
        root = shared.parent
    return f"{root.name}-{_six(_LOGIN.sub(_kept, _remote(shared) or str(root)))}"


def project_of_root(root: Path) -> str:
    """As :func:`project`, of a folder that paths are relative to: one within a repository has the
    way to it behind the name, and one outside of any has a name as well."""
    here = Path(os.path.realpath(root))
    above = top(here)
    if above is None:
        return f"{here.name}-{_six(str(here))}"
    within = here.relative_to(above).as_posix()
    return project(here) if within == "." else f"{project(here)}/{within}"


def has_ref(folder: Path, name: str) -> str | None:
    """Where a branch or tag of the repository around a folder stands: ``refs/heads/main``.

    Returns:
        '' where there is none of that name; None where that cannot be told: no repository, or one
        that keeps its refs in another way.
    """
    root = top(folder)
    if root is None:
        return None
    found = _refs(root, name)
    return found if found is None else found[0]


def revision(folder: Path, name: str = "HEAD") -> str | None:
    """The commit that ``HEAD``, a branch or a tag names; '' where there is none, None where that
    cannot be told. An annotated tag gives its own object's name."""
    root = top(folder)
    if root is None:
        return None
    if name != "HEAD":
        found = _refs(root, name)
        return found if found is None else found[1]
    told = (_read(_own(root) / "HEAD") or "").strip()
    if not told.startswith("ref:"):
        return told
    wanted = told.removeprefix("ref:").strip()
    known = _all_refs(_shared(root), wanted)
    return None if known is None else known.get(wanted, "")


def _refs(root: Path, name: str) -> tuple[str, str] | None:
    shared = _shared(root)
    for prefix in ("", *_NAMES) if name.startswith("refs/") else _NAMES:
        known = _all_refs(shared, prefix + name)
        if known is None:
            return None
        if prefix + name in known:
            return prefix + name, known[prefix + name]
    head = (_read(_own(root) / "HEAD") or "").strip()
    # A branch that has no commit yet is only named there.
    if head == f"ref: refs/heads/{name}":
        return f"refs/heads/{name}", ""
    return "", ""


def _all_refs(shared: Path, wanted: str) -> dict[str, str] | None:
    """The ref asked for, by name, where it is there."""
    if (shared / "reftable").is_dir():
        return None
    loose = _read(shared / wanted)
    if loose is not None:
        return {wanted: loose.strip()}
    for line in (_read(shared / "packed-refs") or "").splitlines():
        digest, _, name = line.partition(" ")
        if name.strip() == wanted and not line.startswith(("#", "^")):
            return {wanted: digest}
    return {}


def _git_folder(place: Path) -> Path | None:
    """The ``.git`` of a root, a folder, or a file that says where that is."""
    there = place / ".git"
    if there.is_dir():
        return there if (there / "HEAD").exists() else None
    told = _read(there)
    if told is None or not told.startswith("gitdir:"):
        return None
    named = place / told.removeprefix("gitdir:").strip()
    return named if (named / "HEAD").exists() else None


def _own(root: Path) -> Path:
    """The git folder of a root, which a worktree has of its own."""
    return _git_folder(root) or root / ".git"


def _shared(root: Path) -> Path:
    """The git folder that all worktrees share, which holds the configuration and the refs."""
    own = _own(root)
    common = _read(own / "commondir")
    return Path(os.path.realpath(own if common is None else own / common.strip()))


def _remote(shared: Path) -> str | None:
    """The URL of origin, else of the remote that comes first."""
    found: dict[str, str] = {}
    first: str | None = None
    section, name = "", ""
    for line in _logical_lines(_read(shared / "config") or ""):
        head = _SECTION.match(line)
        if head:
            section, name = head[1].lower(), re.sub(r"\\(.)", r"\1", head[2] or "")
            line = line[head.end() :].strip()
        setting = _SETTING.match(line)
        if section == "remote" and setting and setting[1].lower() == "url":
            found[name] = _value(setting[2] or "")
            first = found[name] if first is None else first
    return found.get("origin") or first


def _logical_lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\\\n", "").splitlines()]


def _value(written: str) -> str:
    """A value of git's configuration without its quotes, escapes and remark."""
    out: list[str] = []
    quoted = False
    at = 0
    while at < len(written):
        sign = written[at]
        if sign == "\\" and at + 1 < len(written):
            at += 1
            out.append({"n": "\n", "t": "\t", "b": "\b"}.get(written[at], written[at]))
        elif sign == '"':
            quoted = not quoted
        elif sign in "#;" and not quoted:
            break
        else:
            out.append(sign)
        at += 1
    return "".join(out).strip()


def _read(path: Path) -> str | None:
    """The text of a regular file of bearable size; None where there is none."""
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
            return None
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None


def _kept(login: re.Match[str]) -> str:
    return login[1]


def _six(identity: str) -> str:
    import hashlib  # three milliseconds that a call without auto does without

    return hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:6]
