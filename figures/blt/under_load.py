"""Kim and Farber's claims about one network under load: response time, utilisation, fairness, Bully-Tyrant."""

from __future__ import annotations

import math

import numpy as np

from figures.blt.measured import (
    COUNTED,
    TCP_LITERAL,
    as_printed,
    at_load,
    counted_size,
    counted_text,
    is_small,
    mapped,
    mean,
    numbers_text,
    paired,
    point_text,
    power_of_ten,
    scale_text,
    swept,
    text,
    texts,
)
from figures.blt.runs import losing_together
from figures.blt.scenarios import SETS, Path
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import (
    Difference,
    Estimate,
    Quantity,
    Spread,
    Statement,
    Together,
    difference,
    printed,
)
from longfat.sim.runs.statistics import replications as interval

LOADS = (0.3, 0.45, 0.6, 0.75)  # at which utilisation and fairness are compared: loaded, but not overloaded
FAST_LOADS = (0.6, 0.75, 0.85)  # at 1 Gbit/s, where nothing is lost at smaller loads
EVERY_DUPLICATE = "every duplicate ACK a loss (footnote 5)"
REFERENCE = SETS["reference"][0]


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
        return power_of_ten(mapped(lambda x: x + 2.0, mean(log[0] - log[1])))

    loads = (0.1, 0.2, 0.4, 0.6, 0.8)
    number = printed("200", bound="at least")
    found = [faster("TCP", load) for load in loads]
    return judged(
        Together(tuple(Quantity(number, one) for one in found)),
        ", ".join(f"{REFERENCE.most_arrivals * load:g}/s: {text(one, 0)} %"
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
    for run in times.values:
        rise = np.log(run / run[0])
        beyond = int(np.argmax(rise >= np.log(factor)))
        if beyond == 0:  # nowhere
            return Estimate(math.inf)
        part = (np.log(factor) - rise[beyond - 1]) / (rise[beyond] - rise[beyond - 1])
        rates.append(loads[beyond - 1] + part * (loads[beyond] - loads[beyond - 1]))
    return mapped(lambda x: x * REFERENCE.most_arrivals, mean(rates))


def _rate_text(context: Context, label: str, rate: Estimate) -> str:
    """Return an arrival rate as text, or the largest one of the sweep if it lies beyond."""
    last = float(swept(context, label, "reference")["load"][-1]) * REFERENCE.most_arrivals
    return text(rate, 1) if math.isfinite(rate.value) else f"more than {last:.1f}"


def diverges(label: str, value: str) -> Assessment:
    """Return the assessment of the arrival rate at which R diverges, by one criterion for both schemes.

    R exceeds three times its value at 3.75/s, where the network is nearly empty. The paper has no criterion; the range
    is that over factors of 2 to 10 and, for TCP, over what it takes for a loss. Beside it stand R at the printed rate
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
    count = 4 if is_small(context) else 10
    for label in ("TCP", "BLT"):
        seeds = np.random.SeedSequence([context.seed, 8]).spawn(count)
        found = [losing_together(label, REFERENCE, 0.5, rng=one) for one in seeds]
        losing, active = (interval([one[name] for one in found]).mean for name in ("losing", "active"))
        shares[label] = mean([one["share"] for one in found])
        words.append(f"{label} {losing:.1f} of {active:.1f}, a share of {text(shares[label])}")
    return judged(
        Difference((difference(shares["TCP"], shares["BLT"]),)),
        "connections that lose packets in a round trip with losses: " + "; ".join(words),
        "the paper has no measure of synchronisation and draws one section of one run; by losses in the same round "
        "trip it is BLT's connections that lose together, because they send whole bursts",
        scale=f"{count} runs of 300 round trips at half of the capacity, seed {context.seed}",
    )


def _of_capacity(throughput: Estimate, path: Path) -> Estimate:
    """Return a throughput [bytes/s] as a share of the bottleneck's capacity."""
    return mapped(lambda x: x / path.capacity, throughput)


def more_throughput(context: Context) -> Finding:
    """Assess figure 9: BLT has more throughput than TCP at large loads."""
    found = [_of_capacity(paired(context, path, 0.85, "throughput", "BLT", "TCP"), path) for path in SETS["reference"]]
    loads = counted_size(is_small(context))["loads"][-2:]
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
            Difference((mapped(lambda x: x - 1.0, above),)),
        )),
        f"load 0.1: Bully-Tyrant's power is {text(near, 3)} of BLT's and {text(above)} times TCP's",
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
