"""Table of CoDel's target on slow links: ``python -m docs.slow_links`` runs it and writes it as CSV."""

from __future__ import annotations

from pathlib import Path

from longfat.laws.aqm import cake_interval, cake_target
from longfat.sim import Network, queues, run, schemes

TABLE = Path(__file__).resolve().parent / "data" / "slow_links.csv"
RATES = (0.25, 0.625, 1, 2.5, 10)  # Mbit/s
FLOWS, DISCIPLINES = (1, 4), ("codel", "fq-codel")
ROUND_TRIP, PACKET, BUFFER, WARM_UP, DURATION = 0.05, 1514, 1000, 30.0, 330.0  # s, bytes, packets, s, s
HEAD = "rate [Mbit/s],discipline,flows,times,target [ms],interval [ms],utilisation,mean wait [ms],loss\n"


def network(rate: float, discipline: str, flows: int, target: float, interval: float) -> Network:
    """Return flows of Linux's CUBIC that start one after the other on a link [bytes/s] with CoDel's times [s]."""
    queue = queues.discipline(discipline, target=target, interval=interval)
    net = Network().link("a", "b", rate=rate, delay=ROUND_TRIP / 2, buffer=BUFFER, discipline=queue)
    net.link("b", "a", rate="10 Gbit/s", delay=ROUND_TRIP / 2)
    return net.flow(
        "cubic", path=["a", "b"], packet=PACKET, count=flows, stagger=1.0, parameters=schemes.linux("cubic")
    )


def rows(rate: float, discipline: str, flows: int) -> str:
    """Return two rows of the table: RFC 8289's times, and those of CAKE; one run each, since nothing is random."""
    made = ""
    cake = float(cake_target(rate * 1e6 / 8)), float(cake_interval(rate * 1e6 / 8))
    for name, (target, interval) in {"RFC 8289": (0.005, 0.1), "CAKE": cake}.items():
        net = network(rate * 1e6 / 8, discipline, flows, target, interval)
        found = run(net, duration=DURATION, warm_up=WARM_UP, rng=1, progress=False).sel(link="a-b")
        used, wait, lost = float(found.utilisation), float(found.mean_wait), float(found.link_dropped / found.arrived)
        made += f"{rate},{discipline},{flows},{name},{1e3 * target:.1f},{1e3 * interval:.1f},"
        made += f"{used:.3f},{1e3 * wait:.1f},{lost:.4f}\n"
    return made


def main() -> None:
    """Write the table."""
    cells = (rows(rate, discipline, flows) for rate in RATES for discipline in DISCIPLINES for flows in FLOWS)
    TABLE.write_text(HEAD + "".join(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
