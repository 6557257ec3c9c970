# ruff: noqa: E501 -- lines of tables
"""Page of the comparison with ns-3, from stored numbers: ``python -m docs.peers`` writes docs/peers.md."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np

from longfat.sim.statistics import half_width

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

This page is generated from `tests/data/peers.csv` by `python -m docs.peers`; do not edit it.
`NS3_PYTHON=python python -m tests.benchmarks.today` makes the CSV anew, where NS3_PYTHON names an interpreter with ns-3's wheel
(here 3.44). `pytest tests/test_peers_today.py` runs a part of it.

Three long transfers share a link of 20 Mbit/s with 20 ms of delay each way. Packets have 1500 bytes, and the buffer is 0.25, 1 or 4
bandwidth-delay products of 66 packets. The flows start at random times in the first second, the same in both simulators. Counted is from
15 s to 45 s, in four runs; "+-" is half the width of the 95 % confidence interval. Goodput is in whole packets; the backlog does not
count the packet in transmission.

"Within" means that the means differ by 5 % at most, "undecided" that the confidence interval of the difference reaches 5 % or less,
"differs" that it does not.

"""

TEXT = """
## Rules that differ

Where the table says "same rules", these are switched so that both simulators have the same one:

| rule | here | ns-3 | made the same by |
| --- | --- | --- | --- |
| recovery | PRR of RFC 6937 | its PRR, which counts a segment for each duplicate acknowledgment besides the data that SACK reports, and subtracts without sign; both mended in later versions of ns-3 (not tried apart) | the window is ssthresh at once: `prr = 0`, `TcpClassicRecovery` |
| Reno-friendly growth of CUBIC beyond the window before the last loss | as Reno (RFC 9438, section 4.3) | still 3 (1 - beta)/(1 + beta) (RFC 8312, section 4.2) | `full_reno = 0` |
| end of slow start | HyStart++ (RFC 9406) | HyStart | off in both |
| least timeout | 0.2 s | 1 s | 1 s (RFC 6298, rule 2.4); at 0.2 s ns-3 delivers less and has a shorter queue where the queue makes round trips of 0.2 s |
| wait that CoDel, FQ-CoDel and PIE see | until transmission begins | without the queue of the device, one packet (0.6 ms) | ns-3's targets are 0.6 ms lower |
| step marking | its own discipline | RED with equal thresholds, weight 1 and `Gentle` off | |
| PIE's bound of steps | off | on | off in both |
| time stamps | | rounded to milliseconds | none in both |

A buffer of 0.25 products holds 10 ms, so that PIE does not act there. BBR differs at a least timeout of 1 s and agrees in goodput and queue
at 0.2 s; its loss at one product still differs, and no rule for that was found. DCTCP's share of marks differs by 9 to 10 %, unexplained.
Not stored, from runs of 25 s to 60 s: with RFC 9438's growth here the queue was 6 to 9 % shorter than ns-3's, with a least timeout of
0.2 s at four products 11 % longer, and with a target of 5 ms in CoDel there, and RFC 9438's growth here, 5 to 8 % shorter.

ns-3's `TcpBbr` is BBR version 1, compared with `bbr1`; ns-3 has no version 3. It paces 1 % below the estimated bandwidth and adds to the
window for aggregated acknowledgments, as later versions in Linux; `bbr1` has neither, as the draft of 2017.
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
    verdict = "within"
    if abs(difference) > TOLERANCE:
        verdict = "undecided" if abs(difference) - width <= TOLERANCE else "**differs**"
    return one.mean(), widths[0], other.mean(), widths[1], difference, width, verdict


def lines(found):
    """Return the rows of the table."""
    for (scheme, discipline, rules, share), values in found.items():
        for quantity in UNITS:
            here, there = values[quantity]["here"], values[quantity]["ns-3"]
            if sum(there) == 0.0 or (quantity == "loss" and sum(here) == 0.0):
                continue  # nothing was lost or marked
            one, w, other, v, difference, width, verdict = compared(here, there)
            yield (
                f"| {scheme} | {discipline} | {share:g} | {rules} | {quantity} | {one:.4g} +- {w:.1g} | "
                f"{other:.4g} +- {v:.1g} | {100 * difference:+.1f} +- {100 * width:.1f} % | {verdict} |"
            )


def page():
    """Return the page."""
    head = (
        "| scheme | discipline | buffer [products] | rules | quantity | here | ns-3 | difference | 5 % |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return HEAD + head + "\n".join(lines(read())) + "\n" + TEXT


if __name__ == "__main__":
    (HERE / "peers.md").write_text(page())
