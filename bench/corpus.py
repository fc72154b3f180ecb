"""Large seeded corpora: real sentences recombined, with vectors to match.

A note is one or two real sentences of the evaluation data with a made-up name, number or date, so
that words follow a real distribution. Its vector is made and not embedded: the real vectors of
those sentences mixed in proportion, plus a share of the difference between two other real vectors.
So vectors keep the real directions, spread and crowding; what a note means is only roughly so.
Questions and their vectors are real.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import data
from bench.notes import Asked
from bench.vectors import CachedEmbedder
from brain.text.fold import simplify

SETS = ("memdaily-a", "para-lcqmc-dev", "abst-lcqmc-dev", "tidb-faq-a", "cmrc-trial", "locomo-en-a")
"""Where sentences are from."""

LONGEST = 160
"""Characters of a real text up to which it counts as a sentence."""

STRAY = 0.35
"""Share of the difference of two other vectors in a note's own."""

FREQUENT = ("什么", "手机", "怎么", "我们", "时候", "可以", "今天", "多少")

_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余"
_GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰涛明超霞平刚桂文辉玲华红健鹏飞宇欣雨晨浩然子涵思远嘉琪梓"


@dataclass(frozen=True, slots=True)
class Note:
    """A text and what its vector is mixed from: places of four sentences, and the first's share."""

    text: str
    parts: tuple[int, int, int, int]
    share: float


class Corpus:
    """The sentences and questions of the data folder, with their vectors.

    Args:
        folder: the evaluation data.
        embedder: its cache holds the sentences' vectors, or the model makes them once.
    """

    def __init__(self, folder: Path, embedder: CachedEmbedder) -> None:
        tasks = [data.load(folder, name) for name in SETS]
        found = {d.text for task in tasks for d in task.docs if len(d.text) <= LONGEST}
        self.sentences = sorted(found)
        self._embedder = embedder
        self._asked = sorted({q.text for task in tasks for q in task.queries})
        random.Random(3).shuffle(self._asked)

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """The sentences' vectors, (n, dim)."""
        return self._embedder.embed_documents([simplify(text) for text in self.sentences])

    def notes(self, count: int, seed: int = 1) -> Iterator[Note]:
        """``count`` notes; a longer corpus of the same seed begins with a shorter one."""
        draw = random.Random(seed)
        for number in range(count):
            parts = tuple(draw.randrange(len(self.sentences)) for _ in range(4))
            share = draw.uniform(0.55, 1.0)
            first, second = self.sentences[parts[0]], self.sentences[parts[1]]
            name = draw.choice(_SURNAMES) + "".join(draw.sample(_GIVEN, draw.randint(1, 2)))
            date = f"{draw.randint(1, 12)}月{draw.randint(1, 28)}日"
            added = draw.choice((name, date, f"{name}{date}", f"编号{number}", f"{number % 997}号"))
            text = f"{added}，{first}" if share > 0.8 else f"{first}，{added}，{second}"
            yield Note(text, parts, share)

    def vector(self, note: Note) -> NDArray[np.float32]:
        """The made vector of a note, unit length."""
        a, b, c, d = (self.vectors[place] for place in note.parts)
        mixed = note.share * a + (1.0 - note.share) * b + STRAY * (c - d)
        return np.asarray(mixed / np.linalg.norm(mixed), dtype=np.float32)

    def questions(self, each: int, seed: int = 2) -> list[Asked]:
        """``each`` questions of every kind, mixed."""
        draw = random.Random(seed)
        found: list[Asked] = []
        for place in range(each):
            found.append(Asked("bare frequent word", FREQUENT[place % len(FREQUENT)]))
            found.append(Asked("question", self._asked[place]))
            chatter = "，".join(draw.choice(self.sentences) for _ in range(12))
            found.append(Asked("long message", f"{chatter}。对了，{self._asked[-1 - place]}"))
        draw.shuffle(found)
        return found

    def question_vectors(self, count: int) -> NDArray[np.float32]:
        """Real questions' vectors, (count, dim)."""
        return np.stack([self._embedder.embed_query(text) for text in self._asked[:count]])


class MadeVectors:
    """The engine's embedder on such a corpus: made vectors for notes, real ones for questions."""

    def __init__(self, corpus: Corpus, embedder: CachedEmbedder) -> None:
        self.name = embedder.name
        self.dim = embedder.dim
        self.max_tokens = embedder.max_tokens
        self.languages = embedder.languages
        self._corpus = corpus
        self._real = embedder
        self._made: dict[str, Note] = {}

    def expect(self, notes: Sequence[Note]) -> None:
        """The notes whose texts come next."""
        self._made = {simplify(note.text): note for note in notes}

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of expected notes; of a long one's passages, its own for each."""
        found = [self._made.get(text) or self._nearest(text) for text in texts]
        return np.stack([self._corpus.vector(note) for note in found])

    def _nearest(self, text: str) -> Note:
        return next(note for whole, note in self._made.items() if text in whole)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The real vector of a question."""
        return self._real.embed_query(text)
