"""The gallery: every picture of this folder with its words, the module that makes it and the numbers behind it.

Run with ``python -m figures.gallery`` after the others; ``make figures`` does.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from figures.writing import HERE
from longfat.files import AtomicFiles

PARTS = {
    "explore": "Exploring in a browser",
    "gong_parulkar": "Selective repeat over long paths (Gong and Parulkar 1992)",
    "receive_buffers": "Receive buffers smaller than the window (Gong and Parulkar 1992)",
    "loss_load": "Loss-load curves (Prithviraj and Williamson)",
    "cadpc": "CADPC (Welzl)",
    "blt": "BLT (Kim and Farber 1994)",
    "kkm": "The benchmark (Kanakia, Keshav and Mishra 1992)",
    "scoreboard": "The scoreboard: every number and claim of the five papers",
    "network_simulator": "The network simulator beside its laws",
}
TABLES = {
    "loss_load": {"loss_load_tables.md": "every printed number, and what each rule moves"},
    "cadpc": {"cadpc_table_2.md": "table II, measured"},
    "blt": {"blt_tables.md": "table 1 cell by cell and under twenty readings"},
    "scoreboard": {"scoreboard.md": "all rows"},
    "kkm": {"kkm_tables.md": "the ten tables, complete"},
}


def pictures() -> dict[str, tuple[str, str]]:
    """Of each picture's name the module that makes it and its words."""
    return {name: (part, words) for part in PARTS for name, words in import_module(f"figures.{part}").CAPTIONS.items()}


def numbers(directory: Path) -> dict[str, list[str]]:
    """Of each module the names of the files of data that it says it made."""
    found: dict[str, list[str]] = {part: [] for part in PARTS}
    for path in sorted(directory.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            found[file.readline().split("figures.")[1].split(";")[0]].append(path.name)
    return found


def text(directory: Path = HERE) -> str:
    """The page as Markdown."""
    drawn, data = pictures(), numbers(directory)
    lines = [
        "# Gallery", "",
        "The papers' figures and tables from runs of ours. The papers' own curves are not drawn; where a paper prints "
        "numbers, these stand beside ours. `make figures` simulates and draws all of it anew, `make redraw` draws it "
        "again from the numbers stored beside the pictures, as CSV.", "",
    ]  # fmt: skip
    for part, title in PARTS.items():
        lines += [f"## {title}", "", f"`python -m figures.{part}`", ""]
        lines += [f"[{name}]({name}): {words}." for name, words in TABLES.get(part, {}).items()]
        for name, (made_by, words) in drawn.items():
            if made_by == part:
                lines += ["", f"![{words}]({name}.png)", "", f"*{words}*"]
        links = ", ".join(f"[{one.removesuffix('.csv')}]({one})" for one in data[part])
        lines += ["", f"Numbers: {links}.", ""] if links else [""]
    return "\n".join(lines)


def write(directory: str | Path = HERE) -> None:
    """Write the page."""
    with AtomicFiles(directory) as files:
        files.path("README.md").write_text(text(Path(directory)), encoding="utf-8")


if __name__ == "__main__":
    write()
