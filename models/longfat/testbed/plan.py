"""Conversion of a scenario to connections of Linux, and refusal of scenarios with features that Linux lacks."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from longfat.base.domains import conflict, out_of_range
from longfat.base.layers import header_bytes

if TYPE_CHECKING:
    from longfat.sim.network.elements import Flow
    from longfat.sim.network.network import Network

#: Size of the headers of IPv4 and TCP [bytes], without and with timestamps. An acknowledgment has the same size.
HEADERS = (header_bytes("IP", time_stamps=False), header_bytes("IP"))
#: Port of the first connection at both hosts. The port of each further connection is one higher.
FIRST_PORT = 20_000
MOST_CONNECTIONS = 10_000
SENDERS, RECEIVERS = "10.64.0.0/16", "10.128.0.0/16"  # prefixes; each connection has its own address in both
#: Scheme of the simulator -> congestion control of Linux. Linux's Reno corresponds to `sack`, because it recovers with
#: selective acknowledgments; if the setting tcp_sack is 0, it recovers by RFC 6582.
CONTROLS = {"sack": "reno", "newreno": "reno", "cubic": "cubic", "bbr1": "bbr", "dctcp": "dctcp"}
#: Scheme that Linux lacks -> the most similar scheme that Linux has.
NEAREST = {"bbr": "bbr1", "reno": "newreno", "tahoe": "newreno", "prague": "dctcp", "gaimd": "sack"}
#: Parameters that can be set for each connection.
SETTABLE = ("initial_window", "delayed_ack", "min_rto", "ecn")
#: Parameter -> values with which a scheme behaves as Linux does. The parameters are those for which
#: `longfat.sim.schemes.linux` has no value, or only one of several such values. Source: net/ipv4/tcp_input.c,
#: tcp_cong.c and include/net/tcp.h unless another file is named. A parameter that a scenario does not set keeps the
#: scheme's default, even if it differs from these values; the comparison then shows the effect of the difference.
LINUX: dict[str, tuple[float, ...]] = {
    "initial_ssthresh": (1e300, math.inf),
    "ssthresh_floor": (2.0,),
    "duplicate_threshold": (3.0,),
    "bugfix": (1.0,),
    "limited_transmit": (1.0,),
    "ack_delay": (0.04,),  # TCP_DELACK_MIN
    "growth_limit": (2.0, math.inf),  # Linux has no limit; also allowed: 2, the value in `DEPLOYED`
    "prr": (1.0, 2.0),  # tcp_cwnd_reduction()
    "rack": (1.0, 2.0),
    "pacing": (0.0,),  # reno, cubic and dctcp are paced only under the queue discipline fq
    "ect": (1.0,),
    "c": (0.4,),  # tcp_cubic.c, bic_scale
    "beta": (0.7,),  # tcp_cubic.c: 717/1024
    "fast_convergence": (1.0,),
    "reno_friendly": (1.0,),
    "clock_tick": (0.001, 1 / 300, 0.004, 0.01),  # tcp_jiffies32: HZ is 1000, 300, 250 or 100
    "gain": (0.0625,),  # tcp_dctcp.c, dctcp_shift_g
    "initial_alpha": (1.0,),  # tcp_dctcp.c, dctcp_alpha_on_init
}
SMALLEST_PACKET, LARGEST_PACKET = 256, 65535  # bytes; tcp_min_snd_mss and options leave smaller packets little data
LARGEST_INITIAL_WINDOW = 65535.0  # packets


@dataclass(frozen=True)
class Connection:
    """TCP connection between the hosts, with the properties that a flow of the scenario specifies."""

    number: int  # counted from 0
    name: str  # name of the flow, or of one of its copies
    control: str  # Linux's name of the congestion control
    packet: int  # size of a data packet with its headers [bytes]
    payload: int  # size of the data in it [bytes]
    file: int | None = None  # data to send [bytes]; None for unlimited data
    start: float = 0.0  # time at which the application begins to write [s]
    stop: float = math.inf  # time at which the application aborts the connection [s]
    initial_window: int = 10  # packets
    quick: bool = False  # whether the receiver acknowledges every packet immediately
    least_timeout: float = 0.2  # lower bound of the retransmission timeout [s]
    congestion_marks: bool = False  # whether the connection uses explicit congestion notification

    @property
    def port(self) -> int:
        """Port of the connection at both hosts."""
        return FIRST_PORT + self.number

    def address(self, prefix: str) -> str:
        """Return the connection's IPv4 address in the prefix `SENDERS` or `RECEIVERS`."""
        high, low = divmod(self.number + 1, 256)
        return f"{prefix.rsplit('.', 2)[0]}.{high}.{low}"


