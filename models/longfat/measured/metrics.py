"""Metrics of RFC 6349, *Framework for TCP Throughput Testing*, from a measurement."""

from __future__ import annotations

from longfat.base.layers import LAYERS, NEAR, full_headers, header_bytes, rate_at
from longfat.base.quantities import rounded, text
from longfat.laws import tcp
from longfat.measured.figures import PathFigures


def metrics(figures: PathFigures, capacity: float | None = None) -> dict[str, float]:
    """Return the three metrics of RFC 6349; a metric is missing if the measurement lacks a figure for it.

    They are "transfer_time_ratio" (section 4.1), "tcp_efficiency" (section 4.2) and "buffer_delay" (section 4.3); the
    RFC writes the last two as percentages. The first needs the ``capacity``, the rate of the bottleneck at the physical
    layer [bytes/s], which TCP cannot measure.

    >>> found = metrics(PathFigures(rate=8e6, round_trip_time=0.025, loss=0.02, packet=1448, transport="TCP",
    ...                             queueing_delay=0.007), capacity=12.5e6)
    >>> {name: round(value, 4) for name, value in found.items()}
    {'transfer_time_ratio': 1.4711, 'tcp_efficiency': 0.98, 'buffer_delay': 0.28}
    """
    made: dict[str, float] = {}
    if figures.transport != "TCP":
        return made
    if capacity is not None and figures.rate and figures.packet and figures.rate_layer == "data":
        # The ratio of the measured to the ideal transfer time does not depend on the transfer size: use the data of one
        # second.
        headers = header_bytes("wire", **full_headers(figures.packet))
        ideal = float(tcp.ideal_transfer_time(figures.rate, capacity, figures.packet, headers))
        made["transfer_time_ratio"] = float(tcp.transfer_time_ratio(1.0, ideal))
    if figures.loss is not None:
        made["tcp_efficiency"] = float(tcp.tcp_efficiency(1 - figures.loss, figures.loss))
    if figures.round_trip_time and figures.queueing_delay is not None:
        loaded = figures.round_trip_time + figures.queueing_delay
        made["buffer_delay"] = float(tcp.buffer_delay(loaded, figures.round_trip_time))
    return made


def beyond(figures: PathFigures, capacity: float | None) -> str:
    """Return a hint on which layer's bytes a rate counts, if the rate exceeds that of data on a full link; else "".

    >>> beyond(PathFigures(rate=986.99e6 / 8, packet=1448, transport="TCP"), 125e6)
    "1 Gbit/s carries 941.5 Mbit/s of data, jumbo frames 990 Mbit/s; 987 Mbit/s is Ethernet's"
    """
    rate, packet = figures.rate, figures.packet
    if not (capacity and rate and packet and figures.transport and figures.rate_layer == "data"):
        return ""
    headers = {"transport": figures.transport} | (full_headers(packet) if figures.transport == "TCP" else {})
    full = {layer: rate_at(capacity, "wire", layer, data=packet, **headers) for layer in LAYERS}
    if rate <= (1 + NEAR) * full["data"]:
        return ""
    jumbo = rate_at(capacity, "wire", "data", 9000, **headers)
    data, large, its = (rounded(one, "bytes/s", 4) for one in (full["data"], jumbo, rate))
    said = f"{text(capacity, 'bytes/s')} carries {data} of data, jumbo frames {large}"
    layer = min(full, key=lambda one: abs(full[one] - rate))
    return said + f"; {its} is {layer}'s" * (abs(rate / full[layer] - 1) < NEAR)
