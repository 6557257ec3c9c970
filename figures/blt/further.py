"""BLT in situations that its authors left to later work: ratios of BLT's greatest power to CUBIC's.

The situations are those of Kim and Farber (1994), sections 3.3.4, 4.3.3 and 5.2; ``blt_further.md`` has the numbers.
Run with ``python -m figures.blt.further``; it takes some minutes; ``--store DIRECTORY`` keeps finished runs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.blt.networks import MBIT
from figures.blt.runs import WARM_UP, greatest_of_each, of_files, ratio, ratio_text
from figures.writing import Part, Picture
from longfat.base.text_tables import markdown
from longfat.plot.axes import log_ticks

RATE, ROUND_TRIP, PACKET, SIZE = 100 * MBIT, 0.02, 1500, 1e5  # of every bottleneck; bytes
BUFFER = round(RATE * ROUND_TRIP / PACKET)  # packets: a bandwidth-delay product
FASTER = 10.0  # rate of each source's access link over that of a bottleneck
REPLICATIONS, CONFIDENCE = 5, 0.99
LOADS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
TRANSFERS = 2000  # least number of files in a run
SOURCES, HURST = 10, 0.8  # sources and Hurst parameter of self-similar interference
ABUSE = 0.2  # share of the files that an abusive source sends


@dataclass(frozen=True)
class Variant:
    """One situation: files of one size arrive at random, in equal numbers over all links and over each single link.

    Parameters
    ----------
    words : str
        Description in the table.
    section : str
        Section of the paper.
    honours : tuple of bool
        Whether each bottleneck discards by priority; otherwise it is a drop-tail queue.
    ack_loss : float
        Probability with which an acknowledgment is lost [1].
    interference : float
        Self-similar load of other traffic, of the highest priority, over the rate of the link.
    abusive : bool
        Whether a part of BLT's sources marks every packet with the highest priority.
    """

    words: str
    section: str
    honours: tuple[bool, ...] = (True,)
    ack_loss: float = 0.0
    interference: float = 0.0
    abusive: bool = False


VARIANTS: dict[str, Variant] = {
    "one": Variant("one bottleneck", "4.1"),
    "ignored": Variant("one, priorities ignored", "3.3.4", (False,)),
    "three": Variant("three in a row", "4.3.3", (True,) * 3),
    "three, one ignores": Variant("three, the second ignores priorities", "3.3.4, 5.2.5", (True, False, True)),
    "three, all ignore": Variant("three, all ignore priorities", "3.3.4", (False,) * 3),
    "acks 1 %": Variant("1 % of acknowledgments lost", "ours", ack_loss=0.01),
    "acks 10 %": Variant("10 % of acknowledgments lost", "ours", ack_loss=0.1),
    "acks 30 %": Variant("30 % of acknowledgments lost", "ours", ack_loss=0.3),
    "self-similar": Variant("self-similar load of 0.3", "5.2.2", interference=0.3),
    "abusive": Variant("a fifth of the files is abusive", "3.3.4", abusive=True),
}
#: Scheme of every competitor. In rate-based BLT (section 5.2.1) the priorities alternate.
LABELS = {"BLT": "blt", "rate-based BLT": "blt-rate", "CUBIC": "cubic"}
RIVAL = "CUBIC"
MARKERS = "os"


def network(variant: Variant, scheme: str, load: float) -> lf.sim.Network:
    """Return the links of a situation with files of one scheme; "files" cross all links."""
    hops = len(variant.honours)
    net, nodes = lf.sim.Network(), [f"n{k}" for k in range(hops + 1)]
    blt = scheme.startswith("blt")
    delay = ROUND_TRIP / 2 / hops
    for k, honours in enumerate(variant.honours):
        discipline = "priority-discard" if blt and honours else "fifo"
        net.link(nodes[k], nodes[k + 1], rate=RATE, delay=delay, buffer=BUFFER, discipline=discipline)
        net.link(nodes[k + 1], nodes[k], rate=FASTER * RATE, delay=delay, loss=1 - (1 - variant.ack_loss) ** (1 / hops))
    kept = 1 - ABUSE if variant.abusive else 1.0
    # Each link has the whole load: half of it by files that cross all of several links.
    share = (load if hops == 1 else load / 2) * kept
    add(net, scheme, share, "files", nodes)
    if hops > 1:
        for k in range(hops):
            add(net, scheme, load - share, f"cross {k}", nodes[k : k + 2])
    if variant.abusive:
        # Bully-tyrant sends the same bursts; all its packets have the highest priority.
        add(net, "bully-tyrant" if blt else scheme, load * ABUSE, "abusive", nodes)
    if variant.interference:
        peak = variant.interference * RATE * 2 / SOURCES  # each source sends half of the time
        source = lf.sim.traffic.self_similar(peak, HURST, 0.02, 0.02)
        net.flow(source, path=nodes[:2], packet=PACKET, count=SOURCES)
    return net


def add(net: lf.sim.Network, scheme: str, load: float, name: str, path: list[str]) -> None:
    """Add files that arrive at random, each from its own source."""
    net.flow(
        lf.sim.traffic.arrivals(load * RATE / SIZE, scheme), name=name, path=path, packet=PACKET, file=SIZE,
        access_rate=FASTER * RATE,
    )  # fmt: skip


def observe(load: float, *, name: str, rng: Any) -> dict[str, float]:
    """Return power, response time and loss of the files that cross all links, for every competitor."""
    variant, seed = VARIANTS[name], int(rng.integers(2**31))
    seen: dict[str, float] = {}
    for k, scheme in enumerate(LABELS.values()):
        net = network(variant, scheme, load)
        end = TRANSFERS * SIZE / (load * RATE) / (0.5 if len(variant.honours) > 1 else 1.0)
        data = lf.sim.run(net, duration=end, warm_up=WARM_UP * end, rng=seed, progress=False)
        one = of_files(data.sel(flow="files"), SIZE, (1 - WARM_UP) * end)
        seen |= {f"{what}_{k}": one[what] for what in ("power", "response_time", "loss")}
        abusive = float(data.sel(flow="abusive").transfer_time) if variant.abusive else np.nan
        seen[f"abusive_time_{k}"] = abusive
    return seen


def simulate(store: str | Path | None = None) -> dict[str, xr.Dataset]:
    """Simulate all situations; the ratios are those of the greatest powers, with intervals."""
    rows = []
    for name in VARIANTS:
        data = lf.sweep(
            functools.partial(observe, name=name), {"load": LOADS}, replications=REPLICATIONS, rng=1, keep=True,
            store=None if store is None else Path(store) / name.replace(" ", "-"), progress=False,
        )  # fmt: skip
        rows.append(summary(data))
        print(name, np.round(rows[-1].ratio.values, 3).tolist(), flush=True)
    found = xr.concat(rows, "variant").assign_coords(variant=list(VARIANTS), label=list(LABELS))
    for variable in found.data_vars:
        found[variable].attrs["units"] = "s" if "time" in str(variable) else "bytes/s^2" if variable == "power" else "1"
    return {"blt_further": found}


def summary(data: xr.Dataset) -> xr.Dataset:
    """Return the greatest power of every competitor, and its ratio to the rival's with an interval."""
    best, at = zip(*greatest_of_each(data, len(LABELS)), strict=True)
    spans = [ratio(one, best[list(LABELS).index(RIVAL)], CONFIDENCE) for one in best]
    found: dict[str, Any] = {
        name: ("label", [float(data[f"{name}_{k}"][at[k]]) for k in range(len(LABELS))])
        for name in ("power", "response_time", "loss", "abusive_time")
    }
    for name in ("response_time", "abusive_time"):
        found[f"last_{name}"] = ("label", [float(data[f"{name}_{k}"][-1]) for k in range(len(LABELS))])
    found["load"] = ("label", [LOADS[place] for place in at])
    for name, part in {"ratio": "value", "ratio_lower": "lower", "ratio_upper": "upper"}.items():
        found[name] = ("label", [getattr(span, part) for span in spans])
    return xr.Dataset(found)


