"""Claims of Kim and Farber about single packets: discards by later bursts, arrivals out of order, and ECN."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from figures.blt.networks import MBIT, PACKET, SETS, bare_dumbbell, connection
from figures.blt.runs import point_size, point_text
from figures.claims import Context, Finding, judged
from figures.rule import WITHIN, Difference, Estimate, Statement, Together, difference, mean, texts
from longfat.replication import replicate
from longfat.sim import Network, queues, run
from longfat.sim.network import traffic
from longfat.sim.schemes.blt import BLT

REFERENCE = SETS["reference"][0]
#: Packets of the burst at the switch, and of the later one that arrives. Bursts of 8 packets, such as interactive ones,
#: and of 32 lose none, so that only the longer ones can be told apart.
BURSTS, ARRIVING = (8, 32, 64, 128), 200
SEEN = 0.03  # s: by then both bursts have arrived at the switch, and no source has noticed a loss
LOADS = (0.3, 0.45, 0.6, 0.75)


def discarded(packets: int, seed: Any) -> float:
    """Return the share of a burst that is discarded by a second one, which starts while the first is at the switch.

    What the first burst loses alone does not count.
    """
    start = float(np.random.default_rng(seed).uniform(0.0, packets * PACKET / REFERENCE.capacity))
    lost = []
    for beside in (True, False):
        net = bare_dumbbell("BLT", REFERENCE).flow("blt", name="old", file=packets * PACKET, **connection(REFERENCE))
        if beside:
            net.flow("blt", name="new", file=ARRIVING * PACKET, start=start, **connection(REFERENCE))
        data = run(net, duration=SEEN, rng=1, progress=False)
        lost.append(float(data.dropped.sel(flow="old")))
    return (lost[0] - lost[1]) / packets


def punished(context: Context) -> Finding:
    """Assess section 3.3.2: the longer a burst, the larger its share that a later burst discards."""
    count = 20 if context.small else 100
    shares = {
        packets: mean(replicate(functools.partial(discarded, packets),
                                np.random.SeedSequence([context.seed, packets]).spawn(count)))
        for packets in BURSTS
    }  # fmt: skip
    return judged(
        Difference(tuple(difference(shares[more], shares[less]) for less, more in ((8, 64), (32, 64), (64, 128)))),
        f"of a burst at the switch one of {ARRIVING} packets discards, beside what it loses alone: "
        + "; ".join(f"{packets} packets: {one.text(3)}" for packets, one in shares.items()),
        "the share does not grow with the length",
        scale=f"{count} pairs of bursts for each length, over 30 Mbit/s with a buffer of {REFERENCE.buffer_packets} "
        f"packets, seed {context.seed}",
    )  # fmt: skip


def take_in_order(receiver: Any, packet: Any) -> Any:
    """Accept the next packet in order, and acknowledge every packet at once; return 1 if it is accepted, else 0."""
    new = packet.number == receiver.next
    if new:
        receiver.next += 1
    receiver.alarm = receiver.now
    return 1 if new else 0


def answer(receiver: Any, packet: Any) -> Any:
    """Let the acknowledgment leave; return 1."""
    return 1


#: BLT whose receiver discards what arrives out of order.
IN_ORDER = replace(BLT, name="blt-in-order", receive=take_in_order, reply=answer)


@functools.cache
def _in_order(context: Context, load: float) -> np.ndarray:
    """Return response times [s] with three rules for packets that arrive out of order, a row for each run.

    The receiver discards them, or stores them, or also tells the sender, which does not repeat them. The arrivals are
    the same with all three rules.
    """
    size = point_size(REFERENCE.file, context.small)
    end = size["packets"] * PACKET / (load * REFERENCE.capacity)

    def one(seed: Any) -> list[float]:
        times = []
        for scheme in (IN_ORDER, BLT, BLT(skip_known=1.0)):
            net = bare_dumbbell("BLT", REFERENCE)
            net.flow(traffic.arrivals(load * REFERENCE.most_arrivals, scheme), name="files", file=REFERENCE.file,
                     **connection(REFERENCE))  # fmt: skip
            data = run(net, duration=end, warm_up=0.2 * end, rng=np.random.default_rng(seed), progress=False)
            times.append(float(data.transfer_time.sel(flow="files")))
        return times

    return np.array(replicate(one, np.random.SeedSequence([context.seed, 11]).spawn(size["replications"])))


def out_of_order(context: Context) -> Finding:
    """Assess section 4.2.1: packets that arrive out of order sometimes make BLT's transmission faster.

    The receiver stores them, or it discards them; both have the same arrivals.
    """
    times = {load: 1e3 * _in_order(context, load) for load in LOADS}
    stored, told = ([mean(one[:, 0] - one[:, k]) for one in times.values()] for k in (1, 2))
    words = (f"{load:g}: {', '.join(f'{value:.1f}' for value in one.mean(0))}" for load, one in times.items())
    return judged(
        Statement(
            any(one.low > 0 for one in stored),
            "at one load at least files take longer with the whole interval if the receiver discards them",
            {"if the sender does not repeat them": any(one.low > 0 for one in told)},
        ),
        "response time [ms] with a receiver that discards packets out of order, with one that stores them, and if the "
        f"sender does not repeat these either, at loads of {'; '.join(words)}; the first is longer than the others by "
        f"{texts(stored, 1)}, and {texts(told, 1)}",
        "BLT repeats everything from the first missing packet on, also what the receiver has",
        scale=point_text(context),
    )  # fmt: skip


RATE, BULK, TYPED = 10 * MBIT, 5, 0.02  # bytes/s; flows of bulk data; load of telnet
#: Round trips of a local and of a wide-area network [s], ours: the paper gives none.
NETWORKS = {"LAN": 0.001, "wide area": 0.1}
KEYS, LARGE = 100, 1000  # bytes of a packet of telnet and of bulk data
#: RED's thresholds and buffer [packets], which the paper leaves open, too: `RED` has those of Floyd's simulations, from
#: memory; the thresholds of `WIDE` are half and one and a half of the wide-area network's bandwidth-delay product.
RED, WIDE = (5, 20, 100), (60, 180, 300)
BY_PRODUCT = "RED's thresholds half and one and a half of the bandwidth-delay product"
CLOCK = 0.1  # s: TCP's clock, as in Floyd's simulations (1994)
WARM, UNTIL = 20.0, 120.0  # s


def with_ecn(round_trip: float, ecn: bool, sizes: tuple[int, int, int], seed: Any) -> dict[str, float]:
    """Return the throughput of bulk data over the capacity, and the response time of telnet [s].

    A packet of telnet is a connection of its own, whose first timeout is that of a connection that knows the path.
    """
    low, high, buffer = sizes
    red = queues.red(min_th=low, max_th=high, max_p=0.1, ecn=ecn)
    net = Network().link("a", "b", rate=RATE, delay=round_trip / 2, buffer=buffer, discipline=red)
    net.link("b", "a", rate=RATE, delay=round_trip / 2)
    timer = {"tick": CLOCK, "granularity": CLOCK, "min_rto": 2 * CLOCK, "first_rto": 2 * CLOCK + round_trip}
    given: dict[str, Any] = {"path": ["a", "b"], "parameters": {**timer, "ecn": float(ecn)}, "send_jitter": 0.0008}
    net.flow("reno", name="bulk", packet=LARGE, count=BULK, stagger=0.3, **given)
    typed = traffic.arrivals(TYPED * RATE / KEYS, "reno")
    net.flow(typed, name="telnet", packet=KEYS, file=KEYS, **given)
    data = run(net, duration=UNTIL, warm_up=WARM, rng=np.random.default_rng(seed), progress=False)
    bulk = [str(name) for name in data.flow.values if str(name).startswith("bulk")]
    return {
        "throughput": float(data.goodput.sel(flow=bulk).sum()) / RATE,
        "time": float(data.transfer_time.sel(flow="telnet")),
    }


def ecn(context: Context) -> Finding:
    """Assess section 2.2: ECN helps bulk data and telnet in a LAN, and gives no significant advantage in a wide area.

    Significant is taken to be 10 %, the tolerance of the rule.
    """
    count = context.runs(4, 10)

    def seen(round_trip: float, sizes: tuple[int, int, int] = RED) -> list[list[dict[str, float]]]:
        """Return the runs with and without ECN."""
        seeds = np.random.SeedSequence([context.seed, 12]).spawn(count)
        return [replicate(functools.partial(with_ecn, round_trip, marks, sizes), seeds) for marks in (True, False)]

    def gains(runs: list[list[dict[str, float]]]) -> tuple[Estimate, Estimate]:
        """Return by how much ECN raises the throughput of bulk data and the speed of telnet [1], run by run."""
        pairs = list(zip(*runs, strict=True))
        return (
            mean([one["throughput"] / other["throughput"] - 1.0 for one, other in pairs]),
            mean([other["time"] / one["time"] - 1.0 for one, other in pairs]),
        )

    def times(runs: list[list[dict[str, float]]]) -> str:
        with_it, without = (1e3 * float(np.mean([one["time"] for one in each])) for each in runs)
        return f"telnet takes {with_it:.1f} ms with it and {without:.1f} ms without"

    near, far, wide = seen(NETWORKS["LAN"]), seen(NETWORKS["wide area"]), seen(NETWORKS["wide area"], WIDE)
    found = {"LAN": near, "wide area": far, f"wide area, {BY_PRODUCT}": wide}
    small = {name: all(one.high < WITHIN for one in gains(runs)) for name, runs in found.items()}
    return judged(
        Together((
            Difference(gains(near)),
            Statement(small["wide area"], "in the wide area less than 10 % more throughput and less than 10 % faster "
                      "answers, with their intervals", {BY_PRODUCT: small[f"wide area, {BY_PRODUCT}"]}),
        )),
        "gain of ECN for the throughput of bulk data and for the speed of telnet: " + "; ".join(
            f"{name}: {texts((one.times(100) for one in gains(runs)), 1)} %, {times(runs)}"
            for name, runs in found.items()
        ),
        "the paper quotes simulations of Floyd (1994), whose networks it does not give",
        scale=f"{count} runs of {UNTIL:g} s, {BULK} bulk flows over 10 Mbit/s, seed {context.seed}",
    )  # fmt: skip
