"""Stop words and word segmentation: what a query asks about, and what is only chit-chat.

Two ways lead to content. :func:`content_words` segments with jieba's dictionary and is for reading
(explanations, coverage); it costs a tenth of a second when cold. :func:`strip_function_words` and
:func:`is_chitchat` need no dictionary: they match the lists ``stop_words`` and ``chitchat`` of
:mod:`brain.text.lists` from left to right, the longest entry first, and are for every query.

What is cut is question words, particles, pronouns and conjunctions. Negation (不 没 未 别, not) is
content: 上线 and 不上线 are different facts. Kept words guard the characters that are grammar in
one place and part of a word in another (目的, 在线, 有效, 首都); where that is undecided, the
character stays, because a glued particle costs a little precision and a torn word costs the hit.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from brain.errors import EXIT_DATA, BrainError
from brain.text.fold import fold
from brain.text.lists import Lexicon, is_ascii_word, lines, words

MAX_OWN_WORD_CHARS = 64


# A run without blanks and marks, but with those that join identifiers: gen-itgc, .env, c++, -5度.
_CHUNK = (
    r"(?:\.(?=[a-z])|-(?=\d))?\w+"
    r"(?:(?<=[0-9a-z_])[-._/:@+#&'%=~\\]+(?=[0-9a-z_])\w+)*(?:(?<=[0-9a-z])(?:\+\+|[#%]))?"
)


def _list(heading: str) -> tuple[str, ...]:
    return words("stop_words", heading)


def _phrases() -> list[str]:
    asked = [f"几{counter}" for counter in _list("asked_counters")]
    return [
        *_list("requests"),
        *_list("phrases"),
        *(head + tail for head in _list("demonstratives") for tail in _list("counters")),
        *(f"哪一{counter}" for counter in _list("counters")),
        *asked,
        *(f"第{phrase}" for phrase in asked),
    ]


STOP_WORDS: frozenset[str] = frozenset(
    [*_phrases(), *_list("singles"), *_list("tokens"), *_list("english")]
)
"""Tokens of a segmenter that carry no content, Simplified and lower case."""

SINGLES: frozenset[str] = frozenset(_list("singles"))
"""Single characters of grammar."""


# --- what a query asks about ---------------------------------------------------------------------


@cache
def _grammar() -> Lexicon:
    """Each entry with the part of it, at its end, that is kept."""
    entries = dict.fromkeys([*_phrases(), *_list("singles")], "")
    for line in lines("stop_words")["kept_after"]:
        heads, _, tails = line.partition(">")
        entries |= {head + tail: tail for head in heads.split() for tail in tails.split()}
    return Lexicon.of(entries | {word: word for word in _list("kept")})


@lru_cache(maxsize=8)
def _own_index(own_words: tuple[str, ...]) -> Lexicon:
    return Lexicon.of(dict.fromkeys((fold(parse_own_word(line)[0]) for line in own_words), ""))


def strip_function_words(folded: str, own_words: Iterable[str] = ()) -> list[str]:
    """Cuts a query into the runs of content that are left without its function words.

    No segmenter and no dictionary: phrases like 什么时候, 有没有, 请问, 的时候 go wherever they
    stand, single characters like 的 了 在 有 unless a kept word holds them, English function words
    where they stand alone (in a query with Han only the plain ones: IT 部, A 方案 are names).

    Args:
        folded: a query from :func:`brain.text.fold.fold`.
        own_words: the user's words, as lines of jieba's format; they are never cut.

    Returns:
        Runs in text order, repeats kept, without blanks and marks at their ends; none when the
        query has no content. Weak words left alone (怎么做: 做) go too, but a query that is one
        word is that word.

    Raises:
        BrainError: as :func:`parse_own_word`.
    """
    folded = folded.replace("’", "'")
    english = _english(amid_han=any("\u3400" <= c <= "\u9fff" for c in folded))
    own = _own_index(tuple(own_words))
    parts: list[str] = []
    at = 0
    for start, end in [*_spans(own, folded), (len(folded), len(folded))]:
        parts += _cut_gap(folded[at:start], english)
        parts.append(folded[start:end])
        at = end
    runs = [run for run in "".join(parts).split("\n") if run]
    if runs == [folded.strip()]:
        return runs
    return [run for run in runs if run not in _weak_runs() or own.longest(run, 0)]


@cache
def _faint() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_list("faint"), key=len, reverse=True)))


def strong_runs(runs: Iterable[str]) -> list[str]:
    """Cuts runs of content at words that say little (问题, 平时, 处理), which fall out.

    Args:
        runs: from :func:`strip_function_words`.
    """
    return [part for run in runs for part in _faint().split(run) if part]


@cache
def _weak_runs() -> frozenset[str]:
    # English ones are cut before, and only where they are not names.
    return frozenset(w for w in STOP_WORDS if not w.isascii()).union(_list("negations"))


@cache
def _english(amid_han: bool) -> frozenset[str]:
    return frozenset(_list("english_amid_han" if amid_han else "english"))


def _spans(index: Lexicon, text: str) -> list[tuple[int, int]]:
    """Where entries stand, leftmost and longest first, without overlap."""
    spans: list[tuple[int, int]] = []
    at = 0
    while index.entries and at < len(text):
        found = index.longest(text, at)
        if found:
            spans.append((at, at + len(found[0])))
        at += len(found[0]) if found else 1
    return spans


def _cut_gap(text: str, english: frozenset[str]) -> Iterator[str]:
    """The text with a line break for every run of marks and blanks and every function word."""
    at = 0
    for match in re.finditer(_CHUNK, text):
        chunk = match.group()
        if match.start() > at:
            yield "\n"
        at = match.end()
        if not chunk.isascii():
            yield from _cut_chunk(chunk, _grammar())
        elif chunk in english:
            yield "\n"
        else:
            yield chunk
    if at < len(text):
        yield "\n"


def _cut_chunk(chunk: str, grammar: Lexicon) -> Iterator[str]:
    at = kept = 0
    while at < len(chunk):
        if chunk[at] not in grammar.lengths:
            at += 1
            continue
        found = grammar.longest(chunk, at)
        if found and found[0] != found[1]:
            yield chunk[kept:at]
            yield "\n"
            kept = at + len(found[0]) - len(found[1])
        at += len(found[0]) if found else 1
    yield chunk[kept:]


# --- chit-chat -----------------------------------------------------------------------------------

_MAX_CHAT_CHARS = 200
_CHAT = r"(?:i*p[pt]*)+"
"""Intensifiers, a phrase, more phrases or tails; marks of :func:`_chat_index` put in a row."""


@cache
def _chat_index() -> Lexicon:
    tails = dict.fromkeys(words("chitchat", "tails"), "t")
    intensifiers = dict.fromkeys(words("chitchat", "intensifiers"), "i")
    phrases = (phrase.replace("_", " ") for phrase in words("chitchat", "phrases"))
    return Lexicon.of(tails | intensifiers | dict.fromkeys(phrases, "p"))


def is_chitchat(folded: str) -> bool:
    """Whether a message is nothing but greeting, thanks, assent, laughter or emoji.

    The message must be, from end to end, phrases of chit-chat with what may stand before and after
    them (太谢谢你了, 好的好的, ok thanks); one foreign character makes it a question.

    Args:
        folded: a query from :func:`brain.text.fold.fold`.
    """
    if len(folded) > _MAX_CHAT_CHARS:
        return False
    begin = next((char for char in folded if not _is_mark(char)), None)
    if begin is not None and begin not in _chat_index().lengths:
        return False
    text = " ".join("".join(" " if _is_mark(c) else c for c in folded).split())
    if not text:
        return bool(folded.strip())
    marks = ""
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        found = _chat_index().longest_whole(text, at)
        if found is None:
            return False
        marks += found[1]
        at += len(found[0])
    return re.fullmatch(_CHAT, marks) is not None


def _is_mark(char: str) -> bool:
    """Punctuation, blanks, emoji and what modifies them; but not + = < > $ € and the like."""
    if char == "'":
        return False
    category = unicodedata.category(char)
    # Emoji newer than Python's own tables are unassigned there.
    return category[0] in "PZM" or category in {"So", "Sk", "Cf", "Cn", "Cc"} or char == "~"


# --- segmentation --------------------------------------------------------------------------------

# The tags of jieba's own dictionary; any other last word belongs to the word: "the who".
_TAGS = (
    "a ad ag an b c d df dg e eng f g h i j k l m mg mq n ng nr nrfg nrt ns nt nz o p q r rg rr rz"
    " s t tg u ud ug uj ul uv uz v vd vg vi vn vq x y z zg"
)
_OWN_WORD = rf"(.+?)(?: ([0-9]{{1,9}}))?(?: ({_TAGS.replace(' ', '|')}))?"
_IDENTIFIER = (
    r"(?<![A-Za-z0-9_])(?:\.?[A-Za-z0-9_]+(?:[-._/:@+#&']+[A-Za-z0-9_]+)+(?:\+\+|\#)?"
    r"|\.[A-Za-z][A-Za-z0-9_]*|[A-Za-z0-9_]+(?:\+\+|\#(?![A-Za-z0-9_])))"
)
# The characters jieba's dictionary is asked about; other letters stay in their runs.
_PIECE = r"(?P<dictionary>[\u4e00-\u9fd5A-Za-z0-9]+)|[^\W\u4e00-\u9fd5A-Za-z0-9]+|\s+|."


class _Segmenter:
    """Jieba with a user's words.

    Args:
        cut: splits a run of Han and Latin; knows the own words made of Han alone.
        fixed: finds what is never split: identifiers and the other own words.
        own: the own words, case folded.
        requests: the phrases that make a request, and the words that guard against them.
    """

    def __init__(
        self,
        cut: Callable[[str], list[str]],
        fixed: re.Pattern[str],
        own: frozenset[str],
        requests: Lexicon,
    ) -> None:
        self.cut = cut
        self.fixed = fixed
        self.own = own
        self.requests = requests


def parse_own_word(line: str) -> tuple[str, int | None, str | None]:
    """Reads a line of jieba's dictionary format: ``word [freq] [tag]``, separated by one blank.

    The word may hold blanks; what follows the last one is a tag only if jieba has such a tag.

    Returns:
        The word as written, its frequency and its part of speech, None where not given.

    Raises:
        BrainError: ``brain_word_invalid`` (65) for a word that is empty, longer than 64 characters,
            without any letter or digit, or with control characters, and for the frequency 0.
    """
    match = re.fullmatch(_OWN_WORD, line.strip())
    word = match.group(1) if match else ""
    if match is None or any(unicodedata.category(c) in {"Cc", "Cs"} for c in word):
        raise _word_invalid(line, "词不能是空的，也不能含控制字符")
    if len(word) > MAX_OWN_WORD_CHARS:
        raise _word_invalid(line, f"词最长 {MAX_OWN_WORD_CHARS} 个字符")
    if not any(c.isalnum() for c in word):
        raise _word_invalid(line, "词里至少要有一个文字或数字")
    freq = int(match.group(2)) if match.group(2) else None
    if freq == 0:
        raise _word_invalid(line, "词频至少是 1")
    return word, freq, match.group(3)


def _word_invalid(line: str, why: str) -> BrainError:
    shown = " ".join(line.encode("utf-8", "replace").decode("utf-8").split())[:40]
    message = f"自定义词「{shown}」不合规：{why}。写法是「词 [词频] [词性]」，如「青鸟计划 10 n」。"
    return BrainError("brain_word_invalid", message, EXIT_DATA)


def segment(text: str, own_words: Iterable[str] = ()) -> list[str]:
    """Segments a text into words; joined they give the text again.

    Han goes through jieba's dictionary and model: by its Rust build rjieba (import and first call
    0.11 s), else by jieba itself (0.8 s). Identifiers (gen-itgc, v1.2.3, c++) and runs of other
    scripts stay whole.

    Args:
        text: any string, folded or not.
        own_words: the user's words, as lines of jieba's format. Words of Han alone are added to the
            dictionary with their frequency, others are looked for literally, in any case.

    Raises:
        BrainError: as :func:`parse_own_word`.
    """
    return _segment(text, _segmenter(tuple(own_words)))


def content_words(text: str, own_words: Iterable[str] = ()) -> list[str]:
    """The words of a text that carry content, in text order, repeats kept.

    Own words, names, numbers, identifiers and negations stay; stop words, particles and marks go.
    Arguments and errors are those of :func:`segment`.
    """
    segmenter = _segmenter(tuple(own_words))
    # Jieba would read 能不能 as 能 and 不能, 帮我查 as 帮 and 我查.
    statement = "".join(_cut_chunk(text, segmenter.requests))
    return [
        word
        for word in _segment(statement, segmenter)
        if word.casefold() in segmenter.own or _is_content(word.casefold())
    ]


def _is_content(word: str) -> bool:
    """Whether anything but grammar is in a token: jieba has 这是, 我要, 有个 as words."""
    rest = "".join(_cut_chunk(word, _grammar())).split("\n")
    return word not in STOP_WORDS and any(
        part not in STOP_WORDS and any(c.isalnum() for c in part) for part in rest
    )


def _segment(text: str, segmenter: _Segmenter) -> list[str]:
    out: list[str] = []
    at = 0
    for match in segmenter.fixed.finditer(text):
        out += _segment_gap(text[at : match.start()], segmenter)
        out.append(match.group())
        at = match.end()
    out += _segment_gap(text[at:], segmenter)
    return out


def _segment_gap(text: str, segmenter: _Segmenter) -> Iterator[str]:
    for match in re.finditer(_PIECE, text, re.DOTALL):
        if match.lastgroup == "dictionary":
            yield from segmenter.cut(match.group())
        else:
            yield match.group()


@lru_cache(maxsize=2)
def _segmenter(own_words: tuple[str, ...]) -> _Segmenter:
    entries = [parse_own_word(line) for line in own_words]
    own = {word: word for word, _, _ in entries}
    is_han = re.compile(r"[\u4e00-\u9fd5]+").fullmatch
    literal = sorted((word for word in own if not is_han(word)), key=len, reverse=True)
    added = [entry for entry in entries if is_han(entry[0])]
    try:
        cut = _rjieba_cut(added)
    except ImportError:
        cut = _jieba_cut(added)
    requests = dict.fromkeys(_list("requests"), "")
    kept = {word: word for word in _list("kept")}
    return _Segmenter(
        cut=cut,
        fixed=re.compile("|".join([*map(_literal, literal), _IDENTIFIER]), re.IGNORECASE),
        own=frozenset(word.casefold() for word in own),
        requests=Lexicon.of(requests | kept | own),
    )


def _literal(word: str) -> str:
    """A pattern for a word; one that begins or ends with a Latin letter does not split another."""
    head = "(?<![A-Za-z0-9_])" if is_ascii_word(word[0]) else ""
    tail = "(?![A-Za-z0-9_])" if is_ascii_word(word[-1]) else ""
    return head + re.escape(word) + tail


_Entry = tuple[str, int | None, str | None]


def _rjieba_cut(added: list[_Entry]) -> Callable[[str], list[str]]:
    import rjieba

    if not added:
        return _listing(rjieba.cut)
    tokenizer = rjieba.Jieba()
    for word, freq, tag in added:
        tokenizer.add_word(word, freq, tag)
    return _listing(tokenizer.cut)


def _jieba_cut(added: list[_Entry]) -> Callable[[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports pkg_resources and has old escapes
        import jieba

    tokenizer = jieba.Tokenizer()
    # Not initialize(): that talks on stderr and trusts a cache file in the shared temp folder.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    for word, freq, tag in added:
        tokenizer.add_word(word, freq, tag)
    return _listing(tokenizer.cut)


def _listing(cut: Callable[[str], Iterable[str]]) -> Callable[[str], list[str]]:
    return lambda text: list(cut(text))
