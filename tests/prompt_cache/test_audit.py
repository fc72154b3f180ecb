"""Cache audit: drops and their causes, what is called healthy, and transcripts in any state."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from brain import Brain
from brain.ingest.files import LONGEST_LINE
from brain.inject import pack
from brain.prompt_cache.audit import CAUSES, MOST_SESSIONS, Watch, audit
from brain.prompt_cache.plot import spark
from brain.prompt_cache.usage import Turn
from brain.results import CacheAudit, CacheSession, Prices
from tests.support.engine import refused
from tests.support.transcripts import claude, claude_row, codex, codex_row, write


def audited(tmp_path: Path, *rows: object, **options: Any) -> CacheAudit:
    return audit([write(tmp_path / "t.jsonl", rows)], **options)


def only(found: CacheAudit) -> CacheSession:
    (session,) = found.sessions
    return session


def causes(found: CacheAudit) -> list[tuple[int, int, str]]:
    return [(d.turn, d.tokens, d.cause) for one in found.sessions for d in one.drops]


A, B, STANDING = (
    f"⟦记忆⟧ 以下是这份记忆的概览和常驻笔记，仅供参考。\n#1 [preference 置信0.95] {text}\n⟦/记忆⟧"
    for text in ("先给结论", "先给理由", "无")
)
ASKED = f"{pack.OPENING}\n#7 [note 置信0.95] 值班群\n{pack.CLOSING}"
HOOKED = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": B}}
DELTA = {"type": "deferred_tools_delta", "removedNames": []}

BETWEEN: dict[str, tuple[list[dict[str, Any]], str]] = {
    "nothing": ([], "unexpected"),
    "compacted": ([claude_row("system", subtype="compact_boundary")], "compaction"),
    "summed up": ([claude_row("user", isCompactSummary=True)], "compaction"),
    "another brief": ([claude_row("user", message={"role": "user", "content": B})], "memory"),
    "another brief by a hook": (
        [claude_row("attachment", attachment={"type": "hook_additional_context", "content": [B]})],
        "memory",
    ),
    "another brief in what a hook printed": (
        [claude_row("attachment", attachment={"stdout": json.dumps(HOOKED, ensure_ascii=False)})],
        "memory",
    ),
    "the same brief": ([claude_row("user", message={"content": A})], "unexpected"),
    "the block of a question": ([claude_row("user", message={"content": ASKED})], "unexpected"),
    "a brief that a tool read": (
        [claude_row("user", message={"content": [{"type": "tool_result", "content": B}]})],
        "unexpected",
    ),
    "a brief the model wrote": (
        [claude_row("assistant", message={"role": "assistant", "content": B})],
        "unexpected",
    ),
    "a tool more": ([claude_row("attachment", attachment={**DELTA, "addedNames": ["x"]})], "tools"),
    "no tool more": (
        [claude_row("attachment", attachment={**DELTA, "addedNames": []})],
        "unexpected",
    ),
    "other tools": ([claude_row("system", subtype="init", tools=["Bash", "Edit"])], "tools"),
    "a brief and a tool": (
        [
            claude_row("user", message={"content": B}),
            claude_row("system", subtype="init", tools=["Bash"]),
        ],
        "memory",
    ),
}


@pytest.mark.parametrize("what", list(BETWEEN))
def test_a_drop_has_the_cause_that_lies_between(tmp_path: Path, what: str) -> None:
    between, cause = BETWEEN[what]
    found = audited(
        tmp_path,
        claude_row("user", message={"content": f"你好\n\n{A}"}),
        claude_row("system", subtype="init", tools=["Bash", "Read"]),
        claude(0, 0, 30_000),
        claude(1, 30_000, 500),
        *between,
        claude(2, 9_000, 22_000),
        claude(3, 31_000, 200),
    )
    assert causes(found) == [(3, 21_000, cause)]
    assert found.causes == {name: int(name == cause) for name in CAUSES}
    assert only(found).healthy is (None if cause == "compaction" else False)


@pytest.mark.parametrize(
    ("gap", "model", "hour", "life", "cause"),
    [
        (4, "claude-opus-4-5", False, None, "unexpected"),
        (6, "claude-opus-4-5", False, None, "idle"),
        (6, "claude-opus-4-5", True, None, "unexpected"),
        (61, "claude-opus-4-5", True, None, "idle"),
        (6, "claude-opus-4-5", False, 600.0, "unexpected"),
        (11, "claude-opus-4-5", True, 600.0, "idle"),
        (1, "claude-haiku-4-5", False, None, "model"),
        (600, "claude-haiku-4-5", False, None, "model"),
    ],
)
def test_models_and_long_silences(
    tmp_path: Path, gap: float, model: str, hour: bool, life: float | None, cause: str
) -> None:
    rows = [claude(0, 0, 30_000, hour=hour), claude(1, 30_000, 100, hour=hour)]
    found = audited(tmp_path, *rows, claude(1 + gap, 0, 30_100, model=model), life=life)
    assert causes(found) == [(3, 30_000, cause)]
    assert only(found).drops[0].detail or cause == "unexpected"


def test_codex(tmp_path: Path) -> None:
    meta = codex_row("session_meta", id="c1", instructions=f"系统\n{A}")
    context = codex_row("turn_context", model="gpt-5.4")
    found = audited(
        tmp_path,
        meta,
        context,
        codex_row("event_msg", type="token_count", info=None),
        codex(1, 20_000, 0),
        codex(2, 20_500, 19_968),
        codex(2.1, 20_500, 19_968, total=2),  # the rate limits alone have changed
        codex_row("compacted", message="…"),
        codex(3, 9_000, 4_096),
        codex_row("turn_context", model="gpt-5.4-mini"),
        codex(4, 9_500, 0),
        codex(5, 9_600, 9_472),
        codex(30, 9_700, 0),
        codex(31, 9_800, 9_600),
        codex_row("response_item", type="message", role="developer", content=[{"text": B}]),
        codex(32, 9_900, 3_000),
        codex(33, 9_900, 9_800),
        codex(34, 9_900, 7_801),
        codex(35, 9_900, 5_801),
    )
    session = only(found)
    assert (session.id, session.host, session.turns) == ("c1", "codex", 11)
    assert causes(found) == [
        (3, 15_872, "compaction"),
        (4, 4_096, "model"),
        (6, 9_472, "idle"),
        (8, 6_600, "memory"),
        (11, 2_000, "unexpected"),
    ]
    assert session.read + session.written + session.fresh == sum(
        (20_000, 20_500, 9_000, 9_500, 9_600, 9_700, 9_800, *[9_900] * 4)
    )


def test_a_message_of_several_lines_and_a_resumed_session_count_once(tmp_path: Path) -> None:
    rows = [claude(0, 0, 9_000), claude(0, 0, 9_000), claude(1, 9_000), claude(2, 9_000)]
    first = write(tmp_path / "a.jsonl", rows)
    resumed = [{**row, "sessionId": "s2"} for row in rows] + [claude(3, 9_000, session="s2")]
    second = write(tmp_path / "b.jsonl", resumed)
    found = audit([first, second, first])
    assert [(one.id, one.turns) for one in found.sessions] == [("s1", 3), ("s2", 1)]
    assert found.turns == 4


def test_a_subagent_has_a_prompt_of_its_own(tmp_path: Path) -> None:
    found = audited(
        tmp_path,
        claude(0, 0, 30_000),
        claude(1, 30_000),
        claude(1.5, 0, 4_000, isSidechain=True, agentId="a7"),
        claude(1.6, 4_000, 0, isSidechain=True, agentId="a7"),
        claude(2, 30_000),
    )
    assert [(one.id, one.turns) for one in found.sessions] == [("s1", 3), ("s1/a7", 2)]
    assert causes(found) == []


HEALTH: dict[str, tuple[list[dict[str, Any]], bool | None]] = {
    "works": ([claude(n, 20_000 + n * 100, 100) for n in range(6)], True),
    "flat and none": ([claude(n, 0, 0, 20_000) for n in range(6)], False),
    "flat and tiny": ([claude(n, 1_500, 0, 20_000) for n in range(6)], False),
    "written and never read": ([claude(n, 0, 20_000) for n in range(6)], False),
    "too few": ([claude(n, 0, 0, 20_000) for n in range(3)], None),
    "too short to be cached": ([claude(n, 0, 0, 500) for n in range(9)], None),
    "works but for a pause": (
        [claude(n + 30 * (n > 3), 0 if n in (0, 4) else 20_000, 100) for n in range(9)],
        True,
    ),
    "broken once": ([claude(n, 3_000 if n == 4 else 20_000, 100) for n in range(9)], False),
}


@pytest.mark.parametrize("what", list(HEALTH))
def test_a_ratio_is_not_healthy_by_being_steady(tmp_path: Path, what: str) -> None:
    rows, healthy = HEALTH[what]
    session = only(audited(tmp_path, *rows))
    assert session.healthy is healthy
    assert session.remark


def test_money(tmp_path: Path) -> None:
    rows = [claude(0, 0, 100_000, 0), claude(1, 100_000, 0, 0), claude(2, 0, 0, 100_000)]
    cost = audited(tmp_path, *rows, prices=Prices(3.0, 0.3, 3.75)).cost
    assert cost is not None
    told = {"spent": 0.705, "without_cache": 0.9, "saved": 0.195, "lost_to_drops": 0.345}
    assert cost.to_dict() == told
    same = audited(tmp_path, *rows, prices=Prices(3.0, 0.3)).cost
    assert same is not None
    assert same.spent == pytest.approx(0.63)
    assert "cost" not in audited(tmp_path, *rows).to_dict()


def test_the_fingerprint_of_a_drop_is_that_of_the_brief(tmp_path: Path, brain: Brain) -> None:
    brain.add("回答先给结论", kind="preference")
    first = brain.brief()
    brain.add("回答不用客套", kind="preference")
    second = brain.brief()
    found = audited(
        tmp_path,
        claude_row("user", message={"content": first.block}),
        *(claude(n, 20_000) for n in range(3)),
        claude_row("user", message={"content": brain.inject("回答", with_brief=True).block}),
        claude(4, 100, 20_000),
    )
    (drop,) = only(found).drops
    assert drop.cause == "memory"
    assert drop.detail == f"brief {first.fingerprint} → {second.fingerprint}"


# A transcript in any state -----------------------------------------------------------------------

GOOD = [claude(n, 20_000, 10) for n in range(4)]


def test_cut_in_the_middle_of_a_line(tmp_path: Path) -> None:
    text = json.dumps(GOOD[3], ensure_ascii=False)
    for cut in (1, 20, len(text) // 2, len(text) - 1):
        path = write(tmp_path / "cut.jsonl", [*GOOD[:3], text[:cut]], end="")
        found = audit([path])
        assert found.turns == 3
        assert [(e.file, e.line) for e in found.errors] == [(str(path), 4)]
        assert "没有写完" in found.errors[0].reason


def test_gbk_compressed_and_folders(tmp_path: Path) -> None:
    said = claude_row("user", message={"content": "这个项目的部署流程是什么，谁来值班" + A})
    folder = tmp_path / "p"
    folder.mkdir()
    write(folder / "gbk.jsonl", [said, *GOOD], "gb18030")
    packed = write(tmp_path / "x", [claude(n, 9_000, session="s2") for n in range(3)])
    (folder / "z.jsonl.gz").write_bytes(gzip.compress(packed.read_bytes()))
    (folder / "notes.md").write_text("# 笔记", encoding="utf-8")
    (folder / "other.jsonl").write_text('{"text": "别的"}\n', encoding="utf-8")
    found = audit([folder])
    assert [(one.id, one.turns) for one in found.sessions] == [("s1", 4), ("s2", 3)]
    assert [Path(e.file).name for e in found.errors] == ["other.jsonl"]


def test_a_huge_line_costs_itself_alone(tmp_path: Path) -> None:
    huge = claude_row("user", message={"content": "长" * LONGEST_LINE})
    found = audited(tmp_path, *GOOD[:2], huge, *GOOD[2:])
    assert found.turns == 4
    assert [e.line for e in found.errors] == [3]


ODD: list[object] = [None, True, -5, 1e99, "9000", [], {}, 10**30]


def test_any_value_anywhere(tmp_path: Path) -> None:
    rows: list[object] = list(GOOD)
    for value in ODD:
        for name in ("cache_read_input_tokens", "input_tokens", "cache_creation"):
            row = json.loads(json.dumps(claude(len(rows), 100)))
            row["message"]["usage"][name] = value
            rows.append(row)
        for name in ("timestamp", "message", "sessionId", "type", "attachment", "tools"):
            rows.append({**claude(len(rows), 100), name: value})
        row = codex(len(rows), 100, 50)
        for name in ("info", "type"):
            rows.append({**row, "payload": {**row["payload"], name: value}})
        info = {"last_token_usage": value}
        rows.append({**row, "payload": {"type": "token_count", "info": info}})
        rows.append(value if not isinstance(value, str) else json.dumps(value))
    found = audited(tmp_path, *rows)
    assert found.turns >= 4
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "data", "code", "exit_code"),
    [
        ("notes.md", "# 笔记\n没有用量".encode(), "brain_transcript_invalid", 65),
        ("empty.jsonl", b"", "brain_transcript_invalid", 65),
        ("other.jsonl", b'{"text": "x"}\n[1]\n', "brain_transcript_invalid", 65),
        ("half.jsonl", b'{"type": "assis', "brain_transcript_invalid", 65),
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "brain_ingest_encoding", 65),
        ("broken.jsonl.gz", b"\x1f\x8b\x08\x00broken", "brain_ingest_unreadable", 74),
        (None, b"", "brain_ingest_missing", 66),
    ],
)
def test_what_is_no_transcript_is_refused(
    tmp_path: Path, name: str | None, data: bytes, code: str, exit_code: int
) -> None:
    path = tmp_path / (name or "nowhere.jsonl")
    if name:
        path.write_bytes(data)
    refused(code, exit_code, lambda: audit([path]))
    if name:
        good = write(tmp_path / "good.jsonl", GOOD)
        refused(code, exit_code, lambda: audit([good, path]))
    empty = tmp_path / "folder"
    empty.mkdir()
    refused("brain_transcript_invalid", 65, lambda: audit([empty]))


def test_a_transcript_without_usage_has_no_session(tmp_path: Path) -> None:
    found = audited(tmp_path, claude_row("user", message={"content": "你好"}))
    assert (found.sessions, found.turns, found.hit_ratio) == ((), 0, 0.0)


# Plot and server ----------------------------------------------------------------------------------


def test_a_line_of_marks_hides_no_drop() -> None:
    assert spark([0.0, 0.5, 1.0]) == "▁▅█"
    long = [1.0] * 1000
    long[421] = 0.0
    assert spark(long).count("▁") == 1
    assert len(spark(long)) <= 60
    assert spark([]) == ""


def test_a_server_forgets_old_sessions() -> None:
    watch = Watch()
    assert watch.note("一", Turn(read=9_000, fresh=1)) == (1, None)
    number, drop = watch.note("一", Turn(read=0, fresh=9_001))
    assert number == 2
    assert drop is not None
    assert drop.cause == "unexpected"
    for n in range(MOST_SESSIONS):
        watch.note(f"别的{n}", Turn(fresh=1))
    assert watch.note("一", Turn(read=0, fresh=1)) == (1, None)
