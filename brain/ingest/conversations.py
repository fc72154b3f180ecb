"""Chat exports: the ``conversations.json`` of ChatGPT, DeepSeek and Claude.ai, arrays of
conversations, and what Claude.ai exports beside it.

Of a conversation that branches only the branch that was last shown is taken: for ChatGPT up from
``current_node``, for DeepSeek, which names none, down along each node's last child, for Claude.ai
up from the newest message that nothing answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brain.ingest.chat import Talk, Told, Turn, content_text
from brain.ingest.entry import (
    MODEL,
    SEPARATOR,
    UNKNOWN,
    Entry,
    Fault,
    evidence,
    since,
    source,
)
from brain.ingest.files import File
from brain.ingest.markdown import paragraphs
from brain.ingest.records import Record, label, name_of, of_array, of_either
from brain.memory import Draft
from brain.text.scaffolding import ASSISTANT, USER

_FRAGMENTS = {"REQUEST": USER, "RESPONSE": ASSISTANT}
_SPOKEN = ("text", "multimodal_text", "audio_transcription")
_SENDERS = {"human": USER, "user": USER, "assistant": ASSISTANT}


def fits_chatgpt(value: dict[str, Any]) -> bool:
    """Whether an element is a conversation of ChatGPT."""
    return isinstance(value.get("mapping"), dict) and not fits_deepseek(value)


def fits_deepseek(value: dict[str, Any]) -> bool:
    """Whether an element is a conversation of DeepSeek."""
    return isinstance(value.get("mapping"), dict) and "inserted_at" in value


def fits_claude_ai(value: dict[str, Any]) -> bool:
    """Whether an element, or a file that is one object, is a conversation of Claude.ai."""
    return isinstance(value.get("chat_messages"), list)


def fits_claude_ai_notes(value: dict[str, Any]) -> bool:
    """Whether an element, or a file that is one object, is its memory or a project."""
    return (
        "conversations_memory" in value
        or isinstance(value.get("project_memories"), dict)
        or (isinstance(value.get("docs"), list) and "uuid" in value)
    )


def read_chatgpt(file: File) -> Iterator[Told]:
    """All conversations."""
    for record in of_array(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            name = record.value.get("conversation_id") or record.value.get("id")
            yield Talk("chatgpt", _name(name, record), _of_chatgpt(record))


def read_deepseek(file: File) -> Iterator[Told]:
    """All conversations."""
    for record in of_array(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            name = _name(record.value.get("id"), record)
            yield Talk("deepseek", name, _of_deepseek(record))


def read_claude_ai(file: File) -> Iterator[Told]:
    """All conversations."""
    for record in of_either(file.path):
        if isinstance(record, Fault):
            yield record
        else:
            name = _name(record.value.get("uuid"), record)
            yield Talk("claude-ai", name, _of_claude_ai(record))


def _name(given: object, record: Record) -> str:
    return name_of(given) or str(record.number)


def _of_chatgpt(record: Record) -> Iterator[Turn]:
    nodes = _nodes(record)
    for name in _up(nodes, record.value.get("current_node")) or _down(nodes):
        message = nodes[name].get("message")
        if not isinstance(message, dict):
            continue
        author = message.get("author")
        role = label(author.get("role")) if isinstance(author, dict) else ""
        content = message.get("content")
        hidden = message.get("metadata")
        if isinstance(hidden, dict) and hidden.get("is_visually_hidden_from_conversation"):
            continue
        # Words to a tool (recipient) and thoughts, code and results are nobody's words.
        spoken = isinstance(content, dict) and content.get("content_type") in _SPOKEN
        if role not in {USER, ASSISTANT} or not spoken:
            continue
        if message.get("recipient") not in (None, "all"):
            continue
        when = since(message.get("create_time"))
        yield Turn(role, content_text(content), name, record.number, when, record.at)


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
                said = _FRAGMENTS.get(label(part.get("type"))) if isinstance(part, dict) else None
                if said is not None:
                    text = content_text(part.get("content"))
                    yield Turn(said, text, name, record.number, when, record.at)
            continue
        role = label(message.get("role")).lower()
        if role in {USER, ASSISTANT}:
            yield Turn(
                role, content_text(message.get("content")), name, record.number, when, record.at
            )


def _nodes(record: Record) -> dict[str, dict[str, Any]]:
    tree = record.value.get("mapping")
    return {k: v for k, v in tree.items() if isinstance(v, dict)} if isinstance(tree, dict) else {}


def _up(nodes: dict[str, dict[str, Any]], leaf: object, parent: str = "parent") -> list[str]:
    """Names from the root to a leaf; none when it is not there."""
    path: dict[str, None] = {}
    name = leaf
    while isinstance(name, str) and name in nodes and name not in path:
        path[name] = None
        name = nodes[name].get(parent)
    return list(reversed(path))


def _down(nodes: dict[str, dict[str, Any]]) -> list[str]:
    """Names from the root along each node's last child."""
    roots = [name for name, node in nodes.items() if label(node.get("parent")) not in nodes]
    path: dict[str, None] = {}
    name = roots[0] if roots else None
    while name is not None and name not in path:
        path[name] = None
        children = nodes[name].get("children")
        there = [label(c) for c in children] if isinstance(children, list) else []
        there = [c for c in there if c in nodes]
        name = there[-1] if there else None
    return list(path)


