"""SSTP: two levels of control by hand, slow receivers, lost control packets, and the segment simulator as referee.

Sections are those of F. Gong and G. Parulkar, WUCS-92-38, 1992.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longfat.segments import trace
from longfat.segments.simulating import ListedLosses
from longfat.sim import DROP, ENQUEUE, Discipline, Network, Service, Simulation, append, queue, run, take_last
from longfat.sim.kernel.records import ACK, DATA
from longfat.sim.plugin.parameters import Table
from longfat.sim.schemes import sstp_receiver
from tests.sim.lab import simulated
from tests.sim.own import of_flow
from tests.sim.spy import Spy

SLOT = 1e-3  # s, the time of a packet of 1000 bytes at 10**6 bytes/s
RATE = 1e6
MOST_LOST = Table.MOST
NONE, PACK, SNAK, KEEP, END = range(5)  # kinds of packets that a script drops


def lose(link, packet, now):
    """Drop the listed shipments, and of one kind of control packet those with the listed ordinal numbers."""
    kind = NONE
    if packet.kind == ACK:
        kind = SNAK if packet.header[3] > 0.0 else PACK
    elif packet.kind == DATA and packet.header[0] > 0.0:
        kind = KEEP if packet.header[0] == 1.0 else END
    elif packet.kind == DATA:
        for k in range(MOST_LOST):
            if link.shipments[k] == packet.header[1]:
                return DROP
    if kind == link.what and kind != NONE:
        link.seen += 1
        for k in range(MOST_LOST):
            if link.ordinals[k] == link.seen:
                return DROP
        if link.seen > link.all_from:
            return DROP
    return ENQUEUE


SCRIPT = Discipline(
    "script",
    enqueue=lose,
    parameters={
        "shipments": Table(columns=(("shipment", "1", "[0, 1e9]"),)),
        "ordinals": Table(columns=(("ordinal", "1", "[1, 1e9]"),)),
        "what": 0.0,
        "all_from": 1e9,
    },
    state={"seen": 0},
)


def script(shipments=(), what=NONE, ordinals=(), all_from=1e9):
    rows = {"shipments": [[one] for one in shipments], "ordinals": [[one] for one in ordinals]}
    return SCRIPT(**rows, what=float(what), all_from=float(all_from))


def network(packets, round_trip, forward="fifo", back="fifo", last="fifo", spy=None, **parameters):
    """Return a network with one connection over links without transmission time; `round_trip` in slots."""
    delay = round_trip * SLOT / 2
    net = Network().link("s", "a", rate=math.inf, discipline=spy.discipline if spy else "fifo")
    net.link("a", "s", rate=math.inf, discipline=last)
    net.link("a", "b", rate=math.inf, delay=delay, discipline=forward)
    net.link("b", "a", rate=math.inf, delay=delay, discipline=back)
    given = {"peak_rate": RATE, "burst_length": 1.0, "repeat": 2 * round_trip * SLOT + 0.01, **parameters}
    return net.flow("sstp", path=["s", "a", "b"], packet=1000, file=1000 * packets, name="x", parameters=given)


def connection(*given, **parameters):
    return Simulation(network(*given, **parameters), rng=1)


def sent(until, *arguments, **parameters):
    """Return the departures of the sender of a connection until a time [s], and the simulation."""
    spy = Spy()
    simulation = simulated(network(*arguments, spy=spy, **parameters), until)
    return departures(spy), simulation


def finish(simulation):
    """Return the time at which the transfer ended [s], infinite if it has not."""
    end = simulation.state.tallies["finish"][0]
    return end * 1e-9 if end < 2**62 else math.inf


def departures(spy):
    """Return time [slots] and kind of each packet that the sender has sent, and the number of data packets."""
    return [(one.time / 1e6, round(one.header[0]), one.number) for one in spy.data]


# The segment simulator as referee.


def random_case(seed):
    """Return a random case: arguments of the segment simulator, and the lost transmissions.

    The answer to a group leaves 3 packet times after its last packet, even if that is lost. Here the receiver learns of
    the end of a group from a later packet, so that no more than 3 in a row may be lost for that.
    """
    rng = np.random.default_rng(seed)
    packets = int(rng.integers(4, 13))
    window = int(rng.integers(1, 13))
    delay = int(rng.integers(3, 6 * packets))
    probability = float(rng.choice([0.003, 0.02, 0.06, 0.15]))
    lost = np.flatnonzero(rng.random(1500) < probability).tolist()
    lost = [one for k, one in enumerate(lost) if k < 3 or lost[k - 3] < one - 3][:MOST_LOST]
    buffer = None if rng.random() < 0.5 else int(rng.integers(1, window + 1))
    tolerance = int(rng.choice([0, 0, 1, 2]))
    return {
        "window": window, "segment_packets": packets, "ack_segments": delay / packets, "receive_buffer": buffer,
        "tolerance": tolerance,
    }, lost  # fmt: skip


def by_segments(case, lost, segments):
    """Return slot and segment of every transmission, by the segment simulator."""
    seen = trace(loss=ListedLosses(lost), segments=segments, **case)
    slots = np.concatenate(
        [begin + np.arange(count) for begin, count in zip(seen.start.values, seen.packets.values, strict=True)]
    )
    return slots.tolist(), np.repeat(seen.segment.values, seen.packets.values).tolist()


def by_packets(case, lost, segments, transmissions):
    """Return the same by the packet simulator.

    With bursts of one packet everything leaves at integer slots. The answer arrives half a slot before the one at which
    the segment simulator processes it, so that no two events are at the same time.
    """
    spy, size = Spy(), case["segment_packets"]
    delay = round(case["ack_segments"] * size)
    simulation = connection(
        size * segments, delay - 2.5, script(lost), spy=spy, segment=size, window_limit=case["window"],
        buffer=case["receive_buffer"] or 0, tolerance=case["tolerance"], repeat=100.0,
    )  # fmt: skip
    until, sent = 0.0, []
    while len(sent) < transmissions:
        until += 0.5
        simulation.advance(until)
        sent = [one for one in departures(spy) if one[1] == sstp_receiver.DATA_PACKET]
        assert until < 30.0, "it has stopped"
    simulation.packet_counts()
    assert of_flow(simulation).overrun == 0
    slots = [slot for slot, _, _ in sent]
    assert slots == [round(slot) for slot in slots]
    return [round(slot) for slot in slots], [number // size for _, _, number in sent]


def compare(seed, segments=60):
    case, lost = random_case(seed)
    slots, numbers = by_segments(case, lost, segments)
    count = len(slots)
    found = by_packets(case, lost, 2 * segments + 40, count)
    assert found[0][:count] == slots, (seed, case, lost)
    assert found[1][:count] == numbers, (seed, case, lost)
    return count, sum(later < one for one, later in pairwise(numbers))


@pytest.mark.parametrize("seed", range(10))
def test_segment_simulator(seed):
    """Without congestion and lost control packets every transmission leaves in the slot of the segment simulator."""
    count, repeated = compare(seed)
    assert count >= 60 * 4
    assert repeated > 0 or seed > 0


def test_the_referee_can_fail():
    """A window that is larger by one, or one loss more, gives other transmissions."""
    case = {"window": 3, "segment_packets": 4, "ack_segments": 5.0, "receive_buffer": None, "tolerance": 0}
    expected = by_segments(case, [9], 30)
    count = len(expected[0])
    right = by_packets(case, [9], 100, count)
    assert (right[0][:count], right[1][:count]) == expected
    for wrong in (by_packets({**case, "window": 4}, [9], 100, count), by_packets(case, [9, 10], 100, count)):
        assert (wrong[0][:count], wrong[1][:count]) != expected


# Rate control, section 3.3.


BURSTS = {"burst_rate": 50.0, "segment": 4.0}


@pytest.mark.parametrize(
    ("until", "packets", "round_trip", "lost", "given", "slots", "numbers"),
    [
        # Bursts of L packets at the peak rate, F times per second; what ends the stream ends the last burst. A packet
        # of 1000 bytes takes a ms; the end-of-stream packet is in the place of the next one at 42 ms.
        (0.055, 10, 100, [], {"burst_length": 4.0, **BURSTS}, [0, 1, 2, 3, 20, 21, 22, 23, 40, 41, 42],
         [*range(10), None]),
        # A requested packet leaves at the head of the next burst. The last packet of the first segment leaves at 3 ms,
        # the SNAK 3 ms after it has arrived, and arrives at 16 ms: the burst at 20 ms carries packets 1, 2, 4, 5.
        (0.055, 40, 10, [1, 2], {"burst_length": 4.0, **BURSTS}, [0, 1, 2, 3, 20, 21, 22, 23, 40, 41, 42, 43],
         [0, 1, 2, 3, 1, 2, 4, 5, 6, 7, 8, 9]),
        # With L = s + X = 4 + 2 as many packets as a segment has leave in a burst beside two requested packets. The
        # second segment was begun in the first burst, and is not interrupted.
        (0.035, 40, 10, [1, 2], {"burst_length": 6.0, **BURSTS}, [0, 1, 2, 3, 4, 5, 20, 21, 22, 23, 24, 25],
         [0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 8, 9]),
        # From the first burst after `change_at` on the period is that of the new rate: 100, then 50 bursts per second.
        (0.101, 40, 10, [],
         {"burst_rate": 100.0, "burst_rate_after": 50.0, "change_at": 0.035, "window_limit": 100.0},
         [0, 10, 20, 30, 40, 60, 80, 100], [*range(8)]),
    ],
)  # fmt: skip
def test_bursts_by_hand(until, packets, round_trip, lost, given, slots, numbers):
    seen, _ = sent(until, packets, round_trip, script(lost), **given)
    assert [slot for slot, _, _ in seen] == pytest.approx(slots, abs=1e-5)
    kinds = [sstp_receiver.END_STREAM if number is None else sstp_receiver.DATA_PACKET for number in numbers]
    assert [kind for _, kind, _ in seen] == kinds
    assert [number for _, kind, number in seen if kind == sstp_receiver.DATA_PACKET] == [
        number for number in numbers if number is not None
    ]


def test_a_rate_above_the_peak_is_refused():
    with pytest.raises(ValueError, match="burst_rate = 300 bursts/s is out of range: must be at most 250 bursts/s"):
        connection(40, 10, burst_rate=300.0, burst_length=4.0).advance(1.0)


# Window control, section 3.4.


def test_keep_alive_and_end_of_stream():
    """A sender that may send nothing sends a keep-alive packet in each burst, and at the end one of the other kind."""
    packets, simulation = sent(0.1, 8, 17.5, segment=4, window_limit=1)
    kinds = [kind for _, kind, _ in packets]
    # four packets, 20 slots of waiting for the PACK, four packets, 20 slots
    assert kinds == [0] * 4 + [1] * 20 + [0] * 4 + [2] * 20
    assert finish(simulation) == pytest.approx(0.0475, abs=1e-6)


def test_withheld_advancement():
    """An application that takes 50 ms for each segment determines the rate; the window is advanced by messages."""
    simulation = simulated(network(40, 9.5, segment=4, window_limit=3, processing=0.05), 2.0)
    own = of_flow(simulation)
    # The tenth segment is accepted nine processing times after the first, whose last packet arrived at 3 + 4.75 ms.
    assert finish(simulation) == pytest.approx(0.00775 + 9 * 0.05 + 0.003 + 0.00475, abs=1e-6)
    assert (own.overrun, own.discarded, own.most_stored) == (0, 0, 3)
    assert simulation.state.tallies["retransmitted"][0] == 0


@pytest.mark.parametrize(
    ("given", "held"),
    [
        # 1000 packets/s are F = 250 segments/s of four; 80 ms per segment is F_1 = 12.5; of 40 segments 2 are left.
        ({"change_at": 0.2, "processing_after": 0.08, "shrink": 0.0}, {10.0: 40}),
        ({"change_at": 0.2, "processing_after": 0.08, "shrink": 1.0}, {10.0: 2}),
        # A slow application holds W_1 = 2 segments once W_0 is used up; a fast one W_0 again. By 2 s 25 segments have
        # been accepted, at multiples of 80 ms, of the 40 that were granted from the start. The first 39 segments take
        # 3.1 s of processing; from 3.5 s on it takes no time.
        ({"change_at": 3.5, "processing": 0.08, "processing_after": 0.0, "shrink": 1.0}, {2.0: 15, 3.45: 2, 3.7: 40}),
    ],
)
def test_the_window_of_a_slow_application(given, held):
    """W_1 = (F_1/F) W_0, rounded down: the sender holds fewer segments while the application is slow."""
    simulation, found = connection(1200, 19.5, segment=4, window_limit=40, **given), {}
    for time in held:
        simulation.advance(time)
        own = of_flow(simulation)
        found[time] = own.upper - own.lower + 1
    assert found == held
    assert (own.overrun, own.discarded) == (0, 0)
    assert own.most_stored <= 40


@settings(max_examples=25, deadline=None)
@example(window=1, processing=0.0, after=0.3, change=0.0, shrink=1.0, lost=[0], buffer=1)
@given(
    window=st.integers(1, 12),
    processing=st.sampled_from([0.0, 0.001, 0.007, 0.03]),
    after=st.sampled_from([0.0, 0.002, 0.02, 0.06]),
    change=st.floats(0.0, 0.4),
    shrink=st.sampled_from([0.0, 1.0]),
    lost=st.lists(st.integers(0, 150), unique=True, max_size=12),
    buffer=st.integers(0, 12),
)
def test_slow_receivers(window, processing, after, change, shrink, lost, buffer):
    """A slow receiver loses no data and is never overrun, whatever it reads and whatever is lost on the way."""
    buffer = min(buffer, window)
    net = network(
        101, 13.0, script(lost), segment=4, window_limit=window, processing=processing, processing_after=after,
        change_at=change, shrink=shrink, buffer=buffer,
    )  # fmt: skip
    simulation = simulated(net, 20.0)
    own = of_flow(simulation)
    assert finish(simulation) < 20.0
    assert own.overrun == 0
    assert own.most_stored <= (buffer or window)
    assert buffer or own.discarded == 0
    assert (own.lower, own.total) == (26, 101)
    assert simulation.state.receivers["received_bytes"][0] == 101 * 1000


# Lost control packets, which the paper assumes away (section 4.2).


@pytest.mark.parametrize("what", [PACK, SNAK, KEEP, END])
def test_lost_control_packets(what):
    """Any one control packet, any two, and the first six of a kind are lost: the transfer ends, only later."""
    lost = [2, 9, 10, 17, 30, 39]
    ends = []
    scripts = [[], *([k] for k in range(1, 9)), *([k, k + 1] for k in range(1, 9, 2)), [1, 2, 3, 4, 5, 6]]
    for ordinals in scripts:
        dropping = script(lost if what in (KEEP, END) else (), what, ordinals)
        forward, back = (dropping, "fifo") if what in (KEEP, END) else (script(lost), dropping)
        simulation = simulated(network(39, 14.0, forward, back, segment=4, window_limit=3), 5.0)
        own = of_flow(simulation)
        assert finish(simulation) < 5.0, ordinals
        assert (own.overrun, own.lower) == (0, 10)
        assert simulation.state.receivers["received_bytes"][0] == 39_000
        ends.append(finish(simulation))
    assert min(ends) == ends[0] or what in (KEEP, END)


def test_lost_request_for_packets_that_do_not_exist():
    """A short last segment that is answered before its length is known is accepted once it is known.

    23 packets in segments of 4, the last one has 3. Packet 1 is lost; the SNAK for it leaves 3 + 3 slots after the
    seventh has arrived and is there during the last segment, so that packet 1 follows the last packet. The receiver
    takes the last segment for one of 4 packets and requests the fourth; this second SNAK is lost, and so is the only
    control packet after it, the PACK of the first segment. Those of the four between them are here.
    """
    lossy = {"forward": script([1]), "back": script((), SNAK, [2]), "last": script((), PACK, [5])}
    simulation = simulated(network(23, 14.0, **lossy, segment=4, window_limit=10), 1.0)
    own = of_flow(simulation)
    assert finish(simulation) < 1.0
    assert (own.lower, own.overrun) == (6, 0)


@pytest.mark.parametrize("what", [PACK, END])
def test_failure_is_reported(what):
    """If all control packets are lost the sender gives up, and the run ends with a sentence on the flow."""
    dropping = script((), what, (), 0)
    forward, back = ("fifo", dropping) if what == PACK else (dropping, "fifo")
    net = network(39, 14.0, forward, back, segment=4, give_up=1.0, first_give_up=1.0)
    simulation = simulated(net, 10.0)
    assert finish(simulation) == math.inf
    assert of_flow(simulation).failed
    sent = simulation.state.senders["transmission"][0]
    simulation.advance(20.0)
    assert simulation.state.senders["transmission"][0] == sent  # it is silent from then on
    with pytest.raises(ValueError, match="of flow 'x'"):
        run(net, progress=False)


def put(link, packet, now):
    append(link, queue(link, 0), packet)
    return 0


def last_first(link, now):
    return take_last(link, queue(link, 0))


LAST_FIRST = Discipline("last-first", Service("last-first", enqueue=put, dequeue=last_first, queues=1))


def test_overtaken_control_packets_are_duplicates():
    """A control packet that was overtaken is ignored, as a duplicate is; the next ones make up for it.

    The answers to three segments come 4 ms apart and take 10 ms each on the way back, where the last of those that wait
    goes first: the third overtakes the second, which arrives before anything that the third allows is answered.
    """
    net = Network().link("a", "b", rate=math.inf, delay=5e-3, discipline=script([2, 9, 10, 17]))
    net.link("b", "a", rate=40 / 10e-3, delay=5e-3, discipline=LAST_FIRST)
    given = {"peak_rate": RATE, "burst_length": 1.0, "segment": 4.0, "window_limit": 3.0, "repeat": 0.1}
    net.flow("sstp", path=["a", "b"], packet=1000, file=100_000, name="x", parameters=given)
    simulation = simulated(net, 5.0, 2)
    assert finish(simulation) < 5.0
    assert (of_flow(simulation).duplicates > 0, of_flow(simulation).overrun) == (True, 0)
