"""What may be stored, and as what: a draft checked, with all that it leaves open filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from brain import memory as m
from brain import validate
from brain.errors import BrainError
from brain.file_model import table_for
from brain.inject import pack
from brain.memory import Memory
from brain.store import insert
from brain.store.memories import Record
from brain.text.fold import fold
from brain.text.secrets import mask
from brain.text.timestamps import local_time, parse_time, to_iso
from brain.typecheck import path_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.embed.protocol import Embedder
    from brain.store.claims import Claim
    from brain.store.protocol import Transaction

ALLOWED = "allow_secrets"
"""The argument that has a secret stored nevertheless."""


def complete(draft: m.Draft, now: datetime, allow_secrets: bool = False) -> Record:
    """Checks a draft and fills in what it leaves open."""
    text = storable(draft.text, allow_secrets)
    if not allow_secrets:
        mask.refuse(draft.evidence, "依据", ALLOWED)
    source = label(draft.source, allow_secrets)
    confidence = draft.confidence
    if confidence is None:
        confidence = m.default_confidence(source)
    at = to_iso(now)
    valid_from: str | None = at
    if draft.valid_from == "unknown":
        valid_from = None
    elif draft.valid_from is not None:
        valid_from = parse_time(draft.valid_from, now=now)
    valid_to = None if draft.valid_to is None else parse_time(draft.valid_to, now=now)
    if valid_to is not None and valid_from is not None and valid_to <= valid_from:
        raise BrainError(
            "brain_valid_range",
            f"有效期的结束（{local_time(valid_to)}）必须晚于开始（{local_time(valid_from)}）。",
        )
    return Record(
        text=text,
        kind=validate.check_kind(draft.kind),
        scope=validate.check_label(draft.scope, "范围", "brain_scope_invalid"),
        source=source,
        importance=validate.check_unit(draft.importance, "重要度", "brain_importance_invalid"),
        confidence=validate.check_unit(confidence, "置信度", "brain_confidence_invalid"),
        pinned=draft.pinned,
        valid_from=valid_from,
        valid_to=valid_to,
        recorded_at=at,
        evidence=validate.check_evidence(draft.evidence),
        tags=tags(draft.tags, allow_secrets),
        claims=_given(draft, allow_secrets),
    )


def _given(draft: m.Draft, allow_secrets: bool) -> tuple[Claim, ...]:
    """The checks that were given with a draft."""
    if not draft.checks:
        return ()
    from brain.claims import forms  # few drafts have any

    if not allow_secrets:
        for written in draft.checks:
            mask.refuse(written, "核对", ALLOWED)
    return forms.read_all(draft.checks, draft.project)


def with_claims(record: Record, project: str = "") -> Record:
    """A record that says what of it can be looked at: what its text names, unless checks were
    given.

    Args:
        project: the name of the project that is about, '' where that is not known.
    """
    if record.claims:
        return record
    from brain.claims import extract

    found = extract.claims_of(record.text, project)
    return replace(record, claims=found) if found else record


def project_of(root: str | Path) -> str:
    """The name of the project in a folder. Raises ``brain_root_missing`` (66)."""
    from brain import repository
    from brain.claims import tree

    return repository.project_of_root(tree.root_of(path_of(root)))


def tags(given: Sequence[str], allow_secrets: bool) -> tuple[str, ...]:
    """Tags as they may be stored."""
    if not allow_secrets:
        for tag in given:
            mask.refuse(tag, "标签", ALLOWED)
    return validate.check_tags(given)


@lru_cache(maxsize=64)
def label(source: str, allow_secrets: bool) -> str:
    """A source as it may be stored: an address with a password in it may not."""
    if not allow_secrets:
        mask.refuse(source, "来源", ALLOWED)
    return validate.check_label(source, "来源", "brain_source_invalid")


def storable(text: str, allow_secrets: bool) -> str:
    """The one gate every text goes through before it is stored.

    As :func:`brain.validate.check_text`; what we handed out ourselves is no new memory either, and
    what holds a secret none unless that is wanted.
    """
    from brain.inject import brief

    validate.require_str(text, "文本")
    if text.lstrip().startswith((pack.OPENING, pack.SHORT_OPENING, *brief.OPENINGS)):
        raise BrainError(
            "brain_own_block",
            "这是 brain 自己给出的记忆块，里面的内容已经存着；请去掉这一块，只存新的内容。",
        )
    checked = validate.check_text(text)
    if not fold(checked).strip():
        raise BrainError("brain_text_empty", "文本里只有看不见的字符，没有可以记住的内容。")
    if not allow_secrets:
        mask.refuse(checked, "文本", ALLOWED)
    return checked


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text checked and embedded before a transaction begins, to be stored inside it.

    Args:
        source: as it may be stored.
        why: kept in the journal.
        embedder: what made the vectors, or None.
        spans: the text's passages as character ranges.
        vectors: one a passage, (passages, dim), or None.
        claims: what of it can be looked at; None for what the text names.
    """

    source: str
    why: str
    embedder: Embedder | None
    spans: list[tuple[int, int]]
    vectors: NDArray[np.float32] | None
    claims: tuple[Claim, ...] | None = None

    def put_in(self, db: Transaction) -> Callable[[Record], Memory]:
        """What stores a record of the text inside the caller's write transaction."""
        table = table_for(db, self.embedder)
        put = partial(insert.put, db, table, spans=self.spans, found=self.vectors, why=self.why)

        def store(record: Record) -> Memory:
            if self.claims is not None:
                return put(replace(record, claims=self.claims))
            return put(with_claims(record))

        return store
