"""Paths of fluid systems: iterated maps, and differential equations by Runge-Kutta steps with an interpolated past."""

from __future__ import annotations

import functools
import math
import reprlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains, extras
from longfat.fluid.labelling import Points, double, points
from longfat.fluid.system import System

if TYPE_CHECKING:
    import xarray as xr

METHODS = ("jax", "numpy")

# Stages of the classical Runge-Kutta method of order four: index, time as a fraction of the step, weight.
STAGES = ((0, 1, 2, 3), (0, 1 / 2, 1 / 2, 1), (1 / 6, 1 / 3, 1 / 3, 1 / 6))


def trajectory(system: System, start: Any, steps: int, step: float = 1.0, **parameters: Any) -> Any:
    r"""Return the states of a system over time for one point, as a JAX array for ``jit``, ``grad`` and ``vmap``.

    .. math:: x_{i+1} = F(i, x_i, \ldots) \quad\text{or}\quad x_{i+1} = x_i + \frac h6 (k_1 + 2 k_2 + 2 k_3 + k_4)

    Parameters
    ----------
    system : System
        The system.
    start : array of shape (size,)
        State at time 0, in the units of the variables.
    steps : int
        Number of updates or of steps, in [0, 10^7]; fixed when compiled.
    step : float
        h [unit of the system's time], for continuous time; at most the smallest delay.
    **parameters
        Numbers, or arrays of the declared length; those not given have their defaults.

    Returns
    -------
    jax.Array of shape (steps + 1, size)
        The start and the state after every step, in the precision of the start. Values are not checked here, but in
        `integrate`.

    Notes
    -----
    In continuous time the method is the classical Runge-Kutta method; the past is interpolated by cubic Hermite
    polynomials of states and slopes. It is of fourth order where the solution is smooth inside the steps. A start that
    is not an equilibrium makes kinks at the delays: unless h divides the delays, the order is two. If a bound is
    reached inside a step, the order is one.

    Examples
    --------
    >>> import jax
    >>> from longfat.fluid import cadpc
    >>> trajectory(cadpc(4), [0.1] * 4, 2, smoothing=1.0)[:, 0].round(4).tolist()
    [0.1..., 0.15..., 0.187...]
    >>> slope = jax.grad(lambda a: trajectory(cadpc(4), [0.1] * 4, 1, smoothing=a)[1, 0])(1.0)  # x_0 (1 - x_0 - 4 x_0)
    >>> f"{slope:.3f}"
    '0.050'

    References
    ----------
    The method is the usual one for constant delays, e.g. Bellen & Zennaro, Numerical Methods for Delay Differential
    Equations, 2003, chapter 3.
    """
    extras.need("fluid.trajectory", "jax")
    import jax
    import jax.numpy as jnp

    steps = domains.integer("steps", steps, "steps", "[0, 10000000]")
    values = system.complete(parameters, jnp)
    first = jnp.asarray(start, dtype=jnp.result_type(float, *([start] if hasattr(start, "dtype") else [])))
    late = system.delays is not None
    past = jnp.broadcast_to(first, (steps + 1 if late else 1, first.shape[0]))
    slopes = jnp.zeros_like(past)

    def advance(carry: Any, i: Any) -> tuple[Any, Any]:
        state, past, slopes = carry
        keep = late and system.kind == "flow"

        def remember(slopes: Any, stage: Any, slope: Any) -> Any:
            return slopes.at[i].set(jnp.where(stage == 0, slope, slopes[i])) if keep else slopes

        after, slopes = _advance(system, i, state, past, slopes, remember, jax.lax.scan, first, step, values, jnp)
        if late:
            past = past.at[i + 1].set(after)
        return (after, past, slopes), after

    _, rest = jax.lax.scan(advance, (first, past, slopes), jnp.arange(steps))
    return jnp.concatenate([first[None], rest])


def _advance(
    system: System,
    i: Any,
    state: Any,
    past: Any,
    slopes: Any,
    remember: Callable[[Any, Any, Any], Any],
    fold: Callable[..., Any],
    first: Any,
    step: Any,
    p: Mapping[str, Any],
    xp: Any,
) -> tuple[Any, Any]:
    """Return state i + 1, and the stored slopes, to which ``remember`` adds the slope at state i.

    ``fold`` loops over the Runge-Kutta stages: a compiled program then contains the rule only once, and takes a third
    of the time to compile.
    """
    low, high = (bound.astype(first.dtype) for bound in system.bounds(xp))
    if system.kind == "map":

        def before(delay: Any) -> Any:
            then = i - xp.asarray(delay).astype(int)
            return xp.where(then > 0, past[then], first)

        delayed = tuple(before(delay) for delay in system.late(state, p, xp))
        return xp.clip(system.rule(i, state, delayed, p, xp), low, high), slopes

    def past_at(stage: Any, delay: Any, slopes: Any) -> Any:
        place = i + stage - delay / step  # steps since the start
        node = xp.clip(xp.floor(place), 0, xp.maximum(i - 1, 0)).astype(int)
        theta = place - node
        y0, y1, m0, m1 = past[node], past[node + 1], slopes[node], slopes[node + 1]
        rest = 1 - theta
        value = rest * rest * ((1 + 2 * theta) * y0 + step * theta * m0)
        value = value + theta * theta * ((1 + 2 * rest) * y1 - step * rest * m1)
        return xp.where(place > 0, value, first)  # both branches are finite, so that no gradient is NaN

    def stage(carry: tuple[Any, Any, Any], part: tuple[Any, Any, Any]) -> tuple[tuple[Any, Any, Any], None]:
        change, total, slopes = carry
        number, place, weight = part
        x = xp.clip(state + place * step * change, low, high)
        delayed = tuple(past_at(place, delay, slopes) for delay in system.late(x, p, xp))
        change = system.rule((i + place) * step, x, delayed, p, xp)
        at_bound = ((x <= low) & (change < 0)) | ((x >= high) & (change > 0))
        change = xp.where(at_bound, 0 * change, change)
        return (change, total + weight * change, remember(slopes, number, change)), None

    zero = xp.zeros_like(state)
    (_, total, slopes), _ = fold(stage, (zero, zero, slopes), xp.asarray(STAGES, dtype=first.dtype).T)
    return xp.clip(state + step * total, low, high), slopes


