"""Every registered law against mpmath in many digits, differences for slopes, and its record."""

import functools
import inspect
import math
import pickle
import re
import sys
import types
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

import longfat
from longfat.law import Law, SimulatedBy, Symbol, declaring, docstrings, law, registered
from longfat.laws import cadpc, loss_load, power, queues, selective_repeat, tcp
from longfat.laws.cadpc import trajectory, update_time
from longfat.laws.loss_load import throughput_optimal_rate
from longfat.laws.queues import mm1k_loss
from longfat.laws.queues.constant import PLACES
from longfat.laws.selective_repeat import throughput_efficiency
from longfat.verify.high_precision import SLOPE_TOLERANCE, TOLERANCE, beside, exact, slope_error, value_error
from longfat.verify.points import corners, for_symbols, typical
from longfat.verify.symbolic import symbolic
from tests.examples import examples, is_long
from tests.laws.declarations import missing

LAWS = dict(registered())
EVERY = pytest.mark.parametrize("one", LAWS.values(), ids=[name.rsplit(".", 1)[1] for name in LAWS])
MAPPED = list(LAWS.values())[::9]  # under vmap in the short profile; it takes longer to compile than to run
ROOTS = [record for record in LAWS.values() if record.solves]
EVERY_ROOT = pytest.mark.parametrize("one", ROOTS, ids=[record.name for record in ROOTS])


def usual(symbol):
    """Return a strategy of values in a parameter's typical range and of the closed ends of its domain."""
    low, high = symbol.typical
    choices = [st.integers(int(low), int(high)).map(float) if symbol.integer else st.floats(low, high)]
    if 0 < low < high:
        spread = st.floats(math.log(low), math.log(high)).map(math.exp)
        choices.append(spread.map(round).map(float) if symbol.integer else spread)
    if symbol.interval.ends:
        choices.append(st.sampled_from(symbol.interval.ends))
    return st.one_of(choices).filter(symbol.interval.contains)


def usual_arguments(record):
    """Return a strategy of a law's keyword arguments by `usual`."""
    return st.fixed_dictionaries({name: usual(symbol) for name, symbol in record.symbols.items()})


def arguments(record):
    """Return a strategy of a law's keyword arguments: typical ones, ends of the domains and corners."""
    choices = {}
    for name, symbol in record.symbols.items():
        choices[name] = st.one_of(usual(symbol), st.sampled_from(corners(symbol)))
    return st.fixed_dictionaries(choices)


def points(record):
    """Return a strategy of four points at a time, so that programs are compiled for this shape only.

    The first is at the low ends of the typical ranges, the others are different from each other.
    """
    low = {name: symbol.typical[0] for name, symbol in record.symbols.items()}
    drawn = st.lists(usual_arguments(record), min_size=3, max_size=3, unique_by=lambda values: tuple(values.values()))
    return drawn.map(lambda others: [low, *others])


def columns(record, several, convert=jnp.asarray):
    return {name: convert(np.array([float(values[name]) for values in several])) for name in record.symbols}


@functools.cache
def compiled(record):
    """Return a compiled function of slopes and values: one program for all tests of the law."""

    def total(values):
        result = record(**values)
        return jnp.sum(result), result  # of many points at once, so that a law with a fixed shape fails

    return jax.jit(jax.grad(total, has_aux=True))


@functools.cache
def by_jit(record):
    """Return the compiled law, without its slopes."""
    return jax.jit(lambda values: record(**values))


@functools.cache
def one_by_one(record):
    """Return the compiled law, mapped over points."""
    return jax.jit(jax.vmap(lambda v: record(**v)))


@EVERY
def test_floats_agree_with_many_digits(one):
    @examples(8, 1000)
    @given(values=arguments(one))
    def check(values):
        got = one(**values)
        assert value_error(one, values, got) <= TOLERANCE == 1e-12, (values, got, exact(one, values))

    check()


