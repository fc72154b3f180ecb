"""Hermes' state.db: what becomes a memory, once and only once, while Hermes goes on writing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from brain import Brain
from brain.memory import Memory
from tests.support import ROOT
from tests.support.engine import indexes_are_whole, refused
from tests.support.hermes import OLD, START, Hermes, asked

LONG = "排查记录：" + "网关的超时从三秒调到八秒，连接数翻倍后恢复正常。" * 20


@pytest.fixture
def hermes(tmp_path: Path) -> Hermes:
    return Hermes(tmp_path / "state.db")


def episodes(brain: Brain) -> list[Memory]:
    """What is believed and current, oldest first."""
    return brain.list(limit=None)[::-1]


def test_turns_of_a_session_become_one_episode_with_its_own_time(
    brain: Brain, hermes: Hermes
) -> None:
    ids = hermes.say("s1", *asked("连接池报错怎么办", "驱动降到 5.4.3 就好了"))
    done = brain.ingest(hermes.path)
    assert (done.format, done.added, done.skipped, done.failed) == ("hermes", 1, 0, 0)
    (episode,) = episodes(brain)
    assert episode.text == "用户：连接池报错怎么办\n助手：驱动降到 5.4.3 就好了"
    assert (episode.kind, episode.confidence) == ("episode", 0.60)
    assert episode.source == f"hermes:s1#{ids[0]}-{ids[1]}"
    assert episode.valid_from == "2026-03-02T04:01:00.000Z"
    assert json.loads(episode.evidence) == {"session": "s1", "messages": ids}


@pytest.mark.parametrize(
    ("role", "content", "columns"),
    [
        ("tool", "{'stdout': '构建通过'}", {}),
        ("system", "你是一个助手", {}),
        ("user", None, {}),
        ("user", "   ", {}),
        ("user", "好的", {}),
        ("user", "谢谢啦！", {}),
        ("assistant", "不客气", {}),
        ("user", "这句撤回了，别记", {"active": 0, "compacted": 0}),
        ("assistant", "此前对话的摘要：讨论了部署", {"_compressed_summary": 1}),
        ("user", "[CONTEXT COMPACTION] 之前讨论了部署", {}),
        ("user", "脚手架的话", {"display_kind": "hidden"}),
        ("user", "定时任务的话", {"source": "cron"}),
        ("user", "工具会话的话", {"source": "tool"}),
    ],
)
def test_what_is_no_memory_is_left_out(
    brain: Brain, hermes: Hermes, role: str, content: str | None, columns: dict[str, Any]
) -> None:
    hermes.say("bare", (role, content), **columns)
    assert brain.ingest(hermes.path).added == 0
    hermes.say("live", *asked("主备切换在哪", "在控制台的容灾页"))
    assert brain.ingest(hermes.path).added == 1


def test_history_out_of_the_context_and_sessions_asked_for_are_taken(
    brain: Brain, hermes: Hermes
) -> None:
    ids = hermes.say("s1", *asked("发版窗口是几点", "周三晚上十点"))
    hermes.rewind(ids, compacted=1)
    hermes.say("nightly", *asked("巡检结果", "磁盘用了八成"), source="cron")
    assert brain.ingest(hermes.path).added == 1
    assert brain.ingest(hermes.path, every_session=True).added == 1
    assert brain.ingest(hermes.path, every_session=True).added == 0


def test_an_old_file_without_the_later_columns_is_read(brain: Brain, tmp_path: Path) -> None:
    old = Hermes(tmp_path / "old.db", schema=OLD, wal=False)
    old.say("s1", *asked("机房在哪", "在二楼东侧"))
    assert brain.ingest(old.path).added == 1
    assert brain.ingest(old.path).added == 0


@pytest.mark.parametrize("seconds", [0.0, -5.0, 4e12, 1e300, float("inf")])
def test_a_damaged_time_is_unknown_and_never_now(
    brain: Brain, hermes: Hermes, seconds: float
) -> None:
    hermes.say("s1", *asked("账单谁管", "财务的小秦"), timestamp=seconds)
    brain.ingest(hermes.path)
    assert [m.valid_from for m in episodes(brain)] == [None]


def test_parts_of_a_message_are_read_as_their_text(brain: Brain, hermes: Hermes) -> None:
    parts = [{"type": "text", "text": "这张图里的架构"}, {"type": "image_url", "image_url": "x"}]
    hermes.say("s1", ("user", json.dumps(parts)), ("assistant", '{"不是": "分段"}'))
    brain.ingest(hermes.path)
    (episode,) = episodes(brain)
    assert episode.text == '用户：这张图里的架构\n助手：{"不是": "分段"}'


def test_episodes_end_between_exchanges_and_lose_nothing(brain: Brain, hermes: Hermes) -> None:
    for n in range(6):
        hermes.say("s1", *asked(f"第{n}个问题是什么", f"第{n}个答案。{LONG}"))
    brain.ingest(hermes.path)
    found = episodes(brain)
    assert len(found) > 1
    for n in range(6):
        (one,) = [m for m in found if f"第{n}个问题" in m.text]
        assert f"第{n}个答案" in one.text
        assert len(one.text) <= 4100


def test_a_huge_message_is_bounded_and_said_so(brain: Brain, hermes: Hermes) -> None:
    hermes.say(
        "s1",
        ("user", "日志贴在这里，最后怎么办"),
        ("assistant", "".join(f"第{n}行很长。" for n in range(400_000))),
    )
    done = brain.ingest(hermes.path)
    assert done.added >= 8
    assert [e.line for e in done.errors] == [2]
    assert all(len(m.text) <= 4000 for m in episodes(brain))


@pytest.mark.parametrize(
    "bad", ["'前' || char(0) || '后'", "CAST(x'e5a5bdff' AS TEXT)", "CAST(x'eda080' AS TEXT)"]
)
def test_a_damaged_message_is_reported_and_the_rest_is_stored(
    brain: Brain, hermes: Hermes, bad: str
) -> None:
    hermes.say("s1", *asked("打印机在哪", "在茶水间旁边"))
    hermes.run(
        "INSERT INTO messages (session_id, role, content, timestamp)"
        f" VALUES ('s1', 'user', {bad}, {START})"
    )
    hermes.say("s2", *asked("复印纸在哪", "在前台柜子里"))
    done = brain.ingest(hermes.path)
    assert done.added == 2
    assert [e.line for e in done.errors] == [3]
    assert brain.ingest(hermes.path).added == 0


def test_twice_adds_nothing_and_only_the_new_comes_later(brain: Brain, hermes: Hermes) -> None:
    hermes.say("s1", *asked("日志存几天", "三十天"))
    assert brain.ingest(hermes.path).added == 1
    again = brain.ingest(hermes.path)
    assert (again.added, again.skipped) == (0, 0)
    hermes.say("s1", *asked("备份存几天", "九十天"))
    hermes.say("s2", *asked("快照存几天", "七天"))
    assert brain.ingest(hermes.path).added == 2
    assert len(episodes(brain)) == 3


def test_an_answer_that_comes_between_two_runs_joins_its_question(
    brain: Brain, hermes: Hermes
) -> None:
    hermes.say("s1", ("user", "灰度的比例定多少"))
    assert brain.ingest(hermes.path).added == 1
    hermes.say("s1", ("assistant", "先百分之五，观察一天"))
    done = brain.ingest(hermes.path)
    assert (done.added, done.superseded) == (0, 1)
    (episode,) = episodes(brain)
    assert episode.text == "用户：灰度的比例定多少\n助手：先百分之五，观察一天"
    assert episode.valid_from == "2026-03-02T04:01:00.000Z"
    assert len(brain.list(limit=None, all=True)) == 2


def test_turns_taken_back_later_are_retracted_and_the_rest_stays(
    brain: Brain, hermes: Hermes
) -> None:
    hermes.say("s1", *asked("订哪家酒店", "望江楼"))
    wrong = hermes.say("s1", *asked("改成哪家", "改成听雨轩"))
    gone = hermes.say("s2", *asked("口味有忌口吗", "不吃香菜"))
    brain.ingest(hermes.path)
    hermes.rewind([*wrong, *gone])
    done = brain.ingest(hermes.path)
    assert done.retracted == 2
    assert [m.text for m in episodes(brain)] == ["用户：订哪家酒店\n助手：望江楼"]
    again = brain.ingest(hermes.path)
    assert (again.retracted, again.added) == (0, 0)
    assert indexes_are_whole(brain)


def test_another_file_in_its_place_is_read_from_its_beginning(
    brain: Brain, hermes: Hermes, tmp_path: Path
) -> None:
    for n in range(5):
        hermes.say(f"a{n}", *asked(f"旧机器上的问题{n}", f"旧机器上的答案{n}"))
    brain.ingest(hermes.path)
    other = Hermes(tmp_path / "other.db")
    other.say("b1", *asked("新机器的密钥轮换", "每季度一次"))
    for suffix in ("-wal", "-shm"):
        Path(f"{hermes.path}{suffix}").unlink(missing_ok=True)
    shutil.move(other.path, hermes.path)
    assert brain.ingest(hermes.path).added == 1


def test_what_a_person_erased_does_not_come_back(brain: Brain, hermes: Hermes) -> None:
    hermes.say("s1", *asked("门禁的数字是多少", "四七二九"))
    brain.ingest(hermes.path)
    brain.forget(1)
    with brain._store.write() as db:
        db.execute("UPDATE sources SET state = '{}'")
    assert brain.ingest(hermes.path).added == 0
    assert episodes(brain) == []


def test_a_dry_run_shows_what_would_come_and_writes_nothing(
    make: Callable[..., Brain], hermes: Hermes
) -> None:
    brain = make("untouched.db")
    hermes.say("s1", *asked("密钥多久轮换", "每季度一次"))
    planned = brain.ingest(hermes.path, dry_run=True)
    assert planned.added == 1
    assert planned.preview[0].text == "用户：密钥多久轮换\n助手：每季度一次"
    assert not brain.path.exists()
    assert brain.ingest(hermes.path).added == 1
    assert brain.ingest(hermes.path, dry_run=True).added == 0


# The live file ------------------------------------------------------------------------------


def listing(path: Path) -> dict[str, bytes]:
    """The file and what lies beside it."""
    return {p.name: p.read_bytes() for p in path.parent.glob(f"{path.name}*")}


@pytest.mark.parametrize("wal", [True, False])
def test_nothing_is_made_beside_the_file_and_no_byte_of_it_changes(
    make: Callable[..., Brain], tmp_path: Path, wal: bool
) -> None:
    folder = tmp_path / "hermes"
    folder.mkdir()
    hermes = Hermes(folder / "state.db", wal=wal)
    hermes.say("s1", *asked("监控看哪里", "看大屏"))
    before = listing(hermes.path)
    assert list(before) == ["state.db"]
    assert make().ingest(hermes.path).added == 1
    assert listing(hermes.path) == before


def test_a_copy_with_its_log_alone_is_read_whole(
    make: Callable[..., Brain], tmp_path: Path, hermes: Hermes
) -> None:
    live = apsw.Connection(str(hermes.path))
    live.execute(
        "INSERT INTO messages (session_id, role, content, timestamp)"
        f" VALUES ('s1', 'user', '只在日志里的话，口令改由值班长发', {START})"
    )
    folder = tmp_path / "copied"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{hermes.path}{suffix}", folder / f"state.db{suffix}")
    live.close()
    before = listing(folder / "state.db")
    assert make().ingest(folder / "state.db").added == 1
    assert listing(folder / "state.db") == before


WRITER = """
import sys, time, apsw
db = apsw.Connection(sys.argv[1])
db.set_busy_timeout(0)
for n in range(int(sys.argv[2])):
    for role, text in (("user", f"写着写着的第{n}问"), ("assistant", f"写着写着的第{n}答")):
        db.execute("INSERT INTO messages (session_id, role, content, timestamp)"
                   " VALUES (?, ?, ?, ?)", (f"w{n}", role, text, 1772424000 + n))
    if n % 20 == 0:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    print(n, flush=True)
