"""``python mcp_server.py``: the MCP server over stdio. It comes with the servers issue."""

import io
import sys

from brain.errors import EXIT_UNAVAILABLE


def main() -> int:
    """Says on stderr that there is no server yet; stdout belongs to the protocol."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(
        "错误[brain_mcp_missing]: 这个版本还没有 MCP 服务器；请先用命令行 python brain.py --help。",
        file=sys.stderr,
    )
    return EXIT_UNAVAILABLE


if __name__ == "__main__":
    sys.exit(main())
