"""Pages of the standard experiments: network, variants, choices that the paper leaves open, results of schemes."""

from __future__ import annotations

import re
from importlib.resources import files

from docs.handbook import rules
from docs.handbook.front import toctree
from docs.handbook.markup import code, html, section, table, unfolding
from docs.handbook.staging import ROOT
from figures.kkm.choices import OF_VARIANT
from longfat.benchmark.entries import ENTRIES
from longfat.benchmark.experiments import VARIANTS
from longfat.benchmark.measuring import build

PAGES = {
    "kkm_tables": "The paper's schemes, and others of its time", "today_tables": "Schemes of today",
    "further_tables": "Credit and rate control, NETBLT and SSTP",
}  # fmt: skip


def numbers() -> list[int]:
    """Return the numbers of the experiments.

    >>> numbers()[:3]
    [1, 2, 3]
    """
    return sorted({one.experiment for one in VARIANTS.values()})


def scenario(number: int) -> str:
    """Return the scenario file of an experiment."""
    return files("longfat.benchmark").joinpath("scenarios", f"{number}.toml").read_text(encoding="utf-8")


def described(number: int) -> str:
    """Return the description of an experiment, which is the first comment of its scenario file.

    >>> described(1)
    'Slow changes in cross traffic: ten more files, one every 44 ms from 100 ms on.'
    """
    lines = scenario(number).splitlines()
    first = next(k for k, line in enumerate(lines) if not line.startswith("#"))
    return " ".join(line.lstrip("# ") for line in lines[:first])


def results(page: str, number: int) -> str:
    """Return the section of a page of tables about an experiment, without its heading."""
    path = ROOT / "figures" / "kkm" / f"{page}.md"
    _, *parts = re.split(r"^## Experiment (\d+)[^\n]*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    text = found.get(number, "").partition("\n## ")[0]
    return rules.absolute(text, path)


def drawn(number: int) -> str:
    """Return the network as a picture, without the flows of probe packets."""
    variant = next(one for one in VARIANTS.values() if one.experiment == number)
    return str(build(variant, ENTRIES["sack"], probe=False)._repr_svg_())


def page(number: int) -> str:
    """Return the page of an experiment."""
    variants = [one for one in VARIANTS.values() if one.experiment == number]
    rows = []
    for one in variants:
        given = ", ".join(f"{key} = {value}" for key, value in one.values.items())
        rows.append((f"`{one.name}`", one.case, given, "if it is named" if one.extra else "always"))
    choices = dict.fromkeys((choice.words, choice.kind) for one in variants for choice in OF_VARIANT.get(one.name, ()))
    command = f"$ longfat benchmark --experiment {number} --scheme sack,cubic,bbr"
    text = [
        f"# Experiment {number}\n\n{described(number)}\n\n",
        section("Network", html(f'<div class="network">{drawn(number)}</div>')),
        section("Run it", code(command, "console")),
        section("Variants", table(["variant", "case", "values", "run"], rows)),
        section("What the paper leaves open", table(["our choice", "kind"], list(choices))),
    ]
    for name, title in PAGES.items():
        text.append(section(title, f"Times in ms, in brackets as printed.\n\n{results(name, number)}"))
    text.append(
        section(
            "Scenario file",
            unfolding(f"<code>{number}.toml</code>, variant {variants[0].name}", code(variants[0].text(), "toml")),
        )
    )
    return "".join(text)


def pages() -> dict[str, str]:
    """Return the pages of all experiments by name, and the page that lists them."""
    made = {f"experiments/{number}/index": page(number) for number in numbers()}
    rows = [(f"[Experiment {number}](/experiments/{number}/index.md)", described(number)) for number in numbers()]
    about = (
        "The ten experiments of Kanakia, Keshav and Mishra (1992), which `longfat benchmark` runs with any scheme; see "
    )
    about += "[the guide](/docs/standard-experiments.md)."
    index = f"# Standard experiments\n\n{about}\n\n{table(['experiment', 'content'], rows)}\n"
    return {"experiments/index": index + toctree([*made, "docs/standard-experiments"], hidden=True), **made}
