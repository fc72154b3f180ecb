"""Version comparison: whether a version is one that a specifier allows.

One reading for the specifiers of PEP 440, of npm, Cargo and Poetry, and of Go: operators, ``^``,
``~``, ``~=``, ``*`` and ``x``, a comma or a blank for "and", ``||`` for "or".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(
    r"[vV=]?\s*(\d{1,9}(?:\.\d{1,9})*)"
    r"(?:[-._]?(a|alpha|b|beta|c|rc|pre|preview|dev|snapshot|m|canary|next)[-._]?(\d{0,9})[\w.-]*)?"
    r"(?:[-+.][\w.+-]*)?\Z",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"(===?|!=|>=|<=|~=|~>|>|<|\^|~)?\s*([vV]?[\dxX*][\w.*+!-]*|\*)\s*(?:,|;|\s|\Z)\s*"
)
_WILD = frozenset({"*", "x", "X"})


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version as it is compared: its numbers without zeros at the end, and how far before the
    release it is (0 for the release itself)."""

    numbers: tuple[int, ...]
    before: tuple[int, int] = (0, 0)


_STAGES = {"dev": -9, "canary": -8, "snapshot": -8, "a": -7, "alpha": -7, "m": -6, "b": -5}
_STAGES |= {"beta": -5, "pre": -3, "preview": -3, "next": -3, "c": -2, "rc": -2}


def parse(written: str) -> Version | None:
    """Reads a version; None for what is none."""
    found = _VERSION.match(written.strip())
    if found is None:
        return None
    numbers = [int(part) for part in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    stage = (_STAGES[found[2].lower()], int(found[3] or 0)) if found[2] else (0, 0)
    return Version(tuple(numbers), stage)


@dataclass(frozen=True, slots=True)
class _Term:
    """One condition: an operator ('' for a bare version) and the version as it is written."""

    operator: str
    written: str

    def allows(self, version: Version) -> bool:
        parts = [p for p in re.split(r"[.]", self.written.lstrip("vV")) if p]
        wild = any(p in _WILD for p in parts)
        if wild:
            parts = parts[: next(n for n, p in enumerate(parts) if p in _WILD)]
        if self.operator in ("", "==", "===") and (wild or not self.operator):
            return not parts or self._begins(version, parts)
        if self.operator == "!=" and wild:
            return not self._begins(version, parts)
        wanted = parse(".".join(parts))
        if wanted is None:
            return not parts
        match self.operator:
            case "==" | "===":
                return version == wanted
            case "!=":
                return version != wanted
            case ">=":
                return version >= wanted
            case "<=":
                return version <= wanted
            case ">":
                return version > wanted
            case "<":
                return version < wanted
        return wanted <= version < self._end(parts)

    def _begins(self, version: Version, parts: list[str]) -> bool:
        """Whether a version is the one that is written, or one of those it begins."""
        wanted = parse(".".join(parts))
        if wanted is None:
            return False
        if wanted.before != (0, 0) or len(parts) >= 3:
            return version == wanted
        written = [int(p) for p in parts]
        padded = [*version.numbers, *([0] * len(written))][: len(written)]
        return padded == written

    def _end(self, parts: list[str]) -> Version:
        """The first version beyond what ``^``, ``~``, ``~=`` or ``~>`` allows."""
        numbers = [int(found[0]) for p in parts if (found := re.match(r"\d+", p))] or [0]
        if self.operator == "^":
            # The first number that is not 0 stays (Cargo, npm); all given as 0: the last of them.
            place = next((n for n, value in enumerate(numbers) if value), len(numbers) - 1)
        elif self.operator == "~":
            place = min(1, len(numbers) - 1)
        else:
            place = max(len(numbers) - 2, 0)
        upper = [*numbers[:place], numbers[place] + 1]
        return Version(tuple(upper), (-99, 0))


@dataclass(frozen=True, slots=True)
class Spec:
    """What a specifier allows: one of several lists of conditions."""

    choices: tuple[tuple[_Term, ...], ...]

    def allows(self, version: Version) -> bool:
        """Whether a version is allowed."""
        return any(all(term.allows(version) for term in choice) for choice in self.choices)

    @property
    def pinned(self) -> bool:
        """Whether it names a single version."""
        terms = self.choices[0]
        exact = terms[0].operator in ("==", "===") and not _WILD & set(terms[0].written.split("."))
        return len(self.choices) == 1 and len(terms) == 1 and exact

    @property
    def base(self) -> Version | None:
        """The version it is written from: the one that is named, or the lowest allowed."""
        for term in self.choices[0]:
            if term.operator in ("", "==", "===", ">=", "^", "~", "~=", "~>"):
                return parse(re.split(r"[.]?[*xX]", term.written)[0])
        return None


def spec(written: str) -> Spec | None:
    """Reads a specifier; None for what is none."""
    choices = []
    for part in written.split("||"):
        rest = re.sub(r"\s+-\s+", ",<=", ">=" + part.strip()) if " - " in part else part.strip()
        terms = []
        at = 0
        while at < len(rest):
            found = _TERM.match(rest, at)
            if found is None:
                return None
            terms.append(_Term(found[1] or "", found[2]))
            at = found.end()
        if not terms or any(
            parse(re.sub(r"(?:\.?[*xX])+\Z", "", t.written) or "0") is None for t in terms
        ):
            return None
        choices.append(tuple(terms))
    return Spec(tuple(choices))
