"""Equilibria of fluid systems: root search from a start, and a status for every point."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import extras
from longfat.fluid.labelling import Points, double, points
from longfat.fluid.system import System

if TYPE_CHECKING:
    import xarray as xr

STATUS = ("converged", "not found", "outside the bounds")
CLOSE = 1e-8  # largest residual, relative to the state


def residual(system: System, state: Any, parameters: Mapping[str, Any], xp: Any) -> Any:
    """Return the time derivative, or the sum of a map's changes over a period, at a state equal to all past states.

    The result is 0 in equilibrium.
    """
    delayed = (state,) * len(system.late(state, parameters, xp))
    if system.kind == "flow":
        return system.rule(0.0, state, delayed, parameters, xp)
    return sum(system.rule(t, state, delayed, parameters, xp) - state for t in range(system.period))


def _search(system: System, start: Any, parameters: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return a root and its largest residual [1]; the search scales residuals by slopes, and states by their start."""
    extras.need("an equilibrium", "optimistix")
    import jax
    import jax.numpy as jnp
    import optimistix

    scale = jnp.where(jnp.abs(start) > 0, jnp.abs(start), 1.0)

    def plain(y: Any, p: Any) -> Any:
        return residual(system, scale * y, p, jnp)

    slopes = jnp.sum(jnp.abs(jax.jacfwd(plain)(start / scale, parameters)), axis=1)
    slopes = jax.lax.stop_gradient(jnp.where(slopes > 0, slopes, 1.0))

    def function(y: Any, p: Any) -> Any:
        return plain(y, p) / slopes

    tolerance = 64 * float(jnp.finfo(start.dtype).eps)
    solver: Any = optimistix.LevenbergMarquardt(rtol=tolerance, atol=tolerance)
    found = optimistix.root_find(function, solver, start / scale, parameters, max_steps=512, throw=False).value
    return scale * found, jnp.max(jnp.abs(function(found, parameters)))


@functools.lru_cache(maxsize=64)
def _many(system: System) -> Any:
    import jax

    return jax.jit(jax.vmap(lambda x, p: _search(system, x, p)))


def equilibria(system: System, chosen: Points) -> tuple[Any, Any]:
    """Return the equilibrium (points, size) of every parameter point, and the status of its search (points,)."""
    with double():
        states, errors = (np.asarray(part) for part in _many(system)(chosen.start, chosen.parameters))
    low, high = system.bounds(np)
    slack = 1e-9 * np.maximum(np.abs(states), np.abs(chosen.start))
    outside = ((states < low - slack) | (states > high + slack)).any(axis=1)
    good = errors <= CLOSE  # False for NaN
    states = np.where(good[:, None], states, np.nan)
    return states, np.where(good, np.where(outside, STATUS[2], STATUS[0]), STATUS[1])


def equilibrium(system: System, start: Mapping[str, Any] | None = None, **parameters: Any) -> xr.Dataset:
    r"""Return the equilibrium, and whether the search found one, for every combination of starts and parameters.

    .. math:: F(x, x, \ldots) = x \quad\text{or}\quad F(x, x, \ldots) = 0

    Parameters
    ----------
    system, start, **parameters
        As for `integrate`; the search begins at ``start``.

    Returns
    -------
    xarray.Dataset
        The system's variables, NaN where none was found, and ``status``: "converged", "not found", "outside the
        bounds".

    Notes
    -----
    The method is Levenberg and Marquardt's, in 64 bits. It finds one equilibrium, stable or unstable, not all of them.
    A map that depends on time is in equilibrium if no update of a period changes its state. The solver only requires
    that the changes over a period sum to zero, which is the same unless the changes of a flow can cancel.

    Examples
    --------
    >>> from longfat.fluid import cadpc
    >>> equilibrium(cadpc(9), {"rate": 0.08}).rate.values[:3].round(6)
    array([0.1, 0.1, 0.1])

    References
    ----------
    J. Rader, T. Lyons and P. Kidger, Optimistix: modular optimisation in JAX and Equinox, 2024.
    """
    chosen = points(system, start, parameters)
    states, status = equilibria(system, chosen)
    return chosen.dataset(system, {**chosen.states(system, states), "status": chosen.column(status, "1")})
