"""The second stage weighs enough candidates of each lane."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain, Draft


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
