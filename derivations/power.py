"""Network power P = Theta^alpha/R: its maximum (the knee), Kleinrock's rules, and upper bounds.

Files of mean size F arrive by a Poisson process at a link of rate C and stay until they are completed; each also takes
the propagation round trip D. S = F/C is the mean service time, rho the load, delta = D/S. The response times come from
derivations/queues.py. That processor sharing is insensitive to the service distribution is proved there for services of
two phases and cited beyond (Kleinrock, Queueing Systems, vol. 2, chapter 4).
"""

import itertools
from collections.abc import Iterator

import sympy as sp
from sympy import Expr, Rational

from derivations import queues
from derivations.proof import once, require, require_zero

C, F, S, alpha, h, x, q = sp.symbols("C F S alpha h x q", positive=True)
D, delta, V = sp.symbols("D delta C_b^2", nonnegative=True)
rho = queues.rho


def odds_load() -> Expr:
    """Return the load rho = x/(1 + x) by its odds x: every load in (0, 1) once, increasing."""
    load = x / (1 + x)
    require_zero(sp.diff(load, x) - 1 / (1 + x) ** 2, "increasing")
    require_zero(load.subs(x, 0), "from 0")
    require_zero(sp.limit(load, x, sp.oo) - 1, "to 1")
    return load


def network_power() -> Expr:
    """Derive P = Theta^alpha/R from completed bytes and times in the system: k files of F bytes in time T."""
    k, T, total = sp.symbols("k T t_total", positive=True)
    throughput, response = k * F / T, total / k
    power = (throughput**alpha / response).subs({k: sp.Symbol("Theta", positive=True) * T / F})
    power = power.subs(total, sp.Symbol("R", positive=True) * sp.Symbol("Theta", positive=True) * T / F)
    law = sp.Symbol("Theta", positive=True) ** alpha / sp.Symbol("R", positive=True)
    require_zero(power - law, "throughput in bytes, response time in seconds per file")
    return law


def little() -> Expr:
    """Prove Little's law N = lambda T for a period that begins and ends with an empty system.

    Both sides are the same area, summed by time or by arrival: the number in the system is the sum of the indicators of
    [a_i, d_i), so its integral is the sum of d_i - a_i. With n arrivals in a time tau, N = area/tau, lambda = n/tau, T
    = area/n.
    """
    area, n, tau = sp.symbols("A n tau", positive=True)
    rate, mean_time, mean_number = n / tau, area / n, area / tau
    require_zero(mean_number - rate * mean_time, "area by time and by arrival")
    arrivals, departures = (0, 1, 1, 4), (3, 7, 2, 6)  # in any order: 3 + 6 + 1 + 2 = 12
    times = sorted({*arrivals, *departures})
    by_time = sum(
        (after - before) * sum(a <= before < d for a, d in zip(arrivals, departures, strict=True))
        for before, after in itertools.pairwise(times)
    )
    require(by_time == sum(departures) - sum(arrivals) == 12, "an example, with overtaking")
    return sp.Symbol("lambda", positive=True) * sp.Symbol("T", positive=True)


@once
def waiting() -> Expr:
    """Return the mean waiting time W_q for service in order of arrival (Pollaczek and Khinchine)."""
    return queues.pollaczek_khinchine().subs(queues.C, V)


@once
def fair_stretch() -> Expr:
    """Return the mean response time over service time, T(x)/x, under processor sharing."""
    return queues.processor_sharing()


@once
def relative_power() -> Expr:
    """Derive the power over that of an idle link: P S/C^alpha = rho^alpha/(1 + delta + W_q).

    Theta = rho C and R = D + S (1 + W_q).
    """
    wait = waiting()
    require_zero((rho * C) ** alpha / C**alpha - rho**alpha, "throughput over capacity")
    require_zero(sp.cancel((delta * S + S * (1 + wait)) / S - (1 + delta + wait)), "response time over S")
    require_zero(sp.cancel(wait.subs(V, 1) + 1 - fair_stretch()), "h = 1 is the time under processor sharing")
    require_zero(sp.cancel(wait - (1 + V) / 2 * rho / (1 - rho)), "W_q = h rho/(1 - rho)")
    return rho**alpha / (1 + delta + wait)


