"""Queues without a limit: M/M/1, M/D/1, M/G/1, processor sharing; M/M/1/K with room for K packets, at any load."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.queues.smooth import by_arithmetic, phis, truncated_geometric_mean
from longfat.laws.references import KLEINROCK_COMPUTERS, KLEINROCK_QUEUES

# The offered load is the arrival rate times the mean service time. It must be below 1 if the queue has no limit.
LOAD = Symbol(r"\rho", "1", "[0, 1)", (0.05, 0.95), "Offered load")
ANY_LOAD = Symbol(r"\rho", "1", "[0, inf)", (0.05, 5.0), "Offered load")
CAPACITY = Symbol(
    "K", "packets", "[1, inf)", (1.0, 128.0), "System size, packet in service included", integer=True,
    remark="The buffer is K - 1",
)  # fmt: skip
VARIATION = Symbol("C_b^2", "1", "[0, inf)", (0.1, 10.0), "Squared coefficient of variation of the service times")

UNLIMITED = {"load": (0.05, 0.8)}
LIMITED = {"load": (0.2, 1.5), "capacity": (1.0, 20.0)}
WAITING = LIMITED | {"capacity": (2.0, 20.0)}  # with a capacity of 1 no packet waits, so that all results are 0
# Our choice of the ranges: in them, runs of some thousand packets have losses. Without losses, simulation and law would
# agree at 0, which proves nothing.
LOSSY = {"load": (0.4, 1.5), "capacity": (1.0, 6.0)}


def _loss(load: Any, capacity: Any, xp: Any) -> Any:
    """Return exp(K u) phi_1(u)/((K + 1) phi_1((K + 1) u)), u = ln rho, reduced by exp(K u) for u > 0."""
    positive = load > 0
    u = xp.log(xp.where(positive, load, xp.ones_like(load)))
    below = u < 0
    v = xp.where(below, u, -u)
    decay = xp.exp(capacity * xp.where(below, u, xp.zeros_like(u)))
    result = decay * phis(v, xp)[0] / ((capacity + 1) * phis((capacity + 1) * v, xp)[0])
    return xp.where(positive, result, xp.where(capacity > 1, 0 * result, load))  # rho^K + O(rho^(K + 1))


def _mean(load: Any, places: Any, mp: Any) -> Any:
    """Return the mean of j = 0 ... m - 1 with weights rho^j, in mpmath.

    Terms cancel near rho = 1, so the precision is raised by about -2 log2(abs(rho - 1)) bits.
    """
    if load == 0:
        return mp.zero
    if load == 1:
        return (places - 1) / 2
    with mp.extraprec(40 + 2 * max(0, -mp.mag(load - 1))):
        u = mp.log(load)
        result = 1 / mp.expm1(-u) - places / mp.expm1(-places * u)
    return +result


def _written(load: Any, places: Any, sympy: Any) -> Any:
    mean = load / (1 - load) - places * load**places / (1 - load**places)
    return sympy.Piecewise(((places - 1) / 2, sympy.Eq(load, 1)), (mean, True))


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6",
    result="P [probability]",
    derivation="queues.mm1k.loss",
    simulated=SimulatedBy("mm1_loss", LOSSY, accuracy=0.003, relative=0.05),
)
def mm1k_loss(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the probability that a packet finds an M/M/1/K queue full and is lost.

    .. math:: P = \frac{\rho^K (1 - \rho)}{1 - \rho^{K + 1}}, \qquad \frac{1}{K + 1} \text{ at } \rho = 1

    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    >>> round(mm1k_loss(1.0, 10), 6)
    0.090909
    """
    return by_arithmetic(
        xp,
        lambda: _loss(load, capacity, xp),
        lambda mp: (
            load**capacity / (1 + capacity * load)
            if load in (0, 1)
            else load**capacity * (1 - load) / -mp.expm1((capacity + 1) * mp.log(load))
        ),
        lambda sympy: sympy.Piecewise(
            (1 / (capacity + 1), sympy.Eq(load, 1)),
            (load**capacity * (1 - load) / (1 - load ** (capacity + 1)), True),
        ),
    )


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6 (mean of its distribution)",
    result="L [packets], averaged over time",
    derivation="queues.mm1k.number",
    simulated=SimulatedBy("mm1_number", LIMITED, accuracy=0.01, relative=0.05),
)
def mm1k_mean_number(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the mean number of packets in an M/M/1/K queue, the packet in service included.

    .. math::

        L = \frac{\rho}{1 - \rho} - \frac{(K + 1) \rho^{K + 1}}{1 - \rho^{K + 1}}, \qquad
        \frac{K}{2} \text{ at } \rho = 1

    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    >>> mm1k_mean_number(1.0, 10)
    5.0
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity + 1, xp),
        lambda mp: _mean(load, capacity + 1, mp),
        lambda sympy: _written(load, capacity + 1, sympy),
    )


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.6 (from its distribution, by Little's law)",
    result="W_q [service times]",
    simulated=SimulatedBy("mm1_wait", WAITING, accuracy=0.02, relative=0.05),
)
def mm1k_wait(load: ANY_LOAD, capacity: CAPACITY, *, xp):
    r"""Return the mean waiting time [service times] in an M/M/1/K queue, of the packets that are not lost.

    .. math:: W_q = \frac{\rho}{1 - \rho} - \frac{K \rho^K}{1 - \rho^K}, \qquad \frac{K - 1}{2} \text{ at } \rho = 1

    Exact for Poisson arrivals and exponential service times, served in order of arrival, at any load: a packet that is
    accepted waits for the packets that it finds.

    >>> mm1k_wait(1.0, 11)
    5.0
    """
    return by_arithmetic(
        xp,
        lambda: truncated_geometric_mean(load, capacity, xp),
        lambda mp: _mean(load, capacity, mp),
        lambda sympy: _written(load, capacity, sympy),
    )


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    result="L [packets], averaged over time",
    derivation="queues.mm1_number",
    simulated=SimulatedBy("mm1_number", UNLIMITED, relative=0.05),
)
def mm1_mean_number(load: LOAD, *, xp):
    r"""Return the mean number of packets in an M/M/1 queue, the packet in service included.

    .. math:: L = \frac{\rho}{1 - \rho}

    Exact for Poisson arrivals and exponential service times; also under processor sharing, with any distribution of
    the service times.

    >>> mm1_mean_number(0.5)
    1.0
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    result="W_q [service times]",
    derivation="queues.mm1_times.wait",
    long_proof=True,
    simulated=SimulatedBy("mm1_wait", UNLIMITED, accuracy=0.01, relative=0.05),
)
def mm1_wait(load: LOAD, *, xp):
    r"""Return the mean waiting time [service times] in an M/M/1 queue.

    .. math:: W_q = \frac{\rho}{1 - \rho}

    Exact for Poisson arrivals and exponential service times, served in order of arrival.

    >>> mm1_wait(0.75)
    3.0
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    result="W [service times]",
    derivation="queues.mm1_times.response",
    long_proof=True,
    simulated=SimulatedBy("mm1_response", UNLIMITED, relative=0.05),
)
def mm1_response(load: LOAD, *, xp):
    r"""Return the mean response time [service times] of an M/M/1 queue: waiting and service.

    .. math:: W = \frac{1}{1 - \rho}

    Exact for Poisson arrivals and exponential service times. In packet switching it is the mean delay of a hop.

    >>> mm1_response(0.75)
    4.0
    """
    return 1 / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 5.6, for C_b^2 = 0",
    result="W_q [service times]",
    simulated=SimulatedBy("md1_wait", UNLIMITED, accuracy=0.01, relative=0.05),
)
def md1_wait(load: LOAD, *, xp):
    r"""Return the mean waiting time [service times] in an M/D/1 queue.

    .. math:: W_q = \frac{\rho}{2 (1 - \rho)}

    Exact for Poisson arrivals and constant service times: half of `mm1_wait`.

    >>> md1_wait(0.75)
    1.5
    """
    return load / (2 * (1 - load))


