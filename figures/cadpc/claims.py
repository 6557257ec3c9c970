"""Assessments of every claim of Welzl (CADPC); those that need no simulation are defined here."""

from __future__ import annotations

from fractions import Fraction

from figures.cadpc import comparisons, deployment, measured
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import Arithmetic, Declared, Formula, Statement, printed
from longfat.laws import cadpc as laws

USERS = (1, 2, 10, 50, 100)


def _iterated(n: int, start: float = 0.001, updates: int = 200) -> float:
    """Iterate equation (2), without using the law; return the rate it reaches."""
    x = start
    for _ in range(updates):
        x *= 2 - x - n * x
    return x


def _rate(_: Context) -> Finding:
    gaps = [abs(_iterated(n) * (1 + n) - 1) for n in USERS]
    gaps += [abs(float(laws.equilibrium_rate(n)) * (1 + n) - 1) for n in USERS]
    return judged(Formula(max(gaps)), f"equation (2) iterated and the law agree with it within {max(*gaps, 1e-16):.0e}")


def _unstable(_: Context) -> Finding:
    """Assess section II.B: from however small a rate, equation (2) leaves 0 for 1/(1 + n)."""
    growth = float(laws.step(1e-9, 10 * 1e-9)) / 1e-9
    reached = [_iterated(10, start) * 11 for start in (1e-3, 1e-9, 1e-15)]
    return judged(
        Statement(
            growth > 1 and all(abs(one - 1) < 1e-9 for one in reached) and _iterated(10, 0.0) == 0,
            "0 is a fixed point, and small rates leave it for 1/(1 + n)",
        ),
        f"rates near zero grow {growth:.2f} times with every update, a = 1, and end at 1/(1 + n)",
    )


ASSESSMENTS: dict[str, Assessment] = {
    "stable equilibrium rate of one flow": _rate,
    "total traffic at equilibrium": measured.totals,
    "equilibrium very close to capacity for at least": measured.ten,
    "zero rate is an unstable fixed point": _unstable,
    "convergence independent of RTT; stable with asynchronous RTTs": measured.round_trips,
    "PTP packet never exceeds": lambda _: judged(
        Arithmetic(printed("576", bound="at most"), 32 + 16 * 34), "32 + 16 x 34 = 576: 34 routers"
    ),
    "PTP packet size": measured.request_size,
    "RTT without queueing": measured.round_trip,
    "simulation length": lambda _: judged(
        Arithmetic(printed("500"), float(Fraction(160, 1) / Fraction(3, 10))), "160 s / 300 ms = 533"
    ),
    "packet size / bottleneck / other links / link delay": lambda _: judged(
        Declared("input"), "the same; buffer of 50 packets, which the paper does not print"
    ),
    "CADPC rate smoother than TCP; TCP utilisation and convergence worsen from 10 to 100 Mbps; CADPC does not": (
        comparisons.figure_1
    ),
    "10 flows started one after another converge to the same rate": measured.staggered,
    "equal rates with RTT_i = (i+1) RTT_0": measured.periods,
    "a flow behaving as two flows gets twice the bandwidth": measured.twice,
    "lost signalling packets do not move the convergence point": measured.lost_signals,
    "throughput grows linearly with bottleneck capacity": measured.linear,
    "CADPC loss negligible; fairness almost perfect": measured.lossless_and_fair,
    "CADPC average queue small, constant and independent of bottleneck bandwidth": measured.constant_queue,
    "throughput greater than almost all competitors; smallest average queue almost always": comparisons.beats_all,
    comparisons.ONE_REQUEST: comparisons.signalling,
    "correct max-min with two bottlenecks (parking lot)": measured.two_bottlenecks,
    "robust with RED, REM, AVQ; robust to path changes; unsatisfactory with web-like background": (
        comparisons.robustness
    ),
    "XCP converges to capacity, CADPC to capacity*n/(n+1)": comparisons.converges_to,
    'Feedback: XCP "in payload packets", CADPC/PTP "extra signaling"': comparisons.feedback,
    'Routers examine...: XCP "every packet", CADPC/PTP "1 packet every 4 RTTs"': comparisons.examined,
    '\'web mice\' bg traffic: XCP "works well", CADPC/PTP "does not work well"': comparisons.web_mice,
    **deployment.ASSESSMENTS,
}
