"""Benchmark runs over time: the sending rate of connection 1 and the queue at the first slow link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from longfat.base.domains import number
from longfat.benchmark.building import build
from longfat.benchmark.entries import OPTIMAL, Entry, entry
from longfat.benchmark.experiments import variants

if TYPE_CHECKING:
    import xarray as xr


def traces(
    variant: str, schemes: Iterable[str | Entry], duration: float = 2.0, *, interval: float = 0.02, rng: int = 0
) -> xr.Dataset:
    """Simulate schemes and return connection 1's sending rate and the queue at S1-S2 over time.

    Parameters
    ----------
    variant : str
        Name in `longfat.benchmark.VARIANTS`.
    schemes : sequence of str or Entry
        As for `longfat.benchmark.run`; "optimal" is ignored, because it sends no packets.
    duration : float
        Simulated time [s], in (0, 400].
    interval : float
        Averaging interval of the rates [s], at least 1e-4; queues are sampled ten times as often.
    rng : int
        Seed.

    Returns
    -------
    xarray.Dataset
        ``sending_rate`` [bytes/s] over ``scheme`` and ``time`` [s], the start of each interval; ``queue`` [packets]
        over ``scheme`` and ``fine_time`` [s].

    Examples
    --------
    >>> data = traces("3-20", ["explicit-feedback"], 0.06, interval=0.01)
    >>> (data.sending_rate[0, :3] * 0.01 / 500).values.tolist()  # a packet every millisecond, at 0 and 10 ms as well
    [11.0, 9.0, 0.0]
    """
    import xarray as xr

    from longfat.sim import run

    duration = number("duration", duration, "s", "(0, 400]")
    interval = number("interval", interval, "s", "[1e-4, 400]")
    (chosen,) = variants([variant])
    entries = [one for one in map(entry, schemes) if one.name != OPTIMAL]
    if not entries:
        raise ValueError("schemes needs at least one scheme that sends packets")
    found = []
    for one in entries:
        net = build(chosen, one)
        data = run(net, duration=duration, rng=rng, sample_every=interval / 10, progress=False)
        first = next(flow for flow in net.flows if flow.name == "1").path[:2]
        sent = data.arrived_trace.sel(link="-".join(first)).values[::10]
        counted = np.diff(sent, append=sent[-1])
        counted[0] += sent[0]  # at time 0
        found.append(
            xr.Dataset(
                {
                    "sending_rate": ("time", counted / interval, {"units": "bytes/s"}),
                    "queue": ("fine_time", data.queue_trace.sel(link="S1-S2").values, {"units": "packets"}),
                },
                coords={"time": data.time.values[::10], "fine_time": data.time.values},
            )
        )
    made = xr.concat(found, xr.DataArray([one.name for one in entries], dims="scheme", name="scheme"))
    made = made.assign_coords(label=("scheme", [one.label for one in entries]))
    made.attrs |= {"variant": chosen.name, "interval": interval, "seed": rng}
    return made
