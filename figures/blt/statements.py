"""Kim and Farber's claims that compare networks with different capacities, delays and file sizes."""

from __future__ import annotations

import math
from itertools import pairwise

from figures.blt.measured import at_load as point
from figures.blt.measured import (
    best,
    best_counted,
    ceiling,
    counted_interpretations,
    counted_text,
    gap,
    gaps,
    mapped,
    mean,
    numbers_text,
    point_text,
    power_of_ten,
    scale_text,
    text,
    texts,
)
from figures.blt.scenarios import SETS, Path
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import (
    Arithmetic,
    Difference,
    Estimate,
    Printed,
    Quantity,
    Together,
    difference,
    printed,
)
from longfat.laws import tcp


def faster_than_more_capacity(context: Context) -> Finding:
    """Assess the claim of figure 10: BLT at BW_b = 90 Mbit/s has more power than TCP at 150 Mbit/s."""
    ours, theirs = best(context, "BLT", "reference", 1), best(context, "TCP", "reference", 2)
    return judged(
        Difference((difference(ours, theirs),)),
        f"log10: {text(ours)} and {text(theirs)}",
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


def above_at(name: str, repeats: str = "") -> Assessment:
    """Return the assessment that BLT has more power than TCP at every bottleneck of a set of networks."""

    def assess(context: Context) -> Finding:
        found = gaps(context, name)
        return judged(
            Difference(tuple(found)),
            f"log10 of the ratios: {texts(found)}",
            "buffers of " + ", ".join(f"{one.buffer_packets}" for one in SETS[name]) + " packets",
            scale=scale_text(context, name),
            repeats=repeats,
        )

    return assess


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


def tcp_exceeds_blt(path: Path) -> Assessment:
    """Return the assessment that TCP has more power than BLT at a load of 0.05."""

    def assess(context: Context) -> Finding:
        def excess(label: str) -> Estimate:
            ours, theirs = (point(context, one, path, 0.05)["power"] for one in (label, "BLT"))
            return mapped(lambda x: x - 1.0, mean(ours / theirs))

        found = excess("TCP")
        again = {f"an initial slow-start threshold of {words} packets": excess(label) for words, label in OPEN.items()}
        return judged(
            Difference((found,), interpretations={words: (one,) for words, one in again.items()}),
            f"load 0.05: TCP's power over BLT's, less 1: {text(found)}",
            f"the first slow start overflows the buffer of {path.buffer_packets} packets; this depends on the initial "
            "slow-start threshold, which the paper leaves open: "
            + "; ".join(f"{words}: {text(one)}" for words, one in again.items()),
            scale=point_text(context, path.file),
        )

    return assess


#: "At least one order of magnitude" stands in words; it is taken to be rounded to a tenth, as table 1 is.
ONE_ORDER = Printed("1", 1.0, 0.05, log10=True, bound="at least")


def falls(label: str, number: Printed) -> Assessment:
    """Return the assessment of figure 21: by how much log10 of the power falls from files of 100 kB to 1 MB."""

    def assess(context: Context) -> Finding:
        found = [difference(best(context, label, "reference", k), best(context, label, "1 MB", k)) for k in range(3)]
        return judged(
            Together(tuple(Quantity(number, one) for one in found)),
            f"log10 falls by {texts(found)}",
            "the fall is not one number, it depends on the bandwidth-delay product over the file size: the upper bound "
            "of first-come service (laws.power.first_come_ceiling) falls by "
            + numbers_text([ceiling(a) - ceiling(b) for a, b in zip(SETS["reference"], SETS["1 MB"], strict=True)]),
            scale=scale_text(context, "1 MB"),
        )

    return assess


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
    """Assess figure 26: log10 of throughput over R - D/2 rises more for BLT than for TCP from 100 kB to 10 kB."""
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
        + "; ".join(f"{words}: {text(one, 1)}" for words, one in again.items()),
        scale=f"{scale_text(context)}; interpretations: {counted_text(context)}",
    )
