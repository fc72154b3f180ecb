"""Recovery handles: ``ccr_`` and the first 16 bytes of the original's SHA-256 in hex."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from brain.errors import BrainError
from brain.text.regex import compiled

PREFIX_BYTES = 16
_WRAP = r"[\s\"'`“”‘’「」『』（）()\[\]【】，。、；：,.;:!！?？…]*"
_FORM = (
    rf"(?P<wrap>{_WRAP}[<‹＜《]{{0,2}})\s*(?:ccr[:：](?://)?)?(?:ccr_)?(?P<hex>[0-9a-f]{{32}})"
    rf"(?:#(?P<pointer>.*)|[>›＞》]{{0,2}}{_WRAP})\Z"
)
_CLOSERS = "\"'`“”‘’「」『』（）()[]【】>›＞》，。 \t\r\n"


@dataclass(frozen=True, slots=True)
class Reference:
    """What somebody who asks for an original gives.

    Args:
        prefix: the first bytes of its SHA-256.
        pointer: what stands behind ``#``, not yet checked; None without it.
    """

    prefix: bytes
    pointer: str | None = None

    @property
    def handle(self) -> str:
        return "ccr_" + self.prefix.hex()


SELECTORS = ("lines", "heading", "json", "q")


def selector(reference: Reference) -> tuple[str, str] | None:
    """What of an original stands behind ``#``, as (``lines``, ``12-30``); None for nothing, and for
    a bare JSON pointer.

    Raises:
        BrainError: ``brain_ccr_pointer_invalid`` (65) for a selector without a value.
    """
    name, equals, value = (reference.pointer or "").partition("=")
    if not equals or name not in SELECTORS:
        return None
    said = unquote(value, errors="replace")
    if not said.strip() and name != "json":
        told = f"#{name}= 后面要写明是哪一部分。"
        raise BrainError("brain_ccr_pointer_invalid", told)
    return name, said


def handle_of(original: bytes) -> str:
    """The handle under which some bytes are recovered."""
    import hashlib  # three milliseconds; only what is cut needs it

    return "ccr_" + hashlib.sha256(original).digest()[:PREFIX_BYTES].hex()


def parse(handle: str) -> Reference:
    """Reads a handle.

    ``ccr_…``, ``<<ccr:ccr_…>>``, ``ccr:ccr_…``, ``ccr://…`` are understood, with blanks, quotes and
    punctuation around them, and a JSON pointer behind ``#``.

    Raises:
        BrainError: ``brain_ccr_handle_invalid`` (65).
    """
    found = compiled(_FORM, re.IGNORECASE | re.DOTALL).match(handle)
    if not found:
        raise BrainError(
            "brain_ccr_handle_invalid",
            f"看不懂句柄「{handle.strip()[:60]}」，应为 ccr_ 加 32 位十六进制。",
        )
    pointer = found["pointer"]
    if pointer is not None:
        # A key may end with a mark of its own; it is taken away only where one was opened.
        pointer = pointer.rstrip(_CLOSERS) if found["wrap"].strip() else pointer.rstrip()
    return Reference(bytes.fromhex(found["hex"]), pointer)
