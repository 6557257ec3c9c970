"""Points of a sweep's grid, and the random stream of each run."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.base.domains import out_of_range, wrong_type

TAKEN = ("rng", "replication", "replications", "status")  # names of arguments and variables that a sweep adds


@dataclass(frozen=True)
class Axis:
    """Parameter of the grid; ``alone`` is whether it was given as a single value, not in a sequence."""

    name: str
    values: np.ndarray
    alone: bool
    attrs: dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """Grid of all combinations of the axes' values; the last axis varies fastest.

    >>> grid = Grid.parse({"load": [0.5, 0.9], "scheme": ["reno", "cubic"]})
    >>> len(grid), grid.positions(2), grid.point(2)
    (4, (1, 0), {'load': 0.9, 'scheme': 'reno'})
    """

    axes: tuple[Axis, ...]

    @classmethod
    def parse(cls, grid: Any) -> Grid:
        """Make the grid from a sweep's argument ``grid``, a mapping of each name to different values."""
        if not isinstance(grid, Mapping):
            raise wrong_type("grid", grid, "a mapping of names to sequences")
        return cls(tuple(_axis(name, values) for name, values in grid.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes, in order."""
        return tuple(axis.name for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values on each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def positions(self, index: int) -> tuple[int, ...]:
        """Return the positions of point number ``index`` on the axes."""
        return tuple(map(int, np.unravel_index(index, self.shape)))

    def point(self, index: int) -> dict[str, Any]:
        """Return the arguments of point number ``index``, as plain Python numbers, strings and booleans."""
        pairs = zip(self.axes, self.positions(index), strict=True)
        return {axis.name: axis.values[position].item() for axis, position in pairs}


def _axis(name: Any, given: Any) -> Axis:
    if not isinstance(name, str) or not name.isidentifier() or name in TAKEN:
        raise ValueError(
            f"grid: {name!r} is no name of a parameter: must be a Python identifier other than {', '.join(TAKEN)}"
        )
    attrs = dict(getattr(given, "attrs", {}))
    values = getattr(given, "values", given)  # attribute of xarray and pandas objects
    if isinstance(values, np.ndarray):
        values = values.tolist()
    alone = isinstance(values, str) or not isinstance(values, Sequence)
    listed = [values] if alone else list(values)
    kinds = {_kind(value) for value in listed}
    if len(kinds) != 1 or kinds == {"other"} or len(set(listed)) != len(listed):
        allowed = "one value or more, all different, and all numbers, all strings or all booleans"
        raise out_of_range(f"grid: {name}", reprlib.repr(given), "1", allowed)
    array = np.asarray(listed)
    if array.dtype.kind not in "biufU":  # elements are subclasses of str, or integers beyond 64 bits
        array = np.asarray(listed, str if kinds == {"text"} else float)
    return Axis(name, array, alone, attrs)


def _kind(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float | np.integer | np.floating) and value == value:  # NaN is no coordinate
        return "number"
    return "other"


@dataclass(frozen=True)
class Streams:
    """Random streams of a sweep: parts of a numpy.random.SeedSequence, and the type of bit generator."""

    entropy: Any
    spawn_key: tuple[int, ...]
    pool_size: int
    bit_generator: type[np.random.BitGenerator]

    @classmethod
    def parse(cls, rng: Any) -> Streams:
        """Make the streams from a sweep's argument ``rng``, a seed or a generator.

        A seed gives the same streams every time. A generator spawns a child, so that the next sweep with this generator
        is independent of the present one.
        """
        made = domains.generator(rng)
        root: Any = made.bit_generator.seed_seq
        if isinstance(rng, np.random.Generator | np.random.BitGenerator):
            root = root.spawn(1)[0]
        entropy = root.entropy if isinstance(root.entropy, int) else np.asarray(root.entropy).tolist()
        return cls(entropy, tuple(map(int, root.spawn_key)), root.pool_size, type(made.bit_generator))

    @classmethod
    def from_attributes(cls, seed: Mapping[str, Any]) -> Streams:
        """Restore streams from the values that `attributes` returned."""
        kind = getattr(np.random, seed["bit_generator"], np.random.PCG64)
        return cls(seed["entropy"], tuple(seed["spawn_key"]), seed["pool_size"], kind)

    def attributes(self) -> dict[str, Any]:
        """Return values from which `from_attributes` restores the same streams."""
        return {
            "entropy": self.entropy,
            "spawn_key": list(self.spawn_key),
            "pool_size": self.pool_size,
            "bit_generator": self.bit_generator.__name__,
        }

    def generator(self, positions: tuple[int, ...], replication: int) -> np.random.Generator:
        """Return the random stream of a run, determined by the seed, the point's positions and the replication."""
        key = (*self.spawn_key, *positions, replication)
        seed = np.random.SeedSequence(self.entropy, spawn_key=key, pool_size=self.pool_size)
        make: Any = self.bit_generator
        return np.random.Generator(make(seed))
