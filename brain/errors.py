"""Error type of the engine, the only one, with its stable codes and exit codes.

A code is part of the contract: programs match on it, so it is never renamed. The message is a
Chinese sentence for a person. The exit code follows sysexits(3) where it has a fitting number.
"""

from __future__ import annotations

EXIT_NO = 1
EXIT_USAGE = 2
EXIT_DATA = 65
EXIT_NO_INPUT = 66
EXIT_UNAVAILABLE = 69
EXIT_CANT_CREATE = 73
EXIT_IO = 74
EXIT_BUSY = 75
EXIT_CONFIG = 78


class BrainError(Exception):
    """A failure the user can act on.

    Args:
        code: stable English id, always beginning with ``brain_``.
        message: one Chinese sentence saying what is wrong and what to do.
        exit_code: the process exit status a command line face ends with.
        override: name of the argument that, set to True, has it done nevertheless; '' where none
            does. The message leaves it out: each face calls it by another name.

    What is no valid Unicode in the message, as a name or path may be, becomes a question mark.
    """

    def __init__(
        self, code: str, message: str, exit_code: int = EXIT_DATA, *, override: str = ""
    ) -> None:
        message = message.encode("utf-8", "replace").decode("utf-8")
        super().__init__(message)
        self.code = code
        self.message = message
        self.exit_code = exit_code
        self.override = override

    def __str__(self) -> str:
        way = f"（{self.override}=True 可以照做）" if self.override else ""
        return f"[{self.code}] {self.message}{way}"

    def to_dict(self) -> dict[str, dict[str, str]]:
        """The error object of the JSON contract."""
        return {"error": {"code": self.code, "message": self.message}}
