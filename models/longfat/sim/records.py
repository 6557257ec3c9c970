"""The records that the core works on, by their owners; one row each in a plain array.

Times are whole nanoseconds (292 years fit), sizes bytes, unless a comment says otherwise. A row is one or a few cache
lines of 64 bytes: what every packet needs comes first, what is rarely needed stands in rows of its own. What belongs
to one scheme, discipline or service is no field here: see `longfat.sim.own`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEVER = np.iinfo(np.int64).max
NONE = -1
SECOND = 1_000_000_000
FOREVER = 2**62  # packets of a flow without end
HORIZON = 9 * 10**18  # ns, 285 years: no transmission ends later, so that no sum of times passes 2**63


def record(*fields: Any) -> np.dtype:
    """Return the type of a row: of the fields' natural alignment."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


i1, i4, i8, f8 = np.uint8, np.int32, np.int64, np.float64

# --- Packets -------------------------------------------------------------------------------------------------------

#: One cache line.
PACKET = record(
    ("next", i4),  # the packet behind this one on its link, or in its queue
    ("flow", i4),
    ("arrival", i8),  # at the far end of the link
    ("number", i8),  # data: which packet of the flow; acknowledgment: the next one expected; feedback: the link
    ("triggered_by", i8),  # acknowledgment: number of the packet that caused it
    ("sent", i8),  # when the data packet, or the feedback, left
    ("transmission", i8),  # counts the transmissions of the flow
    ("length", i4),  # bytes
    ("hop", i4),  # row of `hops`: where it is on its way
    ("kind", i1),
    ("marks", i1),
    ("colour", i1),  # GREEN or RED, or what a discipline makes of it
    ("priority", i4),  # 0 is best; written by the source, or by a discipline
)
DATA, ACK, FEEDBACK = 0, 1, 2
ECT, CE, ECE, CWR, SACK = 1, 2, 4, 8, 16  # bits of marks
LAST, STAMPED = 32, 64  # of data packets: the sender has nothing more to send; the header says something
REQUEST = 128  # of feedback: it asks the links on its way for their counters
ANSWERED = 1  # of feedback: it is the answer to such a request
GREEN, RED = 0, 1  # colours: a red packet is the first to be dropped

#: What is known of a packet beside its row: while it waits where the link decides at departure, and of a request.
QUEUED = record(
    ("previous", i4),  # the packet before this one in its queue
    ("queue", i4),  # where it waits, NONE if nowhere
    ("tag", i8),  # by which its service orders it
    ("stamps", i4),  # of a request: the last stamp of a link, see `kernel.requests`
)

#: One hop of one route.
HOP = record(
    ("link", i4),
    ("queue", i4),  # the flow's own queue at this link, where the link has one per flow
    ("far_end", i4),  # what stands at the far end
    ("feedback", i4),  # row of `hops` by which a packet from this link's switch returns to the sender
    ("switch_hop", i4),  # of the last hop of feedback to a switch: the flow's hop there
    ("in_advance", i4),  # what of the arrival at the far end may be worked out at admission, see below
)
NEXT_HOP, TO_RECEIVER, TO_SENDER, TO_SWITCH = 0, 1, 2, 3
# Nothing; what the receiver does; also that the packet, or its acknowledgment, enters the next link. That is possible
# where nobody else comes between: see `kernel.links.admit`.
AT_ARRIVAL, RECEIVE_IN_ADVANCE, ENTER_IN_ADVANCE = range(3)

# --- Links ---------------------------------------------------------------------------------------------------------

