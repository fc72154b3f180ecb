"""Plain baselines of ``before``, ``why``, ``compare``: what one lane or one word list does alone.

``words``: BM25 over bigrams; ``vectors``: the embedder's cosine. Each with the threshold that is
best for it on the very set it is scored on, with the engine's signs and its table of verdicts.
``published``: the rule of causal-memory (github.com/JingxuanC/causal-memory, ``store/utils.rs``):
ten words of failure, eleven of success, success wins; here on the best record that shares a bigram.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brain.embed.protocol import Embedder
from brain.text import bm25
from brain.text.fold import fold, simplify
from brain.text.polarity import sign
from brain.text.tokenize import query_terms

Row = dict[str, Any]
Scores = Callable[[str, Sequence[str]], NDArray[np.float64]]
"""How well each of some texts answers a question."""

MOST = 3
"""Records looked at, the best."""

_FAILURE = (
    "fail",
    "error",
    "crash",
    "deadlock",
    "timeout",
    "panic",
    "失败",
    "报错",
    "死锁",
    "崩溃",
)
_SUCCESS = ("成功", "通过", "修复")
_SUCCESS_EN = r"\b(?:ok|pass|passed|fixed|resolved|succeed|succeeds|succeeded|success\w*)\b"


def words(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """BM25 over bigrams, the texts as the collection."""
    return np.array(bm25.scores(texts, query_terms(fold(question))))


def vectors(embedder: Embedder) -> Scores:
    """The cosine of question and text."""
    known: dict[tuple[str, ...], NDArray[np.float32]] = {}

    def scores(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        key = tuple(texts)
        if key not in known:
            known[key] = embedder.embed_documents([simplify(t) for t in texts])
        return np.asarray(known[key] @ embedder.embed_query(simplify(question)), dtype=np.float64)

    return scores


def published_sign(outcome: str) -> str:
    """The published word list's sign."""
    lower = outcome.lower()
    if any(w in lower for w in _SUCCESS) or re.search(_SUCCESS_EN, lower):
        return "good"
    return "bad" if any(w in lower for w in _FAILURE) else "neutral"


_TURNED = {"bad": "good", "good": "lost"}


def effect(record: Row) -> str:
    """What a record says of its decision, as the engine's table has it."""
    said = sign(record["outcome"])
    if record["relation"] in ("caused", "enabled"):
        return said
    return _TURNED.get(said, "neutral") if record["relation"] == "prevented" else "neutral"


def verdict(effects: Sequence[str]) -> str:
    """The engine's table of verdicts, without what later outcomes outweigh."""
    if not effects:
        return "no_precedent"
    good = any(e in ("good", "mixed") for e in effects)
    bad = any(e in ("bad", "mixed") for e in effects)
    if (bad and good) or "lost" in effects:
        return "warning"
    return "danger" if bad else "safe" if good else "unclear"


def _best(scores: NDArray[np.float64], least: float) -> list[int]:
    order = np.argsort(-scores, kind="stable")[:MOST]
    return [int(n) for n in order if scores[n] >= least and scores[n] > 0]


def _before(
    records: Sequence[Row], asked: Sequence[Row], rated: list[Any], least: float
) -> list[Row]:
    out = []
    for row, scores in zip(asked, rated, strict=True):
        found = _best(scores, least)
        said = verdict([effect(records[n]) for n in found])
        out.append({"id": row["id"], "verdict": said, "reasons": [records[n]["id"] for n in found]})
    return out


def _why(records: Sequence[Row], asked: Sequence[Row], rated: list[Any], least: float) -> list[Row]:
    out = []
    for row, scores in zip(asked, rated, strict=True):
        found = [records[n] for n in _best(scores, least)]
        causes = [r["id"] for r in found if r["relation"] in ("caused", "enabled")]
        stops = [r["id"] for r in found if r["relation"] == "prevented"]
        out.append({"id": row["id"], "causes": causes, "preventers": stops})
    return out


def answers(
    scores: Scores, records: Sequence[Row], sets: dict[str, list[Row]]
) -> dict[str, list[Row]]:
    """The answers of one lane alone, with the thresholds that are best for it on these sets."""
    decisions, outcomes = [r["decision"] for r in records], [r["outcome"] for r in records]
    acted = [scores(row["action"], decisions) for row in sets["before"]]
    ended = [scores(row["outcome"], outcomes) for row in sets["why"]]
    points = sorted({float(x) for found in acted for x in np.sort(found)[-2:]})
    right = lambda rows: sum(  # noqa: E731
        g["verdict"] == r["verdict"] for g, r in zip(rows, sets["before"], strict=True)
    )
    least = max(points, key=lambda p: right(_before(records, sets["before"], acted, p)))
    traced = sorted({float(x) for found in ended for x in np.sort(found)[-2:]})

    def known(rows: list[Row]) -> float:
        hits = 0.0
        for got, row in zip(rows, sets["why"], strict=True):
            want = set(row["causes"])
            hits += len(want & set(got["causes"])) / len(want) if want else not got["causes"]
        return hits

    point = max(traced, key=lambda p: known(_why(records, sets["why"], ended, p)))
    compared = []
    for row in sets["compare"]:
        sides = []
        for side in (row["a"], row["b"]):
            found = _best(scores(side, decisions), least)[:1]
            sides.append(effect(records[found[0]]) if found else "")
        won = [sides == ["good", "bad"], sides == ["bad", "good"]]
        better = "a" if won[0] else "b" if won[1] else "insufficient"
        compared.append({"id": row["id"], "better": better})
    return {
        "before": _before(records, sets["before"], acted, least),
        "why": _why(records, sets["why"], ended, point),
        "compare": compared,
    }


def published(records: Sequence[Row], sets: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """The published rule: the best record that shares a bigram, and its outcome's word list."""
    said = {"good": "safe", "bad": "danger", "neutral": "unclear"}
    decisions = [r["decision"] for r in records]
    rows = []
    for row in sets["before"]:
        found = _best(words(row["action"], decisions), 0.0)[:1]
        told = said[published_sign(records[found[0]]["outcome"])] if found else "no_precedent"
        rows.append(
            {"id": row["id"], "verdict": told, "reasons": [records[n]["id"] for n in found]}
        )
    signs = [{"text": r["text"], "sign": published_sign(r["text"])} for r in sets["polarity"]]
    return {"before": rows, "polarity": signs}
