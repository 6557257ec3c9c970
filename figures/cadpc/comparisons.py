"""Welzl's comparisons of CADPC with TCP, TCP-friendly schemes and XCP: figures 1 and 3, table II, and robustness.

Both sides of a comparison have the same buffers, the same criterion and the same seeds. Orderings are differences run
by run with 95 % intervals.
"""

from __future__ import annotations

import numpy as np

from figures.cadpc import networks, runs
from figures.cadpc.networks import BIG_BUFFER, CAPACITY, MBIT, PERIOD, TCP
from figures.cadpc.runs import MANY, NEGLIGIBLE, at, each, exactly, late, percent, scale, sweep, words
from figures.claims import Context, Finding, judged
from figures.rule import WITHIN, Declared, Difference, Estimate, Quantity, Statement, Together, mean

ALMOST_ALL = 0.8  # share of the comparisons
LARGE = 10.0  # Mbit/s, the bottleneck of table I and the smaller one of figure 1
WEB = {"web": 0.5, "duration": 320.0, "warm_up": 80.0}  # half of the capacity offered by web-like sources
ONE_REQUEST = "one signalling packet per"  # claim


def figure_1(context: Context) -> Finding:
    """Assess figure 1: rates of CADPC are smoother than Reno's, and only Reno gets worse at a higher capacity.

    Smoothness is the standard deviation of a rate in time over its mean, from 80 s on; convergence, the time until half
    of the capacity is carried. The capacity rises from 10 to 100 Mbit/s (40 in small-scale runs).
    """
    more = 100 if context.packets >= 1e6 else 40
    rough, used, time = {}, {}, {}
    for label in ("CADPC", "Reno"):
        for mbit in (10, more):
            seen = each(context, networks.dumbbell(label, 10, mbit * MBIT), 160, every=0.5)
            rough[label, mbit] = np.array([runs.unevenness(one, 80) for one in seen])
            used[label, mbit] = np.array([runs.numbers(one, mbit * MBIT)["throughput"] for one in seen])
            time[label, mbit] = np.array([runs.reached_after(one, mbit * MBIT / 2) for one in seen])
    fall = {label: used[label, 10] - used[label, more] for label in ("CADPC", "Reno")}
    later = {label: time[label, more] - time[label, 10] for label in ("CADPC", "Reno")}
    return judged(
        Difference((
            *(mean(rough["Reno", mbit] - rough["CADPC", mbit]) for mbit in (10, more)),
            mean(fall["Reno"]), mean(fall["Reno"] - fall["CADPC"]),
            mean(later["Reno"]), mean(later["Reno"] - later["CADPC"]),
        )),
        f"10 and {more} Mbit/s: standard deviation of a rate over its mean: Reno {rough['Reno', 10].mean():.2f} and "
        f"{rough['Reno', more].mean():.2f}, CADPC {rough['CADPC', 10].mean():.3f} and "
        f"{rough['CADPC', more].mean():.3f}; utilisation of 160 s falls by {words(mean(fall['Reno']))}, of CADPC "
        f"by {words(mean(fall['CADPC']))}; half of the capacity is carried after {time['Reno', 10].mean():.0f} and "
        f"{time['Reno', more].mean():.0f} s, by CADPC after {time['CADPC', 10].mean():.0f} and "
        f"{time['CADPC', more].mean():.0f} s",
        scale=scale(context),
    )  # fmt: skip


def _won(context: Context, name: str, sign: float) -> dict[tuple[str, float], Estimate]:
    """Return the advantage of CADPC over each competitor at each bottleneck."""
    ours = sweep(context, "CADPC", name)
    found: dict[tuple[str, float], Estimate] = {}
    for label in networks.competitors()[1:]:
        theirs = sweep(context, label, name)
        found |= {(label, mbit): mean(sign * one - sign * theirs[mbit]) for mbit, one in ours.items()}
    return found


def _share(found: list[Estimate]) -> tuple[int, int]:
    return sum(one.low > 0 for one in found), len(found)


