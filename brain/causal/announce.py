"""Announced actions: whether a turn says that something is about to be done, or is a command."""

from __future__ import annotations

from brain.text.fold import fold
from brain.text.regex import compiled

MAX_CHARS = 600
"""Characters of a turn that are looked at: a longer one is pasted text, which announces nothing."""

_ANNOUNCING = (
    r"准备|打算|计划着?要|正要|想要|想着|就要|这就|马上就?要?|决定要?|要不要|该不该"
    r"|能不能直接|可不可以直接|可以直接|是不是可以|能直接"
    r"|直接.{1,40}(?:行不行|可以吗|好吗|好不好|行吗|没问题吧|如何|怎么样|吧)"
    r"|(?:我|咱们?|我们)(?:先|来|去|这边)?(?:把|将|直接|给).{2,}"
    r"|\b(?:about to|going to|i(?:'| a)m planning|plan to|let'?s|should i|i'?ll)\b"
)
_COMMAND = (
    r"^\s*(?:\$|>|#)?\s*(?:sudo\s+)?(?:git|docker|kubectl|rm|mv|cp|dd|chmod|chown|npm|pnpm|yarn|pip"
    r"|uv|cargo|go|make|mysql|psql|redis-cli|helm|terraform|ansible|systemctl|service|kill|pkill|curl"
    r"|wget|ssh|scp|rsync|apt|apt-get|yum|brew|python3?|node|alter|drop|delete|truncate|update|insert)"
    r"\s+\S"
)
_QUOTED_COMMAND = r"`[^`\n]{3,}`"
_ASKS_BACK = r"(?:什么|为什么|怎么|怎样|哪个|哪里|谁|多少|几[个次点])"
"""What asks for a fact and announces nothing (准备好的东西放在哪里)."""


def announced(turn: str) -> bool:
    """Whether a turn announces an action: 准备…, 打算…, 要不要…, 直接…行不行, or a command line."""
    if not turn.strip() or len(turn) > MAX_CHARS:
        return False
    folded = fold(turn)
    if compiled(_COMMAND).search(folded):
        return True
    asks = compiled(_ASKS_BACK).search(folded)
    if asks:
        return False
    return bool(compiled(_ANNOUNCING).search(folded) or compiled(_QUOTED_COMMAND).search(folded))