@law(
    source=f"{KLEINROCK_QUEUES}, section 5.6 (Pollaczek-Khinchine mean value formula)",
    result="W_q [service times]",
    derivation="queues.pollaczek_khinchine",
    simulated=SimulatedBy("mg1_wait", {"load": (0.05, 0.8), "variation": [0.0, 1.0]}, accuracy=0.01, relative=0.05),
    variation=VARIATION.described(remark="It is 0 for constant and 1 for exponential service times"),
)
def mg1_wait(load: LOAD, variation, *, xp):
    r"""Return the mean waiting time [service times] in an M/G/1 queue, by the Pollaczek-Khinchine formula.

    .. math:: W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}, \qquad C_b^2 = \frac{\sigma_b^2}{\bar x^2}

    Exact for Poisson arrivals, independent service times of any distribution, and any order of service that does not
    depend on them. C_b^2 is a square: it is 4 where the standard deviation is twice the mean.

    >>> mg1_wait(0.75, 1)
    3.0
    """
    return load * (1 + variation) / (2 * (1 - load))


@law(
    source=f"{KLEINROCK_COMPUTERS}, chapter 4 (processor-sharing systems)",
    result="T(x)/x [service times], in units of the flow's own service time; 1 without other flows",
    derivation="queues.processor_sharing",
    long_proof=True,
    simulated=SimulatedBy("processor_sharing", {"load": (0.05, 0.7)}, relative=0.1, long=True),
)
def mg1ps_response(load: LOAD, *, xp):
    r"""Return the mean response time under M/G/1 processor sharing, in units of a flow's own service time.

    .. math:: \frac{T(x)}{x} = \frac{1}{1 - \rho}

    Exact for Poisson arrivals, and for any distribution of the service times: only the load counts. It applies to
    flows of any sizes that share a link equally.

    >>> mg1ps_response(0.75)
    4.0
    """
    return 1 / (1 - load)
