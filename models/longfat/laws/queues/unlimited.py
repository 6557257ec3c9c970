"""Queues without a limit: M/M/1, M/D/1, M/G/1 and processor sharing."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.queues.parameters import KLEINROCK, LOAD, VARIATION


@law(
    source=f"{KLEINROCK}, section 3.2",
    unit="packets",
    derivation="queues.mm1_number",
    load=LOAD,
)
def mm1_mean_number(load: Any, *, xp: Any) -> Any:
    r"""Mean number of packets in an M/M/1 queue, with the one in service.

    .. math:: L = \frac{\rho}{1 - \rho}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).

    Returns
    -------
    float or array
        L [packets].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times; the same under processor sharing, where the service
    times may be of any distribution.

    Examples
    --------
    >>> mm1_mean_number(0.5)
    1.0

    References
    ----------
    Kleinrock, section 3.2.
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK}, section 3.2",
    unit="service times",
    derivation="queues.mm1_times",
    load=LOAD,
)
def mm1_wait(load: Any, *, xp: Any) -> Any:
    r"""Mean wait before service in an M/M/1 queue.

    .. math:: W_q = \frac{\rho}{1 - \rho}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).

    Returns
    -------
    float or array
        W_q [service times], mean service times that is.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, in order of arrival.

    Examples
    --------
    >>> mm1_wait(0.75)
    3.0

    References
    ----------
    Kleinrock, section 3.2.
    """
    return load / (1 - load)


@law(
    source=f"{KLEINROCK}, section 3.2",
    unit="service times",
    derivation="queues.mm1_times",
    load=LOAD,
)
def mm1_response(load: Any, *, xp: Any) -> Any:
    r"""Mean time in an M/M/1 queue, wait and service.

    .. math:: W = \frac{1}{1 - \rho}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).

    Returns
    -------
    float or array
        W [service times], mean service times that is.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times. In packet switching it is the mean delay of a hop.

    Examples
    --------
    >>> mm1_response(0.75)
    4.0

    References
    ----------
    Kleinrock, section 3.2.
    """
    return 1 / (1 - load)


@law(
    source=f"{KLEINROCK}, section 5.6",
    unit="service times",
    derivation="queues.md1_wait",
    load=LOAD,
)
def md1_wait(load: Any, *, xp: Any) -> Any:
    r"""Mean wait before service in an M/D/1 queue: packets of one size.

    .. math:: W_q = \frac{\rho}{2 (1 - \rho)}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals and constant service times: half of `mm1_wait`.

    Examples
    --------
    >>> md1_wait(0.75)
    1.5

    References
    ----------
    Kleinrock, section 5.6, for C_b^2 = 0.
    """
    return load / (2 * (1 - load))


@law(
    source=f"{KLEINROCK}, section 5.6",
    unit="service times",
    derivation="queues.pollaczek_khinchine",
    load=LOAD,
    variation=VARIATION,
)
def mg1_wait(load: Any, variation: Any, *, xp: Any) -> Any:
    r"""Mean wait before service in an M/G/1 queue: the Pollaczek-Khinchine formula.

    .. math:: W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}, \qquad C_b^2 = \frac{\sigma_b^2}{\bar x^2}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).
    variation : float or array
        C_b^2 [1], in [0, inf): variance over squared mean; 0 constant, 1 exponential.

    Returns
    -------
    float or array
        W_q [service times], mean service times that is.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals, independent service times of any distribution, and any order of service that
    does not look at them. Mind the square: C_b^2 is 4 where the deviation is twice the mean.

    Examples
    --------
    >>> mg1_wait(0.75, 1)
    3.0

    References
    ----------
    Kleinrock, section 5.6, the Pollaczek-Khinchine mean value formula.
    """
    return load * (1 + variation) / (2 * (1 - load))


@law(
    source="Kleinrock, Queueing Systems, vol. 2 (1976), chapter 4",
    unit="service times",
    derivation="queues.processor_sharing",
    load=LOAD,
)
def mg1ps_response(load: Any, *, xp: Any) -> Any:
    r"""Mean time in an M/G/1 queue under processor sharing, over the packet's or flow's own service time.

    .. math:: \frac{T(x)}{x} = \frac{1}{1 - \rho}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1).

    Returns
    -------
    float or array
        T(x)/x [service times], each flow's own; 1 would be a server of its own.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals, and for any distribution of the service times: only the load counts. Flows on a
    link that they share equally fare so, whatever their sizes.

    Examples
    --------
    >>> mg1ps_response(0.75)
    4.0

    References
    ----------
    Kleinrock, vol. 2, chapter 4: processor-sharing systems.
    """
    return 1 / (1 - load)
