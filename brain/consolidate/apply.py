"""Applying a plan: its lines in one transaction, those refused whose records have changed since.

Each function runs inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from brain.consolidate import stale
from brain.consolidate.plan import is_of
from brain.consolidate.proposal import changes, shown
from brain.errors import BrainError
from brain.lifecycle import lineage, supersede
from brain.maintenance import health_probe
from brain.memory import Draft, Memory
from brain.results import ConsolidateResult, Plan, PlanLine, ProbeResult, RefusedLine
from brain.store import claims, journal, links, memories, meta, probe, runs
from brain.store.runs import Run
from brain.text.restatement import key, loses, says_first
from brain.text.secrets import mask

if TYPE_CHECKING:
    from brain.lifecycle.supersede import Put
    from brain.store.memories import Record
    from brain.store.protocol import Transaction

_CALLED: Mapping[str, str] = {
    "importance": "重要度",
    "confidence": "可信度",
    "pinned": "钉住",
    "valid_from": "生效时间",
    "valid_to": "有效期",
    "retracted_at": "撤回",
    "supersedes": "前身",
    "superseded_by": "后继",
    "archived_at": "归档",
    "tags": "标签",
    "state": "核对的结果",
    "links": "观察",
}


def chosen(plan: Plan, only: Sequence[str]) -> list[PlanLine]:
    """The lines that are to be done.

    Args:
        only: their ids; empty for all.

    Raises:
        BrainError: ``brain_plan_invalid`` (65) for an id the plan does not have.
    """
    if not only:
        return list(plan.lines)
    unknown = [one for one in only if one not in {line.id for line in plan.lines}]
    if unknown:
        raise BrainError("brain_plan_invalid", f"计划里没有编号为 {unknown[0][:40]} 的行。")
    return [line for line in plan.lines if line.id in only]


def sift(
    db: Transaction, plan: Plan, lines: Iterable[PlanLine], only: Sequence[str]
) -> tuple[list[PlanLine], list[RefusedLine]]:
    """Which lines can be done, and why the others cannot.

    Raises:
        BrainError: ``brain_plan_foreign`` (65) for the plan of another file.
    """
    if not is_of(db, plan):
        raise BrainError(
            "brain_plan_foreign", "这份计划是另一个记忆文件的：里面的记录这里一条也没有。"
        )
    ready: list[PlanLine] = []
    refused: list[RefusedLine] = []
    for line in lines:
        told = _objection(db, line, line.id in only)
        if told:
            refused.append(RefusedLine(line.id, told))
        else:
            ready.append(line)
    return ready, refused


def _objection(db: Transaction, line: PlanLine, named: bool) -> str:
    """Why a line is not to be done, as a Chinese sentence; '' for nothing."""
    if line.confirm and not named:
        return "这一行要人来定：看过之后点名做它。"
    now = _now(db, line.records)
    for before in line.before:
        number = int(before["id"])
        if number not in now:
            return f"#{number} 已经遗忘或不在这个文件里。"
        differ = changes(before, now[number])
        if differ:
            told = "、".join(dict.fromkeys(_CALLED.get(name, name) for name in differ))
            return f"#{number} 在计划之后变了（{told}）。"
    records = memories.get_many(db, line.records)
    if line.text:
        about = records[line.records[0]]
        kind = line.kind if line.act == "remember" else about.kind
        same = memories.with_content(db, line.text, kind, about.scope)
        if any(one.id not in line.drop for one in same):
            return f"#{same[0].id} 说的已经是这句。"
    if line.act in ("merge", "skill") and not line.confirm:
        return _loss(line, records)
    if line.act == "stale":
        return _unseen(db, line, records, named)
    if line.act == "remember" and line.quote not in mask.masked(records[line.records[0]].text):
        return f"依据的那句话不在 #{line.records[0]} 里。"
    return ""


def _now(db: Transaction, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The records as a plan shows them, with the numbers of their current observations."""
    found = memories.get_many(db, ids)
    seen = [one for one in links.of(db, ids, 10**6) if one.retracted_at is None]
    return {
        i: shown(memory, [one.id for one in seen if i in (one.decision, one.outcome)])
        for i, memory in found.items()
    }


