"""Prithviraj & Williamson's two scenarios, with every rule that the paper leaves open as a keyword.

Scenario 0 is two files of 2 MB over 40 Mbit/s and 4 ms, scenario 1 is experiment 1 of Kanakia, Keshav and Mishra: a
file of 2 MB over 44 ms and ten of 500 kB that begin at 100 ms, 144 ms, ... What the rules may be is a `Reading`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from longfat.sim import Network, queues

KS = (2, 5, 10, 20)  # section 3.4
CAPACITY = 5e6  # bytes/s: 40 Mbit/s, ten packets a millisecond
PACKET = 500  # bytes
PACKET_TIME = PACKET / CAPACITY  # s
SWITCH = ("overflow", "threshold", "silence", "window", "direct", "farewell")


@dataclass(frozen=True)
class Reading:
    """The rules that the paper does not print; those of `PLAIN` are the formulas as they stand.

    Parameters
    ----------
    start_rate : float
        Of a source before it has heard anything [bytes/s]; 0: one packet first.
    spacing : float
        Least time between two choices of a source [round-trip times].
    round : float
        What a round of retransmissions costs in the response time [round-trip times]; 1 is the formula as printed.
    restart : int
        After a retransmission timeout a source 1: begins anew, with one packet, 0: goes on at its rate.
    whole : int
        The response time is of 0: what is left of the file, 1: all of it.
    tokens : float
        Size of the token pool [packets]; the paper has 5.
    colours : int
        Red packets are chosen 1: at random, as in the paper, 2: evenly, 0: not at all.
    overflow : bool
        Packets are dropped only when the buffer is full, not by chance.
    threshold : int
        Packets that have to wait for dropping by chance to begin.
    silence : float
        After which the switch forgets a source [s].
    window : float
        Over which the switch measures rates [s]; 0: packets declare them.
    direct : bool
        The switch tells the sources itself; not so in the paper.
    farewell : bool
        The last packet of a file says so; else the switch learns it by silence.
    buffer : int
        Of the switch [packets]; the paper has 500.
    """

    start_rate: float = 0.0
    spacing: float = 0.25
    round: float = 1.0
    whole: int = 0
    restart: int = 1
    tokens: float = 5
    colours: int = 1
    overflow: bool = False
    threshold: int = 0
    silence: float = 0.1
    window: float = 0.0
    direct: bool = False
    farewell: bool = True
    buffer: int = 500

    @property
    def switch(self) -> dict[str, Any]:
        """Those of the switch, as `longfat.sim.queues.loss_load` calls them."""
        return {name: getattr(self, name) for name in SWITCH}

    @property
    def source(self) -> dict[str, Any]:
        """Those of the sources, as the scheme calls them."""
        return {name: value for name, value in asdict(self).items() if name not in (*SWITCH, "buffer")}


PLAIN = Reading()
# Nearest to what is printed of scenario 1. The two peaks say 5: connections 2 and 3 both hear of connection 1 alone,
# and 1 + 2 f_r at a = 0, b = 1 is 1.59 and 2.07 for k = 2 and 20 (printed 1.58 and 2.07), but 1.97 and 2.44 with 1.
NEAREST = Reading(round=5.0, whole=1, farewell=False)
# One rule at a time, in words.
SWITCHES: dict[str, dict[str, Any]] = {
    "a round of retransmissions costs 1 round trip": {"round": 1.0},
    "it costs 5 round trips": {"round": 5.0},
    "it costs 8 round trips": {"round": 8.0},
    "response time of what is left of the file": {"whole": 0},
    "response time of the whole file": {"whole": 1},
    "the last packet says so": {"farewell": True},
    "a finished source is forgotten after 100 ms": {"farewell": False},
    "sources begin at full rate": {"start_rate": CAPACITY},
    "a choice with every acknowledgment": {"spacing": 0.0},
    "a choice every round trip": {"spacing": 1.0},
    "after a timeout a source goes on as before": {"restart": 0},
    "one token": {"tokens": 1.0},
    "red packets evenly": {"colours": 2},
    "dropping begins at 5 waiting packets": {"threshold": 5},
    "dropping begins at 20 waiting packets": {"threshold": 20},
    "dropping begins at 100 waiting packets": {"threshold": 100},
    "only a full buffer drops": {"overflow": True},
    "only a full buffer of 5 packets drops": {"overflow": True, "buffer": 5},
    "the switch measures rates over 10 ms": {"window": 0.01},
    "the switch tells sources itself": {"direct": True},
}
# Sources that begin with what they will have: with it scenario 0 shows its equilibrium over the whole transfer.
FAIR_START = Reading(start_rate=CAPACITY / 2)


def scenario_0(k: float, v: float, reading: Reading = PLAIN) -> Network:
    """Two sources that get most through: H1 and H2 at 200 Mbit/s, one switch, H3 behind 40 Mbit/s; 1 ms each line.

    Parameters
    ----------
    k : float
        Severity of the loss-load curve [1], in (0, 50].
    v : float
        Virtual factor [1], in (0, 1].
    reading : Reading
        Rules that are not printed.

    Returns
    -------
    longfat.sim.Network
        Flows "c1" and "c2", bottleneck "S1-H3".

    Examples
    --------
    >>> from longfat.sim import run
    >>> data = run(scenario_0(2, 2 / 3), rng=1, progress=False)
    >>> 0.804 < float(data.transfer_time.sel(flow="c1")) < 0.82  # 800 ms and 4 ms at best
    True
    """
    net = Network()
    for host in ("H1", "H2"):
        net.link(host, "S1", rate="200 Mbit/s", delay="1 ms", duplex=True)
    net.link(
        "S1", "H3", rate=CAPACITY, delay="1 ms", buffer=reading.buffer,
        discipline=queues.loss_load(k, v, **reading.switch),
    )  # fmt: skip
    net.link("H3", "S1", rate=CAPACITY, delay="1 ms")
    parameters = {"k": k, "access_rate": 25e6, **reading.source}
    for i in (1, 2):
        net.flow(
            "loss-load", path=[f"H{i}", "S1", "H3"], name=f"c{i}", packet=PACKET, file="2 MB", parameters=parameters
        )
    return net


def scenario_1(k: float, v: float, reading: Reading = PLAIN) -> Network:
    """Slow changes in cross traffic: eleven sources with the least response time over one 40 Mbit/s line, 44 ms.

    Parameters
    ----------
    k : float
        Severity of the loss-load curve [1], in (0, 50].
    v : float
        Virtual factor [1], in (0, 1].
    reading : Reading
        Rules that are not printed.

    Returns
    -------
    longfat.sim.Network
        Flows "c1" (2 MB) to "c11" (500 kB each), bottleneck "S1-S2".

    Examples
    --------
    >>> len(scenario_1(2, 1.0).flows)
    11
    """
    net = Network()
    for i in range(1, 12):
        net.link(f"H{i}", "S1", rate="100 Mbit/s", delay="20 ms", duplex=True)
    net.link(
        "S1", "S2", rate=CAPACITY, delay="1 ms", buffer=reading.buffer,
        discipline=queues.loss_load(k, v, **reading.switch),
    )  # fmt: skip
    net.link("S2", "S1", rate=CAPACITY, delay="1 ms")
    net.link("S2", "H12", rate="100 Mbit/s", delay="1 ms", duplex=True)
    parameters = {"k": k, "response": 1, "access_rate": 12.5e6, **reading.source}
    for i in range(1, 12):
        net.flow(
            "loss-load",
            path=[f"H{i}", "S1", "S2", "H12"],
            name=f"c{i}",
            packet=PACKET,
            file="2 MB" if i == 1 else "500 kB",
            start=0 if i == 1 else 0.1 + 0.044 * (i - 2),
            parameters=parameters,
        )
    return net
