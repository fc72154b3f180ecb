"""Statements in conversations that are worth a record of their own, each with its episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain.consolidate.proposal import Proposal, head
from brain.memory import Memory
from brain.text import prompt_injection, statements
from brain.text.restatement import key
from brain.text.secrets import mask

_CALLED = {"preference": "偏好", "fact": "事实", "decision": "决定", "note": "要记住的"}


def find(episodes: Sequence[Memory], known: set[tuple[str, tuple[str, ...]]]) -> Iterator[Proposal]:
    """What people said in episodes, once each.

    Args:
        known: (scope, :func:`brain.text.restatement.key`) of what is or was a record: what somebody
            took back is not proposed again. What is found is added.
    """
    for episode in episodes:
        for one in statements.find(episode.text):
            text = episode.text[one.start : one.stop]
            said = (episode.scope, key(text))
            if not said[1] or said in known or mask.find(text):
                continue
            known.add(said)
            orders = prompt_injection.detect(text)
            odd = f"；像是{prompt_injection.RULES[orders]}，要人看过" if orders else ""
            reason = f"对话 #{episode.id} 里说了{_CALLED[one.kind]}：{head(text)}{odd}"
            yield Proposal(
                "remember",
                reason,
                episode=episode.id,
                text=text,
                kind=one.kind,
                quote=text,
                confirm=bool(orders),
            )