#: Loads before, at and after 1, where the forms of the laws of finite queues meet; three in the short profile.
LOADS = (1 - 1e-6, 1, 1 + 1e-4, 1 - 1e-3, 1 - 1e-9, 1 - 2.0**-53, 1 + 2.0**-52, 1 + 1e-9, 1.02)
#: Public name of a law -> groups of four points at which slopes agree in nine digits.
CRITICAL = {
    f"queues.{name}": [
        [{"load": load, "capacity": capacity} for capacity in (2, 10, PLACES, PLACES + 1)]
        for load in (LOADS if is_long() else LOADS[:3])
    ]
    for name in queues.__all__
    if "1k_" in name
}


@EVERY
def test_all_arithmetics_agree(one):
    """Values with those of floats, slopes by JAX with differences in many digits."""
    real = [name for name, symbol in one.symbols.items() if not symbol.integer]

    def agree(several, slope_tolerance):
        expected = [one(**values) for values in several]
        traced = columns(one, several)
        slopes, by_jax = compiled(one)(traced)
        strict = np.asarray(one(**columns(one, several, array_api_strict().asarray)))
        results = [one(**columns(one, several, np.asarray)), by_jax, strict]
        if is_long():
            results += [by_jit(one)(traced), one_by_one(one)(traced)]
        for result in results:
            for values, got, wanted in zip(several, np.asarray(result).tolist(), expected, strict=True):
                assert value_error(one, values, got, wanted) <= TOLERANCE, (values, got, wanted)
        for name in real:
            for values, got in zip(several, np.asarray(slopes[name]).tolist(), strict=True):
                assert slope_error(one, values, name, got) <= slope_tolerance, (name, values, got)

    @examples(1, 250)
    @given(several=points(one))
    def check(several):
        agree(several, SLOPE_TOLERANCE)

    assert SLOPE_TOLERANCE == 1e-6
    check()
    for several in CRITICAL.get(one.public_name, ()):
        agree(several, 1e-9)


#: Slopes by hand, where a formula divides by 0, forms meet, or a case begins: law, arguments, parameters with slopes.
SLOPES = [
    # With u = ln rho and weights rho^j, the loss p_K has d ln p_K/du = K - L, and the slope of a mean is the variance.
    *((queues.mm1k_loss, (1, k), {"load": k / (2 * (k + 1))}) for k in (1, 2, 10, 1000)),
    *((queues.mm1k_mean_number, (1, k), {"load": k * (k + 2) / 12}) for k in (1, 2, 10, 1000)),
    *((queues.mm1k_wait, (1, k), {"load": (k * k - 1) / 12}) for k in (1, 2, 10, 1000)),
    # At load 0: one place has the loss rho/(1 + rho); a second packet in the system makes the wait rho, or half of it.
    (queues.mm1k_loss, (0, 1), {"load": 1}),
    (queues.md1k_loss, (0, 1), {"load": 1}),
    (queues.mm1k_wait, (0, 5), {"load": 1}),
    *((queues.md1k_wait, (0, k), {"load": 0.5}) for k in (5, PLACES + 5)),
    # A second round has probability s p, and one packet; it does not occur if one packet may be missing.
    (selective_repeat.rounds_variance, (0, 7), {"loss": 7}),
    (selective_repeat.delay_variance, (0, 7, 2, 3), {"loss": 25 * 7}),
    (selective_repeat.mean_rounds_tolerant, (0, 7, 0), {"loss": 7}),
    (selective_repeat.mean_rounds_tolerant, (0, 7, 1), {"loss": 0}),
    (selective_repeat.rounds_pmf, (2, 0, 7), {"loss": 7}),
    (selective_repeat.rounds_pmf, (1, 0, 7), {"loss": -7}),
    # From W = 1 + w_a on, efficiency is 1; 1 + w_a - W = -w_a at W = 1 + 2 w_a is no edge there.
    (selective_repeat.throughput_efficiency_many_rounds, (4, 0, 16, 3.5), {"window": 1 / 4.5}),
    *(
        (selective_repeat.throughput_efficiency_many_rounds, (w, 0, 16, 3.5), {"window": 0})
        for w in (4.6, 7.9, 8, 8.1, 100)
    ),
    # Without others P = (f + a)/f; its slope in b, from 0 upwards, is -(f + a)/f^(k + 2).
    (loss_load.loss_probability, (2, -1, 0, 3), {"rate": 1 / 4, "excess": 1 / 2, "spread": -1 / 32, "k": 0}),
    # At P = 1, its bound, the slopes are those below it.
    (loss_load.loss_probability, (1, 0, 0, 3), {"rate": 0, "excess": 1}),
    *((loss_load.raw_throughput, (f, -1, 0, 3), {"rate": slope}) for f, slope in ((0, 1), (0.5, 1), (2, 0))),
    # At B = 1 the slope is 0 on both sides.
    (tcp.aimd_utilisation, (1,), {"buffer": 0}),
    # Five rounds of 20 packets: 5 round trips, and 4 + 5 packet times; a long file: 10 and 9 + 489.
    (tcp.slow_start_transfer_time, (20, 40e-3, 0.1e-3), {"round_trip_time": 5, "packet_time": 9}),
    (tcp.slow_start_transfer_time, (1000, 40e-3, 0.1e-3), {"round_trip_time": 10, "packet_time": 498}),
    # Two forms of the knee meet at alpha = 1, where x = q = 2: dx/dalpha = (q + q^2)/(2 q), over (1 + q)^2.
    (power.knee_load, (3, 1, 1), {"alpha": 1.5 / 9}),
    # Beyond the start m is 1; dm/dx = -3/(3/4), dm/dL = -3 x/(3/4)^2.
    (cadpc.startup_multiplicity, (0.1, 1, 4), {"rate": 0, "traffic": 0}),
    (cadpc.startup_multiplicity, (0.25, 0.25, 4), {"rate": -4, "traffic": -4 / 3}),
]


