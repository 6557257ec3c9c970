"""Links and flows of a network, as `Network.link` and `Network.flow` create them, with their options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

from longfat.base import domains
from longfat.sim import queues
from longfat.sim.network.options import Option, number, options, read_buffer, read_rate_changes, setting
from longfat.sim.network.traffic import Traffic
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme


def _stamps(name: str, value: Any, of: str) -> bool | str:
    return domains.choice(name, value, ("incoming",)) if isinstance(value, str) else domains.flag(name, value)


@dataclass(frozen=True)
class Link:
    """Link from one node to another, in SI units; created by `Network.link`, which has the same options."""

    name: str
    tail: str
    head: str
    rate: float = number(
        "bytes/s", "(0, inf)", meaning="Transmission rate", endless=True,
        remark="``math.inf`` for a link without transmission time",
    )  # fmt: skip
    delay: float = number("s", "[0, 1e6]", 0.0, "Propagation delay", row="delay")
    buffer: tuple[float, float] = setting(
        toml="packets", kind="int or str", check=read_buffer,
        meaning='Greatest backlog, without the packet in transmission: 440 or "440 packets" [packets], or "64 KiB" '
        "[bytes]; unbounded by default",
    )  # fmt: skip
    discipline: Discipline = setting(  # noqa: RUF009  it is a field
        toml="discipline", kind="str or Discipline", default="fifo",
        check=lambda name, value, of: queues.discipline(value),
        meaning='Queue discipline: a name, such as "red", or one of `longfat.sim.queues` with parameters, such as '
        "``queues.red(min_th=5, max_th=15)``",
    )  # fmt: skip
    loss: float = number(
        "probability", "[0, 1]", 0.0, "Probability that an arriving packet is lost, independently of others",
        row="loss",
    )  # fmt: skip
    jitter: float = number(
        "s", "[0, 1e6]", 0.0,
        "Upper bound of a random time before each transmission, which is uniform from 0 to this bound",
        row="jitter", remark="Packets keep their order",
    )  # fmt: skip
    counter_refresh: float = number(
        "s", "[0, 1e6]", 0.0, "Interval between updates of the byte counter that the link reports",
        remark="At 0 every packet updates the counter. This option and the next two are for the performance "
        "transparency protocol, see `longfat.sim.schemes.cadpc`",
    )  # fmt: skip
    coarse_clock: bool = setting(
        toml="flag", kind="bool", default=False, check=domains.flag,
        meaning="Whether the link reports the time of the last update of its counter instead of the present time",
    )  # fmt: skip
    stamps: bool | str = setting(
        toml="answer", kind='bool or {"incoming"}', default=True, check=_stamps,
        meaning="Whether the router in front of the link adds the link's counter to requests",
        remark='"incoming" is for a link of which only the router at the far end knows the protocol: that router '
        "adds the counter of the interface through which requests come.",
    )  # fmt: skip
    rate_changes: tuple[tuple[float, float], ...] = setting(
        toml="pairs", kind="sequence of pairs", default=(), check=read_rate_changes,
        meaning="Times [s], in increasing order, and the rate from each of them on [bytes/s]",
        remark="A packet in transmission ends at the rate at which it began.",
    )  # fmt: skip

    @cached_property
    def fastest(self) -> float:
        """Largest finite rate [bytes/s]; 0 for a link without transmission time."""
        rates = (self.rate, *(rate for _, rate in self.rate_changes))
        return max((rate for rate in rates if rate < math.inf), default=0.0)

    @property
    def buffer_packets(self) -> float:
        """Size of the buffer [packets]."""
        return self.buffer[0]

    @property
    def buffer_bytes(self) -> float:
        """Size of the buffer [bytes]."""
        return self.buffer[1]


@dataclass(frozen=True)
class Flow:
    """Flow along a path, in SI units: a transfer or traffic; created by `Network.flow`, whose options are the fields.

    `Network.flow` itself checks path, application and parameters, which depend on the network and on the scheme.
    """

    name: str
    path: tuple[str, ...]
    scheme: Scheme | None
    traffic: Traffic | None = None
    file: float | None = number(
        "bytes", "[1, 1e18]", meaning="Size of the transfer", optional=True,
        remark="By default the source always has data to send",
    )  # fmt: skip
    start: float = number("s", "[0, 1e9]", 0.0, "Start of the flow, or of its first copy")
    stagger: float = number("s", "[0, 1e9]", 0.0, "Time between the starts of consecutive copies")
    stop: float = number("s", "[0, 1e9]", math.inf, "End of sending", endless=True)
    packet: int = number("bytes", "[1, 1e6]", 1000, "Size of data packets, headers included", integer=True)
    ack: int = number("bytes", "[1, 1e6]", 40, "Size of acknowledgments, headers included", integer=True)
    access_rate: float = number(
        "bytes/s", "(0, inf)", math.inf, "Rate of the access link between the source and the first node",
        endless=True,
        remark="A scheme's packet counts as sent, and its round trip begins, when the access link starts to "
        "transmit it; uncontrolled traffic queues there without limit. Every connection of "
        "`longfat.sim.traffic.arrivals` has its own access link",
    )  # fmt: skip
    ack_path: str = setting(
        toml="text", names=("reverse", "ideal"), default="reverse",
        meaning='Return path of acknowledgments: "reverse" is over the links in the reverse direction, "ideal" takes '
        "the propagation delay alone, without queueing and transmission",
    )  # fmt: skip
    count: int = number(
        "flows", "[1, 1e6]", 1, "Number of copies", integer=True,
        remark="They are named name-1, name-2 and so on",
    )  # fmt: skip
    send_jitter: float = number(
        "s", "[0, 1e6]", 0.0,
        "Upper bound of a random delay of each packet at the source, which is uniform from 0 to this bound",
        remark="Packets keep their order. A bound of one transmission time at the bottleneck avoids the phase "
        'effects of deterministic networks (Floyd & Jacobson, "On Traffic Phase Effects in Packet-Switched '
        'Gateways", 1992)',
    )  # fmt: skip
    application: Traffic | None = setting(  # noqa: RUF009  it is a field
        toml="traffic", kind="Traffic",
        meaning="Application that writes the data, ``traffic.constant(...)`` or ``traffic.on_off(...)``, from the "
        "start of the flow on: the sender can send only data that the application has written",
        remark="By default all data are available at the start.",
    )  # fmt: skip
    parameters: Mapping[str, float] = field(
        default_factory=dict,
        metadata={
            "option": Option(
                toml="values", kind='mapping of str to float or "linux"',
                meaning="Values of the scheme's parameters, which override the values in the call of the scheme; "
                '"linux" stands for the values in `longfat.sim.schemes.linux`',
            )
        },
    )  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the copies of the flow."""
        return (self.name,) if self.count == 1 else tuple(f"{self.name}-{k + 1}" for k in range(self.count))


OF_LINK, OF_FLOW = options(Link), options(Flow)
#: Function that returns the options of a link without the discipline, which is compared separately.
link_values = attrgetter(*(name for name in OF_LINK if name != "discipline"))
_OWN = ("start", "stagger", "application", "parameters")
#: Function that returns the options of a flow in which all flows of one kind agree, without application and parameters,
#: which are compared separately.
flow_values = attrgetter(*(name for name in OF_FLOW if name not in _OWN))
