"""``python -m brain …``: the same as ``python brain.py …``."""

import sys

from brain.cli import main

if __name__ == "__main__":
    sys.exit(main())
