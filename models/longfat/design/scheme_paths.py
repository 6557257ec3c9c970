"""Comparison of a scheme alone on many paths with CUBIC alone on the same paths.

Round-trip times range from 1 to 600 ms, because a scheme that works at 10 ms may collapse at 100 ms: a wrong rule in
packets or round trips costs little while the bandwidth-delay product is a few packets. A scheme without slow start is
also far from CUBIC at long round trips, because a run has only 200 round trips then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import user_files
from longfat.base.quantities import rounded
from longfat.design.senders import sender
from longfat.replication import sweep
from longfat.sim import Network, Scheme
from longfat.sim.runs.run import answer

if TYPE_CHECKING:
    import xarray as xr


NAME = "paths"
ROUND_TRIPS = (0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.137, 0.2, 0.3, 0.6)  # s
BUFFERS = (0.1, 0.5, 1.0, 2.0, 8.0)  # bandwidth-delay products
LOSSES = (0.0, 0.001, 0.01, 0.03)
#: Rate of the link and packet size of all runs. Our choice: the bandwidth-delay product is then 2 packets at a
#: round-trip time of 1 ms and 1200 packets at 600 ms, so that all runs together take a minute or two.
RATE, PACKET = 20e6 / 8, 1250  # bytes/s, bytes
#: Shortest run, in seconds and in round trips: our choice. The first quarter of each run is not counted.
LEAST_TIME, LEAST_ROUND_TRIPS = 20.0, 200.0  # s, 1
#: Bounds of the criteria by which a scheme is far from CUBIC on a path. The criteria are our choice: less than a
#: quarter of CUBIC's goodput; or a queueing delay more than four times CUBIC's and longer by more than a tenth of the
#: round trip and 5 ms; or a fraction of packets dropped at the buffer more than four times CUBIC's and larger by more
#: than 0.01.
FACTOR, SHARE_OF_TRIP, LEAST_DELAY, LEAST_LOSS = 4.0, 0.1, 0.005, 0.01
QUANTITIES = {
    "goodput_share": ("1", "goodput over the rate of the link"),
    "queueing_delay": ("s", "mean queueing delay, backlog over rate"),
    "dropped_share": ("1", "share of the packets that the full buffer drops"),
}


def simulate(scheme: str | Scheme, round_trip: float, buffer: float, loss: float, rng: Any) -> dict[str, float]:
    """Simulate one flow alone on a path; return the `QUANTITIES`."""
    chosen, parameters = sender(scheme)
    packets = max(1, round(buffer * RATE * round_trip / PACKET))
    net = Network().link("switch", "sink", rate=RATE, delay=round_trip / 2, buffer=packets)
    net.link("source", "switch", rate=math.inf, delay=0.0, loss=loss)
    net.link("sink", "switch", rate=math.inf, delay=round_trip / 2).link("switch", "source", rate=math.inf, delay=0.0)
    net.flow(chosen, path=["source", "switch", "sink"], packet=PACKET, parameters=parameters)
    until = max(LEAST_TIME, LEAST_ROUND_TRIPS * round_trip)
    run, _ = answer(net, duration=until, warm_up=until / 4, rng=rng, progress=False)
    arrived = float(run["arrived"][0])
    return {
        "goodput_share": float(run["goodput"][0]) / RATE,
        "queueing_delay": float(run["mean_queue"][0]) * PACKET / RATE,
        "dropped_share": float(run["link_dropped"][0]) / arrived if arrived > 0 else 0.0,
    }


def run(
    scheme: str | Scheme, *, round_trips: Sequence[float] = ROUND_TRIPS, buffers: Sequence[float] = BUFFERS,
    losses: Sequence[float] = LOSSES, rng: Any = 0, store: Any = None, progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    """Simulate a scheme and CUBIC for all round trips, buffers and losses; mark paths where the scheme is far worse.

    Parameters
    ----------
    scheme : str or Scheme
        Scheme to compare with CUBIC: a name, an object, or "FILE.py:NAME".
    round_trips, buffers, losses : sequence of float
        Round-trip times without queueing [s], buffers [bandwidth-delay products], probabilities of random loss.
    rng, store, progress
        As for `longfat.sweep`.

    Examples
    --------
    >>> data = run("reno", round_trips=[0.03], buffers=[1.0], losses=[0.0], progress=False)
    >>> bool(data.far.any())
    False
    """
    mine = user_files.read(scheme, Scheme) if isinstance(scheme, str) and user_files.names_file(scheme) else scheme
    used = sender(mine)[0]  # refuses unknown names
    called = mine if isinstance(mine, str) else used.name
    both = {"tested": mine, "cubic": "cubic"}

    def point(rng: np.random.Generator, who: str, round_trip: float, buffer: float, loss: float) -> dict[str, float]:
        return simulate(both[str(who)], float(round_trip), float(buffer), float(loss), rng)

    grid = {"who": list(both), "round_trip": list(round_trips), "buffer": list(buffers), "loss": list(losses)}
    data = sweep(point, grid, replications=1, rng=rng, store=store, progress=progress)
    for name, (unit, words) in QUANTITIES.items():
        data[name].attrs = {"units": unit, "long_name": words}
    data["far"] = far(data.sel(who="tested"), data.sel(who="cubic"))
    data["round_trip"].attrs = {"units": "s", "long_name": "round-trip time without queueing"}
    data.attrs |= {"scheme": called, "rate": RATE, "packet": PACKET, "factor": FACTOR}
    return data


def far(mine: xr.Dataset, cubic: xr.Dataset) -> xr.DataArray:
    """Return whether, on each path, a scheme has far less goodput, a far longer queue or many more drops than CUBIC."""
    slow = FACTOR * mine.goodput_share < cubic.goodput_share
    more = mine.queueing_delay - cubic.queueing_delay
    queued = (mine.queueing_delay > FACTOR * cubic.queueing_delay) & (
        more > np.maximum(SHARE_OF_TRIP * mine.round_trip, LEAST_DELAY)
    )
    lost = (mine.dropped_share > FACTOR * cubic.dropped_share) & (mine.dropped_share - cubic.dropped_share > LEAST_LOSS)
    found: xr.DataArray = (slow | queued | lost).drop_vars("who", errors="ignore")
    return found


def to_text(data: xr.Dataset) -> str:
    """Return a text with the number of paths where the scheme is far from CUBIC, and each round trip's worst path."""
    broken, total = data.far, data.far.sizes["buffer"] * data.far.sizes["loss"]
    bad = [float(one) for one in data.round_trip if bool(broken.sel(round_trip=one).any())]
    where = ", ".join(rounded(one, "s") for one in bad)
    lines = [
        f"{data.attrs['scheme']} alone on paths of {rounded(RATE, 'bytes/s')}, beside CUBIC alone: far from it in "
        f"{int(broken.sum())} of {broken.size} cells" + (f", at round trips of {where}" if bad else ""),
        f"far: less than 1/{FACTOR:g} of CUBIC's goodput, or {FACTOR:g} times its queueing delay or losses",
        "A scheme without slow start is far at long round trips, where its window grows too slowly.",
        "",
        f"{'round trip':>10}  {'far':>7}  {'worst cell':<24}  {'goodput share':>14}  {'queueing [ms]':>15}  "
        f"{'lost [%]':>12}",
    ]
    for one in data.round_trip:
        at = data.sel(round_trip=one)
        mine, cubic = at.sel(who="tested"), at.sel(who="cubic")
        # The worst cell, by our choice, has the smallest ratio of the two goodputs among the cells that are far from
        # CUBIC, or among all cells if none is far.
        ratio = (mine.goodput_share / cubic.goodput_share.clip(1e-9)).where(at.far | ~at.far.any(), math.inf)
        cell = {name: int(k) for name, k in ratio.argmin(...).items()}
        pair = [(one.isel(cell)) for one in (mine, cubic)]
        values = [
            f"{float(mine[name]) * scale:.3g} ({float(cubic[name]) * scale:.3g})"
            for name, scale in (("goodput_share", 1), ("queueing_delay", 1e3), ("dropped_share", 100))
            for mine, cubic in [pair]
        ]
        place = f"buffer {float(pair[0].buffer):g} BDP, loss {100 * float(pair[0].loss):g} %"
        lines.append(
            f"{rounded(float(one), 's'):>10}  {int(at.far.sum()):>3}/{total:<3}  {place:<24}  {values[0]:>14}  "
            f"{values[1]:>15}  {values[2]:>12}"
        )
    return "\n".join([*lines, "", "In parentheses: CUBIC (RFC 9438) as Linux has it, on the same path."])