def controlled(net: Network) -> Iterator[tuple[Flow, int]]:
    """Yield (flow, number of the copy) for each copy of each flow with a scheme, in the order of the scenario."""
    for flow in net.flows:
        if flow.scheme is not None and flow.traffic is None:
            yield from ((flow, copy) for copy in range(flow.count))


def with_handshakes(net: Network) -> Network:
    """Return a copy of a scenario in which senders know the round-trip time that Linux measures in the handshake.

    This time is the round-trip time of the empty path. Of the simulator's schemes only BBR uses it, as the parameter
    `handshake_rtt`. A value that the scenario sets is kept.

    >>> from longfat.sim import Network
    >>> net = Network().link("a", "b", rate="20 Mbit/s", delay="20 ms").flow("bbr1", path=["a", "b"], ack_path="ideal")
    >>> with_handshakes(net).flows[0].parameters, net.flows[0].parameters
    ({'handshake_rtt': 0.04}, {})
    """
    made = copy.copy(net)
    made.flows = [
        replace(flow, parameters={"handshake_rtt": _empty_round_trip(net, flow), **flow.parameters})
        if flow.scheme is not None and "handshake_rtt" in flow.scheme.parameters
        else flow
        for flow in net.flows
    ]
    return made


def _empty_round_trip(net: Network, flow: Flow) -> float:
    """Return the round-trip time [s] of small packets over the empty path of a flow: the sum of the links' delays."""
    there = net.route(flow)
    return sum(one.delay for one in (*there, *(net.way_back(flow) or there)))


def refusals(net: Network) -> list[str]:
    """Return a line for each feature of a scenario that Linux lacks, with the flow's name; empty if Linux can run it.

    Parameters
    ----------
    net : Network
        The scenario.
    """
    flows = list(dict.fromkeys(flow.name for flow, _ in controlled(net)))
    if not flows:
        return ["no flow has a congestion-control scheme: there is nothing for Linux to control"]
    count = sum(1 for _ in controlled(net))
    found = [] if count <= MOST_CONNECTIONS else [f"{count} connections: at most {MOST_CONNECTIONS} are possible"]
    for flow in net.flows:
        found += [f"flow {flow.name!r}: {words}" for words in _refused(flow)]
    return found + _mixed(net)


def _refused(flow: Flow) -> Iterator[str]:
    """Yield a text for each feature of a flow that Linux lacks."""
    if flow.scheme is None:
        return
    name = flow.scheme.name
    if flow.traffic is not None:
        yield "arrivals of connections at random are not possible, only flows with a start"
        return
    if name not in CONTROLS:
        nearest = NEAREST.get(name)
        hint = f"the nearest is {nearest!r}" if nearest else f"available are {', '.join(sorted(CONTROLS))}"
        yield f"Linux has no congestion control like the scheme {name!r}; {hint}"
        return
    if flow.application is not None:
        yield "an application that writes the data is not possible, only a file or endless data"
    if flow.send_jitter > 0:
        yield f"send_jitter = {flow.send_jitter:g} s is not possible: Linux's TCP decides when it sends"
    if flow.access_rate < math.inf:
        yield f"access_rate = {flow.access_rate:g} bytes/s: give the path another link, which Linux's packets can cross"
    if not SMALLEST_PACKET <= flow.packet <= LARGEST_PACKET:
        yield str(out_of_range("packet", flow.packet, "bytes", f"[{SMALLEST_PACKET}, {LARGEST_PACKET}]"))
    if flow.ack not in HEADERS:
        yield f"ack = {flow.ack} bytes: Linux's acknowledgments have 40 bytes, or 52 with time stamps (tcp_timestamps)"
    yield from _refused_parameters(flow, name)


