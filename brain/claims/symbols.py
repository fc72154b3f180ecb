"""Symbol definitions: where a name is defined, by patterns, in six languages.

Python, JavaScript and TypeScript, Go, Rust, Java and C. Remarks and texts are blanked before, so
that a definition in one is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from brain.text import lists

_PYTHON = r"(?m)^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{n}\b|^{n}[ \t]*(?::[^=\n]+)?=(?!=)"
_PYTHON += r"|^[ \t]+self\.{n}[ \t]*(?::[^=\n]+)?=(?!=)"
_PYTHON += r"|^[ \t]+{n}[ \t]*(?::[^=\n]+=(?!=)|=(?!=)|:[ \t]*[A-Za-z])"
_PYTHON += r"|^type[ \t]+{n}\b"
_SCRIPT = (
    r"(?m)\b(?:function\*?|class|interface|type|enum|namespace|const|let|var)\s+{n}\b(?!\s*:(?!\s*\w))"
    r"|^[ \t]*(?:(?:public|private|protected|static|async|readonly|override|abstract|get|set)\s+)*"
    r"[*#]?{n}\s*(?:<[^>\n]*>)?\([^;\n]*\)\s*(?::[^;{{\n]+)?\{{"
    r"|^[ \t]*(?:(?:public|private|protected|static|readonly)\s+)*#?{n}[?!]?\s*"
    r"(?::[^=;\n]+)?=(?![=>])|^[ \t]*{n}\s*:\s*(?:async\s+)?(?:function\b|\([^)\n]*\)\s*=>)"
    r"|^(?:module\.)?exports\.{n}\s*="
)
_GO = (
    r"(?m)^func\s+(?:\([^)\n]*\)\s*)?{n}\s*[\[(]|^\s*(?:type|const|var)\s+{n}\b"
    r"|^\t{n}\s+(?:struct|interface|func|=|[\w.\[\]*]+\s*=)|^\t{n}\s*=[^=]"
)
_RUST = (
    r"(?m)\b(?:fn|struct|enum|union|trait|type|const|static(?:\s+mut)?|mod)\s+{n}\b"
    r"|\bmacro_rules!\s*{n}\b"
)
_JAVA = (
    r"(?m)\b(?:class|interface|enum|record|@interface)\s+{n}\b"
    r"|^[ \t]*(?:(?:public|private|protected|static|final|abstract|synchronized|default)\s+)*"
    r"(?:<[^>\n]+>\s*)?(?!return\b|new\b|throw\b|else\b)[\w.]+(?:<[^;={{\n]*>)?(?:\[\])*"
    r"\s+{n}\s*(?:\(|=|;)"
    r"|^[ \t]*(?:public|private|protected)\s+{n}\s*\("
)
_C = (
    r"(?m)^[ \t]*#[ \t]*define[ \t]+{n}\b|\b(?:struct|union|enum|class)\s+{n}\s*\{{"
    r"|^(?!\s*(?:return|else|if|while|for|switch|case|goto|typedef)\b)"
    r"(?:[A-Za-z_][\w \t*]*[ \t*])?{n}\s*\([^;{{}}]{{0,2000}}\)\s*\{{"
    r"|\btypedef\b[^;{{}}]{{0,200}}(?:\{{[^{{}}]{{0,4000}}\}})?[^;{{}}]{{0,200}}"
    r"\b{n}\s*(?:\[[^\]\n]*\])?;"
    r"|\btypedef\b[^;]{{0,200}}\(\s*\*\s*{n}\s*\)"
    r"|^(?:static\s+|const\s+)*[A-Za-z_][\w \t*]*[ \t*]{n}"
    r"(?:\[[^\]\n]*\])*\s*="
)

_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"), _SCRIPT),
    "go": _GO,
    "rs": _RUST,
    "java": _JAVA,
    **dict.fromkeys(("c", "h"), _C),
}
"""By the end of a file's name: where ``{n}`` is defined."""

LARGEST = 2 * 1024 * 1024
"""Characters of a source file beyond which it was made by a program, and is passed over."""

_SLASHES = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`",
    re.DOTALL,
)
_HASHES = re.compile(
    r"#[^\n]*|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
_NO_QUOTES = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)


def language(path: str) -> str:
    """The end of a path's name, '' where it has none."""
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_known(path: str) -> bool:
    """Whether definitions in a file of that name are known here."""
    return language(path) in _LANGUAGES


def is_other(path: str) -> bool:
    """Whether that is source in a language whose definitions are not known here."""
    return language(path) in lists.words("claims", "other_languages")


def parts_of(name: str) -> list[str]:
    """The parts of a name: ``Store.open``, ``store::open`` and ``Store#open`` have two."""
    return re.split(r"\.|::|#", name)


def line_of(text: str, path: str, name: str) -> int | None:
    """The line in which a file defines a name, from 1; None where it does not.

    Args:
        name: with its class before it, that has to be defined in the same file, earlier.
    """
    parts = parts_of(name)
    if len(text) > LARGEST or parts[-1] not in text:
        return None
    end = language(path)
    plain = _blanked(text, end)
    start = _find(plain, end, parts[:-1])
    if start is None:
        return None
    form = _form(end, parts[-1])
    found = form.search(plain, start)
    if found is None:
        return None
    # What stands before the name is part of the match, and may begin on the line before.
    return plain.count("\n", 0, found.start() + found[0].rfind(parts[-1])) + 1


def _find(plain: str, end: str, parts: Sequence[str]) -> int | None:
    """Where the definitions of some names, one after the other, have been passed."""
    at = 0
    for part in parts:
        found = _form(end, part).search(plain, at)
        # In Go and Rust methods stand apart from their type; a module is often its file.
        if found is None and not re.search(rf"\b{re.escape(part)}\b", plain):
            return None
        at = 0 if found is None or end in ("go", "rs") else found.end()
    return at


@lru_cache(maxsize=256)
def _form(end: str, name: str) -> re.Pattern[str]:
    return re.compile(_LANGUAGES[end].format(n=re.escape(name)))


def _blanked(text: str, end: str) -> str:
    """A text with blanks in the place of remarks and quoted texts, on as many lines."""
    form = _HASHES if end in ("py", "pyi") else _SLASHES
    form = _NO_QUOTES if end in ("rs", "c", "h") else form
    return form.sub(lambda found: "\n" * found[0].count("\n") or " ", text)
