"""Makes the table of syllables: ``python -m bench.pinyin_table`` (needs the package pypinyin).

The sound of each character, without tone and with the sounds that many speakers do not keep apart
(z/zh, c/ch, s/sh, n/l, in/ing, en/eng, an/ang) made one, as a number; written to
``brain/text/data/syllables.npy`` and read by :mod:`brain.text.typos`.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

FIRST, LAST = 0x4E00, 0x9FFF

TARGET = Path(__file__).parent.parent / "brain" / "text" / "data" / "syllables.npy"


def merged(syllable: str) -> str:
    """A syllable with the sounds made one that are often confused."""
    syllable = re.sub(r"^([zcs])h", r"\1", syllable)
    syllable = re.sub(r"^n(?=[aeiouv])", "l", syllable)
    return re.sub(r"([iea]n)g$", r"\1", syllable)


def main() -> None:
    from pypinyin import Style, lazy_pinyin

    names: dict[str, int] = {}
    out = np.zeros(LAST - FIRST + 1, dtype=np.uint16)
    for code in range(FIRST, LAST + 1):
        sound = lazy_pinyin(chr(code), style=Style.NORMAL)[0]
        if sound != chr(code):
            out[code - FIRST] = names.setdefault(merged(sound), len(names) + 1)
    np.save(TARGET, out)
    print(f"{len(names)} syllables, {np.count_nonzero(out)} characters")


if __name__ == "__main__":
    main()
