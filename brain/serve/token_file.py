"""Token file: what a server on loopback asks for and this user's own clients know.

Loopback is open to every user of a machine, a file with mode 0600 is not. Apart from the server and
from the client, as both read it and the client may load nothing of a server.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from brain.errors import EXIT_CANT_CREATE, BrainError

BYTES = 32


def path() -> Path:
    """Where it is: beside the default memory, one for all servers of this user."""
    return Path.home() / ".brain" / "token"


def read() -> str | None:
    """The token; None where there is none, or where others may read or write it."""
    try:
        with path().open("rb") as file:
            info = os.fstat(file.fileno())
            if os.name == "posix" and (info.st_uid != os.getuid() or info.st_mode & 0o077):
                return None
            given = file.read(1024).decode("ascii").strip()
    except (OSError, ValueError):
        return None
    return given or None


def ensure() -> str:
    """The token, made where there is none.

    Raises:
        BrainError: ``brain_token_file`` (73) where it cannot be made, or is not this user's alone.
    """
    known = read()
    if known is not None:
        return known
    import secrets

    where = path()
    try:
        where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Never through a link, never into what somebody has put there.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(where, flags, stat.S_IRUSR | stat.S_IWUSR), "w") as file:
            file.write(secrets.token_urlsafe(BYTES) + "\n")
    except FileExistsError:
        pass  # another server has just made it, or it is no file of ours alone
    except OSError as error:
        raise _unusable(where, error.strerror or "") from None
    known = read()
    if known is None:
        raise _unusable(where, "别人也能读写它，或它是空的")
    return known


def _unusable(where: Path, why: str) -> BrainError:
    told = (
        f"令牌文件用不了：{where}（{why}）；请删掉它再启动，或设 BRAIN_TOKEN，"
        "或用 brain serve --no-token 启动，不要令牌（这台机器的别的用户就都能读写这份记忆）。"
    )
    return BrainError("brain_token_file", told, EXIT_CANT_CREATE)
