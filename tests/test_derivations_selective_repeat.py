"""The proofs that no law states run, give what hand arithmetic gives, and can fail; laws are compared elsewhere."""

from fractions import Fraction

import pytest
import sympy as sp

from derivations import proof, segment_rounds
from derivations import selective_repeat as sr

# The instance used throughout: w_a = 23 segment times, s = 16 packets, p = 1/100.
P = Fraction(1, 100)
G = 1 - Fraction(99, 100) ** 16  # 0.1485...
LENGTH = 47 + P  # 2 w_a + 1 + p = 2 * 23 + 1 + 1/100


def number(expression, **extra):
    """Evaluate an expression exactly at the example's values."""
    values = {sr.w: 23, sr.s: 16, sr.p: P, sr.g: G} | {getattr(sr, name): value for name, value in extra.items()}
    value = expression.subs({symbol: sp.Rational(value) for symbol, value in values.items()})
    assert value.is_Rational
    return Fraction(int(value.p), int(value.q))


@pytest.mark.parametrize(
    ("window", "efficiency"),
    # W/(1 + w_a) = 12/24; 24/24; 2.5 * 23 = 57.5 of 24, full; and 80 % of it, 46 of 24, still full.
    [(12, Fraction(1, 2)), (24, 1), (Fraction(115, 2), 1), (46, 1)],
)
def test_lossless_efficiency(window, efficiency):
    assert sr.lossless_efficiency(sp.Rational(Fraction(window, 24))) == sp.Rational(efficiency)


# 4.2, delay


def test_mean_rounds_bounds():
    lower, upper = segment_rounds.mean_rounds_bounds()
    assert (lower, number(upper)) == (1, 1 + Fraction(16, 99))  # 16 * (1/100)/(99/100)
    rounds = sum(1 - (1 - P**k) ** 16 for k in range(9))
    assert 1 + G < rounds < number(upper)


@pytest.mark.parametrize("packets", range(1, 7))
def test_rounds_tail(packets):
    tail = segment_rounds.rounds_tail(packets)
    half = {sr.p: sp.Rational(1, 2)}
    term = segment_rounds.mean_rounds().function.subs(half).subs(sr.s, packets)
    partial = sum(term.subs(sr.i, k) for k in range(3, 70))
    assert (
        0 < tail.subs(half).subs(sr.n, 3) - partial <= sp.Rational(packets, 2**69)
    )  # the terms left out are <= s 2^-i


def test_harmonic_sum():
    assert segment_rounds.harmonic_sum().subs(sr.s, 4) == sp.Rational(25, 12)  # 1 + 1/2 + 1/3 + 1/4


def test_h_series():
    (y,) = segment_rounds.h_series().free_symbols
    # Bernoulli numbers over factorials: (1/6)/2!, (-1/30)/4!, (1/42)/6!.
    assert [segment_rounds.h_series().coeff(y, k) for k in (1, 3, 5)] == [sp.Rational(1, q) for q in (12, -720, 30240)]


@pytest.mark.parametrize(
    ("packets", "leading"),
    # R = sum of weights times h(j lam), so the coefficient is h's times a difference of powers:
    [
        (1, sp.Rational(1, 12)),
        (2, -sp.Rational(2 - 8, 720)),  # 2 * 1^3 - 2^3 = -6
        (3, -sp.Rational(3 - 24 + 27, 720)),  # 3 * 1^3 - 3 * 2^3 + 3^3 = 6
        (4, sp.Rational(-240, 30240)),  # 4 * 1 - 6 * 32 + 4 * 243 - 1024 = -240
        (5, sp.Rational(120, 30240)),  # 5!
        (6, None),
        (7, -sp.Rational(5040, 1209600)),  # 7!
        (8, None),
    ],
)
def test_rounds_near_certain_loss(packets, leading):
    result = segment_rounds.rounds_near_certain_loss(packets)
    power = packets + (packets + 1) % 2
    assert sp.degree(result, segment_rounds.lam) == power
    if leading is not None:
        assert result == leading * segment_rounds.lam**power


@pytest.mark.parametrize(("decay", "error"), [("0.3", 3.2e-11), ("0.2", 1.8e-13), ("0.1", 2.3e-18)])
def test_logarithmic_error(decay, error):
    """The error is not below 1e-15 for all lam < 0.3: measured by the definition of S at 50 digits."""
    assert float(abs(segment_rounds.logarithmic_error(decay, 16))) == pytest.approx(error, rel=0.02)


