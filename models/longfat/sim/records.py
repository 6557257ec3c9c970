"""The records that the kernel works on: packets, links, flows; one row each in a plain array.

Times are whole nanoseconds (292 years fit), sizes bytes, unless a comment says otherwise. Attributes of a
row can be read and set by name with jit on and off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NEVER = np.iinfo(np.int64).max
NONE = -1
SECOND = 1_000_000_000
FOREVER = 2**62  # packets of a flow without end
HORIZON = 9 * 10**18  # ns, 285 years: no transmission ends later, so that no sum of times passes 2**63


def _record(*fields: Any) -> np.dtype:
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


i1, i4, i8, f8 = np.uint8, np.int32, np.int64, np.float64

#: 64 bytes, one cache line.
PACKET = _record(
    ("next", i4),  # the packet behind this one on its link
    ("flow", i4),
    ("time", i8),  # arrival at the far end of the link; while it waits, its finish tag, or the packet before it
    ("number", i8),  # data: which packet of the flow; acknowledgment: the next one expected
    ("echo", i8),  # acknowledgment: number of the packet that caused it
    ("sent", i8),  # when the data packet left its sender
    ("transmission", i8),  # counts the transmissions of the flow; of a request: its last stamp, see `kernel.requests`
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
REQUEST = 128  # of a note: it asks the links on its way for their counters (schemes.md 9.2)
GREEN, RED = 0, 1  # colours: a red packet is the first to be dropped

#: One hop of one route.
HOP = _record(
    ("link", i4),
    ("queue", i4),  # the flow's own queue at this link, where the link has one per flow
    ("then", i4),  # what stands at the far end
    ("feedback", i4),  # row of `hops` by which a packet from this link's switch returns to the sender
    ("about", i4),  # of the last hop of a note to a switch: the flow's hop there
)
NEXT_HOP, RECEIVER, SENDER, SWITCH = 0, 1, 2, 3

# Answers of `enqueue` and `dequeue`; a positive one of `enqueue` pushes a waiting packet out, see `seam.push_out`.
ENQUEUE = SEND = 0
DROP = -1

LINK = _record(
    ("free", i8),  # when the transmitter has sent all that it has accepted
    ("delay", i8),
    ("rate", i8),  # bit/s times `scale`
    ("remainder", i8),  # of the division that gives transmission times, carried on
    ("quotient", i8),  # of it for packets of `length`
    ("rest", i8),
    ("length", i4),  # bytes
    ("service", i4),
    ("head", i4),  # packets on the link, nearest to the far end first
    ("tail", i4),
    ("begin", i8),  # when the first one that waits begins transmission
    ("first", i4),
    ("waiting", i4),
    ("waiting_bytes", i8),
    ("limit_packets", i8),
    ("limit_bytes", i8),
    ("discipline", i4),  # row of the hooks, NONE without
    ("number", i4),  # its own row
    ("loss", f8),
    ("jitter", i8),
    # counted
    ("arrived", i8),
    ("served", i8),
    ("served_bytes", i8),
    ("arrived_bytes", i8),
    ("busy", i8),
    ("wait", f8),  # ns x packets: a float, because sums of times outgrow 63 bits
    ("largest", i8),
    ("dropped", i8),
    ("dropped_early", i8),
    ("marked", i8),
    # where departures are decided when they happen
    ("sending", i4),  # packet in transmission
    ("active", i4),  # flows' queues in service: how many
    ("queue_head", i4),
    ("queue_tail", i4),
    ("offset", i8),  # where the link's rows of `active` begin
    ("capacity", i8),  # how many there are; of a priority discard: places for packets
    ("turn", i8),  # of them, whose turn it is; the next place for a packet
    ("resting", i8),  # flows' queues whose time has not come, at the end of these rows
    ("tag", i8),  # virtual time; a place before which no packet stands
    ("heads", i8),  # how often a packet has become the first of its queue
    ("counted", i8),  # bit-round: when virtual time was `tag`
    ("first_fluid", i4),  # the queue that will be the first to be empty in the fluid, NONE if all are
    ("fluid", i4),  # how many are not
    ("quantum", i8),
    ("changed", i8),  # when the number waiting last changed
    ("area", f8),  # packets waiting x ns until then
    ("scale", i8),
    ("impatience", i8),  # ticks in a row wanted no later than now
    ("refresh", i8),  # how old the counter that requests see may get; 0: it is always fresh
    ("refreshed", i8),  # when that was
    ("seen_bytes", i8),  # its value since then
    ("coarse", i1),  # requests note the time of the refresh, not their own
    ("hidden", i1),  # requests pass without a trace
    ("hold", i8),  # set by a discipline that keeps the packet in hand until then
    ("flow_state", i8),  # of the words that all disciplines keep of a flow, the first of this one
    ("send_feedback", i8),  # set by a discipline that wants `feedback` sent to the sender of the packet in hand
    ("feedback", f8, (4,)),
    ("bytes_per_second", f8),  # infinite: no transmission time
)
# Services. In order of arrival: decided at once; at departure; where a full buffer gives up the worst packet, or the
# last one that is worse than the new one. Fair queueing: by tags, by turns, by tags of those whose time has come, by
# the tags of a fluid.
FIFO, DEPARTURES, DISCARD_WORST, DISCARD_LAST, SELF_CLOCKED, ROUND_ROBIN, RATED, BIT_ROUND = range(8)

#: A flow's own queue at one link.
QUEUE = _record(
    ("head", i4),
    ("tail", i4),
    ("packets", i4),
    ("place", i4),  # in the list of active queues, NONE if empty
    ("bytes", i8),
    ("tag", i8),  # finish tag of the last packet
    ("head_since", i8),  # `heads` of the link when its first packet became that
    ("next_fluid", i4),  # of those that are not empty in the fluid, by their last tags
    ("deficit", i8),
    # where queues have rates
    ("rate", f8),  # bytes/s, set by a discipline; infinite at first
    ("counted", i8),  # the next packet may go as much time after this one
    ("charge", i8),  # as this many bytes take
    ("armed", i8),
    ("link", i8),
)

RTO, PACE, ALARM = 0, 1, 2  # a flow's three clocks
FLOW = _record(
    # the sender, what every acknowledgment needs first
    ("una", i8),  # first packet not acknowledged
    ("next", i8),  # next packet to send
    ("high", i8),  # one more than the highest packet sent
    ("packets", i8),  # size of the file
    ("window", f8),  # packets
    ("inflation", f8),  # packets; what recovery adds to the window
    ("rate", f8),  # bytes/s; infinite: the window alone decides
    ("resend", i8),  # packet to be sent again at once
    ("limited", f8),  # packets that may still be sent on account of this event
    ("asked_on_send", i1),  # its scheme looks at every packet that leaves
    ("finish", i8),
    ("stop", i8),
    ("transmission", i8),  # counts the transmissions
    ("access_rate", i8),  # of its own line, bit/s times `access_scale`; 0: none
    ("on_line", i4),  # packet in transmission there
    ("scheme", i4),
    ("first_hop", i4),
    ("packet_size", i4),
    ("ack_size", i4),
    ("selective", i1),
    ("window_decides", i1),  # what callbacks return: window or rate
    ("every_loss", i1),
    ("skips", i1),  # what is known to have arrived is not sent again, see `kernel.echoes`
    ("echo_once", i1),  # receiver echoes a mark once, not until CWR
    ("ect", i1),
    ("cwr", i1),
    ("stamped", i1),  # packets carry header fields
    ("request", i1),  # set by a scheme that wants to send one
    ("begun", i1),
    ("alarm", f8),  # s; set by a scheme that wants to be called then, negative: none
    ("srtt", f8),
    ("rttvar", f8),
    ("rto", f8),
    ("backoff", f8),
    ("min_rto", f8),
    ("max_rto", f8),
    ("granularity", f8),
    ("tick", f8),  # > 0: round trips and timeouts in whole ticks
    ("timestamps", i8),
    ("due", i8, (3,)),
    ("armed", i8, (3,)),
    ("acks_received", i8),
    ("sent", i8),
    ("timed", i8),  # packet whose round trip is being timed, NONE
    ("last_paced", i8),
    ("paced_size", i8),
    ("pool", f8),  # tokens: packets that may leave at once after a pause
    ("access_free", i8),  # when its own line has sent what it was given
    ("access_scale", i8),
    ("access_rest", i8),  # of the division that gives transmission times, carried on
    ("recover", i8),  # selective recovery: the first transmission after the last loss that the scheme was told of
    # the receiver
    ("expect", i8),
    ("received", i8),
    ("received_bytes", i8),
    ("delay", f8),  # ns, of all packets received
    ("last_arrival", i8),
    ("acks_sent", i8),
    ("blocks_head", i4),  # what arrived out of order
    ("blocks_tail", i4),
    ("acknowledged", i1),  # the receiver answers
    ("arrival_times", i1),  # and says when the packet arrived [s], in header field 0
    ("echo_ce", i1),
    ("traffic", i4),
    ("template", i4),  # of a connection: the flow that started it
    ("recent", i8, (6,)),  # the blocks reported last
    ("duplicate", i8),
    # recovery
    ("in_flight", i8),  # transmissions not accounted for (selective recovery)
    ("reorder", i8),  # later transmissions acknowledged before one counts as lost
    ("max_backoff", f8),
    ("timed_at", i8),
    ("nodes_head", i4),  # transmissions under way
    ("nodes_tail", i4),
    ("lost_head", i4),  # to be sent again
    ("lost_tail", i4),
    ("stamps", i4),  # of the request that arrived last, see `kernel.requests`
    ("notes", i4),  # on their way: its requests, their answers, what switches have to say about it
    # counted when something goes wrong
    ("retransmitted", i8),
    ("dropped", i8),
    ("acks_dropped", i8),
    ("losses", i8),
    ("timeouts", i8),
    ("marks", i8),
    ("start", i8),
    # traffic
    ("first_row", i4),  # of a template: its connections' rows, those that ended longest ago first
    ("last_row", i4),
    ("next_row", i4),
    ("on", i4),
    ("off_at", i8),
    ("gap", f8),  # ns, mean
    ("slack", f8),
    ("left", i8),  # ns of a gap, when an on-off source fell silent in it
    ("on_time", f8),
    ("off_time", f8),
    ("shape_on", f8),
    ("shape_off", f8),
    ("mean_size", f8),
    ("header", f8, (4,)),  # of the packets it sends
    ("impatience", i8),  # alarms in a row set to no later than now
)

#: What a callback is told.
EVENT = _record(
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
BLOCK = _record(("low", i8), ("high", i8), ("previous", i4), ("next", i4))
NODE = _record(("number", i8), ("transmission", i8), ("next", i4), ("passed", i4))

# What a flow is: a transfer by a scheme; packets that no scheme controls; connections that arrive.
TRANSFER, CONSTANT, POISSON, ON_OFF, ARRIVALS = range(5)

#: A connection that ended.
CONNECTION = _record(("flow", i8), ("start", i8), ("finish", i8), ("sent", i8), ("dropped", i8))

#: An entry of a heap; the header fields of a packet; the blocks of an acknowledgment; a place in a list of queues.
ENTRY = _record(("time", i8), ("key", i8))
HEADER = _record(("x", f8, (4,)))
SACKS = _record(("x", i8, (6,)))
TURN = _record(("queue", i4))
WORD = _record(("x", i8))

#: Rows of the traces.
FLOW_SAMPLE = _record(("window", f8), ("rate", f8), ("received_bytes", f8), ("srtt", f8))
LINK_SAMPLE = _record(("waiting", f8), ("arrived_bytes", f8), ("served_bytes", f8), ("dropped", f8))

#: The arrays of a run and the kind of their rows, in the order of `WORLD`'s addresses.
ARRAYS = {
    "arrivals": ENTRY,  # heap: packets at far ends, transmissions that end
    "timers": ENTRY,  # heap: clocks of flows, of disciplines, of the sampling
    "packets": PACKET,
    "headers": HEADER,
    "sacks": SACKS,
    "since": WORD,  # of each packet that waits: when it arrived
    "links": LINK,
    "hops": HOP,
    "queues": QUEUE,
    "active": TURN,
    "flows": FLOW,
    "blocks": BLOCK,
    "nodes": NODE,
    "connections": CONNECTION,
    "event": EVENT,
    "flow_samples": FLOW_SAMPLE,
    "link_samples": LINK_SAMPLE,
    "callbacks": WORD,  # addresses, see `calls`
    "hooks": WORD,
    "flow_own": WORD,  # parameters and state of schemes, a row for each flow; of disciplines, of services, for each link
    "link_own": WORD,
    "service_own": WORD,
    "queue_own": WORD,  # of services, for each queue
    "flow_state": WORD,  # of disciplines, for each flow
}

#: The scalars of a run, and where its arrays begin.
WORLD = _record(
    ("now", i8),
    ("serial", i8),
    ("events", i8),
    ("random_state", i8),  # of the network's random numbers, and of the traffic's: see `memory.uniform`
    ("random_next", i8),
    ("traffic_state", i8),
    ("traffic_next", i8),
    ("flow_own_words", i8),
    ("link_own_words", i8),
    ("service_own_words", i8),
    ("queue_own_words", i8),
    ("flow_state_words", i8),
    *((f"{name}_base", i8) for name in ARRAYS),
    ("arrivals", i8),  # entries of the heap
    ("timers", i8),
    ("timers_room", i8),
    ("connections_room", i8),
    ("free_packet", i4),  # first and last of the rows that are free; there always is one
    ("last_free_packet", i4),
    ("free_packets", i4),
    ("free_block", i4),
    ("free_blocks", i4),
    ("free_node", i4),
    ("free_nodes", i4),
    ("entering", i4),  # the packet that has to be put on its link
    ("sending", i4),  # the flow that has to be asked whether it sends more
    ("flow", i4),  # the flow, scheme's callback or link in hand: for messages
    ("callback", i4),
    ("link", i4),
    ("late", i4),  # the link whose transmissions would end after `HORIZON`
    ("notify_flow", i4),  # a note of a switch that has to be sent
    ("notify_link", i4),
    ("notify_hop", i4),
    ("short_of_flows", i4),
    ("sampled_flows", i4),
    ("sampled_links", i4),
    ("connections", i8),
    ("unfinished", i8),  # files still to be transferred; NONE if nobody waits for them
    ("value", f8),
    ("lost_number", i8),
    ("samples", i8),
    ("samples_room", i8),
    ("sample_every", i8),
    ("fed", i8),  # notes of switches made, received, dropped
    ("fed_received", i8),
    ("fed_dropped", i8),
)

ROOM = 8  # rows that one event may take before the loop looks again

# What a call of the kernel ends with.
DONE, PAUSED, NO_PACKETS, NO_BLOCKS, NO_NODES, NO_TIMERS, NO_FLOWS, NO_CONNECTIONS, BAD_VALUE, TOO_LATE = range(10)

# Callbacks of schemes, by number.
START, ON_ACK, ON_LOSS, ON_TIMEOUT, ON_ALARM, ON_SEND = range(6)

# Kinds of events in the keys.
ARRIVAL, DEPARTURE, CLOCK, SWITCH_CLOCK, SAMPLING, ELIGIBLE = 0, 1, 2, 5, 6, 7  # CLOCK + RTO, PACE or ALARM
