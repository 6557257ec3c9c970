"""The TCP laws: values as printed, files packet by packet, limits, and where cases meet."""

import json
import math
from fractions import Fraction

import array_api_strict
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy

from longfat.law.array_namespaces import NUMPY, ArrayNamespace, JaxNamespace, MpmathNamespace, SympyNamespace
from longfat.laws import tcp
from longfat.laws.tcp.window import ceiling_quotient, floor_log2
from longfat.sim import Network, run
from tests.blt_referee import Alone

# The sawtooth


def test_the_joint_at_a_buffer_of_one_bdp_is_smooth_but_curved():
    """1 - U = (1 - B)^2 / (4 (1 + B + B^2)), so h^2/12 at B = 1 - h, and 0 beyond."""
    for h in (1e-2, 1e-3):
        assert 1 - tcp.aimd_utilisation(1 - h) == pytest.approx(h * h / 12, rel=1.1 * h)
        assert tcp.aimd_utilisation(1 + h) == 1
    slope = jax.jit(jax.vmap(jax.grad(tcp.aimd_utilisation)))
    # d/dB of the left side: 3 (1 + B)(1 - B) / (4 (1 + B + B^2)^2)
    for h in (1e-1, 1e-6, 1e-12):
        left = 3 * (2 - h) * h / (4 * (3 - 3 * h + h * h) ** 2)
        assert float(slope(jnp.asarray([1 - h]))[0]) == pytest.approx(left, rel=2e-4)
    np.testing.assert_array_equal(slope(jnp.asarray([1.0, 1 + 1e-12, 2.0])), 0)
    second = jax.vmap(jax.grad(jax.grad(tcp.aimd_utilisation)))
    np.testing.assert_allclose(second(jnp.asarray([1 - 1e-9, 1 + 1e-9])), [-1 / 6, 0], rtol=1e-8)


def test_buffer_for_utilisation():
    assert math.isinf(jax.grad(tcp.buffer_for_utilisation)(1.0))
    # Next above 3/4 the plain (1 - y)/(1 + y) has no digit left: 4 (U - 3/4) / (U (1 + 1)^2) = (4/3) 2^-53.
    near = np.nextafter(0.75, 1)
    assert tcp.buffer_for_utilisation(near) == pytest.approx((near - 0.75) / 0.75, rel=1e-9)


# Rates


def test_loss_of_window_against_integer_packets():
    # 50 + 51 + ... + 100 = 51 * 75 = 3825 packets a cycle; the fluid cycle has 3 * 100^2 / 8 = 3750
    assert tcp.loss_of_window(100) == pytest.approx((1 + 2 / 100) / sum(range(50, 101)), rel=1e-14)
    # The rate at that loss is the mean window, 3/4 of the largest.
    assert tcp.square_root_rate(tcp.loss_of_window(100, 2), 1, 2) == pytest.approx(75, rel=1e-14)


@pytest.mark.parametrize(
    ("loss", "packets", "without_timeouts"),
    [
        (1e-4, "122", "122"),
        (1e-3, "38.4", "38.7"),
        (1e-2, "11.2", "12.2"),
        (0.05, "3.69", "5.48"),
        (0.1, "1.77", "3.87"),
    ],
)
def test_tfrc_values(loss, packets, without_timeouts):
    """Packets per round trip for t_RTO = 4 R, b = 1, and the square root alone: to the digits given."""
    assert f"{tcp.pftk_rate(loss, 0.05, 0.2) * 0.05:.3g}" == packets
    assert f"{tcp.square_root_rate(loss, 0.05) * 0.05:.3g}" == without_timeouts


