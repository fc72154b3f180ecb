"""Which memory a server serves."""

from __future__ import annotations

import os

from brain.serve.desk import Answerer, Desk, Local
from brain.serve.remote import URL, Remote


def open_desk(
    db: str | None, *, scope: str = "", read_only: bool = False, through: bool = False
) -> Desk:
    """A desk over the file at ``db``; None is ``BRAIN_DB`` or the default.

    Args:
        through: without ``db``, go through the server that ``BRAIN_URL`` names.

    Raises:
        BrainError: ``brain_url_invalid`` (2).
    """
    url = os.environ.get(URL) if through and db is None else None
    answerer: Answerer = Remote(url) if url else Local(db, read_only=read_only)
    return Desk(answerer, scope=scope, read_only=read_only)
