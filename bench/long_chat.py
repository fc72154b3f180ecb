"""Measures facts told in passing in a long chat against the same facts as notes of their own:
``python -m bench.long_chat --data DIR [--characters 40000]``.

The facts (``told.tsv``: what was said, the question, what its answer must hold) are turns of one
Claude Code session whose other turns are short requests and long answers, passages of an
encyclopedia. Both files hold the same short notes of other people beside them.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench import data
from bench.tables import Row, publish, table
from brain import Brain, Draft

TOLD = Path(__file__).with_name("told.tsv")
SETS = ("cmrc-dev-a", "abst-memdaily-a", "abst-lcqmc-dev")
BESIDE = 100
"""Short notes of other people in each file."""

REQUESTS = (
    "这个报错一般是什么原因", "帮我看看这段怎么写更好", "继续", "那如果换一种方式呢",
    "能不能再讲细一点", "给我一个例子", "这样改有没有副作用", "总结一下前面说的",
    "周末适合去哪里走走", "晚饭做点什么简单的", "帮我把这段话改得客气一点",
    "这个方案的缺点有哪些", "再想想别的办法", "把步骤列出来",
)  # fmt: skip
ASIDES = ("顺便说一句，", "对了，", "另外提醒你，", "还有个事，", "")


class Fact(NamedTuple):
    """What was told, the question about it, and what the answer must hold."""

    told: str
    question: str
    answer: str


def facts() -> list[Fact]:
    """The facts of ``told.tsv``."""
    return [Fact(*line.split("\t")) for line in TOLD.read_text(encoding="utf-8").splitlines()]


def chat(rng: random.Random, told: Sequence[Fact], answers: Sequence[str], size: int) -> list[str]:
    """The turns of a session, the user's and the assistant's in turn."""
    turns: list[str] = []
    while sum(map(len, turns)) < size:
        turns += [rng.choice(REQUESTS), "\n".join(rng.sample(answers, rng.randint(1, 2)))]
    places = sorted(rng.sample(range(len(turns) // 2), len(told)))
    for place, fact in zip(places, told, strict=True):
        turns[2 * place] += f"。{rng.choice(ASIDES)}{fact.told}。"
        if rng.random() < 0.5:
            turns[2 * place + 1] = "好的，记下了。" + turns[2 * place + 1]
    return turns


def write(path: Path, turns: Sequence[str]) -> None:
    """A session as Claude Code writes it."""
    at = datetime(2026, 10, 5, 1, tzinfo=UTC)
    with path.open("w", encoding="utf-8") as out:
        for n, text in enumerate(turns):
            role = ("user", "assistant")[n % 2]
            row = {
                "type": role,
                "uuid": f"00000000-0000-4000-8000-{n:012}",
                "sessionId": path.stem,
                "timestamp": (at + timedelta(seconds=40 * n)).isoformat().replace("+00:00", "Z"),
                "message": {"role": role, "content": text},
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def asked(brain: Brain, told: Sequence[Fact]) -> Iterator[tuple[bool, bool, bool, bool]]:
    """Of each fact: among the best five, first, let through, and its answer in the block."""
    for fact in told:
        hits = [fact.told in hit.memory.text for hit in brain.recall(fact.question, 5).hits]
        block = brain.inject(fact.question)
        yield any(hits), hits[:1] == [True], block.answerable, fact.answer in block.block


def main() -> None:
    parser = data.arguments(__doc__.splitlines()[0], SETS)
    parser.add_argument("--characters", type=int, default=40_000, help="default: %(default)s")
    args = parser.parse_args()
    data.check(args.data, SETS)
    told, rng = facts(), random.Random(5)
    answers = [doc.text for doc in data.load(args.data, SETS[0]).docs]
    beside = [doc.text for doc in data.filler(args.data)[:BESIDE]]
    turns = chat(rng, told, answers, args.characters)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for label in ("a note of its own", f"told in a chat of {sum(map(len, turns))} characters"):
            with Brain.open(Path(name, f"{len(rows)}.db"), model=args.model) as brain:
                brain.add_many([Draft(text) for text in beside])
                if rows:
                    write(Path(name, "session.jsonl"), turns)
                    brain.ingest(Path(name, "session.jsonl"))
                else:
                    brain.add_many([Draft(fact.told) for fact in told])
                counts = [sum(each) for each in zip(*asked(brain, told), strict=True)]
            rows.append([label, *(f"{n} / {len(told)}" for n in counts)])
    head = (args.model, "among the best five", "first", "gate lets through", "answer in the block")
    text = f"{len(told)} facts. Made by `python -m bench.long_chat`.\n\n{table(head, rows)}\n"
    print(text)
    if args.out:
        publish(args.out, f"long_chat {args.model}", text)


if __name__ == "__main__":
    main()
