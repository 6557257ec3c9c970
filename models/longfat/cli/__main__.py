"""Entry point of ``python -m longfat.cli``, which runs the command line and returns its exit status to the shell."""

import sys

from longfat.cli import main

if __name__ == "__main__":
    sys.exit(main())
