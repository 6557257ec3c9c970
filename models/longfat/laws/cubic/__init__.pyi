"""CUBIC: window between losses, response to loss, utilisation of a link; windows in packets, times in seconds.

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
def average_window(loss: Any, round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the average window of a CUBIC flow that loses every 1/p-th packet.

    .. math:: W = \max\left(\sqrt[4]{\frac{C (3 + \beta)}{4 (1 - \beta)}} \left(\frac{R}{p}\right)^{3/4},
        \sqrt{\frac{3}{2 p}}\right)

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-8 to 0.01.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        W [packets], the larger of both regions' averages.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The first term is exact where the cubic function rules, p < `reno_friendly_loss`. Near the change of regions the
    window is the larger of two functions of time, and its mean is up to 4 % above the larger of the means (beta = 0.7;
    `mean_window` is exact). From another window the flow comes there slowly in the cubic region: a relative deviation e
    shrinks by 0.56 e^3 a loss, so that 100 losses leave 10 %. With random losses the window is larger:
    `average_window_random`.

    Printed wrong in the source, whose expression is `as_printed`: Tables 1 and 2 take 1.2/sqrt(p), rounded from
    sqrt(3/2)/sqrt(p) of the same section's equation 3, for the Reno-friendly region: 2 % too low.

    References
    ----------
    L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023,
    section 5, equation 5, and section 4.3, equation 3. Proof: derivations/cubic.py, average_window.

    Examples
    --------
    >>> [round(average_window(p, 0.1)) for p in (1e-3, 1e-5, 1e-7)]
    [39, 1054, 33325]
    """

@_law
def average_window_random(loss: Any, round_trip_time: Any, c: Any = ..., fast_convergence: Any = 1) -> Any:
    r"""Return the average window of a CUBIC flow that loses each packet independently, with beta = 0.7.

    .. math:: W = \kappa \sqrt[4]{C} \left(\frac{R}{p}\right)^{3/4}

    kappa = 1.63527 without fast convergence (F_c = 0), 1.50415 with it (F_c = 1).

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-8 to 0.01.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    fast_convergence : int or array, default 1
        Whether fast convergence (RFC 9438, section 4.7) is on: F_c [1], an integer in [0, 1], typically 0 to 1.

    Returns
    -------
    float or array
        W [packets]; its factor is computed for beta = 0.7.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The limit for small p of a window that follows the cubic function and loses a packet at the rate p W/R. It is 23 %
    above `average_window` without fast convergence, 14 % with it. It holds where the Reno-friendly region does not
    matter, p well below `reno_friendly_loss`; nearer to it the window is larger, since the larger of two functions of
    time rules.

    References
    ----------
    S. Poojary and V. Sharma, "An Asymptotic Approximation of TCP CUBIC", arXiv:1510.08496, 2015 (the limiting
    Markov chain, without fast convergence); the factors are ours. Proof: derivations/cubic_random.py,
    average_window_random.

    Examples
    --------
    >>> [round(average_window_random(1e-5, 0.1, fast_convergence=f) / 1000, 4) for f in (0, 1)]
    [1.3005, 1.1962]
    """

