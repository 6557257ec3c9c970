"""The laws of longfat are those that the derivations prove: these tests compare them."""

import ast
import functools
import importlib
from pathlib import Path

import pytest
import sympy as sp

import derivations
from derivations import receive_buffer, segment_distribution, segment_rounds
from derivations import selective_repeat as proofs
from longfat.law import registered
from longfat.law.sums import written
from longfat.laws import selective_repeat as laws
from longfat.laws.selective_repeat.parameters import ACK_DELAY, ACK_SEGMENTS, WINDOW
from longfat.verify import faces
from tests.examples import is_long

DERIVATIONS = Path(derivations.__file__).parent


def in_letters(expression):
    """Return an expression in symbols without assumptions, so that those of laws and derivations are equal."""
    return expression.subs({symbol: sp.Symbol(symbol.name) for symbol in expression.free_symbols})


def same(shipped, proved):
    return sp.simplify(in_letters(shipped) - in_letters(proved)) == 0


def case(record, window):
    """Return the case of a piecewise law that applies at w_a = 23 and a given window, as an expression."""
    for value, condition in record.expr.args:
        if condition.subs({WINDOW.sympy: window, ACK_SEGMENTS.sympy: 23}) in (True, sp.true):
            return value
    raise AssertionError("no case applies")


@functools.cache
def run_elsewhere():
    """Return the proofs that tests/test_derivations_*.py call by name, as MODULE.FUNCTION."""
    found = set()
    for path in Path(__file__).parent.glob("test_derivations_*.py"):
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


@pytest.mark.parametrize("name", [name for name, record in registered() if record.derivation])
def test_the_derivation_named_in_the_record_exists_and_runs(name):
    record = dict(registered())[name]
    if not is_long() and (record.long_proof or record.derivation in run_elsewhere()):  # tests of their own run them
        module, function = record.derivation.split(".")
        assert callable(getattr(importlib.import_module(f"derivations.{module}"), function))
        return
    found = faces.proof(record)
    assert found.status == "agrees", found


def plain_rounds(expression):
    """Return an expression with the sum of `mean_rounds` replaced by its symbol S - 1."""
    return expression.replace(lambda x: isinstance(x, sp.Sum), lambda _: proofs.S - 1)


def test_rates_and_windows():
    rate = proofs.rate_specification()
    assert same(8 * laws.average_rate.expr, rate.average)  # the paper counts bits
    bits = {laws.largest_burst_rate.symbols["peak_rate"].sympy: proofs.P / 8}
    assert same(laws.largest_burst_rate.expr.subs(bits), rate.largest_burst_rate)
    assert same(laws.burst_packets.expr, proofs.s * segment_rounds.mean_transmissions())
    delay = proofs.acknowledgment_delay()
    assert same(laws.ack_delay.expr, delay.seconds)
    assert same(laws.ack_segments.expr.subs(ACK_DELAY.sympy, delay.seconds), delay.segments)
    assert same(laws.initial_window.expr, proofs.initial_window())
    scaling = laws.adjusted_window.expr / WINDOW.sympy
    assert same(scaling, proofs.adjusted_window().scaling)


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
    assert not same(case(laws.throughput_efficiency, 30), expected)


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
