"""Kanakia, Keshav & Mishra (1992): ten complete tables, every printed cell beside ours, and figure 7.

``kkm_tables.md`` has a table for each experiment, with our values and the printed ones in brackets, then the 174
printed cells with the verdicts and reasons of the scoreboard, from the same runs, and how many printed numbers a scheme
meets with one of its rules changed. The paper does not say in which experiment it has drawn figure 7; we take
experiment 1. Run with ``python -m figures.kkm``; it takes some minutes.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.claims import Context
from figures.kkm import claims as kkm
from figures.kkm import runs
from figures.writing import Part, Picture
from longfat import benchmark, sim
from longfat.benchmark import tables
from longfat.benchmark.tables import cells
from longfat.plot import nth_colour

if TYPE_CHECKING:
    import xarray as xr

FIVE = ("hop-by-hop", "packet-pair", "explicit-feedback", "tahoe", "decbit")
REPLICATIONS = 10  # of each random cell
ORDERED = (1, 2, 5)  # experiments whose order is a row of the scoreboard
ASKS = {
    1: "Does a scheme adapt to new flows that start a round trip apart?",
    2: "Ten new flows within a round trip: does the buffer hold what is in flight?",
    3: "What does the start-up of a flow cost?",
    4: "Does twice the round-trip time mean twice the transfer time?",
    5: "Does a scheme adapt when the bottleneck moves?",
    6: "Does a scheme tolerate bunched acknowledgments?",
    7: "How much throughput does a scheme get beside uncontrolled traffic?",
    8: "How does a scheme perform with a tenth of the buffers?",
    9: "How does a scheme perform with few packets in flight, in long files (9a) and short ones (9b)?",
    10: "Does a scheme tolerate sources that go on and off within a round trip?",
}


def shows(experiment: int, data: xr.Dataset) -> str:
    """Summarise an experiment: times relative to the optimal ones, losses, and the paper's order of the schemes."""
    mine = data.isel(variant=np.flatnonzero(data.experiment.values == experiment))
    labels = dict(zip(data.scheme.values, data.label.values, strict=True))
    ratios = (mine.transfer_time / mine.transfer_time.sel(scheme="optimal")).mean(("variant", "connection"))
    done = np.isfinite(mine.transfer_time).any("connection").all("variant")
    score = {str(name): float(ratios.sel(scheme=name)) for name in data.scheme.values if bool(done.sel(scheme=name))}
    order = sorted((name for name in score if name != "optimal"), key=score.__getitem__)
    parts = [
        "Transfer times relative to the optimal ones: "
        + ", ".join(f"{labels[name]} {score[name]:.3g}" for name in order)
        + "."
    ]
    lost = mine.dropped.mean("variant")
    losers = sorted(
        (name for name in order if lost.sel(scheme=name) > 0), key=lambda name: float(lost.sel(scheme=name))
    )
    words = ", ".join(f"{labels[name]} {float(lost.sel(scheme=name)):.3g}" for name in losers)
    parts.append(f"Packets lost in a run: {words}; none with the others." if losers else "No packets are lost.")
    printed = _printed_scores(experiment)
    theirs = sorted((name for name in printed if name in score), key=printed.__getitem__)
    pairs = [(one, other) for k, one in enumerate(theirs) for other in theirs[k + 1 :] if score[one] > score[other]]
    if experiment in ORDERED:
        parts.append("The scoreboard says whether the paper's order of the schemes holds, over runs with send jitter.")
    elif len(theirs) > 1:
        said = ", ".join(str(labels[name]) for name in theirs)
        wrong = ", ".join(f"{labels[other]} is faster than {labels[one]}" for one, other in pairs)
        parts.append(
            f"In these runs the paper's order, {said}, " + (f"holds except that {wrong}." if pairs else "holds.")
        )
    return " ".join(parts)


def _printed_scores(experiment: int) -> dict[str, float]:
    """Return the mean printed time of each scheme, relative to the least of its column.

    Only schemes with a number in every column are included.
    """
    times: dict[tuple[str, str], dict[str, float]] = {}
    for one in cells():
        usable = one.experiment == experiment and one.value and not one.misprint and one.scheme != "optimal"
        if usable and one.metric in ("transfer_time", "transfer_time_mean"):
            times.setdefault((one.connection, one.load_or_size), {})[runs.LABELS[one.scheme]] = float(one.value)
    most = {name for column in times.values() for name in column}
    complete = [name for name in most if all(name in column for column in times.values())]
    return {
        name: sum(column[name] / min(column.values()) for column in times.values()) / len(times) for name in complete
    }


def every_cell(context: Context) -> list[tables.Table]:
    """Return the printed cells with our values and verdicts, and the numbers that schemes meet with one rule changed.

    The scale and the seed are those of the scoreboard.
    """
    found = kkm.cell_findings(context)
    values = {kkm.claim(one): f"{one.value} {runs.unit(one)}" for one in cells()}
    lines = [[name, values[name], one.ours, one.verdict, one.reason] for name, one in found.items()]
    heads = ["cell", "printed", "ours", "verdict", "reason"]
    rules = ["scheme", "rule changed", "printed numbers", "met by the benchmark's setting", "met with the rule changed"]
    return [
        tables.Table("Every printed cell", heads, lines),
        tables.Table("One rule of a scheme changed in all experiments", rules, kkm.of_all_cells(context, found)),
    ]


