"""One queue: waiting times, numbers in the system, and losses of a full buffer.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def md1_wait(load: Any) -> Any:
    r"""Return the mean waiting time before service in an M/D/1 queue.

    .. math:: W_q = \frac{\rho}{2 (1 - \rho)}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and constant service times: half of `mm1_wait`.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 5.6, for C_b^2 = 0. Proof:
    derivations/queues.py, md1_wait.

    Examples
    --------
    >>> md1_wait(0.75)
    1.5
    """

@_law
def md1k_loss(load: Any, capacity: Any) -> Any:
    r"""Return the probability that a packet finds an M/D/1/K queue full and is lost.

    .. math::

        P = 1 - \frac{b_{K-1}}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        P [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and constant service times at any load. The sum alternates and the loss is a small
    difference from 1, so floats are computed as described in `longfat.laws.queues.chain`; mpmath numbers are computed
    from the sum, in a time that grows with the square of K.

    References
    ----------
    O. Brun and J.-M. Garcia, "Analytical Solution of Finite Capacity M/D/1 Queues", Journal of Applied Probability
    37(4), 2000, pages 1092-1098, doi:10.1239/jap/1014843086 (blocking probability). Proof:
    derivations/constant_queues.py, md1k_loss.

    Examples
    --------
    >>> round(md1k_loss(1.0, 2), 6)  # 1/(1 + e)
    0.268941
    """

@_law
def md1k_mean_number(load: Any, capacity: Any) -> Any:
    r"""Return the mean number of packets in an M/D/1/K queue, the packet in service included.

    .. math::

        L = K - \frac{\sum_{n=0}^{K-1} b_n}{1 + \rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        L [packets], averaged over time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions and the computation are those of `md1k_loss`.

    References
    ----------
    O. Brun and J.-M. Garcia, "Analytical Solution of Finite Capacity M/D/1 Queues", Journal of Applied Probability
    37(4), 2000, pages 1092-1098, doi:10.1239/jap/1014843086 (mean number of customers). Proof:
    derivations/constant_queues.py, md1k_mean_number.

    Examples
    --------
    >>> md1k_mean_number(1.0, 1)
    0.5
    """

@_law
def md1k_wait(load: Any, capacity: Any) -> Any:
    r"""Return the mean waiting time before service in an M/D/1/K queue, of the packets that are not lost.

    .. math::

        W_q = K - 1 - \frac{\sum_{n=0}^{K-1} b_n - K}{\rho b_{K-1}}, \qquad
        b_n = \sum_{k=0}^n \frac{(-1)^k}{k!} ((n - k) \rho)^k e^{(n - k) \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions and the computation are those of `md1k_loss`, for service in order of arrival.

    References
    ----------
    O. Brun and J.-M. Garcia, "Analytical Solution of Finite Capacity M/D/1 Queues", Journal of Applied Probability
    37(4), 2000, pages 1092-1098, doi:10.1239/jap/1014843086 (mean waiting time). Proof:
    derivations/constant_queues.py, md1k_wait.

    Examples
    --------
    >>> round(md1k_wait(1.0, 2), 6)  # 1 - 1/e
    0.367879
    """

@_law
def mg1_wait(load: Any, variation: Any) -> Any:
    r"""Return the mean waiting time before service in an M/G/1 queue, by the Pollaczek-Khinchine formula.

    .. math:: W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}, \qquad C_b^2 = \frac{\sigma_b^2}{\bar x^2}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.
    variation : float or array
        Squared coefficient of variation of the service times: C_b^2 [1], in [0, inf), typically 0.1 to 10. It is 0 for
        constant and 1 for exponential service times.

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals, independent service times of any distribution, and any order of service that does not
    depend on them. C_b^2 is a square: it is 4 where the standard deviation is twice the mean.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 5.6 (Pollaczek-Khinchine mean value
    formula). Proof: derivations/queues.py, pollaczek_khinchine.

    Examples
    --------
    >>> mg1_wait(0.75, 1)
    3.0
    """

@_law
def mg1ps_response(load: Any) -> Any:
    r"""Return the mean response time in an M/G/1 queue under processor sharing, over a flow's own service time.

    .. math:: \frac{T(x)}{x} = \frac{1}{1 - \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.

    Returns
    -------
    float or array
        T(x)/x [service times], in units of the flow's own service time; 1 without other flows.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals, and for any distribution of the service times: only the load counts. It applies to
    flows of any sizes that share a link equally.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 2: Computer Applications", Wiley, 1976, chapter 4 (processor-sharing
    systems). Proof: derivations/queues.py, processor_sharing.

    Examples
    --------
    >>> mg1ps_response(0.75)
    4.0
    """

@_law
def mm1_mean_number(load: Any) -> Any:
    r"""Return the mean number of packets in an M/M/1 queue, the packet in service included.

    .. math:: L = \frac{\rho}{1 - \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.

    Returns
    -------
    float or array
        L [packets], averaged over time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times; also under processor sharing, with any distribution of
    the service times.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.2. Proof: derivations/queues.py,
    mm1_number.

    Examples
    --------
    >>> mm1_mean_number(0.5)
    1.0
    """

@_law
def mm1_response(load: Any) -> Any:
    r"""Return the mean time in an M/M/1 queue, waiting and service.

    .. math:: W = \frac{1}{1 - \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.

    Returns
    -------
    float or array
        W [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times. In packet switching it is the mean delay of a hop.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.2. Proof: derivations/queues.py,
    mm1_times.

    Examples
    --------
    >>> mm1_response(0.75)
    4.0
    """

@_law
def mm1_wait(load: Any) -> Any:
    r"""Return the mean waiting time before service in an M/M/1 queue.

    .. math:: W_q = \frac{\rho}{1 - \rho}

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, served in order of arrival.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.2. Proof: derivations/queues.py,
    mm1_times.

    Examples
    --------
    >>> mm1_wait(0.75)
    3.0
    """

@_law
def mm1k_loss(load: Any, capacity: Any) -> Any:
    r"""Return the probability that a packet finds an M/M/1/K queue full and is lost.

    .. math:: P = \frac{\rho^K (1 - \rho)}{1 - \rho^{K + 1}}, \qquad \frac{1}{K + 1} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        P [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.6. Proof: derivations/queues.py,
    mm1k.

    Examples
    --------
    >>> round(mm1k_loss(1.0, 10), 6)
    0.090909
    """

@_law
def mm1k_mean_number(load: Any, capacity: Any) -> Any:
    r"""Return the mean number of packets in an M/M/1/K queue, the packet in service included.

    .. math::

        L = \frac{\rho}{1 - \rho} - \frac{(K + 1) \rho^{K + 1}}{1 - \rho^{K + 1}}, \qquad
        \frac{K}{2} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        L [packets], averaged over time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, at any load. Value and slope are continuous at rho = 1.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.6 (mean of its distribution). Proof:
    derivations/queues.py, mm1k.

    Examples
    --------
    >>> mm1k_mean_number(1.0, 10)
    5.0
    """

@_law
def mm1k_wait(load: Any, capacity: Any) -> Any:
    r"""Return the mean waiting time before service in an M/M/1/K queue, of the packets that are not lost.

    .. math:: W_q = \frac{\rho}{1 - \rho} - \frac{K \rho^K}{1 - \rho^K}, \qquad \frac{K - 1}{2} \text{ at } \rho = 1

    Parameters
    ----------
    load : float or array
        Offered load: rho [1], in [0, inf), typically 0.05 to 5.
    capacity : int or array
        System size, packet in service included: K [packets], an integer in [1, inf), typically 1 to 128. The buffer is
        K - 1.

    Returns
    -------
    float or array
        W_q [service times].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for Poisson arrivals and exponential service times, served in order of arrival, at any load: a packet that
    is accepted waits for those it finds.

    References
    ----------
    L. Kleinrock, "Queueing Systems, Volume 1: Theory", Wiley, 1975, section 3.6 (from its distribution, by Little's
    law). Proof: derivations/queues.py, mm1k_wait.

    Examples
    --------
    >>> mm1k_wait(1.0, 11)
    5.0
    """
