"""Kim and Farber's claims about one network: response time, utilisation, fairness, Bully-Tyrant, and later work.

The authors leave three of these situations to later work: multiplexers without priorities, abuse, and self-similar
interference.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from figures.blt import runs
from figures.blt.networks import (
    BOTTLENECK,
    COMPETITORS,
    PACKET,
    SETS,
    Path,
    bare_dumbbell,
    connection,
    dumbbell,
)  # fmt: skip
from figures.blt.runs import as_printed, at_load, counted_size, counted_text, point_size, point_text, scale_text, swept
from figures.blt.table_1 import COUNTED, TCP_LITERAL, best_load, numbers_text, power_of_ten
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import (
    Difference,
    Estimate,
    Quantity,
    Spread,
    Statement,
    Together,
    difference,
    mean,
    printed,
    texts,
)  # fmt: skip
from longfat.sim import run
from longfat.sim.network import traffic

LOADS = (0.3, 0.45, 0.6, 0.75)  # loads at which utilisation and fairness are compared, without overload
FAST_LOADS = (0.6, 0.75, 0.85)  # loads at 1 Gbit/s, where smaller loads lose no packets
EVERY_DUPLICATE = "every duplicate ACK a loss (footnote 5)"
NETWORKS = SETS["reference"]
REFERENCE = NETWORKS[0]
OVERLOAD = (0.85, 0.95)
SOURCES, HURST, LASTS = 10, 0.8, 0.02  # self-similar interference: sources, Hurst parameter, mean on and off times [s]
INTERFERENCE, FILES = 0.3, 0.4  # loads of interference and of files
ABUSE = 0.2  # share of the files that abusive sources send


def paired(context: Context, path: Path, load: float, what: str, one: str, other: str) -> Estimate:
    """Return the difference of a quantity between two schemes at one load, run by run (same arrivals)."""
    return mean(at_load(context, one, path, load)[what] - at_load(context, other, path, load)[what])


def lower_utilisation(context: Context) -> Finding:
    """Assess the claim of figure 7 that the bottleneck's utilisation is lower with BLT than with TCP."""
    found, again = (
        [paired(context, REFERENCE, load, "utilisation", label, "BLT") for load in LOADS]
        for label in ("TCP", TCP_LITERAL)
    )
    skips = [at_load(context, "BLT, skips what arrived", REFERENCE, load)["utilisation"].mean() for load in LOADS]
    return judged(
        Difference(tuple(found), interpretations={EVERY_DUPLICATE: tuple(again)}),
        f"TCP's less BLT's at loads {numbers_text(LOADS)}: {texts(found, 3)}",
        "at the same load both schemes carry the same files, but BLT retransmits packets that the receiver already "
        f"has; without these (skip_known = 1) its utilisation is {numbers_text(skips, 3)}; with {EVERY_DUPLICATE} "
        f"TCP's less BLT's is {texts(again, 3)}",
        scale=point_text(context),
    )


def speedup(context: Context) -> Finding:
    """Assess the claim of figure 6 that TCP's response time is more than 200 % of BLT's."""

    def faster(label: str, load: float) -> Estimate:
        log = [np.log10(at_load(context, one, REFERENCE, load)["response_time"]) for one in (label, "BLT")]
        return power_of_ten((mean(log[0] - log[1])).mapped(lambda x: x + 2.0))

    loads = (0.1, 0.2, 0.4, 0.6, 0.8)
    number = printed("200", bound="at least")
    found = [faster("TCP", load) for load in loads]
    return judged(
        Together(tuple(Quantity(number, one) for one in found)),
        ", ".join(f"{REFERENCE.most_arrivals * load:g}/s: {one.text(0)} %"
                  for load, one in zip(loads, found, strict=True)),
        "TCP takes eight round trips at small loads",
        scale=point_text(context),
    )  # fmt: skip


FACTOR, FACTORS = 3.0, (2.0, 10.0)


def _diverges(context: Context, label: str, factor: float) -> Estimate:
    """Return the arrival rate at which the response time R is a multiple of R at 3.75/s, by interpolation [1/s].

    It is the mean over the runs, and infinite if R stays below that multiple in one of them.
    """
    data = swept(context, label, "reference").isel(label=0, bottleneck=0)
    times = data.response_time_samples.transpose("replication", "load").sel(load=slice(0.1, None))
    loads, rates = times["load"].values, []
    for each in times.values:
        rise = np.log(each / each[0])
        beyond = int(np.argmax(rise >= np.log(factor)))
        if beyond == 0:  # nowhere
            return Estimate(math.inf)
        part = (np.log(factor) - rise[beyond - 1]) / (rise[beyond] - rise[beyond - 1])
        rates.append(loads[beyond - 1] + part * (loads[beyond] - loads[beyond - 1]))
    return mean(rates).mapped(lambda x: x * REFERENCE.most_arrivals)