def test_slopes_by_hand():
    """In the program that `test_all_arithmetics_agree` has compiled."""
    for one, arguments, expected in SLOPES:
        given = one.__signature__.bind(*arguments)
        given.apply_defaults()
        slopes = compiled(one)(columns(one, [given.arguments] * 4))[0]
        for name, slope in expected.items():
            np.testing.assert_allclose(slopes[name], slope, rtol=1e-12, atol=1e-15, err_msg=f"{one.name}{arguments}")


def array_api_strict():
    import array_api_strict

    return array_api_strict


@EVERY
def test_single_precision_in_gives_single_precision_out(one):
    @examples(1, 250)
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
            for values, got in zip(same, np.asarray(result).tolist(), strict=True):
                expected = one(**values)
                assert within(expected, got, 3e-5 * abs(expected) + shaken(one, values)), (values, got, expected)

    check()
    if is_long():  # without jit, too: every operation is compiled by itself
        typical = {name: jnp.float32(symbol.typical[0]) for name, symbol in one.symbols.items()}
        assert one(**typical).dtype == np.float32


def shaken(one, values):
    """Return the change of a law when an argument changes in the last places of single precision.

    No result can be more accurate next to a jump, or where it is a difference of nearly equal numbers.
    """
    results = one(**columns(one, [values, *beside(one, values, 2.0**-21)], np.asarray))
    return np.max(np.abs(results - results[0])) if np.isfinite(results).all() else math.inf


def within(expected, got, room):
    return not math.isfinite(expected) or abs(got - expected) <= max(room, 1e-12)


def test_accuracy_of_single_precision_can_be_missed():
    """1 - (1 - p)^16 has hardly a correct digit for p = 1e-6, which no change of p's last places explains."""
    p = Symbol("p", "1", "(0, 1)", (1e-6, 1e-4), "a probability")
    naive = Law(lambda p, *, xp: 1 - (1 - p) ** 16, {"p": p}, "1", "an example")
    careful = Law(lambda p, *, xp: -xp.expm1(16 * xp.log1p(-p)), {"p": p}, "1", "an example")
    single = np.float32(1e-6)
    expected = careful(p=float(single))
    room = 3e-5 * expected + shaken(careful, {"p": float(single)})
    assert within(expected, float(careful(p=single)), room)
    assert not within(expected, float(naive(p=single)), room)


