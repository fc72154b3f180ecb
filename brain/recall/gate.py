"""The gate: can this memory answer this?

A small logistic model over evidence that can be calibrated: which share of the query's content the
best hits hold, how near the nearest meaning is against what this model gives unrelated text and
against this file's crowd, whether the lanes agree. Neither a raw cosine nor an RRF value is a
threshold. One weights file for each embedder we know and one for none. Any other model takes
:data:`BASE`'s in its own units, what it gives unrelated texts having been measured and kept in the
file; where that is not there it is ``uncalibrated`` and is judged by words alone.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from brain.errors import EXIT_DATA, BrainError
from brain.memory import Gate, Hit
from brain.recall import in_time, language
from brain.recall.query import Question
from brain.recall.rerank import Evidence
from brain.recall.retrieve import Ranked, is_turn
from brain.text import answer_kind
from brain.text.fold import fold

_WEIGHTS = Path(__file__).parent / "weights"
NO_MODEL = "none"

BASE = "e5-small"
"""Whose weights a model without its own is judged by: the one that knows both languages."""

GATE_VARIABLE = "BRAIN_GATE"
DEFAULT = "balanced"
POINTS = ("quiet", DEFAULT, "eager")
"""At most about 2, 5 and 10 % of the questions whose topic is absent pass (bench/fit_gate.py)."""

HEAD = 5
"""How many of the best hits are held against a question."""

MOST_LENGTH = 2000
"""Characters of a text beyond which it counts as no longer."""

BARE = 0.8
"""The probability given to a bare word that a note holds."""

RELEVANT = 0.15
RELEVANT_CONTENT = 0.25
"""Below this probability, and holding less than this share of its content, a skill has nothing to
do with a question."""

HELD_WHOLE = 0.999


RIVAL = 0.2
"""What is left of the probability of a note that tells of another in the place of the one asked
for: 李梦琪's birthday is not 李梦瑶's, however much else agrees. Such pairs are too rare to be
fitted."""

LEAST_NOTES, MOST_NOTES = 2, 100_000
"""The range of file sizes the fit has seen anything like; outside it the nearer end stands in."""


LIFT_SHARE = 0.8
"""How much of the gap between languages is made good: a match across stands out less than one
within, and with the whole gap unrelated English passes (tests/recall/test_language.py)."""


class Weights(NamedTuple):
    """A fitted gate: see ``bench/fit_gate.py``, which writes the files.

    Args:
        model: the embedder it belongs to, or ``none``.
        bias: of the logistic model.
        weights: feature → weight.
        thresholds: operating points by name, each a probability: ``balanced`` is the default,
            ``quiet`` injects less, ``eager`` more.
        near, spread: mean and standard deviation of the similarity this embedder gives a query
            and unrelated text, both Chinese.
        languages: that mean where one of them or both are English, by :func:`languages.pair`;
            empty where it was not measured.
    """

    model: str
    bias: float
    weights: Mapping[str, float]
    thresholds: Mapping[str, float]
    near: float
    spread: float
    languages: Mapping[str, float] = MappingProxyType({})

    def background(self, asked: str) -> float:
        """The mean similarity of a question in a language to unrelated text in the same."""
        return self.languages.get(language.pair(asked, asked), self.near)

    def lift(self, asked: str) -> float:
        """What to add to a similarity across languages so that it counts like one within."""
        if not self.languages:
            return 0.0
        across = language.pair(asked, language.OTHER[asked])
        return LIFT_SHARE * (self.background(asked) - self.languages[across])


@cache
def load(model: str) -> Weights | None:
    """The weights of an embedder, or None where none were fitted."""
    path = _WEIGHTS / f"{model}.json"
    if "/" in model or not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    return Weights(
        data["model"],
        data["bias"],
        data["weights"],
        data["thresholds"],
        data["near"],
        data["spread"],
        data.get("languages", {}),
    )


def calibrated(model: str | None, recorded: str | None) -> str | Weights | None:
    """What an embedder is judged by: its name, or weights in the units that were measured for it.

    Args:
        recorded: what the file says of :func:`brain.embed.background.measure`.
    """
    if model is None or load(model) is not None:
        return model
    from brain.embed import background  # for models of the user's own alone

    base, measured = load(BASE), background.read(recorded)
    if base is None or measured is None:
        return model
    near, spread, languages = measured
    return base._replace(model=model, near=near, spread=spread, languages=languages)


def lift(model: str | Weights | None, asked: str) -> float:
    """:meth:`Weights.lift` of an embedder; 0 for one without weights."""
    weights = load(model) if isinstance(model, str) else model
    return weights.lift(asked) if weights else 0.0


def checked_threshold(value: float | str | None) -> float | str | None:
    """Accepts a probability, the name of an operating point, or None for ``BRAIN_GATE``'s, else
    the default.

    Raises:
        BrainError: ``brain_threshold_invalid`` (65).
    """
    named = "阈值"
    if value is None:
        value = os.environ.get(GATE_VARIABLE) or None
        named = f"环境变量 {GATE_VARIABLE} "
    if value is None or value in POINTS:
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if 0.0 <= number <= 1.0:
        return number
    raise BrainError(
        "brain_threshold_invalid",
        f"{named}应是 0 到 1 的数，或 {'、'.join(POINTS)} 之一，收到 {str(value)[:40]}。",
        EXIT_DATA,
    )


def features(question: Question, ranked: Ranked, weights: Weights, hit: Hit) -> dict[str, float]:
    """What the model looks at for one hit.

    ``content``: the IDF share of the question's content grams it holds. ``soft``: the same of its
    words, by their rarity in the language, with typos and words of near meaning. ``nearness``: how
    many standard deviations its similarity lies above what this embedder gives unrelated text.
    These mean less in a long text than in a short one (it holds more words by chance, and its
    vector is more of a mixture), hence ``length`` and the products. ``fit``: whether it is of the
    time asked about. ``day``: if so, how rare notes of that time are. ``kind``: whether it holds
    something of the kind asked for. ``named``, ``unnamed``: of
    :class:`brain.recall.rerank.Named`. ``work`` and the others of
    :class:`brain.text.intent.Intent`: what the message is for; work is a reason for silence
    where a note does not hold what it is about (``work_content``). ``notes``: among more notes the
    nearest unrelated one is nearer.
    """
    found = ranked.evidence[hit.id]
    length = math.log(min(max(len(hit.memory.text), 1), MOST_LENGTH)) / math.log(10)
    out = {
        "content": found.content,
        "length": length,
        "content_length": found.content * length,
        "soft": found.soft,
        "soft_length": found.soft * length,
        "fit": float(found.fit >= in_time.IN_TIME),
        "day": _rarity(ranked) if found.fit >= in_time.IN_TIME else 0.0,
        "kind": _kind(question, found, hit),
        "named": found.names.best,
        "unnamed": found.names.absent,
        **question.intent._asdict(),
        "work_content": question.intent.work * found.content,
        "notes": math.log10(min(max(ranked.total, LEAST_NOTES), MOST_NOTES)),
    }
    if found.similarity is not None and weights.model != NO_MODEL:
        nearness = (found.similarity - weights.background(question.language)) / weights.spread
        out["nearness"] = nearness
        out["nearness_length"] = nearness * length
        out["nearness_content"] = nearness * found.content
    return out


def _rarity(ranked: Ranked) -> float:
    """How few of the notes are of the time asked for, as an IDF: 去年 says little, 5月8号 much."""
    return math.log10(max(ranked.total, 1) / max(ranked.told, 1)) if ranked.told else 0.0


def _kind(question: Question, found: Evidence, hit: Hit) -> float:
    """Whether a hit holds something of the kind that is asked for, near the words it shares."""
    if not question.kinds:
        return answer_kind.UNKNOWN
    folded = fold(hit.memory.text)
    places = [(at, at + len(term)) for term in found.held if (at := folded.find(term)) >= 0]
    return answer_kind.answers(question.kinds, folded, places)


def probability(weights: Weights, found: Mapping[str, float]) -> float:
    """The logistic model's value, in (0, 1)."""
    z = weights.bias + sum(weights.weights.get(name, 0.0) * x for name, x in found.items())
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, z))))


