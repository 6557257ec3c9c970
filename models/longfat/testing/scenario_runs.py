"""Simulators that are scenarios of the packet simulator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network


@dataclass(frozen=True)
class Scenario:
    """A simulator for `longfat.testing.compare` that runs a network, one replication at a time.

    It reports the packets that all links received as its cost, and shrinking prints its networks as TOML.

    Parameters
    ----------
    build : callable
        Called as ``build(**point)``; returns a `longfat.sim.Network` and the options of its run, such as ``duration``.
    measure : callable
        Takes the dataset of `longfat.sim.run`, returns a number.

    Examples
    --------
    >>> import longfat as lf
    >>> def build(load):
    ...     net = lf.sim.Network().link("a", "b", rate="8 Mbit/s")
    ...     return net.flow(lf.sim.traffic.poisson(load * 1e6), path=["a", "b"], packet=1000), {"duration": 0.5}
    >>> waits = lf.testing.Scenario(build, lambda data: float(data.mean_wait[0]))
    >>> wait, packets = waits(1, load=0.5)
    >>> wait > 0, 150 < packets < 350
    (True, True)
    >>> print(waits.toml(1, load=0.5).splitlines()[1])
    from = "a"
    """

    build: Callable[..., tuple[Network, dict[str, Any]]]
    measure: Callable[[xr.Dataset], float]

    def __call__(self, rng: int, **point: Any) -> tuple[float, float]:
        """Return the measured number of one replication, and the packets that it cost."""
        from longfat.sim import run

        net, options = self.build(**point)
        data = run(net, **options, rng=rng, progress=False)
        return float(self.measure(data)), float(data["arrived"].sum())

    def toml(self, rng: int, **point: Any) -> str:
        """Return the scenario file of one replication."""
        net, options = self.build(**point)
        return net.to_toml(**options, rng=rng)
