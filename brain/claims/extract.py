"""Claim extraction: what a text itself names that can be looked at.

A path below a project, a package with a version, the name of something defined in code. A sentence
that says it is gone, planned or wanted claims nothing; where it is not clear, nothing is claimed.
"""

from __future__ import annotations

import re
from functools import cache

from brain.claims import forms
from brain.store.claims import Claim
from brain.text import lists

MOST = 8
"""Claims read off one text."""

LONGEST = 4000
"""Characters of a text that is read: a longer one is a document and no statement."""

_CLAUSE = re.compile(r"[。！？；!?\n]+|(?<=[^.\d\w])[,，、]\s*(?=[^\s])|[.;]\s|，|；")
_PATH = re.compile(
    r"(?<![\w/.:@~\\-])((?:\./)?(?:[\w.@+-]+/)+[\w@+-][\w.@+-]*)(?![\w/*:{<$(\\-])", re.ASCII
)
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_BARE_NAMES = frozenset({"Makefile", "Dockerfile", "Jenkinsfile", "Gemfile", "LICENSE"})
_DOMAIN = re.compile(r"\A(?:[\w-]+\.)+(?:com|org|net|io|cn|dev|app|edu|gov|ai|me|co)/", re.I)
_PACKAGE = re.compile(
    r"(?<![\w@/.-])(@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*[A-Za-z0-9])"
    r"(?:\s?(==|~=|>=|<=|@|\^)\s?|\s+(?=v?\d))(v?\d+(?:\.\d+){1,3}[\w.-]*)(?![\w.]*[@/\w])",
    re.ASCII,
)
_SYMBOL = re.compile(
    r"(?:函数|方法|类|接口|结构体|枚举|常量|function|method|class|struct|interface|trait|enum)"
    r"\s?[`「“\"]?([A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?"
    r"|`([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)\(\)`"
    r"|`?([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?`?\s?"
    r"(?:这个)?(?:函数|方法|类(?![型似别])|接口(?=[，。在的是里]|$)|结构体|枚举|常量)",
    re.ASCII,
)
_NO_NAME = re.compile(r"\A(?:[a-z]{1,20}|[A-Z]{1,4}|API|HTTP|REST|JSON|SQL)\Z")
_CHEAP = re.compile(
    r"[/`]|\d\.\d|函数|方法|类|接口|结构|枚举|常量"
    r"|function|method|class|struct|interface|trait|enum"
)
"""What any claim has something of: most texts have nothing."""


@cache
def _not_so() -> re.Pattern[str]:
    """What a sentence says that claims nothing about how things are now."""
    latin = lists.spoken(lists.words("claims", "not_so_latin"))
    words = [*map(re.escape, lists.words("claims", "not_so"))]
    return re.compile(rf"{'|'.join(words)}|\b(?:{'|'.join(map(re.escape, latin))})\b", re.I)


def claims_of(text: str, project: str = "") -> tuple[Claim, ...]:
    """The claims that are read off a memory's text, in the order in which they stand.

    Args:
        project: the name of the project they are about, '' where that is not known.
    """
    if len(text) > LONGEST or not _CHEAP.search(text):
        return ()
    found: dict[tuple[str, str], Claim] = {}
    for clause in _CLAUSE.split(text):
        if clause is None or _not_so().search(clause):
            continue
        for written in (*_paths(clause), *_packages(clause), *_names(clause)):
            claim = forms.read(written, forms.READ_OFF, project)
            found.setdefault((claim.kind, claim.claim), claim)
    return tuple(found.values())[:MOST]


def _paths(clause: str) -> list[str]:
    out = []
    for match in _PATH.finditer(clause):
        path = match[1].rstrip(".").removeprefix("./")
        name = path.rpartition("/")[2]
        if not (_ENDING.search(name) or name in _BARE_NAMES):
            continue
        if ".." in path or _DOMAIN.match(path) or len(path) > forms.LONGEST // 2:
            continue
        out.append(f"{forms.FILE} {path}")
    return out


def _packages(clause: str) -> list[str]:
    out = []
    for match in _PACKAGE.finditer(clause):
        name, operator, version = match[1], match[2] or "", match[3].rstrip(".-")
        if operator == "@":
            operator = ""
        if name.lower() in lists.words("claims", "no_package"):
            continue
        out.append(f"{forms.VERSION} {name} {operator}{version}")
    return out


def _names(clause: str) -> list[str]:
    out = []
    for match in _SYMBOL.finditer(clause):
        name = next(part for part in match.groups() if part)
        # A lone word is a word of the sentence as likely as a name.
        if _NO_NAME.match(name) or "/" in clause[max(0, match.start() - 1) : match.end() + 1]:
            continue
        head = name.split(".")[0]
        if "." in name and head.islower():
            continue  # of a module, which need not be the project's own
        out.append(f"{forms.SYMBOL} {name}")
    return out
