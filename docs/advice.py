# ruff: noqa: E501 -- lines of tables
"""Page of the advice that was carried out on Linux, and its runs as CSV: ``python -m docs.advice`` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs.pages import write
from longfat.base.text_tables import csv_text
from tests.benchmarks.advice import DATA, PACKET, WOKEN, held, printed, read

HEAD = """\
# Does the advice hold on Linux?

`longfat window` and `longfat buffer` promise a rate, and `longfat buffer` a queueing delay, with their advice. Linux's own TCP carried the advice out over emulated
links (`longfat testbed`, [how exact they are](linux.md#how-exact-the-emulated-link-is)), at settings that nothing was built or tuned with.

**{fresh_held} of {fresh} settings that led to no change of the advice hold**, and so do {led_held} of the {led} that did, with the advice of today. Before the changes {first} of all {all} held.
{lines_held} of {lines} more settings hold for [the pasted lines](#the-pasted-lines), as they are printed today.

The measured paths have 5 to 100 Mbit/s and 5 to 150 ms; one sender of the kind named runs alone. Nothing is known of faster paths, real network cards, or other senders on the link.

"""

TABLE_HEAD = """\
| question | sender | paths | settings | hold | rate seen, over the least promised | promised range |
| --- | --- | --- | --- | --- | --- | --- |
"""

CHANGES = """
The last column is the width of the promised interval in percent of its lower end: wide where losses are random. All queueing delays promised today hold. Rates count data without headers. Printed checks add a packet at both ends: iperf3 counts whole ones.
[data/advice.csv](data/advice.csv) has every run with its setting, and the advice of earlier versions.

Five settings led to changes. For BBR no mean delay is promised, only the largest one, which the buffer bounds, and a tenth of a bandwidth-delay product or more is advised, from a simulation of Linux's rules. A token bucket has a packet for each flow at least, and four for each in the
line for the host itself. Later rules of BBR change the advice of row 25 from 12 packets to 37, which was not run.

## The pasted lines

The line for a token bucket at the sending host, as the command prints it, went to the real `tc` (Linux 6.18), with segmentation offload. A relay added the delay, and iperf3 measured.
Of {own} lines with today's room for the host itself {own_held} have the least rate promised or more and ended without an error; the link was used to {own_least} or more. [data/advice_lines.csv](data/advice_lines.csv) has every line.

- A line has room for packets that Linux joins: without it a packet of two segments does not fit into a buffer of one, and one setting had {roomless} of the link.
- It has four packets for each flow, because Linux queues two packets of a connection, each of two segments. Where its own queue refuses them, Linux tries again after half a second and gives the
  connection up after 15 times (`tcp_send_probe0()`, `tcp_probe_timer()`); `TCPAbortOnTimeout` counts that. Behind a router or a switch such packets are lost and sent again.
- **Socket buffers of four times the window are enough.** In the {windows} settings with a window a byte of window took {took_least} to {took_most} bytes of buffer, and flows waited for a buffer at most {limited} of the time.
  By the source, not measured: a driver that gives each packet a page takes 4672/1448 = 3.2, and Linux 6.6 to 6.9 reckon with 3.9 at the start of a connection (`TCP_DEFAULT_SCALING_RATIO`).

## Method

| | |
| --- | --- |
| settings | twelve of a Latin hypercube (seed 27), then, after each change, those of the next one (seeds 28 to 31) that ask what led to the change; stored with advice, promises and rule before Linux was run |
| ranges | 5 to 100 Mbit/s; 5 to 150 ms, at least 20 packets in a product; buffers of 0.2 to 2 products and no loss or 1e-5 to 1e-3 (window); 1 to 16 flows and 90 to 98 % (buffer) |
| window | one flow; "limits" sets the third numbers of `tcp_rmem` and `tcp_wmem`, "program" sets `SO_SNDBUF` and `SO_RCVBUF` as `iperf3 -w` does |
| buffer | drop tail with the advised packets; round-trip times spread by 10 %, as in the command; 10 s left out, 60 s measured |
| rule | window: every run in the promised interval; buffer: the mean of the runs in the intervals of rate and delay |
| refused runs | those in which the emulated network stood still for more than 10 ms or 1 % of the time |
| receiver | woken for {woken} kB at a time, so that the machine's schedule does not decide when Linux answers |

`tests/benchmarks/advice.py` computes the advice and runs Linux with it; `python -m docs.advice` generates page and CSV from `tests/data/advice.json`.
"""

#: Rows that led to a change: no fresh settings for the advice of today.
LED = ("11", "12", "14", "16", "22")
SENDERS = {"cubic": "CUBIC", "sack": "Reno", "bbr1": "BBR"}


def _mbit(value: float) -> str:
    return f"{8e-6 * value:.4g}"


def _question(one: dict) -> str:
    if one["kind"] == "window":
        loss = f"loss {one['loss']:.3g}" if one["loss"] else "no loss"
        return f"window, {one['set_by']}; {loss}, buffer {one['buffer']:g} BDP"
    return f"buffer for {100 * one['share']:.3g} %, {one['flows']} flow{'s' if one['flows'] > 1 else ''}"


def _advised(one: dict) -> int:
    advice = one["advice"]
    if one["kind"] == "buffer":
        return advice["buffer_packets"]
    return advice["linux_maximum" if one["set_by"] == "limits" else "linux_request"]


def latest(one: dict) -> dict:
    """Return a row with the advice of today, its promise and its runs."""
    return {**one, **one.get("today", {}), **one.get("raised", {})}


def summary(rows: list[dict]) -> Iterator[str]:
    """Yield the rows of the table: the settings by question and sender, with the advice of today."""
    for kind in ("window", "buffer"):
        for scheme, name in SENDERS.items():
            some = [one for one in rows if (one["kind"], one["scheme"]) == (kind, scheme)]
            rates, times = ([one[key] for one in some] for key in ("rate", "round_trip_time"))
            path = f"{_mbit(min(rates))} to {_mbit(max(rates))} Mbit/s, {1e3 * min(times):.3g} to {1e3 * max(times):.3g} ms"
            ends = [printed(*one["promised"]["rate"]) for one in some]
            seen = [run["rate"] / low for one, (low, _) in zip(some, ends, strict=True) for run in one["seen"]]
            widths = [100 * (high / low - 1) for low, high in ends]
            cells = [
                kind, name, path, f"{len(some)}", f"{sum(map(held, some))}", f"{min(seen):.2f} to {max(seen):.2f}",
                f"{min(widths):.0f} to {max(widths):.0f} %",
            ]  # fmt: skip
            yield f"| {' | '.join(cells)} |"


def lines(rows: list[dict]) -> Iterator[dict[str, Any]]:
    """Yield the lines that were given to tc, with the promised and the measured rates [bytes/s]."""
    for one in rows:
        for key, said in (("pasted_without_room", "none"), ("pasted", "joined"), ("pasted_own", "joined, own")):
            if key in one:
                promised = one if key == "pasted_without_room" else one.get("today", one)
                rate, least = one[key]["rate"], promised["promised"]["rate"][0]
                yield {
                    "row": one["name"], "room": said, "line": one[key]["line"], "least_rate": round(least),
                    "rate": round(rate), "share_of_link": round(rate * PACKET / DATA / one["rate"], 3),
                    "holds": rate >= printed(least, least)[0],
                }  # fmt: skip


def runs(rows: list[dict]) -> Iterator[dict[str, Any]]:
    """Yield every run with its setting, advice, promised and measured values, in bytes, bytes/s and seconds."""
    for one in rows:
        for version in ("first", "today", "raised"):
            if version != "first" and not one.get(version, {}).get("seen"):
                continue
            advised = one if version == "first" else {**one, **one[version]}
            low, high = printed(*advised["promised"]["rate"])
            delays = advised["promised"].get("mean_delay", ("", ""))
            for run in advised["seen"]:
                yield {
                    "row": one["name"], "advice": version, "rate": round(one["rate"]), "round_trip_time": round(one["round_trip_time"], 6),
                    "sender": SENDERS[one["scheme"]], "question": _question(one), "advised": _advised(advised),
                    "window": advised["advice"].get("window", ""),
                    "unit": "packets" if one["kind"] == "buffer" else "bytes", "least_rate": round(low), "largest_rate": round(high),
                    "seen_rate": round(run["rate"]), "least_delay": delays[0] and round(delays[0], 6), "largest_delay": delays[1] and round(delays[1], 6),
                    "seen_delay": round(run["mean_delay"], 6) if "mean_delay" in run else "", "row_holds": held(advised),
                }  # fmt: skip


def in_csv(rows: list[dict[str, Any]]) -> str:
    """Return records as CSV."""
    return csv_text([rows[0], *(row.values() for row in rows)])


def page() -> str:
    """Return the page."""
    every = list(read().values())
    rows = [one for one in every if not one.get("only_line")]
    fresh, led = ([held(latest(one)) for one in rows if (one["name"] in LED) == found] for found in (False, True))
    pasted = list(lines(every))
    own = [one for one in pasted if one["room"] == "joined, own"]
    drawn = [one for one in own if next(each for each in every if each["name"] == one["row"]).get("only_line")]
    windows = [one for one in rows if one["kind"] == "window"]
    sizes = [
        one["advice"]["linux_maximum"] if one["set_by"] == "limits" else 2 * one["advice"]["linux_request"]
        for one in windows
    ]
    took = [size / max(run["window"] for run in one["seen"]) for size, one in zip(sizes, windows, strict=True)]
    limited = max(max(run["rwnd_limited"], run["sndbuf_limited"]) for one in windows for run in one["seen"])
    head = HEAD.format(
        fresh=len(fresh), fresh_held=sum(fresh), led=len(led), led_held=sum(led), all=len(rows), first=sum(map(held, rows)),
        lines=len(drawn), lines_held=sum(one["holds"] for one in drawn),
    )  # fmt: skip
    rest = CHANGES.format(
        own=len(own), own_held=sum(one["holds"] for one in own), own_least=min(one["share_of_link"] for one in own),
        roomless=next(one["share_of_link"] for one in pasted if one["room"] == "none"), windows=len(windows),
        took_least=f"{min(took):.2f}", took_most=f"{max(took):.2f}", limited=f"{100 * limited:.2g} %", woken=WOKEN // 1024,
    )  # fmt: skip
    return head + TABLE_HEAD + "\n".join(summary([latest(one) for one in rows])) + "\n" + rest


#: What this module writes, below `docs`.
PAGES = {
    "advice.md": page,
    "data/advice.csv": lambda: in_csv(list(runs(list(read().values())))),
    "data/advice_lines.csv": lambda: in_csv(list(lines(list(read().values())))),
}


if __name__ == "__main__":
    write(PAGES)
