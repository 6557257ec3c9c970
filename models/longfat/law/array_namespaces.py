"""Arithmetics in which a law can be evaluated: arrays, mpmath numbers, sympy expressions.

A law is written in terms of a namespace ``xp``. Each class here and in `longfat.law.exact_namespaces` implements the
same functions for one arithmetic; the types of the arguments select it. Besides ``+ - * / **``, comparisons, ``&`` and
``|``, a formula may use the following names, which all arithmetics have. They are those of the array API, except
``power``, ``piecewise`` and the sum of a list:

=============================================================  ========================================================
``sqrt(x) exp(x) expm1(x) log(x) log1p(x) log2(x) log10(x)``   roots, powers of e, logarithms (``log`` is natural)
``power(x, y)``                                                x to the power of y
``sin(x) cos(x) tan(x) asin(x) acos(x) atan(x)``               trigonometric functions and their inverses
``sinh(x) cosh(x) tanh(x) asinh(x) acosh(x) atanh(x)``         hyperbolic functions and their inverses
``abs(x) sign(x) floor(x) ceil(x)``                            absolute value, sign, rounding down and up
``minimum(x, y) maximum(x, y) clip(x, low, high)``             the smaller, the larger, x within bounds
``sum([x, y, z])``                                             the sum of a list of terms, whose length is fixed
``where(condition, x, y)``                                     x where the condition holds, else y
``piecewise(lambda: z, (condition, lambda: x))``               x of the first of one or more conditions that holds, else
                                                               z; values that are not needed are not computed
``equal(x, y) not_equal(x, y)``                                conditions; ``==`` between symbols is not a condition
``logical_and(c, d) logical_or(c, d) logical_not(c)``          conditions combined; ``~`` is not a negation in mpmath
``pi e inf nan``                                               constants, in the digits of the arithmetic
=============================================================  ========================================================

Outside its domain a function gives NaN in arrays and in mpmath. In JAX the gradient of ``where`` uses both values: the
value that is not selected must be finite, too, as in ``where(x > 0, log(where(x > 0, x, 1)), 0)``.

JAX, mpmath and sympy are imported only when arguments of their types occur. `longfat.handbook.trace` has a further
arithmetic, which records the operations of a law to write them in JavaScript.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.law.exact_namespaces import MPMATH, Branch, MpmathNamespace, Namespace, SympyNamespace, Thunk

__all__ = ["NUMPY", "ArrayNamespace", "JaxNamespace", "MpmathNamespace", "SympyNamespace", "namespace_of"]

OF_ONE = (frozenset(MPMATH) | {"log2"}) - {"power"}  # functions of one number


class ArrayNamespace(Namespace):
    """Functions that a law may use with NumPy, or with another library that has the array API."""

    equal, not_equal = staticmethod(operator.eq), staticmethod(operator.ne)

    def __init__(self, library: Any) -> None:
        self.library = library

    def __getattr__(self, name: str) -> Any:  # finds exp, log, floor, minimum, maximum, clip, pi, reshape, ...
        function = getattr(self.library, name)
        return functools.partial(_of_one, function, name) if name in OF_ONE else function

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return ``yes`` where the condition holds, else ``no``; both may be plain numbers."""
        if isinstance(yes, int | float) and isinstance(no, int | float):
            yes = self.library.asarray(float(yes))
        return self.library.where(condition, yes, no)

    def sum(self, x: Any, *, axis: int | None = None) -> Any:
        """Return the elementwise sum of a list of terms, or the sum of an array."""
        if hasattr(x, "shape"):
            return self.library.sum(x, axis=axis)
        return functools.reduce(operator.add, x, 0)

    def power(self, base: Any, exponent: Any) -> Any:
        """Return the base raised to the exponent."""
        return self.library.pow(base, exponent)

    def piecewise(self, default: Thunk, *branches: Branch) -> Any:
        """Return, elementwise, the value of the first branch whose condition holds, or else the default."""
        result = default()
        for condition, value in reversed(branches):
            if self.library.any(condition):
                result = self.library.where(condition, value(), result)
        return result

    def where_needed(self, condition: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)`` where the condition holds, and 0 elsewhere.

        The function is evaluated only for the elements for which the condition holds.
        """
        condition, *arguments = self.library.broadcast_arrays(condition, *arguments)
        result = self.library.zeros_like(arguments[0])
        if self.library.any(condition):
            result[condition] = function(*(argument[condition] for argument in arguments))
        return result

    def bits(self, like: Any) -> int:
        """Return the number of fraction bits of an array's type: the next number above 1 is 1 + 2^-bits."""
        return -math.frexp(float(self.library.finfo(like.dtype).eps))[1] + 1

    def smallest(self, like: Any) -> float:
        """Return the smallest positive number that an array's type has in full precision."""
        return float(self.library.finfo(like.dtype).smallest_normal)

    def iterate(self, more: Callable[..., Any], step: Callable[..., tuple[Any, ...]], *state: Any) -> Any:
        """Repeat ``state = step(*state)`` while ``more(*state)`` holds for any element; return the state.

        When most elements are finished, the iteration goes on with the others alone.
        """
        state = tuple(self.library.broadcast_arrays(*state))
        while True:
            going = more(*state)
            left = int(self.library.count_nonzero(going))
            if not left:
                return state
            if 2 * left < going.size:
                rest = self.iterate(more, step, *(part[going] for part in state))
                state = tuple(self.library.asarray(part, copy=True) for part in state)
                for part, found in zip(state, rest, strict=True):
                    part[going] = found
                return state
            state = step(*state)


