"""Assessments of every claim of Welzl (CADPC); those that compare it with other schemes are in ``comparisons``.

Where a claim has no number, its function states the criterion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from figures.cadpc import beyond, comparisons, further, networks, runs
from figures.cadpc.networks import BIG_BUFFER, CAPACITY, MBIT, PERIOD, TCP
from figures.cadpc.runs import MANY, NEGLIGIBLE, at, each, exactly, late, measured, percent, scale, sweep, words
from figures.claims import Assessment, Context, Finding, arithmetic, given, judged
from figures.rule import (
    Arithmetic,
    Declared,
    Difference,
    Estimate,
    Formula,
    Printed,
    Quantity,
    Spread,
    Statement,
    Together,
    mean,
    printed,
)  # fmt: skip
from longfat.laws import cadpc as laws
from longfat.laws.fair_share import max_min_rates

USERS = (1, 2, 10, 50, 100)
SMALL = 10.0  # mean queue length [packets], a fifth of the buffer
ALMOST_PERFECT = 0.99  # Jain's index
FIRST_RATE = "first rate of a packet in four round trips, which the paper leaves open"
NOISE = 0.01  # loss probability of every packet at the bottleneck
SMALLER = 0.8  # target over the capacity


def _iterated(n: int, start: float = 0.001, updates: int = 200) -> float:
    """Iterate equation (2), without using the law; return the rate it reaches."""
    x = start
    for _ in range(updates):
        x *= 2 - x - n * x
    return x


def _rate(_: Context) -> Finding:
    gaps = [abs(_iterated(n) * (1 + n) - 1) for n in USERS]
    gaps += [abs(float(laws.equilibrium_rate(n)) * (1 + n) - 1) for n in USERS]
    return judged(Formula(max(gaps)), f"equation (2) iterated and the law agree with it within {max(*gaps, 1e-16):.0e}")


def _unstable(_: Context) -> Finding:
    """Assess section II.B: from an arbitrarily small rate, equation (2) moves away from 0 to 1/(1 + n)."""
    growth = float(laws.step(1e-9, 10 * 1e-9)) / 1e-9
    reached = [_iterated(10, start) * 11 for start in (1e-3, 1e-9, 1e-15)]
    return judged(
        Statement(
            growth > 1 and all(abs(one - 1) < 1e-9 for one in reached) and _iterated(10, 0.0) == 0,
            "0 is a fixed point, and small rates leave it for 1/(1 + n)",
        ),
        f"rates near zero grow {growth:.2f} times with every update, a = 1, and end at 1/(1 + n)",
    )


def equal(text: str) -> Printed:
    """Return the ratio 1 of the largest to the smallest of equal rates, within 1 %: a line's width in a figure."""
    return Printed(text, 1.0, 0.01)


def competitors_late(context: Context, flows: int) -> dict[str, Estimate]:
    """Return the throughput of TCP's flavours, and of XCP with its larger buffer, in the second half of a run."""
    found = {label: late(context, label, flows) for label in TCP}
    found["XCP"] = late(context, "XCP", flows, buffer=BIG_BUFFER)
    return {label: mean(one["throughput"]) for label, one in found.items()}


def request_size(_: Context) -> Finding:
    """Measure the size of a request: 32 bytes and 16 more from each router (section III).

    Nothing but the first request is sent within 0.25 s.
    """
    data = runs.observe(networks.dumbbell("CADPC", 1), duration=0.25, replications=1)[0]
    sizes = [round(0.25 * float(data.throughput.sel(link=link))) for link in ("s-a", "a-b", "b-d")]
    return judged(Declared("input"), f"{sizes[0]}, {sizes[1]}, {sizes[2]} bytes behind routers 1, 2, 3")


