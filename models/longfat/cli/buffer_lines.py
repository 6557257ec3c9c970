"""Command lines for Linux in the answer of `longfat buffer`: queues of the sizes found, checks of rate and delay."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longfat.base.layers import header_bytes
from longfat.base.quantities import rounded, text
from longfat.cli import tables
from longfat.cli.paste import (
    BURSTS,
    CHECK,
    LONGEST,
    LONGEST_OMITTED,
    USUAL,
    Line,
    format_of,
    one_iperf3,
    rates,
    sendable,
)
from longfat.design.buffer_laws import ONE, size_in_lines
from longfat.design.senders import SENDERS
from longfat.design.signalling import LARGEST_PROBABILITY, NAMES, RED_LEAST, ROOM, TIMES_MIN_TH, interval
from longfat.design.tcp_windows import HEADERS, UTILISATION_ACCURACY, by_iperf3
from longfat.laws.buffers import burst_for_shaped_rate
from longfat.laws.tcp import achievable_throughput
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

LARGEST_LIMIT = 2**32 - 1  # bytes: limit of bfifo and tbf (include/uapi/linux/pkt_sched.h, tc_fifo_qopt)
AT_BOTTLENECK = "As root, DEV is the interface of the bottleneck."
FRAME = header_bytes("tc", "IP")  # bytes that tc counts for each packet in addition to the IP packet
#: Assumed delay of the timer of a token bucket [s]. Our choice, with a wide margin: the timer has a high resolution
#: (net/sched/sch_api.c, qdisc_watchdog_init()), and the rates measured at routers (tests/laws/test_buffers.py)
#: correspond to delays of about 70 us.
LATENESS = 0.001
#: Largest packet in a queue of Linux by default [bytes]: segments that the host's TCP sends as one packet, or that
#: Linux joins on arrival (include/linux/netdevice.h, GSO_LEGACY_MAX_SIZE). A packet larger than the queue's free space
#: is dropped as a whole.
JOINED = 65536
#: Longest transmission time of a joined packet [s] with which a FIFO, or the bucket of a policer, gets space for such
#: a packet in addition to the buffer. Our choice, a usual round-trip time of the Internet (RFC 8289, section 4.3),
#: because other packets fill this space, too. At lower rates the lines turn off joining, so that the queue is as long
#: as the buffer.
LONGEST_JOINED = 0.1
#: Number of packets for which a queue must have space for each connection of the host itself. Our choice:
#: TCP in Linux queues two joined packets of a connection (tcp_output.c, tcp_small_queue_check()), of two segments or
#: more each (tcp_min_tso_segs). If the queue refuses a packet, TCP does not treat the packet as lost. TCP tries
#: again after half a second, and aborts the connection after 15 attempts (tcp_send_probe0(), tcp_probe_timer()). When
#: the queue had space for one packet of each connection, 3 of 16 connections were aborted within ten seconds.
OWN = 4
#: Factor by which a larger buffer may lengthen the mean queueing delay. Our choice: up to this factor, one BDP is
#: advised instead of the smallest sufficient buffer, if the discipline and not the buffer controls the delay.
FREE = 1.2
#: Exponent n of RED's weight of a new sample in Linux, 2^-n. The simulated weight is 0.002 (Floyd and Jacobson, 1993),
#: to which 2^-9 is nearest.
RED_EXPONENT = 9
#: Discipline -> its part of a tc command. The parameters are the simulated defaults, which are also Linux's (man pages
#: tc-codel, tc-fq_codel, tc-pie).
DEFAULTS = {
    "codel": "codel limit {} target 5ms interval 100ms",
    "fq-codel": "fq_codel limit {} target 5ms interval 100ms",
    "pie": "pie limit {} target 15ms tupdate 15ms",
}
#: Discipline -> document that gives its parameters for Internet paths.
OF = {"codel": "RFC 8289", "fq-codel": "RFC 8290", "pie": "RFC 8033", "dualpi2": "RFC 9332", "red": "Floyd 1997"}
#: Command that shows the queue discipline of an interface, and its expected output.
SAME_NUMBERS = (
    "tc -s qdisc show dev DEV",
    "the same numbers; dropped (or marked) above 0 while the flows run: else the queue is not here",
)
OMITTED = 10  # s: least time that a check omits at its start (iperf3 -O), our choice
#: Least number of round trips that a check omits. Our choice: slow start doubles the window in each, from 10 packets
#: (RFC 6928) to 10 million.
OMITTED_TRIPS = 20
#: Name of a scheme -> its name in Linux, for iperf3 -C.
CONTROLS = {"sack": "reno", "newreno": "reno"} | {name: one.control for name, one in SENDERS.items()}
#: Disciplines whose line uses fq_codel, in which a ping does not wait behind the flows (RFC 8290, section 4.1).
OWN_QUEUES = ("step-marking", "fq-codel")
#: Relative difference within which Linux's mean queue is expected to agree with the simulated one. Our choice from the
#: differences for Reno and CUBIC (docs/linux.md): all their intervals are within 10 %, except those of two flows of
#: CUBIC at 0.1 BDP, +9.5 +- 5.6 %, and at 0.25 BDP, up to 11 %. For BBR the answer gives only the largest delay.
DELAY_ACCURACY = 0.1
#: Largest rate at which the answer's values were compared with Linux [bytes/s] (docs/advice.md). At higher rates the
#: hosts may limit the flows.
COMPARED = 1.25e7


def lines(data: xr.Dataset) -> list[Line]:
    """Return the lines that set up the queue at the bottleneck, and those that check rate and queueing delay."""
    of_flows = decisive(data)
    if of_flows is None:
        return [Line(_none(data))]
    row = pasted(of_flows)
    packets, raised = in_lines(row), is_raised(row)
    queue, *others = _queues(row, packets)
    if raised:
        reason = f"A limit of {packets} packets, one for each flow; the smallest sufficient one is"
        queue = replace(queue, reason=f"{reason} {int(row.buffer_packets)}. {queue.reason}")
    if not queue.lines:
        return [queue]
    if data.attrs["find"] == "burst":
        return [queue, checks(row, raised, _joined(data.attrs) > 0), *others]
    if (data.attrs["find"], data.attrs["discipline"]) == ("buffer", "fifo"):
        return [queue, *others, checks(row, raised, _joined(data.attrs) > 0, _size(data.attrs, packets))]
    return [queue, checks(row, raised, joined=False)]


def _none(data: xr.Dataset) -> str:
    """Return the statement that no buffer was found; it names the smallest buffer of a rule that reaches the share.

    The search may miss such a buffer if the utilisation does not increase with the buffer everywhere, as with PIE.
    """
    said = []
    several = rows(data, "flows")
    for one in several:
        reached = [row for row in rows(one, "rule") if str(row.status.item()) == "reached"]
        if reached:
            least = min(reached, key=lambda row: float(row.buffer_packets))
            of = f" for {int(one.flows)} flows" if len(several) > 1 else ""
            said.append(f"the rule {least.rule.item()} ({tables.packets(int(least.buffer_packets))}) reaches it{of}")
    if said:
        return f"None: the search found no buffer that reaches the share, but {', and '.join(said)}."
    return "None: no buffer that was simulated reaches the share."


def _queues(row: xr.Dataset, packets: int) -> list[Line]:
    """Return the lines that set a buffer, bucket or threshold to ``packets``; for a bucket also those of a shaper."""
    a = row.attrs
    if a["find"] == "burst":
        return [_police(a, packets), _shape(a)]
    if a["find"] == "threshold":
        return [threshold(a, packets)]
    if a["discipline"] == "step-marking":
        return [marks(a, a["mark_above"], packets)]
    if a["discipline"] in DEFAULTS:
        return [_with_defaults(a, packets)]
    if a["discipline"] != "fifo":
        hint = " With --find threshold there are lines for it." if a["discipline"] in NAMES else ""
        return [Line(f"None: the limit of {a['discipline']} was sought, with its default target or thresholds.{hint}")]
    most = max(_size(a, packets), _own(row, packets))
    if most > LARGEST_LIMIT:
        reason = f"None: a limit of Linux is at most {rounded(LARGEST_LIMIT, 'bytes')}, and {rounded(most, 'bytes')}"
        return [Line(f"{reason} are needed.")]
    return _fifo(row, packets)


def decisive(data: xr.Dataset) -> xr.Dataset | None:
    """Return the results of all rules for the number of flows that needs the largest buffer; None if none is found."""
    every = [(one, one.sel(rule="simulated")) for one in rows(data, "flows")]
    found = [(in_lines(row), one) for one, row in every if math.isfinite(float(row.buffer_packets))]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def pasted(of_flows: xr.Dataset) -> xr.Dataset:
    """Return the results at the buffer of the pasted lines: one BDP if `has_free_room`, else the smallest one.

    ``of_flows`` has the results of all rules for one number of flows.
    """
    row = of_flows.sel(rule="simulated")
    one = of_flows.sel(rule=ONE) if ONE in of_flows.rule else row
    return one if has_free_room(row, one) else row


def has_free_room(row: xr.Dataset, one: xr.Dataset) -> bool:
    """Return whether a buffer of one BDP also suffices, and has hardly longer queueing delays than the smallest buffer.

    This is so if the discipline, and not the buffer, controls the delay.
    """
    a = row.attrs
    return (
        a["find"] == "buffer"
        and (a["discipline"] == "step-marking" or a["discipline"] in DEFAULTS)
        and float(one.buffer_packets) > float(row.buffer_packets)
        and str(one.status.item()) == "reached"
        and float(one.queueing_delay) < FREE * float(row.queueing_delay_upper)
    )


def in_lines(row: xr.Dataset) -> int:
    """Return the size for the pasted lines [packets], by `design.buffer_laws.size_in_lines`."""
    return size_in_lines(int(row.buffer_packets), int(row.flows), row.attrs["find"])


def is_raised(row: xr.Dataset) -> bool:
    """Return whether the buffer in the pasted lines is larger than the smallest sufficient one."""
    return in_lines(row) > int(row.buffer_packets)


def _burst(a: dict[str, Any]) -> int:
    """Return the depth of the token bucket, the largest burst that it sends back to back [bytes].

    A packet larger than the bucket is segmented before it is queued if it was joined (sch_tbf.c, tbf_segment()), and
    dropped otherwise. The bucket therefore holds a packet of 1500 bytes even if the flows send smaller ones. If the
    largest joined packet fits into the bucket, the law requires one such packet in addition.
    """
    frame = max(int(a["packet"]), int(USUAL["IP"])) + FRAME
    burst = max(math.ceil(float(burst_for_shaped_rate(frame, float(a["rate"]), LATENESS))), 2 * frame)
    return burst if burst < JOINED else math.ceil(burst_for_shaped_rate(JOINED, float(a["rate"]), LATENESS))


def _own(row: xr.Dataset, packets: int) -> int:
    """Return the ``limit`` of tbf's queue [bytes], with space for `OWN` packets of each flow that the host sends."""
    a = row.attrs
    return max(packets, OWN * int(row.flows)) * (int(a["packet"]) + FRAME) + min(_burst(a), JOINED)


