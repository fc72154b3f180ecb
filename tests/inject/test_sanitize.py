"""A memory's text inside the frame: no tokenizer's special token reaches a model whole."""

from __future__ import annotations

import pytest

from brain.inject.sanitize import sanitize
from brain.text import lists

ANGLE = lists.words("frame_tokens", "angle")
SQUARE = lists.words("frame_tokens", "square")


@pytest.mark.parametrize("token", ANGLE)
def test_tokens_in_angle_brackets_lose_them(token: str) -> None:
    token = token.replace("#", "17")
    for written in (f"<{token}>", f"</{token}>", f"< {token.upper()} >", f"＜{token}＞"):
        assert written not in sanitize(f"前{written}后")


@pytest.mark.parametrize("token", SQUARE)
def test_tokens_in_square_brackets_lose_the_first(token: str) -> None:
    token = token.replace("#", "17")
    for written in (f"[{token}]", f"[/{token}]", f"[{token.lower()}]"):
        assert written not in sanitize(f"前{written}后")


@pytest.mark.parametrize(
    "text", ["a[0] 和 [1]", "<b>粗体", "x < y", "[链接](http://a.cn)", "[x] 做完"]
)
def test_what_is_no_token_stays(text: str) -> None:
    assert sanitize(text) == text
