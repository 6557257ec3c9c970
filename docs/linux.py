# ruff: noqa: E501 -- lines of tables
"""Page of the comparison with Linux and its table as CSV, from stored runs: ``python -m docs.linux`` writes both."""

from __future__ import annotations

import json
import math
from pathlib import Path

from docs.pages import write
from figures.linux import equivalence
from figures.linux.cases import LOSSES
from figures.linux.pictures import HEADS, NAME, PART, PICTURES
from longfat.base.text_tables import csv_text
from tests.benchmarks.linux import read, statements

HERE = Path(__file__).resolve().parent
HELD = "held out"  # group of the cases that are counted apart
FULL = 0.99995  # utilisation of a link that is full to four digits
LINK = HERE.parent / "tests" / "data" / "linux_link.json"

HEAD = """\
# Is the simulator right? Ask Linux

Linux's own TCP runs the scenarios of the simulator, over links that the simulator's code emulates. With all rules as Linux ships them, simulator and
Linux agree in {agrees} of {all} statements and differ in {differs}; {undecided} are undecided. {full} of those that agree are links full on both sides. In {biased} the interval excludes 0,
where chance gives {chance:.0f}: a bias below the accuracy. At a loss of 3 % Linux's goodput is higher in {higher} of {lossy} cells.{held} [data/linux.csv](data/linux.csv) has every statement with its law, intervals and runs;
[data/linux_switched.csv](data/linux_switched.csv) those with a rule switched, of which {same} of {switched} agree. `python -m docs.linux` writes all from the runs in `tests/data/linux.csv`.

## What agrees, and what does not

A difference is the value on Linux minus that of the simulator; "+-" is half the width of its confidence interval. A product is a bandwidth-delay product.

| quantity | where | accuracy | agrees | largest difference |
| --- | --- | --- | --- | --- |
"""

CONCLUSIONS = """
- Outside the accuracy: {outside}.
- Two CUBIC flows at 0.1 products lose together or in turns, with queues of 1.5 and 2.3 packets on both sides. By the mean queue they lose together in half of the cases
  on Linux, here in three quarters; why is not known.
- Linux joins acknowledgments that arrive within 1 ms while packets are missing, the simulator does not. With this off on
  Linux (`tcp_comp_sack_nr` = 0), the difference of two CUBIC flows at 0.5 products falls to {joined}, from {plain}.
{recoveries}- Not compared: other rates than 20 Mbit/s, segmentation offload, real network cards, BBR version 3, the reordering window that DSACK widens.

"""

RULES_HEAD = """
## Rules of Linux that matter

`longfat.sim.schemes.linux` switches Linux's rules on; the comparison also sets `handshake_rtt` to the round-trip time of the empty path.
Without one of them the mean queue on Linux differs by {least} to {most} % from that of the simulator, in a case where it is within {near} % with all of them: [data/linux_rules.csv](data/linux_rules.csv) has each.
"""

#: Rule, parameter, case without the rule, rules that this case has in common with the one to compare it with.
RULES = [
    ("Windows are whole packets (`tcp_cong_avoid_ai()`, `bictcp_update()`).", "`integer_windows`", "CUBIC, 1 flow, buffer 0.25, windows with fractions here", ""),
    ("HyStart ends slow start at once (`hystart_update()`). The other choice is HyStart++ of RFC 9406.", "`hystart`", "CUBIC, 1 flow, buffer 0.5, HyStart++ here", ""),
    ("CUBIC computes its target once a tick of 4 ms (`bictcp_update()`).", "`clock_tick`", "CUBIC, 10 flows, buffer 0.1, every packet acknowledged; CUBIC's target with each acknowledgment here", "every packet acknowledged"),
    ("The acknowledgment that ends a recovery grows the window (`tcp_ack()`).", "`growth_at_exit`", "Reno, 10 flows, buffer 0.1, every packet acknowledged; no growth at the end of a recovery here", "every packet acknowledged"),
    ("The reordering timer waits 2 ms more than RFC 8985, in ticks of 4 ms (`tcp_rack_mark_lost()`).", "`rack`", "Reno, 10 flows, buffer 0.1, every packet acknowledged; the reordering timer of RFC 8985 here", "every packet acknowledged"),
    ("BBR paces 1 % below its estimate, allows more in flight, and renews its least round-trip time only by a lower one (`tcp_bbr.c`).", "`pacing_margin`, `allowances`, `equal_renews`", "BBR, 1 flow, buffer 0.5, BBR of 2016 here", ""),
    ("BBR begins with the round-trip time of the handshake (`bbr_init()`).", "`handshake_rtt`", "BBR, 2 flows, buffer 2, no handshake here", ""),
    ("A phase of BBR ends by what will be in flight at the next departure (`bbr_packets_in_net_at_edt()`).", "`departures`", "BBR, 1 flow, buffer 0.5, phases of BBR by what is in flight now here", ""),
    ("A recovery goes on where a packet found lost is missing at its end (`tcp_fastretrans_alert()`).", "`long_recovery`", "BBR, 2 flows, buffer 0.1, recoveries of BBR apart here", ""),
    ("BBR keeps the mean rate of two intervals that lose a fifth of the packets (`bbr_lt_bw_sampling()`).", "`long_term`", "BBR, 10 flows, buffer 0.1, no long-term sampling here", ""),
]  # fmt: skip