def round_trip(context: Context) -> Finding:
    """Assess the round-trip time without queueing, 300 ms (section III): arithmetic, and a request measures it."""
    data = runs.observe(networks.dumbbell("CADPC", 1), duration=20, sample_every=1, replications=1, rng=context.seed)
    seen = 1e3 * float(data[0].srtt_trace.isel(time=-1)[0])
    return judged(Arithmetic(printed("300"), 6 * 50), f"6 x 50 ms = 300 ms; requests measure {seen:.1f} ms")


def totals(context: Context) -> Finding:
    """Assess equation (3), section II.B: the total rate is n/(n + 1), by the law and simulated."""
    parts, text, numbers = [], [], (1, 2, 10, 50, 100)
    for n in numbers:
        seen = mean(late(context, "CADPC", n)["throughput"])
        parts.append(Quantity(exactly("n/(n+1)", n / (n + 1)), seen, others=competitors_late(context, n)))
        text.append(f"{n}: {words(seen)}")
    error = max(abs(float(laws.equilibrium_traffic(n)) * (n + 1) / n - 1) for n in numbers)
    return judged(
        Together((Formula(error), *parts)), "simulated, n = " + ", ".join(text),
        "with 100 flows the start takes longer than 80 s", scale=scale(context),
    )  # fmt: skip


def ten(context: Context) -> Finding:
    """Assess section II.B: with ten users the total is very close to the capacity."""
    others = {f"{n} user{'s' * (n > 1)}": mean(late(context, "CADPC", n)["throughput"]) for n in (1, 2, 5)}
    seen = mean(late(context, "CADPC", 10)["throughput"])
    return judged(
        Quantity(exactly("capacity", 1.0), seen, others=others), f"{words(seen)} of the capacity", scale=scale(context)
    )


def round_trips(context: Context) -> Finding:
    """Assess section II.B: rates are equal with unequal round trips, and convergence takes equally long with each.

    Convergence takes the time until the mean rate of ten flows stays within 10 % of 1/11, in steps of a round trip.
    """

    def seconds(delay: float, first_rate: float = 0.25) -> np.ndarray:
        net = networks.dumbbell("CADPC", 10, link_delay=delay, parameters=(("first_rate", first_rate),))
        seen = each(context, net, 960 * delay, every=6 * delay)
        return np.array([runs.converged_after(one, CAPACITY / 11, bin=6 * delay) for one in seen])

    delays = (0.01, 0.05, 0.2)
    time = {delay: seconds(delay) for delay in delays}
    same = {delay: seconds(delay, 25 * delay) for delay in delays}  # first rate of 4167 bytes/s
    slower = mean(time[0.2] / time[0.01])
    alike = mean([runs.ratio(one, 100) for one in each(context, networks.unequal_round_trips(), 400, every=1.0)])

    def listed(found: dict[float, np.ndarray], updates: bool) -> str:
        return ", ".join(f"{one.mean() / (24 * delay if updates else 1):.1f}" for delay, one in found.items())

    return judged(
        Together((
            Quantity(exactly("independent", 1.0), slower,
                     interpretations={"counted in updates": mean(time[0.2] / 20 / time[0.01])}),
            Quantity(equal("stable"), alike),
        )),
        f"round trips 60, 300, 1200 ms: within 10 % after {listed(time, False)} s, which are {listed(time, True)} "
        f"updates; from the same first rate in bytes/s {listed(same, True)} updates; flows with 220 to 580 ms "
        f"together: largest over smallest rate {words(alike)}",
        "the flows are stable and fair with unequal round trips, as claimed, but an update takes four round trips, so "
        "the convergence time in seconds is proportional to the round-trip time",
        scale=f"{runs.replications(context)} runs of 160 updates, or of 400 s, seed {context.seed}",
    )  # fmt: skip


