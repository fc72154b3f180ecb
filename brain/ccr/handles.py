"""Recovery handles: ``ccr_`` and the first 16 bytes of the original's SHA-256 in hex."""

from __future__ import annotations

import hashlib
import re

from brain.errors import BrainError

_BYTES = 16
_SLOPPY = re.compile(
    r"[\s\"'`“”‘’]*(?:<<)?(?:ccr:(?://)?)?(?:ccr_)?([0-9a-fA-F]{32})(?:>>)?[\s\"'`“”‘’。，,.]*\Z"
)


def handle_of(original: bytes) -> str:
    """The handle under which some bytes are recovered."""
    return "ccr_" + hashlib.sha256(original).digest()[:_BYTES].hex()


def parse(handle: str) -> bytes:
    """The first bytes of the SHA-256 a handle names.

    ``ccr_…``, ``<<ccr:ccr_…>>``, ``ccr:ccr_…``, ``ccr://…`` are understood, and blanks or quotes
    around them.

    Raises:
        BrainError: ``brain_ccr_handle_invalid`` (65).
    """
    found = _SLOPPY.match(handle)
    if not found:
        raise BrainError(
            "brain_ccr_handle_invalid",
            f"看不懂句柄「{handle.strip()[:60]}」，应为 ccr_ 加 32 位十六进制。",
        )
    return bytes.fromhex(found.group(1))
