"""SSTP (Gong and Parulkar 1992): slow receivers, lost control packets, and senders without rate control.

``sstp_receivers``: segments granted, begun and accepted when the application slows down; ``sstp_control``: the transfer
time when control packets are lost, which the paper assumes away (section 4.2); ``sstp_sharing``: what four
rate-controlled connections get beside one without rate control, and five of these, at a drop-tail, a loss-load and a
fair-queueing link; ``sstp_booked``: the first of these by the load that the four have negotiated.
Run with ``python -m figures.gong_parulkar.sstp``; ``--redraw`` draws the pictures from the stored numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

from figures.writing import Part, save
from longfat.base.files import AtomicFiles
from longfat.replication import student
from longfat.sim import Network, Simulation, queues
from longfat.sim.runs import peek

CAPTIONS = {
    "sstp_receivers": "SSTP: segments granted, begun and accepted; from 0.5 s on the application takes 40 ms for each "
    "segment. Left: it withholds advancement; right: it also reduces the window to (F_1/F) W.",
    "sstp_control": "SSTP: mean transfer time of a file when control packets are lost, over that when none is, with "
    "95 % intervals, for two windows (1 + w_a is 7.4 segments), and with lost data packets, too.",
    "sstp_sharing": "SSTP: goodput and repeated packets of each of four connections that keep to 0.19 of the capacity "
    "(dotted), of one without rate control beside them, and of each of five without, by the window of those without.",
    "sstp_booked": "SSTP: goodput of one connection without rate control, with a window of 32 segments, and of the "
    "four others together, by what these have negotiated; dotted: what they leave, and the whole capacity.",
}
PACKET = 1000  # bytes

# A packet takes 1 ms, a segment of 16 packets 16 ms; the path 100 ms. 1 + w_a = 1 + 103/16 = 7.4 segments.
SLOT, TRIP, SEGMENT, WINDOW = 1e-3, 0.1, 16, 16
CHANGE, SLOW, END, EACH = 0.5, 0.04, 2.5, 0.02  # s
CONTROL = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  # loss probability of control packets
CASES = {"window of 8": (8, 0.0), "window of 16": (16, 0.0), "window of 16, 1 % of data lost": (16, 0.01)}
FILE, RUNS, CONFIDENCE = 100, 40, 0.95  # segments, replications

CAPACITY, SHARE, CONNECTIONS = 1.25e6, 0.19, 5  # bytes/s, of the capacity
GREEDY = (0, 4, 8, 16, 32, 64, 128)  # window of the connection without rate control; 0: it is controlled, too
WARM, UNTIL, SEEDS = 5.0, 25.0, 5  # s
BOOKED, BESIDE = (0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2), 32  # load of the four, window of the one
LINKS = ("drop-tail", "loss-load", "fair queueing")
WHO = {
    "free": "one without rate control", "controlled": "each of four, rate-controlled, beside it",
    "all_free": "each of five without rate control",
}  # fmt: skip


def connection(loss: float = 0.0, lost_data: float = 0.0, **parameters: float) -> Network:
    """Return one connection; control and data packets are lost with a probability."""
    net = Network().link("a", "b", rate=math.inf, delay=TRIP / 2, loss=lost_data)
    net.link("b", "a", rate=math.inf, delay=TRIP / 2, loss=loss)
    given = {
        "peak_rate": PACKET / SLOT, "burst_length": 1.0, "segment": float(SEGMENT), "window_limit": float(WINDOW),
        "repeat": 0.12, **parameters,
    }  # fmt: skip
    return net.flow("sstp", path=["a", "b"], packet=PACKET, file=FILE * SEGMENT * PACKET, name="x", parameters=given)


def receivers() -> xr.Dataset:
    """Return segments granted, begun and accepted over time, without and with a smaller window."""
    times = EACH * np.arange(1, round(END / EACH))
    seen = np.zeros((3, 2, len(times)))
    for k, shrink in enumerate((0.0, 1.0)):
        simulation = Simulation(connection(change_at=CHANGE, processing_after=SLOW, shrink=shrink), rng=1)
        for j, now in enumerate(times):
            simulation.advance(float(now))
            flow = peek.flow(simulation, "x")
            seen[:, k, j] = flow.limit + 1, -(-flow.next // SEGMENT), flow.lower
    units = {"units": "segments"}
    found = {
        name: (("strategy", "time"), one, units)
        for name, one in zip(("granted", "begun", "accepted"), seen, strict=True)
    }
    return xr.Dataset(found, {"strategy": ["withhold", "reduce"], "time": times})


def _transfer_time(network: Network, seed: int) -> float:
    """Return the time in which the file is transferred [s]."""
    simulation, end = Simulation(network, rng=seed), 0.0
    while peek.flow(simulation, "x").una < FILE * SEGMENT:
        end += 5.0
        simulation.advance(end)
    return float(simulation.state.tallies["finish"][0]) * 1e-9


def control() -> xr.Dataset:
    """Return the transfer time over that without lost control packets, by their loss probability."""
    time = np.zeros((len(CASES), len(CONTROL), RUNS))
    for i, (window, lost_data) in enumerate(CASES.values()):
        for j, loss in enumerate(CONTROL):
            for seed in range(RUNS):
                network = connection(loss, lost_data, window_limit=float(window))
                time[i, j, seed] = _transfer_time(network, 1000 * j + seed)
    ratio = time / time[:, :1].mean(-1, keepdims=True)
    half = student.half_width(RUNS - 1, CONFIDENCE) * ratio.std(-1, ddof=1) / math.sqrt(RUNS)
    units, mean = {"units": "1"}, ratio.mean(-1)
    found = {"time": mean, "time_lower": mean - half, "time_upper": mean + half}
    return xr.Dataset(
        {name: (("case", "loss"), one, units) for name, one in found.items()},
        {"case": list(CASES), "loss": list(CONTROL)},
    )


def _discipline(link: str) -> Any:
    """Return the queue discipline of a link; a loss-load switch measures the rates of connections in 0.1 s."""
    if link == "loss-load":
        return queues.loss_load(k=10.0, window=0.1, silence=1.0)
    return "fifo" if link == "drop-tail" else "fair"


def _measured(link: str, window: int, seed: int, free: int = 1, share: float = SHARE) -> np.ndarray:
    """Return goodput over capacity and repeated over sent packets of each connection.

    If `window` is not 0 the first ones, `free` of them, are without rate control: their peak rate is ten times the
    capacity, so that nothing but the window holds them back. Their bursts are of four segments, because with L = 1 the
    keep-alive packets of five senders that pause, one of 40 bytes in each 80 us, fill the link.
    """
    net = Network().link("a", "b", rate=CAPACITY, delay=0.02, buffer=100, discipline=_discipline(link))
    net.link("b", "a", rate=math.inf, delay=0.02)
    starts = np.random.default_rng(seed).uniform(0, 1, CONNECTIONS)
    for k, start in enumerate(starts.tolist()):
        without = window > 0 and k < free
        given = {
            "peak_rate": 10 * CAPACITY if without else share * CAPACITY, "burst_length": 64.0 if without else 1.0,
            "window_limit": float(window if without else 8), "repeat": 0.2,
        }  # fmt: skip
        about = {"packet": PACKET, "start": start, "send_jitter": 1e-4, "name": f"x{k}"}
        net.flow("sstp", path=["a", "b"], parameters=given, **about)
    simulation = Simulation(net, rng=seed)
    simulation.advance(WARM)
    before = _counts(simulation)
    simulation.advance(UNTIL)
    received, again, sent = _counts(simulation) - before
    return np.array([received / ((UNTIL - WARM) * CAPACITY), again / sent])


def _counts(simulation: Simulation) -> np.ndarray:
    """Return bytes received, data packets sent again, and all that were sent, of each connection."""
    sent = [peek.flow(simulation, f"x{k}").shipments for k in range(CONNECTIONS)]
    state = simulation.state
    return np.array([state.receivers["received_bytes"], state.tallies["retransmitted"], sent], float)


def sharing() -> xr.Dataset:
    """Return goodput and repeated packets of one without rate control, of each of the others, and of each of five."""
    seen = np.zeros((3, 2, len(LINKS), len(GREEDY), SEEDS))
    for i, link in enumerate(LINKS):
        for j, window in enumerate(GREEDY):
            for seed in range(SEEDS):
                found, all_free = _measured(link, window, seed), _measured(link, window, seed, free=CONNECTIONS)
                seen[:, :, i, j, seed] = found[:, 0], found[:, 1:].mean(1), all_free.mean(1)
    half = student.half_width(SEEDS - 1, CONFIDENCE) * seen.std(-1, ddof=1) / math.sqrt(SEEDS)
    mean, made = seen.mean(-1), {}
    for k, name in enumerate(WHO):
        for j, what in enumerate(("goodput", "repeated")):
            middle, width = mean[k, j], half[k, j]
            for bound, one in (("", middle), ("_lower", middle - width), ("_upper", middle + width)):
                made[f"{name}_{what}{bound}"] = (("link", "window"), one, {"units": "1"})
    return xr.Dataset(made, {"link": list(LINKS), "window": list(GREEDY)})


def booked() -> xr.Dataset:
    """Return the goodput of a connection without rate control and of all others, by the load that these negotiated."""
    seen = np.zeros((2, len(LINKS), len(BOOKED), SEEDS))
    for i, link in enumerate(LINKS):
        for j, load in enumerate(BOOKED):
            for seed in range(SEEDS):
                found = _measured(link, BESIDE, seed, share=load / (CONNECTIONS - 1))[0]
                seen[:, i, j, seed] = found[0], found[1:].sum()
    half = student.half_width(SEEDS - 1, CONFIDENCE) * seen.std(-1, ddof=1) / math.sqrt(SEEDS)
    mean, made = seen.mean(-1), {}
    for k, name in enumerate(("free", "others")):
        for bound, one in (("", mean[k]), ("_lower", mean[k] - half[k]), ("_upper", mean[k] + half[k])):
            made[name + bound] = (("link", "negotiated"), one, {"units": "1"})
    return xr.Dataset(made, {"link": list(LINKS), "negotiated": list(BOOKED)})


def draw_receivers(data: xr.Dataset, axes: Any) -> None:
    """Draw granted, begun and accepted segments, for both strategies."""
    words = ("advancement is withheld", "and the window is reduced")
    for ax, strategy, title in zip(axes, data.strategy.values, words, strict=True):
        one = data.sel(strategy=strategy)
        for name, style in (("granted", "--"), ("begun", "-"), ("accepted", "-")):
            ax.step(data.time, one[name], style, where="post", lw=1.2, label=name)
        ax.axvline(CHANGE, color="0.3", ls=":", lw=1.2, label="change of speed")
        ax.set(xlabel="time [s]", title=title, xlim=(0, END))
    axes[0].set_ylabel("segments")
    axes[0].legend(loc="lower right")


def draw_control(data: xr.Dataset, ax: Any) -> None:
    """Draw the transfer time by the loss probability of control packets."""
    for case in data.case.values:
        one = data.sel(case=case)
        low, high = one.time - one.time_lower, one.time_upper - one.time
        ax.errorbar(data.loss, one.time, [low, high], marker="o", ms=3.5, lw=1.2, capsize=2, label=case)
    ax.set(xlabel="loss probability of control packets", ylabel="transfer time over that without their loss")
    ax.legend(loc="upper left")


def draw_sharing(data: xr.Dataset, axes: Any) -> None:
    """Draw goodput and repeated packets of the connections with and without rate control, by link."""
    places = np.arange(data.window.size)
    for column, link in zip(axes.T, data.link.values, strict=True):
        one = data.sel(link=link)
        for ax, what in zip(column, ("goodput", "repeated"), strict=True):
            for name, label in WHO.items():
                mean = one[f"{name}_{what}"].values
                error = [mean - one[f"{name}_{what}_lower"].values, one[f"{name}_{what}_upper"].values - mean]
                ax.errorbar(places, mean, error, marker="o", ms=3.5, lw=1.2, capsize=2, label=label)
            ax.set_xticks(places, ["none", *(f"{window}" for window in data.window.values[1:])])
        column[0].axhline(SHARE, color="0.3", ls=":", lw=1.2, label="negotiated")
        column[0].set(title=link)
        column[1].set(xlabel="window without rate control [segments]")
    axes[0, 0].set(ylabel="goodput over capacity", ylim=(0, None))
    axes[1, 0].set(ylabel="packets sent again over packets sent", ylim=(0, None))
    axes[0, 0].legend(loc="upper left", fontsize="small")


def draw_booked(data: xr.Dataset, axes: Any) -> None:
    """Draw the goodput of the connection without rate control, and of all others, by link."""
    load = data.negotiated.values
    for ax, link in zip(axes, data.link.values, strict=True):
        one = data.sel(link=link)
        for name, label in (("free", "one without rate control"), ("others", "four, rate-controlled, together")):
            error = [one[name] - one[f"{name}_lower"], one[f"{name}_upper"] - one[name]]
            ax.errorbar(load, one[name], error, marker="o", ms=3.5, lw=1.2, capsize=2, label=label)
        ax.plot(load, np.maximum(0, 1 - load), ":", color="0.3", lw=1.2, label="left by the four; capacity")
        ax.axhline(1, color="0.3", ls=":", lw=1.2)
        ax.set(title=link, xlabel="load negotiated by the four", ylim=(0, 1.4))
    axes[0].set_ylabel("goodput over capacity")
    axes[0].legend(loc="upper left", fontsize="small")


def draw(files: AtomicFiles, found: dict[str, xr.Dataset]) -> None:
    """Draw the four pictures."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    draw_receivers(found["sstp_receivers"], axes)
    save(files, figure, "sstp_receivers")
    figure, ax = plt.subplots(figsize=(5, 3.6))
    draw_control(found["sstp_control"], ax)
    save(files, figure, "sstp_control")
    figure, axes = plt.subplots(2, 3, figsize=(11.5, 6), sharex=True, sharey="row")
    draw_sharing(found["sstp_sharing"], axes)
    save(files, figure, "sstp_sharing")
    figure, axes = plt.subplots(1, 3, figsize=(11.5, 3.6), sharey=True)
    draw_booked(found["sstp_booked"], axes)
    save(files, figure, "sstp_booked")


def simulate() -> dict[str, xr.Dataset]:
    """Simulate everything that the pictures show."""
    return {
        "sstp_receivers": receivers(), "sstp_control": control(), "sstp_sharing": sharing(), "sstp_booked": booked()
    }  # fmt: skip


DIMS = {
    "sstp_receivers": [("strategy", "time")], "sstp_control": [("case", "loss")], "sstp_sharing": [("link", "window")],
    "sstp_booked": [("link", "negotiated")],
}  # fmt: skip
PART = Part("figures.gong_parulkar.sstp", simulate, DIMS, draw)

if __name__ == "__main__":
    PART.main()
