"""brain: a Chinese-first long-term memory for agents in one SQLite file.

``from brain import Brain, BrainError``; importing this package alone costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain.engine import Brain
    from brain.errors import BrainError
    from brain.memory import Draft

__all__ = ["Brain", "BrainError", "Draft"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Loads the engine on first use (PEP 562)."""
    if name == "Brain":
        from brain.engine import Brain

        return Brain
    if name == "BrainError":
        from brain.errors import BrainError

        return BrainError
    if name == "Draft":
        from brain.memory import Draft

        return Draft
    raise AttributeError(f"module 'brain' has no attribute {name!r}")
