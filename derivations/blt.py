"""Proofs for BLT: windows and priorities, the unloaded transfer, the losses of a burst at a switch, its end.

Source: Kim and Farber, MS-CIS-94-55. Packets and windows are counted from 0. A burst arrives at an idle switch at times
0, t_a, 2 t_a, ..., and the switch sends one packet in t_b >= t_a; r = t_a/t_b. The queue holds K >= 1 packets, besides
the one in transmission, and a packet that departs at the moment of an arrival departs first. The first packet of the
burst has the best priority, and no packet has a better priority than one before it.
"""

from collections import namedtuple
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import floor

import sympy as sp
from sympy import Expr

from derivations.proof import require, require_zero

gamma, t_a, t_b = sp.symbols("gamma t_a t_b", positive=True)
alpha, D, t_d = sp.symbols("alpha D t_d", nonnegative=True)
k, m, s, i = sp.symbols("k m s i", integer=True, nonnegative=True)
n, bits, K = sp.symbols("n pi K", integer=True, positive=True)
r = sp.Symbol("r", positive=True)
more, over = sp.symbols("u v", nonnegative=True)

Ending = namedtuple("Ending", "base sent last")


# Windows


def window_size() -> Expr:
    """Derive |W_k| = gamma^k from |W_0| = 1 and |W_k| = gamma |W_(k-1)| (section 3.3.1)."""
    size = gamma**k
    require_zero(size.subs(k, 0) - 1, "window 0")
    require_zero(size.subs(k, k + 1) - gamma * size, "growth")
    return size


def packets_in_windows() -> Expr:
    """Derive the number of packets in windows 0 ... m - 1, F_m = (gamma^m - 1)/(gamma - 1) (figure 2).

    Every packet belongs to one window. The windows before W_m hold (|W_m| - 1)/(gamma - 1) packets. For gamma = 2 this
    is one packet less than W_m. For gamma > 1 it is |W_m|/(gamma - 1), less a share gamma^-m of it, which vanishes.
    """
    law = (gamma**m - 1) / (gamma - 1)
    require_zero(law.subs(m, 0), "none")
    require_zero(law.subs(m, m + 1) - law - window_size().subs(k, m), "one window more")
    require_zero(sp.limit(law, gamma, 1) - m, "equal windows")
    require_zero(law.subs(gamma, 2) - (2**m - 1), "the paper's W_m less one packet")
    require_zero(law / gamma**m - (1 - gamma**-m) / (gamma - 1), "share of the next")
    # The packet that is left out: W_(k+1) of figure 1 is p ... p + 2^(k+1) - 1.
    last = law.subs(gamma, 2).subs(m, k + 1)
    require_zero(last - (2 ** (k + 1) - 1), "p + 2^(k+1) - 1; as printed: p + 2^(k+2) - 2")
    return law


def packet_priority() -> Expr:
    """Derive the priority of packet s: floor(log_gamma(1 + (gamma - 1) s)), floor(log2(s + 1)) for gamma = 2.

    The priority is the k with F_k <= s < F_(k+1). The logarithm is k at s = F_k and increases with s. The simpler
    log_gamma(s + 1), which agrees for gamma = 2, is wrong in general: for gamma = 3 it is below 1 for packets 0 and 1,
    but window 0 has one packet.
    """
    place = sp.Symbol("s", nonnegative=True)
    level = sp.log(1 + (gamma - 1) * place) / sp.log(gamma)
    require_zero(sp.expand_log(level.subs(place, packets_in_windows()).simplify(), force=True).subs(m, k) - k, "F_k")
    wider = level.subs(gamma, 1 + r)
    require_zero(sp.diff((1 + r) ** wider, place) - r, "gamma^level increases, for every gamma > 1")
    require_zero(level.subs(gamma, 2) - sp.log(place + 1) / sp.log(2), "gamma = 2")
    require_zero(sp.limit(level, gamma, 1) - place, "gamma = 1")
    require(
        floor(sp.log(1 + 1) / sp.log(3)) == 0 and packets_in_windows().subs({gamma: 3, m: 1}) == 1, "s + 1 will not do"
    )
    return sp.floor(level)


def packets_encodable() -> Expr:
    """Derive the number of packets whose priority fits into pi bits: F_(2^pi).

    It is 65535 packets for 4 bits and gamma = 2. For 10 bits, 2^(2^10) - 1 exceeds the largest double.
    """
    law = packets_in_windows().subs(m, 2**bits)
    require_zero(law.subs({gamma: 2, bits: 4}) - 65535, "4 bits; 64 K = 65536 as printed")
    require(2 ** (2**10) - 1 > (2**53 - 1) * 2**971 > 2 ** (2**9) - 1, "doubles reach to 9 bits")
    return law


def additive_window_size() -> Expr:
    """Derive |W_k| = 1 + alpha k from |W_0| = 1 and |W_k| = alpha + |W_(k-1)|."""
    size = 1 + alpha * k
    require_zero(size.subs(k, 0) - 1, "window 0")
    require_zero(size.subs(k, k + 1) - size - alpha, "growth")
    return size


