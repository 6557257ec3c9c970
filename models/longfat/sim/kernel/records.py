"""Record types of the simulator's arrays, which have one row for each packet, link, flow and the like.

Times are integers [ns] (292 years fit) and sizes are bytes, unless a comment says otherwise. A row takes one or a few
cache lines of 64 bytes: fields that every packet needs come first, and rarely used ones have separate records. The
parameters and the state of a scheme, discipline or service are in the records of `longfat.sim.plugin.columns`. The last
part lists the arrays of a run and defines the row that holds their addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEVER = np.iinfo(np.int64).max
NONE = -1
SECOND = 1_000_000_000
FOREVER = 2**62  # packets; size of a file that never ends
HORIZON = 9 * 10**18  # ns, 285 years: no transmission ends later, so that no sum of times exceeds 2**63


def record(*fields: Any) -> np.dtype:
    """Return a record type whose fields have their natural alignment."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


i1, i2, i4, i8, f8 = np.uint8, np.uint16, np.int32, np.int64, np.float64

# --- Packets -------------------------------------------------------------------------------------------------------

#: A packet; its fields fit in one cache line.
PACKET = record(
    ("next", i4),  # the packet behind this one on its link, or in its queue
    ("flow", i4),
    ("arrival", i8),  # time of arrival at the far end of the link
    ("number", i8),  # data: sequence number; acknowledgment: next packet expected; feedback: the link
    ("triggered_by", i8),  # acknowledgment: number of the data packet that triggered it
    ("sent", i8),  # departure of the data packet or feedback; acknowledgment: departure of its data packet
    ("transmission", i8),  # number of this transmission among all of the flow
    ("length", i4),  # bytes
    ("hop", i4),  # row of `hops`: its place on the path
    ("kind", i1),
    ("colour", i1),  # GREEN, RED, or another value set by a discipline
    ("flag_bits", i2),
    ("priority", i4),  # 0 is the highest; set by the source or by a discipline
)
DATA, ACK, FEEDBACK = 0, 1, 2
ECT, CE, ECE, CWR, SACK = 1, 2, 4, 8, 16  # bits of `flag_bits`
LAST, STAMPED = 32, 64  # of data packets: no data follow; the header fields are in use
REQUEST = 128  # of feedback: a request that a scheme sends to the links of the path
REQUEST_SIZE = 32  # bytes of a request when it leaves its sender
ECT1 = 256  # of data packets, beside ECT: the codepoint is ECT(1), the identifier of L4S (RFC 9331, section 4.1)
ANSWERED = 1  # of feedback: it answers such a request
GREEN, RED = 0, 1  # colours: a red packet is the first to be dropped

#: Further fields of a packet that waits at a link with a service, and of a request.
QUEUED = record(
    ("previous", i4),  # the packet before this one in its queue
    ("queue", i4),  # queue in which it waits, NONE if in none
    ("tag", i8),  # the service sends packets in the order of their tags
    ("stamps", i4),  # number of the latest stamp that a link has added to a request
)

#: A hop of a flow's path: a link and its far end.
HOP = record(
    ("link", i4),
    ("queue", i4),  # the flow's queue at this link, if the link has a queue per flow
    ("far_end", i4),  # kind of the far end, see below
    ("feedback", i4),  # row of `hops` at which feedback of this link's switch begins its way to the sender
    # For feedback to a switch. In the last hop of the feedback: row of the flow's hop at this switch. In the flow's hop
    # at this switch: row of the flow's hop at the switch that sends the feedback.
    ("switch_hop", i4),
    ("in_advance", i4),  # steps of an arrival at the far end that may be computed in advance, see below
)
NEXT_HOP, TO_RECEIVER, TO_SENDER, TO_SWITCH = 0, 1, 2, 3
TO_HOST = 4  # a host outside the simulator, of a flow of injected packets
# Values of `in_advance`. AT_ARRIVAL: nothing is computed before the arrival. RECEIVE_IN_ADVANCE: the reception is
# computed in advance. ENTER_IN_ADVANCE: the reception and the next link's admission of the packet, or of its
# acknowledgment, are computed in advance. Results are exact if no other packet can interfere: see
# `kernel.link.admit_inline`.
AT_ARRIVAL, RECEIVE_IN_ADVANCE, ENTER_IN_ADVANCE = range(3)