def _joined(a: dict[str, Any]) -> int:
    """Return the space [bytes] that a FIFO needs for a joined packet beside the buffer; 0 if joining is turned off."""
    return JOINED if JOINED / a["rate"] <= LONGEST_JOINED else 0


def _size(a: dict[str, Any], packets: int) -> int:
    """Return the size [bytes] that a FIFO or a bucket needs for ``packets`` packets and a joined packet (`JOINED`)."""
    size: int = packets * (a["packet"] + FRAME) + _joined(a)
    return size


def _with_joined(a: dict[str, Any], packets: int, device: str, effect: str) -> tuple[str, tuple[str, ...]]:
    """Return a text on the space for packets and a joined packet, and a command that ends joining if there is none.

    ``effect`` is the effect of such space, as in "would let packets wait 5 ms more" or "would be tokens of 5 ms more".
    """
    if _joined(a):
        return f"{tables.packets(packets)}, and {JOINED} bytes for joined ones (GRO)", ()
    longer = f"would {effect} {rounded(JOINED / a['rate'], 's', 2)} more"
    without = f"{tables.packets(packets)}, none of them joined (GRO): room for one of {JOINED} bytes {longer}"
    return without, (f"ethtool -K {device} gro off",)


def _fifo(row: xr.Dataset, packets: int) -> list[Line]:
    """Return the lines that set a FIFO's limit: the buffer, and the size of one packet that Linux joined from segments.

    Without this additional size a short queue drops every joined packet: with a limit of one packet, two BBR flows
    carried 2 % of a link of 14.5 Mbit/s, and 98 % if segmentation was off.
    """
    a = row.attrs
    size, burst, own = _size(a, packets), _burst(a), _own(row, packets)
    room, alone = _with_joined(a, packets, "IN", "let packets wait")
    arriving = "IN where packets arrive. " if alone else ""
    return [
        Line(
            f"{AT_BOTTLENECK} {arriving}{room}:",
            (*alone, f"tc qdisc replace dev DEV root bfifo limit {size}"),
            "tc -s qdisc show dev DEV",
            f"limit {size}b; dropped above 0 while the flows run: else the queue is not here",
        ),
        Line(
            f"If the interface is faster than the {text(a['rate'], 'bytes/s')} and this host is to be the bottleneck: "
            f"the same buffer behind a token bucket, with {OWN} packets for each flow at least: Linux gives up a "
            "connection of the host itself whose packets the queue refuses for some seconds. It divides what is larger "
            f"than its burst of {burst} bytes, so that the limit needs room for {min(burst, JOINED)} bytes only. "
            f"Packets wait {rounded(own / a['rate'], 's', 2)} at most there, and the flows may use all of the rate.",
            (f"tc qdisc replace dev DEV root tbf rate {round(8 * a['rate'])}bit burst {burst}b limit {own}",),
            brief=False,
        ),
    ]


