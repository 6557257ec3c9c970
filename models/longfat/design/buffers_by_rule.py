"""Buffers of a switch by rules and laws, which need no simulation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longfat.base.domains import choice, conflict
from longfat.design import signalling
from longfat.design.bottleneck import Bottleneck, Senders, discipline_of, threshold_of
from longfat.design.buffer_laws import FULL_LINK, Laws, Path, PolicerLaws, laws_of
from longfat.sim import queues

if TYPE_CHECKING:
    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

ONE, ROOT = "one BDP", "BDP/sqrt(n)"
#: Rules that `compared` does not choose: BDP/3 is not derived by a law, and FULL_LINK gives the buffer for a link that
#: is always busy, although a lower utilisation may be required.
FURTHER = (FULL_LINK, "BDP/3")


@dataclass(frozen=True)
class ByRule:
    """Rule for the buffer of a number of flows, and that buffer [packets]; NaN if the rule does not apply."""

    flows: int
    rule: str
    packets: float


def by_rule(
    *, rate: float, round_trip_time: Any, scheme: str | Scheme, share: float, packet: int, find: str = "buffer",
    flows: Any = None, discipline: str | Discipline | None = None, mark_above: int | None = None,
    parameters: Mapping[str, float] | None = None,
) -> list[ByRule]:  # fmt: skip
    """Return the rule to compare with and its buffer for each number of flows; arguments as `design.buffer` accepts.

    >>> path = {"rate": 1.25e8, "round_trip_time": 0.1, "share": 0.95, "packet": 1500}
    >>> for one in by_rule(**path, scheme="reno", flows=[1, 16]):  # 0.43127 and a quarter of 8333.3 packets
    ...     print(one.flows, one.rule, one.packets)
    1 AIMD closed form 3594
    16 BDP/sqrt(n) 2083
    """
    senders = Senders.of(scheme, parameters, None)
    trips = round_trip_time if isinstance(round_trip_time, list) else [round_trip_time]
    bottleneck = Bottleneck(rate, sum(trips) / len(trips), packet)
    packets = bottleneck.bandwidth_delay_product
    path = Path(packets, bottleneck.round_trip_time)
    queue = discipline_of("fifo" if find == "burst" else discipline, senders.scheme, mark_above, packets)
    threshold = 0.0 if find == "threshold" else threshold_of(queue)
    laws = laws_sought(find, senders, path, threshold, queues.discipline(queue).name)
    numbers = flows if isinstance(flows, list) else [len(trips) if flows is None else flows]
    made = []
    for count in numbers:
        rule = compared(laws.holds, count)
        size = laws.rules(share, count)[rule] * packets
        made.append(ByRule(count, rule, math.nan if math.isnan(size) else max(1, round(size))))
    return made


def check_find(find: str, discipline: Any, mark_above: Any) -> None:
    """Raise a ValueError if arguments of the queue conflict with the quantity to find."""
    if find == "threshold" and mark_above is not None:
        raise conflict(f"mark_above = {mark_above}", "excludes find = 'threshold', which determines the threshold")
    if find == "burst" and (discipline is not None or mark_above is not None):
        raise conflict("find = 'burst'", "excludes discipline and mark_above: a policer has no queue")


def laws_sought(find: str, senders: Senders, path: Path, threshold: float, named: str) -> Laws:
    """Return the rules and laws for the quantity ``find`` and the discipline ``named``.

    ``threshold`` is the backlog above which the discipline marks packets [packets].
    """
    if find == "burst":
        # The law assumes that windows grow linearly. CUBIC's windows do not: NaN, because the law does not hold.
        factor = math.nan if senders.scheme.name == "cubic" else senders.decrease
        return PolicerLaws(factor, path)
    if find == "threshold":
        choice("discipline", named, signalling.NAMES)
    return laws_of(senders.scheme, senders.parameters, senders.decrease, path, threshold, named)


def compared(rules: Iterable[str], flows: int) -> str:
    """Return the rule to compare an answer with: the law of the scheme, or BDP/sqrt(n) for several flows.

    >>> compared(["one BDP", "BDP/sqrt(n)", "AIMD closed form", "BDP/3"], 1)
    'AIMD closed form'
    >>> compared(["one BDP", "BDP/sqrt(n)", "BDP/3"], 1)
    'one BDP'
    """
    known = list(rules)
    if flows > 1 and ROOT in known:
        return ROOT
    own = [one for one in known if one not in (ONE, ROOT, *FURTHER, "simulated")]
    return own[0] if own else ONE
