"""Fluid models of congestion control: maps and delay differential equations of rates and queues, without packets.

A `System` defines the variables, their dynamics and the feedback delays. `integrate`, `equilibrium` and `stability`
accept any system and many parameter points in one call; `trajectory` is differentiable. Predefined systems: `cadpc`
(synchronous, asynchronous, delayed, over several links), `cadpc_flow`, `capc`, `best_replies`, `tcp_red`, `tcp_pie`,
`cubic`, `bbr`, `dctcp`, `xcp`.

Paths, equilibria and stability need the extra ``jax``; `integrate` with ``method="numpy"`` does not.
"""

from longfat.fluid.characteristic_roots import rightmost_roots
from longfat.fluid.equilibrium import equilibrium
from longfat.fluid.integrate import integrate, trajectory
from longfat.fluid.stability import linearise, multipliers, stability
from longfat.fluid.system import Quantity, System
from longfat.fluid.systems import bbr, best_replies, cadpc, cadpc_flow, capc, cubic, dctcp, tcp_pie, tcp_red, xcp

__all__ = [
    "Quantity",
    "System",
    "bbr",
    "best_replies",
    "cadpc",
    "cadpc_flow",
    "capc",
    "cubic",
    "dctcp",
    "equilibrium",
    "integrate",
    "linearise",
    "multipliers",
    "rightmost_roots",
    "stability",
    "tcp_pie",
    "tcp_red",
    "trajectory",
    "xcp",
]
