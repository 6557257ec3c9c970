"""Where sources settle that all get most through, on a link that announces v times its capacity."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.loss_load.parameters import PAPER, SOURCES, VIRTUAL, K

LINK = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1e10), "capacity of the link")


@law(
    source=PAPER + ", section 2.2, bounded packet loss", unit="probability", derivation="loss_load.loss_at_optimum", k=K
)
def bounded_loss(k: Any, *, xp: Any) -> Any:
    r"""Loss probability of a source at the rate that gets most through, whatever the others do.

    .. math:: P(f_t) = \frac{1}{k + 1}

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).

    Returns
    -------
    float or array
        P [probability], of the announced loss-load curve; the link's true loss is less if it announces less capacity.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a source that is not alone (b > 0) and can send at `throughput_optimal_rate`.

    Examples
    --------
    >>> bounded_loss(9)
    0.1

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.2.
    """
    return 1 / (k + 1)


@law(source=PAPER + ", section 2.3", unit="bytes/s", capacity=LINK, v=VIRTUAL)
def virtual_capacity(capacity: Any, v: Any, *, xp: Any) -> Any:
    r"""Capacity that a link announces: rates in the loss-load laws are fractions of it.

    .. math:: C_v = v C

    Parameters
    ----------
    capacity : float or array
        C [bytes/s], in (0, inf): the true capacity.
    v : float or array
        v [1], in (0, 1]: the virtual factor.

    Returns
    -------
    float or array
        C_v [bytes/s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A definition. Packets are dropped by the true capacity only. The paper allows v = 0, which announces none.

    Examples
    --------
    >>> virtual_capacity(5e6, 0.8)
    4000000.0

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.3.
    """
    return capacity * v


@law(source=PAPER + ", section 2.3", unit="1", derivation="loss_load.virtual_capacity", k=K, v=VIRTUAL)
def equilibrium_load(k: Any, v: Any, *, xp: Any) -> Any:
    r"""Total rate over the true capacity at which equal sources settle that all get most through.

    .. math:: L = \frac{k + 1}{k} v

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    v : float or array
        v [1], in (0, 1]: virtual over true capacity; 1 for the loss-load model itself.

    Returns
    -------
    float or array
        L [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for two or more equal sources, none held back by its access link, whatever their number. A source that is
    alone takes v.

    Examples
    --------
    >>> equilibrium_load(5, 1), equilibrium_load(5, 0.5)
    (1.2, 0.6)

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, sections 2.2 (v = 1) and 2.3.
    """
    return (k + 1) * v / k


@law(source=PAPER + ", section 2.3", unit="1", derivation="loss_load.equilibrium", k=K, v=VIRTUAL, sources=SOURCES)
def equilibrium_rate(k: Any, v: Any, sources: Any, *, xp: Any) -> Any:
    r"""Rate of each of M equal sources over the true capacity where they settle.

    .. math:: f = \frac{(k + 1) v}{k M}

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    v : float or array
        v [1], in (0, 1]: virtual over true capacity.
    sources : float or array
        M [sources], whole, in [2, inf).

    Returns
    -------
    float or array
        f [1], over the true capacity.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `equilibrium_load`, of which it is an equal share.

    Examples
    --------
    >>> round(equilibrium_rate(2, 1, 2), 12)  # of the paper's two senders
    0.75

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, sections 2.2 and 2.3.
    """
    return (k + 1) * v / (k * sources)


@law(
    source=PAPER + ", section 2.3 with footnote 3",
    unit="probability",
    derivation="loss_load.virtual_capacity",
    k=K,
    v=VIRTUAL,
)
def equilibrium_loss(k: Any, v: Any, *, xp: Any) -> Any:
    r"""Share of the packets that the true capacity has no room for where equal sources settle.

    .. math:: p = \max\left(0, 1 - \frac{1}{L}\right) = \max\left(0, 1 - \frac{k}{(k + 1) v}\right)

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).
    v : float or array
        v [1], in (0, 1]: virtual over true capacity.

    Returns
    -------
    float or array
        p [probability]; 1/(k + 1) for v = 1, and 0 up to v = k/(k + 1), `lossless_virtual_factor`, where the slope
        jumps.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `equilibrium_load`, for a constant flow of packets: random arrivals lose some below that v, too. What
    sources colour red is the announced share 1/(k + 1), more than what is lost for every v below 1.

    Examples
    --------
    >>> round(equilibrium_loss(4, 0.9), 12), equilibrium_loss(4, 0.75)  # L = 9/8
    (0.111111111111, 0.0)

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.3 and, for the least v, section 4.1.
    """
    return xp.maximum((v - k * (1 - v)) / ((k + 1) * v), 0 * (k + v))


@law(source=PAPER + ", section 4.1", unit="1", derivation="loss_load.virtual_capacity", k=K)
def lossless_virtual_factor(k: Any, *, xp: Any) -> Any:
    r"""Largest virtual factor at which equal sources settle without loss: they just fill the link.

    .. math:: v = \frac{k}{k + 1}

    Parameters
    ----------
    k : float or array
        k [1], in [1, inf).

    Returns
    -------
    float or array
        v [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `equilibrium_load`.

    Examples
    --------
    >>> lossless_virtual_factor(4)
    0.8

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 4.1.
    """
    return k / (k + 1)