@_law
def loss_of_window(window: Any, round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the loss probability at which a CUBIC flow has an average window, if losses occur at equal distances.

    .. math:: p = \max\left(R \sqrt[3]{\frac{C (3 + \beta)}{4 (1 - \beta) W^4}}, \frac{3}{2 W^2}\right)

    Parameters
    ----------
    window : float or array
        Mean window over time: W [packets], in [2, inf), typically 4 to 1e5.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        p [probability]; the rate is W/R.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As accurate as `average_window`, which it inverts.

    References
    ----------
    L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023,
    section 5.2, table 3 (its values). Proof: derivations/cubic.py, loss_of_window.

    Examples
    --------
    >>> f"{loss_of_window(83333, 0.1):.1e}"  # 10 Gbit/s with packets of 1500 bytes
    '2.9e-08'
    """

@_law
def mean_queue(buffer: Any, beta: Any = ...) -> Any:
    r"""Return the mean backlog of a drop-tail link with one CUBIC flow in its cubic region.

    .. math:: Q = \frac{3}{4} (1 + B)(1 - \beta)\, x^{4/3} + \max\left(B - (1 + B)(1 - \beta), 0\right)

    with x of `utilisation`.

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        Q over the bandwidth-delay product [1], the mean over time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `utilisation`. Most of the buffer is occupied most of the time, since the cubic
    function stays near W_max: with B = 1/beta - 1, which just fills the link, it is 3/4 of the buffer.

    References
    ----------
    Ours, in the fluid limit of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2 and 4.6. Proof: derivations/cubic.py, mean_queue.

    Examples
    --------
    >>> round(mean_queue(3 / 7) / (3 / 7), 12)
    0.75
    """

@_law
def mean_window(window_before_loss: Any, round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the mean window over time between two losses at the same window.

    .. math:: \frac{W}{W_{max}} = \frac{1}{\theta} \left[s - \frac{1 - \beta}{4} \left(1 - (1 - s)^4\right)
        + \frac{\theta - s}{2} \left(1 + \beta + (1 - \beta) \frac{s}{\theta}\right)\right],
        \quad s = \frac{3 - \sqrt{4/\theta - 3}}{2}

    theta is W_max R (1 + beta)/(3 K), limited to [1/3, 1]: the time in which the Reno-friendly estimate climbs to W_max
    over K = `recovery_time`. At s K it overtakes the cubic function.

    Parameters
    ----------
    window_before_loss : float or array
        Window just before it is reduced: W_max [packets], in (0, inf), typically 10 to 1e5.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        W [packets], from (1 + beta)/2 W_max where the Reno-friendly estimate rules to (3 + beta)/4 W_max where it does
        not.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a fluid window, one loss a period, and a constant round-trip time. RFC 9438 takes the larger of the means
    of both regions instead (`average_window`).

    References
    ----------
    Ours, for the rules of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2 and 4.3. Proof: derivations/cubic.py, mean_window.

    Examples
    --------
    >>> [round(mean_window(100, r), 2) for r in (0.2, 0.05, 0.01)]
    [92.5, 88.99, 85.0]
    """

@_law
def packets_between_losses(window_before_loss: Any, round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the packets between two losses at the same window.

    .. math:: N = \frac{T}{R} W, \qquad T = \min\left(K, \frac{W_{max} R (1 + \beta)}{3}\right)

    with K = `recovery_time` and W = `mean_window`.

    Parameters
    ----------
    window_before_loss : float or array
        Window just before it is reduced: W_max [packets], in (0, inf), typically 10 to 1e5.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        N [packets]; 1/N is the loss probability with which the window returns to W_max.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `mean_window`. T is the time between the losses. With the cubic region alone N = (3 +
    beta)/4 W_max K/R, which is how RFC 9438 comes to its average window.

    References
    ----------
    Ours, for the rules of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2 and 4.3. Proof: derivations/cubic.py, packets_between_losses.

    Examples
    --------
    >>> round(packets_between_losses(100, 0.2)), round(packets_between_losses(100, 0.01))
    (1950, 4817)
    """

@_law
def recovery_time(window_before_loss: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the time that the cubic function takes from a loss back to the window before it.

    .. math:: K = \sqrt[3]{\frac{W_{max} (1 - \beta)}{C}}

    Parameters
    ----------
    window_before_loss : float or array
        Window just before it is reduced: W_max [packets], in (0, inf), typically 10 to 1e5.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        K [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for the rule. It does not depend on the round-trip time. Below `reno_friendly_window` the Reno-friendly
    estimate is back at W_max earlier. With fast convergence and a window that has shrunk since the loss before,
    the plateau is W_max (1 + beta)/2, and the function reaches that one.

    References
    ----------
    L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023,
    section 4.2, equation 2, with the window of section 4.6 at its beginning. Proof: derivations/cubic.py,
    recovery_time.

    Examples
    --------
    >>> round(recovery_time(100), 3)
    4.217
    """

@_law
def reno_friendly_loss(round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the loss probability above which the Reno-friendly region rules the average window.

    .. math:: p = \frac{4}{9} \frac{C (3 + \beta)}{4 (1 - \beta)} R^3

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        p [probability]; values above 1 mean that the Reno-friendly region never rules.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for `average_window`. Losses are rarer than that on long fat paths only: at 10 ms CUBIC is Reno with another
    sawtooth unless fewer than one in two million packets is lost.

    References
    ----------
    Ours: both terms of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks",
    RFC 9438, 2023, section 5, equation 5, and section 4.3, equation 3, set equal. Proof: derivations/cubic.py,
    reno_friendly_loss.

    Examples
    --------
    >>> f"{reno_friendly_loss(0.1):.2e} {reno_friendly_loss(0.01):.2e}"
    '5.48e-04 5.48e-07'
    """

@_law
def reno_friendly_window(round_trip_time: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return the window before a loss below which the Reno-friendly estimate overtakes the cubic function.

    .. math:: W_{max} = \sqrt{\frac{27 (1 - \beta)}{C \left(R (1 + \beta)\right)^3}}

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        W_max at which K equals the climb of the Reno-friendly estimate [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a fluid window and a constant round-trip time. The estimate rules from the loss on below 1/sqrt(27) of
    this window; in between the cubic function rules first. Alone at a link W_max is the bandwidth-delay product plus
    the buffer.

    References
    ----------
    Ours, for the rules of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2 and 4.3. Proof: derivations/cubic.py, reno_friendly_window.

    Examples
    --------
    >>> [round(reno_friendly_window(r)) for r in (0.1, 0.01)]
    [64, 2030]
    """

@_law
def utilisation(buffer: Any, beta: Any = ...) -> Any:
    r"""Return the utilisation of a drop-tail link by one CUBIC flow in its cubic region.

    .. math:: U = 1 - \frac{(1 + B)(1 - \beta)}{4} \left(1 - 4 x + 3 x^{4/3}\right), \qquad
        x = \min\left(\frac{B}{(1 + B)(1 - \beta)}, 1\right)

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        U [1], from (3 + beta)/4 without a buffer to 1 at B = 1/beta - 1, where the slope is 0 on both sides.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The window follows the cubic function from beta (1 + B) to 1 + B bandwidth-delay products in real time, so queueing
    does not slow it, and neither C nor the product matter. This is a fluid limit: a product of many packets, K of many
    round trips, one loss per period, W_max the window at each loss, and no time lost in recovery. It holds where the
    product plus the buffer is above `reno_friendly_window`; where the Reno-friendly estimate rules from the loss on,
    below 1/sqrt(27) of that, the law is `tcp.aimd_utilisation_general` with the same beta. Fast convergence is off, as
    RFC 9438, section 4.7, asks for a single flow.

    References
    ----------
    Ours, in the fluid limit of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2 and 4.6. Proof: derivations/cubic.py, utilisation.

    Examples
    --------
    >>> [round(utilisation(b), 4) for b in (0, 0.1, 0.2, 3 / 7)]
    [0.925, 0.9671, 0.9867, 1.0]
    """

@_law
def utilisation_general(
    buffer: Any, bandwidth_delay_product: Any, round_trip_time: Any, c: Any = ..., beta: Any = ...
) -> Any:
    r"""Return the utilisation of a drop-tail link by one CUBIC flow, with its Reno-friendly region.

    .. math:: U = 1 - \frac{1}{T} \int_0^T \max(1 - w(t), 0)\, dt, \qquad
        \frac{dw_{est}}{dt} = \frac{3 (1 - \beta)}{1 + \beta} \frac{1}{C R \cdot R \max(1, w)}

    w is the larger of the cubic function and the estimate, over the bandwidth-delay product C R, and T the time
    from beta (1 + B) back to 1 + B.

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.
    bandwidth_delay_product : float or array
        Bandwidth-delay product of the empty path: C R [packets], in (0, inf), typically 50 to 1e5.
    round_trip_time : float or array
        Round-trip time of the empty path: R [s], in (0, inf), typically 0.001 to 1.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        U [1], between those of `tcp.aimd_utilisation_general` and of `utilisation`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Up to one bandwidth-delay product the window has the regions of `mean_window`; beyond it queueing slows the
    estimate, and the time at which it overtakes is the root of an equation (v in the expression). The fluid limit is
    that of `utilisation`, which is the case of a large product; for a small one the law is
    `tcp.aimd_utilisation_general`. Exact for beta >= 0.6, or B <= 2/3, where the estimate overtakes once.

    References
    ----------
    Ours, in the fluid limit of L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance
    Networks", RFC 9438, 2023, sections 4.2, 4.3 and 4.6. Proof: derivations/cubic_link.py, utilisation_general.

    Examples
    --------
    >>> [round(utilisation_general(0.1, n, 0.01), 4) for n in (100, 1000, 10_000)]
    [0.921, 0.9519, 0.9671]
    """

@_law
def window(time: Any, window_before_loss: Any, c: Any = ..., beta: Any = ...) -> Any:
    r"""Return CUBIC's window at a time after a loss, outside its Reno-friendly region.

    .. math:: W_{cubic}(t) = C (t - K)^3 + W_{max}
        = W_{max} \left(\beta + (1 - \beta)\, u \left(3 - 3 u + u^2\right)\right), \qquad u = \frac{t}{K}

    with K = `recovery_time`. The second form has no difference of nearly equal numbers.

    Parameters
    ----------
    time : float or array
        Time since the window was reduced: t [s], in [0, inf), typically 0 to 20.
    window_before_loss : float or array
        Window just before it is reduced: W_max [packets], in (0, inf), typically 10 to 1e5.
    c : float or array, default 0.4
        Factor of the cubic term; RFC 9438 recommends 0.4: C [packets/s^3], in (0, inf), typically 0.04 to 4.
    beta : float or array, default 0.7
        Factor by which a loss multiplies the window; RFC 9438 recommends 0.7: beta [1], in (0, 1), typically 0.5 to
        0.9.

    Returns
    -------
    float or array
        W_cubic(t) [packets], from beta W_max at t = 0 through W_max at t = K.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for the rule in a fluid. A sender follows it by steps of a packet, one round trip ahead of its
    acknowledgments, and never grows by more than half a window a round trip.

    References
    ----------
    L. Xu, S. Ha, I. Rhee, V. Goel and L. Eggert, "CUBIC for Fast and Long-Distance Networks", RFC 9438, 2023,
    section 4.2, equation 1. Proof: derivations/cubic.py, window.

    Examples
    --------
    >>> [round(window(t, 100), 1) for t in (0, 2, 4.217, 6)]
    [70.0, 95.6, 100.0, 102.3]
    """
