# ruff: noqa: E501 -- lines of tables
"""Page of the advice that was carried out on Linux, from stored runs: ``python -m docs.advice`` writes docs/advice.md."""

from __future__ import annotations

from pathlib import Path

from longfat.base.quantities import text
from tests.benchmarks.advice import DATA, PACKET, SETTING_COUNT, WOKEN, held, printed, read

HERE = Path(__file__).resolve().parent

HEAD = """\
# Does the advice hold on Linux?

This page is generated from `tests/data/advice.json` by `python -m docs.advice`; do not edit it. `tests/benchmarks/advice.py` has the settings,
computes the advice (`promise`) and runs Linux with it (`run`).

`longfat window` and `longfat buffer` promise a figure with their advice: the rate that a check shows, and the queueing delay. Here the advice is carried
out by Linux's own TCP over emulated links (`longfat testbed`, [how exact they are](linux.md#how-exact-the-emulated-link-is)), at settings that nothing was built or
tuned with.

{summary}
Twelve settings were drawn before anything was run: a Latin hypercube (seed 27) over rate (5 to 100 Mbit/s), round-trip time (5 to 150 ms, and at least
20 packets in a bandwidth-delay product), sender (CUBIC, Reno, BBR version 1), question (window or buffer), bottleneck buffer (0.2 to 2 bandwidth-delay products)
and random loss (none, or 1e-5 to 1e-3), or number of flows (1 to 16) and wanted share (90 to 98 %). What the advice promised was stored before Linux was run.

- **window**: one flow. "limits" sets the third numbers of `tcp_rmem` and `tcp_wmem` to the advised one, also where Linux's own are larger, and Linux tunes
  the buffers; "program" sets `SO_SNDBUF` and `SO_RCVBUF`, as `iperf3 -w` does. The check skips and lasts as long as the advice says, from slow start on.
- **buffer**: the flows start within a second, their round-trip times are spread by 10 % as in the command's simulations, the bottleneck is drop tail with the advised packets,
  Linux's buffers are large. As the advice says, 10 s are left out and 60 s measured.

**The rule**, fixed before the first run: a row of a window holds if each run lies in the promised interval, which the command prints outwards to three digits (unrounded, two runs
of rows 2 and 6 that fill the link would be above it, by less than a millionth). A row of a buffer holds if the mean of its runs lies in the
promised interval, because it promises that of the mean of several checks, and if the mean queueing delay is within 10 % of the promised one. Rates count data without headers. A run that the machine's
load made late is not counted, whatever it gave. The receiver is woken for {woken} kB at a time: woken for each packet, the place of the reader in the
machine's schedule would decide when Linux answers.

"""