def staggered(context: Context) -> Finding:
    """Assess figure 2, left: ten flows that start 10 s apart have equal rates 310 to 400 s later.

    The paper prints neither the time between starts nor the number of flows that a starting flow acts like.
    """

    def runs_of(label: str, **more: float) -> list[Any]:
        net = networks.dumbbell(label, 10, stagger=10.0, parameters=tuple(more.items()))
        return each(context, net, 400, every=1.2)

    def last(seen: list[Any]) -> float:
        return float(np.mean([runs.converged_after(one.isel(flow=[9]), CAPACITY / 11) for one in seen])) - 90

    found = {label: runs_of(label) for label in ("CADPC", *TCP)}
    ends = {label: mean([runs.ratio(one, 50) for one in seen]) for label, seen in found.items()}
    eager = {m: last(runs_of("CADPC", eagerness=m)) for m in (5.0, 10.0)}
    ours = ends.pop("CADPC")
    time = last(found["CADPC"])
    return judged(
        Quantity(equal("same rate"), ours, others=ends),
        f"largest over smallest rate, 350 to 400 s: {words(ours)}; the tenth flow is within 10 % of its share "
        f"{time:.0f} s ({time / PERIOD:.0f} updates) after its start, "
        + ", ".join(f"{time:.0f} s if it acts like {m:g} flows at first instead of two" for m, time in eager.items()),
        scale=scale(context, 400),
    )


def periods(context: Context) -> Finding:
    """Assess figure 2, right: flows with unequal update periods reach equal rates.

    Table I has a duration for long-term simulations only, those with 100 flows; the figure has ten.
    """
    seen = each(context, networks.unequal_periods(True), 1600, every=2.0)
    times = (160, 320, 800, 1600)
    ratios = {time: mean([runs.ratio(one, 40, time) for one in seen]) for time in times}
    eager = each(context, networks.unequal_periods(True, eagerness=10.0), 160, every=2.0)
    faster = mean([runs.ratio(one, 40) for one in eager])
    spread = Spread(ratios[1600].low, ratios[160].high, "the 40 s before 1600 s and before 160 s")
    return judged(
        Quantity(equal("equal rates"), ratios[1600], spread=spread),
        "largest over smallest rate, " + ", ".join(f"{words(ratios[time])} at {time} s" for time in times)
        + f"; {words(faster)} at 160 s if flows act like ten at first instead of two",
        "rates become equal, as claimed, but 160 s hold only 13 updates of the slowest flow; the paper does not print "
        "for how long the figure runs",
        scale=scale(context, 1600),
    )  # fmt: skip


def twice(context: Context) -> Finding:
    """Assess section III: flows of weight two get twice the rate of flows of weight one."""

    def weighed(weight: float) -> Estimate:
        goodput = [one.goodput.values for one in each(context, networks.weighted(weight), 400, warm_up=200)]
        return mean([one[:2].mean() / one[2:].mean() for one in goodput])

    seen = weighed(2.0)
    others = {f"weight {weight:g}": weighed(weight) for weight in (1.0, 1.5, 3.0)}
    law = float(laws.weighted_equilibrium_rate(2.0, 7.0)) / float(laws.weighted_equilibrium_rate(1.0, 7.0))
    return judged(
        Together((Formula(abs(law / 2 - 1)), Quantity(exactly("twice", 2.0), seen, others=others))),
        f"{words(seen)} times, two of weight two beside three of weight one", scale=scale(context, 400),
    )  # fmt: skip


def lost_signals(context: Context) -> Finding:
    """Assess section III: with 30 % of the replies lost, the total is still 10/11, and the rates are equal."""
    more = {"duration": 300.0, "warm_up": 150.0, "loss_back": 0.3}
    seen = {label: at(context, label, 10, **more) for label in ("CADPC", *TCP, "XCP")}
    total = {label: mean(one["throughput"]) for label, one in seen.items()}
    ours, jain = total.pop("CADPC"), mean(seen["CADPC"]["jain_index"])
    return judged(
        Together((Quantity(exactly("do not move", 10 / 11), ours, others=total),
                  Statement(jain.low > ALMOST_PERFECT, f"Jain's index of at least {ALMOST_PERFECT}"))),
        f"30 % of the replies lost: {words(ours)} of the capacity, without these losses 10/11 = 0.909; Jain's index "
        f"{words(jain)}", scale=scale(context, 300),
    )  # fmt: skip


