"""Attributes: what a note says of a thing that has one value at a time (slot filling).

值班群是青鸟群 gives the thing 值班群 the value 青鸟群; a later 值班群换成老群 gives it another.
Only what has one value by its nature is read, by a list (``data/attributes.txt``): a port, an
address, a name, where somebody lives; not what somebody likes or is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from brain.text.fold import fold
from brain.text.lists import spoken, words
from brain.text.regex import compiled
from brain.text.restatement import key

LONGEST = 160
"""Characters of a note that are looked at."""

_HAN_BEFORE, _HAN_VALUE = 24, 40
_NEGATED = r"^(?:不|没|未|别|not\b|no\b|n't)"


@dataclass(frozen=True, slots=True)
class Attribute:
    """A thing, and the value a note gives it.

    Args:
        subject: as words, figures and characters that count; equal for the same thing.
        value: the same of its value.
        whole: whether the note says nothing else.
    """

    subject: tuple[str, ...]
    value: tuple[str, ...]
    whole: bool

    def contradicts(self, other: Attribute) -> bool:
        """Whether both give the same thing values of which neither holds the other."""
        one, two = "".join(self.value), "".join(other.value)
        return self.subject == other.subject and one not in two and two not in one


def _any(heading: str) -> str:
    entries = sorted(spoken(words("attributes", heading)), key=len, reverse=True)
    return "|".join(map(_literal, entries))


def _literal(entry: str) -> str:
    plain = "".join(f"\\{c}" if c in ".+*?()[]{}^$|=" else c for c in entry)
    return rf"\b{plain}\b" if entry[0].isascii() and entry[0].isalpha() else plain


@cache
def _forms() -> tuple[str, ...]:
    """Patterns in the order in which they are tried."""
    now = rf"(?:{_any('now')}|\s|,)*"
    noun, says, home = _any("nouns"), _any("says"), _any("home")
    return (
        rf"^{now}(?P<subject>[^,;。!?\n]{{0,{_HAN_BEFORE}}}?(?:{noun})){now}(?:{says})\s*(?P<value>.+)",
        rf"^{now}(?P<subject>[^,;。!?\n]{{1,8}}?){now}(?P<home>{home})\s*(?P<value>.+)",
        rf"^{now}(?P<subject>(?:{_any('persons')})){now}(?P<named>{_any('named')})\s*(?P<value>.+)",
    )


@lru_cache(maxsize=64)
def read(text: str) -> Attribute | None:
    """The attribute a note states, at its beginning; None for none."""
    folded = fold(text[:LONGEST]).strip()
    if "?" in folded:
        return None
    first, _, rest = folded.partition("\n") if "\n" in folded else _clause(folded)
    for form in _forms():
        found = compiled(form).match(first)
        if not found:
            continue
        sort = next((name for name in ("home", "named") if found.groupdict().get(name)), "")
        subject, value = _thing(found["subject"]), key(found["value"][:_HAN_VALUE])
        if subject and value and not compiled(_NEGATED).match(found["value"]):
            return Attribute((sort, *subject), value, not rest.strip() and len(text) <= LONGEST)
    return None


def _clause(folded: str) -> tuple[str, str, str]:
    cut = compiled(r"[,;。!](?!\d)").search(folded)
    if cut is None:
        return folded, "", ""
    return folded[: cut.start()], cut.group(), folded[cut.end() :]


def _thing(subject: str) -> tuple[str, ...]:
    """What a subject names, without whose it is where that goes without saying."""
    bare = compiled(rf"^(?:{_any('ours')})(?:的|\s)*").sub("", subject, count=1)
    return key(bare if bare.strip() else subject)
