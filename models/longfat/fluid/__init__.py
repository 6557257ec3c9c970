"""Dynamics of congestion control without packets: rates that answer rates. No simulator in here."""

from longfat.fluid import loss_load

__all__ = ["loss_load"]