def draw_ratios(data: xr.Dataset, ax: Any) -> None:
    """Draw the ratios with their intervals, a row for each situation."""
    places = np.arange(len(VARIANTS))
    for k, label in enumerate([one for one in LABELS if one != RIVAL]):
        one = data.sel(label=label)
        bars = [np.maximum(one.ratio - one.ratio_lower, 0), np.maximum(one.ratio_upper - one.ratio, 0)]
        ax.errorbar(
            one.ratio, places + 0.15 * (2 * k - 1), xerr=bars, ls="", marker=MARKERS[k], color=f"C{k}", ms=5, capsize=3,
            label=label,
        )  # fmt: skip
    ax.axvline(1, color="0.4", lw=0.8, label=RIVAL)
    ax.set_yticks(places, [one.words for one in VARIANTS.values()])
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="greatest power over CUBIC's [1]")
    log_ticks(ax.xaxis)
    ax.legend()


def time(seconds: Any) -> str:
    """Return a time in milliseconds as text; "none" if no file is complete in one of the runs."""
    return "none" if not seconds > 0 else f"{1e3 * float(seconds):.3g} ms"


def text(data: xr.Dataset) -> str:
    """Return the page with the numbers."""
    lines = [
        "# BLT further", "",
        "The greatest network power of Kim and Farber's BLT over CUBIC's, in situations that the paper leaves to later "
        f"work. Files of {SIZE / 1e3:g} kB arrive at random at bottlenecks of {RATE / MBIT:g} Mbit/s with a round trip "
        f"of {1e3 * ROUND_TRIP:g} ms in all, buffers of {BUFFER} packets each, and access links {FASTER:g} times as "
        "fast. Of three bottlenecks each has the whole load; half of it are files that cross all of them, and these "
        "are counted. CUBIC has drop-tail queues everywhere. Brackets: "
        f"{100 * CONFIDENCE:g} % intervals of {REPLICATIONS} runs; **ahead** and *behind* where an interval excludes "
        "1. Response time and waste, the share of lost packets, at the load of each scheme's greatest power, and "
        f"response times at a load of {LOADS[-1]:g}; none: in one of the runs no file was complete.", "",
    ]  # fmt: skip
    heads = [
        "situation", "section", "BLT", "rate-based BLT", "BLT's load", "response time", "waste", "CUBIC's load",
        "response time", f"BLT at {LOADS[-1]:g}", f"CUBIC at {LOADS[-1]:g}",
    ]  # fmt: skip
    rows = []
    for name, variant in VARIANTS.items():
        one = data.sel(variant=name)
        blt, rival = one.sel(label="BLT"), one.sel(label=RIVAL)
        rows.append([
            variant.words, variant.section, ratio_text(blt, 2), ratio_text(one.sel(label="rate-based BLT"), 2),
            f"{float(blt['load']):g}", time(blt.response_time), f"{100 * float(blt.loss):.2g} %",
            f"{float(rival['load']):g}", time(rival.response_time), time(blt.last_response_time),
            time(rival.last_response_time),
        ])  # fmt: skip
    lines += markdown(heads, rows)
    abused = data.sel(variant="abusive", label="BLT")
    lines += [
        "", "An abusive source marks all its packets with the highest priority. Its files take "
        f"{time(abused.abusive_time)} and those of the others {time(abused.response_time)} at a load of "
        f"{float(abused['load']):g}; at {LOADS[-1]:g} it is {time(abused.last_abusive_time)} and "
        f"{time(abused.last_response_time)}.", "",
    ]  # fmt: skip
    return "\n".join(lines)


PICTURES = {
    "blt_further": Picture(
        "Greatest network power of BLT over that of CUBIC: several bottlenecks, multiplexers that ignore priorities, "
        "lost acknowledgments, self-similar interference, an abusive source.",
        draw_ratios, "blt_further", (1, 1), (8.5, 5),
        f"Files of 100 kB, 100 Mbit/s, 20 ms; bars: {100 * CONFIDENCE:g} % intervals of {REPLICATIONS} runs",
    ),
}  # fmt: skip
PART = Part(
    "figures.blt.further", simulate, {"blt_further": [("variant", "label")]}, PICTURES,
    completed=lambda data: data | {"blt_further.md": text(data["blt_further"])},
)  # fmt: skip

if __name__ == "__main__":
    PART.main()