@once
def slope() -> Expr:
    """Derive the sign of the slope of power in the load: that of alpha (1 + delta) - h x^2 - h (1 - alpha) x.

    This falls from a positive value at x = 0 and has exactly one positive root, since the product of its roots is
    negative. So power rises up to that root and falls from there on: there is exactly one maximum, for all values of
    the symbols.
    """
    load, response = odds_load(), 1 + delta + h * x
    require_zero(sp.cancel(load / (1 - load) - x), "odds")
    logarithmic = alpha * sp.diff(load, x) / load - sp.diff(response, x) / response
    sign = alpha * (1 + delta) - h * x**2 - h * (1 - alpha) * x
    require_zero(sp.cancel(logarithmic - sign / (x * (1 + x) * response)), "sign of the slope")
    require_zero(sign.subs(x, 0) - alpha * (1 + delta), "positive at load 0")
    product = sp.Poly(sign, x).coeff_monomial(1) / sp.Poly(sign, x).coeff_monomial(x**2)
    require(bool(product.is_negative), "one positive root")
    require(bool((-h).is_negative), "negative at loads near 1")
    power, rest = relative_power(), sp.cancel(relative_power() / rho**alpha)
    require_zero(power.subs(rho, 0), "no power without load")  # 0^alpha, alpha > 0
    require_zero(rest.subs(rho, 0) - 1 / (1 + delta), "whose other factor is finite there")
    require_zero(rest.subs(rho, 1), "none at load 1")
    return sign


@once
def odds() -> Expr:
    """Derive the odds x of the load at the knee: the positive root of `slope`; x^2 = (1 + delta)/h for alpha = 1."""
    root = (alpha - 1 + sp.sqrt((alpha - 1) ** 2 + 4 * alpha * (1 + delta) / h)) / 2
    require_zero(sp.expand(slope().subs(x, root)), "root")
    require_zero(root.subs(alpha, 1) - sp.sqrt((1 + delta) / h), "alpha = 1")
    # The slope of P itself falls there: a maximum by the second derivative, too.
    curvature = sp.diff(slope(), x).subs(x, root)
    require_zero(curvature + h * sp.sqrt((alpha - 1) ** 2 + 4 * alpha * (1 + delta) / h), "second derivative below 0")
    return root


def knee() -> Expr:
    """Derive the load at the knee, rho* = x/(1 + x)."""
    law = odds_load().subs(x, odds())
    require_zero(slope().subs({h: 1, delta: 0, x: alpha}), "M/M/1: x = alpha")
    require_zero(odds_load().subs(x, alpha) - alpha / (1 + alpha), "M/M/1")
    require_zero(law.subs({h: Rational(1, 2), delta: 0, alpha: 1}) - (2 - sp.sqrt(2)), "M/D/1")
    hops = sp.Symbol("m", positive=True)
    response = hops * S / (1 - rho) + delta * hops * S
    require_zero(response / (hops * S) - (1 + delta + rho / (1 - rho)), "m M/M/1 hops: delta = D/(m S)")
    return law.subs(h, (1 + V) / 2)


def knee_number() -> Expr:
    """Derive the mean number at the knee by Little's law: N* = h x^2/alpha.

    For alpha = 1 it is 1 + delta, whatever the service times (Kleinrock's rule).
    """
    number = odds_load() * (1 + delta + h * x)  # lambda R, in service times
    law = h * x**2 / alpha
    require_zero(sp.cancel(number - law - x * slope() / (alpha * (1 + x))), "they differ by what is 0 at the knee")
    at_knee = law.subs(x, odds())
    require_zero(sp.simplify(at_knee.subs(alpha, 1)) - (1 + delta), "the empty path, full")
    require_zero(law.subs({h: 1, x: alpha}) - alpha, "alpha transfers in M/M/1, whose x is alpha")
    return at_knee.subs(h, (1 + V) / 2)


@once
def greatest() -> Expr:
    """Derive the greatest power for alpha = 1 and R = D + S (1 + h rho/(1 - rho)): C^2/F/(h (1 + q)^2)."""
    power = rho * C / (D + S * (1 + h * rho / (1 - rho)))
    at_knee = power.subs(rho, q / (1 + q)).subs(D, (h * q**2 - 1) * S).subs(S, F / C)  # q^2 = (1 + D/S)/h
    law = C**2 / F / (h * (1 + q) ** 2)
    require_zero(at_knee - law, "at the knee")
    # And directly: P* - P is a square over positive terms, for every load.
    gap = (law - power.subs(D, (h * q**2 - 1) * S).subs(S, F / C)).subs(rho, odds_load())
    square = C**2 / F * (q - x) ** 2 / ((1 + q) ** 2 * h * (1 + x) * (q**2 + x))
    require_zero(gap - square, "no load has more")
    written = law.subs(q, sp.sqrt((1 + D * C / F) / h))
    far = sp.Symbol("D", positive=True)
    require_zero(sp.limit(written.subs(D, far) / C, C, sp.oo) - 1 / far, "C/D on fast links")
    require_zero(written.subs(D, 0) - C**2 / F / (sp.sqrt(h) + 1) ** 2, "C^2 without propagation")
    return written