def judge(
    question: Question,
    notes: Ranked,
    skills: Ranked,
    model: str | Weights | None,
    threshold: float | str | None,
    degraded: tuple[str, ...],
) -> Gate:
    """Whether the hits answer the question, and which of them belong in a block; no reasons yet.

    Args:
        notes, skills: what was found; skills have places of their own and may answer alone.
        model: the embedder that took part, as of :func:`calibrated`, or None.
        threshold: from :func:`checked_threshold`.
        degraded: codes to pass on.
    """
    if is_empty(question, notes, skills):
        return Gate(False, 0.0, (), (), degraded)
    weights, marks = weights_of(model)
    limit = limit_of(weights, threshold)
    best = 0.0
    ids: list[int] = []
    for ranked in (notes, skills):
        if not ranked.hits:
            continue
        own = own_probabilities(question, ranked, weights)
        value = likeliest(ranked, own)
        best = max(best, value)
        if value >= limit:
            ids += worth_showing(ranked, own, limit)
    return Gate(best >= limit, best, (), tuple(ids), (*degraded, *marks))


def is_empty(question: Question, notes: Ranked, skills: Ranked) -> bool:
    """Whether there is nothing to judge: no question, nothing to look for, or nothing found."""
    return question.chitchat or not question.searchable or not (notes.hits or skills.hits)


