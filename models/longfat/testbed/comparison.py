"""Comparison of the results of one scenario in the simulator and on Linux with the laws that apply to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.labelled import made_by
from longfat.testbed.law_values import LawValue, law_values
from longfat.testbed.plan import with_handshakes

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network

FACES = ("simulator", "Linux")
#: Variable of the Dataset along the dimension `law` -> its meaning. Each value of a law is an entry of this dimension.
LAW = {
    "law_quantity": "variable that the law predicts",
    "law_of": "flow or link",
    "law_value": "value of the law, in the unit of the variable",
    "law_remark": "what the law leaves out in this scenario",
}


def compare(
    net: Network,
    *,
    duration: float | str,
    warm_up: float | str = 0.0,
    replications: int = 1,
    confidence: float = 0.95,
    sample_every: float | str | None = None,
    rng: Any = None,
    attempts: int = 3,
    progress: bool = True,
) -> xr.Dataset:
    """Run a scenario in the simulator and on Linux, and return both results with the values of the laws that apply.

    Parameters
    ----------
    net : Network
        Links and flows; `longfat.testbed.refusals` lists what Linux cannot do.
    duration, warm_up, replications, confidence, sample_every, rng, attempts, progress
        As for `longfat.testbed.run`, and for as many runs in the simulator.

    Returns
    -------
    xarray.Dataset
        The variables of `longfat.sim.run` along ``face``, "simulator" and "Linux"; ``law_quantity``, ``law_of``,
        ``law_value`` and ``law_remark`` along ``law``. The attributes are those of the run on Linux.

    Raises
    ------
    ValueError, CannotRun, RejectedRun
        As for `longfat.testbed.run`.
    """
    from longfat import sim
    from longfat.testbed.datasets import run

    options: dict[str, Any] = {
        "duration": duration, "warm_up": warm_up, "replications": replications, "confidence": confidence,
        "sample_every": sample_every, "rng": rng, "progress": progress,
    }  # fmt: skip
    measured = run(net, **options, attempts=attempts)  # first, because it refuses features that Linux lacks
    simulated = sim.run(with_handshakes(net), **options)
    return beside(simulated, measured, law_values(net, float(measured.attrs["duration"])))


def beside(simulated: xr.Dataset, measured: xr.Dataset, laws: list[LawValue]) -> xr.Dataset:
    """Return a Dataset of both results along ``face`` ("simulator", "Linux"), and of the values of laws along ``law``.

    Traces are limited to the times that both results contain. A variable that only one result contains is left out.
    """
    import xarray as xr

    common = [name for name in simulated.data_vars if name in measured.data_vars]
    data = xr.concat(
        [simulated[common], measured[common]],
        dim=xr.Variable("face", list(FACES)),
        join="inner",
        combine_attrs="override",
    ).assign_attrs(measured.attrs)
    for name, description in LAW.items():
        column = [getattr(one, name.removeprefix("law_")) for one in laws]
        kind = float if name == "law_value" else str
        data[name] = ("law", np.asarray(column, kind), {"units": "", "long_name": description})
    data = data.assign_coords(law=("law", np.asarray([one.law for one in laws], str)))
    return made_by(data, "testbed.compare")


def difference(data: xr.Dataset, name: str, where: dict[str, str]) -> tuple[float, float]:
    """Return the relative difference of Linux from the simulator [1], and the half-width of its confidence interval.

    The half-width is the root of the sum of the squares of the half-widths of simulator and Linux, as in a two-sample
    Student interval with the degrees of freedom of one sample. Welch's interval has more degrees of freedom, so this
    interval is wide enough. The half-width of a deterministic simulation is 0. The result is NaN without replications
    on Linux.

    >>> import xarray as xr
    >>> data = xr.Dataset({"goodput": ("face", [2.0, 3.0]), "goodput_upper": ("face", [2.3, 3.4])})
    >>> [round(one, 12) for one in difference(data, "goodput", {})]
    [0.5, 0.25]
    """
    simulated, measured = data[name].sel(where).values
    if simulated == 0 or not math.isfinite(simulated):
        return math.nan, math.nan
    half = math.nan
    if f"{name}_upper" in data:
        upper = data[f"{name}_upper"].sel(where).values
        of_simulator, of_linux = upper[0] - simulated, upper[1] - measured
        half = math.hypot(0.0 if math.isnan(of_simulator) else of_simulator, of_linux)
    return float(measured / simulated - 1), float(half / abs(simulated))
