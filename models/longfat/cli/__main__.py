"""`python -m longfat.cli`."""

import sys

from longfat.cli import main

if __name__ == "__main__":
    sys.exit(main())
