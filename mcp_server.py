"""``python mcp_server.py``: the MCP server over stdio, as ``brain mcp``. See docs/mcp.md."""

import sys

from brain import __version__
from brain.serve.mcp import stdout


def main() -> int:
    """Serves one client; gives the exit status."""
    stdout.take()
    if not {"-h", "--help", "--json"} & set(sys.argv[1:]):
        from brain.serve.mcp import handshake  # what it imports may print

        handshake.begin(__version__)
    from brain.cli import main as run

    return run(["mcp", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
