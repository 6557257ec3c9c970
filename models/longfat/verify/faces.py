"""Checks of a law: its proof, its values in floats and arrays, JAX's values and derivatives, the printed formula."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import extras
from longfat.law import Law
from longfat.verify import high_precision
from longfat.verify.points import Point

#: Operations of traced programs: their names in JAX -> functions of NumPy. JAX itself computes all other operations.
NUMPY: dict[str, Callable[..., Any]] = {
    "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "rem": np.fmod,
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "max": np.maximum, "min": np.minimum, "floor": np.floor,
    "ceil": np.ceil, "sqrt": np.sqrt, "square": np.square, "pow": np.power, "exp": np.exp, "expm1": np.expm1,
    "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "not": np.invert, "stop_gradient": np.positive,
    # JAX rounds quotients of integers towards zero.
    "div": lambda x, y: np.divide(x, y) if np.result_type(x, y).kind == "f" else (x - np.fmod(x, y)) // y,
    "integer_pow": lambda x, y, **_: np.power(x, y),
    "select_n": lambda which, *cases: np.choose(which, cases),
    "clamp": lambda low, x, high: np.clip(x, low, high),
    "convert_element_type": lambda x, new_dtype, **_: np.asarray(x, dtype=new_dtype),
    "broadcast_in_dim": lambda x, shape, broadcast_dimensions, **_: np.broadcast_to(
        np.expand_dims(x, tuple(k for k in range(len(shape)) if k not in broadcast_dimensions)), shape
    ),
    "reshape": lambda x, new_sizes, **_: np.reshape(x, new_sizes),
    "squeeze": lambda x, dimensions, **_: np.squeeze(x, dimensions),
    "rev": lambda x, dimensions, **_: np.flip(x, dimensions),
    "concatenate": lambda *parts, dimension: np.concatenate(parts, dimension),
    "slice": lambda x, start_indices, limit_indices, strides: x[
        tuple(map(slice, start_indices, limit_indices, strides or [1] * x.ndim))
    ],
    "reduce_sum": lambda x, axes, **_: np.sum(x, axes),
    "reduce_or": lambda x, axes, **_: np.any(x, axes),
}  # fmt: skip


#: Result of a comparison at one point: relative error, point, and remark.
Found = tuple[float, Point, str]


@dataclass(frozen=True)
class Outcome:
    """Result of one check of a law.

    ``status`` is "agrees", "differs", "undecided", "error" (an exception was raised) or "not checked". ``error`` is
    the largest deviation, ``where`` the point at which it was found, ``checks`` the number of comparisons. ``remark``
    is an explanation, or the type and message of an exception. For simulations ``packets`` is the number of packets
    sent. ``evidence`` is the logarithm to the base 10 of an e-value, which is large if the law is within its accuracy,
    at the point where this e-value is least.
    """

    status: str
    error: float = math.nan
    where: Mapping[str, float] | None = None
    checks: int = 0
    remark: str = ""
    packets: float = math.nan
    evidence: float = math.nan


def worst(points: Iterable[Any], errors: Callable[[Any], Iterable[Found]], tolerance: float) -> Outcome:
    """Make comparisons, and return an outcome with the largest error or with the first exception.

    ``errors`` is called with each element of ``points``, which is a point or another argument, and yields the results
    of the comparisons made for it. The outcome is "agrees" if no error exceeds ``tolerance``.
    """
    where: Point | None = None
    largest, remark, checks = 0.0, "", 0
    for point in points:
        try:
            found = list(errors(point))
        except Exception as failure:
            return failed(failure, point if isinstance(point, dict) else None, checks)
        for error, at, how in found:
            checks += 1
            if where is None or not error <= largest:  # NaN as well
                largest, where, remark = error, at, how
    if not checks:
        return Outcome("not checked", remark="no point could be compared")
    return Outcome("agrees" if largest <= tolerance else "differs", largest, where, checks, remark)


def proof(law: Law, points: Sequence[Point] = (), *, quick: bool = False) -> Outcome:
    """Run the law's derivation, and compare its result with the law's exact values.

    The derivation is a function or the name of one in ``derivations/`` (only in the repository). Its result may be only
    one case of a piecewise law, or a tuple of its cases, so equal values at one point are enough. A result that is not
    an expression in the law's symbols is not compared; in a quick run, an infinite sum is not compared either.
    """
    if not law.derivation:
        return Outcome("not checked", remark="the law is a definition or a composition, so it names no derivation")
    given = law.derivation
    if isinstance(given, str) and not extras.beside("derivations.proof"):
        return Outcome("not checked", remark="derivations are not installed")
    if quick and law.long_proof:
        return Outcome("not checked", remark="skipped in a quick run, because it takes longer")
    name = f"derivations.{given}" if isinstance(given, str) else getattr(given, "__name__", repr(given))
    try:
        result = proved(law)
        found: list[tuple[float, Point]] = []
        for error, point in _proof_errors(law, result, points, quick):
            found.append((error, point))
            if error <= high_precision.TOLERANCE:
                break
    except AssertionError as failure:
        return Outcome("differs", remark=f"{name}: {words(failure)}")
    except Exception as failure:
        return Outcome("error", remark=f"{name}: {words(failure)}")
    if result is None:
        return Outcome("differs", remark=f"{name} returns nothing")
    error, where = min(found, key=lambda pair: pair[0], default=(0.0, None))
    if error > high_precision.TOLERANCE:
        return Outcome("differs", error, where, len(found), f"{name} derives another expression")
    return Outcome("agrees", checks=1 + len(found), remark=name)


def proved(law: Law) -> Any:
    """Return the result of a law's derivation, or the part of it that the law names: "queues.mm1_times.wait"."""
    given = law.derivation
    if not isinstance(given, str):
        return given()
    module, function, *part = given.split(".")
    result = getattr(importlib.import_module(f"derivations.{module}"), function)()
    return getattr(result, part[0]) if part else result


