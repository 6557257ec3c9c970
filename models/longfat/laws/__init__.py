"""Laws: published closed forms, one package per subject, independent of all simulators."""

from longfat.laws import blt, buffers, cadpc, cubic, fair_share, loss_load, power, queues, selective_repeat, tcp

__all__ = ["blt", "buffers", "cadpc", "cubic", "fair_share", "loss_load", "power", "queues", "selective_repeat", "tcp"]
