"""CUBIC's window beside its law over time, and the states of BBR beside a CUBIC flow.

Run with ``python -m figures.today.courses``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.writing import Part, Picture
from longfat.sim import Network, Simulation
from longfat.sim.runs import peek

PACKET = 1500  # bytes

# One CUBIC flow of 1000 packets in 50 ms; the link would carry 1500, so that there is no queue.
TRIP, CAPACITY, WINDOW = 0.05, 1500, 1000  # s, packets, packets
LOSSES, END, STEP = (2.0, 20.0, 27.0), 45.0, 0.25  # s
BEFORE, CONCAVE, CONVEX = range(3)  # no law, before K, after K

# BBR from the start, CUBIC from 5.5 s on: 50 Mbit/s, 40 ms, a buffer of 1.5 bandwidth-delay products of 167 packets.
RATE, PATH, BUFFER = 6.25e6, 0.04, 250  # bytes/s, s, packets
JOINS, UNTIL, EACH, ZOOM = 5.5, 16.0, 0.01, 0.8  # s
OVER = 4  # steps over which deliveries are counted: a round trip without queue
#: BBR's states in the order of `longfat.sim.schemes.bbr`, and their colours; None: not shaded.
STATES = {
    "STARTUP": "#E69F00",
    "DRAIN": "#56B4E9",
    "PROBE_BW DOWN": "#CC79A7",
    "PROBE_BW CRUISE": None,
    "PROBE_BW REFILL": "#009E73",
    "PROBE_BW UP": "#F0E442",
    "PROBE_RTT": "#000000",
}
LOOKS: tuple[dict[str, Any], ...] = ({"color": "#0072B2"}, {"color": "#D55E00", "ls": "--"})


def cubic() -> xr.Dataset:
    """Return CUBIC's window over time and the law of the present stage [packets]."""
    # In 10 ms 200 to 300 packets arrive, of which the 150th is lost.
    losses = lf.sim.queues.scripted_loss(times=[[time, time + 0.01, 150] for time in LOSSES])
    net = Network().link("a", "b", rate=CAPACITY * PACKET / TRIP, delay=TRIP / 2, discipline=losses)
    net.link("b", "a", rate=math.inf, delay=TRIP / 2)
    given = {"initial_ssthresh": WINDOW, "fast_convergence": 0.0}
    simulation = Simulation(net.flow("cubic", path=["a", "b"], packet=PACKET, name="x", parameters=given), rng=1)
    times = np.arange(STEP, END, STEP)
    window, law, region = np.zeros(len(times)), np.full(len(times), np.nan), np.full(len(times), BEFORE)
    for k, now in enumerate(times):
        simulation.advance(float(now))
        flow = peek.flow(simulation, "x")
        window[k] = flow.window
        if flow.epoch_start > LOSSES[0]:  # the time t of the law counts from the end of the recovery
            time, most = now - flow.epoch_start, flow.cwnd_prior
            law[k] = lf.laws.cubic.window(time, most)
            region[k] = CONCAVE if time < lf.laws.cubic.recovery_time(most) else CONVEX
    places, units = ("time",), {"units": "packets"}
    found = {"window": (places, window, units), "law": (places, law, units), "region": (places, region, {"units": "1"})}
    return xr.Dataset(found, {"time": times})


def bbr() -> xr.Dataset:
    """Return BBR's state, and data in flight [packets] and delivery rates [Mbit/s] of both flows, over time."""
    net = Network().link("a", "b", rate=RATE, delay=PATH / 2, buffer=BUFFER)
    net.link("b", "a", rate=math.inf, delay=PATH / 2)
    for name, start in (("bbr", 0.0), ("cubic", JOINS)):
        net.flow(name, path=["a", "b"], packet=PACKET, name=name, start=start)
    simulation = Simulation(net, rng=1)
    times = EACH * np.arange(1, round(UNTIL / EACH))
    state, in_flight, delivered = np.zeros(len(times), int), np.zeros((2, len(times))), np.zeros((2, len(times)))
    for k, now in enumerate(times):
        simulation.advance(float(now))
        for i, name in enumerate(("bbr", "cubic")):
            flow = peek.flow(simulation, name)
            in_flight[i, k], delivered[i, k] = flow.in_flight, flow.delivered
        state[k] = peek.flow(simulation, "bbr").phase
    before = np.concatenate([np.zeros((2, OVER)), delivered[:, :-OVER]], axis=1)
    rate = (delivered - before) * PACKET * 8e-6 / (OVER * EACH)
    made: dict[str, Any] = {"state": ("time", state, {"units": "1"})}
    for i, name in enumerate(("bbr", "cubic")):
        made[f"in_flight_{name}"] = ("time", in_flight[i], {"units": "packets"})
        made[f"rate_{name}"] = ("time", rate[i], {"units": "Mbit/s"})
    return xr.Dataset(made, {"time": times})


def spans(time: np.ndarray, state: np.ndarray) -> list[tuple[float, float, int]]:
    """Return beginning, end and value of each stretch of equal values.

    >>> spans(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 0, 5, 5]))
    [(0.0, 2.0, 0), (2.0, 3.0, 5)]
    """
    first = np.flatnonzero(np.diff(state, prepend=state[0] - 1))
    ends = [*time[first[1:]], time[-1]]
    return [(float(time[k]), float(end), int(state[k])) for k, end in zip(first, ends, strict=True)]