def _with_defaults(a: dict[str, Any], packets: int) -> Line:
    """Return the line that sets a discipline with its default target and the smallest sufficient limit."""
    name = a["discipline"]
    return Line(
        f"{AT_BOTTLENECK} {name} with its defaults ({OF[name]}); --find threshold seeks its target:",
        (f"tc qdisc replace dev DEV root {DEFAULTS[name].format(packets)}",),
        *SAME_NUMBERS,
    )


def _police(a: dict[str, Any], packets: int) -> Line:
    """Return the lines that set a policer: its bucket is the smallest sufficient one plus a packet joined by GRO."""
    burst = _size(a, packets)
    room, alone = _with_joined(a, packets, "DEV", "be tokens of")
    return Line(
        f"As root, DEV is where packets arrive. {room}:",
        (
            *alone,
            "tc qdisc replace dev DEV clsact",
            f"tc filter replace dev DEV ingress protocol all prio 1 matchall action police "
            f"rate {round(8 * a['rate'])}bit burst {burst} conform-exceed drop/ok",
        ),
        "tc -s filter show dev DEV ingress",
        "the same rate and, rounded, the same burst; dropped above 0 while the flows run: else the policer is not here",
    )


def _shape(a: dict[str, Any]) -> Line:
    """Return the lines that set a shaper of the same rate, whose burst depends on its timer and not on the flows."""
    rate, burst = f"{round(8 * a['rate'])}bit", _burst(a)
    return Line(
        f"Or shape, so that packets wait: a burst of {burst} bytes is enough whatever the flows do, for a timer "
        f"{text(LATENESS, 's')} late; an interface that is faster sends it at once.",
        (
            "tc qdisc replace dev DEV root handle 1: htb default 1",
            f"tc class replace dev DEV parent 1: classid 1:1 htb rate {rate} burst {burst}b cburst {burst}b",
            "tc qdisc replace dev DEV parent 1:1 fq_codel",
        ),
        "tc -s class show dev DEV",
        "overlimits above 0 while the flows run",
    )