def _loss(line: PlanLine, records: Mapping[int, Memory]) -> str:
    """What a merge would lose, as a Chinese sentence; '' for nothing."""
    kept = line.text if line.keep is None else records[line.keep].text
    for number in line.drop:
        said = records[number].text
        lost = loses(kept, said)
        if lost:
            return f"合并会丢掉 #{number} 里的「{lost[0][:20]}」。"
        if line.keep is not None and key(kept) != key(said) and not says_first(kept, said):
            return f"#{number} 和 #{line.keep} 说的不是同一句话。"
    return ""


def _unseen(db: Transaction, line: PlanLine, records: Mapping[int, Memory], named: bool) -> str:
    """Why a stale record is not to be replaced so, as a Chinese sentence; '' for nothing."""
    (old,) = line.drop
    said = line.text if line.keep is None else records[line.keep].text
    if said and said != stale.rewritten(records[old], claims.of(db, [old])):
        return f"核对 #{old} 时看到的不是这样。"
    if not said and not named:
        return "这一行要人来定：看过之后点名做它。"
    return ""


def draft(line: PlanLine, records: Mapping[int, Memory]) -> Draft | None:
    """The record a line makes; None where it makes none."""
    if not line.text:
        return None
    source = line.source.removeprefix("llm:") if line.source != "rules" else ""
    if line.act == "remember":
        episode = records[line.records[0]]
        return Draft(
            line.text,
            line.kind,
            episode.scope,
            f"model:{source}" if source else f"chat:#{episode.id}",
            valid_from=episode.valid_from or "unknown",
            evidence=f"对话 #{episode.id}",
        )
    old = [records[i] for i in line.drop]
    if line.act == "stale":
        (one,) = old
        return Draft(
            line.text,
            one.kind,
            one.scope,
            one.source,
            one.importance,
            pinned=one.pinned,
            tags=one.tags,
        )
    starts = [m.valid_from for m in old]
    ends = [m.valid_to for m in old]
    return Draft(
        line.text,
        old[0].kind,
        old[0].scope,
        f"model:{source}" if source else old[0].source,
        max(m.importance for m in old),
        valid_from="unknown" if None in starts else min(s for s in starts if s),
        valid_to=None if None in ends else max(e for e in ends if e),
        pinned=any(m.pinned for m in old),
        tags=tuple(dict.fromkeys(tag for m in old for tag in m.tags)),
    )


def run(
    db: Transaction,
    facts: Mapping[str, Any],
    plan: Plan,
    lines: Sequence[PlanLine],
    refused: Sequence[RefusedLine],
    made: Mapping[str, tuple[Record, Put]],
    now: str,
    *,
    vectors: bool,
) -> ConsolidateResult:
    """Does lines of a plan, notes the run, and probes the file.

    Args:
        facts: the file's.
        lines: those that :func:`sift` has just let through.
        refused: those it has not.
        made: a line's id → the record it makes and what stores it.
        now: UTC ISO.
        vectors: whether sqlite-vec is here.

    Raises:
        BrainError: ``brain_probe_failed`` (74); the caller's transaction is to be undone then.
    """
    name = runs.free_name(db, plan.run)
    had = probe.sums(db, facts.get(meta.VECTORS))
    first = journal.last_number(db)
    done: list[str] = []
    created: list[int] = []
    left = list(refused)
    for line in lines:
        try:
            with probe.whole(db):
                new = _do(db, line, made.get(line.id), now, f"整理 {name} {line.id}")
        except BrainError as e:
            left.append(RefusedLine(line.id, e.message))
            continue
        done.append(line.id)
        created += new
    if not done:
        return ConsolidateResult(name, (), tuple(left), ProbeResult())
    last = journal.last_number(db)
    journal.write(db, now, None, "consolidate", "", {"run": [None, name]})
    runs.put(db, Run(name, now, first, last, tuple(done), tuple(created)))
    expected = replace(had, records=had.records + len(created))
    touched = [*created, *(i for line in lines if line.id in done for i in line.records)]
    found = health_probe.run(
        db, dict(facts), now, seed=name, vectors=vectors, expected=expected, first=touched
    )
    health_probe.require(found, "整理全部退回，记忆没有变")
    return ConsolidateResult(name, tuple(done), tuple(left), found, tuple(created))


