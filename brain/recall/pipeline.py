"""Answering a message on one moment of the file: hits, skills, and what the gate says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from brain.lifecycle import replay
from brain.memory import SKILL_KIND, Gate, Hit
from brain.recall import explain, gate, retrieve
from brain.recall.lexical import Memo
from brain.recall.query import Question
from brain.recall.retrieve import Ranked, Source
from brain.store import memories, meta
from brain.store.view import View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.store.protocol import Transaction

POOL = 5
"""How many hits ``inject`` considers: as many as ``recall`` shows when nothing else is asked."""

SKILL_PLACES = 2
"""Places of their own that skills have, beside the k hits."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one look at the file gave.

    Args:
        hits: best first; ``text`` is the whole memory.
        skills: those that have to do with the question.
        decision: the gate's answer; its ``degraded`` says what could not take part.
        terms: the question's telling terms, by which long texts are narrowed.
    """

    hits: tuple[Hit, ...]
    skills: tuple[Hit, ...]
    decision: Gate
    terms: tuple[str, ...]

    @property
    def answering(self) -> tuple[Hit, ...]:
        """The hits and skills the gate lets into a block."""
        return tuple(h for h in (*self.hits, *self.skills) if h.id in self.decision.ids)


class QueryVectors(NamedTuple):
    """The vectors of a message's questions.

    Args:
        model: the embedder's name, or None for words alone.
        found: one a question, (dim,); empty for words alone.
        degraded: codes of what cannot take part.
    """

    model: str | None = None
    found: tuple[NDArray[np.float32], ...] = ()
    degraded: tuple[str, ...] = ()


WORDS_ALONE = QueryVectors()


def answer(
    db: Transaction,
    facts: dict[str, Any],
    asked: Sequence[Question],
    vectors: QueryVectors,
    view: View,
    k: int,
    *,
    threshold: float | str | None,
    told: bool = True,
    remarks: tuple[str, ...] = (),
) -> Found:
    """Runs the lanes and the gate; inside the caller's read transaction.

    Args:
        facts: what the file says of itself, :func:`brain.store.memory_file.facts`.
        asked: a message as a whole and its questions; the one best answered counts.
        threshold: as :func:`brain.recall.gate.checked_threshold` gives it.
        told: False leaves the decision's reasons out.
        remarks: what is to know about the question, to go with the decision.
    """
    view = replay.prepare(db, view)
    best: _Look | None = None
    memo: Memo = {}
    model = gate.calibrated(vectors.model, facts.get(meta.CALIBRATION))
    for one, vector in zip(asked, vectors.found or [None] * len(asked), strict=True):
        source = Source(
            db,
            vector,
            facts.get(meta.VECTORS),
            facts.get(meta.LAST_DECAY),
            gate.lift(model, one.language),
            memo,
        )
        look = _look(source, one, view, k, model, threshold, vectors.degraded)
        if best is None or look.decision.probability > best.decision.probability:
            best = look
    assert best is not None
    reasons: tuple[str, ...] = ()
    if told:
        reasons = explain.reasons(best.asked, best.notes, best.skills, model, threshold)
    decision = replace(best.decision, reasons=reasons, remarks=remarks)
    hits, skills = (_as_known(db, group.hits, view) for group in (best.notes, best.skills))
    return Found(hits, skills, decision, best.asked.telling)


class _Look(NamedTuple):
    """What one part of a message gave: what was found, and the gate's decision without reasons."""

    asked: Question
    notes: Ranked
    skills: Ranked
    decision: Gate


def _look(
    source: Source,
    asked: Question,
    view: View,
    k: int,
    model: str | gate.Weights | None,
    threshold: float | str | None,
    degraded: tuple[str, ...],
) -> _Look:
    pool = max(k, POOL)
    skills = Ranked()
    if view.kind is None:
        ranked = retrieve.run(source, asked, replace(view, not_kind=SKILL_KIND), pool)
        if memories.has_kind(source.db, SKILL_KIND):
            of_kind = replace(view, kind=SKILL_KIND)
            # A note may say by which other name a skill calls somebody.
            skills = retrieve.run(source, ranked.named or asked, of_kind, SKILL_PLACES)
    else:
        ranked = retrieve.run(source, asked, view, pool)
    skills = gate.relevant(asked, skills, model)
    marks = tuple(dict.fromkeys((*degraded, *ranked.degraded, *skills.degraded)))
    decision = gate.judge(asked, ranked, skills, model, threshold, marks)
    return _Look(asked, ranked, skills, decision)


def _as_known(db: Transaction, hits: Sequence[Hit], view: View) -> tuple[Hit, ...]:
    """Hits whose records have the field values of the instant a view asks about."""
    then = replay.records(db, [h.memory for h in hits], view.known_at)
    return tuple(replace(h, memory=memory) for h, memory in zip(hits, then, strict=True))