def test_nothing_is_missing_from_the_declarations():
    found = [text for one in LAWS.values() for text in missing(one)]
    assert not found, "\n".join(found)


def test_the_docstring_of_a_law_with_a_derivation_of_ones_own():
    """A function has no place in derivations/ to name; its help raised an AttributeError."""
    p = Symbol("p", "1", "[0, 1]", typical=(0.1, 0.5))
    own = Law(lambda p, *, xp: p, {"p": p}, "1", "my notes", derivation=lambda: sympy.Symbol("p"))
    assert docstrings.sections(inspect.getdoc(own))[1]["References"].strip() == "my notes."


def docstring_has_what_the_record_says(one):
    text = inspect.getdoc(one)
    head, sections = docstrings.sections(text)
    assert list(sections) == ["Parameters", "Returns", "Raises", "Notes", "References", "Examples"]
    assert head == docstrings.sections(one.function.__doc__)[0]
    assert ">>>" in sections["Examples"]
    everything = {name: " ".join(section.split()) for name, section in sections.items()}
    for name, symbol in one.symbols.items():
        assert f"{name} : {'int' if symbol.integer else 'float'} or array" in everything["Parameters"]
        assert f"{symbol.meaning}: {symbol.plain_letter} [{symbol.unit}]" in everything["Parameters"]
        assert f"in {symbol.domain}, typically " in everything["Parameters"]
        assert symbol.remark in everything["Parameters"]
        assert symbol.interval.contains(symbol.typical[0])
    defaults = [p.default for p in one.__signature__.parameters.values() if p.default is not p.empty]
    assert re.findall(r"or array, default (\S+)", sections["Parameters"]) == [f"{value:g}" for value in defaults]
    assert f" [{one.unit}]" in everything["Returns"]
    assert one.source in everything["References"]
    assert (f"derivations/{one.derivation.split('.')[0]}.py" in everything["References"]) == bool(one.derivation)
    if one.validity is not None:
        assert one.validity.text in everything["Notes"]
        assert f"{one.validity.accuracy:g}" in everything["Notes"]
    if one.has_printed:
        assert one.as_printed.errata in everything["Notes"]
        assert one.as_printed.errata in " ".join(one.as_printed.__doc__.split())


def test_own_sections_of_a_docstring_are_kept():
    """A law of one's own may have sections of its own; the class has the docstring of the class."""

    def own(x, *, xp):
        """Return x.

        Returns
        -------
        float
            The same number.

        Examples
        --------
        >>> 1
        1
        """
        return x

    record = Law(own, {"x": Symbol("x", "m", "[0, 9]", (0, 9))}, "m", "an example")
    sections = docstrings.sections(inspect.getdoc(record))[1]
    assert list(sections) == ["Parameters", "Returns", "Raises", "References", "Examples"]
    assert sections["Parameters"] == "x : float or array\n    x [m], in [0, 9], typically 0 to 9."
    assert sections["Returns"] == "float\n    The same number."
    assert Law.__doc__.startswith("A published formula")
    assert "Symbols are refused" in inspect.getdoc(throughput_optimal_rate)


def record_shows_itself(one):
    letters = {symbol.sympy for symbol in one.symbols.values()}
    if one.solves:
        assert one.equation.free_symbols <= {one.solves.unknown.sympy, *letters}
        assert one.solves.unknown.sympy in one.equation.free_symbols
    else:
        assert isinstance(one.expr, sympy.Basic)
        assert one.expr.free_symbols <= letters
    html = one._repr_html_()  # with the LaTeX of `_repr_latex_`
    assert all(name in html for name in one.symbols)
    assert f"<b>{one.name}</b> $" in html
    assert one.name in repr(one)


