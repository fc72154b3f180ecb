"""Custom dictionary commands, for the user's own words: words add, words list, words remove."""

from __future__ import annotations

from typing import Annotated

import typer

from brain.cli.console import note, out, out_json, visible
from brain.cli.options import Db, Json
from brain.cli.target import report_created
from brain.cli.verbs import about
from brain.engine import Brain
from brain.errors import EXIT_NO
from brain.results import OwnWord


@about(
    "加一个自己的词，分词时不拆开",
    "brain words add 青鸟计划",
    "brain words add '蓝绿发布 100 n'",
    more="格式同 jieba 用户词典：词 [词频] [词性]。",
)
def words_add(
    word: Annotated[str, typer.Argument(metavar="词", help="词，后面可带词频和词性")],
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Adds one of the user's own words."""
    with Brain.open(db) as brain:
        added = brain.add_word(word)
        report_created(brain)
    if as_json:
        out_json(added.to_dict())
    else:
        out(f"已加词：{_line(added)}")
    return 0


@about("列出自己的词", "brain words list", "brain words list --json")
def words_list(db: Db = None, as_json: Json = False) -> int:
    """Prints the user's own words in jieba's dictionary format."""
    with Brain.open(db, read_only=True) as brain:
        found = brain.words()
    if as_json:
        out_json({"words": [word.to_dict() for word in found]})
        return 0
    for word in found:
        out(_line(word))
    if not found:
        note("没有自己的词。")
    return 0


@about("去掉一个自己的词", "brain words remove 青鸟计划", more="没有这个词时退出码 1。")
def words_remove(
    word: Annotated[str, typer.Argument(metavar="词", help="要去掉的词")],
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Removes one of the user's own words."""
    with Brain.open(db) as brain:
        removed = brain.remove_word(word)
    if as_json:
        out_json({"removed": removed})
    else:
        out(f"已去掉：{visible(word)}" if removed else f"没有这个词：{visible(word)}")
    return 0 if removed else EXIT_NO


def _line(word: OwnWord) -> str:
    parts = [word.word]
    if word.freq is not None:
        parts.append(str(word.freq))
    if word.tag is not None:
        parts.append(word.tag)
    return visible(" ".join(parts))