def greatest_power() -> Expr:
    """Derive the greatest power for service in order of arrival and any sizes: h of Pollaczek and Khinchine."""
    relative_power()
    return greatest().subs(h, (1 + V) / 2)


def power_ceiling() -> Expr:
    """Derive the greatest power under equal sharing: h = 1.

    A file of service time x has T(x) = x/(1 - rho), so the mean response time is R = D + S/(1 - rho).
    """
    require_zero(sp.cancel(fair_stretch() - 1 - rho / (1 - rho)), "h = 1")
    unequal_sharing()
    memoryless()
    return greatest().subs(h, 1)


def first_come_ceiling() -> Expr:
    """Derive the greatest power of files of one size in order of arrival: M/D/1, h = 1/2.

    `first_come_is_best` proves that no discipline exceeds it.
    """
    require_zero(waiting().subs(V, 0) - Rational(1, 2) * rho / (1 - rho), "h = 1/2")
    first_come_is_best()
    ratio = first_over_fair()
    require_zero(ratio.subs(D, 0) - 8 / (1 + sp.sqrt(2)) ** 2, "1.37 times the other ceiling")
    return greatest().subs(h, Rational(1, 2))


def first_over_fair() -> Expr:
    """Derive the ratio of the first-come to the fair-sharing ceiling.

    It falls with the propagation delay from 8/(1 + sqrt(2))^2 = 1.37 to 1.
    """
    s = sp.Symbol("s", positive=True)  # sqrt(1 + D/S) = 1 + s
    form = ((1 + (1 + s)) / (sp.sqrt(2) / 2 + (1 + s))) ** 2
    ratio = greatest().subs(h, Rational(1, 2)) / greatest().subs(h, 1)
    require_zero(ratio.subs(D, ((1 + s) ** 2 - 1) * F / C) - form, "ratio")
    falls = sp.simplify(sp.diff(sp.log(form), s) * (2 + s) * (sp.sqrt(2) / 2 + 1 + s))
    require(bool(falls.is_negative), "slope")
    require_zero(sp.limit(form, s, sp.oo) - 1, "long paths")
    return ratio


def ceiling_growth() -> Expr:
    """Derive the growth of the ceiling with the capacity: d ln P*/d ln C = 1 + 1/q under equal sharing.

    It is 2 at D = 0, 3/2 where D = 3 S, and 1 for C without limit. For any h it is 2 - (D/S)/((1 + D/S) + sqrt(h (1 +
    D/S))), between 1 and 2.
    """
    slope_ = sp.simplify(sp.diff(sp.log(greatest()), C) * C)
    stretch = 1 + D * C / F
    require_zero(slope_ - (2 - D * C / F / (stretch + sp.sqrt(h * stretch))), "any h")
    law = 1 + 1 / sp.sqrt(stretch)
    require_zero(slope_.subs(h, 1) - law, "h = 1")
    require_zero(law.subs(D, 0) - 2, "D = 0")
    require_zero(law.subs(D, 3 * F / C) - Rational(3, 2), "D = 3 S")
    return law


def absolute_ceiling() -> Expr:
    """Derive the bound C/(D + S) for any arrivals and any discipline that completes all files.

    Theta <= C, and no file takes less than D + S. Constant gaps of S/rho and equal files approach it: no file waits, R
    = D + S at every load below 1. It exceeds the power of Poisson arrivals by (1 + 1/q)^2, that is fourfold under equal
    sharing without propagation.
    """
    law = C / (D + F / C)
    ratio = (law / greatest()).subs(D, (h * q**2 - 1) * F / C)
    require_zero(
        sp.simplify(sp.powdenest(ratio, force=True) - (1 + 1 / q) ** 2), "over the ceilings of Poisson arrivals"
    )
    return law


def refusing() -> Expr:
    """Derive the power of a link that rejects every file but the one in service: it exceeds all ceilings here.

    This shows why the ceilings assume that nothing is rejected. The link is idle 1/lambda of 1/lambda + S: Theta = C
    rho/(1 + rho), R = D + S. Power grows with the offered load.
    """
    power = C * rho / (1 + rho) / (D + F / C)
    require_zero(sp.limit(power, rho, sp.oo) - absolute_ceiling(), "towards the absolute ceiling")
    require(bool(sp.simplify(sp.diff(power, rho)).is_positive), "growing with the load")
    return power