#: Two cache lines for every packet, the rest for packets that wait, are dropped or meet a discipline.
LINK = record(
    ("free", i8),  # when the transmitter has sent all that it has accepted
    ("delay", i8),
    ("quotient", i8),  # of the division that gives the transmission time of packets of `length`
    ("remainder", i8),
    ("carried_remainder", i8),  # of it, carried on
    ("rate", i8),  # bit/s times `scale`
    ("length", i4),  # bytes
    ("special", i4),  # 0: drop-tail in order of arrival and nothing else, decided at admission
    ("head", i4),  # packets on the link, nearest to the far end first
    ("tail", i4),
    # the second line
    ("backlog", i4),
    ("deferred", i4),  # packets on the link whose arrival might have been worked out, but not yet
    ("backlog_bytes", i8),
    ("next_start", i8),  # in order of arrival: when the first packet that waits begins transmission
    ("served", i8),  # transmissions begun, or sure to begin
    ("served_bytes", i8),
    ("busy", i8),
    ("limit_packets", i8),
    ("limit_bytes", i8),
    # packets that wait or are dropped
    ("circular_base", i8),  # in order of arrival: the first of its rows of `waits`, and how many they are less one
    ("circular_mask", i8),
    ("circular_head", i8),  # counts those that waited: the row of the first one that still does
    ("waiting_time", f8),  # ns x packets: a float, because sums of times outgrow 63 bits
    ("largest_backlog", i8),
    ("dropped", i8),
    ("dropped_bytes", i8),
    ("marked", i8),
    ("has_arrival_event", i4),  # 1: the heap of arrivals has an entry for it
    ("number", i4),  # its own row
    ("discipline", i4),  # row of the hooks, NONE without
    ("service", i4),  # row of the services, NONE: in order of arrival, decided at admission
    ("transmitting", i4),  # packet in transmission, where departures are decided when they happen
    ("first_queue", i4),  # its first queue
    ("queue_count", i4),
    ("workspace", i8),  # its first word in the workspace of services
    ("changed_at", i8),  # when the number waiting last changed; with a service only
    ("backlog_area", f8),  # packets waiting x ns until then
    ("loss", f8),
    ("jitter", i8),
    ("scale", i8),
    ("bytes_per_second", f8),  # infinite: no transmission time
    ("immediate_calls", i8),  # ticks in a row wanted no later than now
    ("hold_until", i8),  # set by a discipline that keeps the packet in hand until then
    ("flow_state", i8),  # of the words that all disciplines keep of a flow, the first of this one
    ("send_feedback", i8),  # set by a discipline that wants `feedback` sent to the sender of the packet in hand
    ("feedback", f8, (4,)),
    ("work_conserving", i1),  # of its service
    ("may_push_out", i1),
    ("coarse_clock", i1),  # requests note the time of the refresh, not their own
    ("ignores_requests", i1),  # requests pass without a trace
    ("refresh", i8),  # how old the counter that requests see may get; 0: it is always fresh
    ("refreshed_at", i8),  # when that was
    ("seen_bytes", i8),  # its value since then
    ("stamped_bytes", i8),  # by which requests have grown here
)

#: A packet that waits in order of arrival.
BACKLOG_ENTRY = record(
    ("start", i8),  # of its transmission
    ("arrival", i8),
    ("length", i4),
)

# Answers of `enqueue` and `dequeue`; a positive one of `enqueue` pushes a waiting packet out, see `seam.push_out`.
ENQUEUE = SEND = 0
DROP = -1
# Answers of a service: no packet; the packet that arrives need not wait.
NOTHING, PASSES = -1, -2

#: A queue of a link with a service.
QUEUE = record(
    ("head", i4),
    ("tail", i4),
    ("packets", i4),
    ("link", i4),
    ("number", i4),  # its own row
    ("bytes", i8),
    ("armed", i8),  # when its service wants to be called about it
)

# --- Flows ---------------------------------------------------------------------------------------------------------