def outside_the_domain(one):
    inside = {name: float(symbol.typical[0]) for name, symbol in one.symbols.items()}
    for name, symbol in one.symbols.items():
        outside = symbol.interval.low - 1.5 if math.isfinite(symbol.interval.low) else symbol.interval.high + 1
        for bad in (outside, math.nan, math.inf):
            if bad == math.inf and symbol.interval.contains(bad):
                continue
            with pytest.raises(ValueError, match=f"^{name} = .*must be") as refusal:
                one(**(inside | {name: bad}))
            assert "\n" not in str(refusal.value)
            assert symbol.unit in ("1", "probability") or symbol.unit in str(refusal.value)
        with pytest.raises(TypeError, match=rf"^{name} must be a number.*, got the string 'much'$") as refusal:
            one(**(inside | {name: "much"}))
        assert symbol.unit in ("1", "probability") or f"[{symbol.unit}]" in str(refusal.value)
        with pytest.raises(ValueError, match=rf"^{name}\[1\] = "):
            one(**(inside | {name: np.array([inside[name], outside])}))
        with pytest.raises(ValueError, match=rf"^{name}\[0, 1\] = "):
            one(**(inside | {name: jnp.asarray([[inside[name], outside]])}))
        propagated = one(**(inside | {name: np.array([inside[name], math.nan])}))
        assert np.isfinite(propagated[0])
        assert np.isnan(propagated[1])
        traced = columns(one, [inside | {name: outside}] * 4)
        assert np.isnan(compiled(one)(traced)[1]).all()
        if symbol.integer:
            for part in (16.5, sympy.Rational(33, 2), mpmath.mpf(16.5)):
                with pytest.raises(ValueError, match=f"^{name} = .*an integer in"):
                    one(**(inside | {name: part}))
            for convert in (np.asarray, jnp.asarray, array_api_strict().asarray):
                with pytest.raises(ValueError, match=rf"^{name}\[1\] = 16.5.*an integer in"):
                    one(**(inside | {name: convert([inside[name], 16.5])}))
            parts = columns(one, [inside, inside | {name: 16.5}, inside, inside])
            np.testing.assert_array_equal(np.isnan(compiled(one)(parts)[1]), [False, True, False, False])


@EVERY_ROOT
def test_roots_satisfy_their_equation(one):
    """The equation holds to 40 digits, except where the result is another case, such as a limit."""
    left, right = (side.doit() for side in one.equation.args)
    letters = [one.solves.unknown.sympy, *(symbol.sympy for symbol in one.symbols.values())]
    difference, checked = sympy.lambdify(letters, left - right, modules="mpmath", cse=True), 0

    @examples(25)
    @given(values=usual_arguments(one))
    def check(values):
        nonlocal checked
        if one.solves.other_case(one(**values), *(values[name] for name in one.symbols)):
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
def test_roots_of_large_arrays(one):
    """NumPy arrays of more than 2^15 elements are solved in blocks."""
    points = typical(one, 3, seed=1)
    arrays = {name: np.resize([point[name] for point in points], (2, 20_000)) for name in one.symbols}
    expected = np.resize([one(**point) for point in points], (2, 20_000))
    np.testing.assert_allclose(one(**arrays), expected, rtol=1e-12)


@EVERY_ROOT
def test_roots_without_a_formula_say_so(one):
    letters = [symbol.sympy for symbol in one.symbols.values()]
    with pytest.raises(TypeError, match=f"{one.name} is a root without a formula"):
        one(*letters)
    with pytest.raises(AttributeError, match="equation"):
        one.expr  # noqa: B018


def test_tracing_checks_nothing_and_precision_is_left_alone():
    """The tests switch JAX to 64 bits; no law does."""
    assert jax.config.jax_enable_x64
    with jax.experimental.enable_x64(False) if hasattr(jax.experimental, "enable_x64") else jax.enable_x64(False):
        result = throughput_efficiency(jnp.asarray([24.0]), 1e-3, 16, 23.0)
        assert result.dtype == jnp.float32


def test_laws_travel_between_processes():
    for name, one in LAWS.items():
        assert pickle.loads(pickle.dumps(one)) is one, name
        if one.has_printed:
            assert pickle.loads(pickle.dumps(one.as_printed)) is one.as_printed, name


