"""Result dataclasses of every verb off the hot path (the others: :mod:`brain.memory`).

Every class is frozen, and its fields are the JSON fields of the contract, in their order;
``to_dict`` gives that JSON (:class:`brain.memory.JsonObject`).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from brain.memory import Check, JsonObject, LeftOut, Memory, Reason, Similar

NOT_IN_JSON = {"key": None}


@dataclass(frozen=True, slots=True)
class InitResult(JsonObject):
    """What ``create`` did. ``hint`` is a Chinese line for the person, or ''."""

    db: str
    model: str | None
    dim: int | None
    created: bool
    hint: str = field(default="", metadata=NOT_IN_JSON)


@dataclass(frozen=True, slots=True)
class SupersedeResult(JsonObject):
    """Which record took over from which, and when."""

    old: int
    new: int
    at: str


@dataclass(frozen=True, slots=True)
class DecayedMemory(JsonObject):
    """A record that decay archives: the beginning of its text, its strength, days without use."""

    id: int
    head: str
    strength: float = field(metadata={"digits": 6})
    idle_days: float = field(metadata={"digits": 3})


@dataclass(frozen=True, slots=True)
class DecayResult(JsonObject):
    """What a run of decay did, or with ``dry_run`` would do.

    Args:
        days: from the last run, or from the oldest record before the first; 0: nothing was done.
        decayed: how many records lost strength.
        used: how many gained some for having been injected.
        archived: ids, with what is to know about each in ``records``.
        since, at: the last run's instant (None before the first) and this one's, UTC ISO.
    """

    days: float = field(metadata={"digits": 6})
    decayed: int
    used: int
    archived: tuple[int, ...]
    records: tuple[DecayedMemory, ...]
    since: str | None
    at: str
    dry_run: bool


@dataclass(frozen=True, slots=True)
class DecayUndone(JsonObject):
    """What came of taking back a run of decay.

    Args:
        days: that the run had gone over.
        strengthened: how many records have another strength now.
        restored: ids of what it had archived and is back.
        since: the instant of the run before it, None before the first; the next goes from there.
        at: the instant of the run that was taken back, UTC ISO.
    """

    days: float = field(metadata={"digits": 6})
    strengthened: int
    restored: tuple[int, ...]
    since: str | None
    at: str


@dataclass(frozen=True, slots=True)
class CorrectResult(JsonObject):
    """Which record stands where another was wrong."""

    old: int
    new: int


@dataclass(frozen=True, slots=True)
class ForgetResult(JsonObject):
    """Which record was erased, and the user's own words that went with it.

    ``originals``: handles of kept originals that still hold its text among other things;
    ``copies``: paths of whole copies beside the file that still hold it; ``versions``: earlier
    versions of a conversation that had grown, erased with it.
    """

    forgotten: bool = field(default=True, init=False)
    id: int
    words: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """With ``versions`` where there were some."""
        out = JsonObject.to_dict(self)
        return out if self.versions else {k: v for k, v in out.items() if k != "versions"}


@dataclass(frozen=True, slots=True)
class OriginalEntry(JsonObject):
    """One kept original, as one session observed it.

    Args:
        type: what it is (:data:`brain.compress.originals.TYPES`), its media type where that was
            not said.
        session, revision, source: by whom, of which revision and from where; '' for not said.
        state: ``current``, ``stale`` or ``archived``.
    """

    handle: str
    type: str
    compressor: str
    bytes: int
    stored_at: str
    session: str = ""
    revision: str = ""
    source: str = ""
    state: str = "current"
    content_type: str = ""
    reason: str = field(default="", metadata={"when": "reason"})


@dataclass(frozen=True, slots=True)
class Observed(JsonObject):
    """What an original is, for a session; ``reason`` says why it is stale."""

    type: str
    session: str
    revision: str
    source: str
    state: str
    reason: str = field(default="", metadata={"when": "reason"})


@dataclass(frozen=True, slots=True)
class OriginalLooked(JsonObject):
    """What looking at an original gave; ``result`` as that of :class:`ClaimResult`."""

    handle: str
    session: str
    type: str
    source: str
    result: str
    found_at: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class OriginalForgotten(JsonObject):
    """Which original was erased."""

    forgotten: bool = field(default=True, init=False)
    handle: str


@dataclass(frozen=True, slots=True)
class BulkForgetResult(JsonObject):
    """What matched, and whether it was erased.

    Args:
        forgotten: False for a list: nothing was changed.
        ids: the records that match, oldest first.
        count: how many they are.
        pinned: those that match too, and are left because they are pinned.
        words, originals, copies, versions: as those of :class:`ForgetResult`.
    """

    forgotten: bool
    ids: tuple[int, ...]
    count: int
    pinned: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    originals: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()
    records: tuple[Memory, ...] = field(default=(), metadata={"key": None})

    def to_dict(self) -> dict[str, Any]:
        """With ``versions`` where there were some."""
        out = JsonObject.to_dict(self)
        return out if self.versions else {k: v for k, v in out.items() if k != "versions"}


@dataclass(frozen=True, slots=True)
class BulkRetractResult(JsonObject):
    """What matched, and whether it was retracted; as :class:`BulkForgetResult`."""

    retracted: bool
    ids: tuple[int, ...]
    count: int
    pinned: tuple[int, ...] = ()
    records: tuple[Memory, ...] = field(default=(), metadata={"key": None})


@dataclass(frozen=True, slots=True)
class HistoryEvent(JsonObject):
    """What happened to a memory. ``detail``: field → [before, after]."""

    at: str
    what: str
    why: str
    id: int | None
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class History(JsonObject):
    """The records that replaced each other and their events, oldest first, and what was observed
    of them, newest first."""

    history: tuple[Memory, ...]
    events: tuple[HistoryEvent, ...]
    links: tuple[Link, ...] = field(default=(), metadata={"when": "links"})


@dataclass(frozen=True, slots=True)
class IngestError(JsonObject):
    """A place that was passed over: file, line (or message, or element), and why in Chinese."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class IngestPreview(JsonObject):
    """What a dry run would store."""

    text: str
    kind: str
    valid_from: str | None
    source: str


