"""Folders of skills: one folder a skill, with a ``SKILL.md`` of front matter and Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from brain.ingest import frontmatter
from brain.ingest.entry import Entry, Fault, Found, evidence, source
from brain.ingest.files import File, unusable, whole
from brain.ingest.times import UNKNOWN
from brain.memory import SKILL_KIND, Draft


def read(file: File) -> Iterator[Found]:
    """The one skill of a ``SKILL.md``: its name, its description, its body."""
    text = whole(file.path)
    wrong = unusable(text)
    if wrong is not None:
        yield Fault(1, wrong)
        return
    head, body = frontmatter.split(text)
    folder = file.path.parent.name
    name = head.get("name") or folder
    parts = [name, head.get("description", ""), body.strip()]
    if not any(parts[1:]):
        yield Fault(1, "这个技能没有说明也没有正文，跳过了。")
        return
    yield Entry(
        file.name,
        Draft(
            "\n\n".join(part for part in parts if part),
            kind=SKILL_KIND,
            source=source("skill", name),
            valid_from=UNKNOWN,
            evidence=evidence(file=file.name),
        ),
        place=1,
    )
