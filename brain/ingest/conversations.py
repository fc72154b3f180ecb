"""Chat exports: the ``conversations.json`` that ChatGPT and DeepSeek export: an array of message
trees.

Of a tree only the branch that was last shown is taken: for ChatGPT up from ``current_node``, for
DeepSeek, which names none, down along each node's last child.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import ASSISTANT, USER, Turn, content_text, episodes
from brain.ingest.entry import Fault, Found, since
from brain.ingest.files import File
from brain.ingest.records import Record, of_array

_FRAGMENTS = {"REQUEST": USER, "RESPONSE": ASSISTANT}


def fits_chatgpt(value: dict[str, Any]) -> bool:
    """Whether an element is a conversation of ChatGPT."""
    return isinstance(value.get("mapping"), dict) and not fits_deepseek(value)


def fits_deepseek(value: dict[str, Any]) -> bool:
    """Whether an element is a conversation of DeepSeek."""
    return isinstance(value.get("mapping"), dict) and "inserted_at" in value


def read_chatgpt(file: File) -> Iterator[Found]:
    """The episodes of all conversations."""
    for record in of_array(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            name = record.value.get("conversation_id") or record.value.get("id")
            yield from episodes("chatgpt", _name(name, record), _of_chatgpt(record))


def read_deepseek(file: File) -> Iterator[Found]:
    """The episodes of all conversations."""
    for record in of_array(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            name = _name(record.value.get("id"), record)
            yield from episodes("deepseek", name, _of_deepseek(record))


def _name(given: object, record: Record) -> str:
    return str(given) if isinstance(given, str | int) and str(given) else str(record.number)


def _of_chatgpt(record: Record) -> Iterator[Turn]:
    nodes = _nodes(record)
    for name in _up(nodes, record.value.get("current_node")) or _down(nodes):
        message = nodes[name].get("message")
        if not isinstance(message, dict):
            continue
        author = message.get("author")
        role = author.get("role") if isinstance(author, dict) else None
        content = message.get("content")
        hidden = message.get("metadata")
        if isinstance(hidden, dict) and hidden.get("is_visually_hidden_from_conversation"):
            continue
        # Words to a tool (recipient) and thoughts, code and results are nobody's words.
        spoken = isinstance(content, dict) and content.get("content_type") in {
            "text",
            "multimodal_text",
        }
        if role not in {USER, ASSISTANT} or not spoken:
            continue
        if message.get("recipient") not in {None, "all"}:
            continue
        when = since(message.get("create_time"))
        yield Turn(str(role), content_text(content), name, record.number, when, record.at)


def _of_deepseek(record: Record) -> Iterator[Turn]:
    nodes = _nodes(record)
    for name in _down(nodes):
        message = nodes[name].get("message")
        if not isinstance(message, dict):
            continue
        when = since(message.get("inserted_at"))
        fragments = message.get("fragments")
        if isinstance(fragments, list):
            for part in fragments:
                role = _FRAGMENTS.get(part.get("type", "")) if isinstance(part, dict) else None
                if role is not None:
                    text = content_text(part.get("content"))
                    yield Turn(role, text, name, record.number, when, record.at)
            continue
        role = str(message.get("role", "")).lower()
        if role in {USER, ASSISTANT}:
            yield Turn(
                role, content_text(message.get("content")), name, record.number, when, record.at
            )


def _nodes(record: Record) -> dict[str, dict[str, Any]]:
    tree = record.value.get("mapping")
    return {k: v for k, v in tree.items() if isinstance(v, dict)} if isinstance(tree, dict) else {}


def _up(nodes: dict[str, dict[str, Any]], leaf: object) -> list[str]:
    """Names from the root to a leaf; none when it is not there."""
    path: dict[str, None] = {}
    name = leaf
    while isinstance(name, str) and name in nodes and name not in path:
        path[name] = None
        name = nodes[name].get("parent")
    return list(reversed(path))


def _down(nodes: dict[str, dict[str, Any]]) -> list[str]:
    """Names from the root along each node's last child."""
    roots = [name for name, node in nodes.items() if node.get("parent") not in nodes]
    path: dict[str, None] = {}
    name = roots[0] if roots else None
    while name is not None and name not in path:
        path[name] = None
        children = nodes[name].get("children")
        there = [c for c in children if c in nodes] if isinstance(children, list) else []
        name = there[-1] if there else None
    return list(path)
