"""The names that a formula may use: each exists in every arithmetic and agrees with mpmath."""

import re

import array_api_strict
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy

from longfat.law import Law, Symbol, array_namespaces

X = Symbol("x", "1", "[-10, 10]", (-5, 5))


def logical(combine):
    return lambda x, xp: xp.where(combine(x, xp), 1, 0)


#: A formula with the name, the same by mpmath alone, and numbers to try.
CASES = {
    "power": (lambda x, xp: xp.power(x, 3), lambda x: x * x * x, (-2.5, 0.5)),
    "minimum": (lambda x, xp: xp.minimum(x, 1), lambda x: min(x, 1), (-2.5, 2.5)),
    "maximum": (lambda x, xp: xp.maximum(x, 1), lambda x: max(x, 1), (-2.5, 2.5)),
    "clip": (lambda x, xp: xp.clip(x, -1, 2), lambda x: min(max(x, -1), 2), (-2.5, 0.5, 2.5)),
    "sum": (lambda x, xp: xp.sum([x, x * x, 1]), lambda x: x + x * x + 1, (-2.5, 0.5)),
    "where": (lambda x, xp: xp.where(x > 1, x, -x), lambda x: x if x > 1 else -x, (0.5, 2.5)),
    "piecewise": (
        lambda x, xp: xp.piecewise(lambda: 0 * x, (x > 2, lambda: 2 * x), (x > 1, lambda: x)),
        lambda x: 2 * x if x > 2 else x if x > 1 else mpmath.mpf(0),
        (0.5, 1.5, 2.5),
    ),
    "equal": (logical(lambda x, xp: xp.equal(x, 2)), lambda x: int(x == 2), (1.5, 2.0)),
    "not_equal": (logical(lambda x, xp: xp.not_equal(x, 2)), lambda x: int(x != 2), (1.5, 2.0)),
    "logical_and": (logical(lambda x, xp: xp.logical_and(x > 1, x < 2)), lambda x: int(1 < x < 2), (0.5, 1.5, 2.5)),
    "logical_or": (logical(lambda x, xp: xp.logical_or(x < 1, x > 2)), lambda x: int(x < 1 or x > 2), (0.5, 1.5, 2.5)),
    "logical_not": (logical(lambda x, xp: xp.logical_not(x > 1)), lambda x: int(x <= 1), (0.5, 1.5)),
    "pi": (lambda x, xp: xp.pi * x, lambda x: mpmath.pi * x, (1.5,)),
    "e": (lambda x, xp: xp.e * x, lambda x: mpmath.e * x, (1.5,)),
    "inf": (lambda x, xp: xp.where(x > 1, xp.inf, x), lambda x: mpmath.inf if x > 1 else x, (0.5, 1.5)),
    "nan": (lambda x, xp: xp.where(x > 1, xp.nan, x), lambda x: mpmath.nan if x > 1 else x, (0.5, 1.5)),
    "abs": (lambda x, xp: xp.abs(x), lambda x: x if x > 0 else -x, (-2.5, 2.5)),
    "sign": (lambda x, xp: xp.sign(x), lambda x: (x > 0) - (x < 0), (-2.5, 0.0, 2.5)),
    "log2": (lambda x, xp: xp.log2(x), lambda x: mpmath.log(x) / mpmath.log(2), (0.5, 3.0)),
}
INSIDE = {"asin": (-0.5, 0.75), "acos": (-0.5, 0.75), "atanh": (-0.5, 0.75), "acosh": (1.5, 3.0)} | dict.fromkeys(
    ("sqrt", "log", "log1p", "log10"), (0.5, 3.0)
)
for _name in array_namespaces.OF_ONE - set(CASES):
    CASES[_name] = (
        lambda x, xp, name=_name: getattr(xp, name)(x), getattr(mpmath, _name), INSIDE.get(_name, (-2.5, 0.5, 2.0))
    )  # fmt: skip