RULES_TEXT = """
Three more rules:

- `quick_acks`: Linux's receiver acknowledges every packet while its window grows (`tcp_grow_window()`), here the first 479 of each connection, a fitted number. Without it short transfers take up to 44 ms more.
- `timestamp_tick`: Linux measures the round trips of retransmissions in whole milliseconds (`tcp_rtt_tsopt_us()`), and BBR keeps the lowest. One BBR flow at 0.1 products loses 848 to 863 packets on Linux and 851 to 853 here,
  without time stamps 912 to 914 and 923 to 925.
- `send_jitter` of a flow: a packet of BBR leaves up to 0.1 ms after its time (fitted; 0.2 ms agrees, too. `python -m tests.benchmarks.lateness` measures nine of ten packets below 0.08 to 0.22 ms). It explains the queue of one BBR flow at 0.1 and 0.25 products, and no other.

"""

METHOD = """
## Method

The hosts are two network namespaces with a TUN device each (`longfat testbed`). Queueing, drops and delays are the simulator's; windows, retransmissions and
acknowledgments are Linux's. `make testbed` runs every case anew, `longfat verify --linux` without storing it.

| | |
| --- | --- |
| path | 20 Mbit/s, drop tail, packets of 1500 bytes, round-trip time 40 ms unless stated: a product of 66.7 packets; laws count the packet in transmission, too |
| flows | start at random in the first second, the same on both sides; counted from 5 s to 25 s |
| senders | Linux 6.18 as it ships, without segmentation offload; here Reno is `sack`, BBR is version 1 (`bbr1`), parameters of `longfat.sim.schemes.linux` |
| accuracy | chosen before the first run: the column of the table above |
| verdict | "agrees": the confidence interval of the difference lies within the accuracy; "differs": outside; "undecided": neither |
| pairs | runs of one flow, or with random loss, have the same starts and losses on both sides |
| runs | planned from earlier intervals; confidence 95 %, and 99 % where runs were added after a look: either verdict is wrong with at most 5 %, with up to six looks (Bonferroni) |

A run is repeated if the emulated network stood still for more than 10 ms at once or for 1 % of the time (0.2 % with one BBR flow), if more than 1 % of the packets were later than 2 ms, if a
connection waited for its applications for 1 % of the time, or if a device dropped a packet.

"""