@dataclass(frozen=True, slots=True)
class IngestResult(JsonObject):
    """What taking in a path did; the first fields are those of the contract.

    Args:
        added: records made that replace none.
        skipped: entries that were there already.
        superseded: records a changed entry has replaced.
        expired: records whose source no longer has them.
        retracted: episodes that held turns the user took back.
        unchanged: files that are as they were when they were last read, and were passed over.
        held: entries that a source had when last read, where all its files are unchanged.
        failed: places passed over; ``errors`` lists the first of them.
        pending: passages that still wait for their vector.
        preview: what a dry run would store, the first few.
    """

    source: str
    format: str
    added: int
    skipped: int
    superseded: int
    expired: int
    retracted: int
    unchanged: int
    held: int
    failed: int
    errors: tuple[IngestError, ...] = ()
    pending: int = field(default=0, metadata={"key": "vectors_pending"})
    dry_run: bool = False
    preview: tuple[IngestPreview, ...] = field(default=(), metadata={"when": "dry_run"})

    @property
    def nothing_new(self) -> bool:
        """Whether every file is as it was when last read."""
        done = (self.added, self.skipped, self.superseded, self.expired, self.retracted)
        return self.unchanged > 0 and not any((*done, self.failed))


@dataclass(frozen=True, slots=True)
class ScopeCount(JsonObject):
    """A scope and how many records it has: current ones, and in whatever state."""

    scope: str
    current: int
    total: int


@dataclass(frozen=True, slots=True)
class OwnWord(JsonObject):
    """One of the user's own words, as in jieba's user dictionary."""

    word: str
    freq: int | None
    tag: str | None


@dataclass(frozen=True, slots=True)
class Recovered(JsonObject):
    """The bytes a handle stands for, or the part of them that was asked for.

    Args:
        content_type: media type of ``data``.
        observed: what the original is, for each session that said so.
    """

    handle: str
    content_type: str
    data: bytes = field(metadata=NOT_IN_JSON)
    observed: tuple[Observed, ...] = field(default=(), metadata={"when": "observed"})

    def to_dict(self) -> dict[str, Any]:
        """With the data as ``text`` where it is UTF-8, else as ``base64``."""
        out = {**JsonObject.to_dict(self), "bytes": len(self.data)}
        try:
            return {**out, "text": self.data.decode("utf-8")}
        except UnicodeDecodeError:
            return {**out, "base64": base64.b64encode(self.data).decode("ascii")}


