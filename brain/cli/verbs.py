"""Command registry: where each verb lives; its module is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import NamedTuple, TypeVar, cast

from brain.cli.parse import usage

VERBS: Mapping[str, tuple[str, str]] = {
    "init": ("maintain", "init"),
    "add": ("add", "add"),
    "ingest": ("exchange", "ingest"),
    "recall": ("ask", "recall"),
    "inject": ("ask", "inject"),
    "check": ("ask", "check"),
    "search": ("ask", "search"),
    "brief": ("show", "brief"),
    "record": ("causal", "record"),
    "before": ("causal", "before"),
    "why": ("causal", "why"),
    "compare": ("causal", "compare"),
    "links": ("causal", "links"),
    "unlink": ("causal", "unlink"),
    "show": ("show", "show"),
    "list": ("show", "list_"),
    "history": ("show", "history"),
    "stats": ("show", "stats"),
    "scopes": ("show", "scopes_"),
    "verify": ("verify", "verify"),
    "supersede": ("change", "supersede"),
    "expire": ("change", "expire"),
    "correct": ("change", "correct"),
    "retract": ("change", "retract"),
    "restore": ("change", "restore"),
    "forget": ("change", "forget"),
    "pin": ("fields", "pin"),
    "unpin": ("fields", "unpin"),
    "conf": ("fields", "conf"),
    "importance": ("fields", "importance"),
    "tag": ("fields", "tag"),
    "useful": ("decay", "useful"),
    "wrong": ("decay", "wrong"),
    "decay": ("decay", "decay"),
    "compress": ("compress", "compress"),
    "recover": ("show", "recover"),
    "originals list": ("originals", "originals_list"),
    "originals forget": ("originals", "originals_forget"),
    "export": ("exchange", "export"),
    "import": ("exchange", "import_"),
    "doctor": ("maintain", "doctor"),
    "backup": ("maintain", "backup"),
    "restore-backup": ("maintain", "restore_backup"),
    "optimize": ("maintain", "optimize"),
    "consolidate": ("consolidate", "consolidate"),
    "mcp": ("serve", "mcp"),
    "serve": ("serve", "serve"),
    "hook": ("hook", "hook"),
    "setup": ("setup", "setup"),
    "cache-audit": ("cache_audit", "cache_audit"),
    "model list": ("models", "model_list"),
    "model fetch": ("models", "model_fetch"),
    "reembed": ("models", "reembed"),
    "words add": ("words", "words_add"),
    "words list": ("words", "words_list"),
    "words remove": ("words", "words_remove"),
}
"""Verb, as it is typed, to its module in this package and its function there, in the
order and the groups of the overview."""

GROUPS: Mapping[str, str] = {
    "init": "记",
    "recall": "问",
    "record": "决策和结果",
    "show": "看",
    "supersede": "改",
    "useful": "强弱",
    "compress": "长文本",
    "export": "带走",
    "doctor": "看护",
    "mcp": "给智能体的宿主",
    "model list": "模型和词",
}
"""The first verb of each group of the overview, to the heading above it."""

_TAKE_AWAY = "彻底抹掉用 forget，先撤下、还能恢复用 retract，只是不再有效用 expire。"
_CHANGE = (
    "事情变了用 supersede，原来就记错了用 correct；重要度、可信度、标签用 importance、conf、tag。"
)
_KEEP = "记住一条用 add，收进别的程序的记忆用 ingest。"
_LOOK = "找相关的记忆用 recall，给提示词的一段用 inject，按编号看用 show。"
_BRING_BACK = "撤回或归档的用 restore 恢复；遗忘了的恢复不了。"

OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("delete", "remove", "rm", "del", "erase", "purge"), _TAKE_AWAY),
    **dict.fromkeys(("update", "edit", "modify", "replace", "set"), _CHANGE),
    **dict.fromkeys(("undo", "undelete", "unarchive", "unretract"), _BRING_BACK),
    **dict.fromkeys(("log", "versions", "lineage"), "一条记忆的来历用 history。"),
    **dict.fromkeys(("remember", "save", "store", "new", "insert", "记", "记住", "添加"), _KEEP),
    **dict.fromkeys(("find", "query", "ask", "get", "查", "找", "问", "搜索", "回忆"), _LOOK),
    **dict.fromkeys(("ls", "all", "列出"), "列出记忆用 list，看一条用 show。"),
    **dict.fromkeys(("status", "info"), "文件里有什么用 stats，查毛病用 doctor。"),
    **dict.fromkeys(("tags", "label", "untag", "标签"), "改标签用 tag，按标签看用 list --tag。"),
    **dict.fromkeys(("忘", "忘记", "遗忘", "删除"), _TAKE_AWAY),
}
"""What people type for a verb of another name, to what to use for it."""


def load(verb: str) -> Callable[..., int]:
    """The function of a verb."""
    module, function = VERBS[verb]
    return cast(
        Callable[..., int], getattr(import_module(f"brain.cli.commands.{module}"), function)
    )


def find(args: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The verb a command line names, and the words behind it.

    Raises:
        BrainError: ``brain_usage`` (2) when there is no such verb, with the nearest one.
    """
    first = args[0]
    if first in VERBS:
        return first, args[1:]
    second = [verb.split()[1] for verb in VERBS if verb.startswith(first + " ")] if first else []
    if second:
        if len(args) > 1 and args[1] in second:
            return f"{first} {args[1]}", args[2:]
        raise usage(f"{first} 后面要跟 {'、'.join(second)} 之一。")
    if first.startswith("-"):
        raise usage(f"选项 {first} 要写在动词后面，如 recall 问题 --json。")
    if first in OTHER_NAMES:
        raise usage(f"没有动词「{first}」：{OTHER_NAMES[first]}")
    names = list(dict.fromkeys(verb.split()[0] for verb in VERBS))
    near = get_close_matches(first, names, n=1)
    hint = f"，是不是 {near[0]}？" if near else "；用 --help 看全部动词。"
    raise usage(f"没有动词「{first[:40]}」{hint}")


Function = TypeVar("Function", bound=Callable[..., int])


class About(NamedTuple):
    """What help says about a verb.

    Args:
        summary: one Chinese line.
        examples: lines to type, each beginning with ``brain``.
        more: further Chinese lines that somebody who reads help wants.
        served: it goes through the server of ``BRAIN_URL``, or is that server, or works on no
            memory; every other verb that takes ``--db`` works on a file.
        for_host: a host runs it and acts on its status: beside the answer nothing is printed,
            and wrong use is no 2, which would block the turn.
    """

    summary: str
    examples: tuple[str, ...]
    more: str = ""
    served: bool = False
    for_host: bool = False


def about(
    summary: str, *examples: str, more: str = "", served: bool = False, for_host: bool = False
) -> Callable[[Function], Function]:
    """Marks a function as a verb; the function returns the exit status."""

    def mark(function: Function) -> Function:
        function.__dict__["about"] = About(summary, examples, more, served, for_host)
        return function

    return mark


def about_of(function: Callable[..., int]) -> About:
    """What :func:`about` noted on a verb's function."""
    noted = function.__dict__["about"]
    assert isinstance(noted, About)
    return noted