def _rate_text(context: Context, label: str, rate: Estimate) -> str:
    """Return an arrival rate as text, or the largest one of the sweep if it lies beyond."""
    last = float(swept(context, label, "reference")["load"][-1]) * REFERENCE.most_arrivals
    return rate.text(1) if math.isfinite(rate.value) else f"more than {last:.1f}"


def diverges(label: str, value: str, context: Context) -> Finding:
    """Assess the arrival rate at which the response time R diverges, by one criterion for both schemes.

    R exceeds three times its value at 3.75/s, where the network is nearly empty. The paper has no criterion; the range
    is that over factors of 2 to 10 and, for TCP, over its criteria for a loss. The row also has R at the printed
    rate, and the share of the load that is carried there.
    """
    labels = ("TCP", TCP_LITERAL) if label == "TCP" else (label,)
    found = _diverges(context, label, FACTOR)
    ends = [_diverges(context, one, factor).value for one in labels for factor in FACTORS]
    load = float(value) / REFERENCE.most_arrivals
    here, low = (at_load(context, label, REFERENCE, one) for one in (load, 0.1))
    rise = here["response_time"].mean() / low["response_time"].mean()
    carried = 100 * here["throughput"].mean() / (load * REFERENCE.capacity)
    over = f"factors of {FACTORS[0]:g} to {FACTORS[1]:g}, where ours is {FACTOR:g}"
    if label == "TCP":
        over += ", and with every duplicate ACK taken for a loss"
    return judged(
        Quantity(printed(value), found, spread=Spread(min(ends), max(ends), over)),
        f"R is {FACTOR:g} times R at 3.75/s from {_rate_text(context, label, found)} conn/s; at {value}/s it is "
        f"{rise:.1f} times, and {carried:.0f} % of the load is carried",
        "no criterion is printed; this one is the same for both schemes, and so wide a range hardly tells anything",
        scale=scale_text(context),
    )


def synchronisation(context: Context) -> Finding:
    """Assess figure 8: more of TCP's connections than of BLT's lose packets in the same round trip.

    By Zhang, Shenker and Clark (1991), whom the paper cites, connections are synchronised if they lose packets in the
    same congestion epoch.
    """
    words, shares = [], {}
    count = 4 if context.small else 10
    for label in ("TCP", "BLT"):
        seeds = np.random.SeedSequence([context.seed, 8]).spawn(count)
        found = [runs.losing_together(label, REFERENCE, 0.5, rng=one) for one in seeds]
        losing, active = (float(np.mean([one[name] for one in found])) for name in ("losing", "active"))
        shares[label] = mean([one["share"] for one in found])
        words.append(f"{label} {losing:.1f} of {active:.1f}, a share of {shares[label].text()}")
    return judged(
        Difference((difference(shares["TCP"], shares["BLT"]),)),
        "connections that lose packets in a round trip with losses: " + "; ".join(words),
        "the paper has no measure of synchronisation and draws one section of one run; by losses in the same round "
        "trip it is BLT's connections that lose together, because they send whole bursts",
        scale=f"{count} runs of 300 round trips at half of the capacity, seed {context.seed}",
    )


def _of_capacity(throughput: Estimate, path: Path) -> Estimate:
    """Return a throughput [bytes/s] as a share of the bottleneck's capacity."""
    return throughput.mapped(lambda x: x / path.capacity)


def more_throughput(context: Context) -> Finding:
    """Assess figure 9: BLT has more throughput than TCP at large loads."""
    found = [_of_capacity(paired(context, path, 0.85, "throughput", "BLT", "TCP"), path) for path in SETS["reference"]]
    loads = counted_size(context.small)["loads"][-2:]
    again = [
        _of_capacity(
            mean(np.subtract(*(as_printed(context, label, "reference").throughput_samples.sel(load=load)[0, k].values
                               for label in ("BLT", "TCP")))),
            path,
        )
        for load in loads for k, path in enumerate(SETS["reference"])
    ]  # fmt: skip
    return judged(
        Difference(tuple(found), interpretations={COUNTED: tuple(again)}),
        f"BLT's less TCP's at load 0.85, in capacities: {texts(found, 3)}",
        f"in the steady state both carry the load up to 0.8 and more; counted as in the paper, at loads "
        f"{numbers_text(loads)}, BLT's less TCP's is {texts(again, 3)}",
        scale=f"{point_text(context)}; interpretation: {counted_text(context)}",
    )


