"""Recording an observation: a decision, its outcome and the link between them, in one transaction.

A side that says what a current decision or outcome of the scope says, folded alike, is that record;
anything looser is joined when read and never written.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from brain import validate
from brain.errors import EXIT_NO, BrainError
from brain.lifecycle import lineage
from brain.memory import CAME_ABOUT, DECISION_KIND, OUTCOME_KIND, RELATIONS, Memory, Similar
from brain.recall import similar
from brain.results import Link, RecordResult
from brain.store import insert, journal, links, memories
from brain.store.links import Observation
from brain.store.view import View
from brain.text.fold import fold
from brain.text.polarity import sign
from brain.text.timestamps import When, local_time, parse_time, to_iso

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.memories import Record
    from brain.store.protocol import Transaction

    Prepared = tuple[Record, list[tuple[int, int]], NDArray[np.float32] | None]

LINKED = "link"
"""The journal's entry for an observation, on both of its records."""

UNLINKED = "unlink_observation"

MOST_READ = 10_000

MOST_LINKS = 200
"""Links listed at once: a thousand on one record stay bounded."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a caller says of an observation, checked.

    Args:
        at: when it was observed, UTC ISO; None for now.
        good: the sign given, None to have it computed.
    """

    relation: str
    context: str
    at: str | None
    good: bool | None
    source: str
    evidence: str
    why: str


def checked(told: Told, given: When, now: datetime) -> Told:
    """An observation as it may be stored, apart from its texts.

    Args:
        given: when it was observed, as a person writes it.

    Raises:
        BrainError: ``brain_relation_invalid``, ``brain_context_invalid``, ``brain_date_invalid``,
            ``brain_evidence_invalid``, ``brain_why_invalid`` (65).
    """
    if told.relation not in RELATIONS:
        raise BrainError(
            "brain_relation_invalid",
            f"关系「{told.relation[:40]}」不认识；可用：{'、'.join(RELATIONS)}。",
        )
    if len(told.context) > validate.MAX_EVIDENCE_CHARS or not _is_text(told.context):
        most = validate.MAX_EVIDENCE_CHARS
        raise BrainError("brain_context_invalid", f"情境最长 {most} 个字符，且须是有效的文本。")
    validate.check_evidence(told.evidence)
    validate.check_why(told.why)
    at = None if given is None else parse_time(given, now=now)
    if at is not None and at > to_iso(now):
        raise BrainError(
            "brain_date_invalid", f"观察到的时刻（{local_time(at)}）还没到；结果要等看到了再记。"
        )
    return replace(told, at=at)


def _is_text(value: str) -> bool:
    return not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)


def require_two(decision: str, outcome: str) -> None:
    """Refuses an outcome that says what its decision says: ``brain_link_self`` (65)."""
    if says(decision) == says(outcome):
        raise BrainError("brain_link_self", "结果和决策是同一句话，没有可以连起来的两头。")


def says(text: str) -> str:
    """The form under which two sides of a link are the same."""
    return " ".join(fold(text).split())


def store(
    db: Transaction,
    table: str | None,
    decision: Prepared,
    outcome: Prepared,
    told: Told,
    now: datetime,
) -> RecordResult:
    """Stores an observation inside the caller's write transaction.

    Args:
        table: the vector table, or None to store no vectors.
    """
    at = to_iso(now)
    observed = told.at or at
    ends = [_side(db, table, side, observed, at, told.why) for side in (decision, outcome)]
    row = Observation(
        0, ends[0].id, ends[1].id, told.relation, told.context, told.good, observed, at, None,
        told.source, told.evidence,
    )  # fmt: skip
    start, stop = (None, None) if told.at else _local_day(now)
    number = links.same(db, row, start, stop)
    created = number is None
    if number is None:
        number = links.insert(db, row)
        for end in ends:
            journal.write(db, at, end.id, LINKED, told.why)
    view = View(as_of=at, scopes=(decision[0].scope,))
    alike = _alike(db, ends, view) if created else ()
    return RecordResult(number, ends[0].id, ends[1].id, created, alike)


def _local_day(now: datetime) -> tuple[str, str]:
    try:
        day = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        return to_iso(day), to_iso(day + timedelta(days=1))
    except OverflowError:  # the calendar's first and last day: the instant alone
        return to_iso(now), to_iso(now)


def _side(
    db: Transaction, table: str | None, side: Prepared, observed: str, at: str, why: str
) -> Memory:
    """The record of one side: one that is there and says the same, or a new one."""
    found = _same(db, side[0], at)
    if found is None:
        record, spans, vectors = side
        return insert.put(db, table, record, spans, vectors, why)
    if found.valid_from is not None and observed < found.valid_from and _ours(db, found):
        return lineage.change(db, found, at, "observed_earlier", why, valid_from=observed)
    return found


