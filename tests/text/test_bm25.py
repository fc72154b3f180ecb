"""BM25: one weight of a term for a file, a text's passages and a handful of texts."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

import brain
from brain.text.bm25 import idf, saturation, scores
from brain.text.tokenize import query_terms


@pytest.mark.parametrize(("holding", "texts"), [(0, 1), (1, 1), (1, 10), (5, 10), (10, 10)])
def test_idf_is_that_of_lucene(holding: int, texts: int) -> None:
    assert idf(holding, texts) == pytest.approx(math.log((texts + 1) / (holding + 0.5)))
    assert idf(holding, texts) > 0


def test_a_rarer_term_weighs_more_and_an_estimate_above_all_weighs_as_all() -> None:
    assert idf(1, 100) > idf(2, 100) > idf(100, 100)
    assert idf(130, 100) == idf(100, 100)


def test_a_term_that_stands_once_in_an_average_text_counts_one() -> None:
    assert saturation(1, 10.0, 10.0) == pytest.approx(1.0)
    assert saturation(5, 10.0, 10.0) < 5


def test_the_text_with_the_rare_term_comes_first() -> None:
    texts = ["部署的步骤", "部署的时间和回滚的步骤", "部署的负责人"]
    found = scores(texts, query_terms("部署回滚"))
    assert max(range(3), key=found.__getitem__) == 1


def test_there_is_one_idf() -> None:
    """Nobody else adds a half to a count inside a logarithm."""
    home = Path(brain.__file__).parent
    others = []
    for file in home.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("math.log", "np.log"):
                halves = [
                    n for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value == 0.5
                ]
                others += [file.relative_to(home).as_posix()] if halves else []
    assert others == ["text/bm25.py"]
