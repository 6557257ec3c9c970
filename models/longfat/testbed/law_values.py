"""Values of the laws whose assumptions the flows and links of a scenario meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from longfat.design.bottleneck import threshold_of
from longfat.design.buffer_laws import BbrLaws, CubicLaws, DctcpLaws, Laws, Path, is_bbr, laws_of, value_of
from longfat.design.senders import LARGEST_LOSS_OF_BBR1
from longfat.laws import bbr, cubic, tcp
from longfat.sim.network.elements import Flow, Link
from longfat.sim.network.network import Network

LOSS_BASED = ("reno", "newreno", "sack", "cubic")
#: Smallest value of the deviation, TCP_RTO_MIN [s]. Linux's retransmission timeout is the smoothed round-trip time plus
#: the deviation (net/ipv4/tcp_input.c, __tcp_set_rto() and tcp_rtt_estimator()).
LEAST_DEVIATION = 0.2  # s
#: Flows under random loss are assumed to form no queue if their rates are at most this fraction of the capacity. Our
#: choice: windows vary by a factor of about two around their mean.
WITHOUT_QUEUE = 0.5
#: Class of the laws of a scheme -> public name of its law of the utilisation.
UTILISATION = {
    CubicLaws: "cubic.utilisation_general",
    BbrLaws: "bbr.probe_rtt_utilisation",
    DctcpLaws: "tcp.aimd_utilisation_general",
    Laws: "tcp.aimd_utilisation_general",
}


@dataclass(frozen=True)
class LawValue:
    """Value of a law for one quantity of a flow or link."""

    quantity: str  # variable of `longfat.sim.run`
    of: str  # name of the flow or link
    value: float  # in the unit of the variable
    law: str  # public name
    remark: str = ""  # effects that the law neglects in this scenario


@dataclass(frozen=True)
class Shared:
    """Bottleneck and path that are common to all flows of a scenario."""

    link: Link
    packet: int  # bytes
    round_trip_time: float  # of the empty path [s]: propagation, and transmission of a packet and its acknowledgment
    loss: float  # probability that a packet is lost at random

    @property
    def capacity(self) -> float:
        """Capacity of the bottleneck [packets/s]."""
        return self.link.rate / self.packet

    @property
    def path(self) -> Path:
        """Bandwidth-delay product and round-trip time of the empty path."""
        return Path(self.capacity * self.round_trip_time, self.round_trip_time)

    @property
    def buffer_packets(self) -> float:
        """Buffer of the bottleneck [packets]."""
        return min(self.link.buffer_packets, self.link.buffer_bytes / self.packet)

    @property
    def buffer(self) -> float:
        """Buffer of the bottleneck [bandwidth-delay products]."""
        return self.buffer_packets / self.path.bandwidth_delay_product


def law_values(net: Network, duration: float = math.inf) -> list[LawValue]:
    """Return the values of the laws that apply to a scenario; an empty list if none does.

    The laws are those for flows that have one path and one packet size in common, without other traffic: utilisation
    and queue with AIMD, CUBIC or BBR, rates under random loss, the share of a BBR flow, and the transfer time of a
    single file. No law applies if a flow stops before the end of the run at ``duration`` [s].

    Examples
    --------
    >>> net = Network().link("a", "b", rate="8 Mbit/s", delay="49.5 ms", buffer=100).flow(
    ...     "sack", path=["a", "b"], ack_path="ideal")
    >>> [(one.quantity, one.of, one.law, round(one.value, 1)) for one in law_values(net)]
    [('utilisation', 'a-b', 'tcp.aimd_utilisation_general', 1.0), ('mean_queue', 'a-b', 'tcp.aimd_mean_queue', 55.6)]
    """
    subjects = [shared(net, flow) for flow in net.flows]
    subject = subjects[0] if subjects else None
    if subject is None or any(one != subject for one in subjects):
        return []
    if _alone(net.flows) and net.flows[0].file is not None:
        return list(_file(subject, net.flows[0]))
    if any(flow.file is not None or flow.stop < duration for flow in net.flows):
        return []
    first = net.flows[0]
    if any((flow.scheme, flow.parameters) != (first.scheme, first.parameters) for flow in net.flows):
        return list(_share(subject, net.flows))
    return list((_random_loss if subject.loss > 0 else _full_link)(subject, net.flows))


def shared(net: Network, flow: Flow) -> Shared | None:
    """Return the bottleneck and the path of a flow; None if the flow or the path has a feature that no law models."""
    there, back = net.route(flow), net.way_back(flow)
    if flow.scheme is None or flow.application is not None or flow.send_jitter > 0:
        return None
    link = min(there, key=lambda one: one.rate)
    plain = all(one.jitter == 0 and not one.rate_changes for one in (*there, *back))
    # Acknowledgments form no queue if each takes at most as long at its links as a packet at the bottleneck.
    quick = all(link.rate == math.inf or flow.ack / one.rate <= flow.packet / link.rate for one in back)
    if not plain or not quick or any(one.loss for one in back) or flow.access_rate < link.rate:
        return None
    time = sum(one.delay + flow.packet / one.rate for one in there) + flow.packet / flow.access_rate
    time += sum(one.delay + flow.ack / one.rate for one in back) if back else sum(one.delay for one in there)
    return Shared(link, flow.packet, time, 1 - math.prod(1 - one.loss for one in there))


def _alone(flows: list[Flow]) -> bool:
    return sum(flow.count for flow in flows) == 1


def _value(flow: Flow, name: str, default: float) -> float:
    """Return the value of a parameter of a flow's scheme; ``default`` if the scheme does not have the parameter."""
    if flow.scheme is None or name not in flow.scheme.parameters:
        return default
    return value_of(flow.scheme, flow.parameters, name)


