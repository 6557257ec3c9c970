"""The packet simulators; they know nothing of the laws."""

from longfat.sim import channel, segments

__all__ = ["channel", "segments"]
