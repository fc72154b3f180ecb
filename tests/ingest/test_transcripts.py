"""Agents' transcripts as their hosts write them: every word a person typed, once, rightly dated."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import Brain
from brain.embed.protocol import Embedder
from brain.ingest.chat import PASSAGE, Talk, Turn, marked, turn_passages
from brain.memory import Memory
from brain.store.sql import rows
from tests.support.engine import EVERYDAY, Make, refused
from tests.support.hermes import Hermes, asked

AT = datetime(2026, 11, 20, 2, 0, tzinfo=UTC)


def live(brain: Brain) -> list[Memory]:
    return brain.list(limit=None)[::-1]


def texts(brain: Brain) -> str:
    return "\n".join(m.text for m in live(brain))


def written(path: Path, rows: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8"
    )
    return path


def stamp(minutes: float = 0) -> str:
    return (AT + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


def claude(role: str, text: str, n: int, minutes: float | None = None, **more: Any) -> Any:
    said: dict[str, Any] = {"role": role, "content": text, **more.pop("message", {})}
    return {
        "type": role,
        "uuid": f"7d1f0000-0000-4000-8000-{n:012}",
        "sessionId": "s",
        "timestamp": stamp(n if minutes is None else minutes),
        "message": said,
        **more,
    }


def queued(what: str, text: str | None = None, **more: Any) -> Any:
    content = {} if text is None else {"content": text}
    return {"type": "queue-operation", "operation": what, "timestamp": stamp(2), **content, **more}


def attached(prompt: Any, **more: Any) -> Any:
    inner = {"type": "queued_command", "prompt": prompt, **more}
    return {"type": "attachment", "timestamp": stamp(2), "attachment": inner}


ASKED = claude("user", "导出报表按月汇总", 1)
ANSWERED = claude("assistant", "已经按月汇总。", 3)
QUEUED = "记得金额列保留两位小数"


@pytest.mark.parametrize(
    "rows",
    [
        [queued("enqueue", QUEUED), attached(QUEUED)],
        [queued("enqueue", QUEUED), queued("remove", QUEUED, reason="absorbed_mid_turn")],
        [queued("enqueue", QUEUED), queued("remove", QUEUED), attached(QUEUED)],
        [queued("enqueue", QUEUED), attached(QUEUED), queued("remove", QUEUED)],
        [attached([{"type": "text", "text": QUEUED}, {"type": "image", "source": {}}])],
        [attached(QUEUED, commandMode="prompt", origin={"kind": "human"})],
        [queued("enqueue", QUEUED), queued("dequeue"), claude("user", QUEUED, 2)],
        [queued("enqueue", QUEUED), queued("remove", QUEUED), claude("user", QUEUED, 2)],
        [queued("enqueue", QUEUED)],
    ],
    ids=range(9),
)
def test_a_prompt_typed_while_the_host_was_busy_is_kept_once(
    brain: Brain, tmp_path: Path, rows: list[Any]
) -> None:
    brain.ingest(written(tmp_path / "s.jsonl", [ASKED, *rows, ANSWERED]))
    assert texts(brain).count(QUEUED) == 1
    assert f"用户：{QUEUED}" in texts(brain)


@pytest.mark.parametrize(
    "rows",
    [
        [queued("enqueue", QUEUED), queued("popAll")],
        [attached(f"<task-notification>\n<result>{QUEUED}</result>\n</task-notification>")],
        [attached(QUEUED, commandMode="task-notification")],
        [attached(QUEUED, origin={"kind": "peer"})],
        [claude("user", QUEUED, 2, origin={"kind": "task-notification"})],
        [claude("assistant", QUEUED, 2, isApiErrorMessage=True)],
        [claude("assistant", QUEUED, 2, message={"model": "<synthetic>"})],
    ],
    ids=range(7),
)
def test_what_nobody_said_is_not_taken_for_it(
    brain: Brain, tmp_path: Path, rows: list[Any]
) -> None:
    brain.ingest(written(tmp_path / "s.jsonl", [ASKED, *rows, ANSWERED]))
    assert QUEUED not in texts(brain)
    assert "按月汇总" in texts(brain)


def test_the_same_words_queued_twice_were_said_twice(brain: Brain, tmp_path: Path) -> None:
    twice = [queued("enqueue", QUEUED), queued("remove", QUEUED), attached(QUEUED), ANSWERED] * 2
    for n, row in enumerate(twice):
        if row is ANSWERED:
            twice[n] = claude("assistant", f"第{n}次改好了。", 10 + n)
    brain.ingest(written(tmp_path / "s.jsonl", [ASKED, *twice]))
    assert texts(brain).count(QUEUED) == 2


# Once ------------------------------------------------------------------------------------------

SHARED = [
    claude("user", "周报模板是几栏", 1),
    claude("assistant", "三栏：进展、风险、计划。", 2),
    claude("user", "栏目的顺序能换吗", 3),
    claude("assistant", "能，改模板第二行。", 4),
]
MORE = [claude("user", "那就把风险放最前", 5), claude("assistant", "放好了。", 6)]
OTHER = [claude("user", "再加一栏求助", 7), claude("assistant", "加好了。", 8)]


def renamed(rows: list[Any], start: int) -> list[Any]:
    """The same turns with other ids and stamps, as some hosts copy them."""
    return [
        {**row, "uuid": f"{start + n:08}-aaaa-4000-8000-000000000000", "timestamp": stamp(9000 + n)}
        for n, row in enumerate(rows)
    ]


@pytest.mark.parametrize("copied", ["same ids", "other ids and stamps"])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_forked_session_stores_only_what_is_its_own(
    brain: Brain, tmp_path: Path, copied: str, at_once: bool
) -> None:
    fork = SHARED if copied == "same ids" else renamed(SHARED, 5)
    # The copy comes first by its name.
    first = written(tmp_path / "p" / "zzz.jsonl", [*SHARED, *MORE])
    if not at_once:
        brain.ingest(first)
    second = written(tmp_path / "p" / "aaa.jsonl", [*fork, *OTHER])
    brain.ingest(first.parent if at_once else second)
    told = texts(brain)
    assert [told.count(t) for t in ("三栏", "改模板", "风险放最前", "一栏求助")] == [1, 1, 1, 1]
    (original,) = [m for m in live(brain) if "三栏" in m.text]
    if copied != "same ids":
        assert original.valid_from == stamp(1).replace("Z", ".000Z")
    again = brain.ingest(first.parent)
    assert (again.added, again.superseded, again.retracted) == (0, 0, 0)


def test_a_part_of_a_session_in_another_file_is_known_by_its_ids(
    brain: Brain, tmp_path: Path
) -> None:
    brain.ingest(written(tmp_path / "a.jsonl", SHARED))
    brain.ingest(written(tmp_path / "b.jsonl", [*SHARED[2:], *MORE]))
    assert [texts(brain).count(t) for t in ("三栏", "改模板", "风险放最前")] == [1, 1, 1]


def test_two_sessions_that_begin_alike_are_two(brain: Brain, tmp_path: Path) -> None:
    begin = "今天先做哪一件事"
    one = [claude("user", begin, 1), claude("assistant", "先修登录。", 2)]
    two = [claude("user", begin, 11), claude("assistant", "先写发版说明。", 12)]
    written(tmp_path / "p" / "a.jsonl", one)
    written(tmp_path / "p" / "b.jsonl", two)
    brain.ingest(tmp_path / "p")
    assert texts(brain).count(begin) == 2


def test_a_branch_of_hermes_stores_only_what_is_its_own(brain: Brain, tmp_path: Path) -> None:
    hermes = Hermes(tmp_path / "state.db")
    hermes.say("one", *asked("周报模板是几栏", "三栏：进展、风险、计划"))
    brain.ingest(hermes.path)
    hermes.say("two", *asked("周报模板是几栏", "三栏：进展、风险、计划"))
    hermes.say("two", *asked("再加一栏求助", "加好了"))
    brain.ingest(hermes.path)
    assert [texts(brain).count(t) for t in ("三栏", "一栏求助")] == [1, 1]


def test_a_dry_run_foresees_it(brain: Brain, tmp_path: Path) -> None:
    written(tmp_path / "p" / "a.jsonl", SHARED)
    written(tmp_path / "p" / "b.jsonl", [*SHARED, *OTHER])
    planned = brain.ingest(tmp_path / "p", dry_run=True)
    done = brain.ingest(tmp_path / "p")
    assert (planned.added, planned.skipped) == (done.added, done.skipped)


# Dated ------------------------------------------------------------------------------------------


def test_an_episode_ends_where_the_day_does(brain: Brain, tmp_path: Path) -> None:
    rows = [
        claude("user", "网关的超时设成三十秒", 1, -19 * 24 * 60),
        claude("assistant", "设好了。", 2, -19 * 24 * 60 + 1),
        claude("user", "今天把网关迁到新机房了", 3, 0),
        claude("assistant", "记下了，旧机房留一周。", 4, 1),
    ]
    brain.ingest(written(tmp_path / "s.jsonl", rows))
    days = {m.text.split("\n")[0]: m.valid_from for m in live(brain)}
    assert days == {
        "用户：网关的超时设成三十秒": "2026-11-01T02:00:00.000Z",
        "用户：今天把网关迁到新机房了": "2026-11-20T02:00:00.000Z",
    }
    assert "今天=2026-11-20" in brain.inject("网关迁到哪里了").block
    assert "11-01" not in brain.inject("网关迁到哪里了").block.partition("新机房")[2][:60]


def test_an_answer_soon_after_midnight_stays_with_its_question(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    late = 14 * 60 - 2  # 23:58 there
    rows = [
        claude("user", "备份放在哪台机器上", 1, late),
        claude("assistant", "放在北边那台。", 2, late + 5),
    ]
    brain.ingest(written(tmp_path / "s.jsonl", rows))
    assert len(live(brain)) == 1


# What hosts do to files --------------------------------------------------------------------------

CODEX = [
    {"timestamp": stamp(), "type": "session_meta", "payload": {"id": "x1", "cwd": "/w"}},
    *(
        {
            "timestamp": stamp(n),
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": role,
                "content": [
                    {"type": f"{'in' if role == 'user' else 'out'}put_text", "text": part}
                    for part in parts
                ],
            },
        }
        for n, (role, parts) in enumerate(
            [
                ("user", ["# AGENTS.md instructions for /w\n\n没有闭合的旧写法，迁移只许加列"]),
                (
                    "user",
                    ["# AGENTS.md instructions for /w\n\n规矩", "把优惠券的过期时间改成按自然月算"],
                ),
                ("assistant", ["改好了，按自然月算。"]),
                ("user", ["<turn_aborted>\n停了\n</turn_aborted>"]),
                ("user", ["<skill>\n<name>发版</name>\n先跑冒烟\n</skill>"]),
            ]
        )
    ),
]
WANTED = "用户：把优惠券的过期时间改成按自然月算\n助手：改好了，按自然月算。"


def test_a_rollout_is_its_real_turns(brain: Brain, tmp_path: Path) -> None:
    brain.ingest(written(tmp_path / "rollout-1.jsonl", CODEX))
    assert [m.text for m in live(brain)] == [WANTED]


def test_turns_taken_back_and_subagents_are_left_out(brain: Brain, tmp_path: Path) -> None:
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    later = [
        {**row, "payload": {**row["payload"], "content": [{"type": "input_text", "text": text}]}}
        for row, text in ((CODEX[2], "先不要动数据库"), (CODEX[3], "好，不动数据库。"))
    ]
    brain.ingest(written(tmp_path / "rollout-1.jsonl", [*CODEX, *later, back]))
    assert [m.text for m in live(brain)] == [WANTED]
    meta = {"type": "session_meta", "payload": {"id": "y", "source": {"subagent": "review"}}}
    brain.ingest(written(tmp_path / "rollout-2.jsonl", [meta, *later]))
    assert "数据库" not in texts(brain)


@pytest.mark.parametrize("ending", [".zst", ".gz"])
def test_a_rollout_its_host_compressed_later_is_the_same(
    brain: Brain, tmp_path: Path, ending: str
) -> None:
    path = written(tmp_path / "rollout-1.jsonl", CODEX)
    data = path.read_bytes()
    if ending == ".gz":
        packed = gzip.compress(data)
    else:
        packed = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    whole = tmp_path / "old" / f"rollout-1.jsonl{ending}"
    whole.parent.mkdir()
    whole.write_bytes(packed)
    assert brain.ingest(whole).added == 1
    assert [m.text for m in live(brain)] == [WANTED]
    # The folder as it was before and after.
    assert brain.ingest(path).added == 0
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / f"rollout-1.jsonl{ending}").write_bytes(packed)
    (tmp_path / "both" / "rollout-1.jsonl").write_bytes(data)
    assert brain.ingest(tmp_path / "both").added == 0
    whole.write_bytes(packed[: len(packed) // 2])
    refused("brain_ingest_unreadable", 74, lambda: brain.ingest(whole, "codex"))


def test_without_what_reads_zstd_it_says_what_to_install(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import brain.ingest.files as files

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(files, "import_module", missing)
    path = tmp_path / "p" / "rollout-1.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    error = refused("brain_ingest_zstd", 69, lambda: brain.ingest(path))
    assert "brain-memory[zstd]" in error.message
    written(path.parent / "rollout-2.jsonl", CODEX)
    done = brain.ingest(path.parent)
    assert (done.added, [e.file for e in done.errors]) == (1, ["rollout-1.jsonl.zst"])


def test_a_line_being_written_is_read_next_time(brain: Brain, tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", SHARED[:2])
    line = json.dumps(SHARED[2], ensure_ascii=False).encode()
    whole = path.read_bytes()
    path.write_bytes(whole + line[: line.index("顺序".encode()) + 4])  # within a character
    done = brain.ingest(path)
    assert [e.line for e in done.errors] == [3]
    assert "还没有写完" in done.errors[0].reason
    path.write_bytes(whole + line + b"\n")
    assert brain.ingest(path).failed == 0
    assert "栏目的顺序能换吗" in texts(brain)


@pytest.mark.parametrize("bad", ['"\\ud83d"', '"\\udc00"'])
def test_an_unpaired_surrogate_costs_a_character(brain: Brain, tmp_path: Path, bad: str) -> None:
    row = json.dumps(claude("user", "X投影仪接口松了", 1), ensure_ascii=False)
    path = tmp_path / "s.jsonl"
    path.write_text(row.replace("X", bad.strip('"')) + "\n", encoding="utf-8")
    assert brain.ingest(path).failed == 0
    assert "\ufffd投影仪接口松了" in texts(brain)
    raw = row.replace("X", "\ud83d").encode("utf-8", "surrogatepass").replace(b'"uuid"', b'"u"')
    (tmp_path / "t.jsonl").write_bytes(raw.replace("松了".encode(), "脱了".encode()) + b"\n")
    assert brain.ingest(tmp_path / "t.jsonl").failed == 0
    assert "\ufffd投影仪接口脱了" in texts(brain)


# OpenClaw ----------------------------------------------------------------------------------------


def openclaw(role: str, text: str, n: int, **more: Any) -> Any:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": f"{n:08x}", "timestamp": stamp(n), "message": message, **more}


HEAD = {"type": "session", "version": 3, "id": "o", "timestamp": stamp()}


def test_a_session_of_heartbeats_is_nothing(brain: Brain, tmp_path: Path) -> None:
    rows = [
        openclaw("user", "Read HEARTBEAT.md if it exists … reply HEARTBEAT_OK.", 1),
        openclaw("assistant", "HEARTBEAT_OK", 2),
        openclaw("user", "[OpenClaw heartbeat poll]", 3),
        openclaw("user", "System: [2026-06-10 11:40:00 GMT+8] Exec completed (a, code 0) :: ok", 4),
        openclaw("assistant", "NO_REPLY", 5),
        openclaw("user", "随便什么", 6, provenance={"kind": "internal_system"}),
    ]
    brain.ingest(written(tmp_path / "o.jsonl", [HEAD, *rows]))
    assert live(brain) == []
    said = openclaw("user", "[Fri 2026-11-20 10:09 GMT+8] 周五的分享改到三楼会议室", 9)
    brain.ingest(written(tmp_path / "o2.jsonl", [HEAD, *rows, said]))
    assert [m.text for m in live(brain)] == ["用户：周五的分享改到三楼会议室"]
    assert "HEARTBEAT" not in brain.inject("周五的分享在哪个会议室").block


# Erased ------------------------------------------------------------------------------------------

SECRET = "我妈的住院号是柒柒叁壹"


def grown(path: Path, turns: int) -> Path:
    rows = [claude("user", SECRET, 1), claude("assistant", "记住了。", 2)]
    rows += [
        claude("user" if n % 2 else "assistant", f"第{n}句说的是探视时间", n)
        for n in range(3, 3 + turns)
    ]
    return written(path, rows)


def test_forgetting_a_grown_episode_takes_its_earlier_versions(make: Make, tmp_path: Path) -> None:
    brain = make("b.db")
    for turns in (0, 2, 4):
        brain.ingest(grown(tmp_path / "s.jsonl", turns))
    (now,) = live(brain)
    assert now.id == 3
    done = brain.forget(now.id)
    assert (done.id, done.versions) == (3, (1, 2))
    assert done.to_dict()["versions"] == [1, 2]
    assert SECRET.encode() not in (tmp_path / "b.db").read_bytes()
    assert brain.stats().total == 0
    # The session goes on; what was erased stays so, and what is new comes in.
    brain.ingest(grown(tmp_path / "s.jsonl", 6))
    assert SECRET not in texts(brain)
    assert "第8句" in texts(brain)
    brain.ingest(grown(tmp_path / "s.jsonl", 8))
    assert SECRET not in texts(brain)
    assert "第10句" in texts(brain)
    assert texts(brain).count("第8句") == 1
    # Nor does a copy of the session bring it back.
    brain.ingest(grown(tmp_path / "fork.jsonl", 8))
    assert SECRET not in texts(brain)


def test_no_version_of_a_grown_episode_is_left_anywhere(make: Make, tmp_path: Path) -> None:
    """Each of them as the record itself: other wholes that hold one are named, no hash is kept."""
    brain = make("b.db")
    brain.ingest(grown(tmp_path / "s.jsonl", 0))
    (first,) = live(brain)
    rest = "\n".join(f"第{n}行：巡检正常。" for n in range(300))
    kept = brain.compress(f"{first.text}\n{rest}").handle
    brain.backup(tmp_path / "old.db")
    aside = brain.restore_backup(tmp_path / "old.db").kept
    brain.close()
    brain = make("b.db")
    brain.ingest(grown(tmp_path / "s.jsonl", 2))
    (now,) = live(brain)
    taken = "SELECT key, digest, memory_id FROM taken"
    with brain._store.read() as db:
        before = rows(db, taken)
    done = brain.forget(now.id)
    assert done.versions == (first.id,)
    assert done.originals == (kept,)
    assert done.copies == (aside,)
    with brain._store.read() as db:
        after = rows(db, taken)
    assert len(after) == len(before)
    gone = [row for row in before if row[2] is not None]
    assert gone
    assert not {row[1] for row in gone} & {row[1] for row in after}
    reader = now.source.partition(":")[0]
    said = hashlib.sha256(f"{reader}\0user\0{SECRET}".encode()).hexdigest()[:24]
    assert said == next(
        mark[1:]
        for turn in marked(Talk(reader, "s", [Turn("user", SECRET, 1)]), [Turn("user", SECRET, 1)])
        if isinstance(turn, Turn)
        for mark in turn.marks
    )
    assert not [row[0] for row in after if said in row[0]]


def test_a_correction_by_a_person_stays_a_record_of_its_own(make: Make) -> None:
    brain = make("b.db")
    brain.add("班车七点发")
    changed = brain.correct(1, "班车七点半发")
    done = brain.forget(changed.new)
    assert done.versions == ()
    assert brain.get(1).text == "班车七点发"


# Passages ----------------------------------------------------------------------------------------


def test_a_short_turn_has_a_vector_apart_from_a_long_one() -> None:
    said = ["用户：继续", "助手：好", "用户：我家猫叫汤圆，" + "从救助站领的，" * 30]
    said += ["助手：" + "长长的一段回答。" * 300, "用户：换个话题", "助手：请说"]
    text = "\n".join(said)
    spans = turn_passages(text)
    assert [text[a:b].strip() for a, b in spans[:2]] == ["\n".join(said[:2]), said[2]]
    assert text[slice(*spans[-1])] == "\n".join(said[-2:])
    # The last piece of a long turn is what is left of it.
    assert all(len(text[a:b]) > PASSAGE for a, b in spans[1:-2])


@given(
    st.lists(
        st.tuples(st.sampled_from(("用户：", "助手：", "")), st.text("，。猫a \n", max_size=90)),
        min_size=1,
    )
)
def test_passages_of_turns_cover_an_episode_without_gaps(said: list[tuple[str, str]]) -> None:
    text = "\n".join(who + words for who, words in said) + "。"
    spans = turn_passages(text)
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))
    assert all(a < b for a, b in spans)


TOLD = (
    ("我对青霉素过敏，上次打针起了一身疹子", "我对什么药过敏", "青霉素"),
    ("导出接口超过五万行就走异步，结果发到邮箱", "导出多少行以上走异步", "五万行"),
    ("护照放在书房第二个抽屉的蓝色文件袋里", "护照放在什么地方", "蓝色文件袋"),
)


def test_what_was_told_in_passing_is_found_and_passes_the_gate(
    make: Make, e5: Embedder, tmp_path: Path
) -> None:
    turns: list[Any] = []
    for n in range(9):
        # Long answers around each of the facts.
        aside = f"对了，{TOLD[n // 3][0]}。" if n % 3 == 1 else ""
        answer = "，".join(EVERYDAY[(4 * n + k) % len(EVERYDAY)] for k in range(4))
        turns.append(claude("user", f"这个方案还有没有别的办法。{aside}", 2 * n))
        turns.append(claude("assistant", f"{answer}，" * 3, 2 * n + 1))
    brain = make(model=e5)
    brain.ingest(written(tmp_path / "long.jsonl", turns))
    for said, question, answer in TOLD:
        assert any(said in hit.memory.text for hit in brain.recall(question, 3).hits), question
        assert answer in brain.inject(question).block, question
