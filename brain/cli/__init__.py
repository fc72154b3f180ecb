"""Command-line interface: parse, call :class:`brain.Brain`, print. It decides nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status (the ``brain`` console script).

    Args:
        argv: the words of the command line; None for those of this process, which then ends here.
    """
    if argv is not None:
        from brain.cli.program import run

        return run(argv)
    from brain.cli.process import begin, end

    begin()
    if sys.argv[1:2] == ["mcp"] and not {"-h", "--help", "--json"} & set(sys.argv[2:]):
        from brain import __version__
        from brain.serve.mcp import stdout

        stdout.take()
        from brain.serve.mcp import handshake  # what it imports may print

        handshake.begin(__version__)  # a host waits for no parser
    from brain.cli.program import run

    code = run()
    end(code)
    return code
