"""Record types of the simulator's arrays, which have one row for each packet, link, flow and the like.

Times are integers [ns] (292 years fit) and sizes are bytes, unless a comment says otherwise. Arrays begin at a cache
line, and a row that is longer than a line fills whole lines. Fields that are read for every packet come first, so that
they take the fewest lines: with many flows the processor waits for the lines of their rows. Rarely used fields have
separate records. Plug-ins see the fields that have `shown`, in SI units. The parameters and the state of a scheme,
discipline or service are in the records of `longfat.sim.plugin.parameters`. The last part lists the arrays of a run and
defines the row that holds their addresses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NEVER = np.iinfo(np.int64).max
NONE = -1
SECOND = 1_000_000_000
FOREVER = 2**62  # packets; size of a file that never ends
CACHE_LINE = 64  # bytes
HORIZON = 9 * 10**18  # ns, 285 years: no transmission ends later, so that no sum of times exceeds 2**63
NS = 1e-9  # s, the kernel's unit of time
SET = True  # argument `settable` of `shown`


def aligned_size(size: int) -> int:
    """Return a size [bytes], rounded up to whole cache lines if it is more than one."""
    return size if size <= CACHE_LINE else -(-size // CACHE_LINE) * CACHE_LINE


def shown(unit: str, about: str, settable: bool = False, name: str = "", scale: float = 0.0) -> dict[str, Any]:
    """Return the description of a field for plug-ins, which see only fields that have one.

    The arguments are those of `views.Field`, but `name` is the name that plug-ins use, if the record has another one.
    """
    return {"unit": unit, "about": about, "settable": settable, "name": name, "scale": scale}


def record(*fields: Any) -> np.dtype:
    """Return a record type whose fields have their natural alignment, with a size in whole cache lines if above one.

    A field is (name, type), then its shape, a tuple, if it is an array, then its initial value if that is not 0, then
    its description by `shown` if plug-ins see it. The metadata of the type contain the bytes of a row with the initial
    values, or None if all are 0; and the descriptions by the names of their fields.
    """
    of_plug_ins = {name: one for name, _, *more in fields for one in more if isinstance(one, dict)}
    shapes = [tuple(one for one in more if isinstance(one, tuple)) for _, _, *more in fields]
    plain = np.dtype([(name, kind, *shape) for (name, kind, *_), shape in zip(fields, shapes, strict=True)], align=True)
    if plain.itemsize > CACHE_LINE:
        formats, offsets = zip(*(one[:2] for one in plain.fields.values()), strict=True)  # type: ignore[union-attr]
        table: Any = {"names": plain.names, "formats": formats, "offsets": offsets}
        plain = np.dtype(table | {"itemsize": aligned_size(plain.itemsize)}, align=True)
    initial = np.zeros(1, plain)
    for name, _, *more in fields:
        for value in more:
            if not isinstance(value, tuple | dict):
                initial[name] = value
    raw = initial.view(np.dtype((np.void, plain.itemsize)))
    about: Any = {"initial": raw if initial.tobytes().strip(b"\0") else None, "shown": of_plug_ins}
    return np.dtype((np.record, plain), metadata=about)


i1, i2, i4, i8, f8 = np.uint8, np.uint16, np.int32, np.int64, np.float64

# --- Packets -------------------------------------------------------------------------------------------------------

#: A packet; its fields fit in one cache line.
PACKET = record(
    ("next", i4),  # row of the packet behind this one on its link, or in its queue; NONE: the last one
    ("flow", i4, shown("1", "number of its flow")),
    ("arrival", i8),  # time of arrival at the far end of the link [ns]
    # `number` of feedback is the row of the link.
    ("number", i8, shown("packets", "data: sequence number; acknowledgment: next packet expected")),
    ("triggered_by", i8, shown("packets", "acknowledgment: the data packet that triggered it", name="echo")),
    ("sent", i8, shown("s", "departure from the sender; in an acknowledgment, that of the data packet", scale=NS)),
    ("transmission", i8, shown("packets", "number of this transmission among all of the flow")),
    ("length", i4, shown("bytes", "size, headers included", name="size")),
    ("hop", i4),  # row of `hops`: its place on the path
    ("kind", i1, shown("1", "DATA, ACK or FEEDBACK")),
    ("colour", i1, shown("1", "GREEN, RED, or another value set by a discipline", SET)),
    ("flag_bits", i2, shown("1", "bits ECT, CE, ECE, CWR, LAST, STAMPED, ECT1", SET, "flags")),
    ("priority", i4, shown("1", "0 is the highest", SET)),  # set by the source or by a discipline
)
DATA, ACK, FEEDBACK = 0, 1, 2
ECT, CE, ECE, CWR, SACK = 1, 2, 4, 8, 16  # bits of `flag_bits`
LAST, STAMPED = 32, 64  # flags of data packets: no data follow; the header fields are in use
REQUEST = 128  # flag of feedback: a request that a scheme sends to the links of the path
REQUEST_SIZE = 32  # bytes of a request when it leaves its sender
ECT1 = 256  # flag of data packets, beside ECT: the codepoint is ECT(1), the identifier of L4S (RFC 9331, section 4.1)
ANSWERED = 1  # flag of feedback: it answers a request
GREEN, RED = 0, 1  # colours: a red packet is the first to be dropped

#: Further fields of a packet, each needed by few packets. The first cache line is for packets that wait at a link with
#: a service, and for header fields and stamps; the second for SACK blocks and traces.
EXTRA = record(
    ("header", f8, (4,), shown("", "header fields: four numbers that its sender sets", SET)),
    ("queued_at", i8, shown("s", "arrival at this link; for waiting packets", name="enqueued_at", scale=NS)),
    ("tag", i8),  # number by which the service orders packets, in the unit of the service
    ("previous", i4),  # row of the packet before this one in its queue, NONE if it is the first
    ("queue", i4, NONE),  # row of the queue in which it waits, NONE if in none
    ("stamps", i4),  # request: row of `nodes` with the latest stamp that a link has added
    ("blocks", i8, (6,)),  # acknowledgment: its SACK blocks, pairs of sequence numbers
    ("echo", i8),  # in a traced run: `echo` of `TRACE` [ns]
)

#: A hop of a flow's path: a link and its far end.
HOP = record(
    ("link", i4),  # row of the link
    ("queue", i4),  # row of the flow's queue at this link, if the link has a queue per flow
    ("far_end", i4),  # kind of the far end, see below
    ("feedback", i4),  # row of `hops` at which feedback of this link's switch begins its way to the sender
    # For feedback to a switch. On the last hop of the feedback: row of the flow's hop at the receiving switch. On the
    # flow's hop at the receiving switch: row of the flow's hop at the switch that sends the feedback.
    ("switch_hop", i4, NONE),
    ("in_advance", i4),  # how much of an arrival at the far end may be computed in advance, see below
)
NEXT_HOP, TO_RECEIVER, TO_SENDER, TO_SWITCH = 0, 1, 2, 3
TO_HOST = 4  # a host outside the simulator, which receives injected packets
# Values of `in_advance`. AT_ARRIVAL: nothing is computed before the arrival. RECEIVE_IN_ADVANCE: the reception is
# computed in advance. ENTER_IN_ADVANCE: the reception and the next link's admission of the packet, or of its
# acknowledgment, are computed in advance. Results are exact if no other packet can interfere: see
# `kernel.link.admit_inline`.
AT_ARRIVAL, RECEIVE_IN_ADVANCE, ENTER_IN_ADVANCE = range(3)

# --- Links ---------------------------------------------------------------------------------------------------------

#: A link. Its first two cache lines are read for every packet, the others for packets that wait, are dropped or are
#: passed to a discipline.
LINK = record(
    ("free", i8, shown("s", "time at which the transmitter has sent all accepted packets", False, "free_at", NS)),
    ("delay", i8, shown("s", "propagation delay", scale=NS)),
    # The transmission time [ns] of a packet of `length` bytes results from a division by the rate: quotient and
    # remainder of this division.
    ("quotient", i8),
    ("remainder", i8),
    ("carried_remainder", i8),  # sum of the remainders so far, modulo the rate
    ("rate", i8),  # rate [bit/s] times `scale`
    ("length", i4, NONE),  # size of the packets for which `quotient` and `remainder` hold [bytes]
    ("special", i1),  # 0: plain drop-tail in order of arrival
    ("has_arrival_event", i1),  # 1: the heap of arrivals has an entry for this link
    ("head", i4, NONE),  # rows of the first and last packet on the link, nearest to the far end first; NONE: no packet
    ("tail", i4, NONE),
    # These fields are in the second cache line.
    ("next_start", i8),  # without service: time at which the first packet of the backlog begins transmission [ns]
    ("backlog_bytes", i8, shown("bytes", "the backlog in bytes")),
    # `served` and `served_bytes` include transmissions that are already computed.
    ("served", i8, shown("packets", "transmissions begun")),
    ("served_bytes", i8, shown("bytes", "bytes of the packets whose transmission has begun")),
    ("busy", i8, shown("s", "sum of transmission times so far", name="busy_time", scale=NS)),
    ("backlog", i4, shown("packets", "waiting packets, the one in transmission not counted")),
    ("deferred", i4),  # packets whose arrival could be computed in advance but lies beyond the horizon
    ("first_delayed", i4, NONE),  # row of the flow whose delayed acknowledgment of a packet from this link is due first
    ("number", i4),  # row of this link
    ("service", i4, NONE),  # row of `verbs`; NONE: in order of arrival, decided at admission
    ("next_rate", i4),  # row of `rate_changes` with the change at `rate_until`
    # Only links at which packets wait or are dropped need these fields.
    ("limit_packets", i8, shown("packets", "buffer: largest backlog; 2**62: unlimited")),
    ("limit_bytes", i8, shown("bytes", "buffer: largest backlog in bytes; 2**62: unlimited")),
    ("circular_base", i8),  # circular buffer of the backlog in `backlog_entries`: first row, and rows minus 1
    ("circular_mask", i8),
    ("circular_head", i8),  # number of packets that have left the backlog, which gives the row of its head
    ("waiting_time", f8),  # sum of the waiting times [ns], a float because such sums exceed 63 bits
    ("largest_backlog", i8, shown("packets", "largest backlog so far")),
    ("dropped", i8, shown("packets", "packets dropped at this link")),
    ("dropped_bytes", i8),  # bytes of the packets dropped
    ("marked", i8, shown("packets", "packets marked at this link; `mark` counts them", SET)),
    ("discipline", i4, NONE),  # row of `hooks`, NONE without hooks
    ("transmitting", i4, NONE,
     shown("1", "number of the packet in transmission, negative if there is none; only with a service")),
    ("first_queue", i4, NONE),  # with a service: row of its first queue
    ("queue_count", i4, shown("1", "number of its queues; only with a service")),
    ("workspace", i8),  # first word of its workspace in the array `workspace`
    ("workspace_words", i8),  # length of the workspace [words of 8 bytes]
    ("changed_at", i8, shown("s", "time of the last change of the backlog; only with a service", scale=NS)),
    ("backlog_area", f8,
     shown("packets s", "integral of the backlog until `changed_at`; only with a service", scale=NS)),
    ("loss", f8),  # probability that a packet is lost at random
    ("jitter", i8),  # upper bound of a uniform random delay before the transmission [ns]
    ("scale", i8),  # factor that makes `rate` an integer
    ("bytes_per_second", f8, shown("bytes/s", "transmission rate; infinite: no transmission time", name="rate")),
    ("immediate_calls", i4),  # consecutive ticks that the discipline requested for the present or the past
    ("next_shown_rate", i4),  # row of `rate_changes` with the change at `shown_rate_until`
    ("hold_until", i8,
     shown("s", "earliest transmission of the current packet; only without a service", SET, scale=NS)),
    ("flow_state", i8),  # first word of this link's discipline in a row of `flow_state`
    ("send_feedback", i8, shown("1", "1: send `feedback`", SET)),
    ("feedback", f8, (4,), shown("", "four numbers for the sender of the current packet", SET)),
    ("lengthened_bytes", i8),  # bytes by which stamps have lengthened requests here
    ("work_conserving", i1),  # 1: the service transmits whenever packets wait
    ("may_push_out", i1),  # 1: the service lets a discipline push out waiting packets
    ("shows_all", i1),  # 1: the run's responder sees every packet of the link, not only requests
    ("last_delayed", i4, NONE),  # row of the last flow of the list that `first_delayed` begins
    # Next change of the rate [ns], NEVER: none. The first is for transmissions, which are computed in advance and may
    # begin in the future; the second is for plug-ins, which see the rate of the present time.
    ("rate_until", i8, NEVER),
    ("shown_rate_until", i8, NEVER),
)  # fmt: skip

#: A packet in the backlog of a link without service.
BACKLOG_ENTRY = record(
    ("start", i8),  # start of its transmission [ns]
    ("arrival", i8),  # time of its arrival at the link [ns]
    ("length", i4),  # size [bytes]
)

#: A change of a link's rate. The list of each link ends with a row whose time is `NEVER`.
RATE_CHANGE = record(
    ("time", i8),  # time from which the rate holds [ns]
    ("rate", i8),  # rate [bit/s] times `scale`
    ("scale", i8),  # factor that makes `rate` an integer, see `scale` of a link
    ("bytes_per_second", f8),  # the rate [bytes/s]
)

# Values that `enqueue` and `dequeue` of a discipline return. `enqueue` may also return a positive value from
# `sim.push_out`.
ENQUEUE = SEND = 0
DROP = -1
# Values that a service returns in place of a packet's number. NOTHING: no packet. PASSES, which only `evict` returns:
# the arriving packet is admitted although the buffer is full, because it need not wait. `sim.drop_more` returns still
# smaller values.
NOTHING, PASSES = -1, -2

#: A queue of a link with a service.
QUEUE = record(
    ("head", i4, NONE, shown("1", "number of the first waiting packet, negative if there is none")),
    ("tail", i4, NONE, shown("1", "number of the last waiting packet, negative if there is none")),
    ("packets", i4, shown("packets", "waiting packets")),
    ("link", i4),  # row of its link
    ("number", i4, shown("1", "number by which `queue_numbered` finds the queue")),
    ("bytes", i8, shown("bytes", "waiting bytes")),
    ("armed_ns", i8, NEVER),  # time of the next wake-up that its service has requested [ns]
)

# --- Flows ---------------------------------------------------------------------------------------------------------

#: Timers of a flow: retransmission, pacing, that of its scheme, and that of RACK-TLP.
RTO, PACE, ALARM, RACK = range(4)
TIMERS = 4
#: A sender; its three cache lines are read for every acknowledgment. RFC 9293, section 3.3.1, has the names SND.UNA
#: and SND.NXT for two of the fields.
SENDER = record(
    ("una", i8, shown("packets", "first packet not acknowledged (SND.UNA)")),
    ("next", i8, shown("packets", "next packet to send (SND.NXT)", SET)),
    ("high", i8, shown("packets", "one more than the highest packet sent")),
    ("packets", i8, shown("packets", "size of the file; with an application, the data that it has written so far")),
    ("window", f8, math.inf, shown("packets", "congestion window, which the callbacks of window schemes return", SET)),
    ("inflation", f8, shown("packets", "addition to the window in fast recovery (RFC 5681, section 3.2)", SET)),
    ("allowance", f8, 1e300, shown("packets", "packets that may still be sent in response to this event", SET)),
    ("rate", f8, math.inf,
     shown("bytes/s", "pacing rate, infinite without pacing; the callbacks of rate schemes return it", SET)),
    # These fields are in the second cache line.
    ("due_ns", i8, (TIMERS,), NEVER),  # time at which each timer expires [ns]
    ("armed_ns", i8, (TIMERS,), NEVER),  # time of its entry in the heap of clocks [ns]
    # These fields are in the third cache line.
    ("transmission", i8, shown("packets", "transmissions so far: the number of the next one")),
    ("sends_until_ns", i8),  # time from which no new data is sent [ns]
    ("resend", i8, NONE,  # NONE: no packet
     shown("packets", "packet to retransmit at once, whatever the window; `NO_DATA`: a packet without data", SET)),
    ("last_paced_ns", i8, -(2**62), shown("s", "departure of the last packet, for pacing", SET, "last_sent", NS)),
    ("acks_received", i8, shown("packets", "acknowledgments received")),
    ("scheme", i4),  # number of its scheme in `callbacks`
    ("first_hop", i4),  # row of `hops` at which its path begins
    ("packet_size", i4, shown("bytes", "size of a data packet, headers included")),
    ("repair", i1),  # form of loss recovery, see below
    ("window_decides", i1),  # callbacks return the window (1) or the rate (0)
    ("transfer", i1),  # 1: controlled by a scheme, and not yet finished; `FROM_APPLICATION`: with an application
    ("timestamps", i1, 1),  # 1: every packet is timed (RFC 7323, section 4); 0: one packet per round trip
    ("stamped", i1),  # which packets carry header fields, see below
    ("has_send_callback", i1),  # 1: its scheme has the callback `send`
    ("request", i1, shown("1", "1: send a request for the counters of the links", SET)),
    ("access_link", i1),  # 0: none; 1: idle; `events.IN_USE`: transmitting
    ("acknowledged", i1, 1),  # 1: the receiver acknowledges
    ("ect", i1, shown("1", "codepoint of packets (RFC 9331, section 4.1): 0 Not-ECT, 1 ECT(0), 2 ECT(1)", SET)),
    ("cwr", i1, shown("1", "1: the next new packet carries CWR (RFC 3168, section 6.1.2)", SET)),
    ("has_alarm_callback", i1),  # 1: its scheme has the callback `alarm`
)  # fmt: skip
# Values of `stamped`: which packets carry header fields. UNSTAMPED: none. STAMPED_BOTH_WAYS: data packets and
# acknowledgments. STAMPED_ACKS: only acknowledgments. COUNTED_MARKS: only acknowledgments, and one field is the count
# of marked packets.
UNSTAMPED, STAMPED_BOTH_WAYS, STAMPED_ACKS, COUNTED_MARKS = range(4)
NOT_ECT, CLASSIC_ECT, L4S_ECT = range(3)  # values of `ect`: Not-ECT, ECT(0), ECT(1)
FROM_APPLICATION = 2
NO_DATA = -2  # value of `resend`, and number of a packet without data
# Values of `repair`: who recovers losses. OWN: the scheme. SKIPS: the scheme, while the sender skips packets known to
# have arrived. SELECTIVE: the sender, by selective recovery (`kernel.sender`).
OWN, SKIPS, SELECTIVE = range(3)

#: Round-trip time estimates and the retransmission timer of a sender (RFC 6298).
TIMER = record(
    ("srtt", f8, shown("s", "smoothed round-trip time (RFC 6298)", SET)),
    ("rttvar", f8, shown("s", "variation of the round-trip time (RFC 6298)")),
    ("rto", f8, 1.0, shown("s", "retransmission timeout without backoff (RFC 6298)")),
    ("backoff", f8, 1.0, shown("1", "factor of the timeout after timeouts (RFC 6298, rule 5.5)", SET)),
    ("min_rto", f8, 0.2),  # lower bound of the timeout [s]
    ("max_rto", f8, 60.0),  # upper bound of the timeout [s]
    ("granularity", f8),  # clock granularity, G of RFC 6298 [s]
    ("tick", f8),  # > 0: round trips and timeouts are integer multiples of it [s]
    ("max_backoff", f8, 64.0, shown("1", "largest backoff")),
    ("timed", i8, NONE),  # without timestamps: sequence number of the packet whose round trip is timed; NONE: no packet
    ("timed_at_ns", i8),  # departure of that packet [ns]
)

#: A receiver. It fits in one cache line, because every data packet accesses it.
RECEIVING = record(
    ("expect", i8, shown("packets", "next packet expected, which acknowledgments carry (RCV.NXT)", SET, "next")),
    ("received", i8, shown("packets", "packets arrived so far, including this one and packets without data")),
    ("received_bytes", i8),  # bytes of these packets
    ("delay", f8),  # sum of the delays of all packets received [ns]
    ("last_arrival", i8),  # time of the last arrival [ns]
    ("blocks_head", i4, NONE),  # `nodes`: first and last block of packets that arrived out of order; NONE: no block
    ("blocks_tail", i4, NONE),
    ("ack_size", i4),  # size of an acknowledgment [bytes]
    ("acknowledges", i1, 1),  # 1: it sends acknowledgments
    ("in_order", i1, 1),  # 1: it waits for missing packets; the receiver of a probe does not
    ("echo", i1),  # how the receiver reports congestion marks, see below
    ("echo_ce", i1),  # 1: acknowledgments carry ECE
    ("reports_arrival", i1),  # 1: acknowledgments carry the arrival time of the packet [s] in header field 0
    ("delays", i1),  # whether acknowledgments leave at once, are delayed, or are made by the scheme, see below
    ("plain", i1),  # 1: acknowledgments are not made by a scheme, and report only marks and SACK blocks
    ("waiting", i4, NONE),  # row of the acknowledgment that is delayed; NONE: no acknowledgment
)  # fmt: skip
#: Delayed acknowledgments of a receiver (RFC 5681, section 4.2), or replies of a receiver that a scheme controls.
DELAYED_ACK = record(
    ("delayed_ack", i8, 1),  # packets that one acknowledgment covers at most
    ("ack_delay", f8),  # longest time for which an acknowledgment is delayed [s]
    ("quick_acks", i8),  # number of packets that are still acknowledged without delay
    ("pending", i8),  # packets without an acknowledgment
    # Time of the acknowledgment's departure, or of the next call of `reply`, which alone plug-ins see.
    ("due_ns", i8, NEVER, shown("s", "time of the next call of `reply`; infinite: none", SET, "alarm", NS)),
    ("armed_ns", i8, NEVER),  # time of its entry in the heap of clocks [ns]
    ("previous", i4),  # rows of the flows before and behind this one in the list of the link, see `first_delayed`
    ("behind", i4),
    ("sent", i8),  # receiver with `reply`: departure, number, transmission and next hop of the last packet
    ("triggered_by", i8),
    ("transmission", i8),
    ("hop", i8),
)
AT_ONCE, DELAYED_ACKS, BY_SCHEME = range(3)  # values of `delays`
# Values of `echo`. LATCHED: acknowledgments echo a mark until CWR arrives (RFC 3168, section 6.1.3). ONCE: one
# acknowledgment echoes a mark. STATE_OF_LAST: acknowledgments echo whether the last packet to arrive was marked (RFC
# 8257, section 3.2). ACCURATE: header field `MARKS_FIELD` of acknowledgments counts the marked packets, like the ECN
# counts of RFC 9000, section 19.3.2.
LATCHED, ONCE, STATE_OF_LAST, ACCURATE = range(4)
ECHO_MODES = ("latched", "once", "state", "accurate")
MARKS_FIELD = 1

#: A sender's state of loss recovery, and requests made by its scheme. The first two cache lines are for selective
#: recovery with RACK-TLP, which reads them for every acknowledgment.
RECOVERY = record(
    ("in_flight", i8, shown("packets", "outstanding transmissions; only with selective recovery")),
    ("delivered", i8, shown(
        "packets", "packets reported as delivered so far, cumulatively or selectively; only with selective recovery"
    )),
    ("lost", i8, shown("packets", "transmissions found lost so far; only with selective recovery")),
    ("reorder", i8, 1, shown("packets", "number of later transmissions acknowledged before a packet counts as lost")),
    ("rack_newest", i8, NONE),  # number of the newest transmission delivered (RACK.segment)
    ("outstanding_head", i4, NONE),  # rows of the first and last outstanding transmission (selective recovery)
    ("outstanding_tail", i4, NONE),
    ("lost_head", i4, NONE),  # rows of the first and last lost transmission to be retransmitted
    ("lost_tail", i4, NONE),
    ("every_loss", i1),  # 1: the callback `loss` is called for every loss, not once per window
    ("arrival_times", i1,  # a copy of the receiver's `reports_arrival`
     shown("1", "1: acknowledgments carry the arrival time of the packet in header field 0")),
    ("skips", i1),  # 1: packets that are known to have arrived are not retransmitted
    ("sampled", i1),  # 1: the scheme asks for delivery-rate samples, see `kernel.recovery`
    ("app_limited", i1, shown("1", "1: the application had nothing more to send when window and rate allowed it")),
    ("rack", i1),  # 1, 2 (timer of Linux): losses are found by time; the fields of RACK-TLP are in use
    ("probing", i1),  # 1: the next packet is a probe
    ("rack_purpose", i1),  # purpose of the timer of RACK-TLP
    # These fields are in the second cache line.
    ("reordering_seen", i1),  # 1: an overtaken packet has been seen
    ("probe_repeats", i1),  # 1: the probe in flight is a retransmission (TLP.is_retrans)
    ("measured", i1),  # 1: a round trip was measured since the last probe
    ("rack_rtt", i8),  # round-trip time of the packet delivered last [ns] (RACK.rtt)
    ("highest_delivered", i8, NONE),  # highest sequence number delivered (RACK.fack)
    ("reordering_window", i8),  # time for which an overtaken packet is not yet lost [ns]
    ("recovery_end", i8),  # recovery lasts until everything before this sequence number is acknowledged
    ("probe_end", i8, NONE),  # sequence number after that of the probe in flight (TLP.end_seq); NONE: no probe
    ("least_rtt", i8),  # smallest round-trip time of all [ns]
    ("alarm", f8, -1.0, shown("s", "time of the next call of `alarm`; infinite: never", SET)),  # negative: none set
    # These fields are in the other cache lines.
    ("recover", i8, -2, shown(
        "packets",
        "`loss` is called for losses of transmissions from this number on (once per window); selective recovery", SET,
    )),
    ("delivered_at", i8),  # time of the last delivery, or of a later departure with nothing in flight before it [ns]
    ("first_sent", i8),  # departure of the packet delivered last, or of a later one sent with nothing in flight [ns]
    ("app_limited_until", i8, shown(
        "packets", "delivery-rate samples are application-limited until more than this is delivered; 0: none is", SET,
    )),
    ("pool", f8, 1.0, shown(
        "packets", "tokens: packets that may leave at once after a pause in which the pacing rate was not used", SET,
    )),
    ("blocks_head", i4, NONE),  # rows of the first and last block of packets that are known to have arrived
    ("blocks_tail", i4, NONE),
    ("immediate_calls", i8),  # consecutive alarms set to the present or the past
    ("marks_reported", i8),  # packets that the receiver has reported as marked, with the echo `ACCURATE`
    ("header", f8, (4,), shown("", "header fields: four numbers that packets carry to the switches and back", SET)),
)  # fmt: skip

#: Counters of a flow, such as drops and losses, and the times at which it starts, stops and finishes.
TALLY = record(
    ("start", i8),  # time at which the flow starts [ns]
    ("stop", i8),  # time at which it stops [ns]
    ("finish", i8, NEVER),  # time at which its file is complete [ns]; NEVER until then
    # The counters; those of a template include those of its finished connections.
    ("sent", i8),  # template: transmissions of finished connections; `transmission` of a sender counts its own
    ("retransmitted", i8),  # retransmissions
    ("duplicate", i8),  # packets that arrived although the receiver had them
    ("dropped", i8),  # data packets dropped
    ("acks_dropped", i8),  # acknowledgments dropped
    ("acks_merged", i8),  # acknowledgments replaced by a later one; with `reply`: packets received minus replies sent
    ("acks_injected", i8),  # packets that a host outside the simulator has sent on the reverse path
    ("losses", i8),  # packets found lost
    ("timeouts", i8),  # expiries of the retransmission timer
    ("marks", i8),  # data packets that arrived with CE
    # The other fields.
    ("reported_blocks", i8, (6,)),  # the SACK blocks that the receiver reported last: pairs of sequence numbers
    ("last_stamps", i4, NONE),  # row of `nodes`: stamps of the request that arrived last
    ("feedback_in_flight", i4),  # packets of the flow in the network: requests, their answers, feedback of switches
    ("template", i4, NONE),  # connection: row of the flow that started it
    ("begun", i1),  # 1: the flow has started
    ("traffic", i1),  # kind of flow, see below
)

#: Access link of a flow: the link between its source and the first node.
ACCESS_LINK = record(
    ("rate", i8),  # rate [bit/s] times `scale`
    ("scale", i8),  # factor that makes `rate` an integer, see `scale` of a link
    ("carried_remainder", i8),  # remainders of the divisions so far, modulo the rate
    ("free", i8),  # end of the last transmission [ns]
    ("packet", i4, NONE),  # row of the packet in transmission; NONE: no packet
)

#: A source of traffic: a generator of uncontrolled packets or of connections, or the application that writes the data
#: of a transfer.
SOURCE = record(
    ("on", i4),  # on-off source: 1 while it sends
    ("off_at", i8),  # on-off source: time at which it is switched off [ns]
    ("gap", f8),  # mean time between packets or connections [ns]
    ("slack", f8),  # fractions of a nanosecond carried over from gap to gap [ns]
    ("gap_left", i8),  # remainder of the gap during which an on-off source was switched off [ns]
    ("on_time", f8),  # mean time for which an on-off source sends [ns]
    ("off_time", f8),  # mean time of its pauses [ns]
    ("next_write", i8),  # application: time at which it writes the next packet [ns]
    ("total", i8),  # application: size of the file [packets]
    ("shape_on", f8),  # shape of the times of sending: 0 fixed, 1 exponential, above 1 Pareto
    ("shape_off", f8),  # shape of the pauses, likewise
    ("mean_size", f8),  # mean of exponentially distributed packet sizes [bytes]; 0: all are equal
    ("first_row", i4, NONE),  # rows of finished connections, in the order of their ends
    ("last_row", i4, NONE),
    ("next_row", i4, NONE),
)

#: An event, which callbacks of a scheme read.
EVENT = record(
    ("now", f8, shown("s", "simulated time")),
    ("rtt", f8, shown("s", "round-trip time of the acknowledged packet, at least 1 ns; 0 if there is none")),
    ("acked", i8, shown("packets", "packets that the cumulative acknowledgment newly covers")),
    ("number", i8,
     shown("packets", "packet that triggered the acknowledgment, or is lost; negative: feedback of a switch")),
    ("transmission", i8, shown("packets", "number of that packet's transmission among all of the flow")),
    ("newly_delivered", i8, shown(
        "packets",
        "reported as delivered for the first time, cumulatively or selectively; only with selective recovery",
    )),
    ("lost", i8, shown("packets", "packets found lost")),
    ("spurious", i8,
     shown("packets", "transmissions newly found delivered after they were found lost; needs `delivery_rate`")),
    ("delivery_rate", f8,
     shown("bytes/s", "sample of the delivery rate, 0 if there is none; this and the next five need `delivery_rate`")),
    ("sample_interval", f8, shown("s", "time over which the sample was taken")),
    ("prior_delivered", i8,
     shown("packets", "delivered when the newest acknowledged, or the lost, packet was sent; negative: no sample")),
    ("sent_in_flight", i8, shown("packets", "in flight just after that packet was sent, itself included")),
    ("lost_since_sent", i8, shown("packets", "found lost since that packet was sent")),
    ("app_limited", i8, shown("1", "1: the flow was application-limited when that packet was sent")),
    ("marked", i8, shown("1", "1: the acknowledgment carries ECN-Echo")),
    ("marks", i8,
     shown("packets", "newly reported as marked: by the receiver's count, or all that ECN-Echo newly acknowledges")),
    ("duplicate", i8, shown("1", "1: the acknowledgment covers no new packet although data are outstanding")),
    ("packet_size", i8, shown("bytes", "size of a data packet")),
    ("header", f8, (4,), shown("", "header fields of the acknowledgment or feedback")),
    ("restart_timer", i8, shown("1", "1: the retransmission timer is restarted", SET)),
)  # fmt: skip

#: Nodes of three kinds of lists, with equal size because they share a pool; `next` is the row of the next node.
#: BLOCK: packets that arrived beyond a hole, sequence numbers `low` to `high` - 1; and the row of the block before it.
#: TRANSMISSION: an outstanding or lost transmission, with the packet's sequence number, its own number, the number of
#: later transmissions acknowledged (with RACK-TLP 1 for a retransmission, else 0), and its departure [ns].
#: STAMP: a link's addition to a request: bytes served so far, time [ns], and a row of `hops`.
BLOCK = record(("low", i8), ("high", i8), ("next", i4), ("previous", i4), ("padding", i8))
TRANSMISSION = record(("number", i8), ("transmission", i8), ("next", i4), ("later_acked", i4), ("sent", i8))
DELIVERED = 2**30  # value of `later_acked` for a packet delivered after it had been found lost
STAMP = record(("bytes", i8), ("time", i8), ("next", i4), ("hop", i4), ("padding", i8))
#: State of a flow at the departure of a transmission; only flows with delivery-rate samples have it.
SNAPSHOT = record(
    ("delivered", i8),  # packets delivered until then
    ("lost", i8),  # packets found lost until then
    ("delivered_at", i8),  # `delivered_at` of the sender's recovery then [ns]
    ("first_sent", i8),  # `first_sent` of the sender's recovery at that departure [ns]
    ("in_flight", i4),  # packets in flight then
    ("app_limited", i4),  # 1: when the packet was sent, samples were application-limited
)

# Kinds of flows. TRANSFER: data controlled by a scheme. CONSTANT, POISSON, ON_OFF: uncontrolled traffic. ARRIVALS:
# connections that arrive at random. INJECTED: packets of hosts outside the simulator, see `kernel.source`.
TRANSFER, CONSTANT, POISSON, ON_OFF, ARRIVALS, INJECTED = range(6)

#: Log entry of a finished connection: row of the flow, start and finish [ns], transmissions, and packets dropped.
CONNECTION = record(("flow", i8), ("start", i8), ("finish", i8), ("sent", i8), ("dropped", i8))

#: Small records: an entry of a heap, a word as an integer, and a word as a float.
ENTRY = record(("time", i8), ("key", i8))
WORD = record(("x", i8))
FLOAT = record(("x", f8))

#: Samples of a flow and of a link, taken at regular intervals. Window and backlog are in packets, the rate in bytes/s,
#: `srtt` in s; `dropped` counts packets.
FLOW_SAMPLE = record(("window", f8), ("rate", f8), ("received_bytes", f8), ("srtt", f8))
LINK_SAMPLE = record(("backlog", f8), ("arrived_bytes", f8), ("served_bytes", f8), ("dropped", f8))

#: Further fields of a flow in a traced run.
TRACED = record(
    ("connection", i8),  # number of its connection in the trace
    ("echo", i8),  # departure from the receiver of the acknowledgment that the sender received last [ns]
    ("ssthresh", i8),  # word of the state `ssthresh` in the record of its scheme; NONE: no such state
)

#: A row of the trace of a run, see `kernel.trace_rows`; `window` to `in_flight` describe the sender after the event.
TRACE = record(
    ("time", i8),  # time of the event [ns]
    ("connection", i8),  # number of the connection in the trace
    ("number", i8),  # data: sequence number of the packet; acknowledgment: next packet expected
    ("transmission", i8),  # number of the transmission
    ("sent", i8),  # departure of the data packet, also in an acknowledgment [ns]
    ("echo", i8),  # data: departure of the acknowledgment received last; acknowledgment: its own departure [ns]
    ("blocks", i8, (6,)),  # acknowledgment: its SACK blocks
    ("window", f8),  # congestion window [packets], as in the traces of `SAMPLING`
    ("rate", f8),  # pacing rate [bytes/s]
    ("ssthresh", f8),  # slow-start threshold [packets]; NaN if the scheme has none
    ("srtt", f8),  # smoothed round-trip time [s]
    ("rttvar", f8),  # variation of the round-trip time [s]
    ("in_flight", i8),  # packets in flight
    ("flow", i4),  # row of the flow
    ("length", i4),  # size of the packet [bytes]
    ("what", i1),  # SENT, RECEIVED or another event, see below
    ("flag_bits", i2),  # flags of the packet, as in `PACKET`
)
# Values of `what`, the event that a row records: data or an acknowledgment is sent or received, or the sender starts,
# finishes, times out or changes its state otherwise.
SENT, RECEIVED, ACK_SENT, ACK_RECEIVED, STARTED, FINISHED, TIMED_OUT, CHANGED = range(8)
TRACE_ROWS_PER_EVENT = 64  # upper bound of the rows that one event writes

#: An injected packet that has reached its host or was dropped, see `kernel.source`.
LEFT = record(
    ("time", i8),  # time at which the packet left the network [ns]
    ("transmission", i8),  # number of its transmission
    ("flow", i4),  # row of its flow
    ("flag_bits", i2),  # flags of the packet, as in `PACKET`
    ("kind", i1),  # kind of the packet, as in `PACKET`
    ("dropped", i1),  # 1: it was dropped
)
ROOM_LEFT = 1 << 12  # rows of `left`; one event rarely fills them

#: Counters of a link up to the present time, see `kernel.link`.
CENSUS = record(
    ("waiting_time", f8),  # integral of the backlog up to now [packets x ns]
    ("started_waiting_time", f8),  # waiting times of packets whose transmission has begun [ns]
    ("transmitted", i8),  # time spent transmitting [ns]
    ("served", i8),  # packets whose transmission has begun
    ("served_bytes", i8),  # bytes of these packets
    ("arrived", i8),  # packets that have arrived at the link
)

ROWS_PER_EVENT = 8  # rows of each pool that one event may take before the loop checks again

# Reasons why a call of the kernel returns. BAD_VALUE: a scheme has failed. TOO_LATE: a transmission would end after
# `HORIZON`. NO_FLOWS: a new connection finds no free row. In the second line, AT_HOST means that an injected packet has
# left the network; the other names are those of the array that is too small.
DONE, PAUSED, BAD_VALUE, TOO_LATE, NO_FLOWS = range(5)
NO_PACKETS, NO_NODES, NO_CLOCKS, NO_CONNECTIONS, NO_BACKLOG_ENTRIES, FULL_TRACE, AT_HOST = range(5, 12)

# Numbers of the callbacks of schemes.
START, ON_ACK, ON_LOSS, ON_TIMEOUT, ON_ALARM, ON_SEND, ON_RECEIVE, ON_REPLY = range(8)

# Kinds of events, which heap keys encode. A flow's timer has the kind CLOCK + RTO, CLOCK + PACE and so on.
ARRIVAL, DEPARTURE, SWITCH_CLOCK, SAMPLING, WAKE, DELAYED, CLOCK = range(7)


# --- Arrays of a run -------------------------------------------------------------------------------------------------

#: Arrays with a row for each flow. The last four may have no rows: `traced` in a run without a trace, and the others if
#: no flow has an access link, a source or delayed acknowledgments.
OF_FLOWS = {
    "senders": SENDER,
    "timers": TIMER,
    "receivers": RECEIVING,
    "recoveries": RECOVERY,
    "tallies": TALLY,
    "access_links": ACCESS_LINK,
    "sources": SOURCE,
    "traced": TRACED,
    "delayed_acks": DELAYED_ACK,
}

#: Arrays of a run and their record types, in the order of the addresses in `STATE`.
ARRAYS = {
    "arrivals": ENTRY,  # heap of arrivals at far ends and ends of transmissions
    "clocks": ENTRY,  # heap of timers, ticks of disciplines, wake-ups of services, samples
    "packets": PACKET,
    "extras": EXTRA,  # one row for each packet
    "links": LINK,
    "backlog_entries": BACKLOG_ENTRY,
    "rate_changes": RATE_CHANGE,
    "hops": HOP,
    "queues": QUEUE,
    **OF_FLOWS,
    "nodes": TRANSMISSION,
    "snapshots": SNAPSHOT,  # one row for each list node, if any flow has delivery-rate samples
    "connections": CONNECTION,
    "event": EVENT,
    "flow_samples": FLOW_SAMPLE,
    "link_samples": LINK_SAMPLE,
    "census": CENSUS,
    "trace": TRACE,
    "left": LEFT,  # injected packets that have left the network
    "callbacks": WORD,  # addresses of functions of schemes, disciplines and services, see `callbacks`
    "hooks": WORD,
    "verbs": WORD,
    "flow_own": WORD,  # parameters and state: of schemes, by flow; of disciplines and services, by link
    "link_own": WORD,
    "service_own": WORD,
    "responder_own": WORD,  # records of the responder, by link
    "queue_own": WORD,  # records of services, for each queue
    "flow_state": WORD,  # state of disciplines, for each flow
    "workspace": WORD,  # workspaces of services
}

#: The state of a run: scalars, and the addresses of the run's arrays.
STATE = record(
    ("now", i8, shown("s", "simulated time", scale=NS)),
    ("serial", i8),  # number of the latest heap entry; these numbers order entries of equal time
    ("events", i8),  # events handled
    ("until", i8),  # time at which this call of the kernel ends [ns]
    ("horizon", i8),  # the run is not observed until then [ns]: earlier arrivals may be computed in advance
    ("arrivals", i8),  # numbers of entries in the heap of arrivals and in the heap of clocks
    ("clocks", i8),
    ("tracing", i4),  # 1: packets and senders are traced
    ("attention", i4),  # 1: check the fields below, and whether all files are done, before the next event
    ("shortage", i4),  # the array that is too small, DONE if none
    ("entering_packet", i4, NONE),  # packet that has to enter its link; NONE: no packet
    ("sending_flow", i4, NONE),  # flow that may send more; NONE: no flow
    ("free_packet", i4, NONE),  # first of the free rows of `packets`, and their number
    ("free_packets", i4),
    ("feedback_flow", i4, NONE),  # flow to which a switch has to send feedback; NONE: no flow
    ("feedback_link", i4),  # row of the link of that switch
    ("feedback_hop", i4),  # row of `hops` at which the feedback begins its way
    ("header_set", i4),  # 1: the header fields of the event are not zero
    ("sample_set", i4, 1),  # 1: the event may contain a delivery-rate sample, which must be cleared
    ("random_state", i8),  # state of the random streams of network and traffic: see `memory.uniform`
    ("random_next", i8),
    ("traffic_state", i8),
    ("traffic_next", i8),
    *((f"{name}_base", i8) for name in ARRAYS),
    ("flow_own_words", i8),  # words of 8 bytes in a row of `flow_own`; the next fields: of other arrays
    ("link_own_words", i8),
    ("service_own_words", i8),
    ("responder_own_words", i8),
    ("queue_own_words", i8),
    ("flow_state_words", i8),
    ("packets_room", i8),  # rows of the arrays `packets`, `clocks` and `connections`
    ("clocks_room", i8),
    ("connections_room", i8),
    ("free_node", i4, NONE),  # first and number of the free rows of `nodes`
    ("free_nodes", i4),
    ("flow", i4, NONE),  # the flow, callback or link being handled, for error messages
    ("callback", i4, NONE),
    ("link", i4, NONE),
    ("hook", i4),  # the number of the function of the link's discipline or service in `callbacks.OF_LINKS`
    ("responder", i4, NONE),  # row of `hooks` of the plug-in that answers requests; NONE: no plug-in
    ("failed", i4),  # 1: a scheme has returned an invalid window or rate, or too many alarms for the present
    ("sampled_flows", i4),  # numbers of sampled flows and of sampled links
    ("sampled_links", i4),
    ("connections", i8),  # finished connections in the log
    ("unfinished", i8, NONE),  # files still to be transferred; NONE if the run goes on after the last file
    ("bad_value", f8),  # the window or rate that ended the run
    ("lost_number", i8),  # the packet that was found lost last
    ("trace_rows", i8),  # rows of the trace since it was last cleared
    ("trace_room", i8),  # rows for which the trace has room
    ("traced_connections", i8),  # connections traced so far
    ("left_rows", i8),  # rows of `left` since it was last cleared
    ("samples", i8),  # samples taken
    ("samples_room", i8),  # samples for which there is room
    ("sample_every", i8),  # time between two samples [ns]
    ("in_use", i8, (3,)),  # packets in the network, by kind: see `kernel.link`
    ("feedback_sent", i8),  # feedback, requests and their answers [packets]
    ("feedback_received", i8),
    ("feedback_dropped", i8),
)
