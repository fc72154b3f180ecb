"""A query, cut once into what the lanes and the gate need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from brain import validate
from brain.recall import language
from brain.text import aliases, answer_kind, intent, names
from brain.text.answer_kind import Kind
from brain.text.dates import intervals
from brain.text.dialect import standard
from brain.text.fold import fold
from brain.text.happenings import asks_what_happened
from brain.text.intent import Intent
from brain.text.names import Name
from brain.text.phones import join_phones
from brain.text.regex import compiled
from brain.text.rewrite import Variant, other_terms, phrase_terms, variants
from brain.text.sentences import sentences
from brain.text.stopwords import is_chitchat, strip_function_words, strong_runs
from brain.text.tokenize import is_han, query_terms, trigram_windows
from brain.text.wrapping import unwrap

MAX_CHARS = 20_000
"""Of a longer query only the head and the tail are looked at; what is asked stands there."""

MAX_TERMS = 600
"""Distinct terms of a query whose frequency is looked up, half from its head, half from its
tail."""

MESSAGE_TERMS = 160
MESSAGE_WINDOWS = 40
"""The same for a message that is longer than ``LONG``: of its content alone. What it asks is asked
by itself as well."""

MOST_LONE = 6
"""Up to so many content terms a lone character (龟 kubernetes) is looked up as well; in a longer
query it says too little for the prefix scan it costs."""

MOST_TIMES = 4
"""With more times than these a query is a pasted log, and they are no preference."""

FUNCTION_WEIGHT = 0.7
"""What a term of function words (什么, 怎么) counts beside content words; measured: from .5 to 1
the shared sets agree within .003, at .4 paraphrases lose .003, at 0 .02."""

MOST_BARE_WORDS = 2
MOST_BARE_WIDTH = 6.0
"""A query of up to so many words and characters (ASCII ones count half) is a bare one: 部署,
nginx 配置, gen-itgc. Longer ones without a question word often ask all the same."""

WORTH = {
    "numeral": 1.0,
    "homophone": 1.0,
    "region": 0.9,
    "colloquial": 0.7,
    "translation": 0.5,
    "narrower": 0.5,
    "alias": 1.0,
}
"""What another way to write a phrase counts, by kind: the same spelled otherwise counts in full, a
word for the same thing less."""

SPELLINGS = frozenset({"homophone", "region", "colloquial", "narrower"})

TALK = 0.5
"""How surely a message only talks so that it is no bare word to look up."""

LONG = 120
"""Characters from which a query is a message that holds its question among other things."""

MOST_PARTS = 3
"""Sentences of a long message that are asked by themselves."""

_ASKING = (
    r"[?？]|什么|怎么|怎样|如何|哪|谁|几[个点号时天年月]|多少|多久|为何|为什么|吗|呢|是否|[能有是要]不[能有是要]|有没有|啥|咋"
    r"|\b(?:what|how|why|when|where|who|which)\b"
)

_ANNOUNCING = (
    r"(?:(?:想|要)(?:问|请教|知道|了解|确认|搞清楚|弄清楚|弄明白)|(?:问|请教)(?:你|您|大家)?一?[下句个]"
    r"|请问|问题是)(?:的|问?一?下|个?问题|是|这个|你们?|您|大家)*[，,：:]?"
)
"""What announces that now comes what is asked: 对了，想问一下，"""

NO_INTENT = Intent()

MOST_ALIASES = 3
"""Other names of one that are looked for."""

SHORT = 12
"""Characters up to which a query with a pronoun is taken to point at the turn before."""

_GOING_ON = r"继续|接着|接下来|往下|然后|还有呢|go on|continue|\bnext\b"
_POINTING = r"[它他她]|[这那][个些件条种边样里]|^[这那](?!么)|\b(?:it|this|that|they|them)\b"


class Rewriting(NamedTuple):
    """Another way to write a stretch of the query.

    Args:
        phrase, other: gram terms of the stretch and of what may stand in its place.
        worth: what ``other`` counts where ``phrase`` counts 1.
        translated: into the other language, which helps only where the phrase itself is rare.
    """

    phrase: tuple[str, ...]
    other: tuple[str, ...]
    worth: float = 1.0
    translated: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A query ready for the lanes.

    Args:
        text: as given, bounded; what is embedded.
        folded: its folded form, with phone numbers as their digits alone.
        terms: distinct gram-index terms in text order (``部*`` for a lone character).
        windows: distinct three-character windows of words that are not Han alone, in text order:
            a note with a window of Han has its grams too.
        content: those of the terms that are left when function words and times are taken out;
            what an answer should cover.
        faint: those of the content that say little of what is asked (问题, 处理).
        chitchat: nothing but greetings and the like.
        bare: a word or two and nothing asked about them (k8s, nginx 配置).
        times: the times it asks about, a soft preference.
        rewritings: other ways to write parts of it.
        variants: what those were made from; None where the user's own words had a say in them or
            a text was too long for any.
        language: ``zh`` or ``en``.
        runs: the stretches of content that are left without function words and times.
        intent: what the message is for.
        kinds: what kinds of thing are asked for.
        names: whom it names, and identifiers.
        aliases: by which other names notes call those it names, from :func:`also_called`.
    """

    text: str
    folded: str
    terms: tuple[str, ...]
    windows: tuple[str, ...]
    content: tuple[str, ...]
    faint: frozenset[str]
    chitchat: bool
    bare: bool = False
    times: tuple[intervals.Interval, ...] = ()
    rewritings: tuple[Rewriting, ...] = ()
    variants: tuple[Variant, ...] | None = None
    language: str = language.CHINESE
    runs: tuple[str, ...] = ()
    intent: Intent = NO_INTENT
    kinds: frozenset[Kind] = frozenset()
    names: tuple[Name, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def weights(self) -> dict[str, float]:
        """How much each term counts: function words less, where there is content beside them."""
        if not self.content:
            return dict.fromkeys(self.terms, 1.0)
        content = frozenset(self.content)
        return {t: 1.0 if t in content else FUNCTION_WEIGHT for t in self.terms}

    @property
    def known(self) -> tuple[str, ...]:
        """Its terms, and those of its content that are not among them."""
        return tuple(dict.fromkeys((*self.terms, *self.content)))

    @property
    def telling(self) -> tuple[str, ...]:
        """The terms a long text is cut by: its content, the other ways to write it, and the times
        it names (of two duty rosters, the one for 元旦)."""
        named = (t for one in self.times for t in query_terms(fold(one.phrase)))
        return tuple(dict.fromkeys((*self.content, *self.others, *named)))

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The terms an original is narrowed by: content, numbers, and other ways to write it."""
        numbers = (t for t in self.terms if any(c.isdigit() for c in t))
        return tuple(dict.fromkeys((*(self.content or self.terms), *numbers, *self.others)))

    @property
    def time_alone(self) -> bool:
        """Whether a time is all that is asked for (昨天做了什么)."""
        return bool(self.times) and not self.content

    @property
    def others(self) -> tuple[str, ...]:
        """Terms of the other ways to write it, beyond its own."""
        terms = frozenset(self.terms)
        return tuple(dict.fromkeys(t for r in self.rewritings for t in r.other if t not in terms))

    @property
    def long(self) -> bool:
        """Whether it is a message that holds its question among other things."""
        return len(self.text) > LONG

    @property
    def searchable(self) -> bool:
        """Whether there is anything a lane could look for."""
        return bool(self.terms)


def also_called(question: Question, notes: Iterable[str]) -> Question:
    """A question that may be answered under the other names notes give to those it names.

    Args:
        notes: folded texts; of those in which a name and another stand for the same one
            (:mod:`brain.text.aliases`) the other names become ways to write the first.
    """
    pairs = sorted({pair for note in notes for pair in aliases.aliases(note)})
    told = {name for pair in pairs for name in pair if len(name) > 1 and name in question.folded}
    asked = {name: Name(name, "person", 0, len(name), ()) for name in sorted(told)}
    asked |= {name.text: name for name in question.names}
    known = {
        text: others
        for text, name in asked.items()
        if (found := aliases.called_also(name, pairs))
        and (others := tuple(o for o in found if o not in question.folded))
    }
    ways = tuple(
        Rewriting(tuple(query_terms(name)), tuple(query_terms(other)), WORTH["alias"])
        for name, others in known.items()
        for other in others[:MOST_ALIASES]
    )
    return replace(
        question,
        rewritings=(*question.rewritings, *ways),
        aliases={**question.aliases, **known},
    )


def _ends(items: Sequence[str], most: int) -> tuple[str, ...]:
    if len(items) <= most:
        return tuple(items)
    return (*items[: most // 2], *items[-(most // 2) :])


def _kept(terms: Sequence[str], content: Sequence[str]) -> list[str]:
    """Without lone characters, unless they are content of a short query or all there is."""
    lone = {t for t in content if t.endswith("*")} if len(content) <= MOST_LONE else set()
    return [t for t in terms if not t.endswith("*") or t in lone] or list(terms)


def require_content(query: str, context: str | None) -> str:
    """A query as it is looked up. Raises :func:`brain.validate.blank_query_error` (65).

    Args:
        context: the turns before, which a blank query leans on.
    """
    text = validate.clean_query(query)
    if not fold(text).strip() and not (context and fold(validate.clean_query(context)).strip()):
        raise validate.blank_query_error(query)
    return text


def read(
    text: str, now: datetime, own_words: Sequence[str] = (), context: str = ""
) -> tuple[Question, ...]:
    """Cuts a query into what to ask: itself, and of a long message its questions too.

    Args:
        text: from :func:`brain.validate.clean_query`.
        now: what 昨天 is counted from.
        own_words: the user's own words, never taken for function words.
        context: the turns before; looked at when the query by itself asks for nothing.
    """
    text = unwrap(text)
    asked = _read(text, now, own_words)
    if context.strip() and _leans(asked):
        text = f"{context}\n{text}"
        asked = _read(text, now, own_words)
    if len(asked.text) <= LONG:
        return (asked,)
    parts = (_read(part, now, own_words) for part in _parts(asked.text))
    # 怎么改 behind a traceback asks nothing by itself.
    return (asked, *(p for p in parts if any(len(t) > 1 for t in p.runs) and not p.chitchat))


def _leans(asked: Question) -> bool:
    """Whether a query has to be read with the turn before: 继续, 那个呢, 它怎么配."""
    if asked.chitchat:
        return compiled(_GOING_ON).search(asked.folded) is not None
    if not asked.content:
        return not asked.times
    return len(asked.folded) <= SHORT and compiled(_POINTING).search(asked.folded) is not None


def _parts(text: str) -> list[str]:
    """The sentences of a long message that ask something, else its first and last.

    Where it says that now it asks, only what comes then: the rest is chatter, with questions too.
    """
    for match in reversed(list(compiled(_ANNOUNCING).finditer(text))[-MOST_PARTS:]):
        pieces = _pieces(text[match.end() :])
        asking = [p for p in pieces if compiled(_ASKING).search(p)]
        if asking:
            return asking[:MOST_PARTS]
    pieces = _pieces(text)
    asking = [p for p in pieces if compiled(_ASKING).search(p)]
    return asking[-MOST_PARTS:] if asking else [*pieces[:1], *pieces[1:][-1:]]


def _pieces(text: str) -> list[str]:
    pieces = (text[a:b].strip() for a, b in sentences(text))
    return list(dict.fromkeys(p for p in pieces if 2 <= len(p) <= LONG))


def _ends_of(text: str) -> str:
    """A text, or of one that is too long the head and the tail."""
    half = MAX_CHARS // 2
    return text if len(text) <= MAX_CHARS else text[:half] + "\n" + text[-half:]


def _read(text: str, now: datetime, own_words: Sequence[str]) -> Question:
    text = _ends_of(text)
    folded = _ends_of(fold(text))  # folded, one character may be eighteen
    plain = standard(folded)
    if plain is not folded:
        # 嗰間托嬰班喺邊 is embedded as it is looked up: the models know little Cantonese.
        text = folded = plain
    folded = join_phones(folded)
    own = [fold(word) for word in own_words]
    times = intervals.find_intervals(folded, now)
    times = times if len(times) <= MOST_TIMES else ()
    runs = strip_function_words(_without(folded, times), own)
    if times and asks_what_happened(runs):
        runs = []
    strong = strong_runs(runs)
    cut = {run: query_terms(run) for run in dict.fromkeys((*runs, *strong))}
    content = list(dict.fromkeys(term for run in runs for term in cut[run]))
    telling = {term for run in strong for term in cut[run]}
    long = len(folded) > LONG
    most, most_windows = (MESSAGE_TERMS, MESSAGE_WINDOWS) if long else (MAX_TERMS, MAX_TERMS)
    ways = [] if long else variants(folded, own)
    meant = intent.read(folded)
    # 唉，老了老了: no word to look up.
    mood = meant.talk >= TALK
    every = content if long and content else query_terms(folded)
    return Question(
        text,
        folded,
        _ends(_kept(every, content), most),
        _ends(trigram_windows(folded, han=False), most_windows),
        _ends(_kept(content, content), most),
        frozenset(content) - telling if telling else frozenset(),
        is_chitchat(folded),
        0 < len(runs) <= MOST_BARE_WORDS and _width(folded) <= MOST_BARE_WIDTH and not mood,
        times,
        tuple(_rewritings(folded, ways, times)),
        tuple(ways) if not own and not long else None,
        language.of(text),
        tuple(dict.fromkeys(runs)),
        meant,
        answer_kind.asked(folded),
        tuple(n for n in names.asked(folded) if not long or n.kind == "identifier"),
    )


def _width(text: str) -> float:
    return sum(0.5 if c.isascii() else 1.0 for c in text)


def _without(folded: str, times: Iterable[intervals.Interval]) -> str:
    """A query with its times blanked: no note has to hold the word 昨天."""
    for one in times:
        folded = folded[: one.begin] + " " * (one.end - one.begin) + folded[one.end :]
    return folded


def _is_spelled_out(variant: Variant) -> bool:
    """Whether a number is written in Han alone, 二十五 for 25: whole by itself, like a word."""
    return variant.kind == "numeral" and is_han(variant.other) and len(variant.other) > 1


def _rewritings(
    folded: str, ways: Sequence[Variant], times: Sequence[intervals.Interval]
) -> Iterable[Rewriting]:
    phrases: dict[tuple[int, int], tuple[str, ...]] = {}
    for variant in ways:
        if any(t.begin < variant.end and variant.start < t.end for t in times):
            continue
        place = (variant.start, variant.end)
        if place not in phrases:
            phrases[place] = tuple(phrase_terms(folded, variant))
        other: list[str] = []
        if variant.kind in SPELLINGS or _is_spelled_out(variant):
            # The same word spelled otherwise: what stands beside it in the query does not matter.
            other = [t for t in query_terms(variant.other) if not t.endswith("*")]
        other = other or other_terms(folded, variant)
        translated = variant.kind == "translation"
        yield Rewriting(phrases[place], tuple(other), WORTH[variant.kind], translated)
