"""One CUBIC flow as a simulator of laws: its window after a loss, under a loss probability, alone at a drop-tail link.

Only the losses of `at_random_loss` are random; the other runs take a seed and draw nothing.
"""

from __future__ import annotations

import math
from typing import Any

from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation
from longfat.sim.kernel import records
from longfat.sim.queues import DROP, ENQUEUE
from longfat.verify.measured_runs import PACKET, Result, Simulate, measured, packets_sent

ROUND_TRIP = 0.1  # s
BANDWIDTH_DELAY_PRODUCT = 1000  # packets in a round trip of ROUND_TRIP
FACTOR = 0.4  # C of RFC 9438 [packets/s^3]
Name = str | Scheme


def periodic(link, packet, now):  # type: ignore[no-untyped-def]
    """Drop the data packet of a given number, counted from 1, and one in every ``interval`` after it."""
    if packet.kind == records.DATA:
        link.passed += 1
        if link.passed >= link.first and (link.passed - link.first) % link.interval == 0:
            return DROP
    return ENQUEUE


PERIODIC = Discipline(
    "periodic",
    enqueue=periodic,
    parameters={
        "first": Parameter(None, "packets", "[1, inf)", about="number of the first packet that is lost"),
        "interval": Parameter(1e18, "packets", "[1, inf)", about="packets between two losses"),
    },
    state={"passed": 0},
)


def _flow(
    scheme: Name,
    discipline: Any,
    round_trip_time: float,
    rate: float = math.inf,
    loss: float = 0.0,
    **parameters: float,
) -> Network:
    """Return a network of one flow over a link without a limit of its buffer, by default without transmission time."""
    half = round_trip_time / 2
    net = Network().link("a", "b", rate=rate, delay=half, discipline=discipline, loss=loss)
    net.link("b", "a", rate=math.inf, delay=half)
    return net.flow(scheme, path=["a", "b"], packet=PACKET, parameters=parameters)


def _started(
    scheme: Name, top: int, round_trip_time: float, rate: float = math.inf, interval: float = 1e18, **parameters: float
) -> Network:
    """Return the network of a flow that leaves slow start at a window and loses the packet acknowledged next.

    From then on one packet in every ``interval`` is lost.
    """
    first = 2  # each acknowledgment of slow start adds a packet to this window
    lost = PERIODIC(first=top - first + 1, interval=interval)
    begin = {"initial_window": first, "initial_ssthresh": top, "fast_convergence": 0.0}
    return _flow(scheme, lost, round_trip_time, rate, **begin, **parameters)


def window_after_loss(scheme: Name = "cubic", round_trip_time: float = 0.02, spread: float = 1.1) -> Simulate:
    """Return a simulator of the window [packets] some time after the recovery from a loss at a given window.

    The link's rate spreads acknowledgments over the round trip, in which ``spread`` times the window would fit.

    >>> callable(window_after_loss())
    True
    """

    def simulate(rng: Any, *, time: float, window_before_loss: float, c: float, beta: float) -> Result:
        top = round(window_before_loss)
        rate = spread * top * PACKET / round_trip_time
        simulation = Simulation(_started(scheme, top, round_trip_time, rate, c=c, beta=beta), rng=rng)
        now, step = 0.0, round_trip_time / 100
        while not int(simulation.state.flows[0].losses):
            now += step
            simulation.advance(now)
        # RFC 9438, section 4.2: t counts from the beginning of congestion avoidance, which recovery precedes: from the
        # last time at which the window is as small as in the three round trips after the loss.
        courses = []
        for _ in range(300):
            now += step
            simulation.advance(now)
            courses.append((-float(simulation.state.flows[0].window), now))
        simulation.advance(max(courses)[1] + step / 2 + time)
        # The window before the loss is a whole number of packets here: compare at the given one.
        return float(simulation.state.flows[0].window) + (window_before_loss - top), packets_sent(simulation)

    return simulate


def packets_of_period(window_before_loss: float, round_trip_time: float, c: float, beta: float) -> tuple[float, float]:
    """Return packets and duration [s] of a climb to the window before, summed step by step by RFC 9438's rules."""
    recovery = ((1 - beta) * window_before_loss / c) ** (1 / 3)
    window = estimate = beta * window_before_loss
    time = packets = 0.0
    steps = 4  # in a round trip
    while window < window_before_loss and time < recovery:
        packets += window / steps
        time += round_trip_time / steps
        estimate += 3 * (1 - beta) / (1 + beta) / steps
        window = max(estimate, c * (time - recovery) ** 3 + window_before_loss)
    return packets, time


