"""``python brain.py …``: the command line of the memory engine. The work is in brain/cli."""

import sys

from brain.cli import main

if __name__ == "__main__":
    sys.exit(main())