def quantities(made):
    """Yield the row of each quantity."""
    groups = {
        "utilisation [1]": ("full link", "utilisation", "one, two and ten flows of Reno, CUBIC, BBR; five buffers"),
        "mean queue": ("full link", "mean_queue", "the same"),
        "goodput": ("random loss", "goodput", "the same at a loss of 0.3, 1 and 3 %"),
        "transfer time [s]": ("unloaded transfer", "transfer_time", "4, 20 and 200 packets over an empty path"),
        "first share [1]": ("share", "first_share", "BBR beside CUBIC; two flows of Reno or CUBIC of equal or unlike round-trip times"),
        "mean wait": ("waiting", "mean_wait", "four CUBIC flows behind FIFO and CoDel, two products"),
        "mean window": ("window", "mean_window", "one CUBIC flow, one product"),
        "median window": ("window", "middle_window", "one BBR flow, two products"),
        HELD: (HELD, "", "settings to which nothing was fitted"),
    }  # fmt: skip
    for title, (group, quantity, where) in groups.items():
        some = [one for one in made if one.case.group == group and quantity in ("", one.quantity)]
        if not some:
            continue
        most = max(some, key=lambda one: abs(one.difference) / one.accuracy.of(one.measured))
        cells = equivalence.cells(most)
        name = most.case.name.removeprefix(f"{group}, ")
        agree = sum(one.verdict == "agrees" for one in some)
        said = f"{cells[5]} ({name})" if len(some) > 1 and most.difference else cells[5]
        accuracy = "as above" if title == HELD else cells[6]
        yield f"| {title} | {where} | {accuracy} | {agree} of {len(some)} | {said} |"


def rules(made):
    """Yield each rule of Linux with the case that shows it, and the differences without and with the rule."""
    found = {one.case.name: equivalence.cells(one)[5] for one in made if one.quantity == "mean_queue"}
    for rule, parameter, case, common in RULES:
        name = f"full link, {case}"
        place, _, buffer = name.partition(", buffer ")
        plain = f"{place}, buffer {buffer.partition(',')[0]}{common and f', {common}'}"
        yield rule, parameter, plain.removeprefix("full link, "), found[name], found[plain]


def rules_in_csv():
    """Return the rules of Linux with their places and cases as CSV."""
    heads = ["rule", "parameter", "case", "difference_without", "difference_with"]
    shown = rules(statements(read()))
    return csv_text([heads, *([rule, parameter.replace("`", ""), *more] for rule, parameter, *more in shown)])


def followed():
    """Return a sentence with the share of the picture's windows that differ from Linux's by a packet at most."""
    windows = PART.kept()[NAME].window_trace
    apart = abs(windows.sel(face="simulator") - windows.sel(face="Linux"))
    shares = [
        f"{100 * float((apart.sel(column=head).dropna('time') <= 1).mean()):.1f} % ({head.partition(',')[0]})"
        for head in HEADS[:2]
    ]
    return f"Sampled each 50 ms, {' and '.join(shares)} of the simulator's windows are Linux's within a packet."


def link():
    """Return the section on the emulated link, from the figures of `tests.testbed.real_time`."""
    lines = [
        "## How exact the emulated link is\n",
        "Each packet over a link of 5 ms each way, in real time on an idle machine, is compared with an ideal FIFO that is told when the packet entered (`python -m tests.testbed.real_time tun MBIT/S PACKETS store`):\n",
    ]
    for name, one in json.loads(LINK.read_text()).items():
        trip = one["round trip beyond the ideal [us]"]
        lines.append(
            f"- {name.split()[1]} Mbit/s: {one['packets']} packets, {one['dropped']} dropped, {one['unlike the ideal FIFO']} with another fate; "
            f"the round trip is {trip['0.5']:.0f} us longer (median; {trip['0.95']:.0f} us for 95 %), the rate wrong by {one['rate error']:.1e}."
        )
    return "\n".join(lines) + "\n"


def counted(made):
    """Return the number of statements of each verdict."""
    return {word: sum(one.verdict == word for one in made) for word in ("agrees", "differs", "undecided")}


def held(made):
    """Return a sentence on the held-out statements; an empty one without any."""
    text = " Of {all} held-out statements {agrees} agree and {differs} differ."
    return text.format(all=len(made), **counted(made)) if made else ""


def outside(made):
    """Return the statements that differ, with their differences in the quantity's unit."""
    some = [one for one in made if one.verdict == "differs"]
    named = [
        f"{one.quantity.replace('_', ' ')} of {one.case.about} ({one.difference:+.2g} {equivalence.QUANTITIES[one.quantity][0]})"
        for one in some
    ]
    return "; ".join(named) or "none"


