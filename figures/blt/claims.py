"""Assessments of every claim of Kim and Farber (BLT); here: arithmetic, and comparisons of different networks."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

from figures.blt import bursts, table_1, under_load
from figures.blt.networks import SETS, Path
from figures.blt.runs import at_load, counted_text, point_text, scale_text
from figures.blt.table_1 import (
    best,
    best_counted,
    ceiling,
    counted_interpretations,
    gap,
    gaps,
    numbers_text,
    power_of_ten,
)  # fmt: skip
from figures.claims import Assessment, Context, Finding, arithmetic, given, judged
from figures.rule import (
    Arithmetic,
    Declared,
    Difference,
    Estimate,
    Formula,
    Printed,
    Quantity,
    Together,
    difference,
    mean,
    printed,
    texts,
)  # fmt: skip
from longfat.laws import blt as laws
from longfat.laws import tcp
from longfat.sim import schemes


def _encodable(_: Context) -> Finding:
    sums = {bits: sum(2**k for k in range(2**bits)) for bits in range(6)}
    error = max(abs(float(laws.packets_encodable(bits)) / value - 1) for bits, value in sums.items())
    return judged(Formula(error), f"{sums[4]}, one less than the 64K that the paper prints beside it")


def _consecutive(_: Context) -> Finding:
    pairs = [(float(laws.packets_in_windows(k + 1)), float(laws.window_size(k + 1)) - 1) for k in range(20)]
    return judged(Formula(max(abs(a / b - 1) for a, b in pairs)), "1 + 2 + ... + 2^k = 2^(k + 1) - 1")


BUFFER = 30e6 * 1e-3 / 3 / 8 / 500  # packets: the product of 30 Mbit/s and the round trip of one link at D = 1 ms
QUOTED = given("measured elsewhere, quoted")


def _decbit(_: Context) -> Finding:
    """Assess section 2.1: the constants of DECbit, quoted from Ramakrishnan and Jain, are those of our scheme."""
    given = schemes.scheme("decbit").parameters
    share, decrease, increase = (given[name].default for name in ("threshold", "decrease", "increase"))
    return judged(Declared("input"), f"quoted; our scheme has {share:.0%}, {decrease:g} and {increase:g}")


def faster_than_more_capacity(context: Context) -> Finding:
    """Assess the claim of figure 10: BLT at BW_b = 90 Mbit/s has more power than TCP at 150 Mbit/s."""
    ours, theirs = best(context, "BLT", "reference", 1), best(context, "TCP", "reference", 2)
    return judged(
        Difference((difference(ours, theirs),)),
        f"log10: {ours.text()} and {theirs.text()}",
        scale=scale_text(context),
    )


def shorter_is_better(context: Context) -> Finding:
    """Assess the claim of figure 15: both schemes have more power at a round trip of 3 ms than of 30 ms."""
    rises = [
        difference(best(context, label, "3 ms", k), best(context, label, "reference", k))
        for label in ("BLT", "TCP") for k in range(3)
    ]  # fmt: skip
    return judged(
        Difference(tuple(rises)),
        f"log10 increases by {texts(rises)} (BLT, then TCP)",
        "the buffers are ten times smaller, too",
        scale=scale_text(context, "3 ms"),
    )


def narrower(context: Context) -> Finding:
    """Assess figure 15: at 3 ms BLT's lead over TCP (log10) is smaller than at 30 ms and grows with BW_b."""
    near, far = gaps(context, "3 ms"), gaps(context, "reference")
    narrowed = [difference(b, a) for a, b in zip(near, far, strict=True)]
    growing = [difference(b, a) for a, b in pairwise(near)]
    return judged(
        Difference((*near, *narrowed, *growing)),
        f"log10 of the ratios, 3 ms: {texts(near)}; 30 ms: {texts(far)}",
        f"BLT is ahead at 3 ms; the gap is smaller by {texts(narrowed)}",
        scale=scale_text(context, "3 ms"),
    )


def above_at(name: str, context: Context, repeats: str = "") -> Finding:
    """Assess the claim that BLT has more power than TCP at every bottleneck of a set of networks."""
    found = gaps(context, name)
    return judged(
        Difference(tuple(found)),
        f"log10 of the ratios: {texts(found)}",
        "buffers of " + ", ".join(f"{one.buffer_packets}" for one in SETS[name]) + " packets",
        scale=scale_text(context, name),
        repeats=repeats,
    )


