"""Kim and Farber's claims about one network: response time, utilisation, fairness, Bully-Tyrant, and later work.

The last ones are left to later work by the authors: multiplexers without priorities, abuse, self-similar interference.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from figures.blt import runs
from figures.blt.networks import COMPETITORS, PACKET, SETS, Path, bare_dumbbell, connection
from figures.blt.runs import as_printed, at_load, counted_size, counted_text, point_size, point_text, scale_text, swept
from figures.blt.table_1 import COUNTED, TCP_LITERAL, numbers_text, power_of_ten
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
    """Return the arrival rate at which R exceeds a multiple of R at 3.75/s, interpolated in each run [1/s].

    It is infinite if a run does not get there at the loads of the sweep.
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


def diverges(label: str, value: str) -> Assessment:
    """Return the assessment of the arrival rate at which R diverges, by one criterion for both schemes.

    R exceeds three times its value at 3.75/s, where the network is nearly empty. The paper has no criterion; the range
    is that over factors of 2 to 10 and, for TCP, over its criteria for a loss. Beside it stand R at the printed rate
    and the share of the load that is carried there.
    """

    def assess(context: Context) -> Finding:
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

    return assess


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


def fairer(name: str, ks: tuple[int, ...], sign: int, loads: tuple[float, ...] = LOADS) -> Assessment:
    """Return the assessment of which scheme is fairer.

    With ``sign`` 1 the claim is that BLT is fairer, with -1 that TCP is.
    """

    def assess(context: Context) -> Finding:
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

    return assess


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
    """Assess section 5.2.2: self-similar interference costs TCP more of its power than BLT, beside a Poisson one."""
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


LATER: dict[str, Assessment] = {
    "TCP sends its windows one round trip after the other, BLT all at once": streams,
    "BLT will not work if a multiplexing point does not discard by priority": multiplexer,
    "an abusive source of highest priority passes its packets before others": abuse,
    "self-similar interference: TCP fails to exploit fluctuations, BLT exploits them": interference,
}