def answers(question: Question, ranked: Ranked, weights: Weights, hit: Hit) -> float:
    """The probability that a hit answers.

    A bare word or two that a note holds whole is answered by it: the model, fitted on questions,
    finds too little nearness between one word and a sentence. So is a pasted log by the note of an
    error code in it.
    """
    if not ranked.evidence[hit.id].timely:
        return 0.0
    found = features(question, ranked, weights, hit)
    if weights.model == NO_MODEL and found["content"] <= 0.0 and found["soft"] <= 0.0:
        # Without vectors words are all the evidence there is.
        return 0.0
    value = probability(weights, found)
    if ranked.evidence[hit.id].names.rival:
        return RIVAL * value
    pasted = question.long and found["named"] >= HELD_WHOLE
    if pasted or (question.bare and found["content"] >= HELD_WHOLE):
        return max(value, BARE)
    return value


def likeliest(ranked: Ranked, own: Mapping[int, float]) -> float:
    """The probability that the best hits answer: that of the likeliest of the first ``HEAD``.

    Args:
        own: from :func:`own_probabilities`.
    """
    return max((own[h.id] for h in in_asked_time(ranked).hits[:HEAD]), default=0.0)


def relevant(question: Question, skills: Ranked, model: str | Weights | None) -> Ranked:
    """The skills that speak to a question at all; places are not filled for their own sake."""
    if not skills.hits:
        return skills
    weights, _ = weights_of(model)
    kept = tuple(
        h
        for h in skills.hits
        if skills.evidence[h.id].content >= RELEVANT_CONTENT
        or answers(question, skills, weights, h) >= RELEVANT
    )
    return skills._replace(hits=kept)


def limit_of(weights: Weights, threshold: float | str | None) -> float:
    """The probability from which on the gate says yes.

    Args:
        threshold: from :func:`checked_threshold`.
    """
    return threshold if isinstance(threshold, float) else weights.thresholds[threshold or DEFAULT]


def weights_of(model: str | Weights | None) -> tuple[Weights, tuple[str, ...]]:
    if isinstance(model, Weights):
        return model, ()
    none = load(NO_MODEL)
    if none is None:
        raise BrainError(
            "brain_gate_missing", "缺少判断门的权重文件，请重新安装 brain-memory。", 69
        )
    if model is None:
        return none, ()
    fitted = load(model)
    return (none, ("uncalibrated",)) if fitted is None else (fitted, ())


SHARE_OF_BEST = 0.5
"""A hit whose own probability is below this share of the best one's, and below what the gate wants,
is not shown with it."""


def own_probabilities(question: Question, ranked: Ranked, weights: Weights) -> dict[int, float]:
    """The probability that each hit by itself answers."""
    return {h.id: answers(question, ranked, weights, h) for h in ranked.hits}


def worth_showing(ranked: Ranked, own: Mapping[int, float], limit: float) -> tuple[int, ...]:
    """The hits that themselves speak to the question, in their order; the first always does.

    Args:
        own: from :func:`own_probabilities`.
        limit: from :func:`limit_of`.
    """
    least = min(SHARE_OF_BEST * max(own.values()), limit)
    keep = [
        h.id
        for h in ranked.hits
        if (own[h.id] >= least or _answers_a_turn(ranked, h))
        # 上周做了什么: what is of another time speaks to nothing that is asked.
        and ranked.evidence[h.id].timely
    ]
    return tuple(keep) if keep else (ranked.hits[0].id,)


def in_asked_time(ranked: Ranked) -> Ranked:
    """The hits that may answer for the time asked about."""
    return ranked._replace(hits=tuple(h for h in ranked.hits if ranked.evidence[h.id].timely))


def _answers_a_turn(ranked: Ranked, hit: Hit) -> bool:
    """Whether a hit is a turn of a conversation beside the one that matched: the answer to it."""
    found = ranked.evidence[hit.id]
    return is_turn(hit.memory) and found.support > 0.5 * found.score
