"""Near-duplicates to merge, and skills told twice: what is kept, and what it says already.

Only what says the same in the same order is merged (:mod:`brain.text.restatement`), or what another
record says word for word before it says more. Sentences built alike are never enough: another name,
figure, negation or order is another fact. What stands in observations of decisions stays, and so
does what is pinned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from brain.consolidate.proposal import Proposal, head
from brain.memory import SKILL_KIND, Memory
from brain.text import similarity
from brain.text.restatement import clauses, key, says_first

CROWD = 40
"""Records that begin alike are held against each other up to so many."""

MOST_SKILLS = 300
ALIKE = 0.8
"""Similarity from which two skills of one title, or of any, are worth a look."""

_KEEPS = frozenset({similarity.NUMBER, similarity.NEGATION, similarity.NAME, similarity.ORDER})


def find(records: Sequence[Memory], linked: Collection[int]) -> Iterator[Proposal]:
    """Merges among current records of one scope and kind.

    Args:
        records: no episodes among them.
        linked: ids of those that stand in observations.
    """
    groups: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    beginnings: dict[tuple[object, ...], list[Memory]] = defaultdict(list)
    for one in records:
        said = clauses(one.text)
        if not said:
            continue
        groups[(one.scope, one.kind, key(one.text))].append(one)
        beginnings[(one.scope, one.kind, said[0])].append(one)
    gone: set[int] = set()
    for same in groups.values():
        if len(same) > 1 and (found := _same(same, linked)) is not None:
            gone.update(found.drop)
            yield found
    for alike in beginnings.values():
        for found in _contained([one for one in alike if one.id not in gone][:CROWD], linked):
            gone.update(found.drop)
            yield found


def _act(one: Memory) -> str:
    return "skill" if one.kind == SKILL_KIND else "merge"


def _same(same: Sequence[Memory], linked: Collection[int]) -> Proposal | None:
    """Keeps what may not go, else what holds longest."""
    order = sorted(same, key=lambda m: (not m.pinned, m.id not in linked, m.valid_from or "", m.id))
    kept, others = order[0], [m for m in order[1:] if not m.pinned and m.id not in linked]
    if not others:
        return None
    named = "、".join(f"#{m.id}" for m in others)
    told = "这项技能说了两遍" if kept.kind == SKILL_KIND else "说的是同一句话"
    reason = f"{named} 和 #{kept.id} {told}（{head(kept.text)}）：留 #{kept.id}，撤回 {named}"
    return Proposal(_act(kept), reason, kept.id, tuple(sorted(m.id for m in others)))


def _contained(alike: Sequence[Memory], linked: Collection[int]) -> Iterator[Proposal]:
    """What another record says word for word before it says more."""
    taken: set[int] = set()
    for short in sorted(alike, key=lambda m: len(m.text)):
        if short.pinned or short.id in linked or short.id in taken:
            continue
        longer = [
            m for m in alike if m.id != short.id and m.id not in taken
            and says_first(m.text, short.text)
        ]  # fmt: skip
        if longer:
            kept = max(longer, key=lambda m: (len(m.text), m.id))
            taken |= {kept.id, short.id}
            reason = (
                f"#{kept.id}（{head(kept.text)}）开头说的就是 #{short.id}（{head(short.text)}），"
                f"又多说了些：留 #{kept.id}"
            )
            yield Proposal(_act(kept), reason, kept.id, (short.id,))


def skills(records: Sequence[Memory], linked: Collection[int]) -> Iterator[Proposal]:
    """Skills that are told twice in other words: for a person to decide, the newer one proposed."""
    known = [m for m in records if m.kind == SKILL_KIND][-MOST_SKILLS:]
    taken: set[int] = set()
    for place, older in enumerate(known):
        for newer in known[place + 1 :]:
            if {older.id, newer.id} & taken or older.scope != newer.scope:
                continue
            if older.pinned or older.id in linked or key(older.text) == key(newer.text):
                continue
            if similarity.score(older.text, newer.text, ALIKE) < ALIKE:
                continue
            taken |= {older.id, newer.id}
            differs = set(similarity.compare(older.text, newer.text).differs) & _KEEPS
            more = "，数字、名字或否定有出入" if differs else ""
            reason = (
                f"#{older.id} 和 #{newer.id} 像是同一项技能（{head(newer.text)}）{more}；"
                f"提议以较新的 #{newer.id} 为准，要人看过"
            )
            yield Proposal("skill", reason, newer.id, (older.id,), confirm=True)
