"""The TCP window over time: sawtooth at a drop-tail link, slow start without loss, a file alone on three links.

The file goes from its source over switches S1 and S2 to its destination: each switch receives a packet completely
before it sends it on; acknowledgments return after half of the round-trip propagation time, without queueing. Proofs:
derivations/tcp.py and unloaded.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import APPENZELLER, CARDWELL, JACOBSON, KIM_FARBER, SEARCH_DRAFT, YANG_LAM
from longfat.laws.tcp.rates import DECREASE

BUFFER = Symbol("B", "1", "[0, inf)", (0.01, 2.0), "Buffer over the bandwidth-delay product of the empty path")
UTILISATION = Symbol("U", "1", "(0, 1]", (0.75, 1.0), "Utilisation: the fraction of the time in which the link sends")
PACKETS = Symbol("n", "packets", "[1, inf)", (1, 1e5), "Packets of the file", integer=True)
INITIAL_WINDOW = Symbol("W_0", "packets", "[1, inf)", (1, 10), "Window of the first round", integer=True)
PATH = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "Round-trip time of the empty path, without the transmission time t")
PACKET_TIME = Symbol("t", "s", "(0, inf)", (1e-6, 1e-3), "Transmission time of a packet at the bottleneck")
AFTER = Symbol("x", "1", "[0, inf)", (0.1, 8.0), "Round trips since acknowledgments began to come at the link's rate")
MEMORY = Symbol("w", "1", "(0, inf)", (1.0, 6.0), "Window of SEARCH in initial round-trip times: 3.5", default=3.5)

EXPONENTS = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)  # their sum is 1023, the largest exponent of a double


def ceiling_quotient(number: Any, by: Any, xp: Any) -> Any:
    """Return the quotient of two integers, rounded up.

    With 1/2 subtracted from the numerator the quotient is never an integer, so rounding of the division does not
    matter.
    """
    return xp.ceil(number / by) if hasattr(xp, "sympy") else 1 + xp.floor((number - 0.5) / by)


def floor_log2(x: Any, xp: Any) -> tuple[Any, Any]:
    """Return the largest integer k with 2^k <= x, for x >= 1, and 2^k.

    k is found by comparisons, because a quotient of logarithms may lie on the wrong side of an integer. k has no
    derivative.
    """
    if hasattr(xp, "sympy"):
        k = xp.floor(xp.log(x) / xp.log(2))
        return k, 2**k
    if hasattr(xp, "mp"):
        k = xp.mp.frexp(x)[1] - 1
        return xp.mp.mpf(k), xp.mp.ldexp(1, k)
    k, power = xp.zeros_like(x), xp.ones_like(x)
    for exponent in EXPONENTS:
        if 2.0**exponent <= float(xp.finfo(x.dtype).max):
            fits = power * 2.0**exponent <= x
            k = xp.where(fits, k + exponent, k)
            power = xp.where(fits, power * 2.0**exponent, power)
    return k, power


@law(
    source=(
        f"Ours, in the fluid limit of {JACOBSON}, section 3 (the rules); {APPENZELLER}, section 2 (B = 1 fills the "
        "link)"
    ),
    result="U [1], from 3/4 without a buffer to 1 at B = 1, where the slope is 0 on both sides",
    long_proof=True,
    simulated=SimulatedBy("sawtooth", {"buffer": (0.05, 1.2)}, accuracy=0.02),
)
def aimd_utilisation(buffer: BUFFER, *, xp):
    r"""Return the utilisation of a drop-tail link by one flow that halves its window at a loss.

    .. math:: U = \begin{cases} \dfrac{3 (1 + B)^2}{4 (1 + B + B^2)} & 0 \le B \le 1 \\ 1 & B > 1 \end{cases}
        \qquad = \frac{3}{3 + y^2}, \quad y = \frac{\max(1 - B, 0)}{1 + B}

    The window w grows from (1 + B)/2 to 1 + B bandwidth-delay products; the round-trip time is max(1, w) times that
    of the empty path, since it includes the queueing delay. This is a fluid limit: it holds for a bandwidth-delay
    product of many packets (N packets change U by the order of 1/N), one loss per cycle, no timeouts, and no time
    lost in recovery.

    >>> round(aimd_utilisation(0.5), 4)
    0.9643
    """
    idle = xp.maximum(1 - buffer, 0 * buffer) / (1 + buffer)
    return 3 / (3 + idle * idle)


@law(
    source=f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}",
    result="U [1], from (1 + beta)/2 without a buffer to 1 at B = 1/beta - 1. The increase does not matter",
    simulated=SimulatedBy("sawtooth", {"buffer": (0.1, 1.2), "decrease": (0.4, 0.75)}, accuracy=0.02),
)
def aimd_utilisation_general(buffer: BUFFER, decrease: DECREASE, *, xp):
    r"""Return the utilisation of a drop-tail link by one flow that multiplies its window by beta at a loss.

    .. math:: U = \frac{1 - \beta^2}{1 - \beta^2 + y^2}, \qquad y = \max\left(\frac{1}{1 + B} - \beta, 0\right)

    The assumptions are those of `aimd_utilisation`, which is the case beta = 1/2.

    >>> aimd_utilisation_general(0, 7 / 8)
    0.9375
    """
    idle = xp.maximum(1 / (1 + buffer) - decrease, 0 * (buffer + decrease))
    spread = (1 - decrease) * (1 + decrease)
    return spread / (spread + idle * idle)


@law(
    source=f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}",
    result="Q over the bandwidth-delay product [1], the mean over time; 5/9 for beta = 1/2 at B = 1",
    simulated=SimulatedBy("sawtooth_queue", {"buffer": (0.2, 1.2), "decrease": (0.4, 0.75)}, accuracy=0.01),
)
def aimd_mean_queue(buffer: BUFFER, decrease: DECREASE, *, xp):
    r"""Return the mean backlog [bandwidth-delay products] of a link with one flow that multiplies its window at a loss.

    .. math:: Q = (1 + B) \, \frac{(f - y) \left(\frac{1}{3} (f^2 + f y + y^2) + \frac{s}{2} (f + y)\right)}
        {s \max(s - \beta, 0) + \frac{1}{2} (f - y) (1 + \max(\beta, s))}, \qquad
        s = \frac{1}{1 + B}, \quad f = \frac{B}{1 + B}, \quad y = \max(\beta - s, 0)

    The assumptions are those of `aimd_utilisation`. The queue is between y (1 + B) and B bandwidth-delay products, and
    empty while the window is below one product. With a small buffer it tends to B^2/(2 (1 - beta)), with a large one to
    (1 + B) times (2/3) (1 - beta^3)/(1 - beta^2), less one product: 7/9 of 1 + B for beta = 1/2.

    >>> round(aimd_mean_queue(1, 0.5) * 9, 12)
    5.0
    """
    path, full = 1 / (1 + buffer), buffer / (1 + buffer)
    # `beta - path` is computed as `full - spare`, which loses no digits for beta and path near 1.
    spare, zero = 1 - decrease, 0 * (buffer + decrease)
    least = xp.maximum(full - spare, zero)
    climb = xp.minimum(full, spare)
    queue = climb * ((full * full + full * least + least * least) / 3 + path * (full + least) / 2)
    idle = path * xp.maximum(spare - full, zero)
    return (1 + buffer) * queue / (idle + climb * (2 - climb) / 2)


@law(
    source=f"Ours: aimd_utilisation solved for the buffer, in the fluid limit of {JACOBSON}, section 3",
    result="B [1], in bandwidth-delay products; 0 up to U = 3/4, 1 at U = 1, where the slope is infinite",
    long_proof=True,
    not_simulated="the inverse of a law that is simulated",
)
def buffer_for_utilisation(utilisation: UTILISATION, *, xp):
    r"""Return the smallest buffer [bandwidth-delay products] for a given utilisation by a flow that halves its window.

    .. math:: B = \frac{\max(4 U - 3, 0)}{\left(\sqrt{U} + \sqrt{3 (1 - U)}\right)^2}

    As accurate as `aimd_utilisation`, which it inverts.

    >>> round(aimd_utilisation(buffer_for_utilisation(0.9)), 12)
    0.9
    """
    root = xp.sqrt(utilisation) + xp.sqrt(3 * (1 - utilisation))
    return xp.maximum(4 * utilisation - 3, 0 * utilisation) / (root * root)


@law(
    source=f"{JACOBSON}, section 1 (the rule); {CARDWELL} (the same number, not rounded)",
    result="r [rounds], an integer",
    not_simulated="a case of unloaded_transfer_time, which is simulated: only one link has a transmission time",
)
def slow_start_rounds(packets: PACKETS, initial_window: INITIAL_WINDOW = 1, *, xp):
    r"""Return the number of rounds in which slow start sends a file without loss if every packet is acknowledged.

    .. math:: r = \left\lceil \log_2\left(\frac{n}{W_0} + 1\right) \right\rceil
        = 1 + \left\lfloor \log_2 \left\lceil \frac{n}{W_0} \right\rceil \right\rfloor

    Exact: round k sends W_0 2^k packets. Floats are computed by the second form, which is exact for n < 2^53. Delayed
    acknowledgments, with which the window grows by half per round, are not covered.

    >>> slow_start_rounds(7), slow_start_rounds(8)
    (3.0, 4.0)
    """
    if hasattr(xp, "sympy"):
        return xp.ceil(xp.log(packets / initial_window + 1) / xp.log(2))
    return 1 + floor_log2(ceiling_quotient(packets, initial_window, xp), xp)[0]


@law(
    source=f"Ours, under the rule of {JACOBSON}, section 1",
    result=(
        "D [s], from the first packet to the last acknowledgment. The file is complete at the receiver earlier by the"
        " acknowledgment's propagation time"
    ),
    not_simulated="a case of unloaded_transfer_time, which is simulated: only one link has a transmission time",
    round_trip_time=PATH.described(remark="It lasts from the end of a packet's transmission to its acknowledgment"),
)
def slow_start_transfer_time(
    packets: PACKETS, round_trip_time, packet_time: PACKET_TIME, initial_window: INITIAL_WINDOW = 1, *, xp
):
    r"""Return the transfer time [s] of a file by slow start over an empty path without loss.

    .. math:: D = R + \max_{0 \le j < r} \left[ j (R + t) + (n - W_0 (2^j - 1)) t \right]

    with r = `slow_start_rounds`. The largest term is the last one, j = r - 1, or, if earlier rounds fill the pipe, that
    of the first of them, j = ceil(log2((R + t)/(W_0 t))).

    Notes
    -----
    Exact for one acknowledgment per packet, no slow-start threshold, buffers that hold everything, and one link whose
    transmission time counts: every acknowledgment releases two packets, which queue at the bottleneck. R does not
    include a packet's own transmission time t: a single packet takes R + t, and rounds begin R + t apart. For a
    measured round-trip time T of a single packet insert R = T - t.

    >>> round(1e3 * slow_start_transfer_time(20, 40e-3, 0.1e-3), 1)
    200.9
    """
    lone = round_trip_time + packet_time
    # j is at most the last round, 2^j <= ceil(n/W_0), and at most the first round that takes longer than a single
    # packet. At the bound of the second condition two values of j give the same time, so rounding does not matter.
    last = ceiling_quotient(packets, initial_window, xp)
    full = xp.maximum(2 * lone / (initial_window * packet_time), 1 + 0 * lone)
    j, doubled = floor_log2(xp.minimum(last, full), xp)
    return round_trip_time + j * lone + (packets - initial_window * (doubled - 1)) * packet_time


@law(
    source=f"Ours, for the test of {SEARCH_DRAFT}",
    result="norm_diff [1], 0 at x = 0; SEARCH leaves slow start at 0.26, for w = 3.5 at x = 3.88",
    not_simulated="the scheme cubic-search tests it at the ends of bins only: tests/sim/schemes/test_search.py",
)
def search_difference(after: AFTER, memory: MEMORY = 3.5, *, xp):
    r"""Return the undelivered fraction of the data sent a round trip ago, by which SEARCH decides to end slow start.

    .. math:: d = \frac{A(x - w) - 2 A(y - w)}{A(x) - 2 A(y - w)}, \qquad A(u) = \frac{2^{\min(u, 0)}}{\ln 2} +
        \max(u, 0), \qquad 2 A(y) = A(x)

    Times count round trips of the empty path: until u, A(u) bandwidth-delay products are acknowledged, and the packet
    that is acknowledged at x was sent at y.

    Notes
    -----
    In slow start twice as much data is sent as is acknowledged. Both are counted over w round trips of the empty path,
    the data sent one present round trip x - y earlier. After x = 0 acknowledgments come at the rate of the link and the
    sender sends at only twice that rate, so the difference grows slowly. This is a fluid limit, for a buffer that loses
    nothing: at x = 3.88 the packet just acknowledged has waited 1.66 round trips of the empty path, and the queue holds
    A(x) - 1 = 4.32 bandwidth-delay products, because A(x) are in flight. With a smaller buffer, losses come first.

    >>> round(search_difference(3.88), 3), round(search_difference(1.34), 3)
    (0.26, 0.03)
    """
    # Both terms of the numerator are counted from x = 0, where they are equal, because A(-w) = 2 A(-1 - w): otherwise
    # their difference would lose all digits there. Times are multiplied by ln 2; A changes form at y = 0, x = w, y = w.
    ln2 = xp.log(2 + 0 * (after + memory))
    elapsed, window, share = ln2 * after, ln2 * memory, 2**-memory
    filling = xp.minimum(elapsed, 1 + 0 * elapsed)
    full = (elapsed - filling) / 2
    early, early_full = xp.minimum(elapsed, window), xp.minimum(full, window)
    sent_early, sent_late = filling + 2 * xp.expm1(early_full), 2 * (full - early_full)
    missing = share * (xp.expm1(early) - sent_early) + (elapsed - early - sent_late)
    return missing / (1 + elapsed - share * (1 + sent_early) - sent_late)


OURS = f"Ours, for the network of {KIM_FARBER}, figure 4"
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 0.3), "Round-trip propagation time")
ACCESS_TIME = Symbol("t_a", "s", "[0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the access link")
BOTTLENECK_TIME = Symbol("t_b", "s", "(0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the bottleneck link")
LAST_TIME = Symbol("t_d", "s", "[0, inf)", (1e-6, 1e-3), "Transmission time of a packet on the last link")
RATIO = Symbol("r", "1", "[0, 1]", (0.1, 0.95), "Rate of the bottleneck link over the rate of the access link")


@law(
    source=OURS,
    result="T [s]: `slow_start_transfer_time` with R = D + t_a + t_b + t_d - t",
    derivation="unloaded.tcp_transfer_time",
    simulated=SimulatedBy("reno_file", {"packets": (1.0, 1000.0), "last_time": 0.0}, accuracy=2e-6),
    access_time=ACCESS_TIME.described(remark="0 stands for an infinitely fast link"),
    last_time=LAST_TIME.described(remark="0 leaves the transmission time of the last link out"),
)
def unloaded_transfer_time(
    packets: PACKETS,
    round_trip_time: ROUND_TRIP,
    access_time,
    bottleneck_time: BOTTLENECK_TIME,
    last_time=0,
    initial_window: INITIAL_WINDOW = 1,
    *,
    xp,
):
    r"""Return the transfer time [s] of a file by slow start over three empty links, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d - t + \max_{0 \le j < r} \left[ j (D + t_a + t_b + t_d) + (n - W_0 (2^j - 1)) t
        \right], \qquad t = \max(t_a, t_b, t_d)

    with r = `slow_start_rounds`.

    Notes
    -----
    Exact under the rules of `slow_start_transfer_time`, if the switch can buffer the packets of slow start
    (`buffer_for_slow_start`). Otherwise packets are lost, the window is at least halved, and the transfer takes longer:
    then this is a lower bound.

    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s; at once: 30.8 ms
    240.352
    """
    slowest = xp.maximum(xp.maximum(access_time, bottleneck_time), last_time)
    others = round_trip_time + (access_time + bottleneck_time + last_time - slowest)
    return slow_start_transfer_time.function(packets, others, slowest, initial_window, xp=xp)


@law(
    source=OURS,
    result="Buffer [packets]; buffers not smaller than this lose nothing. Rounded up, it is the longest queue",
    derivation="unloaded.buffer_for_slow_start",
    not_simulated="the limit of validity of unloaded_transfer_time, which is simulated",
    packets=PACKETS.described(remark="They are sent by slow start from a window of 1"),
    rate_ratio=RATIO.described("Rate at which the switch sends, over the rate of the access link"),
)
def buffer_for_slow_start(packets, rate_ratio, *, xp):
    r"""Return the smallest buffer [packets] with which an idle switch loses no packet of a slow start.

    .. math:: K \ge (w - 1) \left(1 - \max\left(r, \tfrac{1}{2}\right)\right), \qquad
        w = \max\left(2^{l - 1}, n + 1 - 2^l\right), \qquad l = \lfloor \log_2 n \rfloor

    w is the number of packets in the largest round, r the rate ratio BW_b/BW_N.

    Notes
    -----
    Exact while every round but the largest is sent before its first acknowledgment returns; in longer files the
    queues of several rounds add up. For r <= 2/3 a buffer of a third of the path's bandwidth-delay product, as at Kim
    and Farber's switches, is full before they add up. Half of a round is queued, because each acknowledgment, one
    per t_b, releases two packets; of a burst, a share 1 - r is queued.

    >>> buffer_for_slow_start([200, 2000], 0.2)  # Kim and Farber's switches have 75 to 3750
    array([ 36., 488.])
    """
    _, power = floor_log2(packets, xp)
    half = xp.sympy.Rational(1, 2) if hasattr(xp, "sympy") else 0.5
    largest = xp.maximum(power * half, packets + 1 - power)
    return (xp.maximum(largest, 1 + 0 * largest) - 1) * (1 - xp.maximum(rate_ratio, half + 0 * rate_ratio))
