"""Sources that all reply at the same time to the loss-load curve of a link, as a fluid `System`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Quantity, System
from longfat.laws import loss_load


def best_replies(sources: int) -> System:
    r"""Build a map in which all sources simultaneously choose the rates that maximise their raw throughput.

    .. math:: f_j(t+1) = v F\Bigl(\sum_{i \ne j} \tfrac{f_i}{v} - 1,\; \sum_{i \ne j} \bigl(\tfrac{f_i}{v}\bigr)^{k+1}
        \Bigr), \qquad f_i = f_i(t - d)

    Parameters
    ----------
    sources : int
        M [sources], in [2, 10^4].

    Returns
    -------
    System
        Variable ``rate`` (source) relative to the true capacity [1]. Parameters: ``k`` [1] in [1, 50], ``virtual`` v
        [1] in (0, 1], ``delay`` d [updates], an integer in [0, 10^5].

    Notes
    -----
    The rates converge from every start, with every delay (``derivations/loss_load_convergence.py``). The sum over all
    others is computed for each source, at the cost of M^2 terms, because subtracting one rate from a total would lose
    small rates.

    Examples
    --------
    >>> from longfat.fluid import integrate
    >>> integrate(best_replies(3), 8, {"rate": [1.0, 0.1, 0.1]}, k=2.0).rate.values[-1].round(6)  # (k + 1)/(k M)
    array([0.5, 0.5, 0.5])

    References
    ----------
    Prithviraj & Williamson, virtual loss-load model, sections 2.2 and 4.2.1.
    """
    n = domains.integer("sources", sources, "sources", "[2, 10000]")

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        rates = late[0] / p["virtual"]
        others = 1 - xp.eye(n, dtype=rates.dtype)
        excess, spread = others @ rates - 1, others @ rates ** (p["k"] + 1)
        return p["virtual"] * loss_load.throughput_optimal_rate(excess, spread, p["k"])

    return System(
        "best replies",
        "map",
        rule,
        {"rate": Quantity("1", "[0, inf)", 1.0, axis="source", length=n)},
        {
            "k": Quantity("1", "[1, 50]", 2.0, "steepness of the loss-load curve"),
            "virtual": Quantity("1", "(0, 1]", 1.0, "announced over true capacity"),
            "delay": Quantity("updates", "[0, 100000]", 0, "delay of the feedback", integer=True),
        },
        delays=lambda x, p, xp: (p["delay"],),
        source="Prithviraj & Williamson, virtual loss-load model, section 2.2",
    ).shared(n)
