"""The second stage weighs enough candidates of each lane."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, Draft
from brain.text import tokenize


class Apart:
    """What is asked lies beside texts of 仪表盘, and far from those that hold the word itself."""

    name, dim, max_tokens, languages = "e5-small", 384, 512, ("zh",)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._at(int("水表" in text), text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._at(0, text)

    def _at(self, axis: int, text: str) -> NDArray[np.float32]:
        vector = np.random.default_rng(list(text.encode())).standard_normal(self.dim) * 0.01
        vector[axis] += 1.0
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


@pytest.mark.parametrize("asked", ["水表", "水錶", "水表？"])
def test_all_that_hold_a_bare_word_come_before_what_is_only_near(
    tmp_path: Path, asked: str
) -> None:
    """Half of what is weighed is only near: it must leave room for fourteen with the word."""
    with Brain.open(tmp_path / "m.db", model=Apart()) as brain:
        brain.add_many([Draft(f"第{n}单元的水表在楼梯间") for n in range(14)])
        brain.add_many([Draft(f"第{n}块仪表盘在机房") for n in range(150)])
        hits = brain.recall(asked, k=14).hits
    assert sum("水表" in hit.text for hit in hits) == 14


def test_many_long_notes_are_weighed_without_cutting_them_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second stage looks for the question's words in a long text; it does not tokenize it."""
    cut: list[int] = []
    real = tokenize._runs
    monkeypatch.setattr(tokenize, "_runs", lambda f: cut.append(len(f)) or real(f))
    with Brain.open(tmp_path / "m.db", model="none") as brain:
        for n in range(5):
            brain.add(f"第{n}份日志，" + "服务一切正常，没有告警。" * 2000 + f"末尾是灯塔{n}号")
        cut.clear()
        hits = brain.recall("灯塔3号").hits
    assert hits[0].id == 4
    assert 0 < max(cut) <= tokenize.CUT_WHOLE
