"""Table of transfer times by the end of slow start: ``python -m docs.slow_start`` runs it and writes it as CSV.

A file crosses an idle path with five ways to begin; the law is the least time by slow start, without losses.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

from longfat.laws.tcp import slow_start_transfer_time
from longfat.sim import Network, run, schemes

TABLE = Path(__file__).resolve().parent / "data" / "slow_start.csv"
RATE, PACKET, INITIAL = 12.5e6, 1250, 10  # bytes/s, bytes, packets: a packet takes 0.1 ms
ROUND_TRIPS = (20, 50, 100, 200, 300, 500, 700)  # ms
SIZES, BUFFERS = (10, 100), (1, 5)  # MB, bandwidth-delay products
#: RFC 9406, section 4.3, and RFC 9002, section 7.7, ask for pacing; Linux has none without the queue discipline fq.
PACED = {**schemes.profile("linux"), "growth_limit": math.inf, "pacing": 1}
#: Scheme and parameters by the end of slow start.
STARTS = {
    "first loss": ("cubic", {**PACED, "hystart": 0}),
    "HyStart++": ("cubic", {**PACED, "hystart": 1}),
    "HyStart of Linux": ("cubic", schemes.linux("cubic")),
    "SEARCH": ("cubic-search", PACED),
    "Careful Resume": ("cubic-resume", PACED),
}
HEAD = "size [MB],buffer [BDP],round_trip_time [ms],slow start ends by,transfer_time [s],law [s],lost [packets]\n"


def transfer(start: str, size: float, buffer: float, trip: float) -> tuple[float, float, int]:
    """Return the transfer time of a file [bytes] over a round trip [s], the least time [s], and the packets lost.

    Careful Resume has saved a window of the bandwidth-delay product.
    """
    scheme, given = STARTS[start]
    product, packets = RATE * trip / PACKET, math.ceil(size / PACKET)
    saved = {"saved_window": product, "saved_rtt": trip} if scheme == "cubic-resume" else {}
    room = max(1, round(buffer * product))
    net = Network().link("a", "b", rate=RATE, delay=trip / 2, buffer=room)
    net.link("b", "a", rate=math.inf, delay=trip / 2)
    net.flow(scheme, path=["a", "b"], packet=PACKET, file=packets * PACKET, parameters={**given, **saved})
    data = run(net, rng=1, progress=False)
    law = slow_start_transfer_time(packets, trip, PACKET / RATE, INITIAL)
    return float(data.transfer_time[0]), float(law), int(data.dropped[0])


def main() -> None:
    """Write the table."""
    made = HEAD
    for size, buffer, trip, start in itertools.product(SIZES, BUFFERS, ROUND_TRIPS, STARTS):
        time, law, lost = transfer(start, 1e6 * size, buffer, trip / 1e3)
        made += f"{size},{buffer},{trip},{start},{time:.3f},{law:.3f},{lost}\n"
    TABLE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