# Claude.ai ---------------------------------------------------------------------------------------


def _of_claude_ai(record: Record) -> Iterator[Turn]:
    given = record.value.get("chat_messages")
    messages = [m for m in given if isinstance(m, dict)] if isinstance(given, list) else []
    for number, message in enumerate(_shown(messages), start=1):
        role = _SENDERS.get(label(message.get("sender")))
        if role is not None:
            when = since(message.get("created_at"))
            name = name_of(message.get("uuid")) or str(number)
            yield Turn(role, _words(message), name, record.number, when, record.at)


def _shown(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The branch that was last shown; all messages of an export that names no parents."""
    nodes = {name: m for m in messages if (name := label(m.get("uuid")))}
    parents = {label(m.get("parent_message_uuid")) for m in messages} & nodes.keys()
    if not parents or len(nodes) < len(messages):
        return messages
    leaves = [m for name, m in nodes.items() if name not in parents]
    if not leaves:
        return messages
    last = max(enumerate(leaves), key=lambda pair: (label(pair[1].get("created_at")), pair[0]))[1]
    return [nodes[name] for name in _up(nodes, last.get("uuid"), "parent_message_uuid")]


def _words(message: dict[str, Any]) -> str:
    """What stands in a message, and the long text that was pasted and became an attachment."""
    texts = [content_text(message.get("content")) or content_text(message.get("text"))]
    attached = message.get("attachments")
    for each in attached if isinstance(attached, list) else []:
        if isinstance(each, dict):
            pasted = label(each.get("extracted_content")).strip()
            name = label(each.get("file_name")).strip()
            texts.append(f"{name}：\n{pasted}" if name and pasted else pasted)
    return "\n\n".join(text for text in texts if text.strip())


def read_claude_ai_notes(file: File) -> Iterator[Told]:
    """What Claude.ai remembers, and what stands in projects, a memory a paragraph or item."""
    for record in of_either(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        row = record.value
        day = since(row.get("updated_at") or row.get("created_at"))
        yield from _notes(file, record, "memory", "", label(row.get("conversations_memory")), day)
        about = row.get("project_memories")
        for name, text in about.items() if isinstance(about, dict) else ():
            yield from _notes(file, record, f"project{SEPARATOR}{name}", "", label(text), day)
        project = label(row.get("name")).strip()
        key = name_of(row.get("uuid")) or project
        for field in ("description", "prompt_template"):
            place = f"{key}{SEPARATOR}{field}"
            yield from _notes(file, record, place, project, label(row.get(field)), day)
        docs = row.get("docs")
        for doc in docs if isinstance(docs, list) else []:
            if isinstance(doc, dict):
                name = label(doc.get("filename")).strip()
                title = " > ".join(part for part in (project, name) if part)
                place = f"{key}{SEPARATOR}{name_of(doc.get('uuid')) or name}"
                made = since(doc.get("created_at"))
                text = label(doc.get("content"))
                yield from _notes(
                    file, record, place, title, text, day if made == UNKNOWN else made
                )


def _notes(
    file: File, record: Record, place: str, title: str, text: str, day: Any
) -> Iterator[Entry]:
    for path, said in paragraphs(text):
        head = " > ".join(part for part in (title, *path) if part)
        yield Entry(
            SEPARATOR.join((file.name, place, *path)),
            Draft(
                f"{head}：{said}" if head else said,
                source=source("claude-ai", f"{file.name}#{record.number}"),
                confidence=MODEL,
                valid_from=day,
                evidence=evidence(file=file.name, section=head or None),
            ),
            record.number,
            at=record.at,
            alone=False,
        )