def text(data: xr.Dataset, listed: list[tables.Table]) -> str:
    """Return the content of ``kkm_tables.md``."""
    parts = [
        "# Kanakia, Keshav & Mishra (1992): the benchmark, complete",
        "",
        "Our values, with the printed ones in brackets. After ±: the standard deviation over "
        f"{data.attrs['replications']} runs in experiment 7, otherwise half of the 95 % interval of random runs. "
        f"The list of printed cells has {runs.GROUPS} groups of as many runs in experiment 7, of which the tables have "
        "the first; its standard deviations of the transfer time are the mean of those of the groups. "
        "The delay is that of single packets while connection 1 lasts, less that of the empty network, or for hbh and "
        "e2e-ef less propagation only; transfer times are measured without these packets. The rank is by the mean "
        "ratio to the shortest time. In experiment 7 all sources are active from the beginning; experiment 9 is run as "
        "printed and with scaled files. A time below the optimal one belongs to a scheme that takes more "
        "than its fair share. The paper prints 0 and does not define the delay of the optimal scheme, so that we "
        "have none. The verdicts follow the rule of the [scoreboard](../scoreboard.md).",
        "",
    ]
    for one in tables.tables(data):
        experiment = int(one.title.split()[1].rstrip(":"))
        parts += [tables.to_markdown([one]).rstrip(), "", f"{ASKS[experiment]} {shows(experiment, data)}", ""]
    return "\n".join([*parts, tables.to_markdown(listed)])


def over_time(data: xr.Dataset, axes: Any, title: str, *, queues: bool) -> None:
    """Draw the sending rate of connection 1, or the queue of the bottleneck, over time, in a panel for each scheme."""
    for ax, name in zip(axes, data.scheme.values, strict=True):
        row = data.sel(scheme=name)
        time = 1e3 * (row.fine_time if queues else row.time)
        if queues:
            ax.plot(time, row.queue, lw=0.8, color=nth_colour(1))
        else:
            ax.step(time, 8e-6 * row.sending_rate, where="post", lw=1, color=nth_colour(0))
            ax.axhline(40, color="0.6", lw=0.7, ls=":")
        ax.set(ylim=(0, None), xlim=(0, float(time[-1])))
        label = str(row.label.item())  # the paper's, preceded by the scheme's name if it lacks that
        ax.set_title(label if name in label else f"{name} ({label})", fontsize="small", loc="left")
    if not queues:
        axes[0].annotate(
            "bottleneck", (1, 40), (-2, 2), ("axes fraction", "data"), "offset points", ha="right", fontsize="x-small"
        )
    axes[-1].set_xlabel("time [ms]")
    axes[0].set_title(f"{title}\n{axes[0].get_title(loc='left')}", fontsize="medium", loc="left")
    axes[0].figure.supylabel(
        "queue at the bottleneck [packets]" if queues else "sending rate [Mbit/s]", fontsize="medium"
    )


def traces(variant: str, names: Sequence[str], duration: float, *, rng: int) -> xr.Dataset:
    """Simulate schemes; return connection 1's sending rate [bytes/s] and the queue at S1-S2 [packets] over time.

    ``time`` [s] is the start of each interval of the rates; queues at ``fine_time`` [s] are sampled ten times as often.
    """
    import xarray as xr

    interval, found = 0.02, []
    entries = [benchmark.entry(name) for name in names]
    for one in entries:
        net = benchmark.build(benchmark.VARIANTS[variant], one)
        data = sim.run(net, duration=duration, rng=rng, sample_every=interval / 10, progress=False)
        first = next(flow for flow in net.flows if flow.name == "1").path[:2]
        sent = data.arrived_trace.sel(link="-".join(first)).values[::10]
        counted = np.diff(sent, append=sent[-1])
        counted[0] += sent[0]  # the packets sent at time 0
        found.append(
            xr.Dataset(
                {
                    "sending_rate": ("time", counted / interval, {"units": "bytes/s"}),
                    "queue": ("fine_time", data.queue_trace.sel(link="S1-S2").values, {"units": "packets"}),
                },
                coords={"time": data.time.values[::10], "fine_time": data.time.values},
            )
        )
    made = xr.concat(found, xr.DataArray(list(names), dims="scheme", name="scheme"))
    made = made.assign_coords(label=("scheme", [one.label for one in entries]))
    made.attrs |= {"variant": variant, "interval": interval, "seed": rng}
    return made


def simulate(store: str | Path | None = None) -> dict[str, Any]:
    """Simulate the tables, figure 7 and the pictures of experiment 2; finished runs of the benchmark are stored."""
    data = benchmark.run(replications=REPLICATIONS, rng=0, store=store)
    listed = every_cell(Context(1e6 * REPLICATIONS, 0))
    drawn = {name: traces(variant, FIVE, 2.0, rng=0) for name, variant in (("kkm_7", "1"), ("kkm_rates_2", "2"))}
    return drawn | {"kkm": data, "kkm_tables.md": text(data, listed)}


def picture(caption: str, of: str, title: str, queues: bool = False) -> Picture:
    """Return a picture of five panels over time."""
    drawn = functools.partial(over_time, title=title, queues=queues)
    return Picture(caption, drawn, of, (5, 1), (7.2, 9.5), options={"sharex": True})


PICTURES = {
    "kkm_7": picture(
        "Sending rate of connection 1 in experiment 1 under the paper's five schemes.", "kkm_7",
        "Kanakia, Keshav & Mishra, figure 7, simulated: experiment 1, connection 1",
    ),
    "kkm_rates_2": picture(
        "Experiment 2, ten new flows within a round trip: sending rate of connection 1.", "kkm_rates_2",
        "Experiment 2: sending rate of connection 1",
    ),
    "kkm_queues_2": picture(
        "Experiment 2: queue length at the bottleneck.", "kkm_rates_2",
        "Experiment 2: queue length at the bottleneck", queues=True,
    ),
}  # fmt: skip
TRACES = [("scheme",), ("scheme", "fine_time"), ("scheme", "time")]
PART = Part("figures.kkm", simulate, {"kkm_7": TRACES, "kkm_rates_2": TRACES}, PICTURES)
