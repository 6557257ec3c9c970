"""The proofs of the BLT laws and of unloaded times run and agree with the laws of the package."""

import math
import random
from fractions import Fraction

import pytest
import sympy as sp

from derivations import blt as proofs
from derivations import unloaded
from longfat.laws import blt as laws
from longfat.laws import tcp
from tests.blt_referee import Alone

# The laws of the package equal the proved ones, where these have several terms


def test_slow_start():
    proved = unloaded.tcp_transfer_time()
    for packets, first in ((20, 1), (200, 3)):
        rounds = int(tcp.slow_start_rounds(packets, first))
        for times in ((600, 5, 5, 5), (31, 7, 3, 1), (31, 1, 3, 7)):
            trip, *lines = times
            at = {unloaded.D: trip, **dict(zip((unloaded.t_a, unloaded.t_b, unloaded.t_d), lines, strict=True))}
            terms = proved.subs(at).subs({unloaded.tcp.n: packets, unloaded.tcp.W_0: first})
            longest = max(terms.subs(unloaded.j, j) for j in range(rounds))
            assert tcp.unloaded_transfer_time(packets, *map(float, times), first) == float(longest)


def test_room_for_slow_start():
    packets, ratio = (symbol.sympy for symbol in tcp.buffer_for_slow_start.symbols.values())
    proved = unloaded.buffer_for_slow_start()
    (w,) = (symbol for symbol in proved.free_symbols if symbol.name == "w")
    for n in (1, 2, 3, 8, 11, 127, 128, 200):
        left, rounds = n, []
        while left > 0:
            rounds.append(min(left, 2 ** len(rounds)))
            left -= rounds[-1]
        for r in (sp.Rational(1, 5), sp.Rational(1, 2), sp.Rational(3, 5)):
            shipped = tcp.buffer_for_slow_start.expr.subs({packets: n, ratio: r})
            assert shipped == proved.subs({w: max(rounds), unloaded.r: r})


def test_advantage():
    product, packets = (symbol.sympy for symbol in laws.power_advantage.symbols.values())
    proved = unloaded.power_advantage()
    for n in (2, 200):
        for x in (sp.Rational(9, 8), sp.Integer(40)):
            terms = [
                proved.subs({unloaded.n: n, unloaded.x: x, unloaded.j: j}) for j in range(int(tcp.slow_start_rounds(n)))
            ]
            shipped = laws.power_advantage.expr.subs({product: x, packets: n})
            assert sp.N(shipped, 30) == pytest.approx(max(sp.N(term, 30) for term in terms), rel=1e-25)


def test_product_for_an_advantage():
    """The proved root for each number of rounds, and the smallest of them; none if the number of rounds is no more."""
    proved = unloaded.bandwidth_delay_product_for_advantage()
    half, rest, big = (next(s for s in proved.free_symbols if s.name == name) for name in ("h", "q", "L"))
    for n in (2, 7, 200):
        for g in (sp.Integer(1), sp.Rational(11, 10), sp.sqrt(2), sp.Rational(8, 5)):
            roots = []
            for j in range(1, int(tcp.slow_start_rounds(n))):
                leading = j + 1 - g**2
                if leading > 0:
                    late = sp.Rational(2**j - j - 1, n)
                    at = {half: leading - g * (g - 1), rest: late + 4 * g * (g - 1), big: leading}
                    roots.append(float(proved.subs(at)))
            found = laws.bandwidth_delay_product_for_advantage(float(g**2), n)
            assert found == pytest.approx(min(roots, default=math.inf), rel=1e-12)
    assert laws.bandwidth_delay_product_for_advantage([1, 2], 1).tolist() == [0, math.inf]


# The recursion over bursts, where bursts do not meet, against the recursion over packets


def test_bursts_against_packets():
    """Random paths longer than the files, with a timer too long to matter."""
    rng, counted = random.Random(3), {1: 0, 2: 0, 3: 0}
    for _ in range(60):
        between = Fraction(rng.randint(1, 50), 1000)
        access = between * rng.choice([Fraction(1, 5), Fraction(3, 5), Fraction(2, 3), Fraction(1, 2)])
        last = rng.choice([Fraction(0), access, between])
        packets, places, trip = rng.randint(1, 200), rng.choice([1, 2, 10, 40, 75]), Fraction(rng.randint(0, 10))
        found = proofs.transfer_time(packets, trip, access, between, last, places)
        if found is None:
            continue
        times = [
            int(30_000 * time) for time in (trip, access, between, last)
        ]  # all whole; to the timer next to nothing
        for discipline in ("priority-discard", "priority-discard-published", "drop-tail"):
            integer = Alone(packets, *times, places, discipline, min_rto=60.0)
            assert Fraction(integer.finish, 30_000) == found
        counted[min(integer.bursts, 3)] += 1
    assert min(counted.values()) >= 5, counted


def test_two_bursts():
    symbols = {symbol.name: symbol for symbol in proofs.two_bursts().free_symbols}
    at = {symbols["D"]: 30, symbols["t_a"]: sp.Rational(1, 10), symbols["t_b"]: sp.Rational(1, 2)}
    at |= {symbols["t_d"]: 0, symbols["h"]: 149}  # packets 94, 96 ... 149 are lost but every fifth
    found = proofs.transfer_time(150, Fraction(30), Fraction(1, 10), Fraction(1, 2), Fraction(0), 75)
    assert proofs.two_bursts().subs(at) == sp.Rational(found.numerator, found.denominator)


def test_victims():
    assert proofs.same_victims() > 1000
