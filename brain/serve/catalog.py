"""Catalogue of server calls: the arguments of each, what it does with a Brain, what it gives.

One table for all faces: the MCP tools, the HTTP routes and their OpenAPI document are made from it,
so that none of them knows an argument the others do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain.serve.params import Field

if TYPE_CHECKING:
    from brain.engine import Brain

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One thing a memory can be asked to do.

    Args:
        about: one Chinese line.
        fields: what it takes.
        run: does it; gives the JSON of the contract.
        answer: the name of that JSON's shape (:mod:`brain.serve.schemas`).
        writes: it may change the file.
    """

    about: str
    fields: tuple[Field, ...]
    run: Callable[[Brain, dict[str, Any]], Any]
    answer: str
    writes: bool = False


QUERY = Field("query", "string", "要问的话，用户的原话最好", required=True, alias="q")
SCOPE = Field("scope", "string", "项目或命名空间；看得到它自己的和全局的记忆，不给就是默认范围")
K = Field("k", "integer", "最多几条", least=1, most=1000)
KIND = Field("kind", "string", "只看这一类，如 fact、preference、decision", blank=True)
AS_OF = Field("as_of", "string", "问那个时刻什么为真，如 2026-03-01", blank=True)
KNOWN_AT = Field("known_at", "string", "问那个时刻我们相信什么", blank=True)
EXPIRED = Field("include_expired", "boolean", "已失效和已被取代的也找")
CONTEXT = Field("context", "string", "前几轮对话，问题离开它说不清时给（“那个呢”“它怎么配”）")
EXPLAIN = Field("explain", "boolean", "给出每条的检索依据")
BUDGET = Field("budget", "integer", "最多多少个词元（估计值）；不给时 420，0 表示不限", least=0)
ID = Field("id", "id", '记忆的编号，如 12 或 "#12"', required=True)
TEXT = Field("text", "string", "要记住的话，一条说一件事，离开上下文也看得懂", required=True)
NEW_TEXT = Field("text", "string", "新的说法")
RIGHT_TEXT = Field("text", "string", "对的说法", required=True)
IMPORTANCE = Field("importance", "number", "有多重要，0 到 1；默认 0.5", least=0, most=1)
CONFIDENCE = Field("confidence", "number", "有多可信，0 到 1；不给时按来源定", least=0, most=1)
STORED_KIND = Field(
    "kind",
    "string",
    "fact、preference、decision、episode、skill、note 或自定的小写名字；默认 note",
    blank=True,
)
STORED_SCOPE = Field("scope", "string", "记到哪个项目或命名空间；不给就是默认范围")
VALID_FROM = Field(
    "valid_from", "string", "从何时起为真；不给时是现在，unknown 表示一直", blank=True
)
VALID_TO = Field("valid_to", "string", "到何时为止；不给时一直有效", blank=True)
WHY = Field("why", "string", "为什么改，记入日志")
UNIT = Field("value", "number", "0 到 1 之间", required=True, least=0, most=1)
AT = Field("at", "string", "从何时起；不给时是现在", blank=True)
SOURCE = Field("source", "string", "user、model、chat 等；默认 user")
ALLOW_SECRETS = Field(
    "allow_secrets", "boolean", "有口令、密钥、证件号、卡号也存；不给时拒绝（brain_secret）"
)
FORCE = Field("force", "boolean", "钉住的也照做")

WITH_BRIEF = Field("with_brief", "boolean", "前面带上整块 brief，不算在 budget 里")
IF_CHANGED = Field("if_changed", "string", "上次的 fingerprint：没变时 block 为空", blank=True)

TAGS = Field("tags", "strings", "只看有这些标签的，几个都要有", alias="tag")
MORE_TAGS = Field("add", "strings", "要加上的标签")
FEWER_TAGS = Field("remove", "strings", "要去掉的标签")
STORED_TAGS = Field("tags", "strings", "归在哪些标签下，如 部署、值班")

CHECKS = Field(
    "checks",
    "strings",
    "可以看什么来核对：'file 路径'、'text 词句 in 路径'、'symbol 名字'、'version 包 版本'、"
    "'ref 分支'；不给时从文本里读",
)
ROOT = Field("root", "string", "项目的文件夹（服务器那台机器上的）", blank=True)

