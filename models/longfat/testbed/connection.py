"""One TCP connection between the two hosts: its task and its addresses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from longfat.base.layers import header_bytes

#: Headers of a packet [bytes], which are all of an acknowledgment: IPv4 and TCP, without or with time stamps.
HEADERS = (header_bytes("IP", time_stamps=False), header_bytes("IP"))
#: Ports of both ends of the first connection; each connection has its own.
FIRST_PORT = 20_000
MOST_CONNECTIONS = 10_000
SENDERS, RECEIVERS = "10.64.0.0/16", "10.128.0.0/16"  # every connection has an address of its own at either end


@dataclass(frozen=True)
class Connection:
    """One TCP connection, as a flow of the scenario asks for it.

    Attributes
    ----------
    number : int
        Position among the connections.
    name : str
        Name of the flow, or of its copy.
    control : str
        Linux's name of the congestion control.
    packet, payload : int
        Size of a data packet with its headers, and of the data in it [bytes].
    file : int or None
        Data to send [bytes]; None without end.
    start, stop : float
        When the application begins to write, and when it aborts the connection [s].
    initial_window : int
        Initial congestion window [packets].
    quick : bool
        Whether the receiver acknowledges every packet immediately.
    least_timeout : float
        Lower bound of the retransmission timeout [s].
    congestion_marks : bool
        Whether the connection uses explicit congestion notification.
    """

    number: int
    name: str
    control: str
    packet: int
    payload: int
    file: int | None = None
    start: float = 0.0
    stop: float = math.inf
    initial_window: int = 10
    quick: bool = False
    least_timeout: float = 0.2
    congestion_marks: bool = False

    @property
    def port(self) -> int:
        """Port of both ends."""
        return FIRST_PORT + self.number

    def address(self, prefix: str) -> str:
        """Return the connection's address in a prefix, `SENDERS` or `RECEIVERS`."""
        high, low = divmod(self.number + 1, 256)
        return f"{prefix.rsplit('.', 2)[0]}.{high}.{low}"
