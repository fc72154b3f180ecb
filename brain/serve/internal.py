"""What nobody foresaw: told to the person who runs the server, not to the one who asked."""

from __future__ import annotations

import sys
import traceback

from brain.errors import BrainError

EXIT_INTERNAL = 70


def unforeseen(error: Exception) -> BrainError:
    """``brain_internal`` for an error of ours; its trace goes to stderr."""
    traceback.print_exception(error, file=sys.stderr)
    told = f"内部错误（{type(error).__name__}）；详情在服务器的标准错误里。"
    return BrainError("brain_internal", told, EXIT_INTERNAL)
