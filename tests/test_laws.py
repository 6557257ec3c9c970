"""Every registered law against its own high-precision face, its derivative and its record."""

import functools
import inspect
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from longfat.law import Law, Symbol, law, registered
from longfat.laws.selective_repeat import throughput_efficiency
from longfat.roots import Root
from longfat.verify.exact import SLOPE_TOLERANCE, TOLERANCE, beside, exact, slope_error, value_error
from longfat.verify.points import corners
from tests.examples import examples, is_long

LAWS = dict(registered())
EVERY = pytest.mark.parametrize("one", LAWS.values(), ids=[name.rsplit(".", 1)[1] for name in LAWS])
MAPPED = list(LAWS.values())[::3]  # under vmap in the short profile; it takes longer to compile than to run
ROOTS = [record for record in LAWS.values() if isinstance(record, Root)]
EVERY_ROOT = pytest.mark.parametrize("one", ROOTS, ids=[record.name for record in ROOTS])


def arguments(record):
    """Keyword arguments of a law: typical ones, ends of the domains and corners."""
    choices = {}
    for name, symbol in record.symbols.items():
        choices[name] = st.one_of(symbol.strategy(), st.sampled_from(corners(symbol)))
    return st.fixed_dictionaries(choices)


def points(record):
    """Four different points at a time, a column of each parameter: what compiles for them takes only four."""
    return st.lists(record.strategy(), min_size=4, max_size=4)


def columns(record, several, convert=jnp.asarray):
    return {name: convert(np.array([float(values[name]) for values in several])) for name in record.symbols}


@functools.cache
def compiled(record):
    """Slopes and values of the law under jit: one program for all tests of it."""

    def total(values):
        result = record(**values)
        return jnp.sum(result), result  # of many points at once: what hides no shape

    return jax.jit(jax.grad(total, has_aux=True))


@functools.cache
def by_jit(record):
    """The law under jit, without its slopes."""
    return jax.jit(lambda values: record(**values))


@functools.cache
def one_by_one(record):
    """The law of one point at a time under vmap and jit."""
    return jax.jit(jax.vmap(lambda v: record(**v)))


@EVERY
def test_floats_agree_with_many_digits(one):
    @examples(25)
    @given(values=arguments(one))
    def check(values):
        got = one(**values)
        assert value_error(one, values, got) <= TOLERANCE == 1e-12, (values, got, exact(one, values))

    check()


@EVERY
def test_all_arithmetics_agree(one):
    @examples(2, 250)
    @given(several=points(one))
    def check(several):
        expected = [one(**values) for values in several]
        traced, strict = columns(one, several), columns(one, several, array_api_strict().asarray)
        results = [one(**columns(one, several, np.asarray)), compiled(one)(traced)[1], np.asarray(one(**strict))]
        if is_long():
            results += [by_jit(one)(traced), one_by_one(one)(traced)]
        for result in results:
            for values, got, other in zip(several, result, expected, strict=True):
                assert value_error(one, values, float(got), other) <= TOLERANCE, (values, got, other)

    check()


def array_api_strict():
    import array_api_strict

    return array_api_strict


@EVERY
def test_gradients_agree_with_finite_differences(one):
    real = [name for name, symbol in one.symbols.items() if not symbol.whole]

    @examples(2, 250)
    @given(several=points(one))
    def check(several):
        slopes = compiled(one)(columns(one, several))[0]
        for name in real:
            for values, got in zip(several, slopes[name], strict=True):
                assert slope_error(one, values, name, float(got)) <= SLOPE_TOLERANCE == 1e-6, (name, values, got)

    check()


@EVERY
def test_single_precision_in_gives_single_precision_out(one):
    @examples(2, 250)
    @given(several=points(one))
    def check(several):
        single = columns(one, several, np.float32)
        same = [{name: float(column[k]) for name, column in single.items()} for k in range(4)]
        inside = [all(one.symbols[name].interval.contains(value) for name, value in values.items()) for values in same]
        if not any(inside):
            return  # rounding left the domain everywhere
        same = [values if fits else same[inside.index(True)] for values, fits in zip(same, inside, strict=True)]
        single = columns(one, same, np.float32)
        traced = {name: jnp.asarray(column) for name, column in single.items()}
        for result in (one(**single), *([one_by_one(one)(traced)] if is_long() or one in MAPPED else [])):
            assert result.dtype == np.float32
            for values, got in zip(same, result, strict=True):
                expected = one(**values)
                assert within(expected, float(got), 3e-5 * abs(expected) + shaken(one, values)), (values, got, expected)

    check()
    if is_long():  # without jit, too: every operation is compiled by itself
        typical = {name: jnp.float32(symbol.typical[0]) for name, symbol in one.symbols.items()}
        assert one(**typical).dtype == np.float32


