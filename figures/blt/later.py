"""Kim and Farber's claims that they leave to later work: streams, multiplexers, abuse, self-similar interference."""

from __future__ import annotations

from typing import Any

import numpy as np

from figures.blt import runs
from figures.blt.measured import at_load, is_small, mean, numbers_text, point_size, point_text, texts
from figures.blt.scenarios import COMPETITORS, MBIT, PACKET, SETS, Path, bare_dumbbell, connection
from figures.blt.under_load import LOADS
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import Difference, Estimate, Statement
from longfat.sim import Network, Simulation, run
from longfat.sim.network import traffic
from longfat.sim.queues.log import Log

REFERENCE = SETS["reference"]
OVERLOAD = (0.85, 0.95)
SOURCES, HURST, LASTS = 10, 0.8, 0.02  # of self-similar interference; s, mean of its times on and off
INTERFERENCE, FILES = 0.3, 0.4  # loads of interference and of files
ABUSE = 0.2  # share of the files that abusive sources send
STREAM = 127  # packets: seven windows
SCHEMES = {"TCP": "reno", "BLT": "blt"}


def departures(label: str) -> np.ndarray:
    """Return when a source sends each packet of a file over the reference network without losses [s]."""
    log, path = Log(2 * STREAM), REFERENCE[2]
    net = Network().link("a", "b", rate=np.inf, discipline=log.discipline).link("b", "a", rate=np.inf)
    net.link("b", "c", rate=path.capacity, delay=path.round_trip / 2)
    net.link("c", "b", rate=path.capacity, delay=path.round_trip / 2)
    given = {"delayed_ack": 1.0} if label == "TCP" else {}  # every packet is acknowledged
    net.flow(SCHEMES[label], path=["a", "b", "c"], packet=PACKET, file=STREAM * PACKET, parameters=given,
             access_rate=path.network * MBIT)  # fmt: skip
    simulation = Simulation(net)
    simulation.advance(1.0)
    return np.asarray(log.lines[:STREAM, 0] * 1e-9)


def streams(_: Context) -> Finding:
    """Assess figure 3: TCP sends window k after k round trips, BLT all of them in one burst."""
    round_trip = REFERENCE[2].round_trip
    first = 2 ** np.arange(7) - 1
    tcp, blt = (departures(label) for label in SCHEMES)
    late = (tcp[first] - tcp[0]) / round_trip
    burst = float(blt[-1] - blt[0]) / round_trip
    return judged(
        Statement(
            bool(np.all(abs(late - np.arange(7)) < 0.1)) and burst < 0.5,
            "TCP's window k begins k round trips after the first, within 0.1; BLT's windows all leave in half of one",
        ),
        f"TCP's seven windows begin after {numbers_text(late)} round trips, BLT's 127 packets leave in {burst:.2f}",
    )


def multiplexer(context: Context) -> Finding:
    """Assess sections 3.3.4 and 5.2.5: over a queue that ignores priorities BLT has less power."""

    def lost(loads: tuple[float, ...]) -> tuple[Estimate, ...]:
        return tuple(
            mean(np.subtract(*(np.log10(np.maximum(at_load(context, label, path, load)["power"], 1.0))
                               for label in ("BLT", "BLT, drop-tail"))))
            for path in REFERENCE for load in loads
        )  # fmt: skip

    found, over = lost(LOADS), lost(OVERLOAD)
    return judged(
        Difference(found, interpretations={f"at loads of {numbers_text(OVERLOAD)}": over}),
        f"log10 of the power, with priorities less without, at loads of {numbers_text(LOADS)} of 30, 90 and 150 "
        f"Mbit/s: {texts(found)}; at {numbers_text(OVERLOAD)}: {texts(over)}",
        "at 30 and 90 Mbit/s BLT breaks down from loads of 0.45 and 0.6 on, as claimed; not at small loads and at the "
        "rate of the sources' links, where little is discarded", scale=point_text(context),
    )  # fmt: skip