@pytest.mark.parametrize(
    "bad",
    [
        "0.001",
        b"0.001",
        None,
        1j,
        np.complex128(0.1),
        np.timedelta64(1, "s"),
        True,
        np.True_,
        [True, False],
        [None],
        [1j],
        ["x"],
        [[1], [1, 2]],
    ],
)
def test_arguments_other_than_real_numbers_are_refused(bad):
    for others in ((24, 16, 23.0), (mpmath.mpf(24), 16, 23.0), (sympy.Symbol("W"), 16, 23.0), (jnp.ones(2), 16, 23.0)):
        with pytest.raises(TypeError, match=r"^loss must be a number, got ") as refusal:
            throughput_efficiency(others[0], bad, *others[1:])
        assert "\n" not in str(refusal.value)


class Quantity(np.ndarray):
    """An array that carries a unit, as astropy's quantities do: refused, since the unit would be lost silently."""

    unit = "ms"


LISTED = r"; its parameters are updates \[updates\], round_trip_time \[s\], round_trips \[round trips\] = 4$"
Y = Symbol("y", "1", "[0, 1]", (0, 1))


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "^loss = 1000.* is out of range", lambda: throughput_efficiency(24, 10**400, 16, 23.0)),
        (TypeError, "^loss must be a number, got ",
         lambda: throughput_efficiency(24, np.array([0.1]).view(Quantity), 16, 23.0)),
        (TypeError, "^loss must be a number, got ",
         lambda: throughput_efficiency(sympy.Symbol("W"), np.array([0.1]), 16, 23.0)),
        (TypeError, "^loss must be a number, got ",
         lambda: throughput_efficiency(sympy.Symbol("W"), jnp.array([0.1]), 16, 23.0)),
        (TypeError, "^loss must be a number, got the ivmpf ",
         lambda: throughput_efficiency(24, mpmath.mpi(0.1, 0.2), 16, 23.0)),
        (TypeError, "^update_time: missing a required argument: 'updates'" + LISTED, update_time),
        (TypeError, "^update_time: missing a required argument: 'round_trip_time'" + LISTED, lambda: update_time(10)),
        (TypeError, "^update_time: got an unexpected keyword argument 'rtt'" + LISTED,
         lambda: update_time(10, 0.3, rtt=1)),
        (TypeError, "^update_time: too many positional arguments" + LISTED, lambda: update_time(10, 0.3, 4, 5)),
        (TypeError, "^throughput_optimal_rate: missing a required argument: 'excess'; its parameters",
         throughput_optimal_rate),
        # Once 0.0005 instead of 0.0271 in long double; in half precision hardly any law has a correct digit.
        (TypeError, "float32 or float64", lambda: trajectory(np.array([0.25], dtype=np.float16), 4, 1)),
        (TypeError, "float32 or float64",
         lambda: jax.jit(lambda x: trajectory(x, 4, 1))(jnp.asarray([0.25], dtype=jnp.float16))),
        (TypeError, "float32 or float64", lambda: trajectory(np.longdouble(1e-3), 10, 5)),
        (TypeError, "^throughput_efficiency: masked arrays cannot be combined with arrays other than",
         lambda: throughput_efficiency(np.ma.array([24, -999], mask=[0, 1]), jnp.asarray(0.1), 16, 23.0)),
        (ValueError, r"^update_time: the arrays have shapes .*: updates \(3,\), round_trip_time \(2,\), ",
         lambda: update_time(np.ones(3), np.ones(2))),
        # numbers among symbols
        (ValueError, "window = -3 segments",
         lambda: throughput_efficiency(sympy.Integer(-3), sympy.Rational(1, 2), 16, 23)),
        (ValueError, "loss = -3", lambda: throughput_efficiency(sympy.Symbol("x"), -3.0, 16, 23)),
        (ValueError, "window = nan", lambda: throughput_efficiency(sympy.nan, sympy.Rational(1, 2), 16, 23)),
        # declarations
        (TypeError, r"@law declares the parameters \['y'\], but the function takes \['x'\]",
         lambda: law(source="none", result="[1]", y=Y)(lambda x, *, xp: x)),
        (TypeError, "result = 'y' has no unit", lambda: law(source="none", result="y", y=Y)(lambda y, *, xp: y)),
        (TypeError, "not both", lambda: law(
            source="none", result="[1]", simulated=SimulatedBy("a"), not_simulated="b", y=Y)(lambda y, *, xp: y)),
    ],
)  # fmt: skip
def test_what_is_refused(error, words, call):
    with pytest.raises(error, match=words):
        call()
    assert "<lambda>" not in str(LAWS)


