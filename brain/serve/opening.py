"""Which memory a server serves."""

from __future__ import annotations

from brain.serve.desk import Desk, Local


def open_desk(db: str | None, *, scope: str = "", read_only: bool = False) -> Desk:
    """A desk over the file at ``db``; None is ``BRAIN_DB`` or the default."""
    return Desk(Local(db, read_only=read_only), scope=scope, read_only=read_only)
