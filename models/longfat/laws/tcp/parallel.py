"""Parallel flows between two hosts: the share of a link without a buffer that they use, and that which others keep."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import ALTMAN, CROWCROFT_OECHSLIN
from longfat.laws.tcp.parameters import DECREASE, FLOWS, OTHERS


@law(
    source=f"{ALTMAN} (the throughput of N connections)",
    unit="1",
    result="U, from (1 + beta)/2 for one flow to 1 for many; for beta = 1/2 it is 0.9 for 3 flows and 0.95 for 6.3",
    derivation="tcp.parallel_utilisation",
    # Ours: the simulated link needs a few packets of buffer, which make it up to 0.01 fuller.
    simulated=SimulatedBy("parallel_utilisation", {"flows": (1.0, 5.0), "decrease": (0.5, 0.8)}, accuracy=0.02),
    flows=FLOWS,
    decrease=DECREASE,
)
def parallel_utilisation(flows: Any, decrease: Any = 0.5, *, xp: Any) -> Any:
    r"""Return the utilisation of a link without a buffer by flows of which one at a time loses a packet.

    .. math:: U = 1 - \frac{1}{1 + N \frac{1 + \beta}{1 - \beta}}

    Notes
    -----
    The rates grow linearly and equally fast. When their sum reaches the capacity, one flow, whichever, multiplies its
    rate by beta. Flows that lose together use as much as one flow: `aimd_utilisation_general` with B = 0, which is also
    the case N = 1. A buffer fills the link with fewer flows.

    Examples
    --------
    >>> [round(parallel_utilisation(n), 4) for n in (1, 3, 6)]
    [0.75, 0.9, 0.9474]
    """
    return flows * (1 + decrease) / (flows * (1 + decrease) + (1 - decrease))


@law(
    source=f"Ours, for equal loss probabilities; {CROWCROFT_OECHSLIN} (one flow that takes the share of N)",
    unit="1",
    result="Share of the rate of all flows that the N parallel ones have together",
    derivation="tcp.parallel_share",
    simulated=SimulatedBy("parallel_share", {"flows": (1.0, 8.0), "others": (1.0, 4.0)}, accuracy=0.05),
    flows=FLOWS,
    others=OTHERS,
)
def parallel_share(flows: Any, others: Any, *, xp: Any) -> Any:
    r"""Return the share of N parallel flows beside m other flows at the same link.

    .. math:: \frac{N}{N + m}

    Notes
    -----
    It holds for any rate that the loss probability and the round-trip time determine, such as `square_root_rate`, if
    the flows have the same congestion control, packet size, round-trip time and loss probability, and neither windows
    nor hosts limit them. So it does not hold where queues are kept for each flow (fq-codel), nor beside BBR. It is the
    mean over a long time.

    Examples
    --------
    >>> parallel_share(8, 1), parallel_share(1, 1)
    (0.8888888888888888, 0.5)
    """
    return flows / (flows + others)