def threshold(a: dict[str, Any], packets: int) -> Line:
    """Return the line that sets a discipline's threshold to ``packets``, or to the queueing delay of these packets."""
    if a["discipline"] == "step-marking":
        return marks(a, packets, _limit(a, packets))
    delay, limit = packets * a["packet"] / a["rate"], _limit(a, packets)
    name, target = a["discipline"], _time(delay)
    longest = max(a.get("round_trip_times", [a["round_trip_time"] * (1 + a["spread"])]))
    apart = f"target {target} interval {_time(max(interval(longest), delay))}"
    command = {
        "codel": f"codel limit {limit} {apart}",
        "fq-codel": f"fq_codel limit {limit} {apart}",
        "pie": f"pie limit {limit} target {target} tupdate 15ms",
        "dualpi2": f"dualpi2 limit {limit} target {target}",
        "red": _red(a, packets, limit),
    }[name]
    what = f"An average queue of {tables.packets(packets)}" if name == "red" else f"A target of {rounded(delay, 's')}"
    since = "; needs iproute2 6.16 and Linux 6.17" if name == "dualpi2" else ""
    return Line(
        f"{AT_BOTTLENECK} {what}, not for the Internet (where {OF[name]} is){since}:",
        (f"tc qdisc replace dev DEV root {command}",),
        *SAME_NUMBERS,
    )