def shorter_still(context: Context) -> Finding:
    """Assess figures 15 and 17: at 1.8 ms the power is above that at 3 ms, which only shows as BW_b approaches BW_N."""
    rises = {
        label: [difference(best(context, label, "1.8 ms", k), best(context, label, "3 ms", k)) for k in range(3)]
        for label in ("BLT", "TCP")
    }
    return judged(
        Difference(tuple(part for one in rises.values() for part in (one[2], difference(one[2], one[0])))),
        "log10 of the power at 1.8 ms less at 3 ms, at 30, 90 and 150 Mbit/s: "
        + "; ".join(f"{label} {texts(one)}" for label, one in rises.items()),
        "the buffers are smaller, too", scale=scale_text(context, "1.8 ms"),
    )  # fmt: skip


def narrower_still(context: Context) -> Finding:
    """Assess figures 15 and 17: BLT's lead over TCP (log10) is smaller at 1.8 ms than at 3 ms."""
    found = [difference(a, b) for a, b in zip(gaps(context, "3 ms"), gaps(context, "1.8 ms"), strict=True)]
    return judged(
        Difference(tuple(found)), f"log10 of the lead at 3 ms less at 1.8 ms, at 30, 90 and 150 Mbit/s: {texts(found)}",
        "it is not smaller at every bottleneck", scale=scale_text(context, "1.8 ms"),
    )  # fmt: skip


def two_orders(context: Context) -> Finding:
    """Assess figures 15 and 19: powers at 15 Mbit/s and 30 ms are 100 times lower than at 150 Mbit/s and 3 ms.

    Both networks carry the same packets in the same pattern, the second at ten times the speed, and the power has the
    unit bytes/s^2: the claim is arithmetic.
    """
    falls = [
        difference(best(context, label, "3 ms", k), best(context, label, "15 Mbit/s", k))
        for label in ("BLT", "TCP") for k in range(3)
    ]  # fmt: skip
    return judged(
        Arithmetic(printed("2"), math.log10((150 / 15) * (30 / 3))),
        f"log10 (10 x 10); in runs log10 falls by {texts(falls)} (BLT, then TCP), because the clock of the "
        "retransmission timer is not scaled",
        scale=scale_text(context, "15 Mbit/s"),
    )


#: Initial slow-start thresholds, which the paper leaves open: a few packets, 64, and the 65535 bytes of 4.3BSD.
OPEN = {"8": "TCP, slow start to 8", "20": "TCP, slow start to 20", "64": "TCP, slow start to 64",
        "131": "TCP, slow start to 131"}  # fmt: skip


def tcp_exceeds_blt(path: Path, context: Context) -> Finding:
    """Assess the claim that TCP has more power than BLT at a load of 0.05."""

    def excess(label: str) -> Estimate:
        ours, theirs = (at_load(context, one, path, 0.05)["power"] for one in (label, "BLT"))
        return (mean(ours / theirs)).mapped(lambda x: x - 1.0)

    found = excess("TCP")
    again = {f"an initial slow-start threshold of {words} packets": excess(label) for words, label in OPEN.items()}
    return judged(
        Difference((found,), interpretations={words: (one,) for words, one in again.items()}),
        f"load 0.05: TCP's power over BLT's, less 1: {found.text()}",
        f"the first slow start overflows the buffer of {path.buffer_packets} packets; this depends on the initial "
        "slow-start threshold, which the paper leaves open: "
        + "; ".join(f"{words}: {one.text()}" for words, one in again.items()),
        scale=point_text(context, path.file),
    )


#: "At least one order of magnitude" stands in words; it is taken to be rounded to a tenth, as table 1 is.
ONE_ORDER = Printed("1", 1.0, 0.05, log10=True, bound="at least")


def falls(label: str, number: Printed, context: Context) -> Finding:
    """Assess figure 21: the decrease of log10 of the power from files of 100 kB to files of 1 MB."""
    found = [difference(best(context, label, "reference", k), best(context, label, "1 MB", k)) for k in range(3)]
    return judged(
        Together(tuple(Quantity(number, one) for one in found)),
        f"log10 falls by {texts(found)}",
        "the fall is not one number, it depends on the bandwidth-delay product over the file size: the upper bound "
        "of first-come service (laws.power.first_come_ceiling) falls by "
        + numbers_text([ceiling(a) - ceiling(b) for a, b in zip(SETS["reference"], SETS["1 MB"], strict=True)]),
        scale=scale_text(context, "1 MB"),
    )


