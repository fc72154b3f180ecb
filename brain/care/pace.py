"""How fast strength fades and what is archived where nobody says otherwise: the contract's numbers.

They stand apart from :mod:`brain.care.decay`, so that a signature can name them without loading it.
"""

from __future__ import annotations

DAILY = 0.99
ARCHIVE_BELOW = 0.1
IDLE_DAYS = 90.0
KEEP_IMPORTANCE = 0.7
