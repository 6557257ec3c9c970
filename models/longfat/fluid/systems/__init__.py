"""Fluid systems of published schemes; users define others with `longfat.fluid.System`."""

from longfat.fluid.systems.bbr_link import bbr
from longfat.fluid.systems.cadpc import cadpc, cadpc_flow
from longfat.fluid.systems.capc import capc
from longfat.fluid.systems.replies import best_replies
from longfat.fluid.systems.tcp_queues import cubic, dctcp, tcp_pie, tcp_red
from longfat.fluid.systems.xcp import xcp

__all__ = ["bbr", "best_replies", "cadpc", "cadpc_flow", "capc", "cubic", "dctcp", "tcp_pie", "tcp_red", "xcp"]
