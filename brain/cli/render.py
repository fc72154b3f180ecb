"""Rendering of results as lines for people. Programs use ``--json``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from brain.cli.console import note, visible
from brain.memory import STALE, VERIFIED, Gate, Hit, LaneRank, Memory
from brain.text.prompt_injection import RULES
from brain.text.timestamps import local_time

if TYPE_CHECKING:
    from brain.results import HistoryEvent

LANES = {"lexical": "字面", "semantic": "语义", "quality": "质量", "evidence": "证据"}


def local_day(time: str | None) -> str:
    """The day of a stored time in the reader's zone; '' for none."""
    return "" if time is None else _local(time).date().isoformat()


def _local(time: str) -> datetime:
    moment = datetime.fromisoformat(time)
    try:
        return moment.astimezone()
    except (OverflowError, OSError, ValueError):
        # The years 1 and 9999 have no local time everywhere.
        return moment


NOTHING: frozenset[int] = frozenset()

LONGEST_LINE = 160
"""Characters of a memory on one line of a list."""

LONGEST_TEXT = 600
"""Characters of a hit's own text: five of them still fit on a screen or two."""


def _shortened(text: str, most: int, memory_id: int) -> str:
    """The head of a text that is longer, and how to see the rest."""
    if len(text) <= most:
        return visible(text)
    return f"{visible(text[:most].rstrip())} …（共 {len(text)} 字，全文：brain show {memory_id}）"


CAME_TO_NOTHING = {"prevented": "没有发生", "no_effect": "没有影响"}
"""What marks an outcome that did not come about."""


def memory_line(
    memory: Memory, corrected: Collection[int] = NOTHING, nothing: Mapping[int, str] | None = None
) -> str:
    """One memory on one line, its text shortened to the first line and that to ``LONGEST_LINE``.

    Args:
        corrected: ids of records that were corrected and not superseded, as far as is known.
    """
    first, _, rest = memory.text.strip().partition("\n")
    mark = f"  {CAME_TO_NOTHING[nothing[memory.id]]}" if nothing and memory.id in nothing else ""
    shown = _shortened(first, LONGEST_LINE, memory.id)
    more = " …" if rest and len(first) <= LONGEST_LINE else ""
    return f"{heading(memory, corrected)}{mark}  {shown}{more}"


def heading(memory: Memory, corrected: Collection[int] = NOTHING) -> str:
    """Id, kind, day and whatever sets this memory apart from a plain one."""
    parts = [f"#{memory.id}", memory.kind, local_day(memory.valid_from or memory.recorded_at)]
    if memory.scope:
        parts.append(f"范围 {visible(memory.scope)}")
    parts += [f"标签 {visible(tag)}" for tag in memory.tags]
    parts += states(memory, corrected)
    return "  ".join(parts)


STATES = {VERIFIED: "已核对", STALE: "已失效"}
"""What looking at a memory's claims gave; one that nobody has looked at has no mark."""


def states(memory: Memory, corrected: Collection[int] = NOTHING) -> list[str]:
    """What is particular about a memory's state, in words."""
    found = []
    if memory.pinned:
        found.append("已钉住")
    if memory.superseded_by is not None:
        how = "更正" if memory.id in corrected else "取代"
        found.append(f"已被 #{memory.superseded_by} {how}")
    if memory.valid_to is not None:
        found.append(f"有效至 {local_day(memory.valid_to)}")
    if memory.retracted_at is not None:
        found.append(f"{local_day(memory.retracted_at)} 撤回")
    if memory.archived_at is not None:
        found.append("已归档")
    if memory.state in STATES:
        found.append(STATES[memory.state])
    return found


def why_past(memory: Memory, corrected: Collection[int], now: str) -> str:
    """Why no question finds a record any more, as a Chinese predicate; '' where one may.

    Args:
        now: UTC ISO.
    """
    if memory.superseded_by is not None:
        how = "更正" if memory.id in corrected else "取代"
        return f"已被 #{memory.superseded_by} {how}"
    if memory.retracted_at is not None:
        return "已撤回"
    if memory.archived_at is not None:
        return "已归档"
    if memory.valid_to is not None and memory.valid_to <= now:
        return f"的有效期已过（至 {local_time(memory.valid_to)}）"
    return ""


def memory_lines(memory: Memory, corrected: Collection[int] = NOTHING) -> Iterator[str]:
    """Everything about one memory, its text whole."""
    yield heading(memory, corrected)
    yield visible(memory.text)
    yield ""
    yield (
        f"来源 {visible(memory.source)} · 重要 {memory.importance:g}"
        f" · 可信 {memory.confidence:.3g} · 强度 {memory.strength:.3g}"
    )
    since = "一直" if memory.valid_from is None else local_time(memory.valid_from)
    until = "" if memory.valid_to is None else f" 至 {local_time(memory.valid_to)}"
    yield f"生效 {since}{until} · 记于 {local_time(memory.recorded_at)}"
    if memory.supersedes is not None:
        how = "更正" if memory.supersedes in corrected else "取代"
        yield f"{how}了 #{memory.supersedes}"
    if memory.evidence:
        yield f"依据 {visible(memory.evidence)}"
    for check in memory.checks:
        yield f"核对 {check.kind} {visible(check.claim)}"
    if memory.verified_at is not None:
        yield f"上次成立 {local_time(memory.verified_at)}"