def beats_all(context: Context) -> Finding:
    """Assess figure 3 and section III: CADPC wins four of five comparisons at least, with intervals above zero.

    The figure has CADPC and TCP, as its caption says; the text speaks of all competitors. The bottlenecks of the figure
    are not printed in the text; table I and figure 1 have 10 Mbit/s and more.
    """
    parts, text, lost = [], [], []
    for name, sign, claimed in (("throughput", 1.0, "more throughput"), ("mean_queue", -1.0, "a shorter queue")):
        found = _won(context, name, sign)
        choices = {
            "all competitors, all bottlenecks": list(found.values()),
            "all competitors, 10 Mbit/s and more": [one for (_, mbit), one in found.items() if mbit >= LARGE],
            "TCP's flavours, 10 Mbit/s and more": [
                one for (label, mbit), one in found.items() if mbit >= LARGE and label in TCP
            ],
        }
        won = {about: _share(some) for about, some in choices.items()}
        enough = {about: some >= ALMOST_ALL * count for about, (some, count) in won.items()}
        parts.append(Statement(enough.pop("all competitors, all bottlenecks"),
                               f"better in {percent(ALMOST_ALL, 0)} of the comparisons at least, with its interval",
                               interpretations=enough))  # fmt: skip
        text.append(
            f"{claimed} in " + "; ".join(f"{some} of {count} ({about})" for about, (some, count) in won.items())
        )
        worse = [f"{label} at {mbit:g}" for (label, mbit), one in found.items() if one.high < 0]
        lost.append(", ".join(worse) or "none")
    return judged(
        Together(tuple(parts)), "; ".join(text),
        f"CADPC has less throughput than {lost[0]} Mbit/s and a longer queue than {lost[1]} Mbit/s",
        scale=scale(context),
    )  # fmt: skip


def _asked(context: Context) -> Estimate:
    """Return the requests of a CADPC flow that the router sees in four round trips."""
    return mean(late(context, "CADPC", buffer=BIG_BUFFER)["examined"] / 10 * PERIOD)


def signalling(context: Context) -> Finding:
    """Count requests in four round trips, which are a parameter, and acknowledgments for each packet of SACK."""
    theirs = late(context, "SACK")
    acknowledged = mean(theirs["feedback"] / 40 / theirs["offered"])
    return judged(
        Declared("input"),
        f"{words(_asked(context))} requests in four round trips; SACK sends {words(acknowledged, 2)} acknowledgments a "
        "packet",
        scale=scale(context),
    )


def robustness(context: Context) -> Finding:
    """Assess section III: good results with marking queues and changes of the path, not beside web-like traffic.

    Marking queues: the throughput of fifty flows is that with drop-tail, and less than 0.1 % is lost. Path: the total
    is what the law says, from 89 to 109 s beside cross traffic that begins at 60 s, and 80 s after its end. Web: at a
    load of 0.5, CADPC loses more packets than every competitor of section III.
    """
    plain = float(at(context, "CADPC", MANY)["throughput"].mean())
    managed = {name: at(context, "CADPC", MANY, discipline=name) for name in ("red", "rem", "avq")}
    same = {name: float(one["throughput"].mean()) / plain - 1 for name, one in managed.items()}
    lost = {name: mean(one["loss"]) for name, one in managed.items()}
    changed = each(context, networks.path_change(), 210, every=1.0)

    def total(until: float) -> Estimate:
        shares = [runs.last_share(one.sel(time=slice(0, until)), 20)[:10] for one in changed]
        return mean([one.sum() * networks.PACKET / CAPACITY for one in shares])

    during, after = total(109), total(210)
    web = {label: at(context, label, 10, **WEB)["loss"] for label in networks.competitors()}
    return judged(
        Together((
            *(Statement(abs(same[name]) <= WITHIN and lost[name].high < NEGLIGIBLE,
                        f"RED, REM, AVQ: throughput within {percent(WITHIN, 0)} of drop-tail, loss below "
                        f"{percent(NEGLIGIBLE)}")
              for name in managed),
            Quantity(exactly("robust", 5 / 11), during), Quantity(exactly("robust", 10 / 11), after),
            Difference(tuple(mean(web["CADPC"] - one) for label, one in web.items() if label != "CADPC")),
        )),
        f"RED, REM, AVQ: throughput within {percent(max(map(abs, same.values())))} of drop-tail, "
        f"{percent(max(one.value for one in lost.values()), 2)} lost; beside cross traffic of 0.5 {words(during)} "
        f"(law: 5/11), after it {words(after)} (law: 10/11); beside web-like traffic of 0.5 lost: "
        + ", ".join(f"{label} {percent(one.mean())}" for label, one in web.items()),
        scale=scale(context) + "; 320 s with web-like traffic, 210 s with cross traffic",
    )  # fmt: skip


