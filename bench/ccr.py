"""What compressing keeps: generated documents of every type, and the shared set's long texts.

``python -m bench.ccr [--data ../shared/eval] [--answers cmrc2018_dev.json] [--out FILE]``. Every
text is compressed as ``inject`` does with a hit at the default budget. Nothing is embedded.

The first table is about generated documents (seeded; :mod:`bench.documents`). The second asks the
queries of the sets of the document that answers them, given that it is ranked first. The folder
holds no answers. CMRC's own file does, so with ``--answers`` its strings are looked for; without
it a stand-in: what follows, in the document, the words that stand before the question word in the
query, up to the next mark. A stand-in exists only where those words occur in the document once, in
a sentence with half of the query's terms, so its queries are easier than the rest and a few are
wrong; the answers decide, the stand-in shows a change. A query's terms are those its document has.
Plain truncation (head) is held against it at the same budget, and the passages of
:mod:`brain.compress.passages` at as many characters.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench import data, documents, recheck
from bench.tables import Cell, Row, number, publish, table
from brain.compress import passages
from brain.compress.budget import Compressed
from brain.compress.compressor import compress
from brain.compress.handles import handle_of
from brain.inject.pack import DEFAULT_BUDGET, FIRST_SHARE
from brain.recall.query import read
from brain.text.fold import fold
from brain.text.sentences import sentences
from brain.text.tokens import estimate

NOW = datetime(2026, 3, 10, tzinfo=UTC)
BUDGET = DEFAULT_BUDGET * FIRST_SHARE // 100
SETS = ("cmrc-dev-a", "tidb-faq-a")
FEWEST = 4
"""Characters of a query that have to stand in the document for a stand-in."""

SHARE = 0.5
"""Share of the query's terms that the stand-in's sentence has to hold."""

_ASKED = re.compile(r"什么|多少|哪[些个里位年种]?|谁|几|何|怎[么样]|如何")
_STOP = re.compile(r"[，。；！？、：\n（(]")


def terms(text: str) -> tuple[str, ...]:
    """A question's terms as the engine hands them to the compressor."""
    asked = read(text, NOW)[0]
    return (*asked.content, *asked.others)


def squeezed(text: str, query: str, budget: int | None = BUDGET) -> Compressed:
    """A text compressed for a query."""
    original = text.encode()
    return compress(original, terms(query), budget, handle_of(original))


def head(text: str, budget: int = BUDGET) -> str:
    """Plain truncation: the longest beginning that fits the budget with a mark and the handle."""
    mark = f"……（只到这里，全文：<<ccr:{handle_of(text.encode())}>>）"
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle] + mark) <= budget:
            low = middle
        else:
            high = middle - 1
    return text[:low] + mark


def generated(count: int) -> str:
    """The table of the generated documents."""
    rows: list[Row] = []
    for kind in documents.KINDS:
        made = documents.make(kind, count)
        done = [squeezed(one.text, one.question) for one in made]
        ready = [(one.text.encode(), terms(one.question)) for one in made]
        start = time.process_time()
        for original, asked in ready:
            compress(original, asked, BUDGET, handle_of(original))
        took = time.process_time() - start
        size = sum(len(one.text.encode()) for one in made) / 2**20
        pairs = list(zip(made, done, strict=True))
        told = ["".join(f for m in recheck.marks(d.text) for f in m[2]) for d in done]
        rows.append(
            [
                kind,
                round(statistics.mean(d.tokens_before for d in done)),
                round(statistics.mean(d.tokens_after for d in done)),
                f"{sum(one.answer in d.text for one, d in pairs)}/{count}",
                f"{sum(one.answer in head(one.text) for one in made)}/{count}",
                f"{sum(one.telling in d.text for one, d in pairs)}/{count}",
                sum(len(x.facts) for d in done for x in d.left_out),
                sum(len(recheck.wrong(d, one.text)) for one, d in pairs),
                sum(s in t for one, t in zip(made, told, strict=True) for s in one.secrets),
                f"{size / took:.1f}",
            ]
        )
    names = (
        f"{count} each, budget {BUDGET}",
        *("tokens before", "after", "answer kept", "head keeps", "telling kept"),
        *("facts stated", "untrue", "secrets in marks", "MB/s"),
    )
    return table(names, rows)


