"""What the tests of the compressors share."""

from __future__ import annotations

from bench import recheck
from brain.compress import markers
from brain.compress.budget import Compressed
from brain.compress.compressor import compress
from brain.compress.handles import handle_of
from brain.text.fold import fold
from brain.text.tokenize import query_terms
from brain.text.tokens import estimate

INJECT = 273
"""The tokens that ``inject`` gives one hit of its default budget."""

LEAST = 60
"""A mark with its handle, and a word: the least budget that can be met."""


def squeeze(text: str, query: str = "", budget: int | None = INJECT) -> Compressed:
    """A text compressed for a query; what holds for every text is checked here."""
    data = text.encode()
    terms = query_terms(fold(query))
    handle = handle_of(data)
    done = compress(data, terms, budget, handle)
    assert compress(data, terms, budget, handle) == done, "not deterministic"
    assert done.tokens_before == estimate(text)
    assert done.tokens_after == estimate(done.text) <= done.tokens_before
    if budget is not None and budget >= LEAST:
        assert done.tokens_after <= budget
    if done.compressor == "none":
        assert (done.text, done.left_out) == (text, ())
    else:
        assert done.left_out
        assert handle in done.text, "cut without a way back"
        assert done.tokens_after < done.tokens_before
    again = compress(done.text.encode(), terms, budget, handle_of(done.text.encode()))
    assert again.text == done.text, "compressing twice changes the text"
    untrue = recheck.wrong(done, text)
    assert not untrue, untrue
    return done


def told(done: Compressed) -> str:
    """All that the marks of a text say, without counts and handle."""
    return "；".join(fact for _, _, facts, _ in recheck.marks(done.text) for fact in facts)


def nested(text: str) -> bool:
    """Whether a mark stands inside another."""
    return any(
        markers.GAP + "（略" in fact for _, _, facts, _ in recheck.marks(text) for fact in facts
    )
