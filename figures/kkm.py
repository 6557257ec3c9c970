"""Kanakia, Keshav & Mishra (1992): ten complete tables, every printed cell beside ours, and figure 7.

``kkm_tables.md`` has a table for each experiment, ours and in brackets the printed number, and then the 174 printed
cells with what moves those that differ. Figure 7 has the sending rate of connection 1 under the paper's five
schemes; the paper does not say in which experiment, experiment 1 is taken. ``kkm_rates_*`` and ``kkm_queues_*`` are
the same for one cell. Run with ``python -m figures.kkm``; it takes some minutes, with ``--quick`` less than one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.writing import HERE, save, whole_figures
from longfat import benchmark
from longfat.benchmark import tables
from longfat.benchmark.printed import cells
from longfat.sim import run
from longfat.verify.published import kkm_runs as runs
from longfat.verify.published.kkm import claim

if TYPE_CHECKING:
    import xarray as xr

FIVE = ("hop-by-hop", "packet-pair", "explicit-feedback", "tahoe", "decbit")
BIN = 0.02  # s
SHOWS = {
    1: "Schemes that are told or measure their share follow every newcomer within some round trips and lose "
    "a tenth of the time; what gives way to losses alone loses hundreds of packets in slow start, and its"
    " time hangs on how often it halves.",
    2: "Ten newcomers within a round trip: the queue has to hold what is on its way. Packet-pair, which "
    "looks a round trip ahead, is later than in experiment 1; hop by hop, whose loops are short, hardly.",
    3: "What a start costs: rates that begin high need little more than the round trip, slow start a round "
    "trip for each doubling, DECbit one packet more every second round trip.",
    4: "Twice the way: fair queues hide it, windows that grow with every round trip do not.",
    5: "Where the bottleneck moves, schemes that know the slowest of all queues move with it.",
    6: "Answers that wait among data come in bunches: gaps at the sender say too much, and bits set by "
    "answers slow DECbit down.",
    7: "Traffic that nobody controls takes its part; what is left is used at once by rates, and hardly by "
    "windows that take every loss for congestion of their own.",
    8: "With a tenth of the room bursts are lost: slow start suffers most, and packet-pair of those that "
    "know their share.",
    9: "With few packets on their way most schemes come within some percent of the least time while "
    "files are long (9a); short ones (9b) show what timers cost.",
    10: "Sources that go on and off within a round trip: rates average over them, and the flow with the short"
    " way gains.",
}


def rates(variant: str = "1", names: tuple[str, ...] = FIVE, duration: float = 2.0, rng: int = 0) -> xr.Dataset:
    """Sending rate of connection 1 and queue at S1-S2 over time.

    Parameters
    ----------
    variant : str
        Of `longfat.benchmark.VARIANTS`.
    names : tuple of str
        Of `longfat.benchmark.ENTRIES`.
    duration : float
        How long [s].
    rng : int
        Seed.
    """
    import xarray as xr

    found = []
    for name in names:
        net = benchmark.build(benchmark.VARIANTS[variant], benchmark.ENTRIES[name])
        data = run(net, duration=duration, rng=rng, sample_every=BIN / 10, progress=False)
        first = next(flow for flow in net.flows if flow.name == "1").path[:2]
        sent = data.arrived_trace.sel(link="-".join(first)).values[::10]
        counted = np.diff(sent, append=sent[-1])
        counted[0] += sent[0]  # at time 0
        found.append(
            xr.Dataset(
                {
                    "sending_rate": ("time", counted / BIN, {"units": "bytes/s"}),
                    "queue": ("fine_time", data.queue_trace.sel(link="S1-S2").values, {"units": "packets"}),
                },
                coords={"time": data.time.values[::10], "fine_time": data.time.values},
            )
        )
    return xr.concat(found, xr.DataArray(list(names), dims="scheme", name="scheme"))


def draw_rates(data: xr.Dataset, axes: Any, title: str) -> None:
    """A panel for each scheme: what connection 1 sends."""
    for ax, name in zip(axes, data.scheme.values, strict=True):
        row = data.sel(scheme=name)
        ax.step(1e3 * row.time, 8e-6 * row.sending_rate, where="post", lw=1)
        ax.axhline(40, color="0.6", lw=0.7, ls=":")
        ax.text(0.99, 0.9, benchmark.ENTRIES[str(name)].label, transform=ax.transAxes, ha="right", va="top")
        ax.set(ylim=(0, None), xlim=(0, 1e3 * float(row.time[-1])))
    axes[-1].set_xlabel("time [ms]")
    axes[0].set_title(title)
    axes[0].figure.supylabel("sending rate [Mbit/s]", fontsize="medium")


def draw_queues(data: xr.Dataset, axes: Any, title: str) -> None:
    """A panel for each scheme: what waits at the bottleneck."""
    for ax, name in zip(axes, data.scheme.values, strict=True):
        row = data.sel(scheme=name)
        ax.plot(1e3 * row.fine_time, row.queue, lw=0.8, color="C1")
        ax.text(0.99, 0.9, benchmark.ENTRIES[str(name)].label, transform=ax.transAxes, ha="right", va="top")
        ax.set(ylim=(0, None), xlim=(0, 1e3 * float(row.fine_time[-1])))
    axes[-1].set_xlabel("time [ms]")
    axes[0].set_title(title)
    axes[0].figure.supylabel("waiting packets", fontsize="medium")


def every_cell(data: xr.Dataset, rng: int, switch: bool = True) -> list[tables.Table]:
    """The printed cells with a number, ours, the difference, and the reading that moves those off by more than 10 %."""
    lines = []
    ours = {
        (one.experiment, one.scheme, one.metric, one.connection, one.load_or_size): one for one in tables.rows(data)
    }
    for one in cells():
        found = ours.get((*one.key[:4], "scaled" if one.experiment == 9 else one.load_or_size))
        if not one.value or found is None or found.value is None:
            continue
        printed = one.milliseconds or 0.0
        if one.misprint:
            lines.append([claim(one), f"{printed:g}", "", "", one.note])
            continue
        off = f"{100 * (found.value / printed - 1):+.1f} %" if printed else f"{found.value:+.3g} ms"
        moved = ""
        if abs(found.value - printed) > runs.WITHIN * printed and switch:
            moved = runs.explained(one, data.attrs["replications"], rng).text
        lines.append([claim(one), f"{printed:g}", f"{found.value:.4g}", off, moved])
    heads = ["cell", "printed", "ours", "difference", "what moves it there, where it is more than 10 %"]
    return [tables.Table("Every printed cell; ms", heads, lines)]


def text(data: xr.Dataset, listed: list[tables.Table]) -> str:
    """``kkm_tables.md``."""
    parts = [
        "# Kanakia, Keshav & Mishra (1992): the benchmark, complete",
        "",
        "Ours, and in brackets what is printed. After ±: the standard deviation over "
        f"{data.attrs['replications']} runs in experiment 7, else half of the 95 % interval where there is chance. "
        "The delay is that of single packets while connection 1 lasts, without what the empty network takes. The rank "
        "is by the mean ratio to the shortest time. Experiment 7 has all sources from the beginning on; 9 is run as "
        "printed and with scaled files. A time below the optimal one is that of a scheme that takes more than its "
        "share.",
        "",
    ]
    for one in tables.tables(data):
        experiment = int(one.title.split()[1].rstrip(":"))
        parts += [tables.to_markdown([one]).rstrip(), "", SHOWS[experiment], ""]
    return "\n".join([*parts, tables.to_markdown(listed)])


def write(
    directory: str | Path = HERE,
    replications: int = 10,
    quick: bool = False,
    rng: int = 0,
    store: str | Path | None = None,
) -> xr.Dataset:
    """Simulate, draw and write the tables, figure 7 and the pictures of a cell.

    Parameters
    ----------
    directory : str or Path
        Where.
    replications : int
        Runs of each cell in which there is chance.
    quick : bool
        Experiments 3 and 9b and the paper's five schemes alone, to see that all works.
    rng : int
        Seed.
    store : None, str or Path
        A directory for finished runs of the benchmark, to go on from.
    """
    import matplotlib.pyplot as plt

    names = ("optimal", *FIVE) if quick else None
    experiments = ["3", "9b"] if quick else None
    data = benchmark.run(
        experiments, names, replications=replications, rng=rng, store=store, progress=not quick
    )  # fmt: skip
    listed = every_cell(data, rng, switch=not quick)
    cell, shown = ("9b", FIVE[:2]) if quick else ("2", FIVE)
    drawn = {
        "kkm_7": (rates("1", shown, 0.3 if quick else 2.0, rng), draw_rates,
                  "Kanakia, Keshav & Mishra, figure 7, simulated: experiment 1, connection 1"),
        f"kkm_rates_{cell}": (rates(cell, shown, 0.3 if quick else 2.0, rng), draw_rates,
                              f"Experiment {cell}: what connection 1 sends"),
    }  # fmt: skip
    drawn[f"kkm_queues_{cell}"] = (
        drawn[f"kkm_rates_{cell}"][0], draw_queues, f"Experiment {cell}: packets waiting at the bottleneck"
    )  # fmt: skip
    with whole_figures(directory) as files:
        for name, (traces, draw, title) in drawn.items():
            figure, axes = plt.subplots(len(shown), 1, sharex=True, figsize=(7.2, 1.7 * len(shown)))
            draw(traces, axes, title)
            save(files, figure, name)
            traces.to_netcdf(files.path(f"{name}.nc"))
        data.to_netcdf(files.path("kkm.nc"))
        files.path("kkm_tables.md").write_text(text(data, listed), encoding="utf-8")
    return data


if __name__ == "__main__":
    quick = "--quick" in sys.argv[1:]
    write(quick=quick, replications=2 if quick else 10)
