# ruff: noqa: E501 -- lines of tables
"""Page of the comparison with ns-3 and its table as CSV, from stored numbers: ``python -m docs.peers`` writes both."""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from pathlib import Path

import numpy as np

from docs.handbook.markup import table as markdown
from docs.pages import write
from longfat.base.text_tables import csv_text
from longfat.replication.intervals import half_width

HERE = Path(__file__).resolve().parent
STORED = HERE.parent / "tests" / "data" / "peers.csv"
TOLERANCE = 0.05
UNITS = {
    "goodput": "share of the rate",
    "loss": "share of the arrivals",
    "queue": "packets",
    "marks": "share of the arrivals",
}

HEAD = """\
# Today's transport here and in ns-3

CUBIC, DCTCP and BBR version 1 share a link behind five queue disciplines, here and in ns-3 3.44. With the same rules {within} of {all} comparisons are within 5 %, {differs}
differ, {undecided} are undecided. Goodput differs by {goodput:.1f} % at most and is left out of the table. Other differences come from different rules (below), except a part of BBR's losses and queues.

The difference is the value here minus that in ns-3, in percent of the latter, by the buffer in bandwidth-delay products. **Bold** differs by more than 5 % (the 95 % interval lies
beyond), *italic* is undecided, the rest is within 5 % (with a half-width of 5 % at most). [data/peers.csv](data/peers.csv) has the intervals.

## With the same rules

"""

SWITCHED = """
- DCTCP's marks agree once its window is held after a mark.
- CUBIC loses 4 to 6 % less here behind CoDel and FQ-CoDel. With both of ns-3's rules of CUBIC losses agree within 1 %.
- BBR loses retransmissions in buffers of a product and less; ns-3 then waits for its timer. With lost retransmissions found there goodput and queue agree, and if partial acknowledgments send here, losses at 0.25 products ({quarter}).
  At one product {loss} is left: {probing} with probing segments, {short} with short conservation, {handshake} with the handshake, {margin} with the pacing margin, {every} with all, {but} without partial acknowledgments.
- **Not explained** are losses at one product with all rules, and BBR's queue at four: {queue}; {plain} without ns-3's allowance for aggregated acknowledgments, {rules} with all rules here, {phases} with random phases there.

## Rules that differ

Twelve rules differ under "same rules": of DCTCP after a mark, of CUBIC's arithmetic, of what follows a loss, and of BBR; ten more were made the same in all rows. [data/peers_rules.csv](data/peers_rules.csv) has each with its place in ns-3 and how it was made the same. They are switched in further rows of
[data/peers.csv](data/peers.csv), by ns-3's rule here (`tests/benchmarks/ns3_rules.py`) or ours there (`tests/benchmarks/ns3_mended.cc`).
"""

TEXT = """
ns-3's rules were read in its development repository, not in the tree of 3.44. Its `TcpBbr` is version 1, as `bbr1`.

## Method

Three long transfers share 20 Mbit/s with 20 ms of delay each way; packets have 1500 bytes, a product is 66 packets. They start at random in the first second, the same in both
simulators, and are counted from 15 s to 45 s in four or eight runs. Goodput is in whole packets; the backlog leaves out the packet in transmission. A buffer of 0.25 products holds 10 ms, so that PIE does not act there.

`NS3_PYTHON=python python -m tests.benchmarks.today` makes `tests/data/peers.csv` anew, where NS3_PYTHON names an interpreter with ns-3's wheel; `--here` runs only our simulator. `python -m docs.peers` then generates
this page and its CSV.
"""


def read():
    """Return the stored values by comparison, quantity and simulator."""
    found = defaultdict(lambda: defaultdict(dict))
    with STORED.open(newline="") as file:
        for row in csv.DictReader(file):
            key = (row["scheme"], row["discipline"], row["rules"], float(row["share"]))
            for quantity in UNITS:
                found[key][quantity].setdefault(row["simulator"], []).append(float(row[quantity]))
    return found


