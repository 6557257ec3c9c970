"""Record of one TCP connection between the two hosts: its addresses, data, packet sizes and rules."""

from __future__ import annotations

import math
from dataclasses import dataclass

from longfat.base.layers import header_bytes

#: Size of the headers of IPv4 and TCP [bytes], without and with timestamps. An acknowledgment has the same size.
HEADERS = (header_bytes("IP", time_stamps=False), header_bytes("IP"))
#: Port of the first connection at both hosts. The port of each further connection is one higher.
FIRST_PORT = 20_000
MOST_CONNECTIONS = 10_000
SENDERS, RECEIVERS = "10.64.0.0/16", "10.128.0.0/16"  # prefixes; each connection has its own address in both


@dataclass(frozen=True)
class Connection:
    """TCP connection between the hosts, with the properties that a flow of the scenario specifies.

    Attributes
    ----------
    number : int
        Number of the connection, from 0.
    name : str
        Name of the flow, or of one of its copies.
    control : str
        Linux's name of the congestion control.
    packet, payload : int
        Size of a data packet with its headers, and of the data in it [bytes].
    file : int or None
        Data to send [bytes]; None for unlimited data.
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
        """Port of the connection at both hosts."""
        return FIRST_PORT + self.number

    def address(self, prefix: str) -> str:
        """Return the connection's IPv4 address in the prefix `SENDERS` or `RECEIVERS`."""
        high, low = divmod(self.number + 1, 256)
        return f"{prefix.rsplit('.', 2)[0]}.{high}.{low}"