def _full_link(subject: Shared, flows: list[Flow]) -> Iterator[LawValue]:
    """Yield the law values of utilisation and mean queue of a bottleneck whose greedy flows have one scheme."""
    first, count = flows[0], sum(flow.count for flow in flows)
    scheme, name = first.scheme, subject.link.discipline.name
    assert scheme is not None
    if subject.capacity == math.inf or (subject.buffer == math.inf and not is_bbr(scheme)):
        return
    laws = laws_of(scheme, first.parameters, subject.path, threshold_of(subject.link.discipline), name)
    if name != "fifo" and not isinstance(laws, DctcpLaws):
        return
    remark = "if all flows lose at the same time" if count > 1 else ""
    if isinstance(laws, CubicLaws) and _value(first, "fast_convergence", 0.0) > 0:
        remark = ", ".join(filter(None, (remark, "without fast convergence")))
    utilisation = laws.together(subject.buffer, count)
    if not math.isnan(utilisation):
        yield LawValue("utilisation", subject.link.name, utilisation, UTILISATION.get(type(laws), ""), remark)
    product, link = subject.path.bandwidth_delay_product, subject.link.name
    if type(laws) is Laws and not math.isnan(laws.decrease):
        queue = float(tcp.aimd_mean_queue(subject.buffer, laws.decrease)) * product
        yield LawValue("mean_queue", link, queue, "tcp.aimd_mean_queue", remark)
    if isinstance(laws, CubicLaws):
        beta = laws.decrease
        largest = (1 + subject.buffer) * product / count
        if largest >= float(cubic.reno_friendly_window(subject.round_trip_time, laws.c, beta)):
            queue = float(cubic.mean_queue(subject.buffer, beta)) * product
            yield LawValue("mean_queue", link, queue, "cubic.mean_queue", remark)
    if scheme.name == "bbr1" and is_bbr(scheme) and count > 1 and subject.buffer > 1:
        yield LawValue("mean_queue", link, float(bbr.standing_queue(product)), "bbr.standing_queue")


def _random_loss(subject: Shared, flows: list[Flow]) -> Iterator[LawValue]:
    """Yield the law values of the goodput of greedy flows that have one scheme, under random loss."""
    first, names = flows[0], [name for flow in flows for name in flow.names]
    for law, rate, remark in _rates(subject, first, len(names)):
        for name in names:
            yield LawValue("goodput", name, rate * (1 - subject.loss) * subject.packet, law, remark)