def _stand_in(query: str, text: str) -> str:
    asked = _ASKED.search(query)
    if asked is None:
        return ""
    content = read(query, NOW)[0].content
    before = query[: asked.start()]
    for size in range(len(before), FEWEST - 1, -1):
        at = text.find(before[-size:])
        if at < 0 or text.find(before[-size:], at + 1) >= 0:
            continue
        after = text[at + size :]
        end = _STOP.search(after)
        answer = after[: end.start() if end else len(after)].strip()
        sentence = next(fold(text[a:b]) for a, b in sentences(text) if a <= at < b)
        holds = sum(term in sentence for term in content)
        return before[-size:] + answer if answer and holds >= SHARE * len(content) else ""
    return ""


def _answers(path: Path) -> dict[str, list[str]]:
    """Query ids and answer strings of a file in CMRC's own form."""
    found = {}
    for context in json.loads(path.read_text(encoding="utf-8")):
        for asked in context["qas"]:
            found[asked["query_id"]] = [str(answer).strip() for answer in asked["answers"]]
    return found


def shared(folder: Path, sets: Sequence[str], answers: dict[str, list[str]] | None) -> str:
    """The table of the shared sets' long documents."""
    rows: list[Row] = []
    for name in sets:
        task = data.load(folder, name)
        texts = {doc.id: doc.text for doc in task.docs}
        asked: list[_Asked] = []
        for query in task.queries:
            for doc in sorted(task.relevant.get(query.id, ())):
                text = texts[doc]
                if answers is None:
                    wanted = [_stand_in(query.text, text)]
                else:
                    wanted = answers.get(query.id, [])
                if estimate(text) > BUDGET:
                    held = tuple(one for one in wanted if one and one in text)
                    asked.append(_Asked(query.text, text, held))
        rows.append([name, *_shares(asked)])
    names = (
        f"document ranked first, longer than {BUDGET} tokens",
        *("queries", "with an answer", "**answer kept**", "by head", "by narrow"),
        *("query's terms kept", "by head", "by narrow", "tokens before", "after"),
    )
    return table(names, rows)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, the document that answers it, and strings of which one is the answer."""

    query: str
    text: str
    wanted: tuple[str, ...]


def _shares(asked: Sequence[_Asked]) -> list[Cell]:
    answers: list[list[bool]] = []
    held: list[list[float]] = []
    before: list[int] = []
    after: list[int] = []
    for one in asked:
        sought = terms(one.query)
        done = squeezed(one.text, one.query)
        before.append(done.tokens_before)
        after.append(done.tokens_after)
        ways = (done.text, head(one.text), passages.narrow(one.text, sought, BUDGET)[0])
        if one.wanted:
            answers.append([any(w in shown for w in one.wanted) for shown in ways])
        whole = fold(one.text)
        there = [term for term in sought if term.rstrip("*") in whole]
        if there:
            folded = [fold(shown) for shown in ways]
            held.append([sum(t.rstrip("*") in f for t in there) / len(there) for f in folded])
    kept = [
        [number(statistics.mean(x)) for x in zip(*rows, strict=True)] for rows in (answers, held)
    ]
    nothing = ["–"] * 3
    return [
        *(len(asked), len(answers), *(kept[0] or nothing), *(kept[1] or nothing)),
        *(round(statistics.mean(before)), round(statistics.mean(after))),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the evaluation folder; without it only our own")
    parser.add_argument("--answers", type=Path, help="CMRC's own file, cmrc2018_dev.json")
    parser.add_argument("--each", type=int, default=20, help="documents of each type")
    data.add_out(parser)
    args = parser.parse_args()
    parts = [generated(args.each)]
    if args.data:
        data.check(args.data, SETS)
        parts += [
            "The shared sets, with the stand-in for the answers:",
            shared(args.data, SETS, None),
        ]
        if args.answers:
            parts += ["With CMRC's answers:", shared(args.data, SETS, _answers(args.answers))]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if args.out:
        publish(args.out, "ccr", text)


if __name__ == "__main__":
    main()
