"""Prompt injection detection: stored text that reads as an order is flagged, and nothing else.

This is a hint for people who look at ``recall``, never the defence. Any list of phrases misses most
attacks, in every language, and hits honest notes; so nothing is refused, cut or left out because of
it. What keeps stored text from giving orders is the block it is delivered in: it says what it is,
no text can close or forge its frame (:mod:`brain.inject.sanitize`), and every entry has its id.
"""

from __future__ import annotations

import re
from functools import cache

from brain.text.fold import fold
from brain.text.regex import holds_any

RULES = {
    "ignore_previous": "要求无视前文",
    "role_marker": "冒充对话角色",
    "tool_call": "要求调用工具",
    "new_role": "要求改换身份",
    "leak": "要求泄露",
}
"""Every rule and what a person calls it."""

_SAID = "(?:指令|指示|提示词|提示語|规则|设定|设置|命令|要求|限制|约束|对话|内容|的话|说明)"
_BEFORE = "(?:以上|上面|上述|前面|之前|先前|此前|前述|原来|原有|所有|一切|系统)"
_PATTERNS = {
    "ignore_previous": (
        rf"(?:忽略|无视|忘掉|忘记|忘了|抛开|不要理会|不用管|别管)(?:掉|你|了)?"
        rf"(?:(?:{_BEFORE}的?){{1,3}}.{{0,4}}{_SAID}|前文|上文|系统提示)"
        r"|(?:ignore|disregard|forget|override|bypass)\s{1,3}(?:\w{1,20}\s{1,3}){0,4}"
        r"(?:instructions?|prompts?|rules|guidelines|directions)"
    ),
    "role_marker": (
        r"</?\s{0,3}(?:system|assistant|user|human|developer|instructions?|tool_call|function_calls?)\b"
        r"|<[|][a-z_]{1,20}[|]>|\[/?\s{0,3}(?:inst|sys)\s{0,3}\]|⟦/?记忆⟧"
        r"|(?:^|\n)[ \t>*#]{0,8}(?:assistant|system prompt|系统提示词?|系统指令)\s{0,3}:"
        r"|(?:^|\n)[ \t>*#]{0,8}(?:system|developer)\s{0,3}:.{0,20}"
        r"(?:you\b|must\b|ignore\b|do not\b|你|请|必须|不要|务必)"
    ),
    "tool_call": (
        r"(?:call|invoke|run|execute)\s{1,3}(?:the\s{1,3})?(?:[\w.-]{1,30}\s{1,3}){0,3}(?:tool|function)\b"
        r"|(?:请你|立即|立刻|马上|必须|务必|你要)(?:去|先|直接)?(?:调用|运行|执行).{0,12}"
        r"(?:工具|函数|命令|脚本|代码|删除|rm )"
    ),
    "new_role": (
        r"(?:从现在(?:开始|起)|现在起)[,，]?\s?你(?:是|要|必须|只能|不再)|你现在(?:是|扮演)一?个?"
        r"|you are now\b|from now on,? you\b|pretend (?:to be|you are)\b"
    ),
    "leak": (
        r"(?<![别勿能要止许])(?:把|将)[^，。；\n]{0,12}"
        r"(?:密钥|密码|口令|令牌|token|api ?key|提示词|聊天记录)"
        r"[^，。；\n]{0,8}(?:发给|发到|发出|告诉|上传|传到|寄到|公开)"
        r"|(?:send|post|upload|reveal|print|leak)\s{1,3}(?:\w{1,20}\s{1,3}){0,4}"
        r"(?:api keys?|passwords?|secrets?|credentials|system prompt)\b"
    ),
}


@cache
def _any_rule() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items()))


_HINT_WORDS = (
    "忽略 无视 忘掉 忘记 忘了 抛开 不要理会 不用管 别管 ignore disregard forget override bypass"
    " < inst sys ⟦ assistant developer 系统"
    " tool function 调用 运行 执行"
    " 从现在 现在起 你现在 pretend"
    " 密钥 密码 口令 令牌 token api 提示词 聊天记录 password secret credential"
)
_HINTS = (*_HINT_WORDS.split(), "you are now", "from now on")
"""Without one of these no rule says anything."""


def detect(text: str) -> str:
    """The rule by which a text reads as an order to its reader, '' for none of them."""
    folded = fold(text)
    if not holds_any(folded, _HINTS):
        return ""
    match = _any_rule().search(folded)
    return "" if match is None else str(match.lastgroup)