STALE = Field(
    "stale",
    "string",
    "和 root 一起：不成立的放在最后并注明（show，默认），还是不放（drop）",
    blank=True,
)

_LOOK = (SCOPE, KIND, AS_OF, KNOWN_AT, EXPIRED, TAGS)


def _recall(brain: Brain, args: dict[str, Any]) -> Any:
    explain = args.pop("explain", False)
    found = brain.recall(**args)
    return (brain.explained(found) if explain else found).to_dict(explain)


def _search(brain: Brain, args: dict[str, Any]) -> Any:
    explain = args.pop("explain", False)
    found = brain.search(**args)
    return (brain.explained(found) if explain else found).to_dict(explain)


def _inject(brain: Brain, args: dict[str, Any]) -> Any:
    explain = args.pop("explain", False)
    return brain.inject(**args).to_dict(explain)


def _supersede(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.supersede(args.pop("id"), **args).to_dict()


def _expire(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.expire(args.pop("id"), **args).to_dict()


def _conf(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.set_confidence(args.pop("id"), args.pop("value"), **args).to_dict()


def _importance(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.set_importance(args.pop("id"), args.pop("value"), **args).to_dict()


def _tag(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.tag(args.pop("id"), **args).to_dict()


def _pin(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.pin(args.pop("id"), **args).to_dict()


def _unpin(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.unpin(args.pop("id"), **args).to_dict()


def _useful(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.useful(args.pop("id"), **args).to_dict()


def _wrong(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.wrong(args.pop("id"), **args).to_dict()


def _correct(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.correct(args.pop("id"), args.pop("text"), **args).to_dict()


def _retract(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.retract(args.pop("id"), **args).to_dict()


def _restore(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.restore(args.pop("id"), **args).to_dict()


def _forget(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.forget(args.pop("id"), **args).to_dict()


def _verify(brain: Brain, args: dict[str, Any]) -> Any:
    asked = [*args.pop("ids", ()), *([args.pop("id")] if "id" in args else [])]
    return brain.verify(asked, **args).to_dict()


def _list(brain: Brain, args: dict[str, Any]) -> Any:
    return [memory.to_dict() for memory in brain.list(**args)]


DECISION = Field("decision", "string", "做了什么，一句话，离开上下文也看得懂", required=True)
OUTCOME = Field(
    "outcome", "string", "有了什么结果（prevented 时写没有发生的那件事）", required=True
)
RELATION = Field(
    "relation", "string", "caused、enabled、prevented（没有发生）或 no_effect；默认 caused"
)
CIRCUMSTANCES = Field("context", "string", "在什么情境下，如“大促前”“凌晨低峰”")
OBSERVED = Field("at", "string", "什么时候看到的结果；不给时是现在")
GOOD = Field("good", "boolean", "结果算好还是坏；不给时由文字判断")
EVIDENCE = Field("evidence", "string", "出处，如文件名、链接、提交号")
ACTION = Field("action", "string", "准备做的事，或整条命令", required=True)
ASKED_OUTCOME = Field("outcome", "string", "要追问的结果，如“下单接口超时”", required=True)
SIDE_A = Field("a", "string", "一种做法", required=True)
SIDE_B = Field("b", "string", "另一种做法", required=True)
LINK_ID = Field("id", "id", "观察的编号，如 12（写作 L12 的那个数）", required=True)


def _record(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.record(args.pop("decision"), args.pop("outcome"), **args).to_dict()


def _before(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.before(args.pop("action"), **args).to_dict()


def _why(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.why(args.pop("outcome"), **args).to_dict()


def _compare(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.compare(args.pop("a"), args.pop("b"), **args).to_dict()


def _links(brain: Brain, args: dict[str, Any]) -> Any:
    return [link.to_dict() for link in brain.links(args.get("id"))]


def _unlink(brain: Brain, args: dict[str, Any]) -> Any:
    return brain.unlink(args.pop("id"), **args).to_dict()


CALLS: Mapping[str, Call] = {
    "inject": Call(
        "给提示词的一段记忆；答不了时 block 为空",
        (QUERY, BUDGET, SCOPE, AS_OF, KNOWN_AT, CONTEXT, TAGS, WITH_BRIEF, EXPLAIN, ROOT, STALE),
        _inject,
        "Injection",
    ),
    "recall": Call(
        "和问题最有关的记忆，不经过闸门",
        (QUERY, K, *_LOOK, CONTEXT, EXPLAIN),
        _recall,
        "Recall",
    ),
    "search": Call("只按字面找", (QUERY, K, *_LOOK, EXPLAIN), _search, "Recall"),
    "check": Call(
        "这份记忆能不能回答一个问题",
        (
            QUERY,
            SCOPE,
            AS_OF,
            KNOWN_AT,
            Field("threshold", "string", "概率到多少算能，或 quiet、balanced、eager", blank=True),
            CONTEXT,
            TAGS,
        ),
        lambda brain, args: brain.check(**args).to_dict(),
        "Check",
    ),
    "before": Call(
        "准备做的事，以前做过没有，结果怎样",
        (ACTION, CIRCUMSTANCES, SCOPE, AS_OF, KNOWN_AT),
        _before,
        "Before",
    ),
    "why": Call(
        "一个结果是怎么来的，什么能避免它",
        (ASKED_OUTCOME, K, SCOPE, AS_OF, KNOWN_AT),
        _why,
        "Causes",
    ),
    "compare": Call(
        "两种做法哪种结果好",
        (SIDE_A, SIDE_B, CIRCUMSTANCES, SCOPE, AS_OF, KNOWN_AT),
        _compare,
        "Comparison",
    ),
    "record": Call(
        "记下一次决策和它的结果",
        (
            DECISION,
            OUTCOME,
            RELATION,
            CIRCUMSTANCES,
            OBSERVED,
            GOOD,
            STORED_SCOPE,
            SOURCE,
            EVIDENCE,
            WHY,
            ALLOW_SECRETS,
        ),
        _record,
        "Recorded",
        writes=True,
    ),
    "links": Call(
        "看到过的观察，新的在前", (Field("id", "id", "只看这条记忆的"),), _links, "Links"
    ),
    "unlink": Call("撤回一次观察", (LINK_ID, WHY), _unlink, "Unlinked", writes=True),
    "stats": Call("文件里有什么", (), lambda brain, args: brain.stats(**args).to_dict(), "Stats"),
    "brief": Call(
        "对话开始时的概要",
        (BUDGET, SCOPE, IF_CHANGED),
        lambda brain, args: brain.brief(**args).to_dict(),
        "Brief",
    ),
    "list": Call(
        "列出记忆，新的在前",
        (
            KIND,
            SCOPE,
            AS_OF,
            KNOWN_AT,
            Field("archived", "boolean", "只列已归档的"),
            Field("all", "boolean", "连同失效的、被取代的、撤回的、归档的"),
            Field("all_scopes", "boolean", "不论范围"),
            TAGS,
            Field("since", "string", "这个时间起记下的", blank=True),
            Field("until", "string", "这个时间之前记下的，不含它", blank=True),
            Field("source", "string", "只列这个来源的，如 chat", blank=True),
            Field("after", "id", "上一页最后一条的编号：从它之后列起"),
            Field("stale", "boolean", "只列核对过、已经失效的"),
            Field("limit", "integer", "最多几条；默认 50", least=1, most=1_000_000_000),
        ),
        _list,
        "Memories",
    ),
    "show": Call(
        "一条记忆的全部", (ID,), lambda brain, args: brain.get(args["id"]).to_dict(), "Memory"
    ),
    "add": Call(
        "记住一条",
        (
            TEXT,
            STORED_KIND,
            IMPORTANCE,
            CONFIDENCE,
            STORED_SCOPE,
            SOURCE,
            VALID_FROM,
            VALID_TO,
            Field("pinned", "boolean", "钉住：不会被归档、到期或遗忘"),
            Field("evidence", "string", "出处，如文件名或链接"),
            STORED_TAGS,
            WHY,
            ALLOW_SECRETS,
            CHECKS,
            ROOT,
        ),
        lambda brain, args: brain.add(**args).to_dict(),
        "Added",
        writes=True,
    ),
    "verify": Call(
        "核对记忆里说的文件、词句、符号、版本、分支还在不在",
        (
            Field("ids", "ids", "看哪几条"),
            Field("id", "id", "看哪一条"),
            Field("all", "boolean", "所有当前有效、有核对的"),
            ROOT,
            Field("fix", "boolean", "移了位置、换了版本的，给出怎样改；只看不写"),
            Field("yes", "boolean", "和 fix 一起：照着写"),
        ),
        _verify,
        "Verified",
        writes=True,
    ),
    "supersede": Call(
        "世界变了：用新的取代旧的",
        (
            ID,
            Field("new", "id", "已经记下的新说法的编号"),
            NEW_TEXT,
            AT,
            SOURCE,
            WHY,
            ALLOW_SECRETS,
        ),
        _supersede,
        "Superseded",
        writes=True,
    ),
    "expire": Call("让一条记忆到期", (ID, AT, WHY, FORCE), _expire, "Memory", writes=True),
    "conf": Call("改一条记忆的可信度", (ID, UNIT, WHY), _conf, "Memory", writes=True),
    "importance": Call("改一条记忆的重要度", (ID, UNIT, WHY), _importance, "Memory", writes=True),
    "tag": Call(
        "给一条记忆加上或去掉标签",
        (ID, MORE_TAGS, FEWER_TAGS, WHY, ALLOW_SECRETS),
        _tag,
        "Memory",
        writes=True,
    ),
    "pin": Call("钉住一条记忆", (ID, WHY), _pin, "Memory", writes=True),
    "unpin": Call("不再钉住", (ID, WHY), _unpin, "Memory", writes=True),
    "useful": Call("一条记忆帮上了忙", (ID, WHY), _useful, "Memory", writes=True),
    "wrong": Call("一条记忆不对", (ID, WHY), _wrong, "Memory", writes=True),
    "correct": Call(
        "原来就记错了：用对的代替错的",
        (ID, RIGHT_TEXT, SOURCE, WHY, ALLOW_SECRETS),
        _correct,
        "Corrected",
        writes=True,
    ),
    "retract": Call(
        "撤回一条：不再相信它，还能恢复", (ID, WHY, FORCE), _retract, "Memory", writes=True
    ),
    "restore": Call("恢复撤回或归档的", (ID, WHY), _restore, "Memory", writes=True),
    "forget": Call("彻底抹掉一条", (ID, WHY, FORCE), _forget, "Forgotten", writes=True),
    "history": Call(
        "一条记忆的来历",
        (ID,),
        lambda brain, args: brain.history(args["id"]).to_dict(),
        "History",
    ),
    "compress": Call(
        "把一段内容压短，原文存着可以取回",
        (
            Field("data", "string", "要压短的内容", required=True),
            Field("query", "string", "和它有关的先留下"),
            BUDGET,
            Field("type", "string", "这是什么，如 file-observation、test-result", blank=True),
            Field("session", "string", "哪个会话看到的", blank=True),
            Field("revision", "string", "哪个版本的：提交号、分支或标签", blank=True),
            Field("source", "string", "从哪里来：文件的路径、命令、网址", blank=True),
            ROOT,
        ),
        lambda brain, args: brain.compress(**args).to_dict(),
        "Compressed",
        writes=True,
    ),
    "originals": Call(
        "存下的原文，不含内容",
        (
            Field("session", "string", "只列这个会话看到的", blank=True),
            Field("type", "string", "只列这一种，如 test-result", blank=True),
            Field(
                "state", "string", "current、stale（已过时）或 archived（后来又看过）", blank=True
            ),
        ),
        lambda brain, args: {"originals": [one.to_dict() for one in brain.originals(**args)]},
        "Originals",
    ),
    "recover": Call(
        "按句柄取回全文",
        (
            Field("handle", "string", "注入块里的 ccr_…", required=True),
            Field("query", "string", "只取和它有关的整条、整行、整段"),
            Field("lines", "string", "只取这几行，如 12-30；从 1 数起，两头都算"),
            Field("heading", "string", "只取这个标题下的一节"),
        ),
        lambda brain, args: brain.recovered(**args).to_dict(),
        "Recovered",
    ),
}