def _limit(a: dict[str, Any], packets: int) -> int:
    return math.ceil(packets + ROOM * float(a["bandwidth_delay_product"]))


def _time(seconds: float) -> str:
    return f"{math.ceil(1e6 * seconds - 1e-6)}us"


def _red(a: dict[str, Any], packets: int, limit: int) -> str:
    size, packets = a["packet"], max(packets, RED_LEAST)
    return (
        f"red limit {limit * size} min {packets * size} max {round(TIMES_MIN_TH * packets) * size} avpkt {size} "
        f"burst {burst_of_red(packets)} bandwidth {round(8 * a['rate'])}bit probability {LARGEST_PROBABILITY}"
    )


def burst_of_red(low: int) -> int:
    """Return RED's smallest ``burst`` for which tc chooses the weight 2^-9 (iproute2, tc_red.c, tc_red_eval_ewma()).

    tc takes the first W = 2^-n for which burst + 1 - min/avpkt is at most (1 - (1 - W)^burst)/W; ``low`` is min/avpkt.
    """
    weight = 2.0 ** (1 - RED_EXPONENT)
    burst = low + 1
    while burst + 1 - low <= (1 - (1 - weight) ** burst) / weight:
        burst += 1
    return burst


def marks(a: dict[str, Any], above: float, limit: int) -> Line:
    """Return the line that sets step marking, whose threshold is a time in Linux."""
    wait = _time(above * a["packet"] / a["rate"])
    return Line(
        f"{AT_BOTTLENECK} Marks above {tables.packets(round(above))}, or more for {BURSTS}; for DCTCP alone, others "
        "lose:",
        (f"tc qdisc replace dev DEV root fq_codel limit {limit} ce_threshold {wait} ecn",),
        "tc -s qdisc show dev DEV",
        "ce_mark above 0 while the flows run, and dropped 0 or nearly so",
    )


def rate_to_expect(row: xr.Dataset, larger: bool = False) -> tuple[float, float]:
    """Return the interval of the rate of data that Linux is expected to reach [bytes/s].

    The lower end assumes that the link's rate counts Ethernet's headers, the upper end that it counts IP's. Linux's
    utilisation may differ from the simulated one by `UTILISATION_ACCURACY`; larger differences have been observed.
    With ``larger`` the queue may hold more than the smallest sufficient buffer, so the upper end assumes a link that is
    always busy.
    """
    data = max(1, row.attrs["packet"] - HEADERS[0])
    least, most = (float(achievable_throughput(row.attrs["rate"], data, extra)) for extra in reversed(HEADERS))
    low, high = float(row.share_lower) - UTILISATION_ACCURACY, float(row.share_upper) + UTILISATION_ACCURACY
    return least * max(0.0, low), most * (1.0 if larger else min(1.0, high))