def test_full_model_by_hand():
    """For b = 1, p = 1/4: c = 1 and 8 (3/4) / (3/4) = 8, so W_u = 1 + 3 = 4."""
    q = Fraction(3, 4)
    share = (1 - q**3) * (1 + q**3 * (1 - q)) / (1 - q**4)
    assert share == Fraction(10471, 11200)
    backoff = sum(Fraction(1, 4) ** k * 2 ** max(k - 1, 0) for k in range(7))  # 1.4921875
    packets, time = 3 + 4 + share / q, (2 + 1) + share * 2 * backoff / q  # k = 4/2 rounds; R = 1, T_0 = 2
    assert tcp.pftk_full_rate(0.25, 1, 2, 100) == pytest.approx(float(packets / time), rel=1e-14)
    # W_m = 2: Q = 1, k = 2/8 + (3/4) / (2/4) + 1 = 2.75
    packets, time = 3 + 2 + 1 / q, Fraction(15, 4) + 2 * backoff / q
    assert tcp.pftk_full_rate(0.25, 1, 2, 2) == pytest.approx(float(packets / time), rel=1e-14)


def unlimited_window(loss, acked):
    c = (2 + acked) / (3 * acked)
    return c + math.sqrt(8 * (1 - loss) / (3 * acked * loss) + c * c)


def test_full_model_tends_to_the_approximation():
    for loss, error in ((1e-4, 4e-3), (1e-6, 4e-4), (1e-10, 4e-6), (1e-300, 1e-12)):
        full = tcp.pftk_full_rate(loss, 0.1, 0.4, 1e200)
        assert full == pytest.approx(tcp.pftk_rate(loss, 0.1, 0.4), rel=error)
    # With few losses the receiver's window decides: W_m per round trip.
    assert tcp.pftk_full_rate(1e-12, 0.1, 0.4, 50) == pytest.approx(500, rel=1e-6)


@pytest.mark.parametrize(("acked", "rounds"), [(1, 0.25), (1.5, 0.125), (2, 0.0)])
def test_full_model_jumps_at_the_window_limit_by_the_stated_rounds(acked, rounds):
    """1/X times the packets of a period, on either side of W_m = W_u, differs by R times (2 - b)/4."""
    loss, window = 0.01, unlimited_window(0.01, acked)
    above, below = (1 / tcp.pftk_full_rate(loss, 1, 0, window * (1 + side), acked) for side in (1e-12, -1e-12))
    q = (1 - loss) ** np.array([3, window - 3, window])
    share = (1 - q[0]) * (1 + q[0] * (1 - q[1])) / (1 - q[2])
    packets = (1 - loss) / loss + window + share / (1 - loss)
    assert (below - above) * packets == pytest.approx(rounds, abs=1e-8)


# Slow start


def rounds_by_doubling(packets, window):
    rounds = 0
    while packets > 0:
        packets, window, rounds = packets - window, 2 * window, rounds + 1
    return rounds


def test_rounds():
    for initial in (1, 2, 3, 4, 7, 10):
        n = np.arange(1.0, 3000)
        expected = [rounds_by_doubling(k, initial) for k in range(1, 3000)]
        np.testing.assert_array_equal(tcp.slow_start_rounds(n, initial), expected)
        np.testing.assert_array_equal(tcp.slow_start_rounds(n.astype(np.float32), initial), expected)
        np.testing.assert_array_equal(jax.jit(tcp.slow_start_rounds)(jnp.asarray(n), initial), expected)


@pytest.mark.parametrize("rounds", [20, 29, 31, 47, 52])
def test_rounds_of_long_files_are_exact(rounds):
    """log(2^29)/log(2) is above 29 in floats, and that of 2^47 + 1 is that of 2^47."""
    full = 2.0**rounds - 1
    assert tcp.slow_start_rounds(full) == rounds
    assert tcp.slow_start_rounds(full + 1) == rounds + 1
    with mpmath.workdps(20):
        assert tcp.slow_start_rounds(mpmath.mpf(full)) == rounds
        assert tcp.slow_start_rounds(mpmath.mpf(full + 1)) == rounds + 1


