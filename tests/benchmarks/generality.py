"""Costs of the engine's generalities: six programs of one dumbbell, each with one generality more than the one before.

The first program is written for just this network: Reno flows over one drop-tail link and one link back, a ring of
packets for each link, and no statistics. The results of all programs are equal. Run with
``python -m tests.benchmarks.generality``; docs/engine.md has the table.
"""

import time

import numba
import numpy as np
from numba import njit, types

STEPS = ("this network alone", "scheme called by address", "counters, clock in memory", "rows from a pool",
         "heap of events", "event record, checked result")  # fmt: skip
WORK = {10: (100.0, 40e6), 100: (10.0, 400e6)}  # flows: simulated seconds, bit/s, as in test_network.py
ALONE, BY_ADDRESS, COUNTERS, POOL, HEAP, EVENT_RECORD = range(len(STEPS))
NEVER = np.iinfo(np.int64).max
DATA, ACK = 500, 40  # bytes
DELAY = 22_000_000  # ns, of each link
SLOW_START_THRESHOLD = 44.0  # packets, the bandwidth-delay product of one flow


def record(integers="", floats=""):
    """Return the type of a record with fields of 64 bits."""
    return np.dtype([(name, np.int64) for name in integers.split()] + [(name, np.float64) for name in floats.split()])


FLOW = record("una next high expect timer duplicates recovery received received_bytes last_arrival acks",
              "window threshold inflation srtt rttvar delay")  # fmt: skip
LINK = record("free start_head next_start backlog busy served served_bytes waiting largest backlog_bytes head tail")
EVENT = record("acked number transmission delivered lost spurious marked marks duplicate restart size", "now rtt")
STATE = record("now free events serial arrivals callback flow bad")
ENTRY = record("time key")
ROW = np.dtype([("next", np.int32), ("flow", np.int32), ("arrival", np.int64), ("number", np.int64),
                ("triggered_by", np.int64), ("sent", np.int64), ("transmission", np.int64), ("length", np.int32),
                ("hop", np.int32), ("kind", np.int8), ("priority", np.int8), ("flags", np.uint16),
                ("colour", np.int32)])  # fmt: skip
IN_RING = np.dtype([("arrival", np.int64), ("sent", np.int64), ("flow", np.int32), ("number", np.int32)])
FLOWS, EVENTS = (types.Array(numba.from_dtype(dtype), 1, "C") for dtype in (FLOW, EVENT))
CALLBACK = types.float64(FLOWS, types.int64, EVENTS)
part = njit(inline="always")  # so that LLVM removes the branches of steps not taken


def grow(flows, f, events):
    """Return the new window after an acknowledgment (RFC 5681, section 3.1)."""
    window = flows[f].window
    return window + 1.0 if window < flows[f].threshold else window + 1.0 / window


@part
def rise(entries, place, time, key):
    """Insert an event at a place of a binary heap, and sift it up."""
    while place > 0:
        above = entries[(place - 1) >> 1]
        if above.time < time or (above.time == time and above.key < key):
            break
        entries[place].time, entries[place].key = above.time, above.key
        place = (place - 1) >> 1
    entries[place].time, entries[place].key = time, key


@part
def sink(entries, count, time, key):
    """Replace the first of `count` events by another one, and sift it down."""
    place, child = 0, 1
    while child < count:
        one, other = entries[child], entries[child + 1]
        if child + 1 < count and (other.time < one.time or (other.time == one.time and other.key < one.key)):
            child += 1
        least = entries[child]
        if time < least.time or (time == least.time and key < least.key):
            break
        entries[place].time, entries[place].key = least.time, least.key
        place, child = child, 2 * child + 1
    entries[place].time, entries[place].key = time, key


@part
def admit(step, link, starts, now, size, duration, limit):
    """Return the arrival time of a packet at the far end of a link, or `NEVER` if the packet is dropped."""
    mask = len(starts) - 1
    while link.backlog > 0 and link.next_start <= now:
        link.backlog -= 1
        link.start_head += 1
        link.next_start = starts[link.start_head & mask]
        if step >= COUNTERS:
            link.backlog_bytes -= size
    if link.backlog >= limit:
        return NEVER
    begin = max(link.free, now)
    link.free = begin + duration
    if begin > now:
        starts[(link.start_head + link.backlog) & mask] = begin
        if link.backlog == 0:
            link.next_start = begin
        link.backlog += 1
    if step >= COUNTERS:
        link.busy += duration
        link.served += 1
        link.served_bytes += size
        link.waiting += begin - now
        if begin > now:
            link.backlog_bytes += size
            link.largest = max(link.largest, link.backlog)
    return link.free + DELAY


