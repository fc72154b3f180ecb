"""Package manifests and lock files: which version of a package a project has.

Python (uv.lock, poetry.lock, requirements*.txt, pyproject.toml), npm (package-lock.json,
package.json), Go (go.mod), Cargo (Cargo.lock) and Maven (pom.xml).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

Read = Callable[[str], Iterator["Entry"]]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says of a package.

    Args:
        names: what it may be asked for by, as :func:`key` writes them.
        version: a version, or a specifier.
        exact: whether that is the version there is, and not only what is allowed.
    """

    names: tuple[str, ...]
    version: str
    exact: bool


class UnreadableError(ValueError):
    """A file is not what its name says."""


def key(name: str) -> str:
    """A package's name as it is compared: in lower case, ``-``, ``_`` and ``.`` the same."""
    return re.sub(r"[-_.]+", "-", name.strip().lower())


def read(name: str, text: str) -> list[Entry]:
    """What a manifest or lock file says.

    Args:
        name: the file's own.

    Raises:
        UnreadableError: for one that is damaged.
    """
    reader = reader_of(name)
    assert reader is not None
    try:
        return list(reader(text))
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raise UnreadableError(name) from None


def reader_of(name: str) -> Read | None:
    """What reads a file of a name; None for what is no manifest."""
    return next((reader for form, reader in READERS.items() if fnmatchcase(name, form)), None)


def is_lock(path: str) -> bool:
    """Whether every version in a file is the one there is, and none only what is allowed."""
    return reader_of(path.rpartition("/")[2]) in (_toml_lock, _package_lock, _go_mod, _pom)


def _one(name: str, version: Any, *, exact: bool) -> Iterator[Entry]:
    if isinstance(version, str) and version.strip():
        yield Entry((key(name),), version.strip(), exact)


def _toml_lock(text: str) -> Iterator[Entry]:
    """uv.lock, poetry.lock and Cargo.lock alike: ``[[package]]`` with name and version."""
    for package in tomllib.loads(text).get("package", []):
        yield from _one(str(package["name"]), package.get("version"), exact=True)


_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#@)]*)")


def _requirement(line: str, *, exact: bool = False) -> Iterator[Entry]:
    found = _REQUIREMENT.match(line)
    if found:
        said = found[2].strip()
        yield Entry((key(found[1]),), said or "*", exact or said.startswith("=="))


def _requirements(text: str) -> Iterator[Entry]:
    for line in text.replace("\\\n", " ").splitlines():
        if not line.lstrip().startswith(("-", "#")):
            yield from _requirement(re.split(r"\s--?\w", line)[0])


def _pyproject(text: str) -> Iterator[Entry]:
    told = tomllib.loads(text)
    project = told.get("project", {})
    yield from _one("python", project.get("requires-python"), exact=False)
    groups = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
    groups += told.get("dependency-groups", {}).values()
    for line in (one for group in groups for one in group if isinstance(one, str)):
        yield from _requirement(line)
    poetry = told.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [g.get("dependencies", {}) for g in poetry.get("group", {}).values()]
    for name, said in (pair for table in tables for pair in table.items()):
        version = said.get("version") if isinstance(said, Mapping) else said
        # Poetry reads a bare version as the one that is meant.
        bare = isinstance(version, str) and version[:1].isdigit()
        yield from _one(name, version, exact=bare)


_NPM = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def _package_json(text: str) -> Iterator[Entry]:
    told = json.loads(text)
    for name, version in told.get("engines", {}).items():
        yield from _one(name, version, exact=False)
    for table in _NPM:
        for name, version in told.get(table, {}).items():
            bare = isinstance(version, str) and re.fullmatch(r"\d+\.\d+\.\d+[\w.-]*", version)
            yield from _one(name, version, exact=bool(bare))


def _package_lock(text: str) -> Iterator[Entry]:
    told = json.loads(text)
    top: dict[str, list[tuple[bool, Any]]] = {}
    for place, package in told.get("packages", {}).items():
        before, found, name = place.rpartition("node_modules/")
        if found:
            top.setdefault(name, []).append((before != "", package.get("version")))
    for name, package in told.get("dependencies", {}).items():
        if name not in top:
            top[name] = [(False, package.get("version"))]
    for name, versions in top.items():
        # What the project itself uses lies outermost; deeper ones are others' copies.
        for _, version in [v for v in versions if not v[0]] or versions:
            yield from _one(name, version, exact=True)


_GO = re.compile(r"^\s*(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)+)\s+(v\d\S*)", re.MULTILINE)


def _go_mod(text: str) -> Iterator[Entry]:
    plain = re.sub(r"//[^\n]*", "", text)
    kept = re.sub(r"^(?:replace|exclude|retract)\s*(?:\([^)]*\)|[^\n]*)", "", plain, flags=re.M)
    said = re.search(r"^go\s+(\d\S*)", kept, re.MULTILINE)
    if said:
        yield Entry(("go", "golang"), said[1], True)
    for path, version in _GO.findall(kept):
        short = re.sub(r"/v\d+\Z", "", path).rpartition("/")[2]
        yield Entry((key(path), key(short)), version, True)


_DEPENDENCY = re.compile(r"<(dependency|parent|plugin)>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<([\w.-]+)>\s*([^<>]*?)\s*</\1>")


def _pom(text: str) -> Iterator[Entry]:
    # By patterns: a parser of XML would unfold entities that a file defines for harm.
    plain = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    if "<project" not in plain:
        raise UnreadableError("pom.xml")
    inner = re.search(r"<properties>(.*?)</properties>", plain, re.DOTALL)
    named = dict(_TAG.findall(inner[1])) if inner else {}
    java = named.get("java.version") or named.get("maven.compiler.release")
    if java:
        yield Entry(("java", "jdk"), java, True)
    for _, body in _DEPENDENCY.findall(plain):
        told = dict(_TAG.findall(re.sub(r"<exclusions>.*?</exclusions>", "", body, flags=re.S)))
        group, artifact, version = (told.get(n, "") for n in ("groupId", "artifactId", "version"))
        for _ in range(3):
            version = re.sub(r"\$\{([^}]+)\}", lambda m: named.get(m[1], ""), version)
        if artifact and version:
            yield Entry((key(artifact), key(f"{group}:{artifact}")), version, True)


READERS: Mapping[str, Read] = {
    "uv.lock": _toml_lock,
    "poetry.lock": _toml_lock,
    "package-lock.json": _package_lock,
    "Cargo.lock": _toml_lock,
    "go.mod": _go_mod,
    "pom.xml": _pom,
    "requirements*.txt": _requirements,
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
}
"""By the file's name."""