def _refused_parameters(flow: Flow, name: str) -> Iterator[str]:
    """Yield a text for each parameter of a flow whose value differs from Linux's behaviour."""
    from longfat.sim import schemes  # not at the top: the process of a run imports this module before the simulator

    nearest = {"hystart": 0.0, **schemes.linux(name)}
    for parameter, value in flow.parameters.items():
        if parameter == "handshake_rtt":
            yield f"handshake_rtt = {value:g} s: Linux measures the round trip of its own handshake; leave it out"
            continue
        if parameter == "delayed_ack" and value not in (1.0, 2.0):
            yield f"delayed_ack = {value:g}: Linux acknowledges every packet (1), or by its own rules (2)"
        if parameter == "initial_window" and not (value == int(value) and 1 <= value <= LARGEST_INITIAL_WINDOW):
            yield f"initial_window = {value:g}: Linux's initial window is an integer in [1, {LARGEST_INITIAL_WINDOW:g}]"
        if parameter in SETTABLE:
            continue
        does = LINUX.get(parameter) or ((nearest[parameter],) if parameter in nearest else None)
        if parameter == "timestamps":
            does = (float(flow.ack == 52),)
        if does is None:
            yield f"Linux has nothing like the parameter {parameter!r}"
        elif value not in does:
            yield f"{parameter} = {value:g}: Linux has {' or '.join(f'{one:g}' for one in does)}"


def _mixed(net: Network) -> list[str]:
    """Return a text for each setting of the host, common to all flows, of which flows need different values."""
    found, flows = [], [flow for flow, _ in controlled(net)]
    if len({flow.scheme.name == "newreno" for flow in flows if flow.scheme}) > 1:
        found.append("newreno beside another scheme: tcp_sack holds for all connections of a host")
    if len({flow.ack for flow in flows}) > 1:
        found.append("different values of ack: tcp_timestamps holds for all connections of a host")
    return found


def plan(net: Network) -> list[Connection]:
    """Return the connections of a scenario, in the order in which the emulator numbers them."""
    if refused := refusals(net):
        raise conflict("the scenario", "has features that Linux lacks", "; ".join(refused))
    return [_connection(number, flow, copy) for number, (flow, copy) in enumerate(controlled(net))]


def _connection(number: int, flow: Flow, copy: int) -> Connection:
    scheme: Any = flow.scheme
    values: Mapping[str, float] = {name: one.default for name, one in scheme.parameters.items()} | dict(flow.parameters)
    payload = flow.packet - flow.ack  # an acknowledgment consists of the same headers without data
    return Connection(
        number=number,
        name=flow.names[copy],
        control=CONTROLS[scheme.name],
        packet=flow.packet,
        payload=payload,
        # Linux transfers bytes: the file has as many full segments as the simulated file has packets.
        file=None if flow.file is None else math.ceil(flow.file / flow.packet) * payload,
        start=flow.start + copy * flow.stagger,
        stop=flow.stop,
        initial_window=int(values["initial_window"]),
        quick=values.get("delayed_ack", 1.0) == 1.0,
        least_timeout=values.get("min_rto", 0.2),
        congestion_marks=values.get("ecn", 0.0) > 0.0 or scheme.name == "dctcp",
    )


def settings_of(net: Network) -> dict[str, object]:
    """Return the settings of both hosts that a scenario determines, by path below /proc/sys/net."""
    flow: Any = next(controlled(net))[0]
    return {"ipv4/tcp_sack": int(flow.scheme.name != "newreno"), "ipv4/tcp_timestamps": int(flow.ack == 52)}