@dataclass(frozen=True, slots=True)
class CompressResult(JsonObject):
    """A text made shorter, and the handle of the whole; ``compressor`` ``none`` is unchanged.

    Args:
        handle: None only where an unchanged text could not be kept.
        tokens_before, tokens_after: estimates.
    """

    text: str
    handle: str | None
    tokens_before: int
    tokens_after: int
    compressor: str
    basis: str = field(default="inferred", init=False)


@dataclass(frozen=True, slots=True)
class Stats(JsonObject):
    """What is in the file; the fields are those of the contract."""

    total: int
    current: int
    archived: int
    superseded: int
    expired: int
    retracted: int
    future: int
    by_kind: dict[str, int]
    by_scope: dict[str, int]
    model: str | None
    dim: int | None
    languages: tuple[str, ...]
    vectors_present: int = field(metadata={"key": "vectors.present"})
    vectors_missing: int = field(metadata={"key": "vectors.missing"})
    bytes: int
    schema: int
    last_decay: str | None
    degraded: tuple[str, ...]
    claimed: int = field(default=0, metadata={"key": "claims.claimed"})
    verified: int = field(default=0, metadata={"key": "claims.verified"})
    stale: int = field(default=0, metadata={"key": "claims.stale"})


@dataclass(frozen=True, slots=True)
class BackupResult(JsonObject):
    """The copy that was written: where, its bytes, its records, its schema number."""

    path: str
    bytes: int
    records: int
    schema: int


@dataclass(frozen=True, slots=True)
class RestoreResult(JsonObject):
    """What was put back; ``kept`` is where the file that was there is now, None without one."""

    db: str
    source: str
    bytes: int
    records: int
    schema: int
    kept: str | None


@dataclass(frozen=True, slots=True)
class OptimizeResult(JsonObject):
    """What putting a file in order did.

    Args:
        bytes_before, bytes_after: of file and log together.
        segments_before, segments_after: of both text indexes.
        recoded: vectors whose codes were taken against a new centre.
        merged: False where a reader held the log.
    """

    db: str
    bytes_before: int
    bytes_after: int
    segments_before: int
    segments_after: int
    recoded: int
    merged: bool


@dataclass(frozen=True, slots=True)
class Finding(JsonObject):
    """One thing the doctor looked at.

    Args:
        code: stable English id, see docs/cli.md.
        severity: ``ok``, ``warn`` or ``error``.
        message: one Chinese sentence.
        fixable: whether ``--repair`` can do something about it.
        asks: whether it does so only with consent, since the records themselves would change.
    """

    code: str
    severity: str
    message: str
    fixable: bool = False
    asks: bool = False


@dataclass(frozen=True, slots=True)
class DoctorResult(JsonObject):
    """What the doctor found, after whatever was repaired.

    Args:
        ok: whether no finding is an error.
        repaired: codes of what was found and repaired.
        needs_yes: codes of what could be repaired with consent.
        salvaged: the new file that holds what could be read of a corrupt one, or None.
        salvaged_records: how many records those are; None where nothing was to be salvaged.
        exit_code: 0; 69 when a part of the program is missing, 74 when the file is damaged.
    """

    db: str
    ok: bool = field(init=False)
    findings: tuple[Finding, ...]
    repaired: tuple[str, ...]
    needs_yes: tuple[str, ...] = field(init=False)
    salvaged: str | None
    salvaged_records: int | None
    exit_code: int = field(metadata=NOT_IN_JSON)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ok", self.exit_code == 0)
        object.__setattr__(self, "needs_yes", tuple(f.code for f in self.needing_consent))

    @property
    def needing_consent(self) -> tuple[Finding, ...]:
        """What could be repaired with consent."""
        return tuple(f for f in self.findings if f.asks and f.severity != "ok")


@dataclass(frozen=True, slots=True)
class RecordResult(JsonObject):
    """Where a decision and its outcome are: the link, both ids, and near-repeats of the two.

    Args:
        created: False where the same observation was there already.
    """

    link: int
    decision: int
    outcome: int
    created: bool
    similar: tuple[Similar, ...] = ()


@dataclass(frozen=True, slots=True)
class Link(JsonObject):
    """One observation of what a decision led to.

    Args:
        good: the sign as the user gave it, None where it is computed.
        sign: ``good``, ``bad``, ``mixed`` or ``neutral``, as it counts now.
    """

    link: int
    decision: int
    outcome: int
    relation: str
    good: bool | None
    sign: str
    context: str
    observed_at: str
    recorded_at: str
    retracted_at: str | None
    source: str
    evidence: str


