"""Fluid systems of published schemes; users define others with `longfat.fluid.System`."""

from longfat.fluid.systems.announced_rates import cadpc, cadpc_flow, capc, xcp
from longfat.fluid.systems.bbr_link import bbr
from longfat.fluid.systems.replies import best_replies
from longfat.fluid.systems.tcp_queues import cubic, dctcp, tcp_pie, tcp_red

__all__ = ["bbr", "best_replies", "cadpc", "cadpc_flow", "capc", "cubic", "dctcp", "tcp_pie", "tcp_red", "xcp"]