def _proof_errors(law: Law, result: Any, points: Sequence[Point], quick: bool) -> Iterator[tuple[float, Point]]:
    """Yield the relative error of a law against the result of its proof, at each point where the result is a number."""
    import mpmath
    import sympy as sp

    cases = result if type(result) is tuple else (result,)
    compared = [one for one in cases if isinstance(one, sp.Expr) and not (quick and one.has(sp.Sum))]
    for case, point in itertools.product(compared, points):
        values = {
            one.plain_letter: sp.Integer(point[name]) if one.integer else sp.Float(point[name], 60)
            for name, one in law.symbols.items()
        }
        at = {symbol: values.get(symbol.name.lstrip("\\"), symbol) for symbol in case.free_symbols}
        value = sp.N(case.subs(at), 40)
        if value.is_Number:
            yield high_precision.error(high_precision.exact(law, point), mpmath.mpf(value)), point


def numeric(law: Law, points: Sequence[Point]) -> Outcome:
    """Compare the law's values in floats, computed point by point and as an array, with the exact values."""
    try:
        column = iter(law(**_columns(law, points)))
    except Exception as failure:
        return failed(failure)

    def errors(point: Point) -> Iterator[Found]:
        for one, how in ((law(**point), ""), (next(column), "as an array")):
            yield high_precision.value_error(law, point, one), point, how

    return worst(points, errors, high_precision.TOLERANCE)


def _columns(law: Law, points: Sequence[Point]) -> dict[str, np.ndarray]:
    """Return an array for each parameter of a law, with its values at the points."""
    return {name: np.array([point[name] for point in points]) for name in law.symbols}


def jax_faces(law: Law, points: Sequence[Point], *, quick: bool = False) -> tuple[Outcome, Outcome]:
    """Compare JAX's values in 64 bits with NumPy's, and JAX's slopes with central differences in 60 digits.

    A full run checks the compiled, uncompiled and mapped law and its reverse-mode gradient. A quick run traces the law
    with its forward-mode slopes, and computes the traced operations in NumPy. It leaves out reverse mode, and JAX's
    compiler XLA, which would take twice as long as the rest of this check.
    """
    if not extras.installed("jax"):
        absent = Outcome("not checked", remark="JAX is not installed")
        return absent, absent
    with _64_bits():
        try:
            results, slopes = (_traced if quick else _thorough)(law, points)
            values = _values(law, points, results)
        except Exception as failure:
            return failed(failure), failed(failure)
        if not slopes:
            return values, Outcome("not checked", remark="the parameters are integers, so there is no slope")
        return values, _slopes(law, points, slopes)


def _values(law: Law, points: Sequence[Point], results: Mapping[str, Any]) -> Outcome:
    expected = [law(**point) for point in points]

    def errors(how: str) -> Iterator[Found]:
        for point, one, other in zip(points, np.asarray(results[how]), expected, strict=True):
            yield high_precision.value_error(law, point, one, other), point, how

    return worst(results, errors, high_precision.TOLERANCE)


def _slopes(law: Law, points: Sequence[Point], slopes: Mapping[str, Any]) -> Outcome:
    def errors(name: str) -> Iterator[Found]:
        for point, got in zip(points, np.asarray(slopes[name]), strict=True):
            yield high_precision.slope_error(law, point, name, float(got)), point, f"by {name}"

    return worst(slopes, errors, high_precision.SLOPE_TOLERANCE)


def _real(law: Law) -> list[str]:
    """Return the names of the parameters by which a law has slopes: those that are not integers."""
    return [name for name, symbol in law.symbols.items() if not symbol.integer]


