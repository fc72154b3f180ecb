"""The command line face: parse, call :class:`brain.Brain`, print. It decides nothing."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status (the ``brain`` console script).

    Args:
        argv: the words of the command line; None for those of this process, which then ends here.
    """
    from brain.cli.run import begin, end, run

    if argv is not None:
        return run(argv)
    begin()
    code = run(argv)
    end(code)
    return code