@part
def append(step, state, links, k, rows, entries, i):
    """Append a row to the list of link k; schedule its arrival if it is the first."""
    link = links[k]
    rows[i].next = -1
    if link.tail >= 0:
        rows[link.tail].next = i
    else:
        link.head = i
        if step >= HEAP:
            state.serial += 1
            rise(entries, state.arrivals, rows[i].arrival, (state.serial << 24) | k)
            state.arrivals += 1
    link.tail = i


@part
def take(step, state, links, k, rows, entries):
    """Remove the first row of the list of link k; schedule the arrival of the next."""
    link = links[k]
    i = link.head
    following = rows[i].next
    link.head = following
    if following < 0:
        link.tail = -1
    if step >= HEAP:
        if following < 0:
            state.arrivals -= 1
            last = entries[state.arrivals]
            sink(entries, state.arrivals, last.time, last.key)
        else:
            state.serial += 1
            sink(entries, state.arrivals, rows[following].arrival, (state.serial << 24) | k)
    return i


@part
def release(state, rows, i):
    """Put a row back into the pool."""
    rows[i].next = state.free
    state.free = i


@part
def arrivals(step, state, links, rows, entries, data, ack):
    """Return the times of the next arrivals over the two links, which are `data` and `ack` in rings."""
    if step >= HEAP:
        if state.arrivals == 0:
            return NEVER, NEVER
        first = entries[0].time
        return (first, NEVER) if entries[0].key & 1 == 0 else (NEVER, first)
    if step >= POOL:
        i, j = links[0].head, links[1].head
        return (rows[i].arrival if i >= 0 else NEVER), (rows[j].arrival if j >= 0 else NEVER)
    return data, ack


@part
def receive(step, flow, arrived, first, mask, number, sent, now):
    """Receive a packet; return the number of packets that it lets pass in order.

    `arrived` has a circular buffer of `mask` + 1 bytes for each flow; that of this flow begins at `first`.
    """
    if step >= COUNTERS:
        flow.received += 1
        flow.received_bytes += DATA
        flow.delay += now - sent
        flow.last_arrival = now
    if number != flow.expect:
        if number > flow.expect:
            arrived[first + (number & mask)] = 1
        return 0
    flow.expect += 1
    while arrived[first + (flow.expect & mask)]:
        arrived[first + (flow.expect & mask)] = 0
        flow.expect += 1
    return flow.expect - number


