"""Transfer time of a file over an idle path, by the law of slow start and by simulation."""

from __future__ import annotations

import math

from longfat.design.senders import SENDERS
from longfat.laws.tcp import slow_start_transfer_time

INITIAL_WINDOW = 10  # packets: RFC 6928, section 2
MOST = 1e7  # largest number of packets to simulate, in about a minute. Our choice, so that no answer takes an hour.


def transfer_time(
    size: float, *, rate: float, round_trip_time: float, loss: float, scheme: str, segment: int, buffer: float,
    header: float = 0.0, simulate: bool = True, progress: bool = False,
) -> tuple[float, float | None]:  # fmt: skip
    """Return the transfer time [s] of a file of ``size`` bytes by the law of slow start, and as simulated.

    The law is a lower bound: it assumes no losses, and that slow start goes on until the path is full. Without
    ``simulate``, and for more than `MOST` packets, the second value is None. ``rate`` is that of data [bytes/s],
    ``buffer`` is in bandwidth-delay products. A transfer ends when all data are acknowledged. The last packet has the
    rest of the data, and ``header`` bytes of headers, as all packets have.

    >>> law, simulated = transfer_time(1e6, rate=1.25e6, round_trip_time=0.05, loss=0, scheme="reno", segment=1448,
    ...                                buffer=4)
    >>> round(law, 2), round(simulated, 2)  # 4 x 50 ms, and 621 + 3 packets of 1.158 ms after rounds of 10, 20 and 40
    (0.92, 0.92)
    """
    packets = math.ceil(size / segment)
    per_packet, sender = segment / rate, SENDERS[scheme]
    # The round-trip time is that of ping, whose packets are short: the law adds the transmission time of a packet.
    law = slow_start_transfer_time(packets, round_trip_time, per_packet, INITIAL_WINDOW)
    shorter = (packets - size / segment) * segment / (segment + header) * per_packet  # saved by a short last packet
    if not simulate or packets > MOST:
        return float(law) - shorter, None
    from longfat.sim import Network
    from longfat.sim.runs.run import answer

    room = max(1, round(buffer * rate * round_trip_time / segment))
    net = Network().link("sender", "receiver", rate=rate, delay=round_trip_time / 2, buffer=room, loss=loss)
    net.flow(
        sender.scheme, path=["sender", "receiver"], packet=segment, file=packets * segment, ack_path="ideal",
        parameters=sender.parameters,
    )  # fmt: skip
    simulated = float(answer(net, rng=0, progress=progress)[0]["transfer_time"][0])
    return float(law) - shorter, simulated - shorter
