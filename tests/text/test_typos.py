"""Typos: slips by sound, by shape, and one edit in a Latin word."""

from __future__ import annotations

import pytest

from brain.text.typos import one_edit, slip


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("房祖", "房租每月六千八", "房租"),
        ("理法", "周三去理发", "理发"),
        ("周启杭", "周启航管库存", "周启航"),
        ("江辉路", "租在江晖路八幢", "江晖路"),
        ("牛赖", "每天送牛奶", "牛奶"),
        ("末来科技", "未来科技的合同", "未来科技"),
        ("经理室", "金理室在三楼", "金理室"),
    ],
)
def test_a_slip_finds_what_was_meant(word: str, text: str, there: str) -> None:
    assert slip(word, text) == there


@pytest.mark.parametrize(
    ("word", "text"),
    [("房租", "方组"), ("时间", "这件事件"), ("会议", "汇率议题"), ("端口", "段考"), ("猫粮", "")],
)
def test_other_words_are_no_slip(word: str, text: str) -> None:
    assert slip(word, text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kubernets", "kubernetes"),
        ("postgers", "postgres"),
        ("ngnix", "nginx"),
        ("redsi", "redis"),
        ("dockerr", "docker"),
        ("graphana", "graphena"),
    ],
)
def test_one_edit_of_a_latin_word(one: str, other: str) -> None:
    assert one_edit(one, other)
    assert one_edit(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("redis", "redis"),
        ("cat", "car"),
        ("nginx", "linux"),
        ("docker", "locker"),
        ("postgres", "mysql"),
        ("kafka", "kafkaesque"),
        ("", "a"),
    ],
)
def test_other_latin_words_are_not(one: str, other: str) -> None:
    assert not one_edit(one, other)
