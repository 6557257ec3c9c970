"""Gong & Parulkar, figures 17, 18 and 19: receive buffers below the window; and why soft acknowledgment fails.

The path is that of figure 14, the window 2.5 w_a, the buffers 0.25, 0.5, 1.0 and 2.5 w_a. The paper simulates 10^7
packets a point, which is a hundred losses only at p = 1e-5; here every point has ten runs of that length. Run with
``python -m figures.gong_parulkar.receive_buffers``; it takes about a minute.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import xarray as xr

from figures.gong_parulkar import runs
from figures.gong_parulkar.runs import PATH, WIDE
from figures.writing import Part, Picture, bars
from longfat.segments import simulate, trace
from longfat.segments.simulating import ListedLosses, Strategy

BUFFERS = list(runs.BUFFERS.values())
LOSSES = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
EXPERIMENTS: dict[str, dict[str, Any]] = {
    "window = buffer": {"window": BUFFERS},
    "hard": {"window": WIDE, "receive_buffer": BUFFERS},
    "soft": {"window": WIDE, "receive_buffer": BUFFERS, "ack": "soft"},
    "hard, asks when free": {"window": WIDE, "receive_buffer": BUFFERS, "ask_again": "when free"},
}
LOOKS: list[dict[str, Any]] = [  # one for each buffer
    {"color": f"C{k}", "ls": line, "marker": marker, "lw": 1.4, "ms": 5.5, "mfc": "none", "mew": 1.2}
    for k, (line, marker) in enumerate(zip(("-", "--", "-.", ":"), "osD^", strict=True))
]
LOST = 100  # segment shown in the picture of one loss
PICTURED_BUFFER = BUFFERS[1]
PACKETS, REPLICATIONS = 1e8, 10  # packets and replications of each point
PATH_TEXT = f"150 Mbit/s, 20 ms, 16-packet segments, w_a = {PATH.ack_segments:.2f} segments"


def figures_17_to_19(packets: float = PACKETS, rng: int = 17) -> xr.Dataset:
    """Simulate the paper's three experiments and another interpretation of hard acknowledgment.

    The results are along ``experiment``; every experiment has the same random numbers. Ten runs together deliver
    ``packets`` packets at each point.
    """
    found = []
    for settings in EXPERIMENTS.values():
        data = simulate(
            **settings,
            loss=LOSSES,
            segment_packets=PATH.segment_packets,
            ack_segments=PATH.simulated_ack_segments,
            segments=ceil(packets / PATH.segment_packets),
            replications=REPLICATIONS,
            rng=rng,
        )
        if "receive_buffer" not in data.dims:
            data = data.assign_coords(receive_buffer=data.window).swap_dims(window="receive_buffer")
        wide = xr.ones_like(data.receive_buffer)
        found.append(data.drop_vars("window").assign(window=data.window * wide, segments=data.segments * wide))
    names = xr.DataArray(list(EXPERIMENTS), dims="experiment", name="experiment")
    both = xr.concat(found, names, combine_attrs="drop_conflicts")
    return both.assign_attrs(packets=packets, **_times())


def _times() -> dict[str, float]:
    return {"packet_time": PATH.packet / PATH.rate, "round_trip_time": PATH.round_trip_time}


def one_loss(ack: Strategy, segments: int = LOST + 300) -> xr.Dataset:
    """Trace every group of segments after one lost packet.

    Times are in segment times since the loss, segments are counted from the lost one.
    """
    s = PATH.segment_packets
    data = trace(
        window=WIDE,
        receive_buffer=PICTURED_BUFFER,
        loss=ListedLosses([s * LOST + 5]),
        segment_packets=s,
        ack_segments=PATH.simulated_ack_segments,
        ack=ack,
        segments=segments,
    )
    data = data.assign(start=data.start / s - LOST, end=data.end / s - LOST)
    data = data.assign(segment=data.segment - LOST, edge=data.edge - LOST)
    # A group was stored in vain if all of its segment is retransmitted later.
    order = {int(n): i for i, n in enumerate(data.segment.values) if data.packets.values[i] == s}
    again = [order.get(int(n), -1) > i for i, n in enumerate(data.segment.values)]
    return data.assign(sent_again=("group", again))


def _families(ax: Any, data: xr.Dataset, lines: str, points: str, name: str, scale: float = 1.0) -> None:
    """Draw one experiment as lines and another as points, with a style for each buffer."""
    for buffer, look in zip(BUFFERS, LOOKS, strict=True):
        row = data.sel(receive_buffer=buffer)
        bars(ax, row.loss, row.sel(experiment=lines), name, scale, **look | {"marker": ""})
        bars(ax, row.loss, row.sel(experiment=points), name, scale, **look | {"ls": ""})
    ax.set(xlabel="packet loss probability [1]", xscale="log", xlim=(6e-6, 1.7e-1))


def _legend(figure: Any, lines: str, points: str) -> None:
    """Add a legend of the buffers' styles below the axes, where there are no data."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **look) for look in LOOKS]
    labels = [f"{share:g} w_a = {buffer} segments" for share, buffer in runs.BUFFERS.items()]
    title = f"receive buffer; lines: {lines}; points: {points}; bars: 95% intervals"
    figure.legend(
        handles, labels, title=title, loc="outside lower center", ncols=2, handlelength=3.2, title_fontsize="small"
    )


