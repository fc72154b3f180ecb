"""Token budget: keeping units in order of importance while they fit, and the result with an exact
account of what is not in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from brain.text.tokens import estimate


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Units of one kind that are missing from a compressed text.

    Args:
        unit: the measure word that the marker counts them by: 句, 条, 行, 字 …
        count: how many.
        where: JSON pointer of the array, object or string they are missing from; '' for the text.
        places: their 0-based places among the units of ``where``; empty for characters.
        facts: what the marker states of them, each recomputed from exactly these units.
    """

    unit: str
    count: int
    where: str = ""
    places: tuple[int, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A text with parts taken out, marked, and the account of them.

    Args:
        answers: what is asked for stayed, where the text has any.
    """

    text: str
    left_out: tuple[LeftOut, ...]
    answers: bool = True


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed text.

    Args:
        compressor: which one did it; ``'none'`` where the text is unchanged.
        content_type: of the original, one of :mod:`brain.compress.detect`.
        tokens_before, tokens_after: by :func:`brain.text.tokens.estimate`.
        answers: as of :class:`Cut`.
    """

    text: str
    compressor: str
    content_type: str
    left_out: tuple[LeftOut, ...]
    tokens_before: int
    tokens_after: int
    answers: bool = True


FACTS_ROOM = 90
"""Tokens that the facts of a mark may take when no budget is given."""

FACTS_SHARE = 6
"""With a budget, its sixth."""

Render = Callable[[Collection[int], int], Cut]
"""Makes the text of the kept units; the number is how many tokens the facts may take."""


def facts_room(budget: int | None) -> int:
    """Tokens the facts of a mark may take within a budget."""
    return FACTS_ROOM if budget is None else min(FACTS_ROOM, budget // FACTS_SHARE)


def fit(
    order: Sequence[int],
    cost: Callable[[int], int],
    render: Render,
    budget: int | None,
    needs: Callable[[int], Sequence[int]] = lambda _: (),
    asked: int | None = None,
) -> Cut:
    """Keeps units in order of importance as long as they fit; a smaller later one still may.

    Where the unit that is asked for has no room beside the facts of the mark, or no unit has, these
    give way.

    Args:
        order: places of the units that may be kept, the most important first.
        cost: estimated tokens of a unit.
        render: makes the text.
        budget: most tokens of the result; None keeps all of ``order``.
        needs: units without which a unit says nothing, as a heading or a table's header.
        asked: the unit that has to be kept for the text to answer; None where none is asked for.
    """
    room = facts_room(budget)
    if budget is None:
        whole = {unit for place in order for unit in (place, *needs(place))}
        return render(whole, room)
    cuts: list[Cut] = []
    for facts in (room, room // 2, 0):
        kept, cut = _filled(order, cost, render, budget, needs, facts)
        if asked in kept or (asked is None and kept):
            return cut
        cuts.append(cut)
    return cuts[0] if asked is None else replace(cuts[-1], answers=False)


def _filled(
    order: Sequence[int],
    cost: Callable[[int], int],
    render: Render,
    budget: int,
    needs: Callable[[int], Sequence[int]],
    facts: int,
) -> tuple[set[int], Cut]:
    """The units kept with so many tokens for facts, and the text of them."""
    room = budget - estimate(render((), facts).text)
    kept: set[int] = set()
    steps: list[tuple[list[int], int]] = []
    for place in order:
        new = [unit for unit in (place, *needs(place)) if unit not in kept]
        price = sum(cost(unit) for unit in new)
        if new and price <= room:
            room -= price
            kept.update(new)
            steps.append((new, price))
    cut = render(kept, facts)
    over = estimate(cut.text) - budget
    while over > 0 and steps:
        freed = 0
        while steps and freed < over:
            dropped, price = steps.pop()
            kept.difference_update(dropped)
            freed += max(price, 1)
        cut = render(kept, facts)
        over = estimate(cut.text) - budget
    return kept, render((), 0) if over > 0 else cut