def compared(here, there):
    """Return both means and half-widths, the relative difference, its half-width, and the verdict."""
    one, other = np.array(here), np.array(there)
    widths = [float(half_width(values, 0.95)) for values in (one, other)]
    difference = one.mean() / other.mean() - 1.0
    width = math.hypot(widths[0], widths[1] * one.mean() / other.mean()) / other.mean()
    verdict = "undecided"
    if abs(difference) <= TOLERANCE and width <= TOLERANCE:
        verdict = "within"
    elif abs(difference) - width > TOLERANCE:
        verdict = "**differs**"
    return one.mean(), widths[0], other.mean(), widths[1], difference, width, verdict


def comparisons(found):
    """Return the comparisons that have a value in both, by scheme, discipline, rules, buffer and quantity."""
    made = {}
    for key, values in found.items():
        for quantity in UNITS:
            here, there = values[quantity]["here"], values[quantity]["ns-3"]
            if sum(there) == 0.0 or (quantity == "loss" and sum(here) == 0.0):
                continue  # nothing was lost or marked
            made[*key, quantity] = (len(here), *compared(here, there))
    return made


def cell(one):
    """Return a difference with its interval, marked by its verdict."""
    *_, difference, width, verdict = one
    mark = {"within": "", "undecided": "*", "**differs**": "**"}[verdict]
    return f"{mark}{100 * difference:+.1f} +- {100 * width:.1f} %{mark}"


def rows(made):
    """Return the table of the comparisons with the same rules."""
    shares = sorted({key[3] for key in made})
    lines = []
    kept = dict.fromkeys((one[0], one[1], one[4]) for one in made if one[2] == "same rules" and one[4] != "goodput")
    for scheme, discipline, quantity in kept:
        cells = (made.get((scheme, discipline, "same rules", share, quantity)) for share in shares)
        shown = (re.sub(r" \+- [\d.]+ %", "", cell(one)) if one else "" for one in cells)
        lines.append([scheme, discipline, quantity, *shown])
    return markdown(["scheme", "discipline", "quantity", *(f"{share:g}" for share in shares)], lines)


def page():
    """Return the page."""
    made = comparisons(read())
    same = [one for key, one in made.items() if key[2] == "same rules"]
    verdicts = [one[-1].strip("*") for one in same]
    counts = {word: verdicts.count(word) for word in ("within", "differs", "undecided")}
    goodput = 100 * max(abs(one[-3]) for key, one in made.items() if key[-1] == "goodput")
    partial, plain = "found, plain BBR, partial acknowledgments", "plain BBR"

    def bbr(rules, share, quantity):
        return cell(made["bbr1", "drop-tail", rules, share, quantity]).strip("*")

    left = {
        "loss": bbr(partial, 1.0, "loss"),
        "quarter": bbr(partial, 0.25, "loss"),
        "probing": bbr(f"{partial}, probing segments", 1.0, "loss"),
        "short": bbr(f"{partial}, short conservation", 1.0, "loss"),
        "handshake": bbr(f"{partial}, handshake", 1.0, "loss"),
        "margin": bbr(f"{partial}, pacing margin", 1.0, "loss"),
        "every": bbr("found, plain BBR, all rules", 1.0, "loss"),
        "but": bbr("found, plain BBR, all rules but partial acknowledgments", 1.0, "loss"),
        "queue": bbr("same rules", 4.0, "queue"),
        "plain": bbr(plain, 4.0, "queue"),
        "rules": bbr(f"{plain}, all rules", 4.0, "queue"),
        "phases": bbr(f"{plain}, all rules, phases", 4.0, "queue"),
    }
    head = HEAD.format(**counts, all=len(same), goodput=goodput)
    return head + rows(made) + SWITCHED.format(**left) + TEXT


def table():
    """Return every comparison as CSV."""
    lines = [[
        "scheme", "discipline", "rules", "buffer_in_products", "quantity", "unit", "runs", "here", "here_half_width", "ns_3",
        "ns_3_half_width", "relative_difference", "relative_half_width", "verdict",
    ]]  # fmt: skip
    for (*key, share, quantity), (runs, *numbers, verdict) in comparisons(read()).items():
        shown = [f"{number:.4g}" for number in numbers]
        lines.append([*key, f"{share:g}", quantity, UNITS[quantity], runs, *shown, verdict.strip("*")])
    return csv_text(lines)


#: What this module writes, below `docs`.
PAGES = {"peers.md": page, "data/peers.csv": table}


if __name__ == "__main__":
    write(PAGES)
