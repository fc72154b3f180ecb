"""Table compressor, for CSV, TSV and Markdown: the header and the rows that matter, and a table
again.

The mark is a row of the table with its text in the first column: ``……`` where rows are missing,
and a last row with the summary.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Sequence

from brain.compress import detect, markers, records, salience
from brain.compress.budget import Cut, LeftOut, fit
from brain.compress.detect import delimiter, is_rule
from brain.text.tokens import estimate

_CELLS = re.compile(r"(?<!\\)\|")


def cut_csv(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts CSV or TSV; a quoted cell with line ends inside stays whole."""
    mark = delimiter(text) or ","
    lines = detect.with_ends(text)
    reader = csv.reader(lines, delimiter=mark)
    rows: list[list[str]] = []
    raw: list[str] = []
    at = 0
    for row in reader:
        source = "".join(lines[at : reader.line_num])
        at = reader.line_num
        if row:
            rows.append(row)
            raw.append(source.rstrip("\r\n"))
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    wide = len(rows[0])

    def marked(told: str) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=mark, lineterminator="").writerow([told, *[""] * (wide - 1)])
        return out.getvalue()

    return _cut(rows[0], rows[1:], raw[:1], raw[1:], marked, end, terms, budget, handle)


def cut_markdown(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts a Markdown table; what stands before its header stays."""
    lines = [line for line in detect.split(text) if line.strip()]
    rule = next(place for place, line in enumerate(lines) if is_rule(line))
    header = _cells(lines[max(rule - 1, 0)])
    body = lines[rule + 1 :]

    def marked(told: str) -> str:
        return "| " + " | ".join([told, *[""] * (len(header) - 1)]) + " |"

    rows = [_cells(line) for line in body]
    return _cut(header, rows, lines[: rule + 1], body, marked, "\n", terms, budget, handle)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _CELLS.split(line.strip().strip("|"))]


def _cut(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    head: Sequence[str],
    raw: Sequence[str],
    marked: Callable[[str], str],
    end: str,
    terms: Sequence[str],
    budget: int | None,
    handle: str,
) -> Cut:
    found = [dict(zip(header, row, strict=False)) for row in rows]
    own = [place for place, row in enumerate(rows) if row and markers.is_mark(row[0])]
    ranking = records.rank(found, raw, terms, own, extremes=True)

    named = salience.Named(raw)

    def render(kept: Collection[int], room: int) -> Cut:
        missing = tuple(p for p in range(len(rows)) if p not in kept)
        if not missing:
            return Cut(end.join([*head, *raw]) + end, ())
        out = list(head)
        before = -1
        for place in sorted(kept):
            if place != before + 1:
                out.append(marked(markers.GAP))
            out.append(raw[place])
            before = place
        said = [*records.facts([found[p] for p in missing]), named.fact(missing, room // 2)]
        facts = markers.fitting_facts(said, room) if room else ()
        told = markers.summary(len(missing), "行", facts, handle)
        out.append(marked((markers.GAP if before != len(rows) - 1 else "") + told))
        return Cut(end.join(out) + end, (LeftOut("行", len(missing), "", missing, facts),))

    def cost(place: int) -> int:
        return estimate(raw[place]) + 1

    return fit(ranking.order[: ranking.natural], cost, render, budget, asked=ranking.asked)
