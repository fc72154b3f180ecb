"""Plot of a cache audit: the share of each prompt that came from the cache, request by request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from brain.results import CacheAudit, CacheSession
from brain.text.controls import visible

MARK = "<!-- brain cache-audit -->"
"""Begins a plot, so that the next one may take its place."""

COLOURS = {
    "compaction": "#888888",
    "model": "#1f77b4",
    "idle": "#bcbd22",
    "memory": "#d62728",
    "tools": "#9467bd",
    "unexpected": "#ff7f0e",
}
_WIDTH, _HEIGHT, _LEFT, _GAP = 640, 80, 10, 44
_MOST_POINTS = 2_000
_LEVELS = "▁▂▃▄▅▆▇█"
_COLUMNS = 60


def svg(audit: CacheAudit) -> Iterator[str]:
    """The lines of an SVG file: a curve for each session, a mark in its cause's colour a drop."""
    height = max(1, len(audit.sessions)) * (_HEIGHT + _GAP) + _GAP
    yield f"{MARK}\n"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + 2 * _LEFT}" height="{height}"'
        ' font-family="sans-serif" font-size="11">\n'
    )
    yield '<rect width="100%" height="100%" fill="white"/>\n'
    for place, (cause, colour) in enumerate(COLOURS.items()):
        x = _LEFT + place * 100
        yield f'<circle cx="{x + 4}" cy="16" r="4" fill="{colour}"/>'
        yield f'<text x="{x + 12}" y="20">{cause}</text>\n'
    for place, session in enumerate(audit.sessions):
        yield from _curve(session, _GAP + place * (_HEIGHT + _GAP))
    yield "</svg>\n"


def _curve(session: CacheSession, top: int) -> Iterator[str]:
    name = escape(visible(session.id)[:60])
    yield (
        f'<text x="{_LEFT}" y="{top + 12}">{name}  '
        f"{session.turns} 轮  命中 {session.hit_ratio:.0%}</text>\n"
    )
    base = top + 18 + _HEIGHT
    yield (
        f'<rect x="{_LEFT}" y="{top + 18}" width="{_WIDTH}" height="{_HEIGHT}"'
        ' fill="none" stroke="#cccccc"/>\n'
    )
    last = max(1, session.turns - 1)

    def at(turn: int, share: float) -> tuple[float, float]:
        return _LEFT + (turn - 1) / last * _WIDTH, base - share * _HEIGHT

    step = max(1, session.turns // _MOST_POINTS)
    points = (at(n, share) for n, share in enumerate(session.ratios, start=1) if not n % step)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{line}" fill="none" stroke="#2ca02c"/>\n'
    for drop in session.drops:
        x, y = at(drop.turn, session.ratios[drop.turn - 1])
        told = escape(f"第 {drop.turn} 轮：{drop.cause}，少读 {drop.tokens} {visible(drop.detail)}")
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[drop.cause]}">'
            f"<title>{told}</title></circle>\n"
        )


def spark(ratios: Sequence[float]) -> str:
    """The same as one line of at most 60 characters; of several requests a column has the least,
    so that no drop is smoothed away."""
    step = -(-len(ratios) // _COLUMNS) or 1
    least = (min(ratios[n : n + step]) for n in range(0, len(ratios), step))
    return "".join(_LEVELS[min(len(_LEVELS) - 1, int(share * len(_LEVELS)))] for share in least)
