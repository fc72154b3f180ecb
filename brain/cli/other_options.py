"""What people type for an option of another name, as other programs call it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_MEANT: Mapping[str, str] = {
    "-k --limit": "-k -n --limit --top --top-k --count --num --max",
    "--kind": "-t --type --category --tag --tags",
    "--scope": "-s --project --namespace --ns",
    "--db": "-d --database --file --path",
    "--why": "-m --reason --because --comment",
    "--as-of --at --valid-from": "--date --time --when --since",
    "--valid-to --at": "--until --expires --expire",
    "--budget": "--tokens --max-tokens",
    "--text": "--content --new",
    "--importance": "--priority --weight",
    "--pin": "--pinned",
    "--yes --force": "-y -f --yes",
    "--out": "-o --output",
    "--explain": "-v --verbose --debug",
    "--all": "-a --everything",
    "--repair": "--fix",
}
"""Our options, the likeliest first, to what may be typed for them."""


def meant(name: str, known: Collection[str]) -> str | None:
    """The option of a verb that a name stands for; None where it is a guess.

    Args:
        known: the options the verb has.
    """
    low = name.lower()
    others = [ours for ours, typed in _MEANT.items() if low in typed.split()]
    options = [low, f"-{low}", *" ".join(others).split()]
    return next((option for option in options if option in known), None)