def _do(
    db: Transaction, line: PlanLine, new: tuple[Record, Put] | None, now: str, why: str
) -> list[int]:
    """Does one line; gives the ids of the records it made."""
    known = memories.get_many(db, line.records)
    if new is not None:
        record, put = new
        same = lineage.find_duplicate(db, record, now)
        if same is not None:
            raise BrainError("brain_duplicate", f"#{same.id} 说的已经是这句。")
        if line.act == "stale":
            own = claims.of(db, line.drop)
            created = put(replace(record, claims=stale.carried(own)))
            lineage.link(db, known[line.drop[0]], created, str(created.valid_from), now, why)
            return [created.id]
        created = put(record)
        for number in line.drop:
            supersede.retract(db, number, now, why, force=False)
        return [created.id]
    if line.act == "archive":
        lineage.change(db, known[line.drop[0]], now, "archive", why, archived_at=now)
        return []
    if line.act == "stale" and line.keep is None:
        supersede.expire(db, line.drop[0], None, now, why, force=False)
        return []
    assert line.keep is not None
    if line.confirm or line.act == "stale":
        _take_over(db, [*line.drop, line.keep], now, why)
        return []
    for number in line.drop:
        _merge(db, lineage.require(db, line.keep), known[number], now, why)
    return []


def _merge(db: Transaction, kept: Memory, gone: Memory, now: str, why: str) -> None:
    """Lets a record stand for another that says the same: for its time as well, under its tags."""
    if key(kept.text) != key(gone.text) and _can_follow(gone, kept):
        # It said less, and said it earlier: that stays true of the time before.
        lineage.link(db, gone, kept, str(kept.valid_from), now, why)
        kept = lineage.require(db, kept.id)
        values: dict[str, object] = {}
    else:
        supersede.retract(db, gone.id, now, why, force=False)
        values = {
            "valid_from": _first(kept.valid_from, gone.valid_from),
            "valid_to": _last(kept.valid_to, gone.valid_to),
        }
    values["importance"] = max(kept.importance, gone.importance)
    values["confidence"] = max(kept.confidence, gone.confidence)
    lineage.change(db, kept, now, "merge", why, **values)
    file_under(db, kept, (*kept.tags, *gone.tags), now, "merge", why)


def file_under(
    db: Transaction, memory: Memory, tags: Sequence[str], now: str, what: str, why: str
) -> None:
    """Files a record under some tags and no others, and notes it in the journal."""
    after = tuple(dict.fromkeys(tags))
    if after != memory.tags:
        memories.set_tags(db, memory.id, after)
        detail = {"tags": [list(memory.tags), list(after)]}
        journal.write(db, now, memory.id, what, why, detail)


def _first(one: str | None, other: str | None) -> str | None:
    return None if one is None or other is None else min(one, other)


def _last(one: str | None, other: str | None) -> str | None:
    return None if one is None or other is None else max(one, other)


def _can_follow(old: Memory, new: Memory) -> bool:
    """Whether a record may supersede another at its own beginning."""
    free = old.superseded_by is None and new.supersedes is None
    return free and new.valid_from is not None and (old.valid_from or "") < new.valid_from


def _take_over(db: Transaction, line: Sequence[int], now: str, why: str) -> None:
    """Lets each record take over from the one before; where neither came first the older goes."""
    for old_id, new_id in pairwise(line):
        old, new = lineage.require(db, old_id), lineage.require(db, new_id)
        if _can_follow(old, new):
            lineage.link(db, old, new, str(new.valid_from), now, why)
        else:
            supersede.retract(db, old.id, now, why, force=False)
