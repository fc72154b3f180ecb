"""Checking a claim: is it so in this tree, and if not, where does it stand now?

A stored text never becomes a command: files are looked at, and nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from brain import repository
from brain.claims import forms, manifests, symbols, versions
from brain.claims.tree import NOT_THERE, ExhaustedError, Tree, UnknownError
from brain.memory import FAILED, UNCHECKED, UNKNOWN, VERIFIED
from brain.store.claims import Claim

_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Finding:
    """What looking at a claim gave.

    Args:
        result: ``verified``, ``failed``, ``unknown`` or ``unchecked``.
        found_at: where it stands now: a path, a path with a line, a file with the version in it,
            or a ref; None where that is not known.
        reason: a Chinese sentence on why it is not verified.
        evidence: what was looked at.
        moved: of a failed claim, what is claimed instead where it stands now; None where nothing
            can be proposed.
    """

    result: str
    found_at: str | None = None
    reason: str = ""
    evidence: str = ""
    moved: str | None = None


def unknown(reason: str) -> Finding:
    """It cannot be told, for a reason."""
    return Finding(UNKNOWN, reason=reason)


@dataclass
class Checker:
    """Looks at claims about one tree, one after the other; what was read once is kept."""

    tree: Tree
    _manifests: dict[str, list[manifests.Entry] | None] = field(default_factory=dict)

    def check(self, claim: Claim) -> Finding:
        """Looks at one claim; never raises for what is in the tree."""
        look = {
            forms.FILE: self._file,
            forms.TEXT: self._text,
            forms.SYMBOL: self._symbol,
            forms.VERSION: self._version,
            forms.REF: self._ref,
        }.get(claim.kind)
        if look is None:
            return unknown("不认识的核对方式")
        try:
            return look(claim)
        except ExhaustedError as e:
            return Finding(UNCHECKED, reason=str(e))
        except UnknownError as e:
            return unknown(str(e))

    def _file(self, claim: Claim) -> Finding:
        path = self.tree.relative(claim.claim)
        if self.tree.stat(path) is not None:
            return Finding(VERIFIED, path, evidence=path)
        moved = self._moved(path)
        return self._gone(claim.claim, moved, moved)

    def _gone(self, path: str, found_at: str | None, moved: str | None) -> Finding:
        reason = f"{path} {NOT_THERE}" + (f"，现为 {found_at}" if found_at else "")
        return Finding(FAILED, found_at, reason, path, moved)

    def _moved(self, path: str) -> str | None:
        """Where the one file of that name is that is likeliest the same; None where none is, or
        two are as likely."""
        name = path.rpartition("/")[2]
        there = self.tree.named(name)
        if not there and "/" in path and "." not in name:
            return self._moved_folder(path)
        return _likeliest(path, there)

    def _moved_folder(self, path: str) -> str | None:
        name = path.rpartition("/")[2]
        found = {
            "/".join(parts[: place + 1])
            for file in self.tree.files
            for parts in (file.split("/"),)
            for place, part in enumerate(parts[:-1])
            if part == name
        }
        return _likeliest(path, sorted(found))

    def _text(self, claim: Claim) -> Finding:
        words, place = forms.text_parts(claim.claim)
        path = self.tree.relative(place)
        try:
            line = _line_of(self.tree.text(path), words)
        except FileNotFoundError:
            moved = self._moved(path)
            if moved is not None and self._holds(moved, words):
                found_at = f"{moved}:{_line_of(self.tree.text(moved), words)}"
                return self._gone(place, found_at, f"{words} in {moved}")
            return self._elsewhere(words, path, f"{place} {NOT_THERE}")
        if line is not None:
            return Finding(VERIFIED, f"{path}:{line}", evidence=path)
        return self._elsewhere(words, path, f"{place} 里没有这句了")

    def _holds(self, path: str, words: str) -> bool:
        try:
            return _line_of(self.tree.text(path), words) is not None
        except (FileNotFoundError, ExhaustedError, UnknownError):
            return False

    def _elsewhere(self, words: str, path: str, reason: str) -> Finding:
        """The words, looked for in the whole tree: they moved where one other file has them."""
        found = [other for other in self.tree.files if other != path and self._holds(other, words)]
        moved = _likeliest(path, found)
        if moved is None:
            return Finding(FAILED, None, reason, path)
        line = _line_of(self.tree.text(moved), words)
        told = f"{reason}，现在 {moved}:{line}"
        return Finding(FAILED, f"{moved}:{line}", told, path, f"{words} in {moved}")

    def _symbol(self, claim: Claim) -> Finding:
        known, other, used = 0, 0, False
        last = symbols.parts_of(claim.claim)[-1]
        left_out = False
        for path in self.tree.files:
            if symbols.is_other(path):
                other += not other and self._mentions(path, last)
            if not symbols.is_known(path):
                continue
            known += 1
            try:
                text = self.tree.text(path)
            except ExhaustedError:
                left_out = True
                continue
            except (FileNotFoundError, UnknownError):
                continue
            used = used or last in text
            line = symbols.line_of(text, path, claim.claim)
            if line is not None:
                return Finding(VERIFIED, f"{path}:{line}", evidence=path)
        if left_out or not self.tree.complete:
            raise ExhaustedError("没有看完整个项目")
        if not known or other:
            return unknown("没有认得的语言的源文件" if not known else "可能在不认得的语言里")
        if used and claim.origin == forms.READ_OFF:
            return unknown(f"{claim.claim} 用到了，定义不在项目里")
        return Finding(FAILED, None, f"没有 {claim.claim} 的定义了", f"{known} 个源文件")

    def _mentions(self, path: str, word: str) -> bool:
        try:
            return word in self.tree.text(path)
        except (FileNotFoundError, ExhaustedError, UnknownError):
            return False

    def _version(self, claim: Claim) -> Finding:
        package, written = forms.version_parts(claim.claim)
        wanted = versions.spec(written)
        if wanted is None:
            return unknown(f"看不懂版本「{written[:40]}」")
        for paths in self._manifest_paths():
            told = [(path, e) for path in paths for e in self._entries(path, package)]
            exact = [pair for pair in told if pair[1].exact]
            if told:
                return self._compare(package, written, wanted, exact or told)
        if not any(found is not None for found in self._manifests.values()):
            damaged = any(found is None for found in self._manifests.values())
            return unknown("清单读不懂" if damaged else "项目里没有版本清单")
        if claim.origin == forms.READ_OFF:
            return unknown(f"清单里没有 {package}")
        if not self.tree.complete or None in self._manifests.values():
            return unknown(f"读到的清单里没有 {package}")
        looked = "、".join(sorted(p for p, e in self._manifests.items() if e is not None)[:3])
        return Finding(FAILED, None, f"清单里没有 {package} 了", looked)

    def _manifest_paths(self) -> Iterator[list[str]]:
        """The manifests of the root, then all others, each group by path."""
        yield [name for name in self.tree.top if manifests.reader_of(name)]
        yield [p for p in self.tree.files if "/" in p and manifests.reader_of(p.rpartition("/")[2])]

    def _entries(self, path: str, package: str) -> list[manifests.Entry]:
        if path not in self._manifests:
            name = path.rpartition("/")[2]
            try:
                self._manifests[path] = manifests.read(name, self.tree.text(path))
            except ExhaustedError:
                raise
            except (manifests.UnreadableError, UnknownError, FileNotFoundError):
                self._manifests[path] = None
        wanted = manifests.key(package)
        return [one for one in self._manifests[path] or () if wanted in one.names]

    def _compare(
        self,
        package: str,
        written: str,
        wanted: versions.Spec,
        told: Sequence[tuple[str, manifests.Entry]],
    ) -> Finding:
        undecided = None
        for path, entry in told:
            place = f"{path}: {package} {entry.version}"
            if entry.exact:
                have = versions.parse(entry.version.lstrip("=").strip())
                if have is None:
                    undecided = undecided or unknown(f"{path} 里的版本看不懂：{entry.version[:40]}")
                elif wanted.allows(have):
                    return Finding(VERIFIED, place, evidence=path)
                continue
            allowed = versions.spec(entry.version)
            if entry.version.replace(" ", "") == written.replace(" ", ""):
                return Finding(VERIFIED, place, evidence=path)
            base, meant = (None if s is None else s.base for s in (allowed, wanted))
            if allowed is None or base is None:
                undecided = undecided or unknown(f"{path} 只说 {entry.version[:40]}")
            elif wanted.allows(base):
                return Finding(VERIFIED, place, evidence=path)
            elif meant is None or allowed.allows(meant):
                undecided = undecided or unknown(f"{path} 只给了范围 {entry.version[:40]}")
        if undecided is not None:
            return undecided
        path, entry = told[0]
        now = entry.version.lstrip("=v").strip() if entry.exact else entry.version
        reason = f"{package} 不是 {written} 了，{path} 里现为 {now}"
        moved = f"{package} {respelled(written, now)}" if entry.exact else None
        return Finding(FAILED, f"{path}: {package} {now}", reason, path, moved)

    def _ref(self, claim: Claim) -> Finding:
        place = repository.has_ref(self.tree.root, claim.claim)
        if place is None:
            return unknown("不是 git 仓库，或者看不到它的分支和标签")
        if place:
            return Finding(VERIFIED, place, evidence=".git")
        if re.fullmatch("[0-9a-f]{7,40}", claim.claim):
            return unknown("像提交号，不是分支或标签的名字")
        return Finding(FAILED, None, f"没有分支或标签 {claim.claim} 了", ".git")


def respelled(written: str, now: str) -> str:
    """The version there is, in the way the old one was written: with its operator or its ``v``."""
    operator = re.match(r"===?|[vV]", written)
    return f"{operator[0] if operator else ''}{now}"


def _likeliest(path: str, there: Sequence[str]) -> str | None:
    """Of some places the one that shares most with a path, from its end and from its beginning;
    None where there is none, or two share as much."""
    if len(there) < 2:
        return there[0] if there else None
    wanted = path.split("/")
    ranked = sorted(
        (
            (_shared(wanted[::-1], p.split("/")[::-1]), _shared(wanted, p.split("/")), p)
            for p in there
        ),
        key=lambda one: (-one[0], -one[1], one[2]),
    )
    return None if ranked[0][:2] == ranked[1][:2] else ranked[0][2]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _line_of(text: str, words: str) -> int | None:
    """The line in which some words begin, from 1, blanks and line ends counting alike; None where
    they do not stand."""
    at = text.find(words)
    if at < 0:
        parts = _BLANKS.split(words.strip())
        found = re.search(r"\s+".join(map(re.escape, parts)), text) if len(parts) > 1 else None
        if found is None:
            return None
        at = found.start()
    return text.count("\n", 0, at) + 1