def packets_in_additive_windows() -> Expr:
    """Derive the number of packets in additive windows 0 ... m - 1: F_m = m + alpha m (m - 1)/2."""
    law = m + alpha * m * (m - 1) / 2
    require_zero(law.subs(m, 0), "none")
    require_zero(law.subs(m, m + 1) - law - additive_window_size().subs(k, m), "one window more")
    return law


def additive_priority() -> Expr:
    """Derive the priority of packet s in additive windows: floor(2 s/(h + sqrt(h^2 + 2 alpha s))).

    With h = 1 - alpha/2 this is the floor of the root of F_x = s, that is alpha x^2/2 + h x = s. F increases from x =
    1/2 - 1/alpha on, and it is not positive there for x >= 0. So only one root is not negative.
    """
    place = sp.Symbol("s", positive=True)
    half = 1 - alpha / 2
    root = 2 * place / (half + sp.sqrt(half**2 + 2 * alpha * place))
    x = sp.Symbol("m", positive=True)
    polynomial = packets_in_additive_windows().subs(m, x)
    require_zero(polynomial.subs(x, root) - place, "residual")
    product = sp.Poly(2 * (polynomial - place) / alpha, x).coeff_monomial(1)
    require(bool(product.subs(alpha, r).is_negative), "one positive root")
    require_zero(root.subs(alpha, 0) - place, "alpha = 0")
    return sp.floor(root)


# Without loss


def unloaded_transfer_time() -> Expr:
    """Derive the unloaded transfer time D + t_a + t_b + t_d + (n - 1) max(t_a, t_b, t_d).

    By induction over the links, packet i leaves a link at S + i M: S is the sum, and M the largest, of the packet times
    of the links so far. The next link, of packet time t, sends packet i after its arrival and after packet i - 1. So
    packet i leaves it at max(S + i M, S + t + (i - 1) M') + t = S + t + i M', with M' = max(M, t).
    """
    S, M = sp.symbols("S M", positive=True)
    for t, largest in ((M, M + over), (M + over, M + over)):  # t <= the largest so far, and t >= it
        before = largest if t == M else M
        came, after = S + i * before, S + t + (i - 1) * largest
        claim = S + t + i * largest
        if t == M:
            require_zero(came + t - claim, "it is sent when it arrives")
            require(bool(sp.simplify(came - after).is_nonnegative), "the link is free")
        else:
            require_zero(after + t - claim, "it waits for the packet before")
            require(bool(sp.expand((after - came).subs(i, 1 + k)).is_nonnegative), "from packet 1 on")
        require_zero((came + t - claim).subs(i, 0), "packet 0 waits for nothing")
    law = D + t_a + t_b + t_d + (n - 1) * sp.Max(t_a, t_b, t_d)
    require_zero(law.subs(n, 1) - (D + t_a + t_b + t_d), "a lone packet")
    require_zero(law.subs({t_d: 0, t_a: t_b}) - (D + (n + 1) * t_b), "equal links, without the last one")
    return law


# A burst at a switch


def accepted() -> Expr:
    """Derive the number of packets accepted out of 0 ... i: A_i = min(i + 1, K + 1 + floor(i r)).

    This holds for every discipline that drops only when the queue is full. The link never idles while packets arrive,
    so it has taken 1 + floor(i r) packets when packet i arrives, packet i included if it finds the link free. Packet i
    is accepted if the queue is below K, A_(i-1) - 1 - floor(i r) < K. So A_i = min(A_(i-1) + 1, K + 1 + floor(i r)),
    which the formula solves. All three disciplines drop the arrival, because no queued packet has a worse priority than
    one that arrives after it.
    """
    law = sp.Min(i + 1, K + 1 + sp.floor(i * r))
    require_zero(law.subs(i, 0) - 1, "the first")
    # Not idle at m t_b: packet floor(m/r) has come, where floor(floor(m/r) r) >= m - 1; m + 1 packets are there then.
    require(bool((K + 1 + (m - 1) - (m + 1)).is_nonnegative), "K >= 1, without which it idles")
    require(bool((m * (1 + over) + 1 - (m + 1)).expand().is_nonnegative), "m/r >= m")
    full = sp.Symbol("c", integer=True, positive=True)  # K + 1 + floor((i - 1) r)
    beyond = sp.Symbol("w", integer=True, nonnegative=True)
    for step in (0, 1):  # steps of floor(i r), r <= 1
        for number in (full - beyond, full + 1 + beyond):
            after = sp.Min(sp.Min(number, full) + 1, full + step)
            require_zero(after - sp.Min(number + 1, full + step), "one arrival")
    return law


def buffer_for_burst() -> Expr:
    """Derive the buffer that a burst of n packets needs: (n - 1)(1 - r), rounded up.

    Nothing is lost if n <= K + 1 + floor((n - 1) r), that is ceil((n - 1)(1 - r)) <= K.
    """
    last = n - 1
    room = accepted().args
    require(i + 1 in room and K + 1 + sp.floor(i * r) in room, "the two terms")
    need = last - sp.floor(last * r)
    require_zero((need - sp.ceiling(last - last * r)).rewrite(sp.floor), "waiting, rounded up")
    return sp.expand(last * (1 - r)).factor()