# --- Links ---------------------------------------------------------------------------------------------------------

#: A link. Every packet needs the first two cache lines. The other cache lines are for packets that wait, are dropped or
#: are passed to a discipline.
LINK = record(
    ("free", i8),  # time at which the transmitter has sent all accepted packets
    ("delay", i8),
    # The transmission time [ns] of a packet of `length` bytes is a division by the rate, with this quotient and this
    # remainder.
    ("quotient", i8),
    ("remainder", i8),
    ("carried_remainder", i8),  # sum of the remainders so far, modulo the rate
    ("rate", i8),  # bit/s times `scale`
    ("length", i4),  # bytes
    ("special", i1),  # 0: plain drop-tail in order of arrival
    ("has_arrival_event", i1),  # 1: the heap of arrivals has an entry for this link
    ("head", i4),  # packets on the link, nearest to the far end first
    ("tail", i4),
    # These fields are in the second cache line.
    ("next_start", i8),  # without service: when the first packet of the backlog begins transmission
    ("backlog_bytes", i8),
    ("served", i8),  # transmissions that have begun, or whose begin is decided
    ("served_bytes", i8),
    ("busy", i8),  # sum of transmission times
    ("backlog", i4),  # packets, the one in transmission not counted
    ("deferred", i4),  # packets whose arrival could be computed in advance but lies beyond the horizon
    ("first_delayed", i4),  # first flow with a delayed acknowledgment of a packet from this link, by due time
    ("number", i4),  # row of this link
    ("service", i4),  # row of `verbs`; NONE: in order of arrival, decided at admission
    ("changing_rate", i4),  # row of `changing_rates`, NONE: the rate is constant
    # Only links at which packets wait or are dropped need these fields.
    ("limit_packets", i8),
    ("limit_bytes", i8),
    ("circular_base", i8),  # its circular buffer in `backlog_entries`: first row, and number of rows less one
    ("circular_mask", i8),
    ("circular_head", i8),  # number of packets that have left the backlog, which gives the row of its head
    ("waiting_time", f8),  # sum over all packets, a float because such sums exceed 63 bits
    ("largest_backlog", i8),
    ("dropped", i8),
    ("dropped_bytes", i8),
    ("marked", i8),
    ("discipline", i4),  # row of `hooks`, NONE without hooks
    ("transmitting", i4),  # with a service: the packet in transmission
    ("first_queue", i4),  # with a service: row of its first queue
    ("queue_count", i4),
    ("workspace", i8),  # its first word in the array `workspace`
    ("workspace_words", i8),  # length of the workspace
    ("changed_at", i8),  # with a service: last change of the backlog
    ("backlog_area", f8),  # integral of the backlog until `changed_at` [packets x ns]
    ("loss", f8),
    ("jitter", i8),
    ("scale", i8),
    ("bytes_per_second", f8),  # infinite: no transmission time
    ("immediate_calls", i8),  # consecutive ticks that the discipline requested for the present or the past
    ("hold_until", i8),  # set by a discipline: the current packet is not sent before then
    ("flow_state", i8),  # first word of this link's discipline in the state of a flow
    ("send_feedback", i8),  # set by a discipline to send `feedback` to the sender of the current packet
    ("feedback", f8, (4,)),
    ("lengthened_bytes", i8),  # bytes by which stamps have lengthened requests here
    ("work_conserving", i1),  # of the service, like `may_push_out`
    ("may_push_out", i1),
    ("shows_all", i1),  # 1: the run's responder sees every packet of the link, not only requests
    ("last_delayed", i4),
    ("padding", i8, (2,)),  # to whole cache lines
)

#: A packet in the backlog of a link without service.
BACKLOG_ENTRY = record(
    ("start", i8),  # begin of its transmission
    ("arrival", i8),  # time of its arrival at the link
    ("length", i4),
)

