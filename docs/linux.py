# ruff: noqa: E501 -- lines of tables
"""Page of the comparison with Linux, from stored numbers: ``python -m docs.linux`` writes docs/linux.md."""

from __future__ import annotations

import json
import math
from pathlib import Path

from figures.linux.pictures import CAPTIONS, HEADS, NAME, PART
from longfat.testbed import equivalence, equivalence_report
from tests.benchmarks.linux import read, statements

HERE = Path(__file__).resolve().parent
LINK = HERE.parent / "tests" / "data" / "linux_link.json"

HEAD = """\
# Is the simulator right? Ask Linux

This page is generated from `tests/data/linux.csv` by `python -m docs.linux`; do not edit it. `make testbed` runs every case anew on
Linux and in the simulator; `longfat verify --linux` prints the same table without storing it.

"""

METHOD = """\
Symbols, numbers and simulated packets of this package all come from us. Linux's TCP does not. Here it runs the same scenarios: its
packets cross links that the simulator's own compiled code emulates in real time, so that queueing, drops and delays are the
simulator's, and windows, retransmissions and acknowledgments are Linux's.

The link has 20 Mbit/s and drop tail, packets have 1500 bytes, and the round-trip time is 40 ms where nothing else is said, so that a
bandwidth-delay product is 66.7 packets. The laws have the packet in transmission in the product, 67.7 packets, and not in the buffer. Connections are opened over the empty path before the run. Flows start at random times in the
first second, the same on both sides, and are counted from 5 s to 25 s. Linux is as it ships, but without segmentation offload; the simulator has the parameters of
`longfat.sim.schemes.linux`. Linux's Reno is `sack` here, its BBR is version 1 (`bbr1`).

**The rule of the verdicts.** The accuracy was chosen before the first run: 0.01 of the utilisation, 3 % of the mean queue, 5 % of
the goodput under random loss, 0.1 ms of a transfer time. "agrees": the 95 % confidence interval of the difference between Linux and
simulator lies within the accuracy; "differs": it lies outside; "undecided": neither. Runs of one flow, and runs under random loss, are
compared in pairs with the same starts and the same losses; runs of several flows without random loss diverge, and are compared
as independent samples. "+-" is half the width of the 95 % interval. How many runs of Linux a case has was fixed before the first of them, from the
intervals of earlier runs; eight were planned where four are not enough, and some of these are missing. Twelve cases that were undecided then got 4 to 10 runs more,
once, by the intervals of the first ones; later 17 cases got 4 to 40 more, by theirs, and BBR's at a drop-tail buffer were run anew; last, six cases got 8 to 44 more.
The cases of one BBR flow were then run anew with a stricter rule of trust, twelve runs each, and twelve more at one product by the interval of these; the shares of unequal round-trip times got 24 more.
Cases at a drop-tail buffer with five runs or more, and the runs added last, have the applications in the process of the emulator, see below. The other runs are older.

"""


