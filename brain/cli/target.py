"""Routing of a command: to the running server that ``BRAIN_URL`` names, else to the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from brain.cli.console import note, visible
from brain.errors import EXIT_USAGE, BrainError

if TYPE_CHECKING:
    from brain.engine import Brain
    from brain.serve.client.results import RemoteBrain

    Memory = Brain | RemoteBrain

T = TypeVar("T")


def ask(
    db: str | None,
    use: Callable[[Memory], T],
    *,
    writes: bool = False,
    explain: bool = False,
    read_only: bool = True,
    quiet: bool = False,
) -> T:
    """Does something with a memory and gives what comes of it.

    Args:
        db: the file that was named; None lets ``BRAIN_URL`` decide first.
        use: what is done; called a second time, with the file, when the server cannot be reached.
        writes: it changes the memory; the file does not stand in for a server elsewhere.
        explain: hits come with their evidence.
        read_only: nothing at all is written to the file.
        quiet: no warning when the file stands in for the server.

    Raises:
        BrainError: ``brain_url_invalid`` (2), ``brain_server_unreachable`` (69), and what ``use``
            raises.
    """
    url = os.environ.get("BRAIN_URL") if db is None else None
    if url:
        from brain.serve.client.remote import Remote, UnreachableError
        from brain.serve.client.results import RemoteBrain

        remote = Remote(url)
        try:
            return use(RemoteBrain(remote, explain=explain))
        except UnreachableError as error:
            if writes and not _is_here(remote.host):
                raise error.as_error(url) from None
            if not quiet:
                note(f"警告[brain_server_unreachable]: {url} 连不上（{error}），这次直接用文件。")
    from brain.engine import Brain

    with Brain.open(db, read_only=read_only and not writes) as brain:
        return use(brain)


def refuse_default_file(verb: str, db: str | None) -> None:
    """Keeps a verb that works on a file from the default one while ``BRAIN_URL`` names a server.

    An id the server told would be another record there.

    Args:
        verb: as it is typed.
        db: the file that was named.

    Raises:
        BrainError: ``brain_url_verb`` (2) where neither ``db`` nor ``BRAIN_DB`` names the file.
    """
    url = os.environ.get("BRAIN_URL")
    if url and db is None and not os.environ.get("BRAIN_DB"):
        told = (
            f"设了 BRAIN_URL，而 {verb} 不走服务器，直接用记忆文件；请用 --db 写明是哪个文件。"
            "要动服务器的记忆，用它的 HTTP 接口或 MCP 工具。"
        )
        raise BrainError("brain_url_verb", told, EXIT_USAGE)


def report_created(brain: Memory) -> None:
    """Says where a file has just been made: a mistyped path is a new, empty memory."""
    if brain.made is not None:
        note(f"新建了记忆文件：{visible(str(brain.made.absolute()))}")
    if brain.warning:
        note(brain.warning)


def _is_here(host: str) -> bool:
    """Whether a server's name is this machine's own: its file may be the one here."""
    return host in ("localhost", "::1") or host.startswith("127.")