def shaken(one, values):
    """How far a law is moved when an argument changes in the last places of single precision: what comes out cannot be
    right to more, next to a jump or where it is a difference of nearly equal numbers."""
    results = one(**columns(one, [values, *beside(one, values, 2.0**-21)], np.asarray))
    return np.max(np.abs(results - results[0])) if np.isfinite(results).all() else math.inf


def within(expected, got, room):
    return not math.isfinite(expected) or abs(got - expected) <= max(room, 1e-12)


def test_accuracy_of_single_precision_can_be_missed():
    """1 - (1 - p)^16 as it stands has hardly a digit for p = 1e-6, and no change of p's last places accounts for it."""
    p = Symbol("p", "1", "(0, 1)", (1e-6, 1e-4), "a probability")
    naive = Law(lambda p, *, xp: 1 - (1 - p) ** 16, {"p": p}, "1", "an example")
    careful = Law(lambda p, *, xp: -xp.expm1(16 * xp.log1p(-p)), {"p": p}, "1", "an example")
    single = np.float32(1e-6)
    expected = careful(p=float(single))
    room = 3e-5 * expected + shaken(careful, {"p": float(single)})
    assert within(expected, float(careful(p=single)), room)
    assert not within(expected, float(naive(p=single)), room)


@EVERY
def test_the_record_says_what_the_docstring_says(one):
    text = inspect.getdoc(one)
    sections = ["Parameters\n---", "Returns\n---", "Raises\n---", "Notes\n---", "Examples\n---", "References\n---"]
    places = [text.index(section) for section in sections]
    assert places == sorted(places)
    assert ".. math::" in text[: places[0]]
    parameters = text[places[0] : places[1]]
    for name, symbol in one.symbols.items():
        assert name in parameters
        assert symbol.domain in parameters
        assert f"[{symbol.unit}]" in parameters
        assert symbol.interval.contains(symbol.typical[0])
    assert f"[{one.unit}]" in text[places[1] : places[2]]
    assert ">>>" in text[places[4] : places[5]]


@EVERY
def test_the_record_shows_itself(one):
    letters = {symbol.sympy for symbol in one.symbols.values()}
    if isinstance(one, Root):
        assert one.equation.free_symbols <= {one.unknown.sympy, *letters}
        assert one.unknown.sympy in one.equation.free_symbols
    else:
        assert isinstance(one.expr, sympy.Basic)
        assert one.expr.free_symbols <= letters
    html = one._repr_html_()
    assert all(name in html for name in one.symbols)
    assert one._repr_latex_().startswith("$")
    assert one.name in repr(one)


@EVERY
def test_outside_the_domain(one):
    inside = {name: float(symbol.typical[0]) for name, symbol in one.symbols.items()}
    for name, symbol in one.symbols.items():
        outside = symbol.interval.low - 1.5 if math.isfinite(symbol.interval.low) else symbol.interval.high + 1
        for bad in (outside, math.nan, math.inf, "much"):
            if bad == math.inf and symbol.interval.contains(bad):
                continue
            with pytest.raises(ValueError, match=f"^{name} = .*allowed are") as refusal:
                one(**(inside | {name: bad}))
            assert "\n" not in str(refusal.value)
            assert symbol.unit == "1" or symbol.unit in str(refusal.value)
        with pytest.raises(ValueError, match=rf"^{name}\[1\] = "):
            one(**(inside | {name: np.array([inside[name], outside])}))
        with pytest.raises(ValueError, match=rf"^{name}\[0, 1\] = "):
            one(**(inside | {name: jnp.asarray([[inside[name], outside]])}))
        propagated = one(**(inside | {name: np.array([inside[name], math.nan])}))
        assert np.isfinite(propagated[0])
        assert np.isnan(propagated[1])
        traced = columns(one, [inside | {name: outside}] * 4)
        assert np.isnan(compiled(one)(traced)[1]).all()
        if symbol.whole:
            with pytest.raises(ValueError, match="whole numbers"):
                one(**(inside | {name: 16.5}))


@EVERY_ROOT
def test_roots_satisfy_their_equation(one):
    """In 40 digits; where the answer is another case, such as a limit, the equation need not hold."""
    left, right = (side.doit() for side in one.equation.args)
    letters = [one.unknown.sympy, *(symbol.sympy for symbol in one.symbols.values())]
    difference, checked = sympy.lambdify(letters, left - right, modules="mpmath", cse=True), 0

    @examples(25)
    @given(values=one.strategy())
    def check(values):
        nonlocal checked
        if one.solve(**values).status != "converged":
            return
        with mpmath.workdps(60):
            exact = {name: mpmath.mpf(values[name]) for name in one.symbols}  # in the order of the letters
            found = one(**exact)
            below, above = (difference(found * (1 + sign * mpmath.mpf(10) ** -40), *exact.values()) for sign in (-1, 1))
            assert below * above < 0, values  # the sign changes within 40 digits
            checked += 1

    check()
    assert checked > 5


