"""Build the handbook: ``python -m docs.handbook [FOLDER]``, by default ``build/handbook``."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.handbook import sources
from docs.handbook.staging import ROOT


def main(arguments: list[str]) -> int:
    """Write the sources, and let Sphinx build the site; every warning is an error."""
    from sphinx.cmd.build import main as sphinx

    folder = Path(arguments[0]) if arguments else ROOT / "build" / "handbook"
    source, site, cache = folder / "source", folder / "html", folder / "doctrees"
    sources.write(source)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-j", "auto", "-c", str(ROOT / "docs"), "-d", str(cache)]
    status = int(sphinx([*options, str(source), str(site)]))
    if status == 0:
        print(f"{site / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