def draw_17(data: xr.Dataset, axes: Any) -> None:
    """Draw the wide window against one of the buffer's size; right: for the other interpretation."""
    left, right = axes
    for ax, lines in ((left, "hard"), (right, "hard, asks when free")):
        _families(ax, data, lines, "window = buffer", "throughput_efficiency")
    left.set(ylabel="throughput efficiency [1]", ylim=(0, 1.05), title="Discarded segments are requested at once")
    right.set_title("Alternative: requested when the buffer has room")
    right.text(0.03, 0.66, "no gain at 0.25 and 0.5 w_a;\nthe paper has a gain of over\n70% at 0.25 w_a, p = 1e-5",
               transform=right.transAxes, va="top", fontsize="small")  # fmt: skip
    _legend(left.figure, "window 2.5 w_a", "window = buffer")
    left.figure.get_layout_engine().set(rect=(0, 0, 0.99, 1))  # for the last tick label


def draw_18(data: xr.Dataset, ax: Any) -> None:
    """Draw the efficiencies of hard and soft acknowledgment."""
    _families(ax, data, "hard", "soft", "throughput_efficiency")
    ax.set(ylabel="throughput efficiency [1]", ylim=(0, 1.05))
    ax.set_title(
        "Gong & Parulkar, figure 18, simulated: hard against soft acknowledgment, window 2.5 w_a\n" + PATH_TEXT
    )
    _legend(ax.figure, "hard", "soft")


def draw_19(data: xr.Dataset, ax: Any) -> None:
    """Draw the maximum segment delays of hard and soft acknowledgment.

    The delay of section 4.1 ends at the receiver; the simulated one excludes the propagation time RTD/2.
    """
    milliseconds = 1e3 * data.attrs["packet_time"]
    trip = 1e3 * data.attrs["round_trip_time"]
    limits = ("max_delay", "max_delay_lower", "max_delay_upper")
    data = data.assign({name: data[name] + trip / 2 / milliseconds for name in limits})
    _families(ax, data, "hard", "soft", "max_delay", milliseconds)
    ax.set(yscale="log", ylim=(25, 700), ylabel="maximum segment delay [ms]")
    right = ax.secondary_yaxis("right", functions=(lambda d: d / trip, lambda n: n * trip))
    right.set_ylabel("maximum segment delay [round-trip times]")
    for one, ticks in ((ax, [30, 50, 100, 200, 500]), (right, [2, 5, 10, 20])):
        one.set_yticks(ticks, [str(tick) for tick in ticks])
        one.set_yticks([], minor=True)
    runs = data.attrs["replications"]
    ax.set_title(
        "Gong & Parulkar, figure 19, simulated: hard against soft acknowledgment, window 2.5 w_a\n"
        f"{PATH_TEXT}\nLongest delay in {data.attrs['packets'] / runs:,.0f} packets, mean of {runs} runs"
    )
    _legend(ax.figure, "hard", "soft")


