"""Congestion-control schemes, one file each, and the form in which anyone adds another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.domains import conflict, unknown
from longfat.sim.schemes.blt import BLT, BULLY_TYRANT
from longfat.sim.schemes.cadpc import CADPC, CADPC_FILES
from longfat.sim.schemes.constant import CONSTANT
from longfat.sim.schemes.decbit import DECBIT
from longfat.sim.schemes.dual import DUAL
from longfat.sim.schemes.explicit_feedback import EXPLICIT_FEEDBACK
from longfat.sim.schemes.gaimd import GAIMD, GAIMD_WINDOW
from longfat.sim.schemes.hop_by_hop import HOP_BY_HOP
from longfat.sim.schemes.loss_load import LOSS_LOAD
from longfat.sim.schemes.newreno import NEWRENO
from longfat.sim.schemes.packet_pair import PACKET_PAIR
from longfat.sim.schemes.rap import RAP
from longfat.sim.schemes.reno import RENO
from longfat.sim.schemes.sack import SACK
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tahoe import TAHOE
from longfat.sim.schemes.tear import TEAR
from longfat.sim.schemes.tfrc import TFRC
from longfat.sim.schemes.timers import profile
from longfat.sim.schemes.tri_s import TRI_S
from longfat.sim.schemes.variants import KIM_FARBER_TCP
from longfat.sim.schemes.vegas import VEGAS
from longfat.sim.schemes.xcp import XCP

_TCP = (TAHOE, RENO, NEWRENO, SACK, VEGAS)
_RATES = (RAP, GAIMD, GAIMD_WINDOW, TFRC, TEAR, PACKET_PAIR, EXPLICIT_FEEDBACK, HOP_BY_HOP)
_DELAYS_AND_BITS = (DECBIT, TRI_S, DUAL)
_NAMED: dict[str, Scheme] = {
    one.name: one
    for one in (
        *_TCP, *_RATES, *_DELAYS_AND_BITS, CONSTANT, LOSS_LOAD, CADPC, CADPC_FILES, XCP, BLT, BULLY_TYRANT,
    )
}  # fmt: skip

__all__ = ["KIM_FARBER_TCP", "Parameter", "Scheme", "check_parameters", "names", "profile", "scheme"]


def names() -> tuple[str, ...]:
    """The names that a scenario file may use.

    >>> "reno" in names()
    True
    """
    return tuple(sorted(_NAMED))


def scheme(given: str | Scheme) -> Scheme:
    """A scheme by its name, or itself.

    >>> scheme("reno").name
    'reno'
    """
    if isinstance(given, Scheme):
        return given
    if given not in _NAMED:
        raise unknown("scheme", given, _NAMED)
    return _NAMED[given]


def check_parameters(chosen: Scheme | None, given: Mapping[str, Any]) -> dict[str, float]:
    """Return the parameters given for a scheme, each inside its domain; refuse unknown and missing ones."""
    allowed = chosen.parameters if chosen is not None else {}
    for name in given:
        if name not in allowed:
            raise unknown("parameter", name, allowed)
    missing = [name for name, one in allowed.items() if one.default is None and name not in given]  # type: ignore[union-attr]
    if chosen is not None and missing:
        raise conflict(f"scheme {chosen.name!r}", f"needs {', '.join(missing)}")
    return {name: allowed[name].checked(name, value) for name, value in given.items()}  # type: ignore[union-attr]