#: A change of a link's rate. The list of each link ends with a row whose time is `NEVER`.
RATE_CHANGE = record(
    ("time", i8),
    ("rate", i8),  # bit/s times `scale`
    ("scale", i8),
    ("bytes_per_second", f8),
)
#: Position of a link in the list of its rate changes: `until` and `next` apply to the last computed transmission, which
#: may begin in the future; `shown_until` and `shown_next` apply to the present time.
CHANGING_RATE = record(
    ("until", i8),  # transmissions that begin before this time have the current rate
    ("next", i4),  # row of `rate_changes`
    ("shown_next", i4),  # row of the next change of the rate that plug-ins see, the rate at present
    ("shown_until", i8),
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
    ("head", i4),
    ("tail", i4),
    ("packets", i4),
    ("link", i4),
    ("number", i4),  # row of this queue
    ("bytes", i8),
    ("armed_ns", i8),  # time of the next wake-up that its service has requested
)

# --- Flows ---------------------------------------------------------------------------------------------------------

RTO, PACE, ALARM = 0, 1, 2  # timers of a flow: retransmission, pacing, and one for its scheme
#: A sender, in the three cache lines that every acknowledgment needs. RFC 9293, section 3.3.1, has the names SND.UNA
#: and SND.NXT for two of the fields.
SENDER = record(
    ("una", i8),  # first packet not acknowledged
    ("next", i8),  # next packet to send
    ("high", i8),  # one more than the highest packet sent
    ("packets", i8),  # size of the file; with an application, the data written so far
    ("window", f8),  # packets
    ("inflation", f8),  # packets; added to the window in fast recovery
    ("allowance", f8),  # packets that may still be sent in response to the current event
    ("rate", f8),  # bytes/s; infinite: the window alone decides
    # These fields are in the second cache line.
    ("due_ns", i8, (3,)),  # when each timer expires
    ("armed_ns", i8, (3,)),  # time of its entry in the heap of clocks
    ("transmission", i8),  # number of transmissions so far
    ("timed_at_ns", i8),  # departure of the packet whose round trip is being timed
    # These fields are in the third cache line.
    ("sends_until_ns", i8),  # no new data is sent from then on
    ("resend", i8),  # packet to be retransmitted at once, NONE
    ("timed", i8),  # packet whose round trip is being timed, NONE
    ("last_paced_ns", i8),  # departure after which the next packet leaves at the pacing rate
    ("acks_received", i8),
    ("scheme", i4),
    ("first_hop", i4),
    ("packet_size", i4),
    ("repair", i1),  # form of loss recovery, see below
    ("window_decides", i1),  # callbacks return the window (1) or the rate (0)
    ("transfer", i1),  # 1: controlled by a scheme, and not yet finished; `FROM_APPLICATION`: with an application
    ("timestamps", i1),
    ("stamped", i1),  # which packets carry header fields, see below
    ("has_send_callback", i1),  # its scheme has `send`
    ("request", i1),  # set by a scheme to send a request
    ("access_link", i1),  # 0: none; 1: idle; `events.IN_USE`: transmitting
    ("acknowledged", i1),  # the receiver acknowledges
    ("ect", i1),  # codepoint of its packets, see below
    ("cwr", i1),
    ("has_alarm_callback", i1),  # its scheme has the callback `alarm`
)
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
    ("srtt", f8),  # s, as are the other fields without a stated unit
    ("rttvar", f8),
    ("rto", f8),
    ("backoff", f8),  # factor of the timeout (RFC 6298, rule 5.5)
    ("min_rto", f8),
    ("max_rto", f8),
    ("granularity", f8),  # G of RFC 6298
    ("tick", f8),  # > 0: round trips and timeouts are integer multiples of it
    ("max_backoff", f8),
)