def widens_with_1_mb(context: Context) -> Finding:
    """Assess the claim of figure 23: with files of 1 MB the gap is wider at 1 Gbit/s than at 150 Mbit/s."""
    slow, fast = gaps(context, "1 MB"), gaps(context, "1 MB, 1 Gbit/s")
    wider = [difference(b, a) for a, b in zip(slow, fast, strict=True)]
    return judged(
        Difference(tuple(wider)),
        f"log10 of the ratios, 150 Mbit/s: {texts(slow)}; 1 Gbit/s: {texts(fast)}; wider by {texts(wider)}",
        "at 150 Mbit/s BLT is as far ahead where its bursts fit the buffer",
        scale=scale_text(context, "1 MB, 1 Gbit/s"),
    )


def small_files(context: Context) -> Finding:
    """Assess figure 26: without the way back of acknowledgments, BLT's power rises more than TCP's with smaller files.

    The files have 100 kB and 10 kB; the power is the throughput over the response time less half of a round trip.
    """
    what = "power_without_ack"
    more = [difference(gap(context, "10 kB", k, what), gap(context, "reference", k, what)) for k in range(3)]
    rises = {
        label: numbers_text(
            best(context, label, "10 kB", k, what).value - best(context, label, "reference", k, what).value
            for k in range(3)
        )
        for label in ("BLT", "TCP")
    }
    return judged(
        Difference(tuple(more)),
        f"BLT {rises['BLT']}, TCP {rises['TCP']}; differences {texts(more)}",
        "at BW_b = 150 BLT's burst fits the buffer, so its time hardly depends on the file size (R - D/2 = 20 ms for "
        "100 kB, 16 ms for 10 kB), while TCP takes 5 round trips instead of 8",
        scale=scale_text(context, "10 kB"),
    )


def least_round_trips(_: Context) -> Finding:
    """Assess section 4.2.5: TCP needs at least 4 round trips for a file of 20 packets."""
    rounds = float(tcp.slow_start_rounds(20))
    return judged(
        Quantity(printed("4", bound="at least"), Estimate(rounds)),
        f"{rounds:.0f} round trips of slow start, with 1, 2, 4, 8 and 5 packets; four carry 15 of 20",
        "slow start is faster",
    )


def about_ten(context: Context) -> Finding:
    """Assess section 5.1: BLT has about ten times the power of TCP, over all networks with files of 100 kB."""
    names = ("reference", "1 Gbit/s", "3 ms", "1.8 ms")
    found = {name: [power_of_ten(one) for one in gaps(context, name)] for name in names}
    flat = [one for row in found.values() for one in row]
    again = counted_interpretations(
        "TCP", lambda tcp: power_of_ten(difference(best_counted(context, "BLT", "1 Gbit/s", 2),
                                                   best_counted(context, tcp, "1 Gbit/s", 2))))  # fmt: skip
    values = [one.value for one in flat]
    return judged(
        Together(tuple(Quantity(printed("10"), one) for one in flat)),
        "; ".join(f"{name}: {texts(row, 1)}" for name, row in found.items()),
        f"BLT is ahead on every path, but by factors of {min(values):.1f} to {max(values):.1f}: without losses the "
        "factor is about 8, the number of slow-start round trips for 200 packets; at 1 Gbit/s "
        + "; ".join(f"{words}: {one.text(1)}" for words, one in again.items()),
        scale=f"{scale_text(context)}; interpretations: {counted_text(context)}",
    )