@pytest.mark.parametrize(
    ("packets", "rounds", "in_last", "rounds_of_40_ms"), [(4, 3, 1, 120.1), (20, 5, 5, 200.5), (200, 8, 73, 327.3)]
)
def test_transfer_time_of_short_files_by_hand(packets, rounds, in_last, rounds_of_40_ms):
    """40 ms, packets of 0.1 ms, none of these files fills the pipe: r (R + t) + (packets of the last round - 1) t.

    With R = 40 ms: 120.3, 200.9, 328.0 ms; with R + t = 40 ms: 120.0, 200.4, 327.2 ms. The 120.1, 200.5 and
    327.3 ms of rounds of 40 ms and then the packets of the last one count t in the last round only.
    """
    t = 0.1e-3
    for path in (40e-3, 40e-3 - t):
        by_hand = rounds * (path + t) + (in_last - 1) * t
        assert tcp.slow_start_transfer_time(packets, path, t) == pytest.approx(by_hand, rel=1e-14)
    assert rounds_of_40_ms == pytest.approx(1e3 * (rounds * 40e-3 + in_last * t), rel=1e-12)
    got = 1e3 * tcp.slow_start_transfer_time(packets, 40e-3, t)
    assert got - (rounds - 1) * 1e3 * t == pytest.approx(rounds_of_40_ms, rel=1e-12)


# Three lines, packet by packet: tests/blt_referee.py


@pytest.mark.parametrize("times", [(3, 7, 5), (7, 3, 5), (5, 5, 5), (0, 4, 0), (2, 4, 9), (6, 7, 7), (1, 1000, 1)])
@pytest.mark.parametrize("initial", [1, 3])
def test_unloaded_time_of_three_lines_against_packets(times, initial):
    for n in (1, 2, 3, 8, 20, 127):
        for trip in (0, 6, 600):
            run = Alone(n, trip, *times, room=math.inf, window=initial)
            found = tcp.unloaded_transfer_time(n, float(trip), *map(float, times), initial)
            assert found == run.finish


@pytest.mark.parametrize("access", [1, 200, 499, 501, 667, 999, 1000])
def test_buffer_for_slow_start_against_packets(access):
    """The longest queue at a link of 1000 time units per packet whose round-trip time is far longer than the file."""
    for n in (1, 2, 3, 4, 7, 8, 11, 95, 96, 200):
        run = Alone(n, 6_000_000, access, 1000, access, room=math.inf, window=1)
        need = Fraction(tcp.buffer_for_slow_start(n, access / 1000)).limit_denominator(10_000)
        assert run.largest_backlog == math.ceil(need)


# Arithmetic


@pytest.mark.parametrize(
    ("xp", "kind"),
    [
        (NUMPY, "float64"),
        (NUMPY, "float32"),
        (JaxNamespace(jnp), "float64"),
        (JaxNamespace(jnp), "float32"),
        (ArrayNamespace(array_api_strict), "float64"),
    ],
)
def test_floor_log2_next_to_every_power_of_two(xp, kind):
    """For k = 0, 1, ... up to the largest; the number above 2^k has the same k, the one below has k - 1."""
    k = np.arange(128.0 if kind == "float32" else 1024.0)
    power = np.ldexp(np.ones(k.size, kind), k.astype(int))
    above, below = np.nextafter(power, np.inf, dtype=kind), np.nextafter(power, 0, dtype=kind)
    for x, expected in ((power, k), (above, k), (below[1:], k[1:] - 1)):
        got, doubled = floor_log2(xp.asarray(x, dtype=getattr(xp, kind)), xp)
        np.testing.assert_array_equal(np.asarray(got), expected)
        np.testing.assert_array_equal(np.asarray(doubled), np.ldexp(1.0, expected.astype(int)))


def test_floor_log2_of_many_digits():
    with mpmath.workdps(400):
        for k in (1, 2, 29, 47, 1000):
            power, little = mpmath.mpf(2) ** k, mpmath.mpf(10) ** -80
            for x, expected in ((power, k), (power + little, k), (power - little, k - 1)):
                assert floor_log2(x, MpmathNamespace()) == (expected, mpmath.mpf(2) ** expected)


