"""Arrays of a run, their record types, and the record that holds their addresses."""

from __future__ import annotations

from longfat.sim.kernel.records import (
    ACCESS_LINK,
    BACKLOG_ENTRY,
    BLOCK,
    CENSUS,
    CHANGING_RATE,
    CONNECTION,
    DELAYED_ACK,
    ENTRY,
    EVENT,
    FLOW_SAMPLE,
    HEADER,
    HOP,
    LEFT,
    LINK,
    LINK_SAMPLE,
    PACKET,
    QUEUE,
    QUEUED,
    RATE_CHANGE,
    RECEIVING,
    RECOVERY,
    SACKS,
    SENDER,
    SNAPSHOT,
    SOURCE,
    TALLY,
    TIMER,
    TRACE,
    TRACED,
    TRANSMISSION,
    WORD,
    f8,
    i4,
    i8,
    record,
)

#: Arrays with a row for each flow; those of access links and sources only where a flow has one,
#: that of traced flows only if the run is traced, that of delayed acknowledgments only if a receiver delays them.
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
    "since": WORD,  # of each packet at a link with a service: when it arrived there
    "headers": HEADER,
    "sacks": SACKS,
    "echo_times": WORD,  # of each packet of a traced run: `echo` of `TRACE`
    "queued": QUEUED,
    "links": LINK,
    "backlog_entries": BACKLOG_ENTRY,
    "changing_rates": CHANGING_RATE,  # of links whose rate changes
    "rate_changes": RATE_CHANGE,
    "hops": HOP,
    "queues": QUEUE,
    **OF_FLOWS,
    "blocks": BLOCK,
    "nodes": TRANSMISSION,
    "snapshots": SNAPSHOT,  # of each node, if any flow has delivery-rate samples or RACK
    "connections": CONNECTION,
    "event": EVENT,
    "flow_samples": FLOW_SAMPLE,
    "link_samples": LINK_SAMPLE,
    "census": CENSUS,
    "trace": TRACE,
    "left": LEFT,  # injected packets that have left the network
    "callbacks": WORD,  # addresses of the functions of schemes, disciplines and services: see `calls`
    "hooks": WORD,
    "verbs": WORD,
    "flow_own": WORD,  # parameters and state: of schemes, by flow; of disciplines and services, by link
    "link_own": WORD,
    "service_own": WORD,
    "queue_own": WORD,  # of services, for each queue
    "flow_state": WORD,  # of disciplines, for each flow
    "workspace": WORD,  # of services
}

#: Scalars of a run, and the addresses of its arrays.
STATE = record(
    ("now", i8),
    ("serial", i8),
    ("events", i8),
    ("until", i8),
    ("horizon", i8),  # the run is not observed until then: earlier arrivals may be computed in advance
    ("arrivals", i8),  # entries of the heap; the same for the next
    ("clocks", i8),
    ("tracing", i4),  # 1: packets and senders are traced
    ("attention", i4),  # 1: the fields below, or whether all files are done, matter before the next event
    ("shortage", i4),  # the array that is too small, DONE if none
    ("entering_packet", i4),  # packet that has to enter its link, NONE
    ("sending_flow", i4),  # flow that may send more, NONE
    ("free_packet", i4),  # first and last of the list of free rows, which is never empty
    ("last_free_packet", i4),
    ("free_packets", i4),
    ("feedback_flow", i4),  # feedback of a switch that has to be sent, NONE
    ("feedback_link", i4),
    ("feedback_hop", i4),
    ("header_set", i4),  # 1: the header fields of the event are not zero
    ("sample_set", i4),  # 1: its delivery-rate sample is not cleared
    ("random_state", i8),  # of the random streams of network and traffic: see `memory.uniform`
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
    ("flow", i4),  # the flow, callback or link being handled, for error messages
    ("callback", i4),
    ("link", i4),
    ("hook", i4),  # the number of the function of the link's discipline or service in `calls.OF_LINKS`
    ("needs_flow_row", i4),  # 1: a connection finds no row
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
    ("in_use", i8, (3,)),  # packets in the network, by kind: see `kernel.census`
    ("feedback_sent", i8),  # packets, including requests and their answers
    ("feedback_received", i8),
    ("feedback_dropped", i8),
)