def interfered(context: Context, label: str, path: Path, fluctuating: bool) -> np.ndarray:
    """Return log10 of the power of files beside ten other sources of the same mean load, one value from each run."""
    mean_rate = INTERFERENCE * path.capacity / SOURCES
    cross = traffic.self_similar(2 * mean_rate, HURST, LASTS, LASTS) if fluctuating else traffic.poisson(mean_rate)
    size = point_size(path.file, is_small(context))
    seen = [
        runs.observe(label, path, FILES, packets=size["packets"], rng=np.random.default_rng(seed), cross=cross,
                     sources=SOURCES)["power"]
        for seed in np.random.SeedSequence(context.seed).spawn(size["replications"])
    ]  # fmt: skip
    return np.log10(np.maximum(seen, 1.0))


def interference(context: Context) -> Finding:
    """Assess section 5.2.2: self-similar interference costs TCP more of its power than BLT, beside a Poisson one."""
    costs = {
        label: [interfered(context, label, path, False) - interfered(context, label, path, True) for path in REFERENCE]
        for label in ("BLT", "TCP")
    }
    found = tuple(mean(tcp - blt) for blt, tcp in zip(costs["BLT"], costs["TCP"], strict=True))
    each = {label: texts([mean(one) for one in values], 3) for label, values in costs.items()}
    return judged(
        Difference(found),
        f"log10 of the power at a load of {FILES:g} beside a Poisson load of {INTERFERENCE:g} less that beside a "
        f"self-similar one, at 30, 90 and 150 Mbit/s: TCP {each['TCP']}; BLT {each['BLT']}",
        "that fluctuations cost TCP more than BLT is not seen", scale=point_text(context),
    )  # fmt: skip


def abused(context: Context, path: Path, load: float) -> np.ndarray:
    """Return by how much files that follow the rules take longer than abusive ones [s], one value from each run."""
    size, blt, abusive = point_size(path.file, is_small(context)), COMPETITORS["BLT"], COMPETITORS["Bully-Tyrant"]
    found = []
    for seed in np.random.SeedSequence(context.seed).spawn(size["replications"]):
        net, end = bare_dumbbell("BLT", path), size["packets"] * PACKET / (load * path.capacity)
        for name, one, share in (("files", blt, 1 - ABUSE), ("abusive", abusive, ABUSE)):
            common: dict[str, Any] = {"parameters": one.parameters, **connection(path)}
            rate = share * load * path.most_arrivals
            net.flow(traffic.arrivals(rate, one.scheme), name=name, file=path.file, **common)
        data = run(net, duration=end, warm_up=0.2 * end, rng=np.random.default_rng(seed), progress=False)
        found.append(float(data.transfer_time.sel(flow="files")) - float(data.transfer_time.sel(flow="abusive")))
    return np.array(found)


def abuse(context: Context) -> Finding:
    """Assess section 3.3.4: packets that all have the highest priority pass before others."""
    found = tuple(mean(abused(context, path, load)) for path in REFERENCE for load in LOADS)
    return judged(
        Difference(found),
        f"a fifth of the files is abusive: the others take longer by {texts([_ms(one) for one in found], 1)} ms at "
        f"loads of {numbers_text(LOADS)} of 30, 90 and 150 Mbit/s",
        "at small loads nothing is discarded, and nothing gained", scale=point_text(context),
    )  # fmt: skip


def _ms(one: Estimate) -> Estimate:
    return Estimate(1e3 * one.value, 1e3 * one.lower, 1e3 * one.upper)


ASSESSMENTS: dict[str, Assessment] = {
    "TCP sends its windows one round trip after the other, BLT all at once": streams,
    "BLT will not work if a multiplexing point does not discard by priority": multiplexer,
    "an abusive source of highest priority passes its packets before others": abuse,
    "self-similar interference: TCP fails to exploit fluctuations, BLT exploits them": interference,
}
