"""Markdown tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
