"""What a model gives unrelated texts: measured, kept in the file, and what the gate makes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from brain import Brain
from brain.embed import background
from brain.embed.protocol import Embedder
from brain.recall import gate
from brain.store import meta

NOTES = ("备用钥匙放在门卫老周那里", "我对花生过敏，吃了会起疹子", "周报每周五下班前发给主管")


_known: dict[tuple[str, str], NDArray[np.float32]] = {}
"""What the bundled model gave: it takes seconds for the sentences."""


class Cached:
    """The bundled model, asked once for each text."""

    def __init__(self, real: Embedder) -> None:
        self.real, self.name, self.dim = real, real.name, real.dim
        self.max_tokens, self.languages = real.max_tokens, real.languages

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in texts if ("d", text) not in _known]
        if new:
            found = self.real.embed_documents(new)
            _known.update((("d", text), row) for text, row in zip(new, found, strict=True))
        return np.array([_known["d", text] for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if ("q", text) not in _known:
            _known["q", text] = self.real.embed_query(text)
        return _known["q", text]


@pytest.fixture
def model(e5: Embedder) -> Embedder:
    return Cached(e5)


class Renamed:
    """The bundled model under a name nobody has fitted a gate for; ``squeezed``, with its
    similarities nearer to each other."""

    def __init__(self, real: Embedder, name: str = "custom", squeezed: float = 0.0) -> None:
        self.real, self.name, self.asked = real, name, 0
        self.dim = real.dim + 1
        self.max_tokens, self.languages = real.max_tokens, real.languages
        self.squeezed = squeezed

    def _with(self, found: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = np.atleast_2d(found)
        more = np.full((len(rows), 1), self.squeezed, dtype=np.float32)
        out = np.concatenate([rows, more], axis=1)
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).reshape(*found.shape[:-1], -1)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += len(texts)
        return self._with(self.real.embed_documents(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.asked += 1
        return self._with(self.real.embed_query(text))


class Constant:
    """A model to which all texts are alike."""

    name, dim, max_tokens, languages = "constant", 4, 512, ("zh",)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 4), 0.5, dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.full(4, 0.5, dtype=np.float32)


def test_the_sentences_are_many_short_and_each_there_once() -> None:
    told = json.loads(background.SENTENCES.read_text(encoding="utf-8"))
    counts = {language: sum(map(len, of.values())) for language, of in told.items()}
    assert counts == {"zh": 150, "en": 100}
    every = [text for of in told.values() for texts in of.values() for text in texts]
    assert len(set(every)) == len(every)
    assert max(map(len, every)) < 100


def test_the_bundled_model_comes_out_as_it_was_fitted(model: Embedder) -> None:
    found = background.measure(model)
    fitted = gate.load("e5-small")
    assert fitted is not None
    assert abs(found["near"] - fitted.near) < fitted.spread / 4
    assert abs(found["spread"] / fitted.spread - 1) < 0.1
    for pair, mean in fitted.languages.items():
        assert abs(found["languages"][pair] - mean) < fitted.spread, pair


@pytest.mark.parametrize("squeezed", [0.0, 1.0])
def test_a_model_nobody_fitted_is_judged_in_its_own_units(
    model: Embedder, tmp_path: Path, squeezed: float
) -> None:
    """The same model, its similarities moved: the gate says what it says under the fitted one."""
    custom = Renamed(model, squeezed=squeezed)
    with (
        Brain.open(tmp_path / "own.db", model=custom) as own,
        Brain.open(tmp_path / "fitted.db", model="e5-small") as fitted,
    ):
        for brain in (own, fitted):
            for note in NOTES:
                brain.add(note)
        custom.asked = 0
        for question in (
            "吃花生会怎么样",
            "钥匙在谁那儿",
            "火星上有几个探测器",
            "when is the report due",
        ):
            theirs, ours = fitted.check(question), own.check(question)
            assert ours.degraded == theirs.degraded == ()
            assert ours.answerable == theirs.answerable, question
            assert abs(ours.probability - theirs.probability) < 0.2, question
        assert custom.asked <= 8, "a reading verb measured"


def test_it_is_measured_once_and_kept(model: Embedder, tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    with Brain.open(path, model=Renamed(model)) as brain:
        brain.add(NOTES[0])
        kept = brain._facts()[meta.CALIBRATION]
    assert background.read(kept) is not None
    again = Renamed(model)
    with Brain.open(path, model=again) as brain:
        brain.add(NOTES[1])
        assert again.asked == 1
        assert brain._facts()[meta.CALIBRATION] == kept


def test_a_file_without_it_gets_it_by_its_next_write_and_by_no_reading(
    model: Embedder, tmp_path: Path
) -> None:
    path = tmp_path / "b.db"
    with Brain.open(path, model=Renamed(model)) as brain:
        brain.add(NOTES[0])
        with brain._store.write() as db:
            meta.put(db, **{meta.CALIBRATION: None})
        assert "uncalibrated" in brain.check("钥匙在谁那儿").degraded
        assert meta.CALIBRATION not in brain._facts()
        brain.add(NOTES[1])
        assert brain.check("钥匙在谁那儿").degraded == ()


def test_a_model_that_tells_nothing_apart_stays_uncalibrated(tmp_path: Path) -> None:
    with Brain.open(tmp_path / "b.db", model=Constant()) as brain:
        brain.add(NOTES[0])
        assert brain._facts()[meta.CALIBRATION] == "{}"
        found = brain.check("备用钥匙放在哪里")
        assert "uncalibrated" in found.degraded
        assert found.answerable


def test_what_cannot_be_right_is_none() -> None:
    good = {"near": 0.5, "spread": 0.1, "languages": {"zh-en": 0.4, "en-zh": 0.4, "en-en": 0.5}}
    assert background.read(json.dumps(good)) is not None
    for bad in (
        None, "", "{", "[]", "1", "{}", "[" * 9999,
        json.dumps({**good, "spread": 0}),
        json.dumps({**good, "near": "NaN"}),
        json.dumps({**good, "near": float("nan")}),
        json.dumps({**good, "spread": 1e9}),
        json.dumps({**good, "languages": {}}),
        json.dumps({**good, "languages": 3}),
    ):  # fmt: skip
        assert background.read(bad) is None, bad
