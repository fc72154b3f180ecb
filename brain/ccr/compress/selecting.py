"""Choosing which units stay, so that the result keeps to a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from brain.ccr.compress.outcome import Cut
from brain.text.tokens import estimate

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
) -> Cut:
    """Keeps units in order of importance as long as they fit; a smaller later one still may.

    Args:
        order: places of the units that may be kept, the most important first.
        cost: estimated tokens of a unit.
        render: makes the text.
        budget: most tokens of the result; None keeps all of ``order``.
        needs: units without which a unit says nothing, as a heading or a table's header.
    """
    room_for_facts = facts_room(budget)
    if budget is None:
        whole = {unit for place in order for unit in (place, *needs(place))}
        return render(whole, room_for_facts)
    room = budget - estimate(render((), room_for_facts).text)
    kept: set[int] = set()
    steps: list[tuple[list[int], int]] = []
    for place in order:
        new = [unit for unit in (place, *needs(place)) if unit not in kept]
        price = sum(cost(unit) for unit in new)
        if new and price <= room:
            room -= price
            kept.update(new)
            steps.append((new, price))
    cut = render(kept, room_for_facts)
    over = estimate(cut.text) - budget
    while over > 0 and steps:
        freed = 0
        while steps and freed < over:
            dropped, price = steps.pop()
            kept.difference_update(dropped)
            freed += max(price, 1)
        cut = render(kept, room_for_facts)
        over = estimate(cut.text) - budget
    return render((), 0) if over > 0 else cut