#: A receiver, in one cache line that every data packet needs.
RECEIVING = record(
    ("expect", i8),  # next packet expected (RCV.NXT)
    ("received", i8),
    ("received_bytes", i8),
    ("delay", f8),  # sum over all packets received [ns]
    ("last_arrival", i8),
    ("blocks_head", i4),  # blocks that arrived out of order
    ("blocks_tail", i4),
    ("ack_size", i4),
    ("acknowledges", i1),  # it sends acknowledgments
    ("in_order", i1),  # 1: it waits for missing packets; the receiver of a probe does not
    ("echo", i1),  # how the receiver reports congestion marks, see below
    ("echo_ce", i1),  # acknowledgments carry ECE
    ("reports_arrival", i1),  # acknowledgments carry the arrival time of the packet [s] in header field 0
    ("delays", i1),  # whether acknowledgments leave at once, are delayed, or are made by the scheme, see below
    ("plain", i1),  # 1: no scheme makes the replies, and they report nothing but marks and SACK blocks
    ("waiting", i4),  # the acknowledgment that is delayed, NONE
)
#: Delayed acknowledgments of a receiver (RFC 5681, section 4.2), or replies of a receiver that a scheme controls.
DELAYED_ACK = record(
    ("delayed_ack", i8),  # packets that one acknowledgment covers
    ("ack_delay", f8),  # s; the longest time for which an acknowledgment is delayed
    ("quick_acks", i8),  # packets that are still acknowledged at once
    ("pending", i8),  # packets without an acknowledgment
    ("due_ns", i8),  # when the acknowledgment leaves, or the next call of `reply`
    ("armed_ns", i8),  # time of its entry in the heap of clocks
    ("previous", i4),  # flow before this one in the list of the link, see `first_delayed`, and the flow behind it
    ("behind", i4),
    ("sent", i8),  # of a receiver with `reply`: departure, number, transmission and next hop of the last packet
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

#: A sender's state of loss recovery, and requests of its scheme.
RECOVERY = record(
    ("in_flight", i8),  # outstanding transmissions (selective recovery)
    ("recover", i8),  # first transmission after the last loss reported to the scheme
    ("delivered", i8),  # packets reported as delivered so far, and found lost so far (selective recovery)
    ("lost", i8),
    ("reorder", i8),  # number of acknowledged later transmissions after which a transmission counts as lost
    ("blocks_head", i4),  # blocks of packets that are known to have arrived
    ("blocks_tail", i4),
    ("outstanding_head", i4),  # outstanding transmissions (selective recovery)
    ("outstanding_tail", i4),
    ("lost_head", i4),  # lost transmissions, to be retransmitted
    ("lost_tail", i4),
    ("every_loss", i1),  # the callback `loss` is called for every loss, not once per window
    ("arrival_times", i1),  # `reports_arrival` of the flow's receiver, which schemes can read
    ("skips", i1),  # packets that are known to have arrived are not retransmitted
    ("sampled", i1),  # 1: the scheme asks for delivery-rate samples, see `kernel.recovery`
    ("app_limited", i1),  # the application had no more data when window and rate allowed sending
    ("rack", i1),  # 1, 2 (timer of Linux): losses are found by time, see `kernel.rack`; uses fields from `rack_purpose`
    ("probing", i1),  # 1: the next packet is a probe
    ("alarm", f8),  # s; time at which the scheme asks to be called; negative: none
    ("pool", f8),  # packets that may leave at once after a pause (tokens)
    ("immediate_calls", i8),  # consecutive alarms set to the present or the past
    ("header", f8, (4,)),  # header fields of the packets that it sends
    ("marks_reported", i8),  # packets that the receiver has reported as marked, with the echo `ACCURATE`
    ("delivered_at", i8),  # time of the last delivery, or of a transmission with nothing in flight before it
    ("first_sent", i8),  # departure of the packet delivered last, or of a transmission with nothing in flight before it
    ("app_limited_until", i8),  # samples are application-limited until more packets are delivered; 0: not limited
    ("least_rtt", i8),
    ("rack_purpose", i1),  # purpose of the timer of RACK-TLP
    ("reordering_seen", i1),
    ("probe_repeats", i1),  # 1: the probe in flight is a retransmission (TLP.is_retrans)
    ("measured", i1),  # 1: a round trip was measured since the last probe
    ("rack_due_ns", i8),  # when the timer of RACK-TLP expires
    ("rack_armed_ns", i8),  # time of its entry in the heap of clocks
    ("rack_rtt", i8),  # round-trip time of the packet delivered last (RACK.rtt)
    ("rack_newest", i8),  # the newest transmission delivered (RACK.segment)
    ("highest_delivered", i8),  # RACK.fack
    ("reordering_window", i8),
    ("recovery_end", i8),  # recovery lasts until everything before this packet is acknowledged
    ("probe_end", i8),  # number of the packet after the probe in flight, NONE (TLP.end_seq)
)

#: Counters of a flow, such as drops and losses, and the times at which it starts, stops and finishes.
TALLY = record(
    ("start", i8),
    ("stop", i8),
    ("finish", i8),
    ("sent", i8),  # by finished connections; `transmission` of the sender counts the others
    ("retransmitted", i8),
    ("duplicate", i8),
    ("dropped", i8),
    ("acks_dropped", i8),
    ("acks_merged", i8),  # acknowledgments replaced by a later one; with `reply`: packets received less replies sent
    ("acks_injected", i8),  # packets that a host outside the simulator has sent on the way back
    ("losses", i8),
    ("timeouts", i8),
    ("marks", i8),
    ("reported_blocks", i8, (6,)),  # the SACK blocks that the receiver reported last
    ("last_stamps", i4),  # stamps of the request that arrived last
    ("feedback_in_flight", i4),  # its requests, their answers and feedback of switches in the network
    ("template", i4),  # of a connection: the flow that started it
    ("begun", i1),
    ("traffic", i1),  # kind of flow, see below
)

#: Access link of a flow: the link between its source and the first node.
ACCESS_LINK = record(
    ("rate", i8),  # bit/s times `scale`
    ("scale", i8),
    ("carried_remainder", i8),  # remainders of the divisions so far, modulo the rate
    ("free", i8),  # end of the last transmission
    ("packet", i4),  # packet in transmission, NONE
)

#: A source of traffic: a generator of uncontrolled packets or of connections, or the application that writes the data
#: of a transfer.
SOURCE = record(
    ("on", i4),
    ("off_at", i8),
    ("gap", f8),  # ns, mean
    ("slack", f8),
    ("gap_left", i8),  # remainder of the gap during which an on-off source was switched off
    ("on_time", f8),
    ("off_time", f8),
    ("next_write", i8),  # of an application: when it writes the next packet
    ("total", i8),  # of an application: size of the file
    ("shape_on", f8),
    ("shape_off", f8),
    ("mean_size", f8),
    ("first_row", i4),  # rows of finished connections, in the order of their ends
    ("last_row", i4),
    ("next_row", i4),
)

#: An event, with the fields that callbacks of a scheme read.
EVENT = record(
    ("now", f8),  # s
    ("rtt", f8),  # s; 0 without an acknowledged packet
    ("acked", i8),  # packets newly acknowledged, cumulatively
    ("number", i8),  # the packet that triggered the acknowledgment, or that is lost
    ("transmission", i8),
    ("newly_delivered", i8),  # packets first reported as delivered by this acknowledgment (selective recovery)
    ("lost", i8),  # packets found lost
    ("spurious", i8),  # 1: the acknowledged transmission had been found lost before
    ("delivery_rate", f8),  # bytes/s; 0: no sample
    ("sample_interval", f8),  # s
    ("prior_delivered", i8),  # delivered when the newest acknowledged, or the lost, packet was sent; NONE: no sample
    ("sent_in_flight", i8),  # in flight just after that transmission
    ("lost_since_sent", i8),
    ("app_limited", i8),
    ("marked", i8),  # 1: the acknowledgment carries ECE
    ("marks", i8),  # packets newly reported as marked
    ("duplicate", i8),  # 1: the acknowledgment covers no new packet although data are outstanding
    ("restart_timer", i8),
    ("packet_size", i8),  # bytes
    ("header", f8, (4,)),
)

#: A block of packets, from `low` to `high` - 1, that arrived beyond a hole.
BLOCK = record(("low", i8), ("high", i8), ("previous", i4), ("next", i4))
#: Nodes of two kinds of lists, with equal size because they share a pool. TRANSMISSION: a transmission that is
#: outstanding or lost. STAMP: the data that a link adds to a request.
TRANSMISSION = record(("number", i8), ("transmission", i8), ("next", i4), ("later_acked", i4))
DELIVERED = 2**30  # value of `later_acked` for a packet delivered after it had been found lost
STAMP = record(("bytes", i8), ("time", i8), ("next", i4), ("hop", i4))
#: State of a flow at the departure of a transmission; only flows with delivery-rate samples or RACK-TLP have it.
SNAPSHOT = record(
    ("delivered", i8),
    ("lost", i8),
    ("delivered_at", i8),
    ("first_sent", i8),
    ("sent", i8),
    ("in_flight", i4),
    ("app_limited", i2),
    ("retransmitted", i2),
)

# Kinds of flows. TRANSFER: data controlled by a scheme. CONSTANT, POISSON, ON_OFF: uncontrolled traffic. ARRIVALS:
# connections that arrive at random. INJECTED: packets of hosts outside the simulator, see `kernel.source`.
TRANSFER, CONSTANT, POISSON, ON_OFF, ARRIVALS, INJECTED = range(6)

#: Log entry of a finished connection.
CONNECTION = record(("flow", i8), ("start", i8), ("finish", i8), ("sent", i8), ("dropped", i8))

#: Small records: an entry of a heap, the header fields of a packet, the SACK blocks of an acknowledgment, a word as an
#: integer, and a word as a float.
ENTRY = record(("time", i8), ("key", i8))
HEADER = record(("x", f8, (4,)))
SACKS = record(("x", i8, (6,)))
WORD = record(("x", i8))
FLOAT = record(("x", f8))

#: Samples of a flow and of a link, taken at regular intervals.
FLOW_SAMPLE = record(("window", f8), ("rate", f8), ("received_bytes", f8), ("srtt", f8))
LINK_SAMPLE = record(("backlog", f8), ("arrived_bytes", f8), ("served_bytes", f8), ("dropped", f8))

#: Further fields of a flow in a traced run.
TRACED = record(
    ("connection", i8),  # number of its connection in the trace
    ("echo", i8),  # departure from the receiver of the acknowledgment that the sender received last
    ("ssthresh", i8),  # word of the state `ssthresh` in the record of its scheme; NONE: no such state
)

#: A row of the trace of a run, see `kernel.trace_rows`; `window` to `in_flight` describe the sender after the event.
TRACE = record(
    ("time", i8),
    ("connection", i8),
    ("number", i8),  # of the packet; data: sequence number; acknowledgment: next packet expected
    ("transmission", i8),
    ("sent", i8),  # departure of the data packet, also in an acknowledgment
    ("echo", i8),  # data: departure of the acknowledgment received last; acknowledgment: its own departure
    ("blocks", i8, (6,)),  # acknowledgment: its SACK blocks
    ("window", f8),  # packets, as in the traces of `SAMPLING`
    ("rate", f8),  # bytes/s
    ("ssthresh", f8),  # packets; NaN if the scheme has none
    ("srtt", f8),  # s
    ("rttvar", f8),  # s
    ("in_flight", i8),  # packets
    ("flow", i4),
    ("length", i4),  # bytes
    ("what", i1),  # see below
    ("flag_bits", i2),
)
# Values of `what`, the event that a row records: data or an acknowledgment is sent or received, or the sender starts,
# finishes, times out or changes its state otherwise.
SENT, RECEIVED, ACK_SENT, ACK_RECEIVED, STARTED, FINISHED, TIMED_OUT, CHANGED = range(8)
TRACE_ROWS_PER_EVENT = 64  # upper bound of the rows that one event writes

#: An injected packet that has reached its host or was dropped, see `kernel.source`.
LEFT = record(
    ("time", i8),
    ("transmission", i8),
    ("flow", i4),
    ("flag_bits", i2),
    ("kind", i1),
    ("dropped", i1),
)
ROOM_LEFT = 1 << 12  # rows; more than one event writes

#: Counters of a link up to the present time, see `kernel.link`.
CENSUS = record(
    ("waiting_time", f8),  # integral of the backlog up to now [packets x ns]
    ("started_waiting_time", f8),  # waiting times of packets whose transmission has begun [ns]
    ("transmitted", i8),  # ns spent transmitting
    ("served", i8),  # packets whose transmission has begun
    ("served_bytes", i8),
    ("arrived", i8),
)

ROWS_PER_EVENT = 8  # rows of each pool that one event may take before the loop checks again

# Reasons why a call of the kernel returns. In the second line, AT_HOST means that an injected packet has left the
# network; the other names are those of the array that is too small.
DONE, PAUSED, BAD_VALUE, TOO_LATE, NO_FLOWS = range(5)
NO_PACKETS, NO_BLOCKS, NO_NODES, NO_CLOCKS, NO_CONNECTIONS, NO_BACKLOG_ENTRIES, FULL_TRACE, AT_HOST = range(5, 13)

# Numbers of the callbacks of schemes.
START, ON_ACK, ON_LOSS, ON_TIMEOUT, ON_ALARM, ON_SEND, ON_RECEIVE, ON_REPLY = range(8)

# Kinds of events, which heap keys encode. A flow's timer has the kind CLOCK + RTO, CLOCK + PACE or CLOCK + ALARM.
ARRIVAL, DEPARTURE, CLOCK, SWITCH_CLOCK, SAMPLING, WAKE, DELAYED, RACK_CLOCK = 0, 1, 2, 5, 6, 7, 8, 9


# --- Arrays of a run -------------------------------------------------------------------------------------------------
#
# Arrays of a run, their record types, and the record that holds their addresses.

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
    "since": WORD,  # arrival time of each packet at a link with a service
    "headers": HEADER,
    "sacks": SACKS,
    "echo_times": WORD,  # for each packet of a traced run: `echo` of `TRACE`
    "queued": QUEUED,
    "links": LINK,
    "backlog_entries": BACKLOG_ENTRY,
    "changing_rates": CHANGING_RATE,  # for links whose rate changes
    "rate_changes": RATE_CHANGE,
    "hops": HOP,
    "queues": QUEUE,
    **OF_FLOWS,
    "blocks": BLOCK,
    "nodes": TRANSMISSION,
    "snapshots": SNAPSHOT,  # for each list node, if any flow has delivery-rate samples or RACK
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
    "workspace": WORD,  # of services
}

