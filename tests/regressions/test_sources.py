"""Sources: what comes in from conversations, and where it is from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brain import Brain, BrainError
from brain.embed.protocol import Embedder
from brain.ingest.chat import clean
from brain.inject import brief, pack
from brain.store import sources
from tests.support.cli import Cli
from tests.support.engine import EVERYDAY, indexes_are_whole, told_apart, vectors_out_of_step
from tests.support.hermes import Hermes, asked


@pytest.fixture
def hermes(tmp_path: Path) -> Hermes:
    return Hermes(tmp_path / "state.db")


# The question's words are the best match, the answer is what is wanted (vshulcz/deja-vu #490)


@pytest.mark.parametrize(
    ("question", "answer", "decision"),
    [
        ("连接池后面预编译语句老报错怎么办", "是驱动 5.5 的缓存，已固定 5.4.3", "5.4.3"),
        ("报表导出到一半就断是什么原因", "网关六十秒超时，改成异步生成了", "异步"),
        ("周年纪念的餐厅最后订了哪家", "望江楼，靠窗那桌，六点半", "望江楼"),
    ],
)
def test_who_finds_the_question_has_the_decision(
    make: Callable[..., Brain],
    e5: Embedder,
    hermes: Hermes,
    question: str,
    answer: str,
    decision: str,
) -> None:
    brain = make("asked.db", model=e5)
    brain.add_many(told_apart(EVERYDAY))
    hermes.say("talk", *asked("午饭吃什么", "楼下的面馆吧"))
    hermes.say("talk", ("user", question), ("tool", "{}"), ("assistant", answer))
    brain.ingest(hermes.path)
    assert decision in brain.inject(question.removesuffix("怎么办")).block


# What we handed out ourselves is no news (vectorize-io/hindsight #826)


def facts(brain: Brain) -> None:
    for text in ("值班群是青鸟群", "发版窗口是周三晚上", "堡垒机走二号线"):
        brain.add(text)


@pytest.mark.parametrize(
    "where", ["{block}\n\n{talk}", "{talk}\n\n{block}", "{talk}\n{block}\n{talk}"]
)
def test_our_own_block_inside_a_conversation_is_not_stored(
    brain: Brain, hermes: Hermes, where: str
) -> None:
    facts(brain)
    for n in range(5):
        block = brain.inject("值班群是哪个群").block
        assert "青鸟群" in block
        talk = f"第{n}天轮到谁"
        hermes.say(
            f"s{n}", ("user", where.format(block=block, talk=talk)), ("assistant", f"{n}号组")
        )
        brain.ingest(hermes.path)
    stored = brain.list(limit=None)
    assert len(stored) == 3 + 5
    assert sum("青鸟群" in m.text for m in stored) == 1
    assert all("⟦" not in m.text for m in stored)


def test_a_conversation_of_nothing_but_our_block_gives_nothing(
    brain: Brain, hermes: Hermes
) -> None:
    facts(brain)
    brain.add("回答先给结论", kind="preference")
    for block in (brain.inject("值班群是哪个群").block, brain.brief().block):
        hermes.say("s1", ("user", block), ("assistant", "好的"))
    assert brain.ingest(hermes.path).added == 0


@pytest.mark.parametrize("opening", [pack.OPENING, brief.OPENING])
@pytest.mark.parametrize("closing", [f"\n{pack.CLOSING}", ""])
def test_a_block_is_known_by_its_shape_and_ends_where_it_ends(opening: str, closing: str) -> None:
    block = f"{opening}\n#1 [note 置信0.95] 值班群\n    第二行\n#2 [fact 置信0.60] 发版{closing}"
    assert clean(f"{block}\n那今天谁值班？") == "那今天谁值班？"
    assert clean(f"上面的话\n{block}") == "上面的话"


def test_a_list_of_our_own_blocks_is_told_line_by_line(brain: Brain, tmp_path: Path) -> None:
    facts(brain)
    block = brain.inject("值班群是哪个群").block
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps({"text": block}) + "\n" + json.dumps({"text": "新的一条"}) + "\n")
    done = brain.ingest(path)
    assert (done.added, [e.line for e in done.errors]) == (1, [1])


# A folder of many files while others use the memory (topoteretes/cognee #2717)


def test_a_folder_of_five_hundred_files_is_taken_in_while_others_write_and_read(
    make: Callable[..., Brain], tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(500):
        (folder / f"{n:03}.md").write_text(f"- 第{n}号货架放的是第{n}批零件\n")
    brain, other = make("shared.db"), make("shared.db")
    other.add("别的进程记下的第一条")
    served: list[int] = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        if len(served) < 20:
            served.append(other.add(f"读入期间记下的第{len(served)}条").id)
            assert other.recall("货架 零件").degraded == ()

    assert brain.ingest(folder, progress=meanwhile).added == 500
    assert len(served) == 20
    assert len(other.list(limit=None)) == 521


# The index after a list came again with other texts (mareforma/mareforma #31)


def test_a_list_that_comes_again_with_other_texts_leaves_no_ghost(
    make: Callable[..., Brain], e5: Embedder, tmp_path: Path
) -> None:
    brain = make("again.db", model=e5)
    path = tmp_path / "notes.jsonl"

    def write(word: str, *, with_ids: bool) -> None:
        rows: list[dict[str, Any]] = [{"text": f"{word}第{n}排"} for n in range(20)]
        if with_ids:
            rows = [{"id": n, **row} for n, row in enumerate(rows)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    for with_ids in (True, False):
        path = tmp_path / f"notes-{with_ids}.jsonl"
        write(f"紫薇{with_ids}在苗圃", with_ids=with_ids)
        assert brain.ingest(path).added == 20
        write(f"腊梅{with_ids}在暖房", with_ids=with_ids)
        done = brain.ingest(path)
        assert (done.added, done.superseded) == (0, 20)
        assert all("紫薇" not in hit.text for hit in brain.search("紫薇 苗圃").hits)
        assert all("腊梅" in hit.text for hit in brain.search(f"腊梅{with_ids}").hits)
    assert indexes_are_whole(brain)
    assert vectors_out_of_step(brain) == []


# The disk is full (tinyhumansai/openhuman PR 3911)


def test_a_full_disk_ends_with_one_error_and_the_next_run_goes_on(
    brain: Brain, tmp_path: Path
) -> None:
    path = tmp_path / "notes.jsonl"
    rows = [{"text": f"第{n}箱：{'零件' * (n % 60)}号"} for n in range(3000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    brain.add("先有一条")
    with brain._store.write() as db:
        pages = db.pragma("page_count")
        db.pragma("max_page_count", pages + 200)
    with pytest.raises(BrainError) as caught:
        brain.ingest(path)
    assert (caught.value.code, caught.value.exit_code) == ("brain_disk_full", 74)
    kept = len(brain.list(limit=None)) - 1
    assert 0 < kept < 3000
    assert indexes_are_whole(brain)
    with brain._store.write() as db:
        db.pragma("max_page_count", 1_000_000)
    done = brain.ingest(path)
    assert (done.added, done.skipped) == (3000 - kept, kept)


# One bad record is no poison pill (frappe/frappe #41128)


@pytest.mark.parametrize("bad", ["半个\\ud83d字符", "前\\u0000后", "", "   ", "\\u200b"])
@pytest.mark.parametrize("place", [0, 57, 99])
def test_one_bad_of_a_hundred_costs_only_itself(
    brain: Brain, tmp_path: Path, bad: str, place: int
) -> None:
    rows = [json.dumps({"text": f"第{n}号储物柜"}) for n in range(100)]
    rows[place] = f'{{"text": "{bad}"}}'
    path = tmp_path / "notes.jsonl"
    path.write_text("\n".join(rows))
    for expected in (99, 0):
        done = brain.ingest(path)
        assert (done.added, [e.line for e in done.errors]) == (expected, [place + 1])
        path.touch()


# A secret in a conversation is passed over, and said so (rohitg00/agentmemory #911)


@pytest.mark.parametrize(
    "secret",
    [
        "生产库的密码是 Hx9-示例-42zQ",
        "token=ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    ],
)
def test_a_secret_is_told_by_its_place_and_not_stored(
    brain: Brain, hermes: Hermes, secret: str
) -> None:
    ids = hermes.say("s1", *asked(secret, "记下了，放进保险库"))
    hermes.say("s2", *asked("备用机房在哪", "在城西"))
    done = brain.ingest(hermes.path)
    assert (done.added, [e.line for e in done.errors]) == (1, [ids[0]])
    assert secret[-8:] not in str(done.to_dict())
    assert [m.text for m in brain.list(limit=None)] == ["用户：备用机房在哪\n助手：在城西"]


# From a memory back to its conversation and messages (volcengine/OpenViking #3329)


def test_a_hit_names_the_session_and_messages_it_came_from(tmp_path: Path, hermes: Hermes) -> None:
    cli = Cli(tmp_path)
    ids = hermes.say("会话-20260302", *asked("备用钥匙放哪了", "在门卫老周那里"))
    assert cli("ingest", str(hermes.path), "--json").code == 0
    (hit,) = cli("recall", "备用钥匙", "--json").json["hits"]
    assert hit["source"] == f"hermes:会话-20260302#{ids[0]}-{ids[1]}"
    assert json.loads(hit["evidence"]) == {"session": "会话-20260302", "messages": ids}
    assert cli("show", str(hit["id"]), "--json").json["evidence"] == hit["evidence"]


def test_names_of_any_length_and_kind_stay_readable(brain: Brain, hermes: Hermes) -> None:
    for session in ("长" * 500, "有\n换行\t的", "a" * 300 + "/尾巴"):
        hermes.say(session, *asked(f"{session[-3:]}问了什么", "问了天气"))
    for n in range(300):
        hermes.say("多轮", ("user", f"{n}"), ("assistant", f"{n}。"))
    done = brain.ingest(hermes.path)
    assert done.failed == 0
    for memory in brain.list(limit=None):
        assert len(memory.source) <= 200
        told = json.loads(memory.evidence)
        assert told["messages"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MEMORY.md", "# 生产环境的堡垒机代号和进入办法\n\n- 代号是ZEBRA-青-77，每季度换\n"),
        (
            "memory.jsonl",
            '{"type": "entity", "name": "堡垒机ZEBRA-青-77", "entityType": "代号",'
            ' "observations": ["每季度换"]}\n',
        ),
        ("notes.jsonl", '{"id": "k", "text": "堡垒机的代号是ZEBRA-青-77，每季度换"}\n'),
    ],
)
def test_what_was_forgotten_leaves_no_word_and_does_not_come_back(
    brain: Brain, tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert brain.ingest(path).added == 1
    brain.forget(1)
    kept = b"".join(p.read_bytes() for p in tmp_path.glob("brain.db*"))
    for word in ("ZEBRA", "zebra", "青-77", "堡垒机", "每季度"):
        assert word.encode() not in kept
    path.touch()
    again = brain.ingest(path)
    assert (again.added, again.skipped) == (0, 1)
    with brain._store.read() as db:
        source = sources.find(db, again.format, str(path), "")
        assert source is not None
        assert [memory for _, _, memory in sources.rows_of(db, source)] == [None]