def delay_to_expect(row: xr.Dataset, raised: bool) -> tuple[float, float] | None:
    """Return the interval of the mean queueing delay [s] to expect; None for BBR, and None for a policer.

    The result is also None if the buffer in the pasted lines is ``raised`` above the simulated one.
    """
    if row.attrs["scheme"].startswith("bbr") or row.attrs["find"] == "burst" or raised:
        return None
    low, high = float(row.queueing_delay_lower), float(row.queueing_delay_upper)
    return (1 - DELAY_ACCURACY) * low, (1 + DELAY_ACCURACY) * high


def checks(row: xr.Dataset, raised: bool, joined: bool, largest: float | None = None) -> Line:
    """Return the lines that check rate and delay, or the reason why there are none.

    ``raised`` is whether the buffer in the pasted lines is larger than the simulated one. ``joined`` is whether a FIFO
    or a bucket has space for a joined packet in addition to the buffer. Other packets may fill this space, so that the
    rate may be higher than with the buffer alone. ``largest`` is the limit of a FIFO [bytes].
    """
    a = row.attrs
    control, cycle = CONTROLS.get(a["scheme"]), float(row.cycle)
    if control is None:
        return Line(f"No check: {a['scheme']} was not compared with a sender of Linux.")
    if cycle > LONGEST:
        return Line(
            f"No check: a window takes up to {rounded(cycle, 's', 2)} from loss to loss, and iperf3 {LONGEST} s."
        )
    data = max(1, int(a["packet"]) - HEADERS[0])
    at, streams = _to_hosts(a, int(row.flows))
    streams, more, remark = one_iperf3(streams, data)
    if not sendable(data):
        return Line(f"No check: {remark}.")
    lasts = 10 * math.ceil(cycle / 10) if cycle > CHECK else CHECK
    low, high = by_iperf3(*rate_to_expect(row, joined or raised), data, lasts)
    form, unit = format_of(high)
    command = f"iperf3 -c HOST {form} -P {streams} -O {_omitted(a)} -t {lasts} -C {control}{more}"
    ping: tuple[str, ...] = ("ping -i 0.2 HOST",)
    longer, beside = _longer(row, raised, joined, largest), ", with a ping beside it"
    if a["find"] == "burst" or a["discipline"] in OWN_QUEUES:
        # A policer has no queue.
        ping, longer, beside = (), "", "" if a["find"] == "burst" else "; a ping would wait in a queue of its own"
    compared = "" if a["rate"] <= COMPARED else f"; compared with Linux up to {text(COMPARED, 'bytes/s')} only"
    return Line(
        f"Check it, {at}{beside}{compared}{f'; {remark}' if remark else ''}:",
        (command, *ping),
        expect=f"receiver {rates(low, high, unit)} in the mean of several checks{longer}",
    )


def _longer(row: xr.Dataset, raised: bool, joined: bool, largest: float | None) -> str:
    """Return a text on the greatest and on the mean time that the queue adds to a ping."""
    said = [] if largest is None else [f"by {rounded(largest / row.attrs['rate'], 's', 2)} at most"]
    if mean := delay_to_expect(row, raised):
        where = " if nothing is joined" if joined else ""
        said.append("{} to {} in the mean{}".format(*(rounded(end, "s", 2) for end in mean), where))
    return f"; ping longer {', '.join(said)}" if said else ""


def _to_hosts(a: dict[str, Any], flows: int) -> tuple[str, int]:
    """Return a text on the hosts of the check, and the number of streams to each; streams of one iperf3 share a path.

    The flows have the listed round-trip times in turn, as in the simulation (`LongFlows`).
    """
    trips = a.get("round_trip_times", [a["round_trip_time"]])[:flows]
    if len(trips) == 1:
        return f"at a round-trip time of {text(trips[0], 's')}", flows
    fewer = -flows % len(trips)
    last = f", the last {fewer} with one stream less" if fewer else ""
    hosts = ", ".join(text(one, "s") for one in trips)
    return f"at once to hosts at {hosts}{last}, whose rates are added", math.ceil(flows / len(trips))


def _omitted(a: dict[str, Any]) -> int:
    """Return the time that a check omits at its start, during slow start [s]."""
    longest: float = max(a.get("round_trip_times", [a["round_trip_time"]]))
    return min(max(OMITTED, math.ceil(OMITTED_TRIPS * longest)), LONGEST_OMITTED)
