"""CUBIC's mean window where each packet is lost independently: a Markov chain of the windows at the losses.

In the limit of small p the window follows the cubic function of RFC 9438 between losses, and losses occur at the rate p
W/R. The limiting chain is that of S. Poojary and V. Sharma, "An Asymptotic Approximation of TCP CUBIC",
arXiv:1510.08496, 2015; its stationary mean is computed here, with and without fast convergence.
"""

from collections.abc import Callable

import numpy as np
import sympy as sp

from derivations.proof import once, require, require_zero

#: Cube roots of the windows between which a function of the state is a polynomial of `NODES` coefficients.
EDGES = np.array([0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3, 3.5, 4, 5, 6])
NODES = 14
LONGEST = 8.0  # time beyond the plateau by which every flow has lost: the survival exp(-8^4/4) is below 1e-400
BETA = 0.7


def units() -> None:
    """Prove that with W in C^(1/4) (R/p)^(3/4) and t in (R/(p C))^(1/4) neither p, R nor C is left in the rules."""
    p, R, C, t, x = sp.symbols("p R C t x", positive=True)
    window = sp.root(C, 4) * (R / p) ** sp.Rational(3, 4)
    time = sp.root(R / (p * C), 4)
    require_zero((C * (t * time) ** 3) / window - t**3, "the cubic function")
    require_zero(p * (x * window) / R * time - x, "the rate of losses")
    require_zero(R / p / time - window, "the mean window: R/p over the mean time between losses")


def panels() -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
    """Return nodes, and a function that returns the interpolation matrix from the nodes to other states."""
    angles = np.pi * (np.arange(NODES) + 0.5) / NODES
    inside, weights = -np.cos(angles), (-1.0) ** np.arange(NODES) * np.sin(angles)  # Chebyshev's first kind
    middle, half = (EDGES[1:] + EDGES[:-1]) / 2, np.diff(EDGES) / 2
    nodes = (middle[:, None] + half[:, None] * inside).ravel()

    def interpolate(states: np.ndarray) -> np.ndarray:
        panel = np.clip(np.searchsorted(EDGES, states) - 1, 0, len(middle) - 1)
        distance = ((states - middle[panel]) / half[panel])[:, None] - inside
        distance[np.abs(distance) < 1e-15] = 1e-300
        shares = weights / distance
        matrix = np.zeros((states.size, nodes.size))
        columns = panel[:, None] * NODES + np.arange(NODES)
        np.put_along_axis(matrix, columns, shares / shares.sum(axis=1, keepdims=True), axis=1)
        return matrix

    return nodes, interpolate


def moments(window: float, plateau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return times after a loss, weights, survival and windows, for Gauss quadrature from 0 to beyond the plateau.

    The survival is exp(-L), L the integral of the window: plateau t + ((t - K)^4 - K^4)/4.
    """
    begin = BETA * window
    recovery = np.cbrt(plateau - begin)
    at_edges = np.cbrt(EDGES**3 - plateau) + recovery  # where the interpolant changes its panel
    decay = 2.0 ** np.arange(-1, 6) / begin  # and where the survival decays from the loss on
    end = recovery + LONGEST
    cuts = np.unique([0, recovery, end, *(cut for cut in (*at_edges, *decay) if 0 < cut < end)])
    points, weights = np.polynomial.legendre.leggauss(20)
    middle, half = ((cuts[1:] + cuts[:-1]) / 2)[:, None], (np.diff(cuts) / 2)[:, None]
    times, weights = (middle + half * points).ravel(), (half * weights).ravel()
    late = times - recovery
    survival = np.exp(-(plateau * times + (late**4 - recovery**4) / 4))
    return times - recovery, weights, survival, late**3 + plateau


@once
def constant(fast_convergence: bool) -> float:
    """Return the mean window in units of C^(1/4) (R/p)^(3/4): 1 over the stationary mean time between losses.

    The state is the cube root of the window at a loss and, with fast convergence, whether it was below the plateau
    before: then the next plateau is (1 + beta)/2 of it (section 4.7). The mean time to the next loss, as a function of
    the state, is averaged over the next state again and again, until it no longer depends on the state.
    """
    nodes, interpolate = panels()
    kinds = 2 if fast_convergence else 1
    matrix, mean = np.zeros((kinds * nodes.size,) * 2), np.zeros(kinds * nodes.size)
    for kind in range(kinds):
        for row, node in enumerate(nodes):
            late, weights, survival, windows = moments(node**3, node**3 * ((1 + BETA) / 2 if kind else 1))
            density = weights * windows * survival
            place = kind * nodes.size + row
            mean[place] = (weights * survival).sum()
            inside = windows < EDGES[-1] ** 3
            below = inside & (late < 0) if fast_convergence else np.zeros_like(inside)
            for target, chosen in enumerate((inside & ~below, below)[:kinds]):
                columns = slice(target * nodes.size, (target + 1) * nodes.size)
                matrix[place, columns] = density[chosen] @ interpolate(np.cbrt(windows[chosen]))
    require(bool(np.abs(matrix.sum(axis=1) - 1).max() < 1e-11), "probabilities add up to 1")
    for _ in range(100):
        mean = matrix @ mean
    require(bool(np.ptp(mean) < 1e-11), "the mean time no longer depends on the state")
    return float(1 / mean.mean())


def average_window_random() -> tuple[float, float]:
    """Derive the factors of the mean window without and with fast convergence, for beta = 0.7."""
    units()
    without, with_it = constant(False), constant(True)
    require(with_it < without, "fast convergence makes room")
    return without, with_it
