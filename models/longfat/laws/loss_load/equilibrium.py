"""Equilibrium of sources that all maximise their throughput, on a link that announces v times its capacity."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.loss_load.parameters import SOURCES, VIRTUAL, K
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON

LINK = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1e10), "Capacity of the link")


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2 (bounded packet loss)",
    unit="probability",
    result="P, of the announced loss-load curve; the link's true loss is less if it announces less than its capacity",
    derivation="loss_load.loss_at_optimum",
    simulated=SimulatedBy("loss_load_loss_at_capacity", accuracy=0.012, long=True),
    k=K,
)
def bounded_loss(k: Any, *, xp: Any) -> Any:
    r"""Return the loss probability of a source at its throughput-optimal rate, whatever the others do.

    .. math:: P(f_t) = \frac{1}{k + 1}

    Notes
    -----
    Exact for a source that is not alone (b > 0) and whose access link allows `throughput_optimal_rate`.

    Examples
    --------
    >>> bounded_loss(9)
    0.1
    """
    return 1 / (k + 1)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.3",
    unit="bytes/s",
    result="C_v",
    not_simulated="arithmetic of definitions",
    capacity=LINK.described("True capacity of the link"),
    v=VIRTUAL,
)
def virtual_capacity(capacity: Any, v: Any, *, xp: Any) -> Any:
    """Return the capacity that a link announces; rates in the loss-load laws are fractions of it.

    .. math:: C_v = v C

    Notes
    -----
    A definition. The link drops packets by its true capacity only. The paper allows v = 0, which announces no
    capacity.

    Examples
    --------
    >>> virtual_capacity(5e6, 0.8)
    4000000.0
    """
    return capacity * v


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", sections 2.2 (v = 1) and 2.3",
    unit="1",
    result="L, over the true capacity",
    derivation="loss_load.virtual_capacity",
    simulated=SimulatedBy("loss_load_load", accuracy=0.03),
    k=K,
    v=VIRTUAL.described(remark="1 gives the loss-load model itself"),
)
def equilibrium_load(k: Any, v: Any, *, xp: Any) -> Any:
    r"""Return the offered load at which equal sources settle that all maximise their throughput.

    .. math:: L = \frac{k + 1}{k} v

    Notes
    -----
    Exact for two or more equal sources, none limited by its access link, whatever their number. A source that is
    alone offers the load v.

    Examples
    --------
    >>> equilibrium_load(5, 1), equilibrium_load(5, 0.5)
    (1.2, 0.6)
    """
    return (k + 1) * v / k


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", sections 2.2 and 2.3",
    unit="1",
    result="f, over the true capacity",
    derivation="loss_load.equilibrium",
    not_simulated="equilibrium_load, which is simulated, over the number of sources",
    k=K,
    v=VIRTUAL,
    sources=SOURCES,
)
def equilibrium_rate(k: Any, v: Any, sources: Any, *, xp: Any) -> Any:
    r"""Return the rate at which each of M equal sources settles, over the true capacity.

    .. math:: f = \frac{(k + 1) v}{k M}

    Notes
    -----
    This is one of M equal shares of `equilibrium_load`.

    Examples
    --------
    >>> round(equilibrium_rate(2, 1, 2), 12)  # of the paper's two senders
    0.75
    """
    return (k + 1) * v / (k * sources)


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.3 with footnote 3, and section 4.1 for the smallest v",
    unit="probability",
    result="p; 1/(k + 1) for v = 1, and 0 up to v = k/(k + 1), `lossless_virtual_factor`, where the slope jumps",
    derivation="loss_load.virtual_capacity",
    simulated=SimulatedBy("loss_load_loss", {"v": (0.96, 1.0)}, accuracy=0.012),  # above k/(k + 1): packets are lost
    k=K,
    v=VIRTUAL,
)
def equilibrium_loss(k: Any, v: Any, *, xp: Any) -> Any:
    r"""Return the loss probability of a link at the load at which equal sources settle.

    .. math:: p = \max\left(0, 1 - \frac{1}{L}\right) = \max\left(0, 1 - \frac{k}{(k + 1) v}\right)

    Notes
    -----
    The assumptions are those of `equilibrium_load`, for a fluid: with random arrivals some packets are lost below that
    v, too. Sources mark the announced share 1/(k + 1) of their packets red, which is more than the loss for every v
    below 1.

    Examples
    --------
    >>> round(equilibrium_loss(4, 0.9), 12), equilibrium_loss(4, 0.75)  # L = 9/8
    (0.111111111111, 0.0)
    """
    return xp.maximum((v - k * (1 - v)) / ((k + 1) * v), 0 * (k + v))


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 4.1",
    unit="1",
    result="v",
    derivation="loss_load.virtual_capacity",
    not_simulated="the point at which equilibrium_loss, which is simulated, becomes 0",
    k=K,
)
def lossless_virtual_factor(k: Any, *, xp: Any) -> Any:
    r"""Return the largest virtual factor at which equal sources settle without loss: they just fill the link.

    .. math:: v = \frac{k}{k + 1}

    Notes
    -----
    The assumptions are those of `equilibrium_load`.

    Examples
    --------
    >>> lossless_virtual_factor(4)
    0.8
    """
    return k / (k + 1)
