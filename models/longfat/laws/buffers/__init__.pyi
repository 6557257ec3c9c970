"""Buffer of a link by the number of its flows, whether their losses coincide or not, and bucket of a policer.

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
def buffer_for_desynchronised(flows: Any, probability: Any = ..., decrease: Any = ...) -> Any:
    r"""Return a buffer that suffices for independent flows: the queue is empty for at most a share q of the time.

    .. math:: B = \frac{2 a}{\sqrt{n} - a}, \qquad
        a = \frac{1 - \beta}{1 + \beta} \sqrt{2 \ln \frac{1}{q}}

    Parameters
    ----------
    flows : int or array
        Number of flows, equal and with equal round-trip times: n [flows], an integer in [1, inf), typically 10 to 1e4.
    probability : float or array, default 0.01
        Share of the time for which the queue may be empty: q [probability], in (0, 1), typically 0.001 to 0.1.
    decrease : float or array, default 0.5
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.

    Returns
    -------
    float or array
        B [1], in bandwidth-delay products; infinite where the bound gives none, sqrt(n) <= the factor below.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A bound that holds for every number of flows, without the central limit theorem: with independent windows between
    beta W and W, each uniform, whose sum has the mean 1 + B/2 bandwidth-delay products, the queue is empty for at most
    a share q of the time and full for at most another. It falls as 1/sqrt(n). The windows of one drop-tail link are
    not independent: where losses coincide `buffer_for_synchronised` is needed.

    References
    ----------
    Ours: the model of G. Appenzeller, I. Keslassy and N. McKeown, "Sizing Router Buffers", ACM SIGCOMM 2004,
    doi:10.1145/1015467.1015499, section 3, with the bound of W. Hoeffding, "Probability Inequalities for Sums of
    Bounded Random Variables", Journal of the American Statistical Association 58(301), 1963, pages 13-30,
    doi:10.1080/01621459.1963.10500830, theorem 2. Proof: derivations/buffers.py, desynchronised.

    Examples
    --------
    >>> [round(buffer_for_desynchronised(n, 0.01), 3) for n in (100, 10_000)]
    [0.225, 0.02]
    """

@_law
def buffer_for_synchronised(decrease: Any) -> Any:
    r"""Return the least buffer with which a link stays busy, for one flow or for flows that all lose together.

    .. math:: B = \frac{1 - \beta}{\beta}

    Parameters
    ----------
    decrease : float or array
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.

    Returns
    -------
    float or array
        B [1], in bandwidth-delay products: 1 for Reno, 3/7 for CUBIC.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for fluid windows that fill path and buffer, 1 + B bandwidth-delay products, when they are multiplied by beta,
    however they grow in between: the link stays busy if beta (1 + B) is at least 1. The number of flows does not
    matter. Time that a sender loses in recovery is not included.

    References
    ----------
    B. Spang, S. Arslan and N. McKeown, "Updating the Theory of Buffer Sizing", Performance Evaluation 151, 2021,
    doi:10.1016/j.peva.2021.102232 (one flow, by the factor of its scheme); G. Appenzeller, I. Keslassy and N.
    McKeown, "Sizing Router Buffers", ACM SIGCOMM 2004, doi:10.1145/1015467.1015499, section 3 (synchronised flows
    of Reno). Proof: derivations/buffers.py, synchronised.

    Examples
    --------
    >>> buffer_for_synchronised(0.5), round(buffer_for_synchronised(0.7), 4)
    (1.0, 0.4286)
    """

@_law
def burst_for_policed_rate(bandwidth_delay_product: Any, decrease: Any = ..., increase: Any = ...) -> Any:
    r"""Return the least bucket with which one flow gets the whole policed rate.

    .. math:: b = \frac{(C R)^2}{2 \alpha} \left(\frac{1 - \beta}{1 + \beta}\right)^2

    Parameters
    ----------
    bandwidth_delay_product : float or array
        Policed rate times the round-trip time: C R [packets], in [1, inf), typically 20 to 2000.
    decrease : float or array, default 0.5
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.
    increase : float or array, default 1
        Increase of the window per acknowledged window: alpha [packets], in (0, inf), typically 0.1 to 2.

    Returns
    -------
    float or array
        b [packets]; grows with the square of the round-trip time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The case U = 1 of `policed_utilisation`: N^2/18 packets for Reno, where N = C R, one bandwidth-delay product at
    N = 18 packets and ten at 180. With more the flow saves no more tokens than these.

    References
    ----------
    Ours, in the fluid limit of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 3, with the factor of Y. R. Yang and S. S. Lam, "General AIMD Congestion
    Control", IEEE ICNP 2000; the policer of T. Flach et al., "An Internet-Wide Analysis of Traffic Policing", ACM
    SIGCOMM 2016, doi:10.1145/2934872.2934873. Proof: derivations/buffers.py, burst_for_policed_rate.

    Examples
    --------
    >>> burst_for_policed_rate(18), round(burst_for_policed_rate(100), 3)
    (18.0, 555.556)
    """

@_law
def deviation_of_total_window(flows: Any, decrease: Any = ...) -> Any:
    r"""Return the standard deviation of the sum of independent sawtooth windows, relative to its mean.

    .. math:: \frac{\sigma}{\mu} = \frac{1 - \beta}{(1 + \beta) \sqrt{3 n}}

    Parameters
    ----------
    flows : int or array
        Number of flows, equal and with equal round-trip times: n [flows], an integer in [1, inf), typically 10 to 1e4.
    decrease : float or array, default 0.5
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.

    Returns
    -------
    float or array
        Standard deviation of the sum of the windows over its mean [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent windows, each uniform between beta W and W, as linear growth makes them. For Reno it is
    1/(3 sqrt(3 n)).

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, "Sizing Router Buffers", ACM SIGCOMM 2004,
    doi:10.1145/1015467.1015499, section 3 (beta = 1/2); with the factor of the scheme ours. Proof:
    derivations/buffers.py, deviation.

    Examples
    --------
    >>> round(deviation_of_total_window(1) * 3 * 3**0.5, 12)
    1.0
    """

@_law
def policed_utilisation(burst: Any, bandwidth_delay_product: Any, decrease: Any = ..., increase: Any = ...) -> Any:
    r"""Return the share of the policed rate that passes of one flow with additive increase and multiplicative decrease.

    .. math:: U = \min\left(1, \frac{1 + \beta}{2} \left(1 + \frac{\sqrt{2 \alpha b}}{C R}\right)\right)

    Parameters
    ----------
    burst : float or array
        Bucket of a policer: packets that may pass at once: b [packets], in [1, inf), typically 1 to 1e5.
    bandwidth_delay_product : float or array
        Policed rate times the round-trip time: C R [packets], in [1, inf), typically 20 to 2000.
    decrease : float or array, default 0.5
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.
    increase : float or array, default 1
        Increase of the window per acknowledged window: alpha [packets], in (0, inf), typically 0.1 to 2.

    Returns
    -------
    float or array
        U [1], over the policed rate; little more than (1 + beta)/2 with a small bucket.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A policer drops what finds no tokens, and never delays. Tokens are saved while the window is below N = C R packets,
    and spent while it is above, so that a loss occurs at N + sqrt(2 alpha b). A fluid limit: packets are spread over
    the round trip, there is one loss event in a cycle, no timeout, and no time is lost in recovery.

    All packets beyond the rate are lost until the sender notices, about sqrt(2 alpha b) of them, and retransmissions
    may be lost as well. One paced flow of SACK was within 0.02 of the law with N of 150 and 300 packets and b of 50,
    150, 300, 600 and 1500, and 0.17 below it where timeouts occurred (N = 297, b = 1264). What is sent in bursts
    needs tokens for a burst besides: without pacing the flow had 0.32 instead of 0.80 with N = 150 and b = 50.

    References
    ----------
    Ours, in the fluid limit of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 3, with the factor of Y. R. Yang and S. S. Lam, "General AIMD Congestion
    Control", IEEE ICNP 2000; the policer of T. Flach et al., "An Internet-Wide Analysis of Traffic Policing", ACM
    SIGCOMM 2016, doi:10.1145/2934872.2934873. Proof: derivations/buffers.py, policed_utilisation.

    Examples
    --------
    >>> policed_utilisation(2, 100), round(policed_utilisation(200, 100), 9), policed_utilisation(1e4, 100)
    (0.765, 0.9, 1.0)
    """
