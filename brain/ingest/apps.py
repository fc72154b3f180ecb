"""Chat programs' own storage: Cursor's ``state.vscdb``, Cherry Studio's database and backup.

Cursor keeps it in ``User/globalStorage/`` (and older conversations in ``workspaceStorage/*/``),
Cherry Studio in its data folder as SQLite, or as ``data.json`` in the zip it makes as a backup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from brain.ingest.chat import Talk, Told, Turn
from brain.ingest.entry import UNKNOWN, Fault, since
from brain.ingest.files import File
from brain.ingest.records import label, name_of, of_either, parsed_bytes
from brain.store import chat_db, hermes_db
from brain.text.scaffolding import ASSISTANT, USER

_ROLES = {1: USER, 2: ASSISTANT, "1": USER, "2": ASSISTANT, "user": USER, "ai": ASSISTANT}
_PANEL = "workbench.panel.aichat.view.aichat.chatdata"
_OLD_COMPOSERS = "composer.composerData"
_WORDS = ("main_text", "text", "code")
"""Blocks and parts of a message of Cherry Studio that are words of somebody's."""


# Cursor ------------------------------------------------------------------------------------------


def read_cursor_db(file: File) -> Iterator[Told]:
    """All conversations of a ``state.vscdb``."""
    for number, name in enumerate(chat_db.composers(file.path), start=1):
        head, bubbles = chat_db.composer(file.path, name)
        value = parsed_bytes(head, number)
        if isinstance(value, Fault):
            if head not in (b"", b"null"):
                yield value
        elif not value.get("subagentInfo"):
            yield Talk("cursor", name, _composer(value, bubbles, number), "cursor")
    yield from _older(file)


def _older(file: File) -> Iterator[Told]:
    """Conversations that older versions kept in one value."""
    for key, listed, own in (
        (_OLD_COMPOSERS, "allComposers", "composerId"),
        (_PANEL, "tabs", "tabId"),
    ):
        data = chat_db.item(file.path, key)
        value = parsed_bytes(data, 1) if data else {}
        if isinstance(value, Fault):
            yield value
            continue
        for number, each in enumerate(_dicts(value.get(listed)), start=1):
            if "conversation" in each or "bubbles" in each:
                name = name_of(each.get(own)) or f"{listed}-{number}"
                yield Talk("cursor", name, _composer(each, {}, number), "cursor")


def _composer(
    value: dict[str, Any], bubbles: dict[str, bytes], number: int
) -> Iterator[Turn | Fault]:
    begun = since(value.get("createdAt") or value.get("lastSendTime"))
    when = begun
    told = _dicts(value.get("conversation")) or _dicts(value.get("bubbles"))
    inline = value.get("conversationMap")
    for place, bubble in enumerate(told or _dicts(value.get("fullConversationHeadersOnly"))):
        name = label(bubble.get("bubbleId")) or label(bubble.get("id"))
        whole: dict[str, Any] | Fault = bubble
        if not told:
            kept = inline.get(name) if isinstance(inline, dict) else None
            whole = parsed_bytes(bubbles.get(name, b""), number) if not kept else _dict(kept)
        if isinstance(whole, Fault):
            if bubbles.get(name):
                yield whole
            continue
        sort = whole.get("type", bubble.get("type"))
        role = _ROLES.get(sort) if isinstance(sort, int | str) else None
        when = next((w for w in map(since, _times(whole)) if w != UNKNOWN), when)
        text = label(whole.get("text")) or label(whole.get("rawText"))
        if not text.strip():
            text = _rich(whole.get("richText"))
        if role is not None:
            yield Turn(role, text, name or str(place), number, when)


def _times(bubble: dict[str, Any]) -> Iterable[object]:
    yield bubble.get("createdAt")
    yield bubble.get("timestamp")
    timing = _dict(bubble.get("timingInfo"))
    # The first of these counts from the program's start in some versions; then it is no time.
    yield from (timing.get(k) for k in ("clientRpcSendTime", "clientStartTime", "clientEndTime"))