def _ours(db: Transaction, memory: Memory) -> bool:
    """Whether a record was made by an observation, and not told by itself before."""
    return links.first_recorded(db, memory.id) == memory.recorded_at


def _same(db: Transaction, record: Record, at: str) -> Memory | None:
    """A current decision or outcome of the scope that says what a record says; the oldest."""
    wanted = says(record.text)
    for kind in (record.kind, OUTCOME_KIND if record.kind == DECISION_KIND else DECISION_KIND):
        told = memories.with_content(db, record.text, kind, record.scope)
        for memory in told:
            begun = memory.valid_from is None or memory.valid_from <= at
            if begun and (memory.valid_to is None or memory.valid_to > at):
                return memory
        view = View(as_of=at, scopes=(record.scope,), kind=kind)
        near = similar.alike(db, memories.highest_id(db) + 1, record.text, view)
        held = memories.get_many(db, [one.id for one in near])
        for memory in (held[key] for key in sorted(held)):
            if says(memory.text) == wanted:
                return memory
    return None


def _alike(db: Transaction, ends: list[Memory], view: View) -> tuple[Similar, ...]:
    """Near-repeats of both sides, decision first, none of them a side itself."""
    ids = {end.id for end in ends}
    out: dict[int, Similar] = {}
    for end in ends:
        for one in similar.find(db, end.id, end.text, replace(view, kind=end.kind)):
            if one.id not in ids:
                out.setdefault(one.id, one)
    return tuple(out.values())


MOST_DIGITS = 18
"""Of a number that SQLite can hold."""


def parse_link(value: int | str) -> int:
    """The number of a link: ``L12``, ``12``, in any width. Raises ``brain_id_invalid`` (65)."""
    if isinstance(value, int):
        text = str(value) if abs(value) < 10**MOST_DIGITS else "…"
    else:
        text = unicodedata.normalize("NFKC", value).strip() if isinstance(value, str) else ""
    digits = text[1:] if text[:1] in ("L", "l") else text
    if isinstance(value, bool) or not (
        digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS
    ):
        raise BrainError(
            "brain_id_invalid",
            f"「{text[:40]}」不是观察的编号；请写 L12 或 12（#12 是记忆的编号）。",
        )
    number = int(digits)
    if number < 1:
        raise BrainError("brain_id_invalid", "观察的编号从 1 开始，如 L12。")
    return number


def unlink(db: Transaction, number: int, at: str, why: str) -> None:
    """Stops believing an observation; twice changes nothing.

    Raises:
        BrainError: ``brain_not_found`` (1), ``brain_why_invalid`` (65).
    """
    validate.check_why(why)
    found = links.get(db, number)
    if found is None:
        raise BrainError("brain_not_found", f"没有编号为 L{number} 的观察。", EXIT_NO)
    if found.retracted_at is not None:
        return
    links.retract(db, number, at)
    for end in (found.decision, found.outcome):
        journal.write(db, at, end, UNLINKED, why)


def of_memories(db: Transaction, memory_ids: list[int] | None) -> list[Link]:
    """The observations of some memories (None: of the file), newest first, with their signs."""
    found = links.of(db, memory_ids, MOST_LINKS)
    texts = memories.get_many(db, {row.outcome for row in found})
    return [as_link(row, texts[row.outcome].text) for row in found if row.outcome in texts]


def sign_of(row: Observation, text: str) -> str:
    """The sign of an observation: as the user gave it, else of the outcome's text."""
    if row.good is not None:
        return "good" if row.good else "bad"
    return sign(text)


def as_link(row: Observation, text: str) -> Link:
    """An observation as the faces show it.

    Args:
        text: of its outcome.
    """
    return Link(
        row.id, row.decision, row.outcome, row.relation, row.good, sign_of(row, text), row.context,
        row.observed_at, row.recorded_at, row.retracted_at, row.source, row.evidence,
    )  # fmt: skip


def came_to_nothing(db: Transaction, outcomes: list[int]) -> dict[int, str]:
    """Of some outcomes those whose links all say that they did not come about, and how."""
    told: dict[int, set[str]] = {}
    for row in links.of(db, outcomes, MOST_READ):
        if row.outcome in outcomes and row.retracted_at is None:
            told.setdefault(row.outcome, set()).add(row.relation)
    return {
        key: "prevented" if "prevented" in found else "no_effect"
        for key, found in told.items()
        if not found & set(CAME_ABOUT)
    }