class JaxNamespace(ArrayNamespace):
    """Functions for JAX arrays and tracers: no control flow depends on values, no array is modified in place."""

    def piecewise(self, default: Thunk, *branches: Branch) -> Any:
        """Return, elementwise, the value of the first branch whose condition holds, or else the default."""
        result = default()
        for condition, value in reversed(branches):
            result = self.library.where(condition, value(), result)
        return result

    def where_needed(self, condition: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)`` where the condition holds, and 0 elsewhere.

        Shapes cannot depend on values, so one of three programs is chosen at run time: the first returns zeros, if no
        element needs the function; the second gathers the elements, if at most one in sixteen needs it; the third
        computes all elements.
        """
        import jax

        jnp = self.library
        condition, *arguments = jnp.broadcast_arrays(condition, *arguments)
        needed = jnp.sum(condition)
        if not is_traced(needed) and not any(map(is_traced, arguments)):  # outside of `jit` the values are known
            return function(*arguments) if needed else jnp.zeros_like(arguments[0])
        shape, size, few = condition.shape, condition.size, condition.size // 16

        def none(*args: Any) -> Any:
            return jnp.zeros_like(args[0])

        def some(*args: Any) -> Any:
            at = jnp.nonzero(condition.ravel(), size=few, fill_value=size)[0]  # unused entries are out of range
            picked = function(*(arg.ravel().at[at].get(mode="clip") for arg in args))
            return jnp.zeros_like(args[0]).ravel().at[at].set(picked, mode="drop").reshape(shape)

        programs = [none, some, function] if few else [none, function]
        which = jnp.where(needed == 0, 0, jnp.where(needed <= few, 1, len(programs) - 1))
        return jax.lax.switch(which, programs, *arguments)

    def fixed(self, value: Any) -> Any:
        """Return the value as a constant, through which JAX passes no derivative."""
        import jax

        return jax.lax.stop_gradient(value)

    def iterate(self, more: Callable[..., Any], step: Callable[..., tuple[Any, ...]], *state: Any) -> Any:
        """Repeat ``state = step(*state)`` while ``more(*state)`` holds for any element; return the state."""
        import jax

        return jax.lax.while_loop(lambda s: self.library.any(more(*s)), lambda s: step(*s), state)

    def implicit(self, residual: Callable[..., Any], solution: Any, *parameters: Any) -> Any:
        """Return ``solution``, a root of ``residual``, with derivatives by the implicit function theorem.

        The rule for the derivative applies itself to the solution, so that higher derivatives are correct, too.
        """
        import jax

        def tangent(primals: Any, tangents: Any) -> Any:
            x, parameters = attached(*primals), primals[1:]
            slope = jax.jvp(lambda y: residual(y, *parameters), (x,), (self.library.ones_like(x),))[1]
            change = jax.jvp(lambda *p: residual(x, *p), parameters, tangents[1:])[1]
            return x, -change / slope

        attached = jax.custom_jvp(lambda x, *parameters: x)
        attached.defjvp(tangent)
        return attached(jax.lax.stop_gradient(solution), *self.library.broadcast_arrays(*parameters))

    def expm1(self, x: Any) -> Any:
        """Return exp(x) - 1 with the derivative exp(x).

        The derivative of JAX's own function, (exp(x) - 1) + 1, has no correct digits for x far below 0.
        """
        return _expm1()(x)

    def cumulative_sum(self, x: Any, *, axis: int) -> Any:
        """Return cumulative sums along the first axis.

        The gradient of XLA's own function takes seconds to compile.
        """
        return self._cumulated(lambda total, one: total + one, self.library.zeros_like(x[0]), x, axis)

    def cumulative_prod(self, x: Any, *, axis: int) -> Any:
        """Return cumulative products along the first axis."""
        return self._cumulated(lambda total, one: total * one, self.library.ones_like(x[0]), x, axis)

    @staticmethod
    def _cumulated(step: Callable[[Any, Any], Any], start: Any, x: Any, axis: int) -> Any:
        import jax

        if axis != 0:
            raise domains.out_of_range("axis", axis, "1", "0")
        return jax.lax.scan(lambda total, one: (step(total, one),) * 2, start, x)[1]

    def repeat(self, times: int, step: Callable[..., tuple[Any, ...]], *state: Any) -> Any:
        """Apply ``state = step(i, *state)`` for i = 1 ... ``times``, compiled once; return the state."""
        import jax

        kind = state[0].dtype
        return jax.lax.fori_loop(1, times + 1, lambda i, s: step(i.astype(kind), *s), state)


def _of_one(function: Callable[[Any], Any], name: str, x: Any) -> Any:
    """Apply a function to an array or number; a Python number gives a float, so other operands keep their precision."""
    return float(getattr(np, name)(x)) if type(x) in (int, float) else function(x)


@functools.cache
def _expm1() -> Any:
    """Return JAX's expm1 with the derivative exp(x); the cache makes all laws trace the same function."""
    import jax

    function = jax.custom_jvp(jax.numpy.expm1)
    function.defjvps(lambda tangent, result, x: tangent * jax.numpy.exp(x))
    return function


