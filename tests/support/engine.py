"""Small tools of the engine's tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from brain import Brain, BrainError, Draft
from brain.memory import Hit, RecallResult
from brain.store import memories, memory_file, meta, schema
from brain.store.sql import rows
from brain.store.vectors import blocks
from brain.store.view import FOREVER_MS, to_ms
from brain.text.fold import fold
from brain.text.tokenize import index_terms, query_terms
from tests.support import PATIENCE, ROOT

Make = Callable[..., Brain]
"""Opens a memory file: the fixture ``make``."""

NOON = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)
"""The clock of tests that need one."""

EVERYDAY = (
    "物业每周二上午来抄水表",
    "会议室的投影仪接口松了，要垫一张纸",
    "外婆爱听评弹，收音机在她床头",
    "车位租到明年三月，月付四百",
    "绿萝半个月浇一次水，别放窗边",
    "体检报告寄到公司前台了",
    "孩子的钢琴课改到周六下午",
    "冰箱第二层是给同事留的蛋糕",
    "发票抬头写云帆公司的全称",
    "健身卡还剩九次，年底作废",
    "楼下的早餐店七点半以后要排队",
    "上次团建去的是莫干山，住了两晚",
    "给植物园投的稿子还没有回音",
    "旧手机里的照片已经导到移动硬盘",
    "小区北门晚上十点以后不开",
    "牙医约在下月初，记得带医保卡",
    "阳台的洗衣机排水慢，要清滤网",
    "楼道灯坏了，报修电话贴在电表箱上",
    "周报每周五下班前发给主管",
    "咖啡机除垢用柠檬酸，一季度一次",
    "读书会这个月读的是一本游记",
    "出差的高铁票由行政统一订",
    "快递柜取件码发到旧号码上了",
    "邻居家的猫叫煤球，怕吸尘器",
    "露营用的炉头借给了大学同学",
    "羽毛球场周三晚上八折",
    "书架最上层放的是绝版画册",
    "老家的房产证锁在银行保险箱",
    "面试题库放在共享盘的人事目录",
    "空调遥控器的电池盖丢了，用胶带粘着",
)
"""Notes about nothing in particular, so that a first place has to be won."""


def told_apart(texts: Iterable[str], start: datetime = NOON, **options: object) -> list[Draft]:
    """Drafts that each hold from a day of their own, so that none stands beside another."""
    return [
        Draft(text, valid_from=start - timedelta(days=n + 1), **options)  # type: ignore[arg-type]
        for n, text in enumerate(texts)
    ]


def fill(brain: Brain, texts: Iterable[str] = EVERYDAY) -> list[int]:
    """Stores texts as notes of different days; gives their ids."""
    return [r.id for r in brain.add_many(told_apart(texts))]


def texts(found: RecallResult) -> list[str]:
    return [hit.text for hit in found.hits]


def ids(found: RecallResult) -> list[int]:
    return [hit.id for hit in found.hits]


def terms(hit: Hit) -> tuple[str, ...]:
    """What the lexical lane matched; nothing when it did not find the hit."""
    return hit.lanes["lexical"].terms if "lexical" in hit.lanes else ()


def proposed(found: RecallResult) -> list[str]:
    """The texts that a lane found by itself, not as the neighbour of another."""
    return [hit.text for hit in found.hits if {"lexical", "semantic"} & hit.lanes.keys()]


def shares_no_word(question: str, text: str) -> bool:
    """Whether no term of a question stands in a text, so that words alone cannot find it."""
    folded = fold(text)
    held = set(index_terms(folded))
    asked = query_terms(fold(question))
    return not any(t in held or (t[-1] == "*" and t[:-1] in folded) for t in asked)


def refused(code: str, exit_code: int, act: Callable[[], object]) -> BrainError:
    """Runs what must be refused with this code, in a Chinese sentence."""
    with pytest.raises(BrainError) as caught:
        act()
    assert (caught.value.code, caught.value.exit_code) == (code, exit_code), caught.value
    assert re.search("[\u4e00-\u9fff]", caught.value.message)
    return caught.value


def vectors_out_of_step(brain: Brain) -> list[int]:
    """Passages whose vector is missing, left over, or filtered by other values than the record."""
    with brain._store.read() as db:
        table = memory_file.facts(db)[meta.VECTORS]
        scopes = dict(rows(db, "SELECT name, id FROM scopes"))
        owners = dict(rows(db, "SELECT id, memory_id FROM passages"))
        stored = {row[0] for row in rows(db, f"SELECT id FROM {table}")}
        kept = blocks.of_passages(db, table, sorted({*owners, *stored}))
        records = memories.get_many(db, owners.values())
    wrong = (set(kept) ^ set(owners)) | (stored ^ set(owners))
    for passage, values in kept.items():
        if passage not in owners:
            continue
        record = records[owners[passage]]
        right = (
            to_ms(record.valid_from, -FOREVER_MS),
            to_ms(record.valid_to, FOREVER_MS),
            to_ms(record.recorded_at, 0),
            to_ms(record.retracted_at, FOREVER_MS),
            blocks.LIVE if record.archived_at is None else blocks.ARCHIVED,
            scopes[record.scope],
            blocks.kind_number(record.kind),
        )
        if values != right:
            wrong.add(passage)
    return sorted(wrong)


def indexes_are_whole(brain: Brain) -> bool:
    """Whether SQLite and both text indexes find their own structures whole."""
    with brain._store.write() as db:
        for index in ("grams", "trigrams"):
            db.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        return rows(db, "PRAGMA integrity_check") == [("ok",)]


def vector_of(db: apsw.Connection, table: str, memory_id: int) -> bytes | None:
    """The vector of a memory's first passage as it lies in the file, None where it has none."""
    found = db.execute(
        f"SELECT v.embedding FROM passages p CROSS JOIN {table} v ON v.rowid = p.id"
        " WHERE p.memory_id = ? ORDER BY p.id LIMIT 1",
        (memory_id,),
    ).fetchall()
    return bytes(found[0][0]) if found else None


def run(script: str, *args: object, **env: str) -> str:
    """What a Python process of its own on our code prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, args)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def take_back(db: apsw.Connection, version: int) -> None:
    """Makes an open file one of an older schema, as far as tables go that came since."""

    def tables(number: int) -> set[str]:
        fresh = apsw.Connection(":memory:")
        for migrate in schema.MIGRATIONS[:number]:
            migrate(fresh)
        return {
            name for (name,) in fresh.execute("SELECT name FROM sqlite_schema WHERE type='table'")
        }

    for name in sorted(tables(schema.SCHEMA_VERSION) - tables(version)):
        db.execute(f"DROP TABLE {name}")
    db.pragma("user_version", version)