def linear(context: Context) -> Finding:
    """Assess figure 3: throughput is proportional to the capacity, so that the utilisation stays the same."""

    def used(label: str) -> list[float]:
        return [float(values.mean()) for values in sweep(context, label, "throughput").values()]

    ours = used("CADPC")
    same = {label: min(used(label)) >= 0.9 * max(used(label)) for label in networks.competitors()[1:]}
    return judged(
        Statement(min(ours) >= 0.9 * max(ours), "utilisation at every bottleneck at least 90 % of the largest"),
        ", ".join(f"{mbit:g} Mbit/s: {one:.3f}" for mbit, one in zip(runs.bottlenecks(context), ours, strict=True))
        + " of the capacity; by the same criterion linear: "
        + (", ".join(label for label, holds in same.items() if holds) or "none")
        + "; not linear: "
        + (", ".join(label for label, holds in same.items() if not holds) or "none"),
        "the utilisation falls",
        scale=scale(context),
    )


def lossless_and_fair(context: Context) -> Finding:
    """Assess section III: loss is below 0.1 %, and Jain's index is at least 0.99, from the 10 Mbit/s of table I on."""
    lost = {mbit: mean(one) for mbit, one in sweep(context, "CADPC", "loss").items()}
    fair = {mbit: mean(one) for mbit, one in sweep(context, "CADPC", "jain_index").items()}
    apart = mean(at(context, "CADPC", MANY, stagger=1.0, warm_up=80.0)["jain_index"])
    within = [mbit for mbit in lost if mbit >= comparisons.LARGE]
    too_much = [f"{mbit:g}" for mbit in within if lost[mbit].high >= NEGLIGIBLE]
    reasons = []
    if too_much:
        reasons.append(
            f"more than {percent(NEGLIGIBLE)} may be lost at {', '.join(too_much)} Mbit/s, where the first packets and "
            "requests of fifty flows arrive together at a buffer of fifty packets"
        )
    reasons.append("the differences between flows, even those that chance makes at an equal start, shrink only by "
                   "a/(n + 1) in each update")  # fmt: skip
    return judged(
        Together((
            Statement(not too_much, f"negligible: loss below {percent(NEGLIGIBLE)}, with its interval",
                      fitted=FIRST_RATE),
            Statement(all(fair[mbit].low >= ALMOST_PERFECT for mbit in within),
                      f"almost perfect: Jain's index of at least {ALMOST_PERFECT}; both from {comparisons.LARGE:g} "
                      "Mbit/s on, the bottleneck of table I"),
        )),
        "loss " + ", ".join(f"{mbit:g} Mbit/s: {percent(one.value, 2)}" for mbit, one in lost.items())
        + f"; Jain's index {min(one.value for one in fair.values()):.3f} to "
        f"{max(one.value for one in fair.values()):.3f}, with starts 1 s apart {words(apart)}",
        "; ".join(reasons), scale=scale(context),
    )  # fmt: skip


def constant_queue(context: Context) -> Finding:
    """Assess section III: mean queues are below ten packets, and all within 10 % of their middle."""
    queue = {mbit: float(one.mean()) for mbit, one in sweep(context, "CADPC", "mean_queue").items()}
    constant = not Spread(min(queue.values()), max(queue.values()), "bottlenecks").wide
    return judged(
        Statement(constant and max(queue.values()) < SMALL,
                  f"small: below {SMALL:g} packets, a fifth of the buffer; constant: within 10 % of the middle",
                  fitted=FIRST_RATE),
        ", ".join(f"{mbit:g} Mbit/s: {one:.1f}" for mbit, one in queue.items()) + " packets",
        f"the queue is {min(queue.values()):.1f} to {max(queue.values()):.1f} packets", scale=scale(context),
    )  # fmt: skip