# 4.2, throughput efficiency


def test_loss_free_run():
    assert number(sr.loss_free_run()) == 1 / G - 1


def test_printed_jump():
    # Both have 24 + 1/g segments at W = 24; the lengths are 47.01 + 1/g and one more.
    assert number(sr.printed_jump()) == (24 + 1 / G) / (LENGTH + 1 / G) - (24 + 1 / G) / (LENGTH + 1 + 1 / G)


def test_long_path():
    limits = sr.long_path()
    assert number(limits.law) == Fraction(199, 200)  # 1 - 0.005
    assert number(limits.printed) == Fraction(199, 299)  # 1.99/2.99
    # g = 1: (23 * 1.99 + 1)/(23 * 2.99 + 2.01) = 46.77/70.78
    assert number(limits.printed_all_damaged) == Fraction(4677, 7078)


def test_excess_over_loss():
    excess = sr.excess_over_loss()
    length = LENGTH * G + 1
    room = 23 * Fraction(99, 100)  # m where the window is large
    assert number(excess.by_window, W=30) == (30 * G + 1) - Fraction(99, 100) * length
    assert number(excess.by_room) == (23 + room) * G + 1 - Fraction(99, 100) * length
    assert number(excess.last_step) == Fraction(99, 100) - ((23 + room) * G + 1) / length


def test_uncounted_first_segment():
    assert number(sr.uncounted_first_segment()) == 1 / (LENGTH + 1 / G)


def test_window_inversion():
    inversion = sr.window_inversion()
    # The efficiency of W = 12 gives W = 12 back, in both forms; that of W = 30, m = 7, gives 30.
    small = (1 / G + 12) / (LENGTH + 2 / G)
    assert number(inversion.small, e=small) == number(inversion.small_for_few_losses, e=small) == 12
    assert number(inversion.middle, e=(30 + 1 / G) / (LENGTH + 1 / G)) == 30


def test_third_transmission():
    chances = sr.third_transmission()
    safe = Fraction(9999, 10000)  # 1 - 1/100^2
    assert number(chances.segment) == 1 - safe**16
    assert number(chances.window) == 1 - safe**384  # 16 * 24 packets
    assert number(chances.leading) == Fraction(384, 10000)


# Each check can fail: a wrong assumption put under a proof stops it, a row for each assertion.


def cycle_with(changed, ledger):
    """Return the rows of the ledger with one of them replaced."""
    row, value = changed
    return lambda: [*ledger[:row], value, *ledger[row + 1 :]]


@pytest.mark.parametrize(
    ("name", "wrong", "proof"),
    [
        # With separate time for the m segments: the printed denominator.
        ("ledger_middle", cycle_with((3, (sr.w + sr.m, sr.m)), sr.ledger_middle()), sr.efficiency_middle),
        ("ledger_small", cycle_with((2, (0, 0)), sr.ledger_small()), sr.efficiency_small),
        ("rounds_distribution", lambda: (1 - sr.p ** (sr.i + 1)) ** sr.s, segment_rounds.mean_rounds_bounds),
        ("rounds_distribution", lambda: 1 - sr.p**sr.i, sr.excess_over_loss),
        ("geometric_mean", lambda ratio: 1 / (1 - ratio), sr.mean_transmissions),
        ("binomial_weights", lambda packets: [(k, sp.binomial(packets, k)) for k in range(1, packets + 1)], None),
        ("mean_transmissions", lambda: 1 + sr.p, sr.efficiency_large),
    ],
)
def test_wrong_assumptions_are_found(monkeypatch, name, wrong, proof):
    for module in (segment_rounds, sr):
        monkeypatch.setattr(module, name, wrong, raising=False)
    with pytest.raises(AssertionError):
        proof() if proof else segment_rounds.rounds_tail(3)


def test_unknown_signs_are_not_true():
    proof.require(sr.w.is_positive, "known")
    with pytest.raises(AssertionError):
        proof.require((sr.w - sr.W).is_positive, "unknown")
    with pytest.raises(AssertionError):
        sr.lossless_efficiency(sr.W / (1 + sr.w))
