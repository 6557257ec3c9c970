"""Characteristic roots of linear delay differential equations, by collocation of the infinitesimal generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longfat.base import domains
from longfat.fluid.labelling import Array

NODES = (16, 32, 64, 128)


def rightmost_roots(matrices: Array, delays: Sequence[float] | Array = (), count: int = 1) -> NDArray[np.complex128]:
    r"""Return the rightmost characteristic roots [1/time] of a linear delay differential equation.

    .. math:: \det\Bigl(\lambda I - A_0 - \sum_k A_k e^{-\lambda \tau_k}\Bigr) = 0

    Parameters
    ----------
    matrices : array of shape (1 + delays, size, size)
        A_0, A_1, ... [1/time].
    delays : sequence of float
        tau_k [time], in [0, inf).
    count : int
        Number of roots, in [1, 100].

    Returns
    -------
    ndarray
        The roots [1/time], the largest real part first, with their conjugates; all eigenvalues if there is no delay.
        The equilibrium is stable if all real parts are negative.

    Raises
    ------
    TypeError
        For a value of a wrong type.
    ValueError
        For a value out of range, or if 128 nodes do not resolve the roots, because the roots are too many or the delays
        too long.

    Notes
    -----
    The roots are the eigenvalues of the infinitesimal generator: the derivative on [-tau, 0], where tau is the longest
    delay, with the delay equation as its boundary condition at 0. It is discretised by Chebyshev collocation, which has
    spectral accuracy for roots with abs(lambda) tau below about half the number of nodes. The number is doubled until
    the wanted roots agree to 1e-7 of the larger of 1/tau and the norm of the matrices. They are then accurate to 1e-10,
    unless roots are multiple.

    Examples
    --------
    >>> rightmost_roots(np.array([[[0.0]], [[-np.pi / 2]]]), [1.0])[0].imag.round(9)  # x' = -pi/2 x(t - 1)
    np.float64(1.570796327)

    References
    ----------
    D. Breda, S. Maset and R. Vermiglio, Pseudospectral differencing methods for characteristic roots of delay
    differential equations, SIAM Journal on Scientific Computing 27, 2005.
    """
    matrices = np.asarray(matrices, dtype=float)
    late = [domains.number("delays", d, "time", "[0, inf)") for d in delays]
    count = domains.integer("count", count, "roots", "[1, 100]")
    tau = max((d for d, matrix in zip(late, matrices[1:], strict=True) if matrix.any()), default=0.0)
    if tau == 0:
        return _sorted(np.linalg.eigvals(matrices.sum(axis=0)))
    scale = max(1 / tau, float(np.abs(matrices).sum(axis=0).sum(axis=1).max()))
    before = None
    for nodes in NODES:
        roots = _sorted(np.linalg.eigvals(_generator(matrices, late, tau, nodes)))[: 2 * count]
        if before is not None and np.abs(roots - before)[:count].max() < 1e-7 * scale:
            return roots
        before = roots
    raise domains.out_of_range("delays", late, "time", f"shorter: {NODES[-1]} nodes do not resolve the roots")


def _generator(matrices: Array, delays: list[float], tau: float, nodes: int) -> Array:
    """Return the discretised generator: its first rows are the equation at time 0, the others differentiate."""
    size = matrices.shape[-1]
    angle = np.arange(nodes + 1) * np.pi / nodes
    x = np.cos(angle)  # x runs from 1 (the present) to -1 (the longest delay ago)
    weights = np.where((angle == 0) | (np.arange(nodes + 1) == nodes), 0.5, 1.0) * (-1.0) ** np.arange(nodes + 1)
    # Compute x_i - x_j by the sum-to-product identity, because subtracting cosines of neighbouring nodes would cancel
    # digits.
    apart = -2 * np.sin((angle[:, None] + angle) / 2) * np.sin((angle[:, None] - angle) / 2)
    np.fill_diagonal(apart, 1)
    differences = weights / weights[:, None] / apart
    np.fill_diagonal(differences, 0)
    np.fill_diagonal(differences, -differences.sum(axis=1))
    result = np.kron(differences * 2 / tau, np.eye(size))
    result[:size] = 0
    for delay, matrix in zip((0.0, *delays), matrices, strict=True):
        if matrix.any():
            result[:size] += np.kron(_interpolation(1 - 2 * delay / tau, x, weights), matrix)
    return result


def _interpolation(place: float, x: Array, weights: Array) -> Array:
    """Return the row of barycentric weights that interpolates from the nodes to ``place`` in [-1, 1]."""
    distance = place - x
    if np.any(np.abs(distance) < 1e-14):
        return (np.abs(distance) < 1e-14).astype(float)[None]
    terms = weights / distance
    result: Array = (terms / terms.sum())[None]
    return result


def _sorted(roots: NDArray[Any]) -> NDArray[np.complex128]:
    """Sort roots by decreasing real part, and conjugate roots by decreasing imaginary part."""
    values = roots.astype(complex)
    return values[np.lexsort((-values.imag, -values.real))]