def _rates(subject: Shared, flow: Flow, count: int) -> Iterator[tuple[str, float, str]]:
    """Yield (name of the law, rate [packets/s], effects that the law neglects) for one flow under random loss."""
    scheme, loss, time = flow.scheme, subject.loss, subject.round_trip_time
    assert scheme is not None
    if is_bbr(scheme):
        if scheme.name == "bbr1" and count == 1 and loss <= LARGEST_LOSS_OF_BBR1 and subject.capacity < math.inf:
            utilisation = BbrLaws(math.nan, subject.path, scheme.name).ceiling
            yield "bbr.probe_rtt_utilisation", utilisation * subject.capacity, f"loss up to {LARGEST_LOSS_OF_BBR1}"
        return
    found: list[tuple[str, float, str]] = []
    if scheme.name in ("reno", "newreno", "sack"):
        found = [
            ("tcp.square_root_rate", float(tcp.square_root_rate(loss, time)), "losses at equal distances"),
            ("tcp.pftk_rate", float(tcp.pftk_rate(loss, time, time + LEAST_DEVIATION)), "a timeout of R + 0.2 s"),
        ]
    elif scheme.name == "cubic" and "c" in scheme.parameters:
        c, beta = value_of(scheme, flow.parameters, "c"), value_of(scheme, flow.parameters, "beta")
        if loss < float(cubic.reno_friendly_loss(time, c, beta)) and beta == 0.7:
            window = cubic.average_window_random(loss, time, c, value_of(scheme, flow.parameters, "fast_convergence"))
            found = [("cubic.average_window_random", float(window) / time, "")]
        else:
            window = cubic.average_window(loss, time, c, beta)
            found = [("cubic.average_window", float(window) / time, "losses at equal distances")]
    yield from (one for one in found if count * one[1] <= WITHOUT_QUEUE * subject.capacity)


def _share(subject: Shared, flows: list[Flow]) -> Iterator[LawValue]:
    """Yield the law value of the goodput of a single flow of BBR version 1 beside loss-based flows."""
    bbr_flows = [flow for flow in flows if flow.scheme is not None and is_bbr(flow.scheme)]
    others = [flow for flow in flows if flow.scheme is not None and flow.scheme.name in LOSS_BASED]
    known = len(bbr_flows) + len(others) == len(flows) and _alone(bbr_flows) and bbr_flows[0].scheme.name == "bbr1"  # type: ignore[union-attr]
    if not known or subject.loss > 0 or subject.link.discipline.name != "fifo" or subject.buffer == math.inf:
        return
    share = float(bbr.share_refined(subject.buffer, subject.path.bandwidth_delay_product))
    remark = "a queue that is always full"
    yield LawValue("goodput", bbr_flows[0].name, share * subject.link.rate, "bbr.share_refined", remark)


def _file(subject: Shared, flow: Flow) -> Iterator[LawValue]:
    """Yield the law's transfer time of one file in slow start, with neither losses nor delayed acknowledgments."""
    assert flow.scheme is not None
    assert flow.file is not None
    packets = math.ceil(flow.file / flow.packet)
    without_loss = subject.loss == 0 and packets <= subject.buffer_packets + 1
    slow_start = min(_value(flow, "initial_ssthresh", math.inf), math.inf) >= packets
    exact = _value(flow, "delayed_ack", 1.0) <= 1 and _value(flow, "hystart", 0.0) == 0
    if flow.scheme.name not in LOSS_BASED or not (without_loss and slow_start and exact):
        return
    # The law has the transmission time of one link; the round-trip time has to include those of the other links.
    transmission = max(flow.packet / subject.link.rate, flow.packet / flow.access_rate)
    first = _value(flow, "initial_window", 1.0)
    time = tcp.slow_start_transfer_time(packets, subject.round_trip_time - transmission, transmission, first)
    yield LawValue("transfer_time", flow.name, float(time), "tcp.slow_start_transfer_time")