ASSESSMENTS: dict[str, Assessment] = {
    "BDP beyond which BLT beats TCP by far (AURORA-size net; 150 Mbps link)": table_1.far_at_60_kb,
    "BLT/TCP network power ratio at best": table_1.at_best,
    "mean wait for a coarse retransmission timer": arithmetic("500 ms / 2", ("250", 500 / 2)),
    "windows encodable with pi=4 priority bits: packets covered": _encodable,
    "consecutive windows W_k sum to |W_{k+1}|-1": _consecutive,
    "bottleneck utilisation with BLT is lower than with TCP": under_load.lower_utilisation,
    "BLT speedup over TCP in response time R": under_load.speedup,
    "TCP response time diverges at lambda about": partial(under_load.diverges, "TCP", "20"),
    "BLT response time does not diverge until lambda": partial(under_load.diverges, "BLT", "35"),
    "TCP queue shows global synchronisation; BLT does not": under_load.synchronisation,
    "BLT throughput above TCP especially at large lambda": under_load.more_throughput,
    "max power ratio BLT/TCP at BW_b=30": partial(table_1.ratio, 0, "3"),
    "max power ratio BLT/TCP at BW_b=90": partial(table_1.ratio, 1, "6"),
    "max power ratio BLT/TCP at BW_b=150": partial(table_1.ratio, 2, "10"),
    "BLT power at BW_b=90 exceeds TCP power at BW_b=150": faster_than_more_capacity,
    "fairness: BLT better than TCP at BW_b=30 and 150 (esp. high load)": partial(
        under_load.fairer, "reference", (0, 2), 1
    ),
    "fairness: TCP better than BLT at BW_b=90": partial(under_load.fairer, "reference", (1,), -1),
    "best fairness at the lowest load": under_load.fairest_when_empty,
    **{
        f"increase of log10 max power {label}, BW_N 150->1000, BW_b={mbit}": partial(
            table_1.increase,
            label,
            k,
            repeats=f"table 1, {label}, BW_b/BW_N = {table_1.RATIO_NAMES[k]}: increase from 150 Mbit/s to 1 Gbit/s",
        )
        for label in ("BLT", "TCP")
        for k, mbit in enumerate((200, 600, 1000))
    },
    "delta log P_m(BLT) - delta log P_m(TCP) at least": table_1.widening,
    "power gap widened by a further factor": table_1.widening_factor,
    "fairness at 1 Gbps: TCP comparable only at BW_b=200; BLT better as BW_b grows": partial(
        under_load.fairer, "1 Gbit/s", (1, 2), 1, loads=under_load.FAST_LOADS
    ),
    "BDP of reference network": arithmetic("0.5625 MB", ("0.6", 150e6 / 8 * 0.03 / 1e6)),
    "BDP of faster network": arithmetic("3.75 MB", ("4", 1e9 / 8 * 0.03 / 1e6)),
    "power larger at D=3 ms than at D=30 ms for both schemes": shorter_is_better,
    "gap BLT-TCP narrower at D=3 ms; still BLT above TCP; gap grows with BW_b": narrower,
    "BDP at D=1.8 ms": arithmetic("33.75 KB", ("35", 150e6 / 8 * 1.8e-3 / 1e3)),
    "BLT still above TCP at D=1.8 ms": partial(above_at, "1.8 ms"),
    "buffer at S1 when D=1 ms": arithmetic(
        f"{BUFFER:.1f} by the round trip of one link; by its delay it would be {BUFFER / 2:.2f}",
        (printed("2", bound="at least"), BUFFER),
        (printed("3", bound="at most"), BUFFER),
    ),
    "power at BW_N=15,D=30 lower than at BW_N=150,D=3 by about": two_orders,
    "TCP power slightly above BLT at low lambda": partial(tcp_exceeds_blt, SETS["15 Mbit/s"][0]),
    "BLT max power falls with F 100KB->1MB by at least": partial(falls, "BLT", ONE_ORDER),
    "TCP max power falls with F 100KB->1MB by about": partial(falls, "TCP", printed("0.5", log10=True)),
    "TCP can beat BLT at low lambda with F=1MB": partial(tcp_exceeds_blt, SETS["1 MB"][0]),
    "power gap widens again at BW_N=1 Gbps with F=1MB": widens_with_1_mb,
    "transmission time of a 20-packet (10KB) file": arithmetic(
        "0.533 ms", (printed("1", bound="at most"), 20 * 500 * 8 / 150e6 * 1e3)
    ),
    "ACK travel time": arithmetic("30 ms / 2", ("15", 30 / 2)),
    "TCP needs for 10KB at least": least_round_trips,
    "delta log P_m(BLT) >= delta log P_m(TCP) when F 100KB->10KB and ACK overhead discounted": small_files,
    "Bully-Tyrant power nearly reaches BLT and well exceeds TCP at small lambda": under_load.bully_power,
    "Bully-Tyrant meltdown at lower lambda than BLT": under_load.bully_melts,
    "Bully-Tyrant has the lowest fairness of TCP/BT/BLT": under_load.bully_fairness,
    "system throughput BLT at max power": partial(table_1.gigabit, "BLT", "throughput", "605"),
    "system throughput TCP at max power": partial(table_1.gigabit, "TCP", "throughput", "318"),
    "response time BLT at max power": partial(table_1.gigabit, "BLT", "response_time", "0.032"),
    "response time TCP at max power": partial(table_1.gigabit, "TCP", "response_time", "0.2894"),
    "throughput ratio": partial(table_1.gigabit_ratio, "throughput", "2"),
    "response time ratio": partial(table_1.gigabit_ratio, "response_time", "9"),
    "power ratio": partial(table_1.gigabit_ratio, "power", "17"),
    "mean throughput of one TCP connection F/R": arithmetic("2.764", ("2.8", 0.8 / 0.2894)),
    "mean outstanding TCP connections": arithmetic(
        "Little's law: 318e6/8e5 x 0.2894 = 115.0", ("115", 318e6 / 8e5 * 0.2894)
    ),
    "mean outstanding BLT connections": arithmetic("900/s x 0.032 s = 28.8", ("29", 900 * 0.032)),
    "mean throughput of one BLT connection": arithmetic("605/29 = 20.86", ("20.8", 605 / 29)),
    "implied BLT response time": arithmetic("0.8/20.8 = 0.03846", ("0.0385", 0.8 / 20.8)),
    "corrected BLT system throughput": arithmetic("29 x 0.8/0.032 = 725", ("725", 29 * 0.8 / 0.032)),
    "lambda giving BLT max power": table_1.best_arrivals,
    "smallest BDP tested, BLT still ahead": partial(above_at, "1.8 ms", repeats="BLT still above TCP at D=1.8 ms"),
    "Vegas throughput gain over Reno (cited)": given("quoted", "quoted from Brakmo et al., not simulated here"),
    "distance of 1.8 ms": arithmetic(
        "0.9 ms at the speed of light, 299792 km/s, are 269.8 km or 167.7 miles",
        ("170", 0.9e-3 * 299_792.458 / 1.609_344),
    ),
    "mean round trip between AURORA's nodes": QUOTED,
    "3 ms over AURORA's mean round trip: almost": arithmetic(
        "3/1.55 = 1.94", (printed("2", bound="at most"), 3 / 1.55)
    ),
    "power at D=1.8 ms above that at 3 ms, visible only as BW_b approaches BW_N": shorter_still,
    "gap between the powers slightly smaller at D=1.8 ms than at 3 ms": narrower_still,
    "DECbit: share of marks, decrease, increase": _decbit,
    "interactive conversations that send as much as the average bulk transfer": QUOTED,
    "interactive conversations that send less than 10 kB, and for how long": QUOTED,
    "bulk transfers of less than 10 kB; almost all less than 1 MB": QUOTED,
    "growth of www in connections and in volume; until it surpasses ftpdata": QUOTED,
    "BLT outperforms TCP by approximately": about_ten,
    **{
        f"table 1, {label}, BW_b/BW_N = {ratio}, BW_N = {words}: log10 of the greatest power": partial(
            table_1.cell, label, name, k
        )
        for label in ("BLT", "TCP")
        for k, ratio in enumerate(table_1.RATIO_NAMES)
        for name, words in (("reference", "150 Mbit/s"), ("1 Gbit/s", "1 Gbit/s"))
    },
    **{
        f"table 1, {label}, BW_b/BW_N = {ratio}: increase from 150 Mbit/s to 1 Gbit/s": partial(
            table_1.increase, label, k
        )
        for label in ("BLT", "TCP")
        for k, ratio in enumerate(table_1.RATIO_NAMES)
    },
    **under_load.LATER,
    "ECN helps in a LAN and gives no significant advantage in a wide area": bursts.ecn,
    "longer bursts are punished when a new stream comes on": bursts.punished,
    "packets that arrive out of order can make BLT's transmission faster": bursts.out_of_order,
}