def two_bottlenecks(context: Context) -> Finding:
    """Assess section III, parking lot: rates over two bottlenecks are those of max-min fairness."""
    seen = np.array([one.goodput.values / CAPACITY for one in each(context, networks.parking_lot(), 300, warm_up=150)])
    ours = [mean(one) for one in (seen[:, 0], seen[:, 1:4].mean(axis=1), seen[:, 4])]
    fair = max_min_rates([[1, 1, 1, 1, 0], [1, 0, 0, 0, 1]], 1.0)[[0, 1, 4]]
    law = (laws.parking_lot_long_rate(3, 1), laws.parking_lot_short_rate(3, 1), laws.parking_lot_short_rate(1, 3))
    return judged(
        Together(tuple(Quantity(exactly("max-min", float(f)), one) for f, one in zip(fair, ours, strict=True))),
        f"long {words(ours[0])}; short {words(ours[1])} on the first link, {words(ours[2])} on the second; max-min "
        f"fair are {fair[0]:.2f}, {fair[1]:.2f}, {fair[2]:.2f}",
        f"the equilibrium by the law, {law[0]:.1f}, {law[1]:.1f}, {law[2]:.1f}, is max-min fair for a network with one "
        "more flow on each link (erratum 002-2)",
        scale=scale(context, 300),
    )  # fmt: skip


def undisturbed(context: Context, disturbance: str, **options: float) -> Finding:
    """Assess whether ten flows still reach n/(n + 1) and equal rates where ``options`` of the network disturb them."""
    seen = {label: late(context, label, 10, **options) for label in ("CADPC", *TCP)}
    total = {label: mean(one["throughput"]) for label, one in seen.items()}
    ours, jain = total.pop("CADPC"), mean(seen["CADPC"]["jain_index"])
    return judged(
        Together((Quantity(exactly("do not hinder", 10 / 11), ours, others=total),
                  Statement(jain.low > ALMOST_PERFECT, f"Jain's index of at least {ALMOST_PERFECT}"))),
        f"{disturbance.format(words(ours))} 10/11 = 0.909; Jain's index {words(jain)}; TCP's flavours "
        + ", ".join(f"{label} {words(one)}" for label, one in total.items()),
        scale=scale(context),
    )  # fmt: skip


def noise(context: Context) -> Finding:
    """Assess section I: with 1 % of all packets lost at random ten flows still reach n/(n + 1), and equal rates."""
    text = f"{percent(NOISE)} of all packets lost at random: {{}} of the capacity, without losses"
    return undisturbed(context, text, loss=NOISE)


def smaller_target(context: Context) -> Finding:
    """Assess section III: at every bottleneck of figure 3 the queue is shorter with a target of 0.8."""
    differences, text = [], []
    for mbit in runs.bottlenecks(context):
        full, reduced = (
            at(context, "CADPC", MANY, mbit * MBIT, warm_up=80.0, parameters=(("target", target),))["mean_queue"]
            for target in (1.0, SMALLER)
        )
        differences.append(mean(full - reduced))
        text.append(f"{mbit:g} Mbit/s: {full.mean():.2f} and {reduced.mean():.2f}")
    return judged(
        Difference(tuple(differences)),
        f"mean queue in the second half, with targets of 1 and {SMALLER:g}: {', '.join(text)} packets",
        "the queue is not shorter everywhere", scale=scale(context),
    )  # fmt: skip


def calculated(context: Context) -> Finding:
    """Assess section IV.B: flows of several weights reach the rates calculated in advance."""
    law = networks.weighted_rates()
    seen = np.array([one.goodput.values / CAPACITY for one in each(context, networks.three_links(), 400, warm_up=200)])
    ours = [mean(one) for one in seen.T]
    return judged(
        Together(tuple(Quantity(exactly("calculated in advance", value), one)
                       for value, one in zip(law, ours, strict=True))),
        "weights over three links: " + ", ".join(
            f"{weight:g} on {'all' if last > first else first + 1}: {words(one, 4)}"
            for (first, last, weight), one in zip(networks.WEIGHTED, ours, strict=True)
        ) + " of the capacity; by the law " + ", ".join(f"{value:.4f}" for value in law),
        scale=scale(context, 400),
    )  # fmt: skip