def table(title, made, law_head="law"):
    """Return the table of a group of statements."""
    lines = [
        f"## {title}\n",
        f"| case | quantity | {law_head} | simulator | Linux (runs) | difference | accuracy | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in made:
        case, quantity, law, simulated, measured, difference, accuracy, verdict = equivalence_report.cells(one)
        name = case.removeprefix(f"{one.case.group}, ")
        mark = f"**{verdict}**" if verdict == "differs" else verdict
        lines.append(
            f"| {name} | {quantity.replace('_', ' ')} [{equivalence.QUANTITIES[quantity][0]}] | {law} | {simulated} | {measured} | "
            f"{difference} | {accuracy} | {mark} |"
        )
    return "\n".join(lines) + "\n"


TITLES = {
    "full link": "One, two and ten flows at a drop-tail buffer",
    "random loss": "Random loss",
    "unloaded transfer": "Transfers over an empty path",
    "share": "Shares of unlike flows",
    "waiting": "Waiting times behind FIFO and CoDel",
    "window": "Windows",
}
RULES = """
## What explains the differences

Each rule was switched, in the simulator or on Linux; the rows are in "Rules switched".

| rule | seen in | switched | what it shows |
| --- | --- | --- | --- |
| windows in whole packets: Linux rounds thresholds and W_max down, and grows by one packet for a window (`tcp_cong_avoid_ai()`) or for `cnt` packets (`bictcp_update()`) acknowledged | one flow | `integer_windows` = 0 here | with fractions the simulator's utilisation is 0.009 +- 0.002 above Linux's (Reno, 0.1 products), its queue 9 +- 2 and 8.7 +- 0.4 % below (CUBIC, 0.25 and 0.5); with whole packets they are within 0.001, and within 0.5 % |
| HyStart: slow start of Linux's CUBIC ends by trains of acknowledgments, too, and at once (`hystart_update()`) | one CUBIC flow | `hystart` = 1 here, which is HyStart++ (RFC 9406) | sawteeth that begin at another time: with HyStart++ the queue is 2.6 +- 0.4, 1.4 +- 1.3 and 2.3 +- 0.3 % shorter on Linux at 0.5, 1 and 2 products, with HyStart the difference is 0.19 +- 0.05, 0.07 +- 0.09 and 0.00 +- 0.04 % |
| single acknowledgments: Linux's receiver acknowledges every packet while its window grows (`tcp_grow_window()`), the first 479 of each connection here; a number that is fitted, and follows from the socket buffers | transfers over an empty path | `quick_acks` = 0 here; `delayed_ack` = 1 here, the route metric `quickack` on Linux | transfers take the time of the law on both sides, within 0.1 ms; without the rule the simulator takes up to 44 ms more, where a lone packet waits. With it, windows and queue of two CUBIC flows are those of Linux within a packet for the first four seconds |
| the handshake: BBR begins with the round-trip time of the handshake (`bbr_init()`), which crosses an empty path here | several BBR flows in large buffers | `handshake_rtt` = 0 here | without it a flow that meets a queue takes that for its path, until it probes: at 2 products the queue of two flows is 8 +- 2 % shorter on Linux, and the utilisation 0.007 lower (two flows) and 0.003 (ten); with it the differences are 0.7 +- 2.0 %, 0.0002 and 0.0009 |
| BBR's margin, allowances and least round-trip time (`tcp_bbr.c`) | BBR | `pacing_margin`, `allowances`, `equal_renews` here | with the rules of 2016 the simulator misses ProbeRTT in small buffers, and its utilisation is 0.023 and 0.017 above Linux's at 0.1 and 0.25 products; with them it is within 0.009 and 0.002 |
| the end of a recovery: the acknowledgment that ends it makes Linux's window grow (`tcp_ack()`) | ten flows in small buffers, random loss of 3 % | `growth_at_exit` = 0 here | where every packet is acknowledged, ten Reno flows at 0.1 to 0.5 products have a queue 14, 13, 7 % longer on Linux without the rule, and 1.1, 0.2, 0.3 % with it and the next one; with delayed acknowledgments 12, 9, 4 % without, and 4.3, 2.6, 0.8 % with it; two Reno flows that lose 3 %: goodput 10 +- 2 % higher on Linux without, 3.4 +- 1.4 % with it |
| the reordering timer: Linux waits 2 ms more, in ticks of 4 ms (`tcp_rack_mark_lost()`) | ten Reno flows, every packet acknowledged | `rack` = 1 here | the timer of RFC 8985 expires before the third selective acknowledgment, flows lose in turns, and the queue is 9, 3.8, 1.3 % shorter than Linux's; with Linux's timer all lose in the same round trip on both sides, each the packet by which its window has grown |
| compressed acknowledgments: while packets are missing, Linux acknowledges those that arrive within 1 ms together | two and ten flows, one BBR flow | `tcp_comp_sack_nr` = 0 on Linux | two flows at 0.5 products: the queue is 4.1 +- 1.2 (CUBIC) and 5.1 +- 2.1 % (Reno) longer on Linux with them, 1.4 +- 1.9 and 2.9 +- 2.5 % without; two CUBIC flows at 0.25: 5 +- 5 and 2 +- 7 %, at 0.1: 9 +- 4 and 4 +- 6 %. One BBR flow at 0.1 and 0.25 carries 0.0087 +- 0.0015 and 0.0016 +- 0.0009 of the link less than the simulator's, without them 0.0015 +- 0.0019 less and the same +- 0.0001. Ten Reno flows at 0.1: 4.3 +- 1.4 and 2.5 +- 3.3 %; ten CUBIC flows there: 2.2 +- 0.6 and 1.3 +- 1.7 %. Where moreover every packet is acknowledged on both sides, queues of two flows at 0.1, 0.25 and 0.5 products are 0.1 +- 2.7, 1.7 +- 1.1 and 1.3 +- 0.9 % (Reno), 2.8 +- 1.1, 1.0 +- 3.1 and 0.4 +- 1.5 % (CUBIC) longer on Linux |
| recoveries that last: where a packet found lost is missing when a recovery ends, Linux begins the next one with the same acknowledgment (`tcp_fastretrans_alert()`), and `tcp_bbr.c` takes both for one | several BBR flows in small buffers | `long_recovery` = 0 here | without the rule each recovery conserves packets for a round trip and restores the window afterwards: the queue of two flows is 6.1 +- 1.2 % (0.1 products) and 5.0 +- 1.5 % (0.25) shorter on Linux, with it 0.9 +- 1.3 and 0.6 +- 1.6 % |
| lateness: Linux sends a packet when its timer has expired and a processor is free. Half of BBR's packets are 0.007 to 0.016 ms later than its pacing, one of ten 0.08 to 0.22 ms and more (`python -m tests.benchmarks.lateness`) | one BBR flow in small buffers | each simulated packet is up to 0.1 ms late, a number that is fitted | with it Linux's queues at the five buffers are longer by 1.0 +- 1.1, -0.6 +- 0.9, 1.7 +- 1.5, 3.8 +- 2.4 and 2.2 +- 1.5 %, without by 4.7 +- 0.7, -3.1 +- 0.7, 0.3 +- 1.7, 2.5 +- 2.4 and 1.0 +- 1.5 %: it explains 0.1 and 0.25 products, and no more. The 4.7 % are 0.05 packets, or 0.03 ms |
| time stamps: Linux measures round-trip times of retransmissions by them, in whole milliseconds (`tcp_rtt_tsopt_us()`): 40 or 41 where data take 40.6, and BBR keeps the 40 (`bbr_update_min_rtt()`) | one BBR flow in a small buffer, several flows | `timestamp_tick` = 0 here; `tcp_timestamps` = 0 on Linux | a product of 40 ms in place of 40.6 overshoots less. One flow at 0.1 products, in 25 s: the queue drops 851 to 853 packets in the simulator with the rule and 848 to 863 on Linux with time stamps (no acknowledgments compressed), 923 to 925 and 912 to 914 without. (That the mean queue is Linux's within 0.4 +- 0.7 % without the rule here is chance: lateness, above, makes up for it.) Several flows: a lower round-trip time also puts off the next probe by 10 s, so that flows may probe one after the other. Here that depends on the handshakes, which take 40 ms in the simulator and 39.89 to 40.03 by Linux's clock. Without time stamps nearly all probe at once on both sides: the utilisation of two flows at 0.25 and 0.5 products is 0.978 in 22 of 24 runs of Linux, where it is 0.978 to 0.990 with them; their queue at 0.5 products is 1.0 +- 1.7 % shorter on Linux, with them 2.6 +- 1.4 %. The utilisation of ten flows at 0.1 products is 0.001 +- 0.001 higher on Linux, with time stamps 0.007 +- 0.004 |
| long-term sampling: BBR keeps the mean rate of two intervals that lose a fifth of the packets (`bbr_lt_bw_sampling()`) | ten BBR flows | `long_term` = 0 here | at 0.1, 0.25 and 0.5 products the queue is 2.7 +- 0.8, 2.1 +- 0.7 and 1.0 +- 0.4 % shorter on Linux without the rule; with it the difference is 0.2 +- 0.9, 0.2 +- 0.7 and 0.1 +- 0.4 % |
| CUBIC's clock: Linux computes the target in ticks of 4 ms, once a tick at most, and not for 1/32 s while the window is the same (`bictcp_update()`) | ten CUBIC flows | `clock_tick` = 0 here | a target with each acknowledgment lets all flows grow and lose together where every packet is acknowledged: the queue is 22 +- 5 % (0.1 products) and 12.6 +- 1.5 % (0.25) longer on Linux without the clock, and 0.0 +- 3.6 and 1.1 +- 1.3 % with it; with delayed acknowledgments 5.8 +- 0.6 % without, 2.2 +- 0.6 % with it, at 0.1 |
| phases of BBR: they end by what will be in flight at the next departure, two packets more while the gain is above 1 (`bbr_packets_in_net_at_edt()`) | one BBR flow | `departures` = 0 here | without the rule each probe goes on for two packets more, which stay in the queue: it is 24 +- 2 (0.5 products), 21 +- 3 (1) and 23 +- 2 % (2) longer than Linux's, and with it 0.3 +- 1.7, 2.5 +- 2.4 and 1.0 +- 1.5 % shorter |

Tried without effect on the rows of Reno: Linux's own form of proportional rate reduction (its divisor is the window, and a packet more leaves only where the
cumulative acknowledgment advances and nothing new is lost), and a single reduction in each recovery, whatever is lost in it.
Compressed acknowledgments, which the simulator cannot have because each of its acknowledgments names one packet, are a part of what is left of Reno and CUBIC in small
buffers. The widest intervals are those of two flows: runs of Linux differ by a quarter there.
Two CUBIC flows at 0.1 products lose in the same round trip or in turns, for many seconds: of the simulated runs 72 % have a mean queue below 1.8 packets, and 18 % above 2.2; of Linux's, which change between the
two more often, 34 and 21 %. With every packet acknowledged nearly all runs have 1.85 to 2.1 packets, on both sides. Not tried: the reordering window that DSACK widens. The slow-start threshold
that TCP_INFO shows of BBR is what it aims to have in flight when Startup ends (`bbr_check_drain()`); nothing depends on it.

## What the method can and cannot do

- The hosts are two network namespaces with a TUN device each, segmentation offload off; `longfat testbed` describes them. A packet with which Linux
  answers a delivery enters the network at the time at which that delivery was due, so that a busy machine changes nothing.
- One process with real-time priority does everything in virtual time: it carries packets, and writes and reads as the applications of both hosts. At
  first another process kept send buffers full and receive buffers empty. It locked a connection while it wrote or read, and where it waited for a
  processor with the lock, all that reached the connection waited too. At a load of eight on two processors, one CUBIC flow at 0.5 products had mean
  queues of 21.9, 12.2 and 16.5 packets then, of which at most 0.009 % were late, and all three runs were accepted; the process that does all gave 21.9
  to 22.1 at the same load. Softirqs that are left to Linux's own threads (ksoftirqd) were looked for, by a call after each packet that runs them: for
  Reno and CUBIC there were none, for ten BBR flows 0.7 % of the packets.
- A receiver whose application could read as much as it has asked for (SO_RCVLOWAT) leaves acknowledgments to the reader, if the window would shrink
  (`__tcp_ack_snd_check()`). Where the reader came 20 ms later, the link fell idle for some milliseconds each 2.9 s. Now the size asked for is never reached.
- Virtual time stands still while the machine does. Without that, an answer to a late packet would come back in less than the round-trip time of the
  path, and BBR would keep that: 36 and 28 ms were seen in place of 40.
- **The rule of trust.** A run is repeated, and never counted, if the network stood still for more than 10 ms at once or for more than 1 % of the time, if
  more than 1 % of its packets were later than 2 ms, if a connection waited for its applications for 1 % of the time, or if a device dropped a packet.
  The longest pause is what decides: one of a second is a single late packet, but meanwhile all of Linux's timers expire. Ten milliseconds are a
  quarter of the round-trip time here, the least window of reordering. Of the first 169 runs of this rule, on two processors at loads of 3 to 21, 13 were
  refused: one stood still for 1.1 % of the time, the others for 11 ms to 0.97 s at once. In none of them more than 0.034 % of the packets were later than
  2 ms, the only rule that there was before. In those accepted 99 % of the packets left within 0.27 ms, and the network stood still for up to 0.7 % of the time.
- With a sender that is paced by the clock (BBR) the network may stand still for 0.2 % of the time only. Linux's clocks go on meanwhile, and what BBR sends
  waits in the queue. Before this limit one flow at 2 products had a queue of 5.8 to 5.9 packets where the network stood still for less than 0.2 % of the time, 5.8 to 6.5 with 0.2 to 0.4 %,
  and 6.7 to 9.4 where four runs went on at once; the simulator has 5.75, and the runs with the limit 5.7 to 6.2. Of 112 attempts at one flow, two at once, 32 were refused. The runs of two and ten
  BBR flows are older than this limit. Presumably not every pause counts: while the whole machine stands still, Linux sends nothing.
- Socket buffers hold 16 times what may be in flight, at least 16 MB, but all of a run an eighth of the memory with which Linux's TCP is content (`tcp_mem`).
  What connections have not sent is forgotten when they are closed. It was not at first: Linux tried to send it for minutes, the memory ran short, and
  in the runs of ten BBR flows that followed, windows and buffers were shrunk in 10 to 40 % of the time. They were refused, as they should be.
"""


def laws(made):
    """Return the sentence that names the laws of the tables."""
    names = sorted({one.law_name for one in made if not math.isnan(one.law)})
    return f"Laws in the tables: {', '.join(f'`{name}`' for name in names)}.\n" if names else ""


def followed():
    """Return how many of the stored windows of the picture are Linux's within a packet."""
    windows = PART.kept()[NAME].window_trace
    apart = abs(windows.sel(face="simulator") - windows.sel(face="Linux"))
    shares = [
        f"{100 * float((apart.sel(column=head) <= 1).mean()):.1f} % ({head.partition(',')[0]})" for head in HEADS[:2]
    ]
    return f"Sampled each 50 ms, {' and '.join(shares)} of the simulator's windows are Linux's within a packet."


def link():
    """Return the section on the emulated link, from the figures of `tests.testbed.real_time`."""
    lines = [
        "## How exact the emulated link is\n",
        "Pings and UDP packets of 1000 bytes over a link of 5 ms each way, in real time on an idle machine: each packet is compared with an",
        "ideal FIFO that is told when it entered. The rate is that of packets at the receiving process, without the time for which the",
        "network stood still. One run each, by `python -m tests.testbed.real_time tun MBIT/S PACKETS store`.\n",
        "| rate | packets | dropped | unlike the ideal FIFO | round trip beyond the ideal, median, 95 % | written late by, median, 99 %, most | stood still | error of the rate |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in json.loads(LINK.read_text()).items():
        trip, late = one["round trip beyond the ideal [us]"], one["lateness [us]"]
        lines.append(
            f"| {name.split()[1]} Mbit/s | {one['packets']} | {one['dropped']} | {one['unlike the ideal FIFO']} | "
            f"{trip['0.5']:.0f}, {trip['0.95']:.0f} us | {late['0.5']:.0f}, {late['0.99']:.0f}, {late['1.0']:.0f} us | "
            f"{one['stood still [us]']:.0f} us | {one['rate error']:.1e} |"
        )
    return "\n".join(lines) + "\n\n"


def page():
    """Return the page."""
    made = statements(read())
    parts = [HEAD, METHOD, equivalence_report.summary(made) + "\n\n", laws(made) + "\n"]
    for group, title in TITLES.items():
        if some := [one for one in made if one.case.group == group and not one.case.rules]:
            parts.append(table(title, some) + "\n")
    if some := [one for one in made if one.case.rules]:
        parts.append(table("Rules switched", some) + "\n")
    parts.append(f"![{CAPTIONS[NAME]}](../figures/linux/{NAME}.png)\n\n{followed()}\n")
    return "".join(parts).rstrip("\n") + "\n" + RULES + "\n" + link().rstrip("\n") + "\n"


if __name__ == "__main__":
    (HERE / "linux.md").write_text(page())