def draw_cubic(data: xr.Dataset, axes: Any) -> None:
    """Draw window and law, with the concave and convex regions, and their difference below."""
    time = data.time.values
    looks = {CONCAVE: ("0.93", "concave, before $K$"), CONVEX: ("0.8", "convex, after $K$")}
    for ax in axes:
        said = set()
        for begin, end, region in spans(time, data.region.values):
            if region in looks:
                color, label = looks[region]
                ax.axvspan(begin, end, color=color, lw=0, zorder=0, label="" if region in said else label)
                said.add(region)
        ax.grid(visible=False, axis="x")
    law = data.law.values
    losses = np.flatnonzero(np.diff(law) < 0) + 1  # where the line is interrupted
    drawn = [np.insert(one, losses, np.nan) for one in (time, law)]
    axes[0].plot(*drawn, color="C1", label="law, equation 1 of RFC 9438")
    axes[0].plot(time, data.window, ls="", marker="o", ms=2.5, color="C0", label="simulated")
    axes[0].set(ylabel="congestion window [packets]")
    axes[0].legend(loc="upper left", ncols=2)
    axes[0].set_ylim(620, 1780)
    axes[1].axhline(0, color="C1")
    axes[1].plot(time, data.window - law, ls="", marker="o", ms=2.5, color="C0")
    axes[1].set(xlabel="time [s]", ylabel="simulated - law\n[packets]", ylim=(-1.1, 1.1), xlim=(0, END))


def draw_bbr(data: xr.Dataset, axes: Any) -> None:
    """Draw data in flight, delivery rates and BBR's states: the beginning, and all of it."""
    from matplotlib.lines import Line2D

    colors = list(STATES.values())
    product = RATE * PATH / PACKET
    for column, upto in enumerate((ZOOM, UNTIL)):
        in_flight, rates, states = axes[:, column]
        shown = data.sel(time=slice(0, upto))
        for begin, end, state in spans(shown.time.values, shown.state.values):
            states.barh(state, end - begin, left=begin, height=0.8, color=colors[state] or "0.75", lw=0)
            for ax in (in_flight, rates):
                if colors[state]:
                    ax.axvspan(begin, end, color=colors[state], alpha=0.22, lw=0, zorder=0)
        for look, name in zip(LOOKS, ("bbr", "cubic"), strict=True):
            part = shown.sel(time=slice(JOINS if name == "cubic" else 0, None))
            if part.time.size:
                in_flight.plot(part.time, part[f"in_flight_{name}"], lw=1.1, **look)
                rates.plot(part.time, part[f"rate_{name}"], lw=1.1, **look)
        for lines, level in ((in_flight, product), (rates, RATE * 8e-6)):
            lines.axhline(level, color="0.3", ls=":", lw=1.2)
        in_flight.set(ylim=(0, 1.08 * float(data.in_flight_bbr.max())), title=("The beginning", "")[column])
        rates.set(ylim=(0, 62))
        states.set(xlim=(0, upto), xlabel="time [s]", ylim=(len(STATES) - 0.4, -0.6))
        for ax in (in_flight, rates):
            ax.grid(visible=False, axis="x")
    axes[0, 0].set_ylabel("in flight [packets]")
    axes[1, 0].set_ylabel("delivery rate [Mbit/s]")
    axes[2, 0].set_yticks(range(len(STATES)), list(STATES))
    axes[0, 1].set_title(f"CUBIC joins at {JOINS:g} s")
    lines = [Line2D([], [], lw=1.1, **look) for look in LOOKS] + [Line2D([], [], color="0.3", ls=":", lw=1.2)]
    words = ["bbr, version 3", "cubic", "bandwidth-delay product; capacity"]
    axes[0, 0].figure.legend(lines, words, loc="outside lower center", ncols=3)


PICTURES = {
    "courses_cubic": Picture(
        "CUBIC's window over time, with a loss at 2, 20 and 27 s: simulated, and the law between losses; below: "
        "simulation minus law.", draw_cubic, "courses_cubic", (2, 1), (8.2, 5.6),
        f"One CUBIC flow (RFC 9438) without a queue, {TRIP * 1e3:g} ms, C = 0.4, beta = 0.7, no fast convergence",
        {"sharex": True, "height_ratios": [3, 1]},
    ),
    "courses_bbr": Picture(
        "BBR version 3, and a CUBIC flow that joins it: data in flight, delivery rates, and BBR's states; left: the "
        "beginning.", draw_bbr, "courses_bbr", (3, 2), (11.5, 7.2),
        "BBR (draft-ietf-ccwg-bbr-06) and CUBIC (RFC 9438) at a drop-tail link: 50 Mbit/s, 40 ms, buffer of 1.5 "
        "bandwidth-delay products",
        {"sharex": "col", "sharey": "row", "width_ratios": [1, 2.4], "height_ratios": [1.3, 1.1, 1]},
    ),
}  # fmt: skip
DIMS = {"courses_cubic": [("time",)], "courses_bbr": [("time",)]}
PART = Part("figures.today.courses", lambda: {"courses_cubic": cubic(), "courses_bbr": bbr()}, DIMS, PICTURES)

if __name__ == "__main__":
    PART.main()
