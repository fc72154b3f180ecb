"""Token estimate: how many a text costs a model, rather too many, without a tokenizer's vocabulary.

The unit is a token of OpenAI's ``o200k_base``, which spends more on Chinese than the tokenizers of
Qwen (0.54-0.69 a character) and DeepSeek (0.58-0.67) do. Its vocabulary is not to be had offline,
so the text is split into pieces as its pre-tokenizer splits them, and each class of piece has a
weight, set with the real vocabulary (package ``bpe-openai`` 0.1.4) on 2.6 million characters so
that whole paragraphs come out at or above the true count. Estimate divided by truth, measured:
Chinese encyclopedia 1.13, notes 1.24, questions 1.34, Traditional Chinese 1.25-1.39, technical
Chinese 1.39, English chat 1.18, Python 1.27, logs 1.09-1.18, JSON 1.20, Japanese 1.31, Korean 1.53.
Under 1 remain 4 % of Chinese paragraphs (.98 at the first percentile) and random base64 (.84).
"""

from __future__ import annotations

import re

# Patterns stay strings: re compiles each at first use and keeps it, so importing costs nothing.
_ASCII_PIECE = (
    # A word begins at a capital; six letters are the length up to which most words are one token.
    r"[A-Z]?[a-z]{1,6}|[A-Z]{1,2}"
    # Three digits are one token there, one digit is one token in Qwen: two are between.
    r"|[0-9]{1,2}"
    r"| ?[!-/:-@\[-`{-\x7f\x00-\x08\x0e-\x1f]{1,2}"
    # One blank before a letter is part of the word; any other run of blanks stands for itself.
    r"|[\r\n]+|[ \t\f\v]{1,16}(?![A-Za-z])"
)
_WIDE = "[^\x00-\x7f]+"
_HAN = "[\u4e00-\u9fff]+"

# Weights are tenths of a token, whole numbers so that sums are exact.
_PIECE = 10
_HAN_COMMON = 10  # level 1 of GB 2312: 0.75-0.85 in prose, where two characters often merge
_HAN_OTHER = 20  # level 2 and what GB 2312 lacks, Traditional forms among it: 2 when alone
_REST = 30  # scripts without merges cost one token for each UTF-8 byte

_OTHER_CLASSES: tuple[tuple[str, int], ...] = (
    ("[·—‘’“”…\u3000-\u3011！（），：；？]+", 10),
    # Tibetan, general punctuation, arrows, symbols, dingbats, full-width forms.
    ("[\u0f00-\u0fff\u2000-\u2fff\uff00-\uffef]+", 16),
    ("[\u3040-\u30ff]+", 8),
    ("[\uac00-\ud7a3]+", 10),
    # An accented Latin letter breaks its word in two; Greek and Cyrillic; other alphabets.
    ("[\u00a0-\u00b6\u00b8-\u036f\u1e00-\u1eff]+", 13),
    ("[\u0370-\u052f]+", 6),
    ("[\u0530-\u0eff\u1000-\u13ff\u1780-\u17ff]+", 7),
    ("[\U0001f000-\U0001faff]+", 22),
    ("[\U00010000-\U0010ffff]+", 40),
)

# In GB 2312 a character is two bytes; the first tells the level (GB/T 2312-1980: rows 56-87 are 2).
_LEVEL_2_ROWS = bytes(range(0xD8, 0xF8))


def estimate(text: str) -> int:
    """Estimates the tokens of a text, rather too many than too few.

    One pass of regular expressions, linear in the text; 256 KiB take about 15 ms. For real text
    ``estimate(a + b)`` lies within 3 of ``estimate(a) + estimate(b)``.

    Args:
        text: any string.

    Returns:
        Tokens; 0 for '' and at least 1 for anything else.
    """
    units = _PIECE * len(re.findall(_ASCII_PIECE, text))
    if not text.isascii():
        units += _wide_units("".join(re.findall(_WIDE, text)))
    return -(-units // 10)


def _wide_units(wide: str) -> int:
    """Tenths of a token of a string without ASCII characters."""
    han = "".join(re.findall(_HAN, wide))
    rows = han.encode("gb2312", "ignore")[::2]
    common = len(rows.translate(None, _LEVEL_2_ROWS))
    units = common * _HAN_COMMON + (len(han) - common) * _HAN_OTHER
    if len(han) == len(wide):
        return units
    other = re.sub(_HAN, "", wide)
    left = len(other)
    for pattern, weight in _OTHER_CLASSES:
        # What an earlier class took is gone, so the classes may overlap.
        other = re.sub(pattern, "", other)
        units += weight * (left - len(other))
        left = len(other)
        if not left:
            break
    return units + _REST * left
