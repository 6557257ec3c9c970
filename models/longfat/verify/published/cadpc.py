"""Assessments of every claim of Welzl (CADPC); those that need no simulation are defined here."""

from __future__ import annotations

from fractions import Fraction

from longfat.laws import cadpc as laws
from longfat.verify.published import cadpc_measured as measured
from longfat.verify.published.rows import Assessment, Context, Finding, assessed

USERS = (1, 2, 10, 50, 100)


def _iterated(n: int, updates: int = 200) -> float:
    """Iterate equation (2) from a rate of 0.001, without using the law; return the rate it reaches."""
    x = 0.001
    for _ in range(updates):
        x *= 2 - x - n * x
    return x


def _rate(_: Context) -> Finding:
    gaps = [abs(_iterated(n) * (1 + n) - 1) for n in USERS]
    gaps += [abs(float(laws.equilibrium_rate(n)) * (1 + n) - 1) for n in USERS]
    return assessed(
        max(gaps) < 1e-9,
        f"equation (2) iterated and the law agree with it within {max(*gaps, 1e-16):.0e}",
        "reproduced",
    )


def _ten(_: Context) -> Finding:
    used = float(laws.equilibrium_traffic(10))
    return assessed(abs(used - 10 / 11) < 1e-12, f"10/11 = {used:.3f}: 9 % of the capacity stay unused", "reproduced")


def _unstable(_: Context) -> Finding:
    growth = float(laws.step(1e-9, 10 * 1e-9)) / 1e-9
    return assessed(abs(growth - 2) < 1e-6, "rates near zero double with every update, a = 1", "reproduced")


def _arithmetic(ours: str, value: float, published: float, share: float = 1e-12) -> Assessment:
    return lambda _: assessed(abs(value / published - 1) <= share, ours, "reproduced")


ASSESSMENTS: dict[str, Assessment] = {
    "stable equilibrium rate of one flow": _rate,
    "total traffic at equilibrium": measured.totals,
    "equilibrium very close to capacity for at least": _ten,
    "zero rate is an unstable fixed point": _unstable,
    "convergence independent of RTT; stable with asynchronous RTTs": measured.round_trips,
    "PTP packet never exceeds": _arithmetic("32 + 16 x 34 = 576: 34 routers", 32 + 16 * 34, 576),
    "PTP packet size": measured.request_size,
    "RTT without queueing": measured.round_trip,
    "simulation length": _arithmetic("160 s / 300 ms = 533", float(Fraction(160, 1) / Fraction(3, 10)), 500, 0.1),
    "packet size / bottleneck / other links / link delay": lambda _: Finding(
        "the same; buffer of 50 packets, which the paper does not print", "input"
    ),
    "CADPC rate smoother than TCP; TCP utilisation and convergence worsen from 10 to 100 Mbps; CADPC does not": (
        measured.figure_1
    ),
    "10 flows started one after another converge to the same rate": measured.staggered,
    "equal rates with RTT_i = (i+1) RTT_0": measured.periods,
    "a flow behaving as two flows gets twice the bandwidth": measured.twice,
    "lost signalling packets do not move the convergence point": measured.lost_signals,
    "throughput grows linearly with bottleneck capacity": measured.linear,
    "CADPC loss negligible; fairness almost perfect": measured.lossless_and_fair,
    "CADPC average queue small, constant and independent of bottleneck bandwidth": measured.constant_queue,
    "throughput greater than almost all competitors; smallest average queue almost always": measured.beats_all,
    "one signalling packet per": measured.signalling,
    "correct max-min with two bottlenecks (parking lot)": measured.two_bottlenecks,
    "robust with RED, REM, AVQ; robust to path changes; unsatisfactory with web-like background": measured.robustness,
    "XCP converges to capacity, CADPC to capacity*n/(n+1)": measured.xcp,
}
