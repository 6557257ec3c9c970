"""What happens in a cell over time: what connection 1 sends, and what waits at the first slow line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from longfat.benchmark.building import build
from longfat.benchmark.entries import OPTIMAL, Entry, entry
from longfat.benchmark.experiments import variants
from longfat.domains import number

if TYPE_CHECKING:
    import xarray as xr


def traces(
    variant: str, schemes: Iterable[str | Entry], duration: float = 2.0, *, interval: float = 0.02, rng: int = 0
) -> xr.Dataset:
    """Sending rate of connection 1 and queue at S1-S2 over time, for some schemes.

    Parameters
    ----------
    variant : str
        Of `longfat.benchmark.VARIANTS`.
    schemes : sequence of str or Entry
        As for `longfat.benchmark.run`; without the optimal one, which sends no packets.
    duration : float
        How long [s], in (0, 400].
    interval : float
        Over which rates are averaged [s], at least 1e-4; queues are looked at ten times as often.
    rng : int
        Seed.

    Returns
    -------
    xarray.Dataset
        ``sending_rate`` [bytes/s] over ``scheme`` and ``time`` [s], where intervals begin; ``queue`` [packets] over
        ``scheme`` and ``fine_time`` [s].

    Raises
    ------
    ValueError
        For unknown names and values outside their ranges.

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
    put_in = [one for one in map(entry, schemes) if one.name != OPTIMAL]
    if not put_in:
        raise ValueError("schemes: at least one that sends packets is needed")
    found = []
    for one in put_in:
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
    made = xr.concat(found, xr.DataArray([one.name for one in put_in], dims="scheme", name="scheme"))
    made = made.assign_coords(label=("scheme", [one.label for one in put_in]))
    made.attrs |= {"variant": chosen.name, "interval": interval, "seed": rng}
    return made