EVENTS = {
    "add": "记下",
    "superseded": "被取代",
    "supersedes": "取代旧的",
    "corrected": "被更正",
    "corrects": "更正旧的",
    "expire": "到期",
    "retract": "撤回",
    "restore": "恢复",
    "pin": "钉住",
    "unpin": "取消钉住",
    "confidence": "改可信度",
    "importance": "改重要度",
    "tag": "改标签",
    "forget": "遗忘",
    "unlink": "接上前后",
    "use": "用过",
    "useful": "说有用",
    "wrong": "说不对",
    "archive": "归档",
    "undecay": "撤销衰减",
    "merge": "合并",
    "undo": "撤销整理",
    "link": "记下一次观察",
    "unlink_observation": "撤回一次观察",
    "observed_earlier": "更早就见过",
    "verify": "核对",
}
"""What happened, in words; what is not here is shown as it is called."""


def event_line(event: HistoryEvent) -> str:
    """One event of a memory's history on one line."""
    named = "" if event.id is None else f"  #{event.id}"
    why = f"  原因：{visible(event.why)}" if event.why else ""
    return f"{local_time(event.at)}{named}  {EVENTS.get(event.what, event.what)}{why}"


def hit_lines(hit: Hit, explain: bool, nothing: Mapping[int, str] | None = None) -> Iterator[str]:
    """One hit: a heading, its text, a long one shortened, and with ``explain`` where each lane put
    it."""
    same = f"  与 #{hit.duplicate_of} 几乎相同" if hit.duplicate_of is not None else ""
    orders = f"  可疑：{RULES[hit.suspect_rule]}" if hit.suspect else ""
    mark = f"  {CAME_TO_NOTHING[nothing[hit.id]]}" if nothing and hit.id in nothing else ""
    yield heading(hit.memory) + mark + same + orders
    text = hit.text.strip("\n")
    # What is already cut to the passages that matter names its own way to the rest.
    most = LONGEST_TEXT if hit.recovery_handle is None else len(text)
    for line in _shortened(text, most, hit.memory.id).split("\n"):
        yield f"    {line}"
    if explain:
        strength = hit.memory.strength
        told = "；".join(_lane(name, lane, strength) for name, lane in hit.lanes.items())
        yield f"    依据：{told}"


def _lane(name: str, lane: LaneRank, strength: float) -> str:
    age = ""
    if lane.recency is not None and (lane.recency < 1.0 or strength < 1.0):
        age = f"，时近 ×{lane.recency:.2f}，强度 {strength:.2f}"
    told = f"{LANES.get(name, name)}第 {lane.rank}（{lane.score:.3f}{age}）"
    if lane.via is not None:
        told += f" 来自旧版 #{lane.via}"
    return f"{told} {visible(' '.join(lane.terms))}" if lane.terms else told


def gate_lines(gate: Gate) -> Iterator[str]:
    """The gate's answer and its reasons."""
    answer = "能回答" if gate.answerable else "不能回答"
    yield f"{answer}（概率 {gate.probability:.2f}）"
    for reason in gate.reasons:
        yield f"  · {visible(reason)}"
    if gate.ids:
        yield f"  · 依据 {ids(gate.ids)}"


def ids(numbers: Sequence[int]) -> str:
    """Ids as people type them."""
    return "、".join(f"#{number}" for number in numbers)


def size(count: int) -> str:
    """A number of bytes, readable."""
    if count < 1024:
        return f"{count} 字节"
    value = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1024:
            return f"{value:.1f} {unit}"
    return f"{value / 1024:.1f} TiB"


SENTENCES: Mapping[str, str] = {
    "no_model": "这个文件的向量模型在这台机器上用不了，只按字面检索；brain model list 会说怎么取得",
    "model_mismatch": "装着的模型和文件记下的不是同一个，只按字面检索；"
    "要换模型请运行 brain reembed --model 名字",
    "no_vec": "加载不了 sqlite-vec 扩展，只按字面检索",
    "no_trigram": "这个 SQLite 没有 trigram 分词器，词的一部分可能找不到",
    "index_damaged": "字词索引坏了，字面检索不全，结果多半只来自语义；请运行 brain doctor --repair",
    "uncalibrated": "这个模型没有校准过闸门，能不能答只看字面",
    "vectors_pending": "有些记忆还没有向量，按意思暂时找不到它们；"
    "运行 brain reembed --model 名字 补齐",
    "timeout": "语义检索没有在时限内完成，结果只来自字面检索",
}


def warn(codes: Sequence[str]) -> None:
    """Says on stderr, in one line, what was degraded; nothing when nothing was."""
    if codes:
        told = "；".join(SENTENCES.get(code, code) for code in codes)
        note(f"警告[{','.join(codes)}]: {told}。")
