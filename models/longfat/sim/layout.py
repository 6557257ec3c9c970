"""The arrays of a run, which records they are made of, and the one row that says where they begin."""

from __future__ import annotations

from longfat.sim.records import (
    ACCESS_LINK,
    BACKLOG_ENTRY,
    BLOCK,
    CENSUS,
    CONNECTION,
    ENTRY,
    EVENT,
    FLOW_SAMPLE,
    HEADER,
    HOP,
    LINK,
    LINK_SAMPLE,
    PACKET,
    QUEUE,
    QUEUED,
    RECEIVING,
    RECOVERY,
    SACKS,
    SENDER,
    SOURCE,
    TALLY,
    TIMER,
    TRANSMISSION,
    WORD,
    f8,
    i4,
    i8,
    record,
)

#: What a flow has a row in, by the names of the arrays; those of lines and sources only where any flow has one.
OF_FLOWS = {
    "senders": SENDER,
    "timers": TIMER,
    "receivers": RECEIVING,
    "recoveries": RECOVERY,
    "tallies": TALLY,
    "access_links": ACCESS_LINK,
    "sources": SOURCE,
}

#: The arrays of a run and the kind of their rows, in the order of `WORLD`'s addresses.
ARRAYS = {
    "arrivals": ENTRY,  # heap: packets at far ends, transmissions that end
    "clocks": ENTRY,  # heap: clocks of flows, of disciplines, of the sampling
    "packets": PACKET,
    "since": WORD,  # of each packet that waits for a service: when it arrived
    "headers": HEADER,
    "sacks": SACKS,
    "queued": QUEUED,
    "links": LINK,
    "backlog_entries": BACKLOG_ENTRY,
    "hops": HOP,
    "queues": QUEUE,
    **OF_FLOWS,
    "blocks": BLOCK,
    "nodes": TRANSMISSION,
    "connections": CONNECTION,
    "event": EVENT,
    "flow_samples": FLOW_SAMPLE,
    "link_samples": LINK_SAMPLE,
    "census": CENSUS,
    "callbacks": WORD,  # addresses of schemes' callbacks, disciplines' hooks and services' verbs: see `calls`
    "hooks": WORD,
    "verbs": WORD,
    "flow_own": WORD,  # parameters and state: of schemes for each flow; of disciplines and services for each link
    "link_own": WORD,
    "service_own": WORD,
    "queue_own": WORD,  # of services, for each queue
    "flow_state": WORD,  # of disciplines, for each flow
    "workspace": WORD,  # of services
}

#: The scalars of a run, and where its arrays begin.
STATE = record(
    ("now", i8),
    ("serial", i8),
    ("events", i8),
    ("until", i8),
    ("horizon", i8),  # until when nobody looks: what comes before may be worked out ahead
    ("arrivals", i8),  # entries of the heap
    ("clocks", i8),
    ("attention", i4),  # 1: the loop has to look at what follows, or whether all files are done, before the next event
    ("shortage", i4),  # of what rows are short, DONE if of nothing
    ("entering_packet", i4),  # the packet that has to enter its link
    ("sending_flow", i4),  # the flow that has to be asked whether it sends more
    ("free_packet", i4),  # first and last of the rows that are free; there always is one
    ("last_free_packet", i4),
    ("free_packets", i4),
    ("feedback_flow", i4),  # feedback of a switch that has to be sent
    ("feedback_link", i4),
    ("feedback_hop", i4),
    ("header_set", i4),  # the event's header is not zero
    ("random_state", i8),  # of the network's random numbers, and of the traffic's: see `memory.uniform`
    ("random_next", i8),
    ("traffic_state", i8),
    ("traffic_next", i8),
    *((f"{name}_base", i8) for name in ARRAYS),
    ("flow_own_words", i8),
    ("link_own_words", i8),
    ("service_own_words", i8),
    ("queue_own_words", i8),
    ("flow_state_words", i8),
    ("packets_room", i8),
    ("clocks_room", i8),
    ("connections_room", i8),
    ("free_block", i4),
    ("free_blocks", i4),
    ("free_node", i4),
    ("free_nodes", i4),
    ("flow", i4),  # the flow, scheme's callback or link in hand: for messages
    ("callback", i4),
    ("link", i4),
    ("needs_flow_row", i4),
    ("sampled_flows", i4),
    ("sampled_links", i4),
    ("connections", i8),
    ("unfinished", i8),  # files still to be transferred; NONE if nobody waits for them
    ("bad_value", f8),
    ("lost_number", i8),
    ("samples", i8),
    ("samples_room", i8),
    ("sample_every", i8),
    ("in_use", i8, (3,)),  # packets in the network, by kind: see `kernel.census`
    ("feedback_sent", i8),  # feedback packets made, received, dropped
    ("feedback_received", i8),
    ("feedback_dropped", i8),
)