def _plain_path(system: System, start: Any, steps: int, step: float, p: Mapping[str, Any]) -> Any:
    """Compute the states of `trajectory` by a NumPy loop that stores the whole past; used to check `trajectory`."""
    past, slopes = np.tile(start, (steps + 1, 1)), np.zeros((steps + 1, len(start)))

    def fold(stage: Any, carry: Any, parts: Any) -> Any:
        for part in parts:
            carry, _ = stage(carry, part)
        return carry, None

    for i in range(steps):

        def remember(slopes: Any, stage: Any, slope: Any, i: int = i) -> Any:
            if stage == 0:
                slopes[i] = slope
            return slopes

        past[i + 1], _ = _advance(system, i, past[i], past, slopes, remember, fold, start, step, p, np)
    return past


def integrate(
    system: System,
    duration: float,
    start: Mapping[str, Any] | None = None,
    *,
    step: float | None = None,
    every: int = 1,
    method: str = "jax",
    **parameters: Any,
) -> xr.Dataset:
    r"""Return the states of a system over time, for every combination of starts and parameters.

    .. math:: x_{t+1} = F(t, x_t, x_{t-d_1}, \ldots) \quad\text{or}\quad
        \dot x(t) = F(t, x(t), x(t-\tau_1), \ldots)

    Parameters
    ----------
    system : System
        The system.
    duration : float
        Simulated time [unit of the system's time], in (0, inf); an integer number of updates for a map.
    start : mapping of str to float or array
        Variables at time 0, and at all times before, in their units; those not given start at their defaults.
    step : float
        h [unit of the system's time], required in continuous time; rounded down to divide the duration.
    every : int
        Return every state (1), every second state (2), ...; in [1, number of steps].
    method : {"jax", "numpy"}
        "jax" compiles the path and maps it over the points; "numpy" runs a plain loop, for comparison.
    **parameters : float, array or xarray.DataArray
        Parameters in their units. An array adds an axis to the result; labelled arrays with the same axis are paired
        element by element.

    Returns
    -------
    xarray.Dataset
        The system's variables along the parameters' axes, ``time`` [unit of the system's time] and their own axis.

    Raises
    ------
    TypeError
        For a value of a wrong type.
    ValueError
        For a value out of range, or a step larger than a delay.

    Notes
    -----
    The method is that of `trajectory`, in 64 bits. The result takes points x times x size x 8 bytes of memory, with
    delays three times as much.

    Examples
    --------
    >>> from longfat.fluid import cadpc
    >>> run = integrate(cadpc(4), 40, {"rate": 0.001}, smoothing=[0.5, 1.0])
    >>> run.rate.isel(update=-1, flow=0).values.round(6)
    array([0.2, 0.2])

    References
    ----------
    See `trajectory`.
    """
    chosen = points(system, start, parameters)
    domains.choice("method", method, METHODS)
    if system.kind == "map":
        if step is not None:
            raise domains.conflict(f"step = {reprlib.repr(step)}", "needs continuous time", "a map counts updates")
        steps, h = domains.integer("duration", duration, system.time, "[1, 10000000]"), 1.0
    else:
        duration = domains.number("duration", duration, system.time, "(0, 1e300)")
        if step is None:
            raise domains.conflict("continuous time", "needs step", f"give step [{system.time}]")
        h = domains.number("step", step, system.time, f"(0, {duration!r}]")
        steps = domains.integer("duration/step", math.ceil(duration / h * (1 - 1e-12)), "steps", "[1, 10000000]")
        h = duration / steps
    every = domains.integer("every", every, "steps", f"[1, {steps}]")
    if method == "jax":
        with double():
            states = np.asarray(_many(system, steps)(chosen.start, h, chosen.parameters))
    else:
        rows = [_plain_path(system, chosen.start[r], steps, h, chosen.one(r)) for r in range(len(chosen))]
        states = np.stack(rows)
    _check_delays(system, chosen, states, h)
    axis = "update" if system.kind == "map" else "time"
    times = np.arange(steps + 1)[::every] if axis == "update" else h * np.arange(steps + 1)[::every]
    columns = chosen.states(system, states[:, ::every], dims=(axis,))
    return chosen.dataset(system, columns, **{axis: (axis, times, {"units": system.time})})


@functools.lru_cache(maxsize=64)
def _many(system: System, steps: int) -> Any:
    import jax

    return jax.jit(jax.vmap(lambda x, h, p: trajectory(system, x, steps, h, **p), in_axes=(0, None, 0)))


def _check_delays(system: System, chosen: Points, states: Any, h: float) -> None:
    """Raise a ValueError if a delay along the paths is shorter than the step."""
    if system.delays is None or system.kind == "map":
        return
    count = min(200, max(2, 20_000 // len(chosen)))
    some = np.unique(np.linspace(0, states.shape[1] - 1, count).astype(int))
    points = ((state, chosen.one(r)) for r in range(len(chosen)) for state in states[r, some])
    shortest = np.nanmin([float(delay) for state, given in points for delay in system.late(state, given, np)])
    if shortest < h * (1 - 1e-9):
        raise domains.out_of_range("step", h, system.time, f"(0, {shortest:g}], up to the smallest delay")
