"""Gallery: a page with every picture of the figures, its caption, its module and its data files.

Run with ``python -m figures.gallery`` after the others; ``make figures`` does.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

from figures.writing import HERE
from longfat.base.files import AtomicFiles

PARTS = {
    "explore": "Exploring in a browser",
    "gong_parulkar": "Selective repeat over long paths (Gong and Parulkar 1992)",
    "gong_parulkar.receive_buffers": "Receive buffers smaller than the window (Gong and Parulkar 1992)",
    "gong_parulkar.sstp": "SSTP: slow receivers, lost control packets, loss-load switches (Gong and Parulkar 1992)",
    "loss_load": "Loss-load curves (Prithviraj and Williamson)",
    "loss_load.shaping": "Leaky buckets: what they cost at the host and save at the queue (Prithviraj and Williamson)",
    "cadpc": "CADPC (Welzl)",
    "cadpc.further": "CADPC further: noise, a target below the capacity, and weights",
    "blt": "BLT (Kim and Farber 1994)",
    "blt.today": "BLT on paths of today",
    "blt.priorities": "BLT beside datagrams of one priority",
    "blt.further": "BLT further: what its authors left to later work",
    "kkm": "The benchmark (Kanakia, Keshav and Mishra 1992)",
    "kkm.topologies": "The networks of the benchmark",
    "kkm.other_schemes": "The standard experiments with schemes that the paper does not have",
    "scoreboard": "Scoreboard: every number and claim of the five papers",
    "field": "Numbers from issue trackers",
    "network_simulator.credits": "Credit flow control, and guaranteed delays",
    "network_simulator": "The network simulator compared with laws",
    "today": "Schemes and disciplines of today",
    "today.curves": "Design curves of schemes",
    "linux": "Linux's TCP and the network simulator",
    "today.courses": "CUBIC and BBR over time",
}
TABLES = {
    "loss_load": {"loss_load_tables.md": "every printed number, and the effect of each rule"},
    "cadpc": {"cadpc_table_2.md": "table II, measured"},
    "blt": {"blt_tables.md": "table 1 cell by cell and under twenty interpretations"},
    "blt.today": {"blt_today.md": "the ratios with their intervals, path by path"},
    "blt.further": {"blt_further.md": "the ratios with their intervals, and what an abusive source gets"},
    "scoreboard": {
        "scoreboard.md": "all rows",
        "items.csv": "every number, claim, system, figure and table of the papers, where it is in the project, and its "
        "verdict, checked by `python -m figures.items`",
    },
    "field": {"field.md": "all numbers with their threads"},
    "kkm": {"kkm_tables.md": "the ten tables, complete"},
    "kkm.other_schemes": {
        "today_tables.md": "CUBIC, also behind CoDel and FQ-CoDel, DCTCP and BBR",
        "further_tables.md": "credit and rate control of ATM, dynamic windows, NETBLT, and SSTP",
    },
}

#: Pictures of the first screen, each with a sentence on it.
FIRST = {
    "gong_parulkar/gong_parulkar_14": "Selective repeat: the law, its misprint, simulated",
    "loss_load/loss_load_5": "What is gained by answering losses less",
    "cadpc/cadpc_2": "CADPC: flows converge to equal rates",
    "blt/blt_10_13": "BLT beside TCP: power and fairness",
    "kkm/kkm_7": "Five schemes under changing cross traffic",
    "scoreboard": "Five papers: what is reproduced",
    "network_simulator/network_simulator": "The simulator on its laws",
    "linux/linux_traces": "The simulator beside Linux's TCP",
    "today/today_buffer": "Which buffer fills a link",
    "today/today_delay": "Queue disciplines by their delay",
    "today/today_fairness": "Who is unfair to long round trips",
    "today/courses_bbr": "BBR, and CUBIC that joins it",
}
COLUMNS = 4  # of the first screen


def module(part: str) -> ModuleType:
    """Return the module that draws a part: of a folder, ``pictures``."""
    found = import_module(f"figures.{part}")
    return found if hasattr(found, "PICTURES") else import_module(f"figures.{part}.pictures")


def folder(part: str) -> str:
    """Return the folder of a part's files within this one, with a slash, or "" for this folder itself.

    >>> folder("blt.today"), folder("scoreboard")
    ('blt/', '')
    """
    place = Path(str(module(part).__file__)).parent.relative_to(HERE)
    return "" if place == Path() else f"{place.as_posix()}/"


def pictures() -> dict[str, tuple[str, str]]:
    """Return the module and the caption of each picture, by its path without ``.png``."""
    return {folder(part) + name: (part, one.caption) for part in PARTS for name, one in module(part).PICTURES.items()}


def numbers(directory: Path) -> dict[str, list[str]]:
    """Return the paths of the data files of each module, which their first lines name."""
    found: dict[str, list[str]] = {part: [] for part in PARTS}
    for path in sorted(directory.rglob("*.csv")):
        with path.open(encoding="utf-8") as file:
            if (line := file.readline()).startswith("# made by"):  # the claims are not made
                found[line.split("figures.")[1].split(";")[0]].append(path.relative_to(directory).as_posix())
    return found


def first_screen() -> list[str]:
    """Return the rows of a table with the first pictures, small, each above a sentence about it."""
    names = list(FIRST)
    rows = []
    for k in range(0, len(names), COLUMNS):
        some = names[k : k + COLUMNS]
        rows += [[f"[![{FIRST[name]}]({name}.png)]({name}.png)" for name in some], [FIRST[name] for name in some]]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + " --- |" * COLUMNS, *lines[1:]]


def text(directory: Path = HERE) -> str:
    """Return the page as Markdown."""
    drawn, data = pictures(), numbers(directory)
    lines = [
        "# Gallery", "",
        "The papers' figures and tables from our simulations. The papers' own curves are not drawn; printed numbers "
        "are shown beside ours. `make figures` simulates and draws everything, `make redraw` draws the pictures from "
        "the numbers that are stored beside them as CSV.", "", *first_screen(), "",
    ]  # fmt: skip
    for part, title in PARTS.items():
        mine = {name: words for name, (made_by, words) in drawn.items() if made_by == part}
        lines += [f"## {title}", "", f"`python -m figures.{part}`", ""]
        lines += [f"[{name}]({folder(part)}{name}): {words}." for name, words in TABLES.get(part, {}).items()]
        if mine:
            lines += ["", f"<details><summary>Pictures: {len(mine)}, tables of numbers: {len(data[part])}</summary>"]
            for name, words in mine.items():
                lines += ["", f"![{words}]({name}.png)", "", f"*{words}*"]
            links = ", ".join(f"[{Path(one).stem}]({one})" for one in data[part])
            lines += ["", f"Numbers: {links}."] if links else []
            lines += ["", "</details>"]
        lines.append("")
    return "\n".join(lines)


def write(directory: str | Path = HERE) -> None:
    """Write the page to the folder."""
    with AtomicFiles(directory) as files:
        files.path("README.md").write_text(text(Path(directory)), encoding="utf-8")


if __name__ == "__main__":
    write()