CHANGES = """
## What was changed, and fresh settings

- **Rows 11 and 12**: BBR has the promised rate, but not the promised mean queueing delay. The simulator's queue of BBR in buffers of a packet or two is up to half off (the
  [comparison](linux.md) has differences of 13 % and more), so that the answer no longer promises a mean for BBR, only the largest delay.
- The mean delay of the other senders is promised as an interval now: the simulation's, and 10 % for what simulator and Linux differ. The rows above have the narrower promise.
- What came out in the first runs beside other work was discarded, whatever it was: with a busy machine two runs had 77 and 83 % of a link that the others fill, although no packet was late, because the
  process of the applications had to wait for a processor while it locked a connection. It runs with real-time priority in the runs here.

The fresh settings are those of a second hypercube (seed 28) that ask for a buffer for BBR.

"""
ROW_14 = """
**Row 14 does not hold**: with a buffer of one packet one BBR flow had less on Linux than it was promised. It had been simulated with the rules of 2016, which miss ProbeRTT in small buffers; the
[comparison](linux.md) has 0.03 of a link between them and Linux. Three things were changed, before the settings below were run:

- `longfat buffer --scheme bbr1` simulates BBR with Linux's rules.
- Its buffer is a tenth of the bandwidth-delay product at least, the smallest in which the simulator's BBR was compared with Linux.
- The rate is promised as the simulation's interval and 0.01 of the link on both sides, the tolerance with which simulator and Linux are compared. The rows above have the narrower promise.

The fresh settings are all those of a third hypercube (seed 29) that ask for a buffer for BBR; what the advice promises there was stored before Linux was run. A run is used only if the emulated network
never stood still for more than 10 ms and for no more than 1 % of the time (two runs were refused).

"""
TODAY = """
Rows 1 to 10 were computed again after these changes: the advice is the same, and the runs above lie in the intervals that are promised now, too.

## Today's advice for BBR at the older settings

Rows 11 to 15 have the advice of then, and stay as they are. This is what is promised there today, and what came out. These settings are not fresh: rows 11, 12 and 14 led to the changes.

- **Rows 11 and 12**, which do not hold above, held in the rate and failed in the mean queueing delay. Today no mean delay is promised for BBR, only the largest one, which the buffer bounds.
- **Row 14** has a buffer of 88 packets in place of one.

Since then the simulator's BBR has two more rules of Linux, `long_recovery` and `timestamp_tick`, and it forgets a sample of the bandwidth after ten rounds, as Linux does,
not after eleven. With these changes the advice for BBR at rows 3, 7, 11 to 20, 24 and 27 is the same, the ends of the promised intervals move by 0.5 Mbit/s at most, and all rates that were seen with the
advice of today lie in them. The share of row 25 below, 97 %, is at the edge of what flows carry that probe for the round-trip time together (0.972): there today's buffer is 37 packets, in place of 12, and was not run.

"""
FLOWS = """
## A packet for each flow

With the buffer of 2 packets of row 16 one of 8 connections timed out behind the pasted token bucket (below), although the link was full. Since then the lines have a packet for each flow at least.
Where that is more than the buffer that was found, they promise the rate from below, as before, up to all of the link, and no mean queueing delay.

The fresh settings are all those of a fourth hypercube (seed 30) that ask for a buffer for several flows, of any sender. Promises and settings were stored before Linux was run, with the buffer of the lines.
In rows 20 and 22 it is larger than what was found (2 and 9 packets). One run of row 22 was refused, because the emulated network stood still for 19 ms.

"""
RAISED = """
### The older settings

Of the older rows four have a larger buffer in the lines than before. This is what is promised there today, and what came out with that buffer. Row 16 led to the change, and row 12 to an older one.

"""
#: Rows that led to a change: no fresh settings for the advice of today.
LED = ("11", "12", "14", "16", "22")
NONE = "Their advice is stored; they were not run yet.\n"
PASTED = """
## The pasted lines

The line for a token bucket at the sending host, as the command prints it, given to the real `tc` (Linux 6.18) with segmentation offload as it is. A relay adds the delay, and iperf3 measures. The queue
has room for packets that Linux joins beyond the advised buffer, so that the rate is promised from below. Without it, with the advised buffer alone as it was printed at first, a packet of two segments does not
fit into a buffer of one. The relay keeps time only as well as the machine lets it: beside six emulated links rows 5, 11 and 12 had 0.903, 0.839 and 0.947 of the link, 1 to 8 % below what is promised,
and beside one other job row 5 had 0.891; it was measured again alone. The runs shown had the machine to themselves, but for one other job; rows 12, 13, 16 and 18 had more beside them.

With the buffer of 2 packets of row 16 the link was full behind the token bucket, but one of 8 connections timed out, in both runs whose message was kept (a third had no result either), so that iperf3
ended with an error. The lines have a packet for each flow at least since then; rows 13, 16 and 18 were run with that, and rows 20 to 23 are fresh.

**Row 22 does not hold**: with 16 packets for 16 connections of CUBIC the link was full as long as it lasted, but in four of five runs one to three connections were given up after ten seconds. The packets were not lost on
the path, they were refused by the queue of the sending host: Linux then tries again after half a second, and gives a connection up after 15 times (`tcp_send_probe0()` and `tcp_probe_timer()` in its source). Linux counted no retransmission in these
runs, but connections that were given up (`TCPAbortOnTimeout`). It may well be what row 16 met.
Behind a router or a switch, as in the tables above, such packets are lost and sent again. So the token bucket, which is for the host itself, has four packets for each flow at least now ("own" below): Linux queues two packets of a
connection, each of two segments. With 64 packets the queue of row 22 dropped nothing.

The fresh settings for that are all those of a fifth hypercube (seed 31) that ask for a buffer for several flows: rows 24 to 28, which were run with this line only. A row holds if iperf3 ends without an error, with the least rate
promised or more; the rule was written down before the runs, as the promises were.

"""
BUFFERS = """
## Is a factor of four enough?

The advised socket buffers are four times the window. On Linux 6.18 a byte of window took less, since 1448 bytes of data take 2304 bytes of memory here (a TUN device). A driver that
gives each packet a page takes 4672/1448 = 3.2, and Linux 6.6 to 6.9 reckon with 3.9 at the start of a connection (`TCP_DEFAULT_SCALING_RATIO`): these are from the source text, and were not measured.
"limited" is the greatest share of the time, from the start of the flow on, for which Linux says that it waited for the receiver's window or the send buffer.

"""