def _thorough(law: Law, points: Sequence[Point]) -> tuple[dict[str, Any], dict[str, Any]]:
    import jax

    real = _real(law)
    arrays = {name: jax.numpy.asarray(column) for name, column in _columns(law, points).items()}
    results = {
        "compiled": jax.jit(lambda v: law(**v))(arrays),
        "not compiled": law(**arrays),
        "mapped": jax.jit(jax.vmap(lambda v: law(**v)))(arrays),
    }
    gradient = jax.jit(jax.grad(lambda v: jax.numpy.sum(law(**v))))(arrays) if real else {}
    return results, {name: gradient[name] for name in real}


def _traced(law: Law, points: Sequence[Point]) -> tuple[dict[str, Any], dict[str, Any]]:
    import jax

    # One run computes all slopes: the points are repeated for each parameter, and the derivative of each copy is by
    # that parameter.
    real, count = _real(law), len(points)
    columns = {name: np.tile(column, max(1, len(real))) for name, column in _columns(law, points).items()}
    directions = {name: np.zeros_like(column) for name, column in columns.items()}
    parts = {name: slice(k * count, (k + 1) * count) for k, name in enumerate(real)}
    for name, part in parts.items():
        directions[name][part] = 1.0
    program = jax.make_jaxpr(lambda v, direction: jax.jvp(lambda u: law(**u), (v,), (direction,)))(columns, directions)
    with np.errstate(all="ignore"):
        value, slope = _evaluated(program, jax.tree.leaves((columns, directions)))
    return {"traced": value[:count]}, {name: slope[part] for name, part in parts.items()}


def _evaluated(program: Any, arguments: Sequence[Any]) -> list[Any]:
    """Return the results of a program that JAX has traced, computed one operation after the other."""
    from jax.extend.core import Literal

    values = dict(zip(program.jaxpr.constvars, program.consts, strict=True))
    values |= zip(program.jaxpr.invars, arguments, strict=True)

    def value(one: Any) -> Any:
        return one.val if isinstance(one, Literal) else values[one]

    for step in program.jaxpr.eqns:
        values |= zip(step.outvars, _results(step, [value(one) for one in step.invars]), strict=True)
    return [value(one) for one in program.jaxpr.outvars]


def _results(step: Any, given: list[Any]) -> Sequence[Any]:
    """Return the results of one operation, loop, conditional or function call of a traced program."""
    name, options = step.primitive.name, step.params
    if name in NUMPY:
        function = NUMPY[name]
        return [function(*given) if isinstance(function, np.ufunc) else function(*given, **options)]
    if name == "while":
        split, begin = options["cond_nconsts"], options["cond_nconsts"] + options["body_nconsts"]
        state = given[begin:]
        while _evaluated(options["cond_jaxpr"], [*given[:split], *state])[0]:
            state = _evaluated(options["body_jaxpr"], [*given[split:begin], *state])
        return state
    if name == "scan":
        begin, end = options["num_consts"], options["num_consts"] + options["num_carry"]
        state, rows = given[begin:end], []
        order = range(options["length"])[:: -1 if options["reverse"] else 1]
        for k in order:
            found = _evaluated(options["jaxpr"], [*given[:begin], *state, *(one[k] for one in given[end:])])
            state = found[: end - begin]
            rows.append(found[end - begin :])
        return [*state, *(np.stack(column)[list(order)] for column in zip(*rows, strict=True))]
    if name == "cond":
        branches = options["branches"]
        return _evaluated(branches[min(max(int(given[0]), 0), len(branches) - 1)], given[1:])
    called = options.get("call_jaxpr", options.get("jaxpr"))
    if called is not None:
        return _evaluated(called, given)
    found = step.primitive.bind(*given, **options)
    return [np.asarray(one) for one in (found if step.primitive.multiple_results else [found])]


def _64_bits() -> Any:
    """Return a context manager in which JAX computes in 64 bits; older versions of JAX have it in jax.experimental."""
    import jax

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64(True)


def printed(law: Law, points: Sequence[Point]) -> Outcome:
    """Compare the expression as printed in the source with the law; a difference is an erratum, not a failure."""

    def errors(point: Point) -> Iterator[Found]:
        ours, theirs = law(**point), law.as_printed(**point)
        if math.isfinite(ours) and math.isfinite(theirs):
            yield abs(theirs - ours) / (abs(ours) if ours else 1.0), point, ""

    found = worst(points, errors, 0.0)
    if found.status == "error":
        return found
    return Outcome("erratum", found.error, found.where, found.checks, law.as_printed.errata)


def failed(failure: Exception, where: Point | None = None, checks: int = 0) -> Outcome:
    """Return the outcome "error" of a check that raised an exception, with its type and message as remark."""
    return Outcome("error", where=where, checks=checks, remark=words(failure))


def words(failure: Exception) -> str:
    """Return an exception's type and message in one line."""
    text = " ".join(str(failure).split())
    return f"{type(failure).__name__}: {text[:200]}"
