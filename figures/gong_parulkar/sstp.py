"""SSTP (Gong and Parulkar 1992): slow receivers, lost control packets, and senders without rate control.

The paper excludes the loss of control packets (section 4.2). Run with ``python -m figures.gong_parulkar.sstp``.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from figures.data import gathered
from figures.rule import Estimate, mean
from figures.writing import Part, Picture, bars
from longfat.replication import replicate
from longfat.sim import Network, Simulation, queues
from longfat.sim.runs import peek

PACKET = 1000  # bytes
ONE = {"units": "1"}

# A packet takes 1 ms, a segment of 16 packets 16 ms; the path 100 ms. 1 + w_a = 1 + 103/16 = 7.4 segments.
SLOT, TRIP, SEGMENT, WINDOW = 1e-3, 0.1, 16, 16
CHANGE, SLOW, END, EACH = 0.5, 0.04, 2.5, 0.02  # s
CONTROL = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  # loss probability of control packets
CASES = {"window of 8": (8, 0.0), "window of 16": (16, 0.0), "window of 16, 1 % of data lost": (16, 0.01)}
FILE, RUNS = 100, 40  # segments, replications

CAPACITY, SHARE, CONNECTIONS = 1.25e6, 0.19, 5  # bytes/s; share of the capacity for each connection
GREEDY = (0, 4, 8, 16, 32, 64, 128)  # window of the connection without rate control; 0: rate-controlled
WARM, UNTIL, SEEDS = 5.0, 25.0, 5  # s
BOOKED, BESIDE = (0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2), 32  # load of four; window of the fifth
LINKS = ("drop-tail", "loss-load", "fair queueing")
LOOK: dict[str, Any] = {"marker": "o", "ms": 3.5, "lw": 1.2, "capsize": 2}
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


def _transfer_time(job: tuple[str, int, int]) -> float:
    """Return the transfer time of the file [s] in a case, with the loss `CONTROL`, for a seed."""
    case, place, seed = job
    window, lost_data = CASES[case]
    network = connection(CONTROL[place], lost_data, window_limit=float(window))
    simulation, end = Simulation(network, rng=1000 * place + seed), 0.0
    while peek.flow(simulation, "x").una < FILE * SEGMENT:
        end += 5.0
        simulation.advance(end)
    return float(simulation.state.tallies["finish"][0]) * 1e-9


def control() -> xr.Dataset:
    """Return the transfer time over that without lost control packets, by their loss probability."""
    found: dict[tuple[str, float], dict[str, Estimate]] = {}
    for case in CASES:
        jobs = product([case], range(len(CONTROL)), range(RUNS))
        time = np.reshape(replicate(_transfer_time, jobs), (len(CONTROL), RUNS))
        found |= {(case, loss): {"time": mean(row / time[0].mean())} for loss, row in zip(CONTROL, time, strict=True)}
    return gathered(found, {"case": list(CASES), "loss": CONTROL}, {"time": ONE})


def _discipline(link: str) -> Any:
    """Return the queue discipline of a link; a loss-load switch measures the rates of connections in 0.1 s."""
    if link == "loss-load":
        return queues.loss_load(k=10.0, window=0.1, silence=1.0)
    return "fifo" if link == "drop-tail" else "fair"


def _measured(link: str, window: int, seed: int, free: int, share: float) -> np.ndarray:
    """Return goodput over capacity and repeated over sent packets of each connection.

    If `window` is not 0 the first `free` connections have no rate control: their peak rate is ten times the
    capacity, so that only the window limits them. Their bursts are of four segments, because with L = 1 the
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
    """Return bytes received, data packets retransmitted, and data packets sent, for each connection."""
    sent = [peek.flow(simulation, f"x{k}").shipments for k in range(CONNECTIONS)]
    state = simulation.state
    return np.array([state.receivers["received_bytes"], state.tallies["retransmitted"], sent], float)


def _runs(link: str, window: int, free: int = 1, share: float = SHARE) -> np.ndarray:
    """Return `_measured` of every run, along runs, quantities and connections."""
    return np.array(replicate(lambda seed: _measured(link, window, seed, free, share), range(SEEDS)))