def _mbit(value: float) -> str:
    return f"{8e-6 * value:.4g}"


def _path(one: dict) -> str:
    bdp = one["rate"] * one["round_trip_time"] / PACKET
    return f"{text(one['rate'], 'bytes/s')}, {text(one['round_trip_time'], 's')}, {bdp:.0f} packets"


def _question(one: dict) -> str:
    if one["kind"] == "window":
        loss = f"loss {one['loss']:.3g}" if one["loss"] else "no loss"
        return f"window, {one['set_by']}; {loss}, buffer {one['buffer']:g} BDP"
    return f"buffer for {100 * one['share']:.3g} %, {one['flows']} flow{'s' if one['flows'] > 1 else ''}"


def _advice(one: dict) -> str:
    advice = one["advice"]
    if one["kind"] == "buffer":
        return f"{advice['buffer_packets']} packets"
    number = advice["linux_maximum" if one["set_by"] == "limits" else "linux_request"]
    return f"window {advice['window']}, set {number} bytes"


def _delay(one: dict) -> tuple[str, str]:
    if "mean_delay" not in one["promised"]:
        return "-", "-"
    low, high = (1000 * end for end in one["promised"]["mean_delay"])
    return f"{low:.3g} to {high:.3g}", ", ".join(f"{1000 * run['mean_delay']:.3g}" for run in one["seen"])


SECOND, THIRD = 3, 4  # settings of the second and third hypercube that were asked for
SENDERS = {"cubic": "CUBIC", "sack": "Reno", "bbr1": "BBR"}


def row(one: dict) -> str:
    """Return a row of the table."""
    promised = " to ".join(_mbit(end) for end in printed(*one["promised"]["rate"]))
    seen = ", ".join(_mbit(run["rate"]) for run in one["seen"])
    verdict = "yes" if held(one) else "**no**"
    cells = [
        one["name"],
        _path(one),
        SENDERS[one["scheme"]],
        _question(one),
        _advice(one),
        promised,
        seen,
        *_delay(one),
        verdict,
    ]
    return f"| {' | '.join(cells)} |"


def table(rows: list[dict]) -> str:
    """Return the table of some settings."""
    head = "| # | path | sender | question | advice | rate promised [Mbit/s] | seen | mean delay promised [ms] | seen | holds |"
    return "\n".join([head, "| " + " | ".join(["---"] * 10) + " |", *map(row, rows)]) + "\n"


def counts(rows: list[dict]) -> str:
    """Return how many runs and rows hold."""
    runs = [(run, printed(*one["promised"]["rate"])) for one in rows for run in one["seen"]]
    inside = sum(low <= run["rate"] <= high for run, (low, high) in runs)
    good = sum(map(held, rows))
    return f"{good} of {len(rows)} rows hold; of {len(runs)} runs {inside} have a rate in the promised interval.\n\n"


