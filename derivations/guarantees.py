"""Bounds of delays behind a leaky bucket: the deadlines of a guaranteed rate, fair queueing, VirtualClock, many links.

Packet k of a flow has l_k bytes and its last bit arrives at a_k. Behind a leaky bucket (sigma, rho) all packets from j
to k together have at most sigma + rho (a_k - a_j) bytes. The scheduler of a link of rate C guarantees the flow a rate g
>= rho; the guaranteed rates of all flows add up to at most C. The deadline of packet k is the time at which a line of
rate g of its own would have sent it:

    F_k = max(a_k, F_(k-1)) + l_k/g,    so that    F_k = max over j <= k of a_j + (l_j + ... + l_k)/g.    (*)

Fluid (generalised processor sharing). While the flow is backlogged it has the rate g or more, so that packet k is sent
by F_k: at the end of a busy period of the flow that begins with a_j, all packets that have arrived since have been
sent.

Packets leave in the order in which the fluid finishes them, and by F_k + l_m/C (Parekh and Gallager, 1993). Let packet
p leave at t. Let q be the last packet sent before p, in the same busy period, that the fluid finishes after p, and u
the begin of its transmission. All packets sent after q until p, p included, arrived after u, or they would have been
sent before q: what arrives later does not change the order in which the fluid finishes those that are there. The fluid
sends them between u and F_p, so that they have at most C (F_p - u) bytes, while the link sends q and them until t:
C (t - u) = l_q + their bytes <= l_m + C (F_p - u). Without such a q, the same from the begin of the busy period on.

VirtualClock sends the packet with the least F among those that wait. The bytes of all flows with a_k >= u and F_k <= F
are at most C (F - u): of one flow at most g (F - u), by (*), and the rates g add up to at most C. So the argument of
the fluid holds with F_k itself in place of the fluid's end: q is the last packet before p with a greater deadline.

Many links. A packet reaches link h + 1 by F_k at link h + l_m/C + the propagation delay, which is left out. So by (*)
F_k at link h + 1 is at most F_k at link h + l_m/C + l/g (`next_link`). `packet_delay` adds up.
`departures` tries all of this on every arrangement of a few packets, in fractions.
"""

import itertools
from collections.abc import Callable

import sympy as sp
from sympy import Expr, Rational

from derivations.proof import once, require, require_zero

sigma, g, C, l_m = sp.symbols("sigma g C l_m", positive=True)
size = sp.Symbol("l", positive=True)
K = sp.Symbol("K", integer=True, positive=True)
Packet = tuple[int, Expr, Expr]  # flow, arrival, size


def deadlines(packets: list[Packet], rates: list[Expr]) -> list[Expr]:
    """Compute the deadlines F_k of packets in order of arrival, by their recursion."""
    last: dict[int, Expr] = {}
    found = []
    for flow, arrival, size in packets:
        last[flow] = max(arrival, last.get(flow, arrival)) + size / rates[flow]
        found.append(last[flow])
    return found


def closed_form() -> None:
    """Prove (*) by induction: the maximum over j <= k follows from that over j < k."""
    a_j, sums, last = sp.symbols("a_j S l_k", positive=True)
    require_zero(a_j + sums / g + last / g - (a_j + (sums + last) / g), "F_(k-1) + l_k/g, for each j < k")
    a_k = sp.Symbol("a_k", positive=True)
    require_zero(a_k + last / g - (a_k + (0 * sums + last) / g), "and a_k + l_k/g for j = k")


@once
def fluid_delay() -> Expr:
    """Derive F_k - a_k <= sigma/g: a_j + (sigma + rho (a_k - a_j))/g - a_k is at most that for every j, as rho <= g."""
    closed_form()
    spare, since = sp.symbols("d t", nonnegative=True)  # g - rho, a_k - a_j
    rho = g - spare
    law = sigma / g
    require(sp.simplify(law - ((sigma + rho * since) / g - since)).is_nonnegative, "for every j")
    require_zero(law - (sigma + rho * 0) / g, "with equality for a burst at once, j = 1 and a_k = a_1")
    return law


def lateness() -> Expr:
    """Return l_m/C, the greatest lateness of a packet after its deadline; the module docstring proves it."""
    u, F, own, other = sp.symbols("u F b l_p", positive=True)
    spare, smaller = sp.symbols("d e", nonnegative=True)
    end = u + (other + own) / C  # the link is busy from u on
    require_zero(C * (end - u) - other - own, "it sends q and the packets that arrived after u")
    late = (end - F).subs(own, C * (F - u) - spare).subs(other, l_m - smaller)
    require((sp.simplify(l_m / C - late)).is_nonnegative, "which the fluid sends by F")
    return l_m / C


