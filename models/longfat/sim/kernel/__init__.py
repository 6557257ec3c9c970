"""Compiled core of the packet simulator; its entry points are `loop.run` and `census.count`."""