def test_the_table_in_the_documentation_is_complete():
    table = re.findall(r"^``(.+?)``  ", array_namespaces.__doc__, re.MULTILINE)
    names = {name for row in table for name in re.findall(r"\w+(?=\()|^\w+(?: \w+)*$", row)}
    names = {name for some in names for name in some.split()}
    assert names == set(CASES)


def results(law, tried):
    """Return the law's values at some numbers, in every arithmetic."""
    numbers = [sympy.Float(x, 40) for x in tried]
    return {
        "float": [law(x) for x in tried],
        **{convert.__module__: law(convert(np.array(tried))) for convert in (np.asarray, array_api_strict.asarray)},
        "JAX": law(jnp.asarray(tried)),
        "jit": jax.jit(lambda v: law(v))(jnp.asarray(tried)),
        "mpmath": [law(mpmath.mpf(x)) for x in tried],
        "sympy": [law.expr.subs(X.sympy, number).evalf(30) for number in numbers],
        "number of sympy": [law(number).evalf(30) for number in numbers],
    }


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_name_in_every_arithmetic(name):
    formula, expected, tried = CASES[name]
    law = Law(lambda x, *, xp: formula(x, xp), {"x": X}, "1", "an example")
    want = [float(expected(mpmath.mpf(x))) for x in tried]
    for arithmetic, got in results(law, tried).items():
        assert [float(x) for x in got] == pytest.approx(want, rel=1e-13, abs=1e-13, nan_ok=True), arithmetic
    single = law(np.array(tried, dtype=np.float32))
    assert single.dtype == np.float32
    assert single == pytest.approx(want, rel=1e-5, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("name", sorted(array_namespaces.OF_ONE))
def test_functions_of_plain_numbers(name):
    """Functions of plain numbers, such as sqrt(2), are exact for sympy and do not change the precision of arrays."""
    number = {"asin": 0.5, "acos": 0.5, "atanh": 0.5}.get(name, 2)
    law = Law(lambda x, *, xp: x * getattr(xp, name)(number), {"x": X}, "1", "an example")
    want = 2 * float(CASES[name][1](mpmath.mpf(number)))
    for arithmetic, (got,) in results(law, [2.0]).items():
        assert float(got) == pytest.approx(want, rel=1e-13), arithmetic
    assert law(np.array([2.0], dtype=np.float32)).dtype == np.float32
    assert law(jnp.asarray([2.0], dtype=jnp.float32)).dtype == np.float32


def function_of(name):
    return Law(lambda x, *, xp: getattr(xp, name)(x), {"x": X}, "1", "an example")


def test_outside_its_domain_a_function_is_nan_in_mpmath_too():
    for name in ("sqrt", "log", "log1p", "log2", "log10", "asin", "acosh", "atanh"):
        law = function_of(name)
        assert mpmath.isnan(law(mpmath.mpf(-3))), name
        assert np.isnan(law(-3.0)), name
    root = Law(lambda x, *, xp: xp.power(x, 0.5), {"x": X}, "1", "an example")
    assert mpmath.isnan(root(mpmath.mpf(-3)))


def test_numbers_as_conditions_count_in_mpmath_as_in_numpy():
    for left, right in ((0, 2), (1, 2), (0, 0), (mpmath.mpf(1), mpmath.mpf(0)), (mpmath.mpf(1), mpmath.mpf(2))):
        for name in ("logical_and", "logical_or"):
            expected = getattr(np, name)(float(left), float(right))
            assert getattr(array_namespaces.MpmathNamespace(), name)(left, right) is bool(expected)


def test_a_name_that_not_all_have():
    law = Law(lambda x, *, xp: xp.arctan2(x, 1), {"x": X}, "1", "an example")
    assert law(1.0) == np.arctan2(1, 1)
    for x, numbers in ((sympy.Symbol("x"), "symbols"), (mpmath.mpf(1), "mpmath numbers")):
        with pytest.raises(AttributeError, match=rf"xp.arctan2 does not exist for {numbers}: help"):
            law(x)