def unequal_sharing() -> Expr:
    """Prove that sharing in unequal parts exceeds the ceiling of equal sharing for equal files, at every load.

    Each file draws a weight; let the weights differ more and more, so that the file with the largest gets all. A file
    with a share u of all weights above its own waits for the unfinished work of those files, an M/D/1 queue of load v =
    rho u (PASTA), and more of them arrive while it is in service: its time is that work and its own, over 1 - v.
    """
    v = sp.Symbol("v", positive=True)
    one = (1 + v / (2 * (1 - v))) / (1 - v)
    integral = 1 / (2 * (1 - v)) - sp.log(1 - v) / 2
    require_zero(sp.cancel(sp.diff(integral, v) - one), "integral over the weights, v = rho u")
    mean = (1 / (1 - rho) - sp.log(1 - rho) / rho) / 2
    require_zero(mean * rho - integral.subs(v, rho) + integral.subs(v, 0), "mean over all files")
    require_zero(sp.limit(mean, rho, 0) - 1, "alone")
    gain = 2 * rho * (1 / (1 - rho) - mean)  # over equal sharing
    require_zero(sp.limit(gain, rho, 0), "no gain at load 0")
    growth = sp.cancel(sp.diff(gain, rho).subs(rho, odds_load()))
    require_zero(growth - x * (1 + x), "the gain grows, at every load")
    require(bool((x * (1 + x)).is_positive), "so it is positive")
    return mean


def memoryless() -> Expr:
    """Prove that with exponential sizes every work-conserving discipline blind to sizes has the mean number of M/M/1.

    Completions occur at rate mu while the system is not empty, however it is shared. So the cut between n and n + 1
    balances as in M/M/1, and Little's law gives 1/(1 - rho), h = 1. Idling only delays.
    """
    n = sp.Symbol("n", integer=True, nonnegative=True)
    p = (1 - rho) * rho**n
    require_zero(rho * p - p.subs(n, n + 1), "cut")
    number = queues.mm1_number()
    require_zero(number / rho - 1 / (1 - rho), "response time")
    return number / rho


def schedules(arrived: tuple[int, ...], sizes: tuple[int, ...], slots: int) -> Iterator[list[int]]:
    """Yield the completion times under every discipline: each slot serves one of the files present, or none."""

    def step(now: int, left: tuple[int, ...], done: tuple[int, ...]) -> Iterator[list[int]]:
        if not any(left):
            yield list(done)
        elif now < slots:
            for i, work in enumerate(left):
                if work and arrived[i] <= now:
                    after = (*left[:i], work - 1, *left[i + 1 :])
                    yield from step(now + 1, after, (*done, now + 1) if work == 1 else done)
            yield from step(now + 1, left, done)

    return step(0, sizes, ())


def first_come_is_best() -> Expr:
    """Prove for files of one size that no discipline completes its n-th file earlier than order of arrival does.

    Let V(t) be the work that the link could have done by t if it never idled while there is work. (1) No discipline has
    done more: while that link has work, it works at rate C, and when it has none it has done all that arrived. (2) n
    completed files are n F of work done: n <= floor(V/F). (3) In order of arrival at most one file is begun and not
    completed, so all other work done is that of completed files: n = floor(V/F). So the sum of completion times, and
    with it the mean response time, is least in order of arrival. This holds for every arrival process, and even for
    disciplines that know the future, preempt, share or idle. Throughput is that of the arrivals, so order of arrival
    has the greatest power at every load.

    Checked against all disciplines in small cases.
    """
    work, size, n = sp.symbols("V F n", positive=True)
    partial = sp.Symbol("epsilon", nonnegative=True)  # work done on the unfinished file, less than F
    require_zero(((n * size + partial) - partial) / size - n, "n F + epsilon of work, epsilon < F: floor(V/F) = n")
    require(bool((work / size).is_positive), "F is positive")
    for arrived in ((0, 0, 0), (0, 0, 1), (0, 1, 3), (0, 1, 4), (0, 3, 3)):
        best: list[int] = []
        for came in arrived:
            best.append(max(came, best[-1] if best else 0) + 2)
        seen = 0
        for completed in schedules(arrived, (2,) * len(arrived), best[-1] + 1):
            require(all(a >= b for a, b in zip(completed, best, strict=True)), "the n-th completion")
            seen += 1
        require(seen > 3, "there are disciplines to compare with")
    earliest = min(completed[0] for completed in schedules((0, 0), (3, 1), 5))
    require(
        earliest == 1, "not so for files of two sizes: the short one first completes at 1, in order of arrival at 3"
    )
    return absolute_ceiling()