#: The state of a run: scalars, and the addresses of the run's arrays.
STATE = record(
    ("now", i8),
    ("serial", i8),
    ("events", i8),
    ("until", i8),
    ("horizon", i8),  # the run is not observed until then: earlier arrivals may be computed in advance
    ("arrivals", i8),  # number of entries of the heap of arrivals; of the heap of clocks
    ("clocks", i8),
    ("tracing", i4),  # 1: packets and senders are traced
    ("attention", i4),  # 1: the fields below, or whether all files are done, matter before the next event
    ("shortage", i4),  # the array that is too small, DONE if none
    ("entering_packet", i4),  # packet that has to enter its link, NONE
    ("sending_flow", i4),  # flow that may send more, NONE
    ("free_packet", i4),  # first and last of the list of free rows, which is never empty
    ("last_free_packet", i4),
    ("free_packets", i4),
    ("feedback_flow", i4),  # flow to which a switch has to send feedback, NONE
    ("feedback_link", i4),
    ("feedback_hop", i4),
    ("header_set", i4),  # 1: the header fields of the event are not zero
    ("sample_set", i4),  # 1: its delivery-rate sample is not cleared
    ("random_state", i8),  # state of the random streams of network and traffic: see `memory.uniform`
    ("random_next", i8),
    ("traffic_state", i8),
    ("traffic_next", i8),
    *((f"{name}_base", i8) for name in ARRAYS),
    ("flow_own_words", i8),
    ("link_own_words", i8),
    ("service_own_words", i8),
    ("responder_own_words", i8),
    ("queue_own_words", i8),
    ("flow_state_words", i8),
    ("packets_room", i8),
    ("clocks_room", i8),
    ("connections_room", i8),
    ("free_block", i4),
    ("free_blocks", i4),
    ("free_node", i4),
    ("free_nodes", i4),
    ("flow", i4),  # the flow, callback or link being handled, for error messages
    ("callback", i4),
    ("link", i4),
    ("hook", i4),  # the number of the function of the link's discipline or service in `callbacks.OF_LINKS`
    ("responder", i4),  # row of `hooks` of the plug-in that answers requests, NONE
    ("needs_flow_row", i4),  # 1: a new connection finds no free row
    ("sampled_flows", i4),
    ("sampled_links", i4),
    ("connections", i8),
    ("unfinished", i8),  # files still to be transferred; NONE if the run does not end with them
    ("bad_value", f8),  # the window or rate that ended the run
    ("lost_number", i8),  # the packet that was found lost last
    ("trace_rows", i8),  # rows of the trace since it was taken away last
    ("trace_room", i8),
    ("traced_connections", i8),  # so far
    ("left_rows", i8),  # injected packets that have left the network since they were taken away last
    ("samples", i8),
    ("samples_room", i8),
    ("sample_every", i8),
    ("in_use", i8, (3,)),  # packets in the network, by kind: see `kernel.link`
    ("feedback_sent", i8),  # packets, including requests and their answers
    ("feedback_received", i8),
    ("feedback_dropped", i8),
)