def _rich(value: object) -> str:
    """The words of an editor's tree of nodes, one paragraph a line."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ""
    words: list[str] = []
    waiting: list[object] = [value]
    while waiting:
        node = _dict(waiting.pop())
        if isinstance(node.get("text"), str):
            words.append(node["text"])
        if node.get("type") in ("paragraph", "linebreak") and words:
            words.append("\n")
        children = node.get("children")
        waiting += reversed(children) if isinstance(children, list) else []
        waiting += [node["root"]] if "root" in node else []
    return "".join(words).strip()


# Cherry Studio -----------------------------------------------------------------------------------


def fits_cherry(start: str) -> bool:
    """Whether a JSON object that begins so is a backup."""
    return '"localStorage"' in start and ("cherry-studio" in start or '"indexedDB"' in start)


def read_cherry(file: File) -> Iterator[Told]:
    """All conversations of a database, or of a backup's ``data.json``."""
    if hermes_db.is_sqlite(file.path):
        for number, (topic, leaf) in enumerate(chat_db.topics(file.path), start=1):
            found = chat_db.messages(file.path, topic)
            yield Talk("cherry-studio", topic, _of_rows(found, leaf, number), "cherry_studio")
        return
    for record in of_either(file.path):
        if isinstance(record, Fault):
            yield record
            continue
        stored = _dict(record.value.get("indexedDB"))
        blocks: dict[str, dict[str, Any]] = {}
        of_message: dict[str, list[dict[str, Any]]] = {}
        for block in _dicts(stored.get("message_blocks")):
            blocks[label(block.get("id"))] = block
            of_message.setdefault(label(block.get("messageId")), []).append(block)
        for number, one in enumerate(_dicts(stored.get("topics")), start=1):
            name = name_of(one.get("id")) or str(number)
            turns = _of_backup(_dicts(one.get("messages")), blocks, of_message, number)
            yield Talk("cherry-studio", name, turns, "cherry_studio")


def _of_rows(found: list[chat_db.Message], leaf: str | None, number: int) -> Iterator[Turn | Fault]:
    nodes = {message[0]: message for message in found}
    path: dict[str, None] = {}
    name = leaf
    while name is not None and name in nodes and name not in path:
        path[name] = None
        name = nodes[name][1]
    for shown in reversed(path) if path else nodes:
        _, _, role, data, when = nodes[shown]
        value = parsed_bytes(data, number)
        if isinstance(value, Fault):
            yield value
        elif role in (USER, ASSISTANT):
            parts = _dicts(value.get("blocks")) or _dicts(value.get("parts"))
            yield Turn(role, _said(parts), shown, number, since(when))


def _of_backup(
    messages: list[dict[str, Any]],
    blocks: dict[str, dict[str, Any]],
    of_message: dict[str, list[dict[str, Any]]],
    number: int,
) -> Iterator[Turn]:
    chosen = {label(m.get("askId")) for m in messages if m.get("foldSelected")} - {""}
    answered: set[str] = set()
    for message in messages:
        role = label(message.get("role"))
        if role not in (USER, ASSISTANT) or message.get("type") == "clear":
            continue
        asked = label(message.get("askId"))
        if role == ASSISTANT and asked:
            # Several models answered; the one that was chosen counts, else the first.
            if not message.get("foldSelected") if asked in chosen else asked in answered:
                continue
            answered.add(asked)
        name = label(message.get("id"))
        listed = message.get("blocks")
        parts = [blocks.get(label(each), {}) for each in listed] if isinstance(listed, list) else []
        text = _said(parts or of_message.get(name, [])) or label(message.get("content"))
        yield Turn(role, text, name or str(number), number, since(message.get("createdAt")))


def _said(parts: Iterable[dict[str, Any]]) -> str:
    texts = (
        label(part.get("content")) or label(part.get("text"))
        for part in parts
        if part.get("type") in _WORDS
    )
    return "\n\n".join(text for text in texts if text.strip())


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