@part
def acknowledge(step, state, flows, f, events, number, sent, now, callback):
    """Process an acknowledgment; return whether the first outstanding packet is to be sent again."""
    flow, event = flows[f], events[0]
    if step >= COUNTERS:
        flow.acks += 1
    if step >= EVENT_RECORD:
        event.now, event.rtt, event.acked = now * 1e-9, (now - sent) * 1e-9, max(0, number - flow.una)
        event.number = event.transmission = number
        event.delivered = event.lost = event.spurious = event.marked = event.marks = 0
        event.duplicate, event.restart, event.size = 0, 1, DATA
        state.flow, state.callback = f, 1
    if number > flow.una:
        flow.una = number
        flow.next = max(flow.next, number)
        rtt = float(now - sent)
        if flow.srtt == 0.0:
            flow.srtt, flow.rttvar = rtt, rtt / 2
        else:
            flow.rttvar += (abs(flow.srtt - rtt) - flow.rttvar) / 4
            flow.srtt += (rtt - flow.srtt) / 8
        flow.inflation = 0.0
        flow.duplicates = flow.recovery = 0
        flow.window = callback(flows, f, events)
        if step >= EVENT_RECORD:
            state.bad += not flow.window >= 0.0
            state.callback = -1
        flow.timer = now + int(max(flow.srtt + 4 * flow.rttvar, 2e8))
    elif flow.high > flow.una:
        flow.duplicates += 1
        if flow.duplicates == 3 and flow.recovery == 0:
            flow.threshold = max(2, (flow.high - flow.una) // 2)
            flow.window, flow.inflation, flow.recovery = flow.threshold, 3.0, 1
            return True
        if flow.duplicates > 3:
            flow.inflation += 1.0
    return False


@part
def next_number(flow, resend):
    """Return the number of the next packet to send, or -1 if the window is full."""
    if resend:
        return flow.una
    if flow.next >= flow.una + int(flow.window + flow.inflation):
        return -1
    flow.next += 1
    flow.high = max(flow.high, flow.next)
    return flow.next - 1


@part
def simulate(step, count, rate, until, callback):
    """Return the number of packets delivered to `count` flows up to time `until` [ns]."""
    size = 1 << (14 if count <= 100 else 17)
    flows, links, events, states = np.zeros(count, FLOW), np.zeros(2, LINK), np.zeros(1, EVENT), np.zeros(1, STATE)
    rows, entries, arrived = np.zeros(size, ROW), np.zeros(8, ENTRY), np.zeros(count * size, np.uint8)
    data_ring, ack_ring = np.zeros(size, IN_RING), np.zeros(size, IN_RING)
    data_starts, ack_starts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    data_head = data_tail = ack_head = ack_tail = 0
    durations = (int(8e9 * DATA / rate), int(8e8 * ACK / rate))  # ns; the link back has ten times the rate
    limit = int(rate * 2 * DELAY * 1e-9 / 8 / DATA)
    for f in range(count):
        flows[f].window, flows[f].threshold, flows[f].timer = 1.0, SLOW_START_THRESHOLD, NEVER
    for k in range(2):
        links[k].head = links[k].tail = -1
    for i in range(size):
        rows[i].next = i + 1
    state, mask = states[0], size - 1
    delivered = started = 0
    timer = NEVER  # no later than the first timer that expires
    while True:
        data = data_ring[data_head & mask].arrival if data_head < data_tail else NEVER
        ack = ack_ring[ack_head & mask].arrival if ack_head < ack_tail else NEVER
        data, ack = arrivals(step, state, links, rows, entries, data, ack)
        start = int(started * 0.2e9 / count) if started < count else NEVER
        now = min(data, ack, start, timer)
        if now > until:
            return delivered
        if step >= COUNTERS:
            state.now = now
            state.events += 1
        sending, resend = -1, False
        if min(data, ack) == now:
            k, i = (0 if now == data else 1), 0
            if step >= POOL:
                i = take(step, state, links, k, rows, entries)
                f, number, sent = np.int64(rows[i].flow), rows[i].number, rows[i].sent
            else:
                place = data_ring[data_head & mask] if k == 0 else ack_ring[ack_head & mask]
                data_head, ack_head = data_head + 1 - k, ack_head + k
                f, number, sent = np.int64(place.flow), np.int64(place.number), place.sent
            if k == 0:
                delivered += receive(step, flows[f], arrived, f * size, mask, number, sent, now)
                arrival = admit(step, links[1], ack_starts, now, ACK, durations[1], NEVER)
                if step >= POOL:
                    row = rows[i]
                    row.triggered_by, row.number, row.arrival = number, flows[f].expect, arrival
                    row.kind, row.priority, row.flags, row.length, row.hop = 1, 0, 0, ACK, row.hop + 1
                    append(step, state, links, 1, rows, entries, i)
                else:
                    place = ack_ring[ack_tail & mask]
                    ack_tail += 1
                    place.arrival, place.sent, place.flow, place.number = arrival, sent, f, flows[f].expect
            else:
                if step >= POOL:
                    release(state, rows, i)
                resend = acknowledge(step, state, flows, f, events, number, sent, now, callback)
                sending = f
        elif now == start:
            flows[started].timer = now + 1_000_000_000
            timer = min(timer, flows[started].timer)
            sending = started
            started += 1
        else:  # no packet of this network times out: find the first timer
            timer = flows["timer"][:started].min()
        while sending >= 0:
            number = next_number(flows[sending], resend)
            resend = False
            if number < 0:
                break
            if step >= POOL:
                i = state.free
                row = rows[i]
                state.free = row.next
                row.flow, row.number, row.transmission, row.sent, row.length = sending, number, number, now, DATA
                row.kind, row.hop, row.flags, row.colour, row.priority = 0, 0, 0, 0, 0
            arrival = admit(step, links[0], data_starts, now, DATA, durations[0], limit)
            if step >= POOL and arrival == NEVER:
                release(state, rows, i)
            elif step >= POOL:
                row.arrival = arrival
                append(step, state, links, 0, rows, entries, i)
            elif arrival < NEVER:
                place = data_ring[data_tail & mask]
                data_tail += 1
                place.arrival, place.sent, place.flow, place.number = arrival, now, sending, number


def program(step):
    """Return the compiled program with the generalities of the steps up to `step`."""
    if step >= BY_ADDRESS:
        code = njit(CALLBACK)(grow)

        @njit(types.int64(types.int64, types.float64, types.int64, types.FunctionType(CALLBACK)))
        def run(count, rate, until, callback):
            return simulate(step, count, rate, until, callback)

        return lambda *given: run(*given, code)
    code = part(grow)

    @njit
    def inlined(count, rate, until):
        return simulate(step, count, rate, until, code)

    return inlined


def main():
    """Print the nanoseconds of each program for a delivered packet: the least of nine runs."""
    programs = [program(step) for step in range(len(STEPS))]
    for step, run in enumerate(programs):
        columns = []
        for flows, (seconds, rate) in WORK.items():
            run(flows, rate, 1_000_000)
            least = float("inf")
            for _ in range(9):
                begin = time.process_time()
                delivered = run(flows, rate, int(seconds * 1e9))
                least = min(least, (time.process_time() - begin) / delivered)
            columns.append(f"{flows} flows: {delivered:8,} packets, {least * 1e9:5.1f} ns")
        print(f"{STEPS[step]:30s}", *columns, sep="   ", flush=True)


if __name__ == "__main__":
    main()
