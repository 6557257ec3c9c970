"""Pages of the five papers: every number and claim with our verdict, figures, errata, refinements."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping

from docs.handbook import rules
from docs.handbook.front import toctree
from docs.handbook.judged import listed
from docs.handbook.markup import section, table
from docs.handbook.staging import ROOT
from figures import gallery
from figures.claims import PAPERS
from figures.verdicts import NAMES
from longfat.handbook.law_records import laws

#: Modules of figures that show a paper's figures and tables, and the pages of tables that belong to it.
FIGURES: Mapping[str, tuple[str, ...]] = {
    "000": ("blt",),
    "001": ("kkm",),
    "002": ("cadpc",),
    "003": ("gong_parulkar", "gong_parulkar.receive_buffers", "gong_parulkar.sstp"),
    "004": ("loss_load",),
}
#: What the sources of a paper's laws are called in their records.
SOURCES: Mapping[str, str] = {
    "000": "H. Kim and D. J. Farber",
    "001": "H. Kanakia",
    "002": "M. Welzl",
    "003": "F. Gong",
    "004": "N. Prithviraj",
}

#: Further pages of the part.
MORE = (
    "experiments/index", "ERRATA", "docs/papers/refinements", "figures/scoreboard", "figures/README",
    "figures/blt/blt_tables", "figures/blt/blt_today", "figures/blt/blt_further", "figures/cadpc/cadpc_table_2",
    "figures/kkm/kkm_tables", "figures/loss_load/loss_load_tables", "figures/kkm/today_tables",
    "figures/kkm/further_tables", "figures/field/field",
)  # fmt: skip


def parts(page: str) -> dict[str, tuple[str, str]]:
    """Return heading and text of the sections of a page that begin with the number of a paper, by that number.

    >>> sorted(parts("docs/papers/refinements.md"))[0]
    '000'
    """
    path = ROOT / page
    _, *found = re.split(r"^## (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    by_number = {}
    for heading, text in zip(found[::2], found[1::2], strict=True):
        number = re.match(r"\d{3}\b", heading)
        if number:
            by_number[number[0]] = (heading, rules.absolute(text, path).strip())
    return by_number


@functools.cache
def claims(paper: str) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a paper in the scoreboard, the head first."""
    _, text = parts("figures/scoreboard.md")[paper]
    lines = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in text.splitlines() if line.startswith("|")]
    return tuple(tuple(cell.strip() for cell in line) for k, line in enumerate(lines) if k != 1)


def counts(paper: str) -> dict[str, int]:
    """Return the number of rows of a paper by verdict, from the stored scoreboard; "repeated" rows are counted apart.

    >>> counts("002")["reproduced"]
    16
    """
    with (ROOT / "figures" / "scoreboard.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = {row["verdict"]: int(row["rows"]) for row in rows if row["paper"] == paper and int(row["rows"])}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _figures(paper: str) -> str:
    """Return the pictures of a paper with their captions, and the tables."""
    text = ""
    for part in FIGURES[paper]:
        for page, words in gallery.TABLES.get(part, {}).items():
            text += f"[{words[:1].upper()}{words[1:]}](/figures/{gallery.folder(part)}{page}).\n\n"
        for name, (made_by, words) in gallery.pictures().items():
            if made_by == part:
                text += f"![{words}](/figures/{name}.png)\n\n*{words}*\n\n"
    return text


def title(paper: str) -> str:
    """Return authors, title and year of a paper."""
    return parts("ERRATA.md")[paper][0].partition(": ")[2]


def page(paper: str) -> str:
    """Return the page of a paper."""
    head, *rows = claims(paper)
    short = [head.index(name) for name in ("section", "claim", "printed", "ours", "verdict", "reason")]
    shown = table([head[k] for k in short], [[row[k] for k in short] for row in rows])
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts(paper).items())
    more = "[The rule of the verdicts, and what was run for each row](/figures/scoreboard.md)."
    refinements = parts("docs/papers/refinements.md").get(paper, ("", ""))[1]
    own = [law for law in laws() if law.source.startswith(SOURCES[paper])]
    claimed = f"{len(rows)} rows: {verdicts}. {more}\n\n{shown}"
    return "".join(
        [
            f"# {NAMES[paper]}\n\n{title(paper)}\n\n",
            section("Figures and tables", _figures(paper)),
            section("Laws from this paper", listed(own)),
            section("Errata", parts("ERRATA.md")[paper][1]),
            section("Refinements", refinements),
            section("Every number and claim", claimed),
        ]
    )


def pages() -> dict[str, str]:
    """Return the pages of the papers by name, and the page that lists them."""
    made = {f"papers/{paper}/index": page(paper) for paper in PAPERS}
    rows = []
    for paper in PAPERS:
        found = counts(paper)
        met = sum(
            found.get(one, 0) for one in ("reproduced", "reproduced under an interpretation", "ordering reproduced")
        )
        link = f"[{NAMES[paper]}](/papers/{paper}/index.md)"
        rows.append((link, title(paper), f"{sum(found.values())}", f"{met}", f"{found.get('differs', 0)}"))
    head = ["paper", "title", "numbers and claims", "reproduced", "differ"]
    about = "Every number and claim that the five papers print, with our value and the verdict by one rule; "
    about += "[the scoreboard](/figures/scoreboard.md) has all rows, [the errata](/ERRATA.md) what is wrong, and "
    about += "[the standard experiments](/experiments/index.md) every scheme's results in those of one paper."
    return {
        "papers/index": f"# Papers\n\n{about}\n\n{table(head, rows)}\n" + toctree([*made, *MORE], hidden=True),
        **made,
    }
