"""Input of the command line: standard input, its encoding and size. No process is started."""

from __future__ import annotations

import json

import pytest

from brain.cli.inputs import MAX_STDIN_BYTES, context_or_stdin, decode, text_or_stdin
from brain.errors import EXIT_DATA, EXIT_USAGE, BrainError


def test_standard_input_is_utf8_without_a_byte_order_mark() -> None:
    assert decode("\ufeff青鸟\r\n\0".encode()) == "青鸟\r\n\0"


@pytest.mark.parametrize("data", ["青鸟".encode("gbk"), b"\xed\xa0\x80", b"ok\xff"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BrainError) as caught:
        decode(data)
    assert (caught.value.code, caught.value.exit_code) == ("brain_input_not_utf8", EXIT_DATA)


def test_endless_input_is_refused() -> None:
    with pytest.raises(BrainError, match="MiB") as caught:
        decode(b"x" * (MAX_STDIN_BYTES + 1))
    assert caught.value.code == "brain_input_too_large"


def test_one_source_of_text_only() -> None:
    assert text_or_stdin("青鸟", False, "文本") == "青鸟"
    assert text_or_stdin("", False, "文本") == ""
    assert context_or_stdin("刚才", "-", True) == "刚才"
    for wrong in (
        lambda: text_or_stdin(None, False, "文本"),
        lambda: text_or_stdin("青鸟", True, "文本"),
        lambda: context_or_stdin("-", "-", False),
        lambda: context_or_stdin("-", None, True),
    ):
        with pytest.raises(BrainError) as caught:
            wrong()
        assert caught.value.exit_code == EXIT_USAGE


def test_json_can_carry_what_is_not_unicode() -> None:
    written = json.dumps("\udc80", ensure_ascii=False).encode("utf-8", "backslashreplace")
    assert json.loads(written) == "\udc80"