def fairer(name: str, ks: tuple[int, ...], sign: int, context: Context, loads: tuple[float, ...] = LOADS) -> Finding:
    """Assess which scheme is fairer.

    With ``sign`` 1 the claim is that BLT is fairer, with -1 that TCP is.
    """

    def gained(one: str, other: str) -> list[Estimate]:
        return [paired(context, SETS[name][k], load, "fairness", one, other) for k in ks for load in loads]

    def ordered(one: str, other: str) -> list[Estimate]:
        return gained(one, other) if sign > 0 else gained(other, one)

    found = ordered("BLT", "TCP")
    again = {
        EVERY_DUPLICATE: ordered("BLT", TCP_LITERAL),
        "the corrected switch": ordered("BLT, corrected switch", "TCP"),
    }
    shown = []
    for k in ks:
        rows = [[at_load(context, one, SETS[name][k], load)["fairness"].mean() for load in loads]
                for one in ("BLT", "TCP")]  # fmt: skip
        shown.append(f"BW_b {SETS[name][k].bottleneck:g}: BLT {numbers_text(rows[0], 3)}, "
                     f"TCP {numbers_text(rows[1], 3)}")  # fmt: skip
    first, second = ("BLT", "TCP") if sign > 0 else ("TCP", "BLT")
    return judged(
        Difference(tuple(found), interpretations={words: tuple(row) for words, row in again.items()}),
        f"loads {numbers_text(loads)}: {'; '.join(shown)}; {first}'s less {second}'s {texts(found, 3)}",
        "; ".join(f"{words}: {texts(row, 3)}" for words, row in again.items()),
        scale=point_text(context),
    )


def fairest_when_empty(context: Context) -> Finding:
    """Assess the claim of figure 11 that fairness is best at the lowest load."""
    found, words = [], []
    for label in ("BLT", "TCP"):
        for k in range(3):
            samples = swept(context, label, "reference").fairness_samples[0, k].transpose("load", "replication").values
            beyond = 1 + int(np.nanargmax(np.nanmean(samples[1:], axis=1)))
            found.append(mean(samples[0] - samples[beyond]))
            words.append(f"{label} {samples[0].mean():.4f} less {samples[beyond].mean():.4f}")
    return judged(
        Difference(tuple(found)),
        f"index at the lowest load less the highest of all others: {'; '.join(words)}; {texts(found, 4)}",
        "nothing is lost at the lowest loads, where all indices are nearly 1",
        scale=scale_text(context),
    )


def bully_power(context: Context) -> Finding:
    """Assess figure 28 at load 0.1: Bully-Tyrant has nearly BLT's power, taken as 90 %, and more than TCP's."""
    power = {label: at_load(context, label, REFERENCE, 0.1)["power"] for label in ("BLT", "Bully-Tyrant", "TCP")}
    near, above = (mean(power["Bully-Tyrant"] / power[label]) for label in ("BLT", "TCP"))
    return judged(
        Together((
            Statement(near.low >= 0.9, "at least 90 % of BLT's power with the whole interval"),
            Difference((above.mapped(lambda x: x - 1.0),)),
        )),
        f"load 0.1: Bully-Tyrant's power is {near.text(3)} of BLT's and {above.text()} times TCP's",
        "its losses cost it more at this load",
        scale=point_text(context),
    )  # fmt: skip


def bully_melts(context: Context) -> Finding:
    """Assess figure 28: under load Bully-Tyrant keeps less of its greatest power than BLT."""
    kept, words = {}, []
    loads = (0.2, 0.3, 0.4, 0.6, 0.85)
    for label in ("BLT", "Bully-Tyrant"):
        power = np.nan_to_num([at_load(context, label, REFERENCE, load)["power"] for load in loads])
        top = int(power.mean(1).argmax())
        kept[label] = power[-2:] / power[top].mean()
        words.append(f"{label}: greatest power at load {loads[top]:g}, of which {100 * kept[label][0].mean():.0f} % "
                     f"remain at 0.6 and {100 * kept[label][1].mean():.1f} % at 0.85")  # fmt: skip
    found = [mean(a - b) for a, b in zip(kept["BLT"], kept["Bully-Tyrant"], strict=True)]
    return judged(
        Difference(tuple(found)),
        f"{'; '.join(words)}; differences {texts(found)}",
        "both keep as much",
        scale=point_text(context),
    )