def sharing() -> xr.Dataset:
    """Return goodput and repeated packets of one sender without rate control, the others beside it, and five such."""
    found = {}
    for link, window in product(LINKS, GREEDY):
        one, five = _runs(link, window), _runs(link, window, free=CONNECTIONS)
        who = dict(zip(WHO, (one[:, :, 0], one[:, :, 1:].mean(2), five.mean(2)), strict=True))
        found[link, window] = {
            f"{name}_{what}": mean(values[:, k]) for name, values in who.items()
            for k, what in enumerate(("goodput", "repeated"))
        }  # fmt: skip
    return gathered(found, {"link": LINKS, "window": GREEDY}, dict.fromkeys(next(iter(found.values())), ONE))


def booked() -> xr.Dataset:
    """Return the goodput of a connection without rate control and of all others, by the others' negotiated load."""
    found = {}
    for link, load in product(LINKS, BOOKED):
        goodput = _runs(link, BESIDE, share=load / (CONNECTIONS - 1))[:, 0]
        found[link, load] = {"free": mean(goodput[:, 0]), "others": mean(goodput[:, 1:].sum(1))}
    return gathered(found, {"link": LINKS, "negotiated": BOOKED}, {"free": ONE, "others": ONE})


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
        bars(ax, data.loss, data.sel(case=case), "time", label=case, **LOOK)
    ax.set(xlabel="loss probability of control packets", ylabel="transfer time over that without their loss")
    ax.legend(loc="upper left")


def draw_sharing(data: xr.Dataset, axes: Any) -> None:
    """Draw goodput and repeated packets of the connections with and without rate control, by link."""
    places = np.arange(data.window.size)
    for column, link in zip(axes.T, data.link.values, strict=True):
        one = data.sel(link=link)
        for ax, what in zip(column, ("goodput", "repeated"), strict=True):
            for name, label in WHO.items():
                bars(ax, places, one, f"{name}_{what}", label=label, **LOOK)
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
            bars(ax, load, one, name, label=label, **LOOK)
        ax.plot(load, np.maximum(0, 1 - load), ":", color="0.3", lw=1.2, label="left by the four; capacity")
        ax.axhline(1, color="0.3", ls=":", lw=1.2)
        ax.set(title=link, xlabel="load negotiated by the four", ylim=(0, 1.4))
    axes[0].set_ylabel("goodput over capacity")
    axes[0].legend(loc="upper left", fontsize="small")


def simulate() -> dict[str, xr.Dataset]:
    """Simulate everything that the pictures show."""
    return {
        "sstp_receivers": receivers(), "sstp_control": control(), "sstp_sharing": sharing(), "sstp_booked": booked()
    }  # fmt: skip


PICTURES = {
    "sstp_receivers": Picture(
        "SSTP: segments granted, begun and accepted; from 0.5 s on the application takes 40 ms for each segment. Left: "
        "it withholds advancement; right: it also reduces the window to (F_1/F) W.",
        draw_receivers, "sstp_receivers", (1, 2), (9, 3.8), options={"sharey": True},
    ),
    "sstp_control": Picture(
        "SSTP: mean transfer time of a file when control packets are lost, over that when none is, with 95 % "
        "intervals, for two windows (1 + w_a is 7.4 segments), and with lost data packets, too.",
        draw_control, "sstp_control", (1, 1), (5, 3.6),
    ),
    "sstp_sharing": Picture(
        "SSTP: goodput and repeated packets of each of four connections that keep to 0.19 of the capacity (dotted), of "
        "one without rate control beside them, and of each of five without, by the window of those without.",
        draw_sharing, "sstp_sharing", (2, 3), (11.5, 6), options={"sharex": True, "sharey": "row"},
    ),
    "sstp_booked": Picture(
        "SSTP: goodput of one connection without rate control, with a window of 32 segments, and of the four others "
        "together, by what these have negotiated; dotted: what they leave, and the whole capacity.",
        draw_booked, "sstp_booked", (1, 3), (11.5, 3.6), options={"sharey": True},
    ),
}  # fmt: skip
DIMS = {
    "sstp_receivers": [("strategy", "time")], "sstp_control": [("case", "loss")], "sstp_sharing": [("link", "window")],
    "sstp_booked": [("link", "negotiated")],
}  # fmt: skip
PART = Part("figures.gong_parulkar.sstp", simulate, DIMS, PICTURES)

if __name__ == "__main__":
    PART.main()