def test_floor_log2_of_symbols():
    x = sympy.Symbol("x", positive=True)
    k, doubled = floor_log2(x, SympyNamespace())
    for number in (1, 2, 3, 4, 7, 8, 255, 256, 257):
        assert (k.subs(x, number), doubled.subs(x, number)) == (number.bit_length() - 1, 2 ** (number.bit_length() - 1))


def test_ceiling_quotient_of_products():
    """For n = k w exactly, where a division that rounds upwards would count one window more."""
    k, w = np.meshgrid(np.arange(1.0, 400), np.arange(1.0, 100))
    for kind in (np.float64, np.float32):
        np.testing.assert_array_equal(ceiling_quotient((k * w).astype(kind), w.astype(kind), NUMPY), k)
        np.testing.assert_array_equal(ceiling_quotient((k * w + 1).astype(kind), w.astype(kind), NUMPY), k + 1)


# SEARCH


@pytest.mark.parametrize("after", [0.5, 1.34, 3.0, 3.881, 6.0])
def test_search_difference_by_integration(after):
    """Rates integrated and the departure sought, in 30 digits: neither uses the closed form."""
    with mpmath.workdps(30):

        def acknowledged(until):
            parts = [-60, min(until, 0)] + ([until] if until > 0 else [])
            return mpmath.quad(lambda u: mpmath.mpf(2) ** u if u < 0 else mpmath.mpf(1), parts)

        departure = mpmath.findroot(lambda y: 2 * acknowledged(y) - acknowledged(after), (after - 2, after - 1))
        sent = 2 * (acknowledged(departure) - acknowledged(departure - 3.5))
        delivered = acknowledged(after) - acknowledged(after - 3.5)
        assert tcp.search_difference(after) == pytest.approx(float((sent - delivered) / sent), rel=1e-9)


@pytest.mark.long  # the integration above covers the law; this is the paced sender of the simulator
def test_search_difference_of_packets(tmp_path):
    """The packets of a paced slow start of 1000 packets of path: where the test of SEARCH is first met.

    At x = 3.881 the law has 1/ln 2 + 3.881 = 5.32 products acknowledged and a round trip of 2.66; a sketch with a rate
    that doubles on, 1.34 round trips after 0, would have 2.78 products. With 300 and 3000 packets the
    simulation has 5.30 and 5.44.
    """
    trip, product = 0.1, 1000
    net = Network().link("a", "b", rate=product * 1000 / trip, delay=trip / 2, buffer=10**8)
    net.link("b", "a", rate=math.inf, delay=trip / 2)
    sender = {"initial_window": 10, "growth_limit": math.inf, "pacing": 1}
    net.flow("sack", path=["a", "b"], packet=1000, parameters=sender, name="flow")
    run(net, duration=1.4, qlog=tmp_path, rng=1, progress=False)
    events = [json.loads(text) for text in (tmp_path / "flow.sqlog").read_text().split("\x1e")[2:]]
    sent, acked = (
        np.array([one["time"] / 1e3 for one in events if one["name"] == f"transport:packet_{kind}"])
        for kind in ("sent", "received")
    )
    trips = acked - sent[: len(acked)]

    def between(times, end):
        return np.searchsorted(times, end, "right") - np.searchsorted(times, end - 3.5 * trip, "right")

    before = between(sent, acked - trips)
    missing = (before - between(acked, acked)) / np.maximum(before, 1)
    found = np.flatnonzero((acked - trips > 3.5 * trip) & (missing >= 0.26))[0]
    assert tcp.search_difference(3.881) == pytest.approx(0.26, abs=2e-4)
    assert (found + 1) / product == pytest.approx(1 / math.log(2) + 3.881, rel=0.02)
    assert trips[found] / trip == pytest.approx(3.881 / 2 + 1 / math.log(2) / 2, rel=0.02)