def bully_fairness(context: Context) -> Finding:
    """Assess the claim of figure 29 that Bully-Tyrant is the least fair scheme."""
    loads = (0.2, 0.4, 0.6)
    found = [
        paired(context, REFERENCE, load, "fairness", label, "Bully-Tyrant")
        for label in ("TCP", "BLT")
        for load in loads
    ]
    return judged(
        Difference(tuple(found)),
        f"loads {numbers_text(loads, 1)}: index of TCP, then of BLT, less Bully-Tyrant's {texts(found, 3)}",
        "Bully-Tyrant is not the least fair where TCP's index falls further under load",
        scale=point_text(context),
    )


def streams(_: Context) -> Finding:
    """Assess figure 3: TCP sends window k after k round trips, BLT all of them in one burst."""
    round_trip = NETWORKS[2].round_trip
    first = 2 ** np.arange(7) - 1
    tcp, blt = (runs.departures(label) for label in runs.STREAMS)
    late = (tcp[first] - tcp[0]) / round_trip
    burst = float(blt[-1] - blt[0]) / round_trip
    return judged(
        Statement(
            bool(np.all(abs(late - np.arange(7)) < 0.1)) and burst < 0.5,
            "TCP's window k begins k round trips after the first, within 0.1; BLT's windows all leave in half of one",
        ),
        f"TCP's seven windows begin after {numbers_text(late)} round trips, BLT's 127 packets leave in {burst:.2f}",
    )


def multiplexer(context: Context) -> Finding:
    """Assess sections 3.3.4 and 5.2.5: over a queue that ignores priorities BLT has less power."""

    def lost(loads: tuple[float, ...]) -> tuple[Estimate, ...]:
        return tuple(
            mean(np.subtract(*(np.log10(np.maximum(at_load(context, label, path, load)["power"], 1.0))
                               for label in ("BLT", "BLT, drop-tail"))))
            for path in NETWORKS for load in loads
        )  # fmt: skip

    found, over = lost(LOADS), lost(OVERLOAD)
    return judged(
        Difference(found, interpretations={f"at loads of {numbers_text(OVERLOAD)}": over}),
        f"log10 of the power, with priorities less without, at loads of {numbers_text(LOADS)} of 30, 90 and 150 "
        f"Mbit/s: {texts(found)}; at {numbers_text(OVERLOAD)}: {texts(over)}",
        "at 30 and 90 Mbit/s BLT breaks down from loads of 0.45 and 0.6 on, as claimed; not at small loads and at the "
        "rate of the sources' links, where little is discarded", scale=point_text(context),
    )  # fmt: skip


def interfered(context: Context, label: str, path: Path, fluctuating: bool) -> np.ndarray:
    """Return log10 of the power of files beside ten other sources of the same mean load, one value from each run."""
    mean_rate = INTERFERENCE * path.capacity / SOURCES
    cross = traffic.self_similar(2 * mean_rate, HURST, LASTS, LASTS) if fluctuating else traffic.poisson(mean_rate)
    size = point_size(path.file, context.small)
    seen = [
        runs.observe(label, path, FILES, packets=size["packets"], rng=np.random.default_rng(seed), cross=cross,
                     sources=SOURCES)["power"]
        for seed in np.random.SeedSequence(context.seed).spawn(size["replications"])
    ]  # fmt: skip
    return np.log10(np.maximum(seen, 1.0))


def interference(context: Context) -> Finding:
    """Assess section 5.2.2: self-similar interference, compared with Poisson, costs TCP more power than BLT."""
    costs = {
        label: [interfered(context, label, path, False) - interfered(context, label, path, True) for path in NETWORKS]
        for label in ("BLT", "TCP")
    }
    found = tuple(mean(tcp - blt) for blt, tcp in zip(costs["BLT"], costs["TCP"], strict=True))
    each = {label: texts([mean(one) for one in values], 3) for label, values in costs.items()}
    return judged(
        Difference(found),
        f"log10 of the power at a load of {FILES:g} beside a Poisson load of {INTERFERENCE:g} less that beside a "
        f"self-similar one, at 30, 90 and 150 Mbit/s: TCP {each['TCP']}; BLT {each['BLT']}",
        "that fluctuations cost TCP more than BLT is not seen", scale=point_text(context),
    )  # fmt: skip


