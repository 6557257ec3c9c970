"""The laws of longfat are those that the derivations prove: these tests compare them."""

import ast
import functools
import importlib
from pathlib import Path

import pytest
import sympy as sp

import derivations
from derivations import (
    loss_load,
    loss_load_response,
    receive_buffer,
    segment_distribution,
    segment_rounds,
)
from derivations import selective_repeat as proofs
from longfat.law import registered
from longfat.law.sums import written
from longfat.laws import loss_load as loss_load_laws
from longfat.laws import selective_repeat as laws
from longfat.laws.selective_repeat.rates import ACK_DELAY, ACK_SEGMENTS, SEGMENT_TIME, WINDOW
from longfat.verify import faces
from longfat.verify.points import between
from tests.examples import is_long

DERIVATIONS = Path(derivations.__file__).parent


def in_letters(expression):
    """Return an expression in symbols without assumptions, so that those of laws and derivations are equal."""
    return expression.xreplace({symbol: sp.Symbol(symbol.name) for symbol in expression.free_symbols})


def same(shipped, proved):
    return sp.simplify(in_letters(shipped) - in_letters(proved)) == 0


def case(record, window):
    """Return the case of a piecewise law that applies at w_a = 23 and a given window, as an expression."""
    for value, condition in record.expr.args:
        if condition.subs({WINDOW.sympy: window, ACK_SEGMENTS.sympy: 23}) in (True, sp.true):
            return value
    raise AssertionError("no case applies")


DERIVED = {one.public_name: one for _, one in registered() if one.derivation}


#: Places in the typical ranges at which laws are compared where the usual ones belong to another case than the proof.
PLACES = {
    "aqm.codel_control_time": (0.6, 0.8),
    "buffers.shaped_utilisation": (0.9, 0.95),
    "credits.throughput": (0.6, 0.8),
    "cubic.average_window": (0.2, 0.4),
    "loss_load.equilibrium_loss": (0.9, 0.95),
}

#: Laws whose proof states an equation, a bound or several cases, or has a sum that is compared as an expression: here
#: below and in the tests named after the proofs' modules.
ELSEWHERE = {
    "blt.power_advantage",
    "cubic.average_window_random",
    "cubic.utilisation_general",
    "loss_load.response_optimal_rate",
    "loss_load.throughput_optimal_rate",
    "queues.md1k_loss",
    "queues.md1k_mean_number",
    "queues.md1k_wait",
    "selective_repeat.buffer_for_efficiency_hard_ack",
    "selective_repeat.delay_variance",
    "selective_repeat.discards_after_loss",
    "selective_repeat.locked_efficiency_soft_ack",
    "selective_repeat.max_rounds",
    "selective_repeat.mean_delay_receiver",
    "selective_repeat.mean_delay_sender",
    "selective_repeat.mean_delay_tolerant",
    "selective_repeat.mean_rounds",
    "selective_repeat.mean_rounds_tolerant",
    "selective_repeat.processing_throughput",
    "selective_repeat.rounds_cdf",
    "selective_repeat.rounds_cdf_tolerant",
    "selective_repeat.rounds_pmf",
    "selective_repeat.rounds_quantile",
    "selective_repeat.rounds_variance",
    "selective_repeat.throughput_efficiency",
    "selective_repeat.throughput_efficiency_hard_ack",
    "selective_repeat.throughput_efficiency_many_rounds",
    "selective_repeat.window_for_efficiency",
    "tcp.aimd_mean_queue",
    "tcp.buffer_for_slow_start",
    "tcp.pftk_full_rate",
    "tcp.slow_start_transfer_time",
    "tcp.unloaded_transfer_time",
}


def values_of(record, place):
    """Return rational values of a law's parameters, by their letters, at a place between 0 and 1 in their ranges."""
    found = {}
    for symbol in record.symbols.values():
        value = between(symbol, symbol.typical, place)
        found[symbol.plain_letter] = sp.Integer(int(value)) if symbol.integer else sp.Rational(f"{value:.3g}")
    return found


def proved_value(name, proved, at):
    """Return the value of a proved expression, from the values of the law's letters."""
    plain = {symbol: symbol.name.lstrip("\\") for symbol in proved.free_symbols}
    assert set(plain.values()) <= at.keys(), f"{name} has the letters {[*at]}, its proof {[*plain.values()]}"
    return sp.N(proved.xreplace({symbol: at[letter] for symbol, letter in plain.items()}), 30)


