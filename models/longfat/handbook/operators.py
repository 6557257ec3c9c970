"""Base class of tracers: an operator applied to a tracer records an operation instead of computing its result."""

from __future__ import annotations

from typing import Any


class Operators:
    """Python operators that record an operation instead of computing; subclasses define `apply`."""

    __array_ufunc__ = None  # an operator between a NumPy scalar and a tracer calls the tracer's method

    def apply(self, operation: str, *operands: Any) -> Any:
        """Record an operation on operands, and return a tracer of the result."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self.apply("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.apply("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.apply("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.apply("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.apply("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.apply("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.apply("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.apply("/", other, self)

    def __mod__(self, other: Any) -> Any:
        return self.apply("mod", self, other)

    def __pow__(self, other: Any) -> Any:
        return self.apply("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return self.apply("power", other, self)

    def __neg__(self) -> Any:
        return self.apply("negative", self)

    def __abs__(self) -> Any:
        return self.apply("abs", self)

    def __lt__(self, other: Any) -> Any:
        return self.apply("<", self, other)

    def __le__(self, other: Any) -> Any:
        return self.apply("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return self.apply(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return self.apply(">=", self, other)

    def __eq__(self, other: object) -> Any:
        return self.apply("===", self, other)

    def __ne__(self, other: object) -> Any:
        return self.apply("!==", self, other)

    def __and__(self, other: Any) -> Any:
        return self.apply("&&", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self.apply("||", self, other)

    __ror__ = __or__

    def __invert__(self) -> Any:
        return self.apply("!", self)

    def __bool__(self) -> bool:
        raise TypeError("a traced condition has no value: write xp.where(condition, x, y) instead of if")

    __hash__ = object.__hash__