"""


def test_a_process_writing_all_the_time_is_not_disturbed_and_nothing_is_lost(
    make: Callable[..., Brain], hermes: Hermes
) -> None:
    brain = make()
    for n in range(50):
        hermes.say(f"old{n}", *asked(f"早先的第{n}问", f"早先的第{n}答"))
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(hermes.path), "150"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        while writer.poll() is None:
            brain.ingest(hermes.path)
        assert writer.returncode == 0, writer.communicate()
    brain.ingest(hermes.path)
    texts = [m.text for m in episodes(brain)]
    assert len(texts) == len(set(texts)) == 200
    for n in range(150):
        assert f"用户：写着写着的第{n}问\n助手：写着写着的第{n}答" in texts


KILLED = """
import sys
from brain import Brain
from brain.ingest import ingestion
ingestion.BATCH = 8
print("ready", flush=True)
with Brain.open(sys.argv[1], model="none") as brain:
    brain.ingest(sys.argv[2], progress=lambda *told: print(told[1], flush=True))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("after", [20, 90])
def test_a_run_killed_in_the_middle_is_completed_by_the_next(
    tmp_path: Path, hermes: Hermes, after: int
) -> None:
    for n in range(120):
        hermes.say(f"s{n}", *asked(f"第{n}台机器在哪个机柜", f"在第{n}号机柜"))
    path = tmp_path / "killed.db"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), str(hermes.path)],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().isdigit() and int(line) >= after:
                process.kill()
                break
    with Brain.open(path, model="none") as brain:
        kept = len(episodes(brain))
        assert 0 < kept < 120
        done = brain.ingest(hermes.path)
        assert (done.added, done.skipped) == (120 - kept, kept)
        assert len({m.text for m in episodes(brain)}) == len(episodes(brain)) == 120
        assert indexes_are_whole(brain)


def test_a_file_somebody_locks_is_busy_and_not_an_empty_answer(
    brain: Brain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = Hermes(tmp_path / "locked.db", wal=False)
    locked.say("s1", *asked("谁值班", "老周"))
    holder = apsw.Connection(str(locked.path))
    holder.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("brain.store.hermes_db.BUSY_TIMEOUT_MS", 50)
    refused("brain_busy", 75, lambda: brain.ingest(locked.path, "hermes"))
    holder.close()
    assert brain.ingest(locked.path).added == 1