@functools.cache
def run_elsewhere():
    """Return the proofs that this file and tests/test_derivations_*.py call by name, as MODULE.FUNCTION."""
    found = set()
    for path in (Path(__file__), *Path(__file__).parent.glob("test_derivations_*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        modules = {
            alias.asname or alias.name: alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "derivations"
            for alias in node.names
        }
        found |= {
            f"{modules[node.value.id]}.{node.attr}"
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
        }
    return found


def test_derivations_do_not_import_what_they_prove():
    for path in DERIVATIONS.glob("*.py"):
        names = [
            name
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        ]
        assert not any("longfat" in name for name in names), path


@pytest.mark.parametrize("name", sorted(DERIVED.keys() - ELSEWHERE))
def test_the_law_equals_its_proof(name):
    """At two points, to 25 digits; the proved expression has another value at the second."""
    record = DERIVED[name]
    proved = faces.proved(record)
    assert isinstance(proved, sp.Expr), f"name the part of {proved} that is the law, or list the law in ELSEWHERE"
    expected = []
    for place in PLACES.get(name, (0.35, 0.6)):
        at = values_of(record, place)
        shipped = sp.N(record.expr.xreplace({one.sympy: at[one.plain_letter] for one in record.symbols.values()}), 30)
        expected.append(proved_value(name, proved, at))
        assert abs(shipped - expected[-1]) <= sp.Float(10) ** -25 * abs(shipped), (at, shipped, expected[-1])
    assert expected[0] != expected[1]


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_other_derivations_run(name):
    record = DERIVED[name]
    module, function, *_ = record.derivation.split(".")
    if not is_long() and (record.long_proof or f"{module}.{function}" in run_elsewhere()):  # in their own tests
        assert callable(getattr(importlib.import_module(f"derivations.{module}"), function))
        return
    found = faces.proof(record)
    assert found.status == "agrees", found


def plain_rounds(expression):
    """Return an expression with the sum of `mean_rounds` replaced by its symbol S - 1."""
    return expression.replace(lambda x: isinstance(x, sp.Sum), lambda _: proofs.S - 1)


def test_rates():
    rate = proofs.rate_specification()
    assert same(8 * laws.average_rate.expr, rate.average)  # the paper counts bits
    bits = {laws.largest_burst_rate.symbols["peak_rate"].sympy: proofs.P / 8}
    assert same(laws.largest_burst_rate.expr.subs(bits), rate.largest_burst_rate)


def test_processing_throughput():
    """The inverse of the largest of three times for a segment."""
    law = laws.processing_throughput.expr.subs({ACK_DELAY.sympy: proofs.t_a, SEGMENT_TIME.sympy: proofs.t_s})
    assert same(law, 1 / sp.Max(*proofs.processing_throughput()))


def test_optimal_rates():
    """They solve the proved equations for k = 1 if two other sources send 3/4 each."""
    f, a, b, k = loss_load.f, loss_load.a, loss_load.b, loss_load.k
    at = {a: sp.Rational(1, 2), b: sp.Rational(9, 8), k: 1}
    equation = loss_load.optimal_rate().equation.subs(at)
    rate = loss_load_laws.throughput_optimal_rate(0.5, 1.125, 1)
    assert float(equation.lhs.subs(f, rate)) == pytest.approx(float(equation.rhs), rel=1e-12)
    loss, packets, round_trip_time, capacity = loss_load.loss(), 1000, 0.02, 10_000
    both = {sp.Function("P")(f): loss, sp.Function("t")(f): (1 - loss) * f}
    slope = loss_load_response.stationary().subs(both).doit().subs(at)
    slope = slope.subs(loss_load_response.eps, round_trip_time * capacity * sp.log(packets) / packets)
    rate = loss_load_laws.response_optimal_rate(0.5, 1.125, 1, packets, round_trip_time, capacity)
    assert slope.subs(f, rate * (1 - 1e-10)) < 0 < slope.subs(f, rate * (1 + 1e-10))


def test_rounds_and_delays():
    term = in_letters(segment_rounds.mean_rounds().function)
    shipped = next(iter(laws.mean_rounds.expr.atoms(sp.Sum)))
    index = {sp.Symbol(shipped.limits[0][0].name): sp.Symbol("i")}
    assert sp.simplify(in_letters(shipped.function).subs(index) - term) == 0
    assert term.subs({sp.Symbol("i"): 0, sp.Symbol("s"): 16}) == 1  # the law counts the first round apart
    assert same(plain_rounds(laws.mean_rounds.expr), proofs.S)
    sender = plain_rounds(laws.mean_delay_sender.expr).subs(ACK_DELAY.sympy, proofs.t_a)
    assert same(sender, proofs.sender_delay())
    assert same(plain_rounds(laws.mean_delay_receiver.expr), proofs.receiver_delay())


@pytest.mark.parametrize(
    ("window", "proved"),
    [
        (1, lambda: proofs.efficiency_alone().law),
        (10, lambda: proofs.efficiency_small()),
        (30, lambda: proofs.efficiency_middle().law),
        (50, lambda: proofs.efficiency_large()),
    ],
)
def test_throughput_efficiency(window, proved):
    room = sp.Min(proofs.W - proofs.w, proofs.w * (1 - proofs.p))
    expected = proved().subs({proofs.m: room, proofs.g: proofs.segment_loss()})
    assert same(plain_rounds(case(laws.throughput_efficiency, window)), expected)


def test_throughput_efficiency_as_printed():
    room = sp.Min(proofs.W - proofs.w, proofs.w * (1 - proofs.p))
    expected = proofs.efficiency_middle().printed.subs({proofs.m: room, proofs.g: proofs.segment_loss()})
    printed = laws.throughput_efficiency.as_printed
    assert same(printed.expr.args[0][0], expected)
    at = {"W": 30, "w_a": 23, "p": sp.Rational(1, 100), "s": 16, "S": 2}
    apart = in_letters(plain_rounds(case(laws.throughput_efficiency, 30)) - expected).subs(at)
    assert apart > 0.01  # as printed, a cycle is longer


def test_window_for_efficiency():
    """The law, at a point of each case, has the value of the derived inverse."""
    inversion = proofs.window_inversion()
    for efficiency, proved in ((sp.Rational(1, 2), inversion.small), (sp.Rational(9, 10), inversion.middle)):
        values = {proofs.e: efficiency, proofs.p: sp.Rational(1, 100), proofs.s: 16, proofs.w: 23}
        expected = proved.subs(proofs.g, proofs.segment_loss()).subs(values)
        got = laws.window_for_efficiency(float(efficiency), 0.01, 16, 23.0)
        assert got == pytest.approx(float(expected), rel=1e-13)


def test_receive_buffers():
    w_a = sp.Symbol("w_a")

    def floored(expression):
        return in_letters(expression).replace(sp.ceiling, lambda x: -sp.floor(-x))

    for law, proof in (
        (laws.discards_after_loss, receive_buffer.discards),
        (laws.throughput_efficiency_hard_ack, receive_buffer.hard_ack_efficiency),
        (laws.locked_efficiency_soft_ack, receive_buffer.locked_efficiency),
    ):
        assert sp.simplify(in_letters(law.expr) - floored(proof())) == 0
    _, one, wide, narrow = laws.buffer_for_efficiency_hard_ack.expr.args
    excess = 1 / sp.Symbol("e") - 1 / (1 - sp.Symbol("p"))
    damaged = 1 - (1 - sp.Symbol("p")) ** sp.Symbol("s")
    proved = in_letters(receive_buffer.hard_ack_buffer())
    proved = proved.subs({"g": damaged, "X": excess, "M": 1 - sp.floor(-w_a)}, simultaneous=True)
    assert sp.simplify(in_letters(wide[0]) - proved) == 0
    assert one[0] == 1
    reached = in_letters(receive_buffer.starts()) * (1 - sp.floor(-w_a))  # D = M
    assert sp.simplify(reached.subs("B", in_letters(narrow[0])) - excess) == 0


def sums_named(expression):
    """Return an expression with sums as functions of their terms and limits, in plain symbols."""
    named = sp.Function("named_sum")
    return in_letters(
        expression.replace(
            lambda e: isinstance(e, sp.Sum),
            lambda e: named(sp.expand(in_letters(e.function)), *map(in_letters, e.limits[0][1:])),
        )
    )


@pytest.mark.parametrize(
    ("law", "proved"),
    [
        (laws.rounds_cdf, segment_distribution.cdf),
        (laws.rounds_pmf, segment_distribution.pmf),
        (laws.rounds_quantile, lambda: sp.Max(segment_distribution.quantile(), 1)),
        (laws.rounds_variance, segment_distribution.rounds_variance),
        (laws.delay_variance, segment_distribution.delay_variance),
        (
            laws.rounds_cdf_tolerant,
            lambda: segment_distribution.cdf_tolerant().subs(
                segment_distribution.x, segment_distribution.p**segment_distribution.k
            ),
        ),
        (laws.mean_rounds_tolerant, segment_distribution.mean_rounds_tolerant),
        (laws.mean_delay_tolerant, segment_distribution.mean_delay_tolerant),
    ],
    ids=lambda side: getattr(side, "name", ""),
)
def test_distribution_of_a_segment(law, proved):
    assert sp.simplify(sums_named(written(law.expr)) - sums_named(proved())) == 0


def test_the_slowest_of_many_segments():
    """The law counts the first round apart, as `mean_rounds` does."""
    proved = segment_distribution.largest().subs(segment_distribution.M, sp.Symbol("N", integer=True, positive=True))
    assert in_letters(proved.function).subs({sp.Symbol("i"): 0, sp.Symbol("s"): 16, sp.Symbol("N"): 3}) == 1
    shipped = sums_named(laws.max_rounds.expr - 1)
    assert sp.simplify(shipped - sums_named(sp.Sum(proved.function, (*proved.limits[0][:1], 1, sp.oo)))) == 0