def converges_to(context: Context) -> Finding:
    """Assess section V and table II: XCP converges to the capacity, CADPC to n/(n + 1) of it, in 80 to 160 s.

    Both have a buffer of one bandwidth-delay product, for which XCP is designed.
    """
    parts, text = [], []
    for n in (1, 2, 10):
        ours, theirs = (mean(late(context, label, n, buffer=BIG_BUFFER)["throughput"]) for label in ("CADPC", "XCP"))
        parts += [Quantity(exactly("capacity*n/(n+1)", n / (n + 1)), ours, others={"the other mechanism": theirs}),
                  Quantity(exactly("capacity", 1.0), theirs, others={"the other mechanism": ours})]  # fmt: skip
        text.append(f"n = {n}: XCP {words(theirs)}, CADPC {words(ours)}")
    return judged(Together(tuple(parts)), "; ".join(text) + f" of the capacity; buffers of {BIG_BUFFER} packets",
                  scale=scale(context))  # fmt: skip


def feedback(context: Context) -> Finding:
    """Assess table II, first row: CADPC sends more packets that carry no data than XCP does."""
    seen = {label: late(context, label, buffer=BIG_BUFFER) for label in ("XCP", "CADPC")}
    signals = {label: mean(one["examined"]) for label, one in seen.items()}
    back = {label: mean(one["feedback"]) for label, one in seen.items()}
    return judged(
        Difference((mean(seen["CADPC"]["examined"] - seen["XCP"]["examined"]),)),
        "; ".join(f"{label}: {words(signals[label], 1)} packets/s without data at the bottleneck, "
                  f"{words(back[label], 0)} bytes/s to the senders" for label in seen) + "; ten flows",
        scale=scale(context),
    )  # fmt: skip


def examined(context: Context) -> Finding:
    """Assess table II, second row: a router examines fewer packets with CADPC; requests in four round trips."""
    theirs = late(context, "XCP", buffer=BIG_BUFFER)["offered"]
    ours = late(context, "CADPC", buffer=BIG_BUFFER)["examined"]
    return judged(
        Difference((mean(theirs - ours),)),
        f"XCP {words(mean(theirs), 0)} packets/s, CADPC {words(mean(ours), 1)} packets/s, "
        f"{words(_asked(context))} a flow in four round trips; ten flows",
        scale=scale(context),
    )  # fmt: skip


def web_mice(context: Context) -> Finding:
    """Assess table II, last row: beside web-like traffic of load 0.5 CADPC loses more than XCP and carries less.

    Both have a buffer of one bandwidth-delay product, as in the third row.
    """
    large, small = (
        {label: at(context, label, 10, buffer=buffer, **WEB) for label in ("XCP", "CADPC")}
        for buffer in (BIG_BUFFER, networks.BUFFER)
    )

    def said(seen: dict[str, dict[str, np.ndarray]]) -> str:
        return "; ".join(
            f"{label} {words(mean(one['throughput']))} of the capacity, "
            f"{words(mean(one['loss']), 2, 100, 0.0)} % lost" for label, one in seen.items()
        )  # fmt: skip

    return judged(
        Difference((mean(large["CADPC"]["loss"] - large["XCP"]["loss"]),
                    mean(large["XCP"]["throughput"] - large["CADPC"]["throughput"]))),
        f"buffers of {BIG_BUFFER} packets: {said(large)}; of {networks.BUFFER} packets, which are too few for both: "
        f"{said(small)}",
        scale=scale(context, WEB["duration"]),
    )  # fmt: skip