def abused(context: Context, path: Path, load: float) -> np.ndarray:
    """Return the excess time of files that follow the rules over abusive files [s], one value from each run."""
    size, blt, abusive = point_size(path.file, context.small), COMPETITORS["BLT"], COMPETITORS["Bully-Tyrant"]
    found = []
    for seed in np.random.SeedSequence(context.seed).spawn(size["replications"]):
        net, end = bare_dumbbell("BLT", path), size["packets"] * PACKET / (load * path.capacity)
        for name, one, share in (("files", blt, 1 - ABUSE), ("abusive", abusive, ABUSE)):
            common: dict[str, Any] = {"parameters": one.parameters, **connection(path)}
            rate = share * load * path.most_arrivals
            net.flow(traffic.arrivals(rate, one.scheme), name=name, file=path.file, **common)
        data = run(net, duration=end, warm_up=0.2 * end, rng=np.random.default_rng(seed), progress=False)
        found.append(float(data.transfer_time.sel(flow="files")) - float(data.transfer_time.sel(flow="abusive")))
    return np.array(found)


def abuse(context: Context) -> Finding:
    """Assess section 3.3.4: packets that all have the highest priority pass before others."""
    found = tuple(mean(abused(context, path, load)) for path in NETWORKS for load in LOADS)
    return judged(
        Difference(found),
        f"a fifth of the files is abusive: the others take longer by {texts((one.times(1e3) for one in found), 1)} ms "
        f"at loads of {numbers_text(LOADS)} of 30, 90 and 150 Mbit/s",
        "at small loads nothing is discarded, and nothing gained", scale=point_text(context),
    )  # fmt: skip


def _in_the_system(context: Context, label: str, load: float) -> np.ndarray:
    """Return the mean number of files in the system by Little's law, one value from each run."""
    seen = at_load(context, label, REFERENCE, load)
    return np.asarray(seen["throughput"] / REFERENCE.file * seen["response_time"])


def lingering(context: Context) -> Finding:
    """Assess sections 3.3.3 and 4.2.1: at the same arrivals fewer files of BLT than of TCP are in the system."""
    counts = [[_in_the_system(context, label, load) for label in ("TCP", "BLT")] for load in LOADS]
    found = tuple(mean(tcp - blt) for tcp, blt in counts)
    return judged(
        Difference(found),
        f"TCP's less BLT's files in the system at loads {numbers_text(LOADS)}: {texts(found)}; BLT's are "
        f"{numbers_text(blt.mean() for _, blt in counts)}",
        "BLT's files do not finish sooner", scale=point_text(context),
    )  # fmt: skip


def busier_without_more(context: Context) -> Finding:
    """Assess section 4.2.1: there is a load at which one scheme has the higher utilisation and no more throughput."""
    words, seen = [], []
    for load in LOADS:
        used = paired(context, REFERENCE, load, "utilisation", "BLT", "TCP")
        carried = _of_capacity(paired(context, REFERENCE, load, "throughput", "BLT", "TCP"), REFERENCE)
        seen.append((used.low > 0 and not carried.low > 0) or (used.high < 0 and not carried.high < 0))
        words.append(f"{load:g}: {used.text(3)} and {carried.text(3)}")
    return judged(
        Statement(any(seen), "at one load at least a scheme has the higher utilisation with the whole interval, and no "
                  "throughput that is higher with its whole interval"),
        f"utilisation and throughput in capacities, BLT's less TCP's, at loads of {', '.join(words)}",
        scale=point_text(context),
    )  # fmt: skip


BEGINNING = 4.0  # s, seen at the start of a run


