"""The command as ``python -m capstats.cli``."""

import sys

from capstats.cli.program import main

if __name__ == "__main__":
    sys.exit(main())
