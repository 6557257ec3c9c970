"""Stability of equilibria: linearisation, multipliers of maps, roots of differential equations."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longfat.base import domains
from longfat.fluid.characteristic_roots import rightmost_roots
from longfat.fluid.equilibrium import STATUS, equilibria
from longfat.fluid.labelling import Array, double, points
from longfat.fluid.system import System

if TYPE_CHECKING:
    import xarray as xr


def linearise(system: System, state: Any, **parameters: Any) -> tuple[Array, Array]:
    r"""Return the Jacobians of a system's rule with respect to the present and each delayed state, and the delays.

    .. math:: F \approx A_0 \,\delta x(t) + \sum_k A_k \,\delta x(t - \tau_k)

    Parameters
    ----------
    system, **parameters
        As for `longfat.fluid.trajectory`.
    state : array of shape (size,)
        The present state, which is also the past state.

    Returns
    -------
    (ndarray of shape (period, 1 + delays, size, size), ndarray of shape (delays,))
        A_0, A_1, ... for each update of a period, and the delays in this state.

    Notes
    -----
    The method is automatic differentiation, in 64 bits. A delay that depends on the state contributes nothing in
    equilibrium, because the past is constant there. At a kink the result is the slope that JAX chooses.

    Examples
    --------
    >>> from longfat.fluid import cadpc
    >>> jacobians, delays = linearise(cadpc(1), [0.5], smoothing=1.0, delay=2)
    >>> jacobians[0, :, 0, 0].tolist(), delays.tolist()
    ([0.5, -0.5, 0.0], [2.0, 3.0])

    References
    ----------
    J. K. Hale and S. M. Verduyn Lunel, Introduction to Functional Differential Equations, 1993, chapter 7.
    """
    given = {name: np.asarray(value, dtype=float) for name, value in system.complete(parameters, np).items()}
    with double():
        jacobians, delays = _jacobians(system)(np.asarray(state, dtype=float), given)
    return np.asarray(jacobians), np.asarray(delays)


def _one_point(system: System) -> Any:
    import jax
    import jax.numpy as jnp

    def function(state: Any, p: Any) -> tuple[Any, Any]:
        delays = system.late(state, p, jnp)
        arguments = jnp.stack([state] * (1 + len(delays)))

        def rule(parts: Any, t: Any) -> Any:
            return system.rule(t, parts[0], tuple(parts[1:]), p, jnp)

        every = jax.vmap(lambda t: jnp.moveaxis(jax.jacfwd(rule)(arguments, t), 1, 0))(jnp.arange(system.period))
        return every, jnp.asarray([jnp.asarray(d, dtype=state.dtype) for d in delays], dtype=state.dtype)

    return function


@functools.lru_cache(maxsize=64)
def _jacobians(system: System) -> Any:
    import jax

    return jax.jit(_one_point(system))


@functools.lru_cache(maxsize=64)
def _many_jacobians(system: System) -> Any:
    import jax

    return jax.jit(jax.vmap(_one_point(system)))


def multipliers(jacobians: Array, delays: Sequence[float] | Array = ()) -> NDArray[np.complex128]:
    r"""Return the multipliers of a linearised map: the factors of small deviations from equilibrium over one period.

    .. math:: \delta x_{t+1} = A_0 \,\delta x_t + \sum_k A_k \,\delta x_{t - d_k}

    Parameters
    ----------
    jacobians : array of shape (period, 1 + delays, size, size)
        A_0, A_1, ... [1], as returned by `linearise`.
    delays : sequence of int
        d_k [updates], integers in [0, 10^4].

    Returns
    -------
    ndarray
        Eigenvalues of the companion matrix of a period [1], the largest modulus first; all inside the unit circle if
        the equilibrium is stable.

    Notes
    -----
    The companion matrix is dense: its order, size (1 + largest delay), should stay below a few thousand. Defective
    eigenvalues, such as a multiple zero, are accurate only to a root of the rounding error.

    Examples
    --------
    >>> multipliers(np.array([[[[0.5]], [[-0.5]]]]), [1]).round(4)  # z^2 = z/2 - 1/2
    array([0.25+0.6614j, 0.25-0.6614j])

    References
    ----------
    S. Elaydi, An Introduction to Difference Equations, 2005, section 4.
    """
    late = [domains.integer("delays", float(d), "updates", "[0, 10000]") for d in delays]
    size, depth = jacobians.shape[-1], max(late, default=0)
    if not any(np.any(jacobians[:, 1 + k]) for k, d in enumerate(late) if d == depth):
        depth = max((d for k, d in enumerate(late) if np.any(jacobians[:, 1 + k])), default=0)
    period_matrix = np.eye(size * (depth + 1))
    for matrices in jacobians:
        companion = np.eye(size * (depth + 1), k=-size)
        companion[:size, :size] = 0
        for d, matrix in zip((0, *late), matrices, strict=True):
            if d <= depth:
                companion[:size, d * size : (d + 1) * size] += matrix
        period_matrix = companion @ period_matrix
    values = np.linalg.eigvals(period_matrix).astype(complex)
    return values[np.argsort(-np.abs(values), kind="stable")]


def stability(system: System, start: Mapping[str, Any] | None = None, **parameters: Any) -> xr.Dataset:
    r"""Return the equilibrium, and whether it is stable, for every combination of starts and parameters.

    .. math:: \rho = \max |z|^{1/\text{period}} < 1 \quad\text{or}\quad \sigma = \max \operatorname{Re} \lambda < 0

    Parameters
    ----------
    system, start, **parameters
        As for `equilibrium`.

    Returns
    -------
    xarray.Dataset
        The variables of `equilibrium`, and ``leading``: the largest modulus of a multiplier, per update [1], or the
        largest real part of a characteristic root [1/time]; ``turn``, the angle of that multiplier per period [rad] or
        the imaginary part of the root [rad/time]; ``stable``. NaN and False where no equilibrium was found.

    Notes
    -----
    The result holds for small deviations and ignores the bounds: a path may stay at a bound, such as an empty queue,
    while the linear system would oscillate.

    Examples
    --------
    >>> from longfat.fluid import cadpc
    >>> found = stability(cadpc(4), {"rate": 0.2}, smoothing=[1.2, 1.3], delay=1)  # the boundary is 1 + 1/n = 1.25
    >>> found.stable.values
    array([ True, False])

    References
    ----------
    See `multipliers` and `rightmost_roots`.
    """
    chosen = points(system, start, parameters)
    states, status = equilibria(system, chosen)
    with double():
        jacobians, delays = (np.asarray(x) for x in _many_jacobians(system)(states, chosen.parameters))
    leading, turn = np.full(len(chosen), np.nan), np.full(len(chosen), np.nan)
    for row in np.flatnonzero(status != STATUS[1]):
        if system.kind == "map":
            first = multipliers(jacobians[row], delays[row])[0]
            leading[row], turn[row] = abs(first) ** (1 / system.period), abs(np.angle(first))
        else:
            first = rightmost_roots(jacobians[row, 0], delays[row])[0]
            leading[row], turn[row] = first.real, abs(first.imag)
    time, per_time = ("1", "rad/period") if system.kind == "map" else (f"1/{system.time}", f"rad/{system.time}")
    stable = leading < 1 if system.kind == "map" else leading < 0
    columns = {
        **chosen.states(system, states),
        "status": chosen.column(status, "1"),
        "leading": chosen.column(leading, time),
        "turn": chosen.column(turn, per_time),
        "stable": chosen.column(stable, "1"),
    }
    return chosen.dataset(system, columns)
