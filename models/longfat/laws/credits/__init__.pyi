"""Credit flow control of a link (FCVC): throughput by the credit, and how fast adaptive credit grows.

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
def adaptive_allocation(intervals: Any, pool_growth: Any) -> Any:
    r"""Return the allocation of a flow that began with one cell beside flows that use all of the link.

    .. math:: A_k = \frac{G^{k + 1} - 1}{G - 1}

    Parameters
    ----------
    intervals : int or array
        Allocations since the flow began with one cell: k [1], an integer in [0, inf), typically 0 to 20.
    pool_growth : float or array
        Share of the pool that is given out, over the round trip of the link in cells: G [1], in (1, inf), typically 1.1
        to 10.

    Returns
    -------
    float or array
        A_k [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Each interval gives the flow one cell and a share of the pool that is its share of the link, which is A/P of it
    while credit limits the flow. With a pool M of which half is given out and N flows, G = (M/2 - N)/P, less the
    backlog. The allocation grows until the flow has its share of the link: by G = 2 in each interval if the pool is
    four round trips of the link. At G of 1 or less it would not get there. A switch that gives out whole cells rounds
    down in each interval: the simulated one has 1, 3, 6, 12 and 24 cells for G = 2.

    References
    ----------
    Ours: the rule of H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit
    Update Protocol, Adaptive Credit Allocation and Statistical Multiplexing", ACM SIGCOMM 1994,
    doi:10.1145/190314.190324 (from memory: it could not be read), as a recursion. Proof: derivations/credits.py,
    adaptive_allocation.

    Examples
    --------
    >>> [adaptive_allocation(k, 2.0) for k in range(4)]
    [1.0, 3.0, 7.0, 15.0]
    """

@_law
def allocation_for_rate(batch: Any, loop: Any, share: Any = ...) -> Any:
    """Return the allocation with which credit does not limit a flow to less than a share of the link.

    .. math:: N_2 + N_3 = N_2 + x P

    Parameters
    ----------
    batch : int or array
        Forwarded cells per credit cell: N_2 [packets], an integer in [1, inf), typically 1 to 50.
    loop : float or array
        Round trip of the link without the cell itself, in transmission times of a cell: twice the propagation delay and
        the transmission of the credit cell: P [packets], in [0, inf), typically 1 to 500.
    share : float or array, default 1
        Rate of the flow over the rate of the link: x [1], in (0, 1], typically 0.1 to 1.

    Returns
    -------
    float or array
        N_2 + N_3 [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A bound, to be rounded up to whole cells. It is the least one for the whole link, x = 1; for less, x (P + N_2)
    rounded up to a multiple of N_2 may be smaller.

    References
    ----------
    H. T. Kung and A. Chapman, "The FCVC (Flow-Controlled Virtual Channels) Proposal for ATM Networks", IEEE ICNP
    1993, doi:10.1109/ICNP.1993.340926: N_3 = rate x round trip (from its abstract and summaries: it could not be
    read). Proof: derivations/credits.py, allocation_for_rate.

    Examples
    --------
    >>> allocation_for_rate(10, 200.0), allocation_for_rate(10, 200.0, 0.25)
    (210.0, 60.0)
    """

@_law
def link_share(batch: Any, reserve: Any, loop: Any) -> Any:
    r"""Return the share of the link that a flow uses by its credit.

    .. math:: U = \min\left(1, \frac{q N_2}{P + N_2 - r}\right), \qquad
        q = \left\lfloor \frac{N_2 + N_3}{N_2} \right\rfloor, \quad r = N_2 + N_3 - q N_2

    Parameters
    ----------
    batch : int or array
        Forwarded cells per credit cell: N_2 [packets], an integer in [1, inf), typically 1 to 50.
    reserve : int or array
        Cells that the allocation has above N_2: N_3 [packets], an integer in [0, inf), typically 0 to 500.
    loop : float or array
        Round trip of the link without the cell itself, in transmission times of a cell: twice the propagation delay and
        the transmission of the credit cell: P [packets], in [0, inf), typically 1 to 500.

    Returns
    -------
    float or array
        U [1], of a flow that is alone on its link and never blocked further on.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for cells that are forwarded as soon as they arrive. If N_2 divides the allocation it is (N_2 + N_3)/(N_2 +
    P): the allocation in the time of a round trip and the cells that a credit cell waits for. The link stays busy from
    N_3 = P on, for every N_2: N_3 is the bandwidth-delay product of the link.

    References
    ----------
    H. T. Kung, T. Blackwell and A. Chapman, "Credit-Based Flow Control for ATM Networks: Credit Update Protocol,
    Adaptive Credit Allocation and Statistical Multiplexing", ACM SIGCOMM 1994, doi:10.1145/190314.190324, for N_2
    that divide the allocation (from a summary: it was not read); the rest is ours. Proof: derivations/credits.py,
    link_share.

    Examples
    --------
    >>> link_share(5, 10, 20), link_share(5, 12, 20), link_share(5, 20, 20)
    (0.6, 0.6521739130434783, 1.0)
    """