def masked_elements_stay_masked(one):
    """The value -999 of a masked element is ignored; an array without masked elements is an ordinary array."""
    inside = {name: float(symbol.typical[0]) for name, symbol in one.symbols.items()}
    expected = one(**inside)
    for name in one.symbols:
        result = one(**(inside | {name: np.ma.array([-999.0, inside[name]], mask=[True, False])}))
        assert result.mask.tolist() == [True, False]
        assert float(result[1]) == pytest.approx(expected, rel=1e-13)
    with pytest.raises(ValueError, match=rf"^{name}\[0\] = "):
        one(**(inside | {name: np.ma.array([math.nextafter(-1e300, 0), inside[name]])}))


@EVERY
def test_record_refusals_and_masks(one):
    """These take milliseconds a law, less than a test of its own; a traceback names the check that failed."""
    docstring_has_what_the_record_says(one)
    record_shows_itself(one)
    outside_the_domain(one)
    masked_elements_stay_masked(one)


def test_masks_by_hand():
    """Masks are combined, for integers and in two dimensions."""
    windows = np.ma.array([[24, -999], [48, 96]], mask=[[0, 1], [0, 0]])
    losses = np.ma.array([0.1, 0.2], mask=[0, 1])
    result = throughput_efficiency(windows, losses, 16, 23.0)
    assert result.mask.tolist() == [[False, True], [False, True]]
    assert result[1, 0] == throughput_efficiency(48, 0.1, 16, 23.0)
    single = np.ma.array([24], mask=[0], dtype=np.float32)
    assert throughput_efficiency(single, np.float32(0.1), np.float32(16), np.float32(23)).dtype == np.float32
    found = throughput_optimal_rate(np.ma.array([0.5, -999.0], mask=[0, 1]), 0.1, 1, 1)
    assert found.mask.tolist() == [False, True]


def test_a_constant_is_a_law_too(monkeypatch):
    monkeypatch.setattr(declaring, "_REGISTRY", {})
    x = Symbol("x", "1", "[0, 9]", (0, 9))
    one = Law(lambda x, *, xp: 1, {"x": x}, "1", "an example")
    assert one(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]
    assert one(jnp.asarray([1.0])).tolist() == [1.0]
    assert one(mpmath.mpf(2)) == 1
    assert one.expr == 1
    assert law(source="an example", result="[1]", x=x)(one.function).derivation == ""  # of another law than longfat's


def test_nan_of_one_parameter_is_nan_of_the_law():
    """NaN of any parameter gives NaN, even if the formula does not use it."""
    x = Symbol("x", "1", "[0, 9]", (0, 9))
    first, last = (
        Law(function, {"x": x, "y": x}, "1", "an example")
        for function in (lambda x, y, *, xp: x, lambda x, y, *, xp: y)
    )
    for one in (first, last):
        for array in (np.asarray, jnp.asarray):
            some, all_ = array([math.nan, 1.0]), array([2.0, 2.0])
            assert np.isnan(one(some, all_)).tolist() == np.isnan(one(all_, some)).tolist() == [True, False]


def test_the_longest_float_decides_and_plain_numbers_do_not():
    assert mm1k_loss(np.float32([0.5]), 2).dtype == np.float32
    assert mm1k_loss(np.float32([0.5]), np.float64(2)).dtype == np.float64
    assert mm1k_loss(np.float32([0.5]), np.int64([2])).dtype == np.float32
    assert trajectory(np.float16(0.25), 4.0, np.float64(0)) == 0.25


