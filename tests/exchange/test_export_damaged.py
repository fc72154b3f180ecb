"""A damaged file leaves as far as it can be read: whatever cannot is named, one by one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import apsw
import pytest

from brain import Brain
from brain.exchange import markdown
from brain.memory import Draft
from tests.support.cli import Cli
from tests.support.engine import refused

BLOB, NO_UTF8 = "x'e4b8ff41'", "CAST(x'e4b8ff41' AS TEXT)"
TEXT = (BLOB, NO_UTF8)
TIME = (*TEXT, "'昨天'", "'2026-13-40T00:00:00.000Z'", "5")
UNIT = (*TEXT, "'很高'", "7.5", "-1")
COUNT = (*TEXT, "'三'", "-5")
LINK_TO = (*TEXT, "'三'", "0")

MEMORY = {
    **dict.fromkeys(("text", "scope", "source", "evidence", "content_hash"), TEXT),
    "kind": (*TEXT, "''", "'../../别处'", "'Note'"),
    **dict.fromkeys(("importance", "confidence", "strength"), UNIT),
    **dict.fromkeys(
        ("valid_from", "valid_to", "recorded_at", "retracted_at", "archived_at", "last_used_at"),
        TIME,
    ),
    **dict.fromkeys(("supersedes", "superseded_by"), LINK_TO),
    "pinned": (*TEXT, "2"),
    "use_count": COUNT,
}
LINK = {
    **dict.fromkeys(("context", "source", "evidence"), TEXT),
    **dict.fromkeys(("observed_at", "recorded_at", "retracted_at"), TIME),
    **dict.fromkeys(("decision", "outcome"), (*TEXT, "100000")),
    "relation": (*TEXT, "'也许'"),
    "good": (*TEXT, "2"),
}
WORD = {"freq": COUNT, "tag": TEXT, "added_at": TIME}
ORIGINAL = {
    "original": ("'文本'", "x'00'"),
    **dict.fromkeys(("content_type", "compressor"), TEXT),
    **dict.fromkeys(("tokens_before", "tokens_after"), COUNT),
    "stored_at": TIME,
}


def each(columns: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, value) for name, values in columns.items() for value in values]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A file with every kind of bad cell, each in a row of its own, and how many of each table."""
    path = tmp_path_factory.mktemp("damaged") / "m.db"
    bad = {
        "memories": each(MEMORY),
        "links": each(LINK),
        "words": each(WORD),
        "ccr": each(ORIGINAL),
    }
    with Brain.open(path, model="none") as brain:
        brain.add_many(Draft(f"第{n}扇门的钥匙换过了") for n in range(len(bad["memories"]) + 5))
        for n in range(len(bad["links"]) + 2):
            brain.record(f"第{n}次跳过测试就发布", f"第{n}次线上白屏", relation="caused")
        for n in range(len(bad["words"]) + 2):
            brain.add_word(f"青鸟{n:03}号 10 n")
        for n in range(len(bad["ccr"]) + 1):
            brain.compress("\n".join(f"第 {i} 行，耗时 {i * n} 毫秒" for i in range(400)))
    db = apsw.Connection(str(path))
    db.pragma("ignore_check_constraints", True)
    for table, cells in bad.items():
        key = {"words": "word", "ccr": "handle"}.get(table, "id")
        keys = [row[0] for row in db.execute(f"SELECT {key} FROM {table} ORDER BY 1")]
        for at, (column, value) in zip(keys, cells, strict=False):
            db.execute(f"UPDATE {table} SET {column} = {value} WHERE {key} = ?", (at,))
    for tag, number in zip(TEXT, ids_of(db)[-4:], strict=False):
        db.execute(f"INSERT INTO tags (memory_id, tag) VALUES (?, {tag})", (number,))
    db.execute("UPDATE journal SET at = '昨天' WHERE id = 3")
    db.execute("INSERT OR REPLACE INTO meta VALUES ('last_decay', x'00')")
    db.close()
    counts = {table: len(cells) for table, cells in bad.items()}
    counts["memories"] += len(TEXT)
    return path, counts


def ids_of(db: apsw.Connection) -> list[int]:
    query = "SELECT id FROM memories WHERE id NOT IN (SELECT decision FROM links UNION"
    return [row[0] for row in db.execute(f"{query} SELECT outcome FROM links) ORDER BY id")]


def test_every_bad_cell_costs_its_row_and_is_named(
    damaged: tuple[Path, dict[str, int]], tmp_path: Path
) -> None:
    path, counts = damaged
    with Brain.open(path) as brain:
        done = brain.export_to(tmp_path / "out.jsonl", with_recovery=True)
        refused("brain_db_damaged", 74, lambda: list(brain.export()))
    named = [(fault.reason.split(" ")[0], fault.reason) for fault in done.errors]
    found = {what: len(list(rows)) for what, rows in itertools.groupby(named, lambda n: n[0][:1])}
    assert found == {
        "文": 1, "自": counts["words"], "记": counts["memories"], "L": counts["links"],
        "日": 1, "恢": counts["ccr"],
    }  # fmt: skip
    told = "\n".join(reason for _, reason in named)
    for column in (*MEMORY, *LINK, *WORD, *ORIGINAL, "tags", "handle", "last_decay"):
        assert column in told, column
    with Brain.open(tmp_path / "new.db", model="none") as brain:
        came = brain.import_(tmp_path / "out.jsonl")
        assert (came.failed, came.errors) == (0, ())
        assert (came.added, came.words, came.originals, came.links) == (done.added, 2, 1, 2)
        assert brain.doctor().ok


def test_markdown_names_the_records_and_lists_only_what_it_holds(
    damaged: tuple[Path, dict[str, int]], tmp_path: Path
) -> None:
    path, counts = damaged
    with Brain.open(path) as brain:
        done = brain.export_to(tmp_path / "md", format="markdown")
        assert {p.name for p in tmp_path.iterdir()} == {"md"}
        assert set(done.files) == {"note.md", "decision.md", "outcome.md"} & set(done.files)
        assert done.added > 0
        # What hides a record hides it here too, so some of the bad ones are not asked for.
        assert 0 < len(done.errors) <= counts["memories"]
        assert len({fault.line for fault in done.errors}) == len(done.errors)
    for name in done.files:
        held = list(markdown.read((tmp_path / "md" / name).read_text("utf-8"), name))
        heading, *entries = held
        assert isinstance(heading, markdown.Kind)
        listed = [i for stretch in heading.ids for i in stretch]
        assert listed == [e.id for e in entries if isinstance(e, markdown.Entry)]


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_the_command_goes_on_and_ends_with_74(
    damaged: tuple[Path, dict[str, int]], tmp_path: Path, form: str
) -> None:
    path, _ = damaged
    cli = Cli(tmp_path)
    shown = cli("export", "--format", form, "--db", str(path))
    assert shown.code == 74
    assert "读不懂，没有导出" in shown.err
    assert "Traceback" not in shown.err
    into = cli("export", "--format", form, "--db", str(path), "--out", "out", "--json")
    assert (into.code, bool(into.json["errors"])) == (74, True)
    if form == "jsonl":
        lines = [json.loads(line) for line in shown.out.splitlines()]
        assert lines[-1] == {"type": "end", "lines": len(lines) - 1}
