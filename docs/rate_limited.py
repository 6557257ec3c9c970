"""Table of the rate-limited increase: ``python -m docs.rate_limited`` runs it and writes it as CSV.

An application writes bursts. One packet of the third burst is lost, and the time is taken that the fourth burst needs.
"""

from __future__ import annotations

import math
from pathlib import Path

from longfat.sim import Discipline, Network, Simulation, schemes
from longfat.sim.kernel.records import DATA
from longfat.sim.network import traffic
from longfat.sim.queues import DROP, ENQUEUE, Parameter

TABLE = Path(__file__).resolve().parent / "data" / "rate_limited.csv"
BURST, PACKET, ROUND_TRIP, WINDOW = 100, 1000, 0.05, 200  # packets, bytes, s, packets
SCHEMES, RULES = ("cubic", "sack"), (0, 1, 2, 3)
POSITIONS = (1, 25, 50, 75, 90, 95, 100)  # of the lost packet in its burst; 0 in the table: none is lost
STEP, LONGEST = 1e-4, 3.0  # s
HEAD = "scheme,cwnd_limited,lost packet,window before the fourth burst,time of the fourth burst [s]\n"


def drop_one(link, packet, now):  # type: ignore[no-untyped-def]  # compiled
    """Drop one data packet, once."""
    if packet.kind == DATA and packet.number == link.lost and link.done == 0.0:
        link.done = 1.0
        return DROP
    return ENQUEUE


def fourth_burst(scheme: str, rule: int, position: int) -> tuple[float, float]:
    """Return the window at the end of the third second [packets], and the time of the burst written then [s]."""
    lost = Discipline(
        "drop-one", enqueue=drop_one, parameters={"lost": Parameter(-1.0, "packets", "[-1, 1e9]")}, state={"done": 0.0}
    )
    chosen = {"initial_window": WINDOW, "initial_ssthresh": WINDOW, "cwnd_limited": rule}
    number = 2 * BURST + position - 1 if position else -1
    net = Network().link("a", "b", rate=math.inf, delay=ROUND_TRIP / 2, discipline=lost(lost=number))
    net.link("b", "a", rate=math.inf, delay=ROUND_TRIP / 2)
    application = traffic.on_off(BURST * PACKET / 1e-3, "1 ms", "999 ms")
    net.flow(
        scheme, path=["a", "b"], packet=PACKET, application=application,
        parameters={**schemes.linux(scheme), "integer_windows": 0, **chosen},
    )  # fmt: skip
    run = Simulation(net, rng=1)
    run.advance(2.999)
    window = float(run.state.flows[0].window)
    for step in range(round(LONGEST / STEP)):
        run.advance(3.0 + step * STEP)
        if run.state.senders["una"][0] >= 4 * BURST:
            return window, step * STEP
    return window, math.inf


def main() -> None:
    """Write the table."""
    made = HEAD
    for scheme in SCHEMES:
        for rule in RULES:
            for position in (0, *POSITIONS):
                window, time = fourth_burst(scheme, rule, position)
                made += f"{scheme},{rule},{position},{window:.1f},{time:.4f}\n"
    TABLE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