def draw_one_loss(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw every group of segments after one loss: left hard acknowledgment, right soft acknowledgment."""
    span = 164
    for ax, ack in zip(axes, ("hard", "soft"), strict=True):
        data = found[f"soft_acknowledgment_{ack}"]
        data = data.isel(group=np.flatnonzero((data.start > -6) & (data.start < span)))
        stored = data.verdict.isin(["kept", "replaced"])
        in_vain = stored & data.sent_again
        fates = {
            "stored, consumed": (stored & ~in_vain & (data.verdict == "kept"), "C0"),
            "stored, replaced later": (in_vain & (data.verdict == "kept"), "C4"),
            "stored, replacing a larger one": (data.verdict == "replaced", "C3"),
            "discarded": (data.verdict == "discarded", "C1"),
        }
        for label, (which, colour) in fates.items():
            ax.plot([], [], "s", color=colour, ms=5, label=label)
            for first, style in ((True, {"marker": "o", "ms": 3}), (False, {"marker": "^", "ms": 4.6})):
                row = data.isel(group=np.flatnonzero(which & (data["first"] == first)))
                ax.plot(row.start, row.segment, ls="", color=colour, mew=0, **style)
        ax.plot([], [], "o", color="0.4", ms=3, label="first transmission")
        ax.plot([], [], "^", color="0.4", ms=4.5, label="retransmission")
        ax.step(data.end, data.edge, where="post", color="black", lw=0.9, zorder=1, label="first segment missing")
        ax.set(xlabel="time since the loss [segment times]", xlim=(-6, span), ylim=(-16, 142))
        ax.annotate("one packet lost", (0, 0), (12, -10), color="0.2", fontsize="small", va="center",
                    arrowprops={"arrowstyle": "-", "color": "0.4", "lw": 0.7})  # fmt: skip
    left, right = axes
    left.set(ylabel="segment, counted from the lost one [segments]", title="Hard: recovers after two rounds")
    right.set_title("Soft: never recovers")
    cycle = 2 * PICTURED_BUFFER + 1
    right.axvspan(113.06, 113.06 + cycle, color="0.93", zorder=0)
    right.text(113.06 + cycle / 2, -10, "one cycle", ha="center", va="center", fontsize="small")
    left.text(2, 134, "25 segments discarded in all, then\nno more retransmissions", va="top", fontsize="small")
    right.text(
        2, 134, "every 25 segment times 12 new segments\nare stored and replaced by 12 smaller\n"
        "ones, in reverse order; 12 are consumed:\nefficiency 12/25 = 0.48", va="top", fontsize="small",
    )  # fmt: skip
    figure = left.figure
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)


def completed(data: dict[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Add the settings that the pictures print, which are not in the stored numbers."""
    main = data["gong_parulkar_17_18_19"]
    main.attrs = {"packets": PACKETS, "replications": REPLICATIONS, **_times(), **main.attrs}
    return data


def results(packets: float = PACKETS) -> dict[str, xr.Dataset]:
    """Simulate the three figures and one loss."""
    return {
        "gong_parulkar_17_18_19": figures_17_to_19(packets),
        "soft_acknowledgment_hard": one_loss("hard"), "soft_acknowledgment_soft": one_loss("soft"),
    }  # fmt: skip


MAIN = "gong_parulkar_17_18_19"
PICTURES = {
    "gong_parulkar_17": Picture(
        "A window wider than the receive buffer compared with one of its size, hard acknowledgment; right: with "
        "another interpretation of when discarded segments are requested again, which the paper's numbers rule out.",
        draw_17, MAIN, (1, 2), (9.2, 5.4),
        "Gong & Parulkar, figure 17, simulated: a window wider than the receive buffer, hard acknowledgment\n"
        + PATH_TEXT, {"sharey": True, "width_ratios": [3, 2]},
    ),
    "gong_parulkar_18": Picture(
        "Hard against soft acknowledgment: throughput efficiency over loss, for four receive buffers.",
        draw_18, MAIN, size=(7.6, 5.4),
    ),
    "gong_parulkar_19": Picture(
        "Hard against soft acknowledgment: the maximum segment delay over loss.", draw_19, MAIN, size=(7.6, 5.4),
    ),
    "soft_acknowledgment": Picture(
        "Segments over time after one loss: hard acknowledgment recovers, soft stays locked.",
        draw_one_loss, "", (1, 2), (10.4, 5.8),
        "Why soft acknowledgment fails (Gong & Parulkar, section 4.3.1): one loss, window 58, buffer 12, "
        "acknowledgment after 23.1 segment times", {"sharey": True},
    ),
}  # fmt: skip
SOME = ("experiment", "receive_buffer")
DIMS = {
    "gong_parulkar_17_18_19": [("experiment", "loss", "receive_buffer"), SOME],
    "soft_acknowledgment_hard": [("group",)], "soft_acknowledgment_soft": [("group",)],
}  # fmt: skip
PART = Part("figures.gong_parulkar.receive_buffers", results, DIMS, PICTURES, completed=completed)

if __name__ == "__main__":
    PART.main()
