"""Input text from an argument or from standard input."""

from __future__ import annotations

import sys

from brain.cli.parse import STDIN, missing, usage
from brain.errors import EXIT_DATA, BrainError

MAX_STDIN_BYTES = 16 * 1024 * 1024
"""More than any text the engine takes; beyond it nothing is read on."""

_BOM = b"\xef\xbb\xbf"


def decode(data: bytes) -> str:
    """Reads bytes as UTF-8, without a byte order mark.

    Raises:
        BrainError: ``brain_input_not_utf8`` or ``brain_input_too_large`` (65).
    """
    _refuse_too_large(data)
    try:
        return data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BrainError(
            "brain_input_not_utf8",
            f"标准输入从第 {error.start + 1} 个字节起不是 UTF-8；"
            "请先转码，如 iconv -f gbk -t utf-8。",
            EXIT_DATA,
        ) from None


def read_stdin() -> str:
    """The whole standard input as text, exactly. Raises as :func:`decode` does."""
    if sys.stdin is None:
        return ""
    return decode(sys.stdin.buffer.read(MAX_STDIN_BYTES + 1))


def stdin_bytes() -> bytes:
    """The whole standard input, byte for byte. Raises ``brain_input_too_large`` (65)."""
    if sys.stdin is None:
        return b""
    data = sys.stdin.buffer.read(MAX_STDIN_BYTES + 1)
    _refuse_too_large(data)
    return data


def _refuse_too_large(data: bytes) -> None:
    if len(data) > MAX_STDIN_BYTES:
        limit = MAX_STDIN_BYTES // 1024 // 1024
        raise BrainError(
            "brain_input_too_large", f"标准输入超过 {limit} MiB，请拆成几份。", EXIT_DATA
        )


def text_or_stdin(given: str | None, stdin: bool, name: str) -> str:
    """The text given, or standard input for ``-`` and ``--stdin``.

    Raises:
        BrainError: ``brain_usage`` (2) when neither or both are there.
    """
    if given is None and not stdin:
        raise usage(missing(f"{name}（也可用 - 或 --stdin 从标准输入读）"))
    if given is not None and given != STDIN:
        if stdin:
            raise usage(f"{name}和 --stdin 只能给一个。")
        return given
    return read_stdin()


def outcome_or_stdin(outcome: str, decision: str | None, stdin: bool) -> str:
    """The outcome as given, or standard input for ``-``.

    Raises:
        BrainError: ``brain_usage`` (2) when the decision wants standard input as well.
    """
    if outcome != STDIN:
        return outcome
    if stdin or decision == STDIN:
        raise usage("决策和 --outcome 不能都从标准输入读。")
    return read_stdin()


def context_or_stdin(context: str | None, query: str | None, stdin: bool) -> str | None:
    """The previous turns: ``--context`` as given, or standard input for ``-``.

    Raises:
        BrainError: ``brain_usage`` (2) when the question wants standard input as well.
    """
    if context != STDIN:
        return context
    if stdin or query == STDIN:
        raise usage("问题和 --context 不能都从标准输入读。")
    return read_stdin()
