"""The systems that are at hand; `longfat.fluid.System` states others."""

from longfat.fluid.members.cadpc import cadpc, cadpc_flow
from longfat.fluid.members.capc import capc
from longfat.fluid.members.replies import best_replies
from longfat.fluid.members.tcp_red import tcp_red
from longfat.fluid.members.xcp import xcp

__all__ = ["best_replies", "cadpc", "cadpc_flow", "capc", "tcp_red", "xcp"]
