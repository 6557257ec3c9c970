# ruff: noqa: E501 -- lines of tables
"""Page of the comparison with ns-3, from stored numbers: ``python -m docs.peers`` writes docs/peers.md."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np

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

This page is generated from `tests/data/peers.csv` by `python -m docs.peers`; do not edit it.
`NS3_PYTHON=python python -m tests.benchmarks.today` makes the CSV anew, where NS3_PYTHON names an interpreter with ns-3's wheel
(here 3.44), and with `--here` only the rows of our simulator. `pytest tests/test_peers_today.py` runs a part of it.

Three long transfers share a link of 20 Mbit/s with 20 ms of delay each way. Packets have 1500 bytes, and the buffer is 0.25, 1 or 4
bandwidth-delay products of 66 packets. The flows start at random times in the first second, the same in both simulators. Counted is from
15 s to 45 s in four or eight runs; "+-" is half the width of the 95 % confidence interval. Goodput is in whole packets; the
backlog does not count the packet in transmission.

"Within" means that the means differ by 5 % at most and that the interval of the difference has a half-width of 5 % at most, "differs"
that this interval lies beyond 5 %, "undecided" the rest.

"""

TEXT = """
## Rules that differ

Where the table says "same rules", these are switched so that both simulators have the same one:

| rule | here | ns-3 | made the same by |
| --- | --- | --- | --- |
| recovery | PRR of RFC 9937 (RFC 6937 in the stored runs) | its PRR, which counts a segment for each duplicate acknowledgment besides the data that SACK reports, and subtracts without sign; both mended in later versions of ns-3 (not tried apart) | the window is ssthresh at once: `prr = 0`, `TcpClassicRecovery` |
| detection of losses by time | RACK-TLP (RFC 8985), where a scheme has it on | none | `rack = 0` |
| Reno-friendly growth of CUBIC beyond the window before the last loss | as Reno (RFC 9438, section 4.3) | still 3 (1 - beta)/(1 + beta) (RFC 8312, section 4.2) | `full_reno = 0` |
| acknowledgments | of every packet | of every second packet | of every second in both; of every packet in the rows of BBR with lost retransmissions found |
| end of slow start | HyStart++ (RFC 9406) | HyStart | off in both |
| least timeout | 0.2 s | 1 s | 1 s (RFC 6298, rule 2.4) |
| wait that CoDel, FQ-CoDel and PIE see | until transmission begins | without the queue of the device, one packet (0.6 ms) | ns-3's targets are 0.6 ms lower |
| step marking | its own discipline | RED with equal thresholds, weight 1 and `Gentle` off | |
| PIE's bound of steps | off | on | off in both |
| time stamps | | rounded to milliseconds | none in both, but for the last rows of BBR |

A buffer of 0.25 products holds 10 ms, so that PIE does not act there.

These differ under "same rules". Other rows switch them, by ns-3's rule here (`tests/benchmarks/ns3_rules.py`) or ours there
(`tests/benchmarks/ns3_mended.cc`). ns-3's rules were read in its development repository, not in the tree of 3.44:

| rule | here | ns-3 | switched by |
| --- | --- | --- | --- |
| growth of DCTCP in the round trip after a mark | as RFC 5681 (RFC 8257, section 3.4) | none while the state is `CA_CWR` (`tcp-socket-base.cc`, `ProcessAck`) | `dctcp-holding` here |
| arithmetic of CUBIC | real numbers (RFC 9438, sections 4.2 and 4.3) | whole packets (`tcp-cubic.cc`, `Update`) | `cubic-whole` here |
| the acknowledgment that ends recovery | grows no window | grows it by all that it acknowledges, also what SACK had reported (`ProcessAck`) | `cubic-whole` here; the row "whole packets" has this off |
| a retransmission that is lost | found when three packets sent later are acknowledged | only by the timer (`tcp-tx-buffer.cc`, `NextSeg`; RFC 6675) | found there |
| a partial acknowledgment in fast recovery | sends what window and pacing allow | besides, a packet at once, whatever they allow (`DoRetransmit`; RFC 6582, section 3.2) | `bbr1-partial` here, for every partial acknowledgment; there not if the first missing packet has been retransmitted |
| window of BBR for aggregated acknowledgments | none (draft of 2017) | added, as in later versions in Linux (`tcp-bbr.cc`, `UpdateAckAggregation`) | off there |
| round-trip times in recovery | of every packet | none without time stamps (Karn's algorithm) | time stamps there |

DCTCP's marks agree when its window is held after a mark. CUBIC loses 4 to 6 % less here with CoDel and FQ-CoDel; with both of ns-3's
rules of CUBIC losses agree within 1 %. Whole packets alone lower them; the growth at the end of recovery raises them. With drop-tail and
PIE the intervals of CUBIC's losses are too wide to decide, and with FQ-CoDel those of the queue.

BBR loses so many packets in buffers of one product and less that retransmissions are lost. ns-3 then waits for the timer, so that its
queue and losses depend on the least timeout. With lost retransmissions found there, goodput and queue agree. Losses still differ, until
partial acknowledgments, the window for aggregated acknowledgments and time stamps are switched, too ("found, plain BBR, partial
acknowledgments"): then the difference at 0.25 products is -1 % +- 7 %, and at one product -17 % +- 8 %. This rest is not explained, nor is the queue at four
products, which is 13 % +- 3 % shorter here.

ns-3's `TcpBbr` is BBR version 1, compared with `bbr1`; ns-3 has no version 3. It paces 1 % below the estimated bandwidth, as later
versions in Linux; `bbr1` does not, as the draft of 2017.
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


def lines(found):
    """Return the rows of the table."""
    for (scheme, discipline, rules, share), values in found.items():
        for quantity in UNITS:
            here, there = values[quantity]["here"], values[quantity]["ns-3"]
            if sum(there) == 0.0 or (quantity == "loss" and sum(here) == 0.0):
                continue  # nothing was lost or marked
            one, w, other, v, difference, width, verdict = compared(here, there)
            yield (
                f"| {scheme} | {discipline} | {share:g} | {rules} | {len(here)} | {quantity} | {one:.4g} +- {w:.1g} | "
                f"{other:.4g} +- {v:.1g} | {100 * difference:+.1f} +- {100 * width:.1f} % | {verdict} |"
            )


def page():
    """Return the page."""
    head = (
        "| scheme | discipline | buffer [products] | rules | runs | quantity | here | ns-3 | difference | 5 % |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return HEAD + head + "\n".join(lines(read())) + "\n" + TEXT


if __name__ == "__main__":
    (HERE / "peers.md").write_text(page())
