"""Code, diff and configuration compressor: left whole while that is possible, else cut at whole
blocks.

Of code the lines that name something stay with those the query asks for, of a diff the changed
lines, of a configuration whole top-level blocks, so that what is left still parses. Marks stand in
comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from brain.compress import config_blocks, detect, markers, relevance
from brain.compress.budget import Cut, LeftOut, fit
from brain.text.tokens import estimate

_SIGNATURE = re.compile(
    r"\s*(?:@\w|(?:async\s+)?def \w|class \w|from [\w.]+ import|import \b|#include|package \w"
    r"|using \w|module \w"
    r"|(?:(?:public|private|protected|static|final|abstract|export|default|async|inline|virtual|override|pub)\s+)+\w"
    r"|(?:func|fn|function|struct|enum|interface|trait|impl|type|namespace)\b\s*\(?[\w*]"
    r"|CREATE (?:TABLE|INDEX|VIEW|FUNCTION)\b)"
)
_ERRORS = re.compile(r"\b(?:raise|throw|panic!?|TODO|FIXME|XXX|HACK|assert)\b|注意|警告|不要|必须")
_SLASHES = re.compile(r"^\s*(?://|/\*)|[;{]\s*$", re.MULTILINE)

BLOCK = 24
BLOCK_SHARE = 3
"""Tokens of a block of a configuration that is not divided further: a third of the budget."""


def cut_code(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut | None:
    """Cuts code to a budget; None (leave it whole) without one."""
    if budget is None:
        return None
    lines = detect.split(text)
    weights = relevance.term_weights(lines, terms)
    best = max(weights, default=0.0)
    by_weight = sorted(range(len(lines)), key=lambda p: (-weights[p], p))
    asked = [p for p in by_weight if weights[p] >= 0.45 * best > 0][:8]
    around = [q for p in asked[:3] for q in range(p - 2, p + 6) if 0 <= q < len(lines)]
    named = [p for p, line in enumerate(lines) if _SIGNATURE.match(line)]
    warned = [p for p, line in enumerate(lines) if _ERRORS.search(line)]
    above = [_above(lines, p) for p in asked]
    order = [
        *_marked(lines),
        *asked,
        *[p for p in above if p is not None],
        *around,
        *named,
        *warned,
    ]
    order = [p for p in dict.fromkeys(order) if lines[p].strip()]
    comment = "// " if _SLASHES.search(text) else "# "
    return _cut_lines(lines, order, comment, budget, handle, asked=asked[0] if asked else None)


def cut_diff(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut:
    """Cuts a diff to its headers and changed lines."""
    lines = detect.split(text)
    weights = relevance.term_weights(lines, terms)
    heads = [p for p, line in enumerate(lines) if line.startswith(("diff ", "--- ", "+++ ", "@@"))]
    changed = [
        p for p, line in enumerate(lines) if line[:1] in "+-" and line[:1] and p not in heads
    ]
    best = max((weights[p] for p in changed), default=0.0)
    asked = sorted(
        (p for p in changed if weights[p] >= 0.45 * best > 0), key=lambda p: (-weights[p], p)
    )
    order = list(dict.fromkeys([*_marked(lines), *asked[:8], *heads, *changed]))
    above = {p: tuple(h for h in _headers(heads, lines, p)) for p in order}
    first = asked[0] if asked else None
    return _cut_lines(lines, order, "", budget, handle, lambda p: above[p], first)


def cut_config(text: str, terms: Sequence[str], budget: int | None, handle: str) -> Cut | None:
    """Cuts a configuration at its blocks, the large ones at those inside them; None where that
    would not parse."""
    if budget is None:
        return None
    if re.search(r"(?:^|[\s\[,])[&*][A-Za-z_]\w*\s*(?:$|[,\]\n])", text, re.MULTILINE):
        return None  # YAML anchors: a block may need another
    blocks = config_blocks.split(text, max(BLOCK, budget // BLOCK_SHARE))
    texts = [block.text for block in blocks]
    # What stands above a block says what it is about.
    named = [" ".join([*(texts[p] for p in block.above), block.text]) for block in blocks]
    weights = relevance.term_weights(named, terms)
    order = sorted(range(len(blocks)), key=lambda p: (-weights[p], p))
    asked = order[0] if order and weights[order[0]] > 0 else None
    order = list(dict.fromkeys([*_marked(texts), *order]))
    cut = _cut_lines(texts, order, "# ", budget, handle, lambda p: blocks[p].above, asked)
    return cut if _still_parses(text, cut.text) else None


def _marked(units: Sequence[str]) -> list[int]:
    return [p for p, unit in enumerate(units) if markers.is_mark(unit)]


def _above(lines: Sequence[str], place: int) -> int | None:
    """The signature that a line stands under."""
    indent = len(lines[place]) - len(lines[place].lstrip())
    for p in range(place, -1, -1):
        if _SIGNATURE.match(lines[p]) and len(lines[p]) - len(lines[p].lstrip()) <= indent:
            return p
    return None


def _headers(heads: Sequence[int], lines: Sequence[str], place: int) -> list[int]:
    """The hunk and the file a changed line belongs to."""
    found: list[int] = []
    for p in reversed([h for h in heads if h < place]):
        hunk = lines[p].startswith("@@")
        if hunk and not found:
            found.append(p)
        elif not hunk:
            if found and lines[found[-1]].startswith("diff "):
                break
            found.append(p)
            if lines[p].startswith("diff "):
                break
    return found


def _still_parses(before: str, after: str) -> bool:
    """Whether what could be read as TOML or INI can still be; of YAML we cannot tell."""
    return all(reads(after) for reads in (_is_toml, _is_ini) if reads(before))


def _is_toml(text: str) -> bool:
    import tomllib

    try:
        tomllib.loads(text)
    except ValueError:
        return False
    return True


def _is_ini(text: str) -> bool:
    import configparser

    try:
        configparser.ConfigParser(interpolation=None, strict=False).read_string(text)
    except configparser.Error:
        return False
    return True


def _cut_lines(
    units: Sequence[str],
    order: Sequence[int],
    comment: str,
    budget: int | None,
    handle: str,
    needs: Callable[[int], Sequence[int]] = lambda _: (),
    asked: int | None = None,
) -> Cut:
    count = len(units)
    unit = "块" if any("\n" in one for one in units) else "行"

    def render(kept: Collection[int], room: int) -> Cut:
        missing = tuple(p for p in range(count) if p not in kept)
        if not missing:
            return Cut("\n".join(units) + "\n", ())
        out: list[str] = []
        before = -1
        for place in sorted(kept):
            if place != before + 1:
                out.append(comment + markers.GAP)
            out.append(units[place].rstrip("\n"))
            before = place
        end = markers.GAP if before != count - 1 else ""
        out.append(comment + end + markers.summary(len(missing), unit, (), handle))
        return Cut("\n".join(out) + "\n", (LeftOut(unit, len(missing), "", missing),))

    def cost(place: int) -> int:
        return estimate(units[place]) + 1

    return fit(order, cost, render, budget, needs, asked)