RTO, PACE, ALARM = 0, 1, 2  # a flow's three clocks
#: Three cache lines, which every acknowledgment needs.
SENDER = record(
    ("una", i8),  # first packet not acknowledged
    ("next", i8),  # next packet to send
    ("high", i8),  # one more than the highest packet sent
    ("packets", i8),  # size of the file
    ("window", f8),  # packets
    ("inflation", f8),  # packets; what recovery adds to the window
    ("limited", f8),  # packets that may still be sent on account of this event
    ("rate", f8),  # bytes/s; infinite: the window alone decides
    # the second line
    ("due", i8, (3,)),
    ("armed", i8, (3,)),
    ("transmission", i8),  # counts the transmissions
    ("timed_at", i8),  # when the packet left whose round trip is being timed
    # the third line
    ("sends_until", i8),  # stop or finish
    ("resend", i8),  # packet to be sent again at once
    ("timed", i8),  # packet whose round trip is being timed, NONE
    ("last_paced", i8),
    ("acks_received", i8),
    ("scheme", i4),
    ("first_hop", i4),
    ("packet_size", i4),
    ("repair", i1),  # who repairs losses, see below
    ("window_decides", i1),  # what callbacks return: window or rate
    ("transfer", i1),  # controlled by a scheme, and not yet done
    ("timestamps", i1),
    ("stamped", i1),  # 1: packets carry header fields to the switches and back; 2: acknowledgments bring some
    ("has_send_callback", i1),  # its scheme looks at every packet that leaves
    ("request", i1),  # set by a scheme that wants to send one
    ("access_link", i1),  # it has a line of its own to its first node
    ("acknowledged", i1),  # the receiver answers
    ("ect", i1),
    ("cwr", i1),
    ("has_alarm_callback", i1),  # its scheme has an alarm
)
# Who repairs losses: the scheme; the scheme, but what is known to have arrived is not sent again; the sender itself.
OWN, SKIPS, SELECTIVE = range(3)

#: Round-trip times and the retransmission timer (RFC 6298).
TIMER = record(
    ("srtt", f8),  # s, as all but `timed_at`
    ("rttvar", f8),
    ("rto", f8),
    ("backoff", f8),
    ("min_rto", f8),
    ("max_rto", f8),
    ("granularity", f8),
    ("tick", f8),  # > 0: round trips and timeouts in whole ticks
    ("max_backoff", f8),
)

#: One cache line, which every data packet needs at the receiver.
RECEIVING = record(
    ("expect", i8),
    ("received", i8),
    ("received_bytes", i8),
    ("delay", f8),  # ns, of all packets received
    ("last_arrival", i8),
    ("blocks_head", i4),  # what arrived out of order
    ("blocks_tail", i4),
    ("ack_size", i4),
    ("acknowledges", i1),  # it acknowledges
    ("in_order", i1),  # and counts what is missing; a probe's is not waited for
    ("echo_once", i1),  # it echoes a mark once, not until CWR
    ("echo_ce", i1),
    ("reports_arrival", i1),  # acknowledgments say when the packet arrived [s], in header field 0
)

#: What a sender keeps that repairs losses by itself, or knows what has arrived; and what schemes ask for.
RECOVERY = record(
    ("in_flight", i8),  # transmissions not accounted for (selective recovery)
    ("recover", i8),  # the first transmission after the last loss that the scheme was told of
    ("reorder", i8),  # later transmissions acknowledged before one counts as lost
    ("blocks_head", i4),  # runs of packets that are known to have arrived; of those that skip them
    ("blocks_tail", i4),
    ("outstanding_head", i4),  # transmissions under way; with selective recovery
    ("outstanding_tail", i4),
    ("lost_head", i4),  # to be sent again
    ("lost_tail", i4),
    ("every_loss", i1),
    ("arrival_times", i1),  # of the receiver's `tells_time`, for schemes
    ("skips", i1),
    ("alarm", f8),  # s; set by a scheme that wants to be called then, negative: none
    ("pool", f8),  # tokens: packets that may leave at once after a pause
    ("immediate_calls", i8),  # alarms in a row set to no later than now
    ("header", f8, (4,)),  # of the packets it sends
)

#: What is counted when something goes wrong, and when the flow began and ended.
TALLY = record(
    ("start", i8),
    ("stop", i8),
    ("finish", i8),
    ("sent", i8),  # by connections that ended; beside it counts `transmission` of the sender
    ("retransmitted", i8),
    ("duplicate", i8),
    ("dropped", i8),
    ("acks_dropped", i8),
    ("losses", i8),
    ("timeouts", i8),
    ("marks", i8),
    ("reported_blocks", i8, (6,)),  # the blocks that the receiver reported last
    ("last_stamps", i4),  # of the request that arrived last, see `kernel.requests`
    ("feedback_in_flight", i4),  # on its way: its requests, their answers, what switches have to say about it
    ("template", i4),  # of a connection: the flow that started it
    ("begun", i1),
    ("traffic", i1),  # what it is, see below
)

