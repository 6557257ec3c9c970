"""Networks as TOML text."""

from __future__ import annotations

from longfat.sim.network import Network


def write(net: Network) -> str:
    """A network as TOML."""
    return repr(net)