@dataclass(frozen=True, slots=True)
class UnlinkResult(JsonObject):
    """Which observation is not believed any more."""

    link: int
    retracted: bool = field(default=True, init=False)


@dataclass(frozen=True, slots=True)
class BeforeResult(JsonObject):
    """What an action, or nearly the same, led to.

    Args:
        verdict: ``danger``, ``warning``, ``safe``, ``unclear`` or ``no_precedent``.
        reasons: the weightiest first.
        alternative: what went well where this went badly, None where nothing is known.
        degraded: codes of what could not take part.
    """

    verdict: str
    reasons: tuple[Reason, ...]
    alternative: Reason | None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WhyResult(JsonObject):
    """What an outcome came from, nearest first, and what has prevented it."""

    causes: tuple[Reason, ...]
    preventers: tuple[Reason, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally(JsonObject):
    """The outcomes of one of two actions, counted by sign, with the observations behind them."""

    good: int
    bad: int
    mixed: int
    neutral: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class CompareResult(JsonObject):
    """Which of two actions went better.

    Args:
        better: ``a``, ``b`` or ``insufficient``.
        reversed: whether the contexts one by one say the contrary of all together (Simpson).
    """

    better: str
    a: Tally
    b: Tally
    reversed: bool
    degraded: tuple[str, ...] = ()


MOST_FAULTS = 1000
"""Faults that are listed one by one; the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Fault(JsonObject):
    """A place that was not taken in.

    Args:
        line: from 1.
        reason: a Chinese sentence.
        file: its name within a folder; '' for a single file.
    """

    line: int
    reason: str
    file: str = field(default="", metadata={"when": "file"})


@dataclass(frozen=True, slots=True)
class Change(JsonObject):
    """One step of a plan.

    Args:
        what: ``add``, ``correct``, ``supersede``, ``missing`` or ``retract``.
        id: the record it is done to, None for a new one.
        new: the id of the record made, None where there is none (yet).
        before, after: texts.
        file, line: where it comes from.
    """

    what: str
    id: int | None
    new: int | None
    before: str
    after: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class ExportResult(JsonObject):
    """What was written.

    Args:
        source: the memory file.
        out: the file or folder written.
        added: records written.
        errors: what is damaged and was left out; ``line`` is the number of a record, of an entry
            of the journal or of a link, the place of a word or an original, 0 for a fact.
        files: names of the files, of a folder.
    """

    source: str
    format: str
    out: str
    added: int
    skipped: int = field(default=0, init=False)
    superseded: int = field(default=0, init=False)
    errors: tuple[Fault, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportResult(JsonObject):
    """What came in, or would.

    Args:
        added: records that are new here.
        skipped: records that were here already, or need no change.
        superseded, corrected, retracted: records of this file that were changed so.
        missing: entries that were removed by hand and left in the file.
        failed: faults in all; ``errors`` lists the first ``MOST_FAULTS``.
        changes: the plan, for Markdown.
        words, originals: own words and recovery records that are new here.
        vectors: passages that were embedded.
        pending: passages that have no vector yet.
        links: observations of what decisions led to that are new here.
    """

    source: str
    format: str
    added: int = 0
    skipped: int = 0
    superseded: int = 0
    corrected: int = 0
    retracted: int = 0
    missing: int = 0
    failed: int = 0
    errors: tuple[Fault, ...] = ()
    changes: tuple[Change, ...] = ()
    words: int = 0
    originals: int = 0
    vectors: int = 0
    pending: int = field(default=0, metadata={"key": "vectors_pending"})
    dry_run: bool = False
    links: int = field(default=0, metadata={"when": "links"})


@dataclass(frozen=True, slots=True)
class ReembedResult(JsonObject):
    """What a run did: the file's model now, passages embedded by this run, passages in all."""

    model: str | None
    dim: int | None
    embedded: int
    total: int


@dataclass(frozen=True, slots=True)
class Brief(JsonObject):
    """The block ('' for an empty memory), its estimated tokens, and what of the pinned records and
    preferences does not fit.

    Args:
        fingerprint: of the whole block.
        pinned_fingerprint: of the pinned records and preferences in it alone.
        format_fingerprint: of how a brief is written, whatever stands in it.
        changed: False where the caller has this block already; it is '' then, with no tokens.
    """

    block: str
    fingerprint: str
    tokens: int
    basis: str = field(default="inferred", init=False)
    left_out: tuple[LeftOut, ...] = ()
    pinned_fingerprint: str = ""
    format_fingerprint: str = ""
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in whatever currency: uncached, read from the cache, written to
    it (None: as uncached)."""

    input: float
    cached: float
    write: float | None = None


@dataclass(frozen=True, slots=True)
class CacheCost(JsonObject):
    """What prompts cost, what they would have without a cache, the difference, and what the drops
    cost beyond reading the same from it."""

    spent: float = field(metadata={"digits": 6})
    without_cache: float = field(metadata={"digits": 6})
    saved: float = field(metadata={"digits": 6})
    lost_to_drops: float = field(metadata={"digits": 6})


@dataclass(frozen=True, slots=True)
class CacheDrop(JsonObject):
    """A request that read that many tokens less from the cache than the one before it.

    Args:
        turn: the request's number in its session, from 1.
        cause: ``compaction``, ``model``, ``idle``, ``memory``, ``tools`` or ``unexpected``.
        detail: what was seen of the cause, Chinese.
    """

    turn: int
    tokens: int
    cause: str
    detail: str
    at: str | None
    read_before: int
    read_after: int


@dataclass(frozen=True, slots=True)
class CacheSession(JsonObject):
    """What one session's requests read from the cache.

    Args:
        read, written, fresh: tokens of its prompts, as :class:`brain.prompt_cache.usage.Turn` has
            them.
        healthy: None where there is too little to judge by.
        ratios: the share of each request.
    """

    id: str
    host: str
    turns: int
    hit_ratio: float = field(metadata={"digits": 4})
    read: int
    written: int
    fresh: int
    drops: tuple[CacheDrop, ...]
    healthy: bool | None
    remark: str
    cost: CacheCost | None = field(metadata={"when": "cost"})
    ratios: tuple[float, ...] = field(metadata={"key": None})


@dataclass(frozen=True, slots=True)
class CacheFault(JsonObject):
    """A line of a transcript that was passed over."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ProbePart(JsonObject):
    """One part of the health probe.

    Args:
        checked: how many things were looked at.
        wrong: ids of the records that failed, at most twenty; none where it is no record's matter.
        told: a Chinese sentence on what is wrong, '' for nothing.
    """

    ok: bool
    checked: int
    wrong: tuple[int, ...] = ()
    told: str = ""


@dataclass(frozen=True, slots=True)
class ProbeResult(JsonObject):
    """What the health probe found: ``parts`` by name, in the order they were looked at."""

    parts: Mapping[str, ProbePart] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every part is."""
        return all(part.ok for part in self.parts.values())

    def to_dict(self) -> dict[str, Any]:
        """The object of the JSON contract."""
        return {"ok": self.ok, "parts": {name: p.to_dict() for name, p in self.parts.items()}}


@dataclass(frozen=True, slots=True)
class PlanLine(JsonObject):
    """One proposal of a plan to consolidate.

    Args:
        id: names it, by what it proposes.
        act: ``merge``, ``skill``, ``contradiction``, ``archive`` or ``remember``.
        reason: a Chinese sentence.
        records: the ids of the records it rests on.
        before: those records as they were when it was made, secrets masked, with the numbers of
            the observations they stand in.
        keep: the record that stays or takes over, None where there is none.
        drop: the records that go, the oldest first.
        text, kind: of a record to be made, '' for none.
        quote: what of the episode that rests on, to the letter.
        source: ``rules``, or ``llm:`` and the model's name.
        confirm: whether it is done only where somebody names it.
    """

    id: str
    act: str
    reason: str
    records: tuple[int, ...]
    before: tuple[Mapping[str, Any], ...]
    keep: int | None = field(default=None, metadata={"when": "keep"})
    drop: tuple[int, ...] = field(default=(), metadata={"when": "drop"})
    text: str = field(default="", metadata={"when": "text"})
    kind: str = field(default="", metadata={"when": "text"})
    quote: str = field(default="", metadata={"when": "quote"})
    source: str = "rules"
    confirm: bool = False


@dataclass(frozen=True, slots=True)
class Plan(JsonObject):
    """What a consolidation proposes; nothing of it is done.

    Args:
        run: names the plan and, once it is applied, the run.
        scope: whose records were looked at; None for all.
        since: UTC ISO, only what came in from then on; None for all.
        anchors: fingerprints of some records, by which the file is known again.
        dropped: proposals of a language model that were thrown away.
    """

    run: str
    lines: tuple[PlanLine, ...]
    scope: str | None = None
    since: str | None = None
    planned_at: str = ""
    anchors: tuple[str, ...] = ()
    dropped: int = field(default=0, metadata={"when": "dropped"})


@dataclass(frozen=True, slots=True)
class RefusedLine(JsonObject):
    """A line of a plan that was not done, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CacheAudit(JsonObject):
    """What an audit found: the sessions, and of all of them together the requests, the share, the
    drops by cause and their tokens."""

    sessions: tuple[CacheSession, ...]
    turns: int
    hit_ratio: float = field(metadata={"digits": 4})
    causes: dict[str, int]
    dropped_tokens: int
    errors: tuple[CacheFault, ...]
    cost: CacheCost | None = field(metadata={"when": "cost"})


@dataclass(frozen=True, slots=True)
class ConsolidateResult(JsonObject):
    """What applying a plan, or undoing a run, did.

    Args:
        run: names what was done, for undoing it.
        applied: ids of the lines that were done (undone).
        created: ids of the records that were made (erased).
    """

    run: str
    applied: tuple[str, ...]
    refused: tuple[RefusedLine, ...]
    probe: ProbeResult
    created: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimResult(JsonObject):
    """What looking at one claim of a record gave.

    Args:
        result: ``verified``, ``failed`` or ``unknown``.
        found_at: where it stands now; None where that is not known.
        reason: a Chinese sentence on why it is not verified, '' where it is.
        relocated: of a failed claim, the place it has moved to.
        evidence: what was looked at.
    """

    id: int
    kind: str
    claim: str
    result: str
    found_at: str | None
    reason: str
    relocated: str | None
    evidence: str


@dataclass(frozen=True, slots=True)
class PlannedFix(JsonObject):
    """What puts a record right whose claim stands elsewhere now.

    Args:
        act: ``supersede`` by a text that names the new place, or ``check`` where the text does not
            name the old one.
        checks: what can be looked at afterwards.
        new: the record that took over, None where none did (yet).
        done: whether it is written.
    """

    id: int
    act: str
    before: str
    after: str
    checks: tuple[Check, ...]
    reason: str
    new: int | None = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class VerifyResult(JsonObject):
    """What looking at claims gave: of how many of them what, one by one, and what would put the
    records right."""

    root: str
    verified: int
    failed: int
    unknown: int
    claims: tuple[ClaimResult, ...]
    plan: tuple[PlannedFix, ...] = ()
    originals: tuple[OriginalLooked, ...] = field(default=(), metadata={"when": "originals"})


@dataclass(frozen=True, slots=True)
class HostFile(JsonObject):
    """What setup did, or would do, with one file of a host.

    Args:
        changed: whether it is another one now.
        created: whether there was none before.
        backup: where the file as it was is kept; None where nothing was replaced.
        diff: unified; '' where nothing changed.
    """

    path: str
    changed: bool
    created: bool
    backup: str | None
    diff: str


@dataclass(frozen=True, slots=True)
class HostSetup(JsonObject):
    """A host set up, or brain taken out of it.

    Args:
        level: ``user`` or ``project``.
        removed: whether ours was to be taken out.
        dry_run: whether nothing was written.
        paste: what a person has to put in by hand, Chinese; '' for nothing.
    """

    host: str
    level: str
    files: tuple[HostFile, ...]
    removed: bool = False
    dry_run: bool = False
    paste: str = ""


@dataclass(frozen=True, slots=True)
class HostState(JsonObject):
    """How a host stands to brain on this machine.

    Args:
        found: whether the host is here.
        mcp: whether our server is in its configuration.
        hook: whether our hook is; None for a host that has none.
        answers: whether the server, started as configured, greets; None where none was started.
        readable: whether its files could be read.
        files: those of its files that are there.
    """

    host: str
    found: bool
    mcp: bool
    hook: bool | None
    answers: bool | None
    readable: bool
    files: tuple[str, ...]