@pytest.mark.parametrize("convert", [np.asarray, jnp.asarray, list, tuple])
def test_parts_of_packets_in_arrays(convert):
    """K = 2.5 is refused with its index; K = 1 has the loss rho/(1 + rho), 1/3 at rho = 1/2."""
    assert mm1k_loss(0.5, convert([1.0, 1.0]))[1] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r"^capacity\[1\] = 2.5 packets is out of range: must be an integer"):
        mm1k_loss(0.5, convert([1.0, 2.5]))


@pytest.mark.parametrize("capacity", [2.5, np.float64(2.5), mpmath.mpf(2.5), sympy.Rational(5, 2), sympy.Float(2.5)])
def test_parts_of_packets(capacity):
    load = sympy.Symbol("r") if isinstance(capacity, sympy.Basic) else 0.5
    with pytest.raises(ValueError, match=r"^capacity = .* packets is out of range: must be an integer"):
        mm1k_loss(load, capacity)
    mm1k_loss(load, type(capacity)(2))


def test_parts_of_packets_while_tracing():
    """Tracing cannot refuse values: non-integers give NaN, the others keep their values and slopes."""
    found = jax.jit(lambda k: mm1k_loss(0.5, k))(jnp.asarray([1.0, 2.5, jnp.nan, 0.0]))
    np.testing.assert_allclose(found, [1 / 3, np.nan, np.nan, np.nan], rtol=1e-15)
    slope = jax.jit(jax.vmap(jax.grad(lambda rho, k: mm1k_loss(rho, k)), (None, 0)))
    mapped = slope(0.5, jnp.asarray([1.0, 2.5]))
    assert float(mapped[0]) == pytest.approx(4 / 9)  # 1/(1 + rho)^2
    assert jnp.isnan(mm1k_loss(0.5, jnp.asarray([1.0, jnp.nan])))[1]  # not traced: NaN passes


@EVERY
def test_expressions_agree_with_many_digits(one):
    """Expressions, and equations of roots; in the long profile by sympy itself, at the ends of all ranges, too."""
    outcome = symbolic(one, for_symbols(one, 2, 1, at_ends=is_long()), quick=not is_long())
    assert outcome.status == "agrees", outcome


def test_public_names():
    """The public name leads to the law; each name belongs to one law."""
    names = [record.public_name for record in LAWS.values()]
    assert len(set(names)) == len(names)
    for record in LAWS.values():
        found = functools.reduce(getattr, record.public_name.split("."), longfat.laws)
        assert found is record, f"{record.place} is imported, but longfat.laws.{record.public_name} is another object"
    assert throughput_efficiency.public_name == "selective_repeat.throughput_efficiency"


def test_public_names_of_ones_own_laws(monkeypatch):
    x = Symbol("x", "1", "[0, 9]", (0, 9))

    def own(x, *, xp):
        return x

    record = Law(own, {"x": x}, "1", "an example")
    assert record.public_name == f"{__name__}.own"
    own.__module__ = "__main__"
    assert record.public_name == "own"
    own.__module__ = None
    assert record.public_name == "own"
    own.__module__ = "theirs.deep.inside"
    assert record.public_name == "theirs.deep.inside.own"
    monkeypatch.setitem(sys.modules, "theirs", types.SimpleNamespace(own=record))
    assert record.public_name == "theirs.own"


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


def test_dataarrays_have_the_unit_of_the_parameter():
    import xarray as xr

    window, loss = xr.DataArray([24.0], attrs={"units": "segments"}), xr.DataArray(1e-3, attrs={"units": "1"})
    assert float(throughput_efficiency(window, loss, 16, 23.0)[0]) == throughput_efficiency(24, 1e-3, 16, 23.0)
    with pytest.raises(ValueError, match=r"^units = 'packets' of window must be 'segments': arrays are not converted$"):
        throughput_efficiency(window.assign_attrs(units="packets"), loss, 16, 23.0)
