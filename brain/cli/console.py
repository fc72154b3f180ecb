"""Standard output carries the result, standard error the rest, both UTF-8 on every console."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any

from brain.errors import EXIT_IO, BrainError
from brain.text.controls import visible as visible

EXIT_CLOSED_PIPE = 141
"""What a shell reports for a tool that SIGPIPE ended (128 + 13): our reader went away."""


def use_utf8() -> None:
    """Makes stdout and stderr UTF-8 with plain newlines, whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A lone surrogate becomes \udc80, which is also what JSON calls it.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def out(text: str) -> None:
    """Writes one result to stdout, with a newline behind it.

    Raises:
        BrokenPipeError: the reader closed the pipe.
        BrainError: ``brain_output_failed`` (74) when stdout cannot take it (a full disk).
    """
    try:
        print(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _output_failed(error) from error


def out_bytes(data: bytes) -> None:
    """Writes bytes to stdout exactly as they are. Raises as :func:`out` does."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _output_failed(error) from error


def out_json(value: Any) -> None:
    """Writes one JSON value on one line; Chinese stays readable."""
    out(json.dumps(value, ensure_ascii=False))


def note(text: str) -> None:
    """Writes one line for the person to stderr; a closed stderr is no failure."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        return


def flush() -> None:
    """Pushes the result out while a failure can still be told. Raises as :func:`out` does."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _output_failed(error) from error


def drop_output() -> None:
    """Sends what is still buffered for stdout nowhere, so that the exit stays silent."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


def is_terminal() -> bool:
    """Whether a person looks at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def _output_failed(error: OSError) -> BrainError:
    reason = error.strerror or type(error).__name__
    return BrainError("brain_output_failed", f"结果写不到标准输出（{reason}）。", EXIT_IO)