@EVERY_ROOT
def test_roots_without_a_formula_say_so(one):
    letters = [symbol.sympy for symbol in one.symbols.values()]
    with pytest.raises(TypeError, match=f"{one.name} is a root without a formula"):
        one(*letters)
    with pytest.raises(AttributeError, match="equation"):
        one.expr  # noqa: B018


@EVERY_ROOT
def test_solve_refuses_no_point(one):
    inside = {name: symbol.typical[1] for name, symbol in one.symbols.items()}
    for name, symbol in one.symbols.items():
        outside = symbol.interval.low - 1.5 if math.isfinite(symbol.interval.low) else symbol.interval.high + 1
        found = one.solve(**(inside | {name: [inside[name], outside, math.nan]}))
        assert found.value.shape == found.status.shape == (3,)
        assert found.value[0] == pytest.approx(one(**inside), rel=1e-14)
        np.testing.assert_array_equal(np.isnan(found.value), [False, True, True])
        np.testing.assert_array_equal(found.status[1:], "outside the domain")
    with pytest.raises(ValueError, match="allowed are"):
        one.solve(**(inside | {name: "much"}))


def test_tracing_checks_nothing_and_precision_is_left_alone():
    """The suite switches 64-bit on; no law does."""
    assert jax.config.jax_enable_x64
    with jax.experimental.enable_x64(False) if hasattr(jax.experimental, "enable_x64") else jax.enable_x64(False):
        result = throughput_efficiency(jnp.asarray([24.0]), 1e-3, 16, 23.0)
        assert result.dtype == jnp.float32


@EVERY
def test_laws_travel_between_processes(one):
    assert pickle.loads(pickle.dumps(one)) is one
    if one.has_printed:
        assert pickle.loads(pickle.dumps(one.as_printed)) is one.as_printed


@pytest.mark.parametrize(
    "bad",
    [
        "0.001",
        b"0.001",
        None,
        1j,
        np.complex128(0.1),
        np.timedelta64(1, "s"),
        10**400,
        [None],
        [1j],
        ["x"],
        [[1], [1, 2]],
    ],
)
def test_what_is_no_real_number_is_refused(bad):
    for others in ((24, 16, 23.0), (mpmath.mpf(24), 16, 23.0), (sympy.Symbol("W"), 16, 23.0), (jnp.ones(2), 16, 23.0)):
        with pytest.raises(ValueError, match=r"^loss = ") as refusal:
            throughput_efficiency(others[0], bad, *others[1:])
        assert "\n" not in str(refusal.value)


def test_numbers_among_symbols_are_checked():
    with pytest.raises(ValueError, match="window = -3 segments"):
        throughput_efficiency(sympy.Integer(-3), sympy.Rational(1, 2), 16, 23)
    with pytest.raises(ValueError, match="loss = -3"):
        throughput_efficiency(sympy.Symbol("x"), -3.0, 16, 23)
    with pytest.raises(ValueError, match="window = nan"):
        throughput_efficiency(sympy.nan, sympy.Rational(1, 2), 16, 23)


def test_other_real_numbers_give_floats():
    exact = throughput_efficiency(24, Fraction(1, 1000), 16, Decimal(23))
    assert isinstance(exact, float)
    assert exact == throughput_efficiency(24, 1e-3, 16, 23.0)


def test_dataarrays_keep_their_labels():
    import xarray as xr

    window = xr.DataArray([10.0, 24.0], dims="window", coords={"window": [10.0, 24.0]})
    loss = xr.DataArray([1e-3, 1e-2, 0.1], dims="loss")
    result = throughput_efficiency(window, loss, 16, 23.0)
    assert result.sizes == {"window": 2, "loss": 3}
    assert result.attrs["units"] == "1"
    assert float(result[1, 0]) == throughput_efficiency(24, 1e-3, 16, 23.0)


def test_a_declaration_that_does_not_fit_is_refused():
    with pytest.raises(TypeError, match="declared"):
        law(source="none", unit="1", y=Symbol("y", "1", "[0, 1]", (0, 1)))(lambda x, *, xp: x)
    assert "<lambda>" not in str(LAWS)


def test_the_property_test_can_fail():
    """A law with the plain form 1 - (1 - p)^s in floats loses its digits, and the comparison sees it."""
    p = Symbol("p", "probability", "[0, 1)", (1e-6, 0.1))
    naive = Law(lambda p, *, xp: 1 - (1 - p) ** 16, {"p": p}, "1", "an example")
    assert value_error(naive, {"p": 1e-12}, naive(1e-12)) > 1e-6 > TOLERANCE