def warm_up(context: Context) -> Finding:
    """Assess figure 8: from an empty network on, BLT fills the queue at once and TCP takes time to do so.

    Both have the same arrivals. The queue is taken to be full when it has half of the buffer's 75 packets.
    """
    times: dict[str, list[float]] = {"TCP": [], "BLT": []}
    count = 4 if context.small else 20
    for seed in np.random.SeedSequence([context.seed, 9]).spawn(count):
        for label, each in times.items():
            data = run(dumbbell(label, REFERENCE, 0.5), duration=BEGINNING, sample_every=0.002,
                       rng=np.random.default_rng(seed), progress=False)  # fmt: skip
            trace = data.queue_trace.sel(link=BOTTLENECK)
            full = trace.time.values[trace.values >= REFERENCE.buffer_packets / 2]
            each.append(float(full[0]) if len(full) else BEGINNING)
    found = mean(np.subtract(times["TCP"], times["BLT"]))
    return judged(
        Difference((found,)),
        f"half of the buffer is first full after {mean(times['BLT']).times(1e3).text(0)} ms with BLT and "
        f"{mean(times['TCP']).times(1e3).text(0)} ms with TCP; TCP takes longer by {found.times(1e3).text(0)} ms",
        "TCP's slow start fills the queue as soon",
        scale=f"{count} runs from an empty network on, at half of the capacity, seed {context.seed}",
    )  # fmt: skip


def earlier_knee(context: Context) -> Finding:
    """Assess figures 9 and 10: TCP's power is greatest at a smaller load than BLT's."""
    loads = {label: [best_load(context, label, "reference", k) for k in range(3)] for label in ("TCP", "BLT")}
    return judged(
        Statement(all(one < other for one, other in zip(loads["TCP"], loads["BLT"], strict=True)),
                  "the load of the greatest power of the sweep is smaller at every bottleneck"),
        f"greatest power at loads of TCP {numbers_text(loads['TCP'])}, BLT {numbers_text(loads['BLT'])} of 30, 90 and "
        "150 Mbit/s", "of the loads of the sweep BLT's is not the larger one everywhere",
        scale=scale_text(context),
    )  # fmt: skip


def unfair_beyond_the_knee(context: Context) -> Finding:
    """Assess figure 13: fairness falls faster at the load of the greatest power than before it.

    The fall per load is taken from the load before that of the greatest power to the one after it, or to the last one.
    """
    found, words = [], []
    for label in ("BLT", "TCP"):
        for k in range(3):
            data = swept(context, label, "1 Gbit/s").isel(label=0, bottleneck=k)
            loads, fairness = data["load"].values, data.fairness_samples.transpose("load", "replication").values
            knee = max(1, int(np.flatnonzero(loads == best_load(context, label, "1 Gbit/s", k))[0]))
            after = min(knee + 1, len(loads) - 1)
            around = (fairness[knee - 1] - fairness[after]) / (loads[after] - loads[knee - 1])
            start = (fairness[0] - fairness[knee - 1]) / max(loads[knee - 1] - loads[0], 1e-9)
            found.append(mean(around - start))
            words.append(f"{label} {np.mean(around):.3f} at {loads[knee]:g}, {np.mean(start):.3f} before")
    return judged(
        Difference(tuple(found)),
        f"fall of the index per load: {'; '.join(words)} (200, 600 and 1000 Mbit/s)",
        "fairness does not fall faster there everywhere", scale=scale_text(context, "1 Gbit/s"),
    )  # fmt: skip


def less_fair_over_short_paths(context: Context) -> Finding:
    """Assess figure 16: BLT's fairness is lower at a round trip of 3 ms than of 30 ms."""
    found = [
        difference(*(mean(at_load(context, "BLT", SETS[name][k], load)["fairness"]) for name in ("reference", "3 ms")))
        for k in range(3) for load in SHORT_LOADS
    ]  # fmt: skip
    return judged(
        Difference(tuple(found)),
        f"index of BLT at 30 ms less at 3 ms, at loads {numbers_text(SHORT_LOADS)} of 30, 90 and 150 Mbit/s: "
        f"{texts(found, 3)}",
        "fairness is not lower at every bottleneck and load", scale=point_text(context),
    )  # fmt: skip


SHORT_LOADS = (0.3, 0.45, 0.6)


def _log_power(context: Context, label: str, path: Path, load: float) -> Estimate:
    return mean(np.log10(np.maximum(np.nan_to_num(at_load(context, label, path, load)["power"]), 1.0)))


def _ahead(points: tuple[tuple[Path, float], ...], words: str, reason: str, context: Context) -> Finding:
    """Assess the claim that BLT has more power than TCP at some points."""
    found = [
        difference(_log_power(context, "BLT", path, load), _log_power(context, "TCP", path, load))
        for path, load in points
    ]
    return judged(
        Difference(tuple(found)), f"log10 of BLT's power over TCP's, {words}: {texts(found)}", reason,
        scale=point_text(context, points[0][0].file),
    )  # fmt: skip


