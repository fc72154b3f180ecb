"""Files that are named by a day date their notes; where nobody knows the day, no gloss guesses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brain import Brain
from brain.ingest.entry import UNKNOWN, named_day
from brain.text.timestamps import local_day, now_utc, parse_time
from tests.support.engine import Make


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-05-08.md", "2026-05-08"),
        ("20260508.md", "2026-05-08"),
        ("2026_05_08 周会.md", "2026-05-08"),
        ("2026.5.8.md", "2026-05-08"),
        ("日记-2026年5月8日.md", "2026-05-08"),
        ("日记/2026/05/08.md", "2026-05-08"),
        ("2025-12-31/2026-01-02.md", "2026-01-02"),
    ],
)
def test_a_day_in_a_name(name: str, day: str) -> None:
    found = named_day(name)
    assert not isinstance(found, str)
    assert local_day(found.isoformat()) == day


@pytest.mark.parametrize(
    "name",
    [
        *("MEMORY.md", "2026.md", "2026-05.md", "2026-13-40.md", "12026-05-08.md", "2999-05-08.md"),
        *("订单202605081.md", "v1.2.3.md", ""),
    ],
)
def test_no_day_in_a_name(name: str) -> None:
    assert named_day(name) == UNKNOWN


def _taken(brain: Brain, folder: Path) -> dict[str, str | None]:
    brain.ingest(folder)
    return {one.text: one.valid_from for one in brain.list(limit=None)}


def test_notes_of_a_diary(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "日记"
    folder.mkdir()
    (folder / "2026-05-08.md").write_text("今天把网关改了。\n", encoding="utf-8")
    written = "---\ndate: 2026-05-10\n---\n昨天换了锁。\n"
    (folder / "2026-05-09.md").write_text(written, encoding="utf-8")
    (folder / "杂记.md").write_text("今天买了伞。\n", encoding="utf-8")
    brain = make()
    taken = _taken(brain, folder)

    def since(day: str) -> str:
        return parse_time(day, now=now_utc())

    assert taken["今天把网关改了。"] == since("2026-05-08")
    # What the file itself says counts more than its name.
    assert taken["昨天换了锁。"] == since("2026-05-10")
    assert taken["今天买了伞。"] is None
    assert "今天=2026-05-08" in brain.inject("网关改了吗").block
    assert "昨天=2026-05-09" in brain.inject("换了锁吗").block
    assert "今天=" not in brain.inject("买了伞吗").block


def test_rows_of_a_table_named_by_a_day(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    rows = [{"text": "把锁换了"}, {"text": "把灯修了", "date": "2026-05-01"}]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "2026-05-08.jsonl").write_text(lines, encoding="utf-8")
    brain = make()
    taken = _taken(brain, folder)
    assert local_day(taken["把锁换了"] or "") == "2026-05-08"
    assert local_day(taken["把灯修了"] or "") == "2026-05-01"
