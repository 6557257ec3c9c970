"""Queues without a limit: M/M/1, M/D/1, M/G/1 and processor sharing."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.queues.parameters import LOAD, UNLIMITED, VARIATION
from longfat.laws.references import KLEINROCK_COMPUTERS, KLEINROCK_QUEUES


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    unit="packets",
    result="L, averaged over time",
    derivation="queues.mm1_number",
    simulated=SimulatedBy("mm1_number", UNLIMITED, relative=0.05),
    load=LOAD,
)
def mm1_mean_number(load: Any, *, xp: Any) -> Any:
    r"""Return the mean number of packets in an M/M/1 queue, the packet in service included.

    .. math:: L = \frac{\rho}{1 - \rho}

    Notes
    -----
    Exact for Poisson arrivals and exponential service times; also under processor sharing, with any distribution of
    the service times.

    Examples
    --------
    >>> mm1_mean_number(0.5)
    1.0
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    unit="service times",
    result="W_q",
    derivation="queues.mm1_times",
    long_proof=True,
    simulated=SimulatedBy("mm1_wait", UNLIMITED, accuracy=0.01, relative=0.05),
    load=LOAD,
)
def mm1_wait(load: Any, *, xp: Any) -> Any:
    r"""Return the mean waiting time before service in an M/M/1 queue.

    .. math:: W_q = \frac{\rho}{1 - \rho}

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, served in order of arrival.

    Examples
    --------
    >>> mm1_wait(0.75)
    3.0
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 3.2",
    unit="service times",
    result="W",
    derivation="queues.mm1_times",
    long_proof=True,
    simulated=SimulatedBy("mm1_response", UNLIMITED, relative=0.05),
    load=LOAD,
)
def mm1_response(load: Any, *, xp: Any) -> Any:
    r"""Return the mean time in an M/M/1 queue, waiting and service.

    .. math:: W = \frac{1}{1 - \rho}

    Notes
    -----
    Exact for Poisson arrivals and exponential service times. In packet switching it is the mean delay of a hop.

    Examples
    --------
    >>> mm1_response(0.75)
    4.0
    """
    return 1 / (1 - load)


@law(
    source=f"{KLEINROCK_QUEUES}, section 5.6, for C_b^2 = 0",
    unit="service times",
    result="W_q",
    derivation="queues.md1_wait",
    simulated=SimulatedBy("md1_wait", UNLIMITED, accuracy=0.01, relative=0.05),
    load=LOAD,
)
def md1_wait(load: Any, *, xp: Any) -> Any:
    r"""Return the mean waiting time before service in an M/D/1 queue.

    .. math:: W_q = \frac{\rho}{2 (1 - \rho)}

    Notes
    -----
    Exact for Poisson arrivals and constant service times: half of `mm1_wait`.

    Examples
    --------
    >>> md1_wait(0.75)
    1.5
    """
    return load / (2 * (1 - load))


@law(
    source=f"{KLEINROCK_QUEUES}, section 5.6 (Pollaczek-Khinchine mean value formula)",
    unit="service times",
    result="W_q",
    derivation="queues.pollaczek_khinchine",
    simulated=SimulatedBy("mg1_wait", {"load": (0.05, 0.8), "variation": [0.0, 1.0]}, accuracy=0.01, relative=0.05),
    load=LOAD,
    variation=VARIATION.described(remark="It is 0 for constant and 1 for exponential service times"),
)
def mg1_wait(load: Any, variation: Any, *, xp: Any) -> Any:
    r"""Return the mean waiting time before service in an M/G/1 queue, by the Pollaczek-Khinchine formula.

    .. math:: W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}, \qquad C_b^2 = \frac{\sigma_b^2}{\bar x^2}

    Notes
    -----
    Exact for Poisson arrivals, independent service times of any distribution, and any order of service that does not
    depend on them. C_b^2 is a square: it is 4 where the standard deviation is twice the mean.

    Examples
    --------
    >>> mg1_wait(0.75, 1)
    3.0
    """
    return load * (1 + variation) / (2 * (1 - load))


@law(
    source=f"{KLEINROCK_COMPUTERS}, chapter 4 (processor-sharing systems)",
    unit="service times",
    result="T(x)/x, in units of the flow's own service time; 1 without other flows",
    derivation="queues.processor_sharing",
    long_proof=True,
    simulated=SimulatedBy("processor_sharing", {"load": (0.05, 0.7)}, relative=0.1, long=True),
    load=LOAD,
)
def mg1ps_response(load: Any, *, xp: Any) -> Any:
    r"""Return the mean response time in an M/G/1 queue under processor sharing, over a flow's own service time.

    .. math:: \frac{T(x)}{x} = \frac{1}{1 - \rho}

    Notes
    -----
    Exact for Poisson arrivals, and for any distribution of the service times: only the load counts. It applies to
    flows of any sizes that share a link equally.

    Examples
    --------
    >>> mg1ps_response(0.75)
    4.0
    """
    return 1 / (1 - load)
