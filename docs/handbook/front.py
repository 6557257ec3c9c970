"""First page of the handbook, and the pages that lead to the guides and to what is looked up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from docs.handbook.markup import code
from docs.handbook.staging import ROOT

FIRST = """\
# longfat

longfat is a toolkit of congestion- and flow-control models for long fat networks: published laws as symbols and
numbers, fluid models, and a compiled packet simulator that checks them. This handbook is one static site. It needs no
server and no network: it opens from a folder or a USB stick, and its search works there, too.

| to | go to |
| --- | --- |
| begin | [tutorials](/docs/handbook/tutorials/README.md), [install](/docs/install.md), [guides](/guides/index.md) |
| look up a formula | [laws](/laws/index.md), which move under sliders; [fluid models](/fluid/index.md) |
| look up a protocol | [schemes](/schemes/index.md), [queues](/disciplines/index.md), [services](/services/index.md) |
| see who wins, and whether papers are right | [experiments](/experiments/index.md), [papers](/papers/index.md) |
| program with it | [Python interface](/api/index.md), [plug-ins](/docs/plug-ins.md), [reference](/reference/index.md) |

## One of the laws

[Throughput efficiency](/laws/selective_repeat/throughput_efficiency/index.md) over the window, as a law, as printed in
1992 and simulated:

```{raw} html
<div class="live-law" data-law="selective_repeat.throughput_efficiency"></div>
```

![Throughput efficiency: the law, the law as printed in 1992, simulated](/figures/gong_parulkar/gong_parulkar_14.png)

"""

#: Pages of the repository by groups of the guides.
GUIDES: Mapping[str, Sequence[str]] = {
    "Start": ("README", "docs/install", "docs/laws", "docs/command-line", "docs/explore"),
    "Tutorials": (
        "docs/handbook/tutorials/README", "docs/handbook/tutorials/size-a-window",
        "docs/handbook/tutorials/size-a-buffer", "docs/handbook/tutorials/judge-a-formula",
        "docs/handbook/tutorials/write-a-scheme", "docs/handbook/tutorials/sweep-on-a-cluster",
    ),
    "Questions": (
        "docs/measured", "docs/window", "docs/streams", "docs/buffer", "docs/curves", "docs/advice", "docs/fairness",
        "docs/standard-experiments",
    ),
    "Tools": ("docs/verify", "docs/testing", "docs/simulator", "docs/linux", "docs/sweeps", "notebooks/README"),
    "For authors and maintainers": (
        "docs/README", "docs/architecture", "CONTRIBUTING", "docs/plug-ins", "docs/engine", "docs/peers",
    ),
}  # fmt: skip
LOOKED_UP: Mapping[str, Sequence[str]] = {
    "Words and rules": (
        "docs/glossary", "docs/rules/README", "docs/rules/tcp", "docs/rules/cubic", "docs/rules/l4s", "docs/rules/bbr",
        "docs/rules/delay-based", "docs/rules/rate-based", "docs/rules/explicit-feedback", "docs/rules/sstp",
        "docs/rules/queue-disciplines", "docs/rules/traffic", "docs/data/README",
    ),
    "Papers against our numbers": (
        "ERRATA", "docs/papers/refinements", "docs/papers/blt", "docs/papers/cadpc", "docs/papers/loss-load",
        "figures/scoreboard", "figures/README", "figures/blt/blt_tables", "figures/blt/blt_today",
        "figures/blt/blt_further", "figures/cadpc/cadpc_table_2", "figures/kkm/kkm_tables",
        "figures/loss_load/loss_load_tables", "figures/kkm/today_tables", "figures/kkm/further_tables",
    ),
    "The project": ("api/index", "CHANGELOG", "reference/citing"),
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


def _groups(title: str, groups: Mapping[str, Sequence[str]]) -> str:
    """Return a page of tables of contents."""
    return f"# {title}\n\n" + "\n".join(toctree(names, caption) for caption, names in groups.items())


def citing() -> str:
    """Return the page on how to cite, from ``CITATION.cff``."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = dict(re.findall(r'^(\w+): "?([^"\n>]+)"?$', text, re.MULTILINE))
    entry = (
        f"@software{{longfat,\n  author = {{The longfat developers}},\n  title = {{{found['title']}}},\n"
        f"  version = {{{found['version']}}},\n}}"
    )
    return f"# How to cite\n\n{found['message']}\n\n{code(entry, 'bibtex')}\n`CITATION.cff`:\n\n{code(text, 'yaml')}"


def pages(sections: Sequence[str] = ()) -> dict[str, str]:
    """Return the pages by name; the sections are the first pages of the generated parts."""
    return {
        "index": FIRST + toctree(["guides/index", *sections, "reference/index"], hidden=True),
        "guides/index": _groups("Guides", GUIDES),
        "reference/index": _groups("Reference", LOOKED_UP),
        "reference/citing": citing(),
    }