def _beside(context: Context, label: str, load: float, **more: Any) -> list[dict[str, float]]:
    """Return runs of files beside other traffic, with the same arrivals for every label."""
    size = point_size(REFERENCE.file, context.small)
    end = size["packets"] * PACKET / (load * REFERENCE.capacity)
    found = []
    for seed in np.random.SeedSequence([context.seed, 10]).spawn(size["replications"]):
        net = dumbbell(label, REFERENCE, load, **more)
        data = run(net, duration=end, warm_up=0.2 * end, rng=np.random.default_rng(seed), progress=False)
        found.append({str(name): float(data.loss.sel(flow=name)) for name in data.flow.values})
    return found


def interactive_first(context: Context) -> Finding:
    """Assess section 3.3.3: of files of 2 kB, which begin with priority 0, BLT's switch discards less."""
    seen = {load: _beside(context, "BLT", load, interactive=0.05) for load in LOADS}
    found = tuple(mean([one["files"] - one["small"] for one in runs_of]) for runs_of in seen.values())
    small = [float(np.mean([one["small"] for one in runs_of])) for runs_of in seen.values()]
    return judged(
        Difference(found),
        f"share of discarded packets, of files of 100 kB less of 2 kB, at loads {numbers_text(LOADS)}: "
        f"{texts(found, 3)}; of 2 kB {numbers_text(small, 5)}",
        "small files lose as much", scale=point_text(context),
    )  # fmt: skip


def real_time_first(context: Context) -> Finding:
    """Assess section 3.3.4: real-time traffic of the highest priority loses less than at a queue without priorities."""
    stream = traffic.constant(0.1 * REFERENCE.capacity)
    lost = {
        label: [[one["cross"] for one in _beside(context, label, load, cross=stream, sources=1)] for load in LOADS]
        for label in ("BLT", "BLT, drop-tail")
    }
    found = tuple(mean(np.subtract(b, a)) for a, b in zip(*lost.values(), strict=True))
    return judged(
        Difference(found),
        "losses of a constant stream of a tenth of the capacity beside BLT at a drop-tail queue, less at BLT's switch, "
        f"at loads {numbers_text(LOADS)}: {texts(found, 3)}; at BLT's switch it loses "
        f"{numbers_text((np.mean(one) for one in lost['BLT']), 5)}",
        "priorities save the stream no losses", scale=point_text(context),
    )  # fmt: skip


LATER: dict[str, Assessment] = {
    "TCP sends its windows one round trip after the other, BLT all at once": streams,
    "BLT will not work if a multiplexing point does not discard by priority": multiplexer,
    "an abusive source of highest priority passes its packets before others": abuse,
    "self-similar interference: TCP fails to exploit fluctuations, BLT exploits them": interference,
    "fewer BLT streams than TCP streams linger in the network": lingering,
    "short interactive traffic gets higher priority over bulk transfers": interactive_first,
    "real-time traffic of the highest priority passes before BLT": real_time_first,
    "higher utilisation does not necessarily lead to higher throughput": busier_without_more,
    "BLT exploits the available bandwidth at once, TCP takes time to warm up": warm_up,
    "TCP arrives at the knee earlier than BLT": earlier_knee,
    "fairness deteriorates around the arrival rate of the greatest power": unfair_beyond_the_knee,
    "BLT's fairness degrades with a smaller bandwidth-delay product": less_fair_over_short_paths,
    "TCP's advantage at 3 Mbit/s vanishes with more arrivals or a larger bottleneck": functools.partial(
        _ahead,
        ((SETS["15 Mbit/s"][0], 0.6), (SETS["15 Mbit/s"][1], 0.05), (SETS["15 Mbit/s"][2], 0.05)),
        "at 3 Mbit/s and a load of 0.6, at 9 and at 15 Mbit/s and a load of 0.05",
        "at 3 Mbit/s TCP stays ahead under load (refinement 000-2)",
    ),
    "with F=1MB TCP falls behind with more arrivals or a larger bottleneck": functools.partial(
        _ahead,
        ((SETS["1 MB"][0], 0.6), (SETS["1 MB"][1], 0.05), (SETS["1 MB"][2], 0.05)),
        "at 30 Mbit/s and a load of 0.6, at 90 and at 150 Mbit/s and a load of 0.05",
        "where BLT's burst does not fit the buffer it is not ahead",
    ),
}