def recoveries(every):
    """Return a sentence on the goodput at the largest loss without two rules of Linux's recoveries, if it was run."""
    mean = {}
    for rule in ("", "no F-RTO on Linux", "no loss probes on Linux"):
        some = [
            one.difference / one.measured for one in every if one.case.rules == rule and one.case.group == "random loss"
            and one.case.name_on_linux.startswith(("random loss, Reno,", "random loss, CUBIC,")) and one.case.loss == LOSSES[-1]
        ]  # fmt: skip
        mean[rule] = f"{100 * sum(some) / len(some):+.2g}" if some else ""
    if not all(mean.values()):
        return ""
    with_all, without, probes = mean.values()
    return (
        f"- The goodput of Reno and CUBIC at a loss of 3 % differs by {with_all} % in the mean, without F-RTO on Linux by {without} %,\n"
        f"  without loss probes there by {probes} %.\n"
    )


def page():
    """Return the page."""
    every = statements(read())
    shipped = [one for one in every if not one.case.rules]
    made = [one for one in shipped if one.case.group != HELD]
    lossy = [one for one in made if one.case.group == "random loss" and one.case.name.endswith("p = 0.03")]
    agreed = [one for one in made if one.verdict == "agrees"]
    full = [one for one in agreed if one.quantity == "utilisation" and min(one.simulated, one.measured) > FULL]
    switched = [one for one in every if one.case.rules]
    about = {
        "full": len(full), "biased": sum(abs(one.difference) > one.width > 0 for one in agreed),
        "chance": sum(1.0 - one.confidence for one in agreed if one.width > 0),
        "held": held([one for one in shipped if one.case.group == HELD]),
        "higher": sum(one.difference > 0 for one in lossy), "lossy": len(lossy),
        "switched": len(switched), "same": sum(one.verdict == "agrees" for one in switched),
    }  # fmt: skip
    counts = counted(made)
    found = {one.case.name: equivalence.cells(one)[5] for one in every if one.quantity == "mean_queue"}
    two = "full link, CUBIC, 2 flows, buffer 0.5"
    shown = [*rules(every)]
    sizes, near = ([abs(float(row[column].partition(" ")[0])) for row in shown] for column in (-2, -1))
    return "".join([
        HEAD.format(**counts, **about, all=len(made)),
        "\n".join(quantities(shipped)) + "\n",
        CONCLUSIONS.format(
            outside=outside(made), recoveries=recoveries(every),
            joined=found[f"{two}, no acknowledgments compressed on Linux"], plain=found[two],
        ),
        f"![{PICTURES[NAME].caption}](../figures/linux/{NAME}.png)\n\n{followed()}\n",
        RULES_HEAD.format(
            least=f"{min(sizes):.2g}", most=f"{max(sizes):.2g}", near=f"{max(near):.2g}",
        ),
        RULES_TEXT.rstrip("\n") + "\n",
        METHOD,
        link(),
    ])  # fmt: skip


def table(switched=False):
    """Return every statement with Linux's rules as CSV, or every one with a rule switched."""
    lines = [[
        "group", "case", "rules", "quantity", "unit", "law", "law_name", "simulator", "simulator_half_width", "linux",
        "linux_half_width", "runs", "difference", "difference_half_width", "confidence", "accuracy", "verdict",
    ]]  # fmt: skip
    for one in statements(read()):
        if bool(one.case.rules) != switched:
            continue
        numbers = (one.law, one.simulated, one.simulated_width, one.measured, one.measured_width, one.difference)
        law, *sides, difference = ("" if math.isnan(number) else f"{number:.6g}" for number in numbers)
        lines.append([
            one.case.group, one.case.about, one.case.rules, one.quantity, equivalence.QUANTITIES[one.quantity][0],
            law, one.law_name if law else "", *sides, one.runs, difference, f"{one.width:.3g}", one.confidence,
            f"{one.accuracy.of(one.measured):.4g}", one.verdict,
        ])  # fmt: skip
    return csv_text(lines)


#: What this module writes, below `docs`.
PAGES = {
    "linux.md": page, "data/linux.csv": table, "data/linux_switched.csv": lambda: table(True),
    "data/linux_rules.csv": rules_in_csv,
}  # fmt: skip


if __name__ == "__main__":
    write(PAGES)
