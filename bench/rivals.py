"""Rival names: what is known of one is asked of another, of whom no note tells.

李梦瑶的生日 asked where only 李梦琪's stands is a wrong answer in waiting, and people
write too few such questions to fit from. So each question that names somebody is asked
twice: of the one the notes tell of, and of another of the same kind (二舅 for 大舅, 彭总 for 张总).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.data import Query, Task
from brain.text import names
from brain.text.fold import fold

SET = "names"
KIND = "rival"

GIVEN = "岚枫瑶航宇静婷磊"
SURNAMES = "彭邹章郑韩"
COUNTS = "大二三四"
_NOT_ASKED = ("不要", "不是", "别说")
"""Of whom a question with one of these is asked cannot be told by rule."""


def other(name: names.Name) -> str:
    """Another name of the same kind; '' where none can be made."""
    text = name.text
    if name.kind == "person" and len(text) > 1 and not text.isascii():
        return text[:-1] + next(c for c in GIVEN if c != text[-1])
    if name.kind == "title":
        at = 1 if text[0] in "小老阿大" else 0
        return text[:at] + next(c for c in SURNAMES if c != text[at]) + text[at + 1 :]
    if name.kind == "kin" and text[0] in COUNTS and len(text) > 1:
        return next(c for c in COUNTS if c != text[0]) + text[1:]
    return ""


def asked_of_both(tasks: Sequence[Task]) -> list[Task]:
    """Of some sets the answerable questions that name somebody, each with its rival."""
    return [replace(task, name=f"{SET}.{task.name}", queries=tuple(_both(task))) for task in tasks]


def _both(task: Task) -> Iterator[Query]:
    notes = {d.id: fold(d.text) for d in task.docs}
    for query in task.queries:
        text = fold(query.text)
        if not query.answerable or any(word in text for word in _NOT_ASKED):
            continue
        told = [notes[i] for i in task.relevant[query.id] if i in notes]
        for name in names.asked(text):
            new = other(name)
            changed = text[: name.start] + new + text[name.end :]
            found = [n for n in names.asked(changed) if n.text == new]
            if (
                new
                and found
                and any(names.match(name, note) >= 1.0 for note in told)
                and all(names.match(found[0], note) <= 0.0 for note in notes.values())
            ):
                yield query
                yield replace(query, id=f"{query.id}~", text=changed, kind=KIND, answerable=False)
                break
