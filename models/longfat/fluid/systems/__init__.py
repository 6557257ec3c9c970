"""Fluid systems of published schemes; `longfat.fluid.System` defines others."""

from longfat.fluid.systems.cadpc import cadpc, cadpc_flow
from longfat.fluid.systems.capc import capc
from longfat.fluid.systems.replies import best_replies
from longfat.fluid.systems.tcp_red import tcp_red
from longfat.fluid.systems.xcp import xcp

__all__ = ["best_replies", "cadpc", "cadpc_flow", "capc", "tcp_red", "xcp"]
