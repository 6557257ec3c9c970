"""Sizes of a packet at each layer from data to wire, and conversion of a rate from one layer to another.

One link has several rates, because each layer counts its own headers: 1 Gbit/s on the wire are 987.0 Mbit/s of Ethernet
frames, 975.3 Mbit/s of IP packets and 941.5 Mbit/s of TCP data. Only `HEADERS` states the sizes of headers.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from longfat.base.domains import choice, integer, number, out_of_range

__all__ = [
    "ETHERNETS",
    "HEADERS",
    "LAYERS",
    "MEANINGS",
    "NEAR",
    "TUNNELS",
    "full_ethernet",
    "header_bytes",
    "layer_sizes",
    "rate_at",
]

#: Layers from the data to the wire, and the bytes that each layer counts.
MEANINGS = {
    "data": "payload of TCP or UDP, as programs such as iperf3 count it",
    "IP": "packets with the outermost IP header",
    "tc": "packets with their Ethernet header, as tc and the interface counters of Linux count them",
    "Ethernet": "frames with tag and frame check sequence",
    "wire": "frames with preamble and gap: the layer of Ethernet's nominal rate",
}
LAYERS = tuple(MEANINGS)


class Header(NamedTuple):
    """Header or other overhead of a protocol, which one layer and all layers below it count."""

    layer: str  # innermost layer whose sizes include these bytes
    size: int  # bytes
    source: str  # standard that fixes the size


HEADERS = {
    "TCP": Header("IP", 20, "RFC 9293, section 3.1"),
    "time stamps": Header("IP", 12, "RFC 7323, section 3.2; two bytes of padding: appendix A"),
    "UDP": Header("IP", 8, "RFC 768"),
    "IPv4": Header("IP", 20, "RFC 791, section 3.1"),
    "IPv6": Header("IP", 40, "RFC 8200, section 3"),
    "GRE": Header("IP", 24, "RFC 2784, section 2: 4, and IPv4"),
    "VXLAN": Header("IP", 50, "RFC 7348, section 5: 8, UDP, IPv4, and the header of the inner Ethernet"),
    "WireGuard": Header(
        "IP", 60, "Donenfeld, WireGuard, NDSS 2017, section 5.4.6: 32, UDP and IPv4; full packets are not padded"
    ),
    "ESP": Header(
        "IP", 54, "RFC 4303, section 2, and RFC 4106, sections 3 and 6 (AES-GCM): 8, 8, 2 and 16, and IPv4; no padding"
    ),
    "PPPoE": Header("tc", 8, "RFC 2516, sections 4 and 7: 6, and 2 of PPP"),
    "Ethernet": Header("tc", 14, "IEEE 802.3-2022, section 3.1.1: two addresses, and length or type"),
    # Linux inserts the tag after the queue (net/core/dev.c, validate_xmit_vlan()), so tc does not count the bytes of
    # the tag.
    "802.1Q tag": Header("Ethernet", 4, "IEEE 802.1Q-2022, section 9.3"),
    "frame check sequence": Header("Ethernet", 4, "IEEE 802.3-2022, section 3.2.9"),
    "preamble": Header("wire", 8, "IEEE 802.3-2022, sections 3.2.1 and 3.2.2: 7, and the delimiter"),
    "gap": Header("wire", 12, "IEEE 802.3-2022, section 4.4.2: 96 bits"),
}
#: Nominal rates of Ethernet on the wire [bytes/s]: IEEE 802.3-2022, clauses 21, 34, 44, 80, 105 and 125.
ETHERNETS = {
    "Fast Ethernet": 100e6 / 8,
    "Gigabit Ethernet": 1e9 / 8,
    **{f"Ethernet of {rate:g} Gbit/s": rate * 1e9 / 8 for rate in (2.5, 5, 10, 25, 40, 100)},
}
NEAR = 0.005  # largest relative difference from the rate of a full link; ours, as clocks and counters are coarse
TUNNELS = ("GRE", "VXLAN", "WireGuard", "ESP")


def layer_sizes(
    mtu: int = 1500, *, data: float | None = None, transport: str = "TCP", ip_version: int = 4,
    time_stamps: bool = True, tags: int = 0, pppoe: bool = False, tunnel: str | None = None,
) -> dict[str, float]:  # fmt: skip
    """Return the number of bytes that each layer counts for one packet.

    Parameters
    ----------
    mtu : int
        Largest payload of an Ethernet frame [bytes], in [576, 65535]: 1500, or 9000 with jumbo frames.
    data : float, optional
        Data in the packet [bytes], in [1, 65535], whatever ``mtu`` is; by default the data of a packet of ``mtu``.
    transport : {"TCP", "UDP"}
        Protocol that carries the data.
    ip_version : {4, 6}
        Version of IP; in a tunnel, the version of the inner packet, while the outer packet is IPv4.
    time_stamps : bool
        Whether TCP has time stamps, as Linux has by default.
    tags : int
        Number of 802.1Q tags [1], in [0, 2].
    pppoe : bool
        Whether PPPoE carries IP.
    tunnel : {"GRE", "VXLAN", "WireGuard", "ESP"}, optional
        Tunnel that carries the packet, over IPv4 and without options; ESP with AES-GCM, in tunnel mode.

    Returns
    -------
    dict
        Bytes of the packet, by layer: "data", "IP", "tc", "Ethernet" and "wire".

    Examples
    --------
    >>> layer_sizes()
    {'data': 1448, 'IP': 1500, 'tc': 1514, 'Ethernet': 1518, 'wire': 1538}
    >>> layer_sizes(9000, ip_version=6, tags=1)["wire"]
    9042
    """
    integer("mtu", mtu, "bytes", "[576, 65535]")
    integer("tags", tags, "1", "[0, 2]")
    choice("transport", transport, ("TCP", "UDP"))
    if ip_version not in (4, 6):
        raise out_of_range("ip_version", ip_version, "1", "4 or 6")
    names = [transport, f"IPv{ip_version}", *["802.1Q tag"] * tags]
    names += ["Ethernet", "frame check sequence", "preamble", "gap"]
    names += ["time stamps"] * (bool(time_stamps) and transport == "TCP") + ["PPPoE"] * bool(pppoe)
    names += [] if tunnel is None else [choice("tunnel", tunnel, TUNNELS)]
    most = mtu - sum(HEADERS[name].size for name in names if HEADERS[name].layer == "IP" or name == "PPPoE")
    size: float = most if data is None else number("data", data, "bytes", "[1, 65535]")
    sizes = {}
    for layer in LAYERS:
        size += sum(HEADERS[name].size for name in names if HEADERS[name].layer == layer)
        sizes[layer] = size
    return sizes


def header_bytes(layer: str, above: str = "data", **headers: Any) -> int:
    """Return the bytes of a packet that ``layer`` counts and the layer ``above`` does not.

    Parameters
    ----------
    layer, above : {"data", "IP", "tc", "Ethernet", "wire"}
        The two layers.
    **headers
        Arguments of `layer_sizes`.

    Examples
    --------
    >>> header_bytes("IP"), header_bytes("wire"), header_bytes("wire", "IP")
    (52, 90, 38)
    """
    sizes = layer_sizes(**headers)
    return int(sizes[choice("layer", layer, LAYERS)] - sizes[choice("above", above, LAYERS)])


def rate_at(rate: float, of: str, to: str, mtu: int = 1500, **headers: Any) -> float:
    """Convert the rate of packets of one size from one layer to another.

    Parameters
    ----------
    rate : float
        Rate [bytes/s], in [0, inf), or in another unit, which the result then has.
    of, to : {"data", "IP", "tc", "Ethernet", "wire"}
        Layer at which ``rate`` is given, and layer of the result.
    mtu, **headers
        Arguments of `layer_sizes`.

    Examples
    --------
    >>> [round(rate_at(1000, "wire", layer), 2) for layer in ("Ethernet", "IP", "data")]  # of 1 Gbit/s, in Mbit/s
    [987.0, 975.29, 941.48]
    >>> round(rate_at(1000, "wire", "data", 9000, ip_version=6, tags=1), 2)
    987.39
    """
    number("rate", rate, "bytes/s", "[0, inf)")
    sizes = layer_sizes(mtu, **headers)
    return rate / sizes[choice("of", of, LAYERS)] * sizes[choice("to", to, LAYERS)]


def full_headers(data: float) -> dict[str, Any]:
    """Return arguments of `layer_sizes` with which data of TCP fills an MTU of 1500 or 9000 bytes; {} if none do.

    >>> full_headers(1428), full_headers(1460), full_headers(1000)
    ({'ip_version': 6, 'time_stamps': True}, {'ip_version': 4, 'time_stamps': False}, {})
    """
    for mtu, version, stamps in itertools.product((1500, 9000), (4, 6), (True, False)):
        headers: dict[str, Any] = {"ip_version": version, "time_stamps": stamps}
        if layer_sizes(mtu, **headers)["data"] == data:
            return headers
    return {}


def full_ethernet(rate: float, data: float) -> str | None:
    """Return the kind of Ethernet that a given rate of TCP data fills completely; None if there is none.

    Packets have the headers of `layer_sizes`: IPv4 or IPv6, with or without time stamps, whichever makes ``data`` fill
    an MTU.

    Parameters
    ----------
    rate : float
        Rate of data [bytes/s].
    data : float
        Data in a packet [bytes].

    Examples
    --------
    >>> full_ethernet(941e6 / 8, 1448), full_ethernet(928.5e6 / 8, 1428), full_ethernet(500e6 / 8, 1448)
    ('Gigabit Ethernet', 'Gigabit Ethernet', None)
    """
    sizes = layer_sizes(data=data, **full_headers(data))
    wire = rate / data * sizes["wire"]
    return next((name for name, full in ETHERNETS.items() if abs(wire / full - 1) < NEAR), None)
