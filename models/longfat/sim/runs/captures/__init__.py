"""Packet captures of a run: pcap at both hosts, and qlog of the senders, see `longfat.sim.run`."""

from longfat.sim.runs.captures.capture import MOST, Capture, captured

__all__ = ["MOST", "Capture", "captured"]