def pasted(rows: list[dict]) -> str:
    """Return the table of the lines that were given to tc."""
    head = "| # | room | line | least rate promised [Mbit/s] | iperf3 [Mbit/s] | of the link |"
    lines = [head, "| " + " | ".join(["---"] * 6) + " |"]
    for one in rows:
        link = one["rate"] * DATA / PACKET
        for key, said in (("pasted_without_room", "none"), ("pasted", "joined"), ("pasted_own", "joined, own")):
            if key in one:
                rate, line = one[key]["rate"], one[key]["line"]
                promised = one if key == "pasted_without_room" else one.get("today", one)
                least = _mbit(promised["promised"]["rate"][0])
                words = [one["name"], said, f"`{line}`", least, _mbit(rate), f"{rate / link:.3f}"]
                lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def buffers(rows: list[dict]) -> str:
    """Return the table of the windows that Linux made of the advised buffers."""
    head = "| # | set | buffer [bytes] | window that was needed | largest window offered | a byte of window took | limited by a buffer |"
    lines = [head, "| " + " | ".join(["---"] * 7) + " |"]
    for one in rows:
        advice = one["advice"]
        size = advice["linux_maximum"] if one["set_by"] == "limits" else 2 * advice["linux_request"]
        largest = max(run["window"] for run in one["seen"])
        limited = max(max(run["rwnd_limited"], run["sndbuf_limited"]) for run in one["seen"])
        words = [
            one["name"],
            one["set_by"],
            size,
            advice["window"],
            largest,
            f"{size / largest:.2f}",
            f"{100 * limited:.2g} %",
        ]
        lines.append(f"| {' | '.join(map(str, words))} |")
    return "\n".join(lines) + "\n"


def latest(one: dict) -> dict:
    """Return a row with the advice of today, its promise and its runs."""
    return {**one, **one.get("today", {}), **one.get("raised", {})}


def summary(rows: list[dict], every: list[dict]) -> str:
    """Return what holds, in short: of the rows, and of those where only a line was run."""
    first = sum(map(held, rows))
    fresh = [held(latest(one)) for one in rows if one["name"] not in LED]
    led = [held(latest(one)) for one in rows if one["name"] in LED]
    changed = ", ".join(one["name"] for one in rows if one["name"] not in LED and ("today" in one or "raised" in one))
    lines = [
        f"**In short.** {len(rows)} settings were drawn, each before anything was run at it, and {first} of {len(rows)} hold with the advice that was given then.\n"
        f"Rows {', '.join(LED[:-1])} and {LED[-1]} led to changes of the advice "
        "(rows 16 and 22 by their pasted lines, their own runs hold).",
        f"**Of the {len(fresh)} settings that led to no change {sum(fresh)} hold with the advice of today**, and so do {sum(led)} of the {len(led)} others, which are not fresh. "
        "Where a change gave one of the "
        f"{len(fresh)} another advice or promise (rows {changed}) it was run again;\nfor the others both were computed again after the last change: the advice is the same, and the runs lie in what is promised now.",
    ]
    own = [one for one in every if one.get("only_line") and "pasted_own" in one]
    kept = sum(one["pasted_own"]["rate"] >= printed(*one["promised"]["rate"])[0] for one in own)
    lines.append(
        f"Apart from these, {len(own)} settings were drawn for the last change of the pasted token bucket, to which row 22 led: {kept} of {len(own)} [hold](#the-pasted-lines)."
    )
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page."""
    every = list(read().values())
    rows = [one for one in every if not one.get("only_line")]
    first, later = rows[:SETTING_COUNT], [one for one in rows[SETTING_COUNT:] if one["seen"]]
    parts = [
        HEAD.replace("{woken}", f"{WOKEN // 1024}").replace("{summary}", summary(rows, every)),
        "## The twelve settings\n\n",
        counts(first),
        table(first),
    ]
    second, third, fourth = later[:SECOND], later[SECOND : SECOND + THIRD], later[SECOND + THIRD :]
    parts += [CHANGES, counts(second), table(second), ROW_14, *([counts(third), table(third)] if third else [NONE])]
    today = [{**one, **one["today"]} for one in rows if one.get("today", {}).get("seen")]
    parts += [TODAY, counts(today), table(today)]
    raised = [{**one, **one["raised"]} for one in rows if one.get("raised", {}).get("seen")]
    parts += [FLOWS, counts(fourth), table(fourth), RAISED, counts(raised), table(raised), PASTED, pasted(every)]
    parts += [BUFFERS, buffers([one for one in rows if one["kind"] == "window"])]
    return "".join(parts)


if __name__ == "__main__":
    (HERE / "advice.md").write_text(page())