def burst_for_buffer() -> Expr:
    """Derive the longest burst that a buffer accepts, 1 + K/(1 - r), by inverting `buffer_for_burst`.

    The buffer needed increases with n.
    """
    law = 1 + K / (1 - r)
    require_zero(buffer_for_burst().subs(n, law) - K, "inverse")
    require_zero(sp.diff(buffer_for_burst(), n) - (1 - r), "increasing for r < 1")
    return law


def two_bursts() -> Expr:
    """Derive the transfer time with one lossy burst and one without loss: 2 (D + t_a + t_d) + (h + 2) t_b.

    h is the last packet lost and f the first. A_f = f packets are accepted before f. The next packet accepted is the (f
    + 1)-th to leave the switch, which sends one packet every t_b, and its acknowledgment shows the loss. The second
    burst begins with f. The acknowledgment of h, which is packet h - f of that burst, covers all packets. If the switch
    is empty when the second burst arrives, a packet takes D + t_a + t_d and its place in the burst times t_b.
    """
    first, last = sp.symbols("f h", integer=True, nonnegative=True)
    alone = D + t_a + t_d
    place = sp.Symbol("j", integer=True, nonnegative=True)
    leaves = alone + (place + 1) * t_b
    require_zero((leaves - unloaded_transfer_time().subs(n, place + 1)).subs(t_a, t_b).subs(t_d, 0), "as without loss")
    total = leaves.subs(place, first) + leaves.subs(place, last - first)
    law = 2 * alone + (last + 2) * t_b
    require_zero(total - law, "the first lost packet cancels")
    return law


def same_victims() -> int:
    """Prove that the published and the corrected switch drop the same packets for a file alone, unless a timer expires.

    Without timeouts at most two bursts are queued at once. A third burst begins only when the first packet of the
    second, or one behind it, has left the switch, and with it all of the first burst, since no packet overtakes
    another. A full queue holds the end of one burst and the beginning of the next. Priorities get worse within each,
    and those of the new burst are not worse than the arrival's. Packets worse than the arrival belong to the end of the
    old burst, so the one nearest the tail is also the worst.

    Checked for all queues of up to four packets and four priorities; returns the number of cases. With three bursts the
    disciplines can differ: queue [0 2 | 1 | 0], arrival 0.
    """

    def victims(queue: tuple[int, ...], arrival: int) -> tuple[int | None, int | None]:
        worse = [j for j, priority in enumerate(queue) if priority > arrival]
        return (worse[-1], max(worse, key=lambda j: (queue[j], j))) if worse else (None, None)

    seen = 0
    for length in range(5):
        for split in range(length + 1):
            for old in combinations_with_replacement(range(4), split):
                for new in combinations_with_replacement(range(4), length - split):
                    for arrival in range(new[-1] if new else 0, 4):
                        last, worst = victims(old + new, arrival)
                        require(last == worst, "the same packet")
                        seen += 1
    require(victims((0, 2, 1, 0), 0) == (2, 1), "three bursts")
    return seen


def survivors(length: int, places: int, ratio: Fraction) -> list[int]:
    """List the packets of a burst that an idle switch accepts: those at which A_i of `accepted` steps."""
    counts = [min(j + 1, places + 1 + floor(j * ratio)) for j in range(length)]
    return [j for j in range(length) if counts[j] > (counts[j - 1] if j else 0)]


def bursts(packets: int, places: int, ratio: Fraction) -> Iterator[Ending]:
    """Yield for each burst its first packet, the departures up to its end, and all its departures from the switch.

    A burst ends with the acknowledgment that completes the file, that of the last packet missing before, or with that
    of its first accepted packet beyond the first one still missing. ``sent`` is None if there is no such packet, so
    that a timeout ends it.
    """
    received: set[int] = set()
    base = 0
    while base < packets:
        kept = [base + j for j in survivors(packets - base, places, ratio)]
        missing = [number for number in range(base, packets) if number not in received]
        received |= set(kept)
        first = next((number for number in missing if number not in received), packets)
        ends = missing[-1] if first == packets else next((number for number in kept if number > first), None)
        yield Ending(base, None if ends is None else 1 + kept.index(ends), len(kept))
        if ends is None:
            return
        base = first


def transfer_time(
    packets: int, trip: Fraction, access: Fraction, between: Fraction, last: Fraction, places: int
) -> Fraction | None:
    """Sum D + t_a + t_d + (departures up to the end) t_b over the bursts; return None if bursts overlap or time out.

    Bursts do not overlap if the last packet of the old one has left the switch, and the source had sent it, when a new
    one arrives at the switch.
    """
    alone, total = trip + access + last, Fraction(0)
    endings = list(bursts(packets, places, access / between))
    for ending in endings:
        if ending.sent is None:
            return None
        time = alone + ending.sent * between
        meets = (ending.last - ending.sent) * between > alone or (packets - ending.base) * access > time
        if meets and ending is not endings[-1]:
            return None
        total += time
    return total
