"""Build the handbook: ``python -m docs.handbook [FOLDER]``, by default ``build/handbook``."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.handbook import links, sources
from docs.handbook.staging import ROOT


def build(source: Path, site: Path, cache: Path, builder: str = "html") -> int:
    """Let Sphinx build a site, and check its links; return 0 if there was neither a warning nor a broken link.

    The builder "dummy" reads all pages and resolves their references, but writes none.
    """
    from sphinx.cmd.build import main as sphinx

    options = ["-b", builder, "-W", "--keep-going", "-q", "-c", str(ROOT / "docs"), "-d", str(cache)]
    parallel = ["-j", "auto"] if builder == "html" else []
    status = int(sphinx([*options, *parallel, str(source), str(site)]))
    wrong = links.problems(site) if builder == "html" else []
    for one in wrong:
        print(f"{site}: {one}", file=sys.stderr)
    return status or int(bool(wrong))


def main(arguments: list[str]) -> int:
    """Write the sources, and build the site; every warning is an error."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "handbook"
    sources.write(folder / "source")
    status = build(folder / "source", folder / "html", folder / "doctrees")
    if status == 0:
        print(f"{folder / 'html' / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