def incoming(context: Context) -> Finding:
    """Assess section IV.A: behind a router without the protocol ten flows reach the usual total without loss."""

    def observed(answers: bool | str) -> tuple[Estimate, Estimate]:
        found: Any = each(context, networks.hidden_bottleneck(answers), 160, warm_up=80)
        total = mean([float(one.goodput.sum()) / CAPACITY for one in found])
        return total, mean([float(one.dropped.sum() / one.sent.sum()) for one in found])

    (total, loss), (other, lost) = observed("incoming"), observed(False)
    return judged(
        Together((Quantity(exactly("compensates", 10 / 11), total, others={"nobody tells": other}),
                  Statement(loss.high < NEGLIGIBLE and lost.low > NEGLIGIBLE,
                            f"loss below {percent(NEGLIGIBLE)}, and above it if nobody tells of the link"))),
        f"the router behind tells of the bottleneck: {words(total)} of its capacity, loss {percent(loss.value, 2)}; "
        f"nobody does: {words(other)}, loss {percent(lost.value)}", scale=scale(context),
    )  # fmt: skip


SWING = 0.1  # s, deviation of each packet's delay by retransmissions of a link layer: a third of the round trip
SLOW = 0.1 * MBIT  # rate of a slow return link: a hundredth of the bottleneck's
REFRESH = 1.0  # s, between two updates of a counter that is read through SNMP, as section IV.A supposes
LINK_DELAYS = (0.01, 0.05, 0.1)  # s


def swinging(context: Context) -> Finding:
    """Assess section I: ten flows still reach n/(n + 1) where the link delays every packet at random."""
    text = (
        f"up to {1e3 * SWING:g} ms of random delay for each packet of the bottleneck, in order, and a buffer of "
        f"{BIG_BUFFER} packets: {{}} of the capacity, without it"
    )
    return undisturbed(context, text, jitter=SWING, buffer=BIG_BUFFER)


def asymmetric(context: Context) -> Finding:
    """Assess section I: CADPC returns fewer bytes than TCP, and loses less of its throughput over a slow return link.

    A return link of 1 % of the bottleneck's rate stands for a highly asymmetric link.
    """
    seen = {
        (label, back): late(context, label, 10, rate_back=back) for label in ("CADPC", *TCP) for back in (None, SLOW)
    }
    fewer = [mean(seen[one, None]["feedback"] - seen["CADPC", None]["feedback"]) for one in TCP]
    kept = {label: seen[label, SLOW]["throughput"] / seen[label, None]["throughput"] for label in ("CADPC", *TCP)}
    better = [mean(kept["CADPC"] - kept[one]) for one in TCP]
    return judged(
        Difference((*fewer, *better)),
        "bytes/s of feedback: " + ", ".join(f"{one} {seen[one, None]['feedback'].mean():.0f}" for one in kept)
        + f"; share of the throughput that a return link of {SLOW / MBIT:g} Mbit/s leaves: "
        + ", ".join(f"{one} {words(mean(share))}" for one, share in kept.items()),
        "where the return link loses acknowledgments, later ones say the same, so that Reno and SACK keep their "
        "throughput, and Vegas does not", scale=scale(context),
    )  # fmt: skip


