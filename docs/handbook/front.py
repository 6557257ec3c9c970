"""First page of the handbook, and the page with links to all references."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from docs.handbook.markup import code
from docs.handbook.staging import ROOT

FIRST = """\
# longfat

Congestion and flow control on paths with a large bandwidth-delay product: published laws as symbols and numbers, and a
packet simulator that checks them. These pages open from a folder, without a server and without a network.

"""
SECOND = """
* To learn: [fifteen notebooks](/notebooks/README.md) with their outputs, exercises and solutions, and
  [tutorials](/docs/handbook/tutorials/README.md).
* To play: [be the sender](/play/index.md) for a minute, beside CUBIC and Reno.
* To look up: [laws](/laws/index.md) under sliders, [schemes](/schemes/index.md), [queues](/disciplines/index.md),
  [papers](/papers/index.md) and whether they are right, [reference](/reference/index.md),
  [installation](/docs/install.md).

## One of the laws

[Throughput efficiency](/laws/selective_repeat/throughput_efficiency/index.md) over the window: the law, and the law as
printed in 1992, which differs between one and two bandwidth-delay products.

"""

#: Law of the first page, and where it begins: law and misprint differ there.
SHOWN = "selective_repeat.throughput_efficiency", "window=36&loss=0.001&segment_packets=16&ack_segments=23.08"
LOOKED_UP: Mapping[str, Sequence[str]] = {
    "To begin": (
        "README", "docs/install", "docs/handbook/tutorials/README", "docs/handbook/tutorials/write-a-scheme",
        "docs/handbook/tutorials/sweep-on-a-cluster", "docs/laws", "docs/command-line", "docs/explore",
        "docs/simulator", "docs/sweeps", "docs/vectors",
    ),
    "Words and rules": (
        "docs/glossary", "docs/rules/README", "docs/rules/tcp", "docs/rules/cubic", "docs/rules/l4s", "docs/rules/bbr",
        "docs/rules/delay-based", "docs/rules/rate-based", "docs/rules/explicit-feedback", "docs/rules/sstp",
        "docs/rules/queue-disciplines", "docs/rules/traffic", "docs/data/README",
    ),
    "The project": (
        "api/index", "docs/README", "docs/architecture", "CONTRIBUTING", "docs/plug-ins", "docs/engine", "CHANGELOG",
        "reference/citing",
    ),
}  # fmt: skip


def toctree(names: Sequence[str], caption: str = "", hidden: bool = False, depth: int = 1) -> str:
    """Return a table of contents in MyST.

    >>> print(toctree(["a"], "Start"))
    ```{toctree}
    :maxdepth: 1
    :caption: Start
    <BLANKLINE>
    /a
    ```
    <BLANKLINE>
    """
    options = [":hidden:"] if hidden else []
    options += [f":caption: {caption}"] if caption else []
    return "\n".join(["```{toctree}", f":maxdepth: {depth}", *options, "", *(f"/{name}" for name in names), "```", ""])


def citing() -> str:
    """Return the page on how to cite, from ``CITATION.cff``."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = dict(re.findall(r'^(\w+): "?([^"\n>]+)"?$', text, re.MULTILINE))
    entry = (
        f"@software{{longfat,\n  author = {{The longfat developers}},\n  title = {{{found['title']}}},\n"
        f"  version = {{{found['version']}}},\n}}"
    )
    return f"# How to cite\n\n{found['message']}\n\n{code(entry, 'bibtex')}\n`CITATION.cff`:\n\n{code(text, 'yaml')}"


def pages() -> dict[str, str]:
    """Return the page of references by name, and the page on how to cite."""
    groups = "\n".join(toctree(names, caption) for caption, names in LOOKED_UP.items())
    return {"reference/index": f"# Reference\n\n{groups}", "reference/citing": citing()}