def mean_window(scheme: Name = "cubic", periods: int = 6) -> Simulate:
    """Return a simulator of the mean window [packets] of a flow whose losses bring it back to the same window.

    >>> callable(mean_window())
    True
    """

    def simulate(rng: Any, *, window_before_loss: float, round_trip_time: float, c: float, beta: float) -> Result:
        packets = round(packets_of_period(window_before_loss, round_trip_time, c, beta)[0])
        top = round(window_before_loss)
        net = _started(scheme, top, round_trip_time, interval=packets, c=c, beta=beta)
        simulation, now, marks = Simulation(net, rng=rng), 0.0, []
        for losses in (2, 2 + periods):
            while int(simulation.state.flows[0].losses) < losses:
                now += round_trip_time
                simulation.advance(now)
            marks.append((now, int(simulation.state.flows[0].sent)))
        (begin, before), (end, after) = marks
        return (after - before) / (end - begin) * round_trip_time, packets_sent(simulation)

    return simulate


def window_at_loss(scheme: Name = "cubic") -> Simulate:
    """Return a simulator of the mean window [packets] where one packet in every 1/loss is lost.

    It begins at the window to which that distance of the losses leads back, because from another one the flow needs
    hundreds of losses to come there.

    >>> callable(window_at_loss())
    True
    """
    periodic_losses = mean_window(scheme)

    def simulate(rng: Any, *, loss: float, round_trip_time: float, c: float, beta: float) -> Result:
        low, high = 2.0, 2 / loss
        while high > 1.0001 * low:
            middle = math.sqrt(low * high)
            packets, _ = packets_of_period(middle, round_trip_time, c, beta)
            low, high = (low, middle) if packets * loss > 1 else (middle, high)
        return periodic_losses(rng, window_before_loss=high, round_trip_time=round_trip_time, c=c, beta=beta)

    return simulate


def at_link(quantity: str, scheme: Name = "cubic", periods: int = 6) -> Simulate:
    """Return a simulator of a quantity of a drop-tail link with one flow: ``utilisation``, or ``mean_queue`` [BDP].

    It takes ``buffer``, in bandwidth-delay products, ``beta`` and, if they are not those of this module,
    ``bandwidth_delay_product``, ``round_trip_time`` and ``c``.

    Arrivals lie half a transmission time from departures: the round trip is that of a whole number of packets and a
    half. Were it that of a whole number, each packet would arrive when one departs, and nanoseconds of rounding would
    decide whether it finds the buffer full: a phase effect (S. Floyd and V. Jacobson, On Traffic Phase Effects in
    Packet-Switched Gateways, 1992), by which a flow may lose a packet more, and halve twice, at each loss. Ours: a
    fixed phase in place of the random delays proposed there, so that the simulator stays deterministic.

    >>> callable(at_link("utilisation"))
    True
    """

    def simulate(
        rng: Any, *, buffer: float, beta: float, bandwidth_delay_product: float = BANDWIDTH_DELAY_PRODUCT,
        round_trip_time: float = ROUND_TRIP, c: float = FACTOR,
    ) -> Result:  # fmt: skip
        bdp = math.floor(bandwidth_delay_product) + 0.5
        top = bdp * (1 + buffer)
        recovery = ((1 - beta) * top / c) ** (1 / 3)
        net = Network().link(
            "a", "b", rate=bdp * PACKET / round_trip_time, delay=round_trip_time / 2, buffer=round(buffer * bdp)
        )  # fmt: skip
        parameters = {"initial_ssthresh": beta * top, "c": c, "beta": beta, "fast_convergence": 0.0}
        net.flow(scheme, path=["a", "b"], packet=PACKET, ack_path="ideal", parameters=parameters)
        data, sent = measured(net, 3 * recovery, (3 + periods) * recovery, rng)
        return float(data[quantity][0]) / (bdp if quantity == "mean_queue" else 1), sent

    return simulate


def at_random_loss(losses: float = 100, scheme: Name = "cubic") -> Simulate:
    """Return a simulator of the mean window [packets] under independent packet losses, over a number of losses.

    >>> callable(at_random_loss(20))
    True
    """

    def simulate(rng: Any, *, loss: float, round_trip_time: float, c: float, fast_convergence: float) -> Result:
        half = round_trip_time / 2
        net = Network().link("a", "b", rate=math.inf, delay=half, loss=loss)
        net.link("b", "a", rate=math.inf, delay=half)
        parameters = {"initial_ssthresh": loss**-0.5, "c": c, "fast_convergence": fast_convergence}
        net.flow(scheme, path=["a", "b"], packet=PACKET, parameters=parameters)
        simulation, now, marks = Simulation(net, rng=rng), 0.0, []
        for sent in (20 / loss, (20 + losses) / loss):
            while packets_sent(simulation) < sent:
                now += 10 * round_trip_time  # of the 6000 that a hundred losses take at 3e-5
                simulation.advance(now)
            marks.append((now, packets_sent(simulation)))
        (begin, before), (end, after) = marks
        return (after - before) / (end - begin) * round_trip_time, after

    return simulate