def phases(context: Context) -> Finding:
    """Assess section III: with equal starts and no random delays Vegas' throughput leaves the line over the capacity.

    The largest deviation of a bottleneck's utilisation from the median of all bottlenecks counts.
    """

    def deviation(jitter: float) -> tuple[np.ndarray, np.ndarray]:
        rates = runs.bottlenecks(context)
        used = np.array([at(context, "Vegas", MANY, mbit * MBIT, send_jitter=jitter)["throughput"] for mbit in rates])
        return np.abs(used - np.median(used, axis=0)).max(axis=0), used.mean(axis=1)

    (without, used), (with_jitter, smooth) = deviation(0.0), deviation(networks.JITTER)
    return judged(
        Difference((mean(without - with_jitter),)),
        "largest deviation of the use of a bottleneck from the median over 1 to 100 Mbit/s: without random delays "
        f"{without.mean():.3f}, with them {with_jitter.mean():.3f}; uses without them "
        + ", ".join(f"{one:.3f}" for one in used) + ", with them " + ", ".join(f"{one:.3f}" for one in smooth),
        "the use of the bottleneck hardly depends on random delays", scale=scale(context),
    )  # fmt: skip


def through_snmp(context: Context) -> Finding:
    """Assess section IV.A: counters that are updated once a second leave ten flows at 10/11 of the capacity."""
    seen = {
        coarse: measured("CADPC", 10, warm_up=80.0, duration=240.0, counter_refresh=REFRESH, coarse_clock=coarse,
                         replications=runs.replications(context), rng=context.seed)
        for coarse in (False, True)
    }  # fmt: skip
    total = [mean(one["throughput"]) for one in seen.values()]
    jain = [mean(one["jain_index"]) for one in seen.values()]
    return judged(
        Together((
            *(Quantity(exactly("compensate", 10 / 11), one) for one in total),
            Statement(all(one.low > ALMOST_PERFECT for one in jain), f"Jain's index of at least {ALMOST_PERFECT}"),
        )),
        f"byte counters updated every {REFRESH:g} s, with the time of the request and of the update: "
        f"{', '.join(words(one) for one in total)} of the capacity, without SNMP 10/11 = 0.909; Jain's index "
        f"{', '.join(words(one) for one in jain)}",
        "the error of the traffic between two updates moves the total", scale=scale(context, 240),
    )  # fmt: skip


def over_delays(context: Context) -> Finding:
    """Assess section III: over the end-to-end delay CADPC has more throughput than TCP's flavours."""
    more, lines = [], []
    for delay in LINK_DELAYS:
        seen = {label: at(context, label, MANY, link_delay=delay) for label in ("CADPC", *TCP)}
        more += [mean(seen["CADPC"]["throughput"] - seen[one]["throughput"]) for one in TCP]
        each_one = (f"{one} {x['throughput'].mean():.3f} and {x['mean_queue'].mean():.1f}" for one, x in seen.items())
        lines.append(f"{6e3 * delay:g} ms: {', '.join(each_one)}")
    return judged(
        Difference(tuple(more)),
        f"throughput over the capacity and mean queue [packets], fifty flows over 10 Mbit/s: {'; '.join(lines)}",
        "with short round trips TCP fills the link, CADPC does not; TCP's queues are two to fifteen times as long",
        scale=scale(context),
    )  # fmt: skip


def unfriendly(context: Context) -> Finding:
    """Assess sections IV.B and V: with equal losses CADPC sends more than TCP; beside TCP its share is not a half."""
    count = runs.replications(context)

    def alike(function: Any, point: float) -> list[dict[str, float]]:
        seeds = np.random.SeedSequence(context.seed).spawn(count)
        return [function(point, np.random.default_rng(one)) for one in seeds]

    faster = {
        loss: mean([one["plain"] / one["reno"] for one in alike(further.bounded, loss)]) for loss in further.TCP_LOSSES
    }
    shares = {buffer: mean([one["plain"] for one in alike(further.beside, buffer)]) for buffer in further.BUFFERS}
    return judged(
        Together((
            Difference(tuple(one.less(1.0) for one in faster.values())),
            Statement(all(one.low > 0.5 or one.high < 0.5 for one in shares.values()),
                      "beside TCP the share of no interval is a half, with any buffer"),
        )),
        "rate over that of Reno with the same losses: "
        + ", ".join(f"{percent(loss, 2)}: {words(one, 1)}" for loss, one in faster.items())
        + "; share beside as many flows of Reno, with buffers of "
        + ", ".join(f"{buffer:g}: {words(one)}" for buffer, one in shares.items()) + " bandwidth-delay products",
        "its share comes near to a half with one of the buffers",
        scale=f"{count} runs of {2 * further.END:g} s at each point, seed {context.seed}",
    )  # fmt: skip