#: The line between a source and its first node.
ACCESS_LINK = record(
    ("rate", i8),  # bit/s times `scale`
    ("scale", i8),
    ("carried_remainder", i8),  # of the division that gives transmission times, carried on
    ("free", i8),  # when it has sent what it was given
    ("packet", i4),  # in transmission there
)

#: A generator of packets that no scheme controls, or of connections.
SOURCE = record(
    ("on", i4),
    ("off_at", i8),
    ("gap", f8),  # ns, mean
    ("slack", f8),
    ("gap_left", i8),  # ns of a gap, when an on-off source fell silent in it
    ("on_time", f8),
    ("off_time", f8),
    ("shape_on", f8),
    ("shape_off", f8),
    ("mean_size", f8),
    ("first_row", i4),  # of connections: those that ended longest ago first
    ("last_row", i4),
    ("next_row", i4),
)

#: What a callback is told.
EVENT = record(
    ("now", f8),  # s
    ("rtt", f8),  # s, of the packet that caused this; 0 where there is none
    ("acked", i8),  # packets newly acknowledged in order
    ("number", i8),  # the packet that caused this: echoed, or lost
    ("transmission", i8),
    ("lost", i8),  # packets found lost
    ("marked", i8),
    ("duplicate", i8),  # acknowledges nothing new, with data outstanding
    ("restart_timer", i8),
    ("packet_size", i8),  # bytes
    ("header", f8, (4,)),
)

#: A run of packets that arrived beyond a hole; a transmission under way, or a link's stamp on a request.
BLOCK = record(("low", i8), ("high", i8), ("previous", i4), ("next", i4))
TRANSMISSION = record(("number", i8), ("transmission", i8), ("next", i4), ("later_acked", i4))
STAMP = record(("bytes", i8), ("time", i8), ("next", i4), ("hop", i4))

# What a flow is: a transfer by a scheme; packets that no scheme controls; connections that arrive.
TRANSFER, CONSTANT, POISSON, ON_OFF, ARRIVALS = range(5)

#: A connection that ended.
CONNECTION = record(("flow", i8), ("start", i8), ("finish", i8), ("sent", i8), ("dropped", i8))

#: An entry of a heap; the header fields of a packet; the blocks of an acknowledgment; a word of memory.
ENTRY = record(("time", i8), ("key", i8))
HEADER = record(("x", f8, (4,)))
SACKS = record(("x", i8, (6,)))
WORD = record(("x", i8))

#: Rows of the traces.
FLOW_SAMPLE = record(("window", f8), ("rate", f8), ("received_bytes", f8), ("srtt", f8))
LINK_SAMPLE = record(("backlog", f8), ("arrived_bytes", f8), ("served_bytes", f8), ("dropped", f8))

#: What a link has done until a moment: see `kernel.census`.
CENSUS = record(
    ("waiting_time", f8),  # packets x ns up to now
    ("started_waiting_time", f8),  # of these, the waits of packets whose transmission has begun
    ("transmitted", i8),  # ns spent transmitting
    ("served", i8),  # packets whose transmission has begun
    ("served_bytes", i8),
    ("arrived", i8),
)

ROWS_PER_EVENT = 8  # rows that one event may take before the loop looks again

# What a call of the kernel ends with.
DONE, PAUSED, BAD_VALUE, TOO_LATE, NO_FLOWS = range(5)
NO_PACKETS, NO_BLOCKS, NO_NODES, NO_CLOCKS, NO_CONNECTIONS, NO_BACKLOG_ENTRIES = range(5, 11)

# Callbacks of schemes, by number.
START, ON_ACK, ON_LOSS, ON_TIMEOUT, ON_ALARM, ON_SEND = range(6)

# Kinds of events in the keys.
ARRIVAL, DEPARTURE, CLOCK, SWITCH_CLOCK, SAMPLING, WAKE = 0, 1, 2, 5, 6, 7  # CLOCK + RTO, PACE or ALARM