NUMPY = ArrayNamespace(np)  # NumPy implements the array API since 2.1


def _is(value: Any, module: str, *names: str) -> bool:
    """Return whether a value is of a type that a module defines, without importing the module."""
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(value, getattr(loaded, name)) for name in names)


def namespace_of(values: list[Any]) -> Any:
    """Return the arithmetic for values: sympy's if one is of sympy, else that of mpmath, JAX, another library or NumPy.

    >>> namespace_of([0.5, 1]) is NUMPY
    True
    """
    if any(_is(value, "sympy", "Basic") for value in values):
        return SympyNamespace()
    if any(_is(value, "mpmath", "mpf") for value in values):
        return MpmathNamespace()
    if any(_is(value, "jax", "Array") for value in values):
        import jax.numpy

        return JaxNamespace(jax.numpy)
    strange = [
        value for value in values if hasattr(value, "__array_namespace__") and not _is(value, "numpy", "ndarray")
    ]
    if strange and not isinstance(strange[0], np.generic):
        import array_api_compat

        return ArrayNamespace(array_api_compat.array_namespace(*strange))
    return NUMPY


def is_traced(value: Any) -> bool:
    """Return whether the value is a JAX tracer, which has no value to check yet."""
    return sys.modules.get("jax") is not None and _is(value, "jax.core", "Tracer")


def as_arrays(values: list[Any], xp: ArrayNamespace) -> list[Any]:
    """Return all values as arrays of one type: the common type of the floating-point arrays, or else the default type.

    >>> [a.dtype.name for a in as_arrays([np.float32([0.5]), 2], NUMPY)]
    ['float32', 'float32']
    """
    arrays = [None if isinstance(v, int | float) and not isinstance(v, np.generic) else xp.asarray(v) for v in values]
    kinds = [a.dtype for a in arrays if a is not None and xp.isdtype(a.dtype, "real floating")]
    kind = xp.result_type(*kinds) if kinds else xp.asarray(0.0).dtype
    return [
        xp.asarray(v, dtype=kind) if a is None else a if a.dtype == kind else xp.astype(a, kind)
        for v, a in zip(values, arrays, strict=True)
    ]


def is_scalar(value: Any) -> bool:
    """Return whether a value is a number, not an array; a zero-dimensional NumPy array is an array."""
    return isinstance(value, int | float | np.generic)


def filled(value: Any) -> Any:
    """Return a masked array as a plain one with NaN for its masked elements; return other values unchanged.

    >>> filled(np.ma.array([1, -999], mask=[False, True]))
    array([ 1., nan])
    """
    if not isinstance(value, np.ma.MaskedArray):
        return value
    return np.ma.filled(value if value.dtype.kind == "f" else value.astype(float), np.nan)