ASSESSMENTS: dict[str, Assessment] = {
    "stable equilibrium rate of one flow": _rate,
    "total traffic at equilibrium": totals,
    "equilibrium very close to capacity for at least": ten,
    "zero rate is an unstable fixed point": _unstable,
    "convergence independent of RTT; stable with asynchronous RTTs": round_trips,
    "PTP packet never exceeds": arithmetic(
        "32 + 16 x 34 = 576: 34 routers", (printed("576", bound="at most"), 32 + 16 * 34)
    ),
    "PTP packet size": request_size,
    "RTT without queueing": round_trip,
    "simulation length": arithmetic("160 s / 300 ms = 533", ("500", 160 / 0.3)),
    "packet size / bottleneck / other links / link delay": given(
        "the same; buffer of 50 packets, which the paper does not print"
    ),
    "CADPC rate smoother than TCP; TCP utilisation and convergence worsen from 10 to 100 Mbps; CADPC does not": (
        comparisons.figure_1
    ),
    "10 flows started one after another converge to the same rate": staggered,
    "equal rates with RTT_i = (i+1) RTT_0": periods,
    "a flow behaving as two flows gets twice the bandwidth": twice,
    "lost signalling packets do not move the convergence point": lost_signals,
    "throughput grows linearly with bottleneck capacity": linear,
    "CADPC loss negligible; fairness almost perfect": lossless_and_fair,
    "CADPC average queue small, constant and independent of bottleneck bandwidth": constant_queue,
    "throughput greater than almost all competitors; smallest average queue almost always": comparisons.beats_all,
    comparisons.ONE_REQUEST: comparisons.signalling,
    "correct max-min with two bottlenecks (parking lot)": two_bottlenecks,
    "robust with RED, REM, AVQ; robust to path changes; unsatisfactory with web-like background": (
        comparisons.robustness
    ),
    "XCP converges to capacity, CADPC to capacity*n/(n+1)": comparisons.converges_to,
    'Feedback: XCP "in payload packets", CADPC/PTP "extra signaling"': comparisons.feedback,
    'Routers examine...: XCP "every packet", CADPC/PTP "1 packet every 4 RTTs"': comparisons.examined,
    '\'web mice\' bg traffic: XCP "works well", CADPC/PTP "does not work well"': comparisons.web_mice,
    "losses by link noise do not hinder the convergence": noise,
    "a smaller target rate corrects the constant queue": smaller_target,
    "the converged rates of weighted flows can be calculated in advance": calculated,
    "the incoming interface compensates for a single router without the protocol": incoming,
    "RTT deviations by link layer retransmissions do not hinder the convergence": swinging,
    "less feedback than TCP, better behavior across highly asymmetric links": asymmetric,
    "equal starts could have caused a traffic phase effect, leading to the outliers of Vegas": phases,
    "good results as a function of end-to-end delay": over_delays,
    "SNMP: robustness and update time independence compensate for imprecise data": through_snmp,
    "CADPC is not TCP-friendly and has to be isolated": unfriendly,
    "CAPC: the total network traffic approaches a predefined target rate": beyond.capc,
    "a target that follows the changes of the traffic corrects the constant queue": beyond.changing_target,
    "bulk transfers in a class of their own are not disturbed by short calls beside them": beyond.classes,
    "XCP: two different queues in routers achieve TCP-friendliness": beyond.xcp_beside_tcp,
}
