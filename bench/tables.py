"""Markdown tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

Cell = str | float | int | None
Row = list[Cell]


def number(value: float | None, digits: int = 3) -> str:
    """``.983``, ``1.000``; a dash for what was not measured."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 3) -> str:
    """A Markdown table; the first column is text, floats get ``digits`` decimals."""
    lines = [list(head), ["---", *["---:"] * (len(head) - 1)]]
    for row in rows:
        lines.append([c if isinstance(c, str) else _cell(c, digits) for c in row])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: float | int | None, digits: int) -> str:
    return str(value) if isinstance(value, int) else number(value, digits)


def publish(path: Path, section: str, text: str) -> None:
    """Puts a text into a Markdown file between the marks of its section; everything else stays.

    Args:
        path: made when missing; a file without the marks gets them at its end.
        section: the program and its model, as ``retrieval e5-small``.
    """
    begin, end = f"<!-- bench: {section} -->", f"<!-- /bench: {section} -->"
    block = f"{begin}\n\n{text.strip()}\n\n{end}"
    path.parent.mkdir(parents=True, exist_ok=True)
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        new = before + block + rest.split(end, 1)[1]
    else:
        new = f"{old.rstrip()}\n\n{block}\n".lstrip()
    path.write_text(new, encoding="utf-8")