def next_link(lateness: Expr) -> Expr:
    """Derive the increase of the deadline at the next link: packet k arrives there by F_k + lateness.

    In (*) for the next link, a_j is at most F_j + lateness, and F_j = a_i + (l_i + ... + l_j)/g for an i <= j. The sum
    from i to j and that from j to k have l_j in common, and the rest is at most F_k.
    """
    first, upto, behind, own, beta = sp.symbols("a_i S_ij S_jk l_j beta", positive=True)
    arrival = first + (upto + own) / g + beta  # S_ij and S_jk without packet j
    deadline = arrival + (own + behind) / g
    before = first + (upto + own + behind) / g  # one of the terms of F_k at the link before
    require_zero(deadline - before - beta - own / g, "l_j/g more than a term of F_k")
    return (size / g + beta).subs(beta, lateness)


@once
def packet_delay() -> Expr:
    """Derive D = (sigma + (K - 1) l)/g + K l_m/C by induction in the number of links."""
    law = (sigma + (K - 1) * size) / g + K * l_m / C
    late = lateness()
    require_zero(law.subs(K, 1) - fluid_delay() - late, "one link")
    require_zero(law.subs(K, K + 1) - law - next_link(late), "one link more")
    require_zero(law.subs({size: 0, l_m: 0}) - fluid_delay(), "small packets: the fluid")
    return law


def fluid_ends(packets: list[Packet], rates: list[Expr]) -> list[Expr]:
    """Compute when generalised processor sharing of a link of rate 1 ends each packet, in steps between events."""
    left = [size for _, _, size in packets]
    ends: list[Expr | None] = [None] * len(packets)
    now = sp.Integer(0)
    while None in ends:
        heads: dict[int, int] = {}
        for k, (flow, arrival, _) in enumerate(packets):
            if ends[k] is None and arrival <= now:
                heads.setdefault(flow, k)
        coming = [arrival for _, arrival, _ in packets if arrival > now]
        total = sum(rates[flow] for flow in heads)
        steps = [left[k] * total / rates[flow] for flow, k in heads.items()]
        step = min([*steps, *(one - now for one in coming)])
        for flow, k in heads.items():
            left[k] -= step * rates[flow] / total
            if left[k] == 0:
                ends[k] = now + step
        now += step
    return ends  # type: ignore[return-value]


def departures(packets: list[Packet], tags: list[Expr]) -> list[Expr]:
    """Compute the departure times of packets from a link of rate 1 that sends the packet with the least tag first."""
    waiting, ends, now = set(range(len(packets))), [sp.Integer(0)] * len(packets), sp.Integer(0)
    while waiting:
        present = [k for k in waiting if packets[k][1] <= now]
        if not present:
            now = min(packets[k][1] for k in waiting)
            continue
        first = min(present, key=lambda k: (tags[k], -k))
        waiting.remove(first)
        now += packets[first][2]
        ends[first] = now
    return ends


Tags = Callable[[list[Packet], list[Expr]], list[Expr]]


def every_arrangement(tags: Tags, count: int = 4, late: int = 1) -> Expr:
    """Check F_k + l_m/C for every arrangement of packets of two flows, and return the greatest lateness over l_m.

    Sizes are 1 and 3, arrivals 0 to 3, the rates 1/4 and 3/4 of a link of rate 1.
    """
    rates = [Rational(1, 4), Rational(3, 4)]
    kinds = [(flow, sp.Integer(size)) for flow in (0, 1) for size in (1, 3)]
    worst = sp.Integer(0)
    for times in itertools.combinations_with_replacement(range(4), count):
        for chosen in itertools.product(kinds, repeat=count):
            packets = [(flow, sp.Integer(time), size) for time, (flow, size) in zip(times, chosen, strict=True)]
            largest = max(size for _, _, size in packets)
            ends = departures(packets, tags(packets, rates))
            for end, deadline in zip(ends, deadlines(packets, rates), strict=True):
                require(bool(end <= deadline + late * largest), "a packet leaves by its deadline and one packet more")
                worst = max(worst, (end - deadline) / largest)
    return worst
