"""Command ``python -m longfat.handbook FOLDER``: write the static pages of the laws."""

from __future__ import annotations

import sys
from pathlib import Path

from longfat.handbook.pages import write


def main(arguments: list[str]) -> int:
    """Write the pages into the folder that is named; return the status of the command."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m longfat.handbook FOLDER", file=sys.stderr)
        return 2
    print(f"{write(Path(arguments[0]))} laws: {Path(arguments[0]) / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
