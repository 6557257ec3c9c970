"""Traces of packets: pcap by a plain reader and by tshark, qlog by its schema, and the ends of traces."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

from longfat import sim
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.runs.captures import Capture, capture, captured, pcap_writer
from longfat.sim.runs.run_state import rows
from tests.processes import files_of_at_most
from tests.sim.lab import holding, one_link
from tests.sim.pcap_reader import blocks, read, stamps

MS = 1_000_000  # ns
TSHARK = shutil.which("tshark")
AT_SENDER, AT_RECEIVER = "senders.pcap", "receivers.pcap"
SECONDS = 2.0
THRESHOLD = sim.queues.discipline("mark-above", threshold=8.0)
TWO = holding(2.0)


def small():
    """Window 2, four packets of 1000 bytes, 52 of them headers, for 1 ms each; an acknowledgment takes 0.04 ms."""
    return one_link(TWO, rate=1e6, delay=0.01, duplex=True, file="4 kB")


def test_by_hand(tmp_path):
    """Packets 0 and 1 leave at 0 and arrive at 11 and 12 ms; their acknowledgments arrive 10.04 ms later, and so on."""
    sim.run(small(), pcap=tmp_path, progress=False)
    packets = read(tmp_path / AT_SENDER)
    mine, theirs = packets[0].sequence, packets[1].sequence
    seen = [
        (p.time, p.source[-1], p.flags, (p.sequence - (mine if p.source == "10.0.0.1" else theirs)) % 2**32,
         (p.acknowledged - (theirs if p.source == "10.0.0.1" else mine)) % 2**32, p.payload)
        for p in packets[2:]
    ]  # fmt: skip
    assert [(p.time, p.flags, p.acknowledged) for p in packets[:2]] == [(-2, "S", 0), (-1, "SA", mine + 1)]
    last = 43_080_000
    assert seen == [
        (0, "1", "A", 1, 1, 0),
        (0, "1", "A", 1, 1, 948),
        (0, "1", "A", 949, 1, 948),
        (21_040_000, "2", "A", 1, 949, 0),
        (21_040_000, "1", "A", 1897, 1, 948),
        (22_040_000, "2", "A", 1, 1897, 0),
        (22_040_000, "1", "PA", 2845, 1, 948),  # the last of the file
        (42_080_000, "2", "A", 1, 2845, 0),
        (last, "2", "A", 1, 3793, 0),
        (last, "1", "FA", 3793, 1, 0),
        (last, "2", "FA", 1, 3794, 0),
        (last, "1", "A", 3794, 2, 0),
    ]
    received = read(tmp_path / AT_RECEIVER)
    arrivals = [(p.time, p.flags, p.payload) for p in received if p.time > 0 and "F" not in p.flags][:8]
    times = [11 * MS, 12 * MS, 32_040_000, 33_040_000]
    assert [time for time, _, _ in arrivals] == [time for time in times for _ in range(2)]
    assert [size for _, _, size in arrivals] == [948, 0] * 4
    # Segment size, window scale, SACK permitted, as recovery is selective, and time stamps, of which a scheme without
    # such a parameter has one in each packet. They take 12 bytes.
    assert packets[0].options.keys() == {2, 3, 4, 8}
    assert int.from_bytes(packets[0].options[2], "big") == 960


def busy():
    """Flows of every kind, with losses of both kinds and marks."""
    net = sim.Network().link(
        "a", "b", rate="8 Mbit/s", delay="10 ms", buffer=25, loss=0.02, duplex=True, discipline=THRESHOLD
    )
    net.link("b", "c", rate="20 Mbit/s", delay="1 ms", duplex=True)
    options = {"ecn": 1, "timestamps": 1}
    for name in ("reno", "sack", "newreno"):
        net.flow(name, path=["a", "b", "c"], parameters=options, name=name)
    net.flow("sack", path=["a", "b"], file="60 kB", start=0.2, access_rate="5 Mbit/s", packet=700, name="file")
    net.flow(traffic.arrivals(8, "reno"), path=["b", "c"], file="15 kB", name="many")
    net.flow(traffic.poisson("0.2 Mbit/s", exponential_sizes=True), path=["a", "b"], name="noise")
    return net.flow(traffic.probe("50 ms"), path=["a", "b"], name="probe")


def run_busy(**options):
    return sim.run(busy(), duration=SECONDS, rng=3, progress=False, **options)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A run with time stamps and marks, its files, and the same run without a trace."""
    folder = tmp_path_factory.mktemp("traced")
    return run_busy(pcap=folder, qlog=folder), folder, run_busy()


def test_results_are_those_without_a_trace(traced):
    with_trace, _, without = traced
    xr.testing.assert_equal(with_trace, without)
    assert with_trace.attrs["trace_end"] == ""
    assert with_trace.attrs["trace_until"] == 2.0


def by_flow(packets):
    """The packets of flows by their order, and the connections of `many` together as the fifth."""
    streams = defaultdict(list)
    for packet in packets:
        streams[packet.stream].append(packet)
    port = lambda stream: min(port for _, port in stream)  # noqa: E731  the client's, in the order of the connections
    made = defaultdict(list)
    for stream in streams:
        k = port(stream) - 1024
        made[4 if k > 6 else k] += streams[stream]
    return [made[k] for k in range(7)]


def test_counts(traced):
    """Packets, retransmissions and marks of every flow, counted in the files and in the run."""
    data, folder, _ = traced
    flows, received = by_flow(read(folder / AT_SENDER)), by_flow(read(folder / AT_RECEIVER))
    for k in range(7):
        sender = next(p.source for p in flows[k])
        sent, arrived = (
            [p for p in one if p.source == sender and (p.payload or p.protocol == 17)]
            for one in (flows[k], received[k])
        )
        assert len(sent) == data.sent[k]
        assert sum(p.ecn == 3 for p in arrived) == data.marks[k]
        assert {p.ecn for p in sent} == ({2} if k < 3 else {0})
        if k < 5:
            again = sum(count - 1 for count in Counter((p.stream, p.sequence) for p in sent).values())
            assert again == data.retransmitted[k]
    assert data.marks[:3].min() > 0
    assert data.retransmitted[:4].min() > 0
    assert sum("S" in p.flags and "A" not in p.flags for p in flows[4]) >= data.connections[4] > 3
    assert sum("F" in p.flags for p in flows[4]) == 2 * data.connections[4]
    assert {p.protocol for p in (*flows[5], *flows[6])} == {17}
    assert len({p.length for p in flows[5]}) > 5  # exponential sizes
    times = [p.time for p in read(folder / AT_SENDER)]
    assert times == sorted(times)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_every_acknowledgment_against_a_referee(traced, k):
    """A plain receiver takes the data of receivers.pcap in order, and computes each acknowledgment.

    The number is the first byte missing. Blocks (RFC 2018) are complete runs of what has arrived beyond it, the first
    with the packet that triggered the acknowledgment. A time stamp echoes that of this packet (RFC 7323, 4.3, but also
    of packets out of order). ECE is set from a mark until CWR (RFC 3168, section 6.1.3).
    """
    _, folder, _ = traced
    packets = by_flow(read(folder / AT_RECEIVER))[k]
    begin, size = packets[0].sequence + 1, 1000 - 52
    expected, there, echo = 0, set(), False
    data, acknowledgments, many = None, 0, 0
    for packet in packets[3:]:
        if packet.payload:
            assert packet.payload == size
            data = packet
            number = (packet.sequence - begin) % 2**32 // size
            there.add(number)
            while expected in there:
                expected += 1
            echo = packet.ecn == 3 or (echo and "C" not in packet.flags)
            continue
        acknowledgments += 1
        assert packet.time == data.time
        assert (packet.acknowledged - begin) % 2**32 == expected * size
        assert ("E" in packet.flags) == echo
        value, reply = stamps(packet)
        assert value == (packet.time + 10**9) // MS
        assert reply == stamps(data)[0]
        edges = [[(edge - begin) % 2**32 for edge in one] for one in blocks(packet)]
        assert not any(edge % size for one in edges for edge in one)
        runs = [[edge // size for edge in one] for one in edges]
        if k == 1:
            for low, high in runs:
                assert expected < low < high
                assert set(range(low, high)) <= there
                assert not {low - 1, high} & there
            if number > expected:
                assert runs[0][0] <= number < runs[0][1]
            beyond = {one for one in there if one > expected}
            assert bool(runs) == bool(beyond)
            many += len(runs) > 1
        else:
            assert not runs
    assert acknowledgments > 300
    assert k != 1 or many > 0


def test_codepoints_of_ecn(tmp_path):
    """ECT(0) of DCTCP (RFC 8257, section 3.1), ECT(1) of Prague (RFC 9331, section 4.1), Not-ECT of Reno.

    The step threshold marks those that are capable; ECE follows with the acknowledgment of each marked packet.
    """
    net = sim.Network().link("a", "b", rate="8 Mbit/s", delay="5 ms", duplex=True, discipline=THRESHOLD)
    for name in ("dctcp", "prague", "reno"):
        net.flow(name, path=["a", "b"], file="100 kB", parameters={"delayed_ack": 1.0})
    data = sim.run(net, rng=1, pcap=tmp_path, progress=False)
    for k, codepoint in enumerate((2, 1, 0)):
        for name, allowed in ((AT_SENDER, {codepoint}), (AT_RECEIVER, {codepoint, 3} if codepoint else {0})):
            packets = [p for p in read(tmp_path / name) if 1024 + k in p.ports and "S" not in p.flags]
            assert {p.ecn for p in packets if p.payload} == allowed
            assert {p.ecn for p in packets if not p.payload} == {0}
        marked = [p.ecn == 3 for p in packets if p.payload]
        assert sum(marked) == data.marks[k]
        echoed = ["E" in p.flags for p in packets if not p.payload and "F" not in p.flags and p.ports[0] == 5001]
        assert echoed == marked[: len(echoed)]


def test_the_sender_echoes_the_last_acknowledgment(traced):
    """RFC 7323, section 4.3: each data packet echoes the time stamp of the acknowledgment that came last."""
    _, folder, _ = traced
    last = 1000 - 1  # of the handshake, at -1 ns, in ms since the epoch of the file
    for packet in by_flow(read(folder / AT_SENDER))[1][3:]:
        if packet.payload:
            assert stamps(packet) == ((packet.time + 10**9) // MS, last) or last == 999
        else:
            last = stamps(packet)[0]


def test_chunks_do_not_change_the_files(traced, tmp_path, monkeypatch):
    """The same files whatever the room for rows; the results, too."""
    data, folder, _ = traced
    monkeypatch.setattr(capture, "ROOM", 110)
    xr.testing.assert_equal(run_busy(pcap=tmp_path, qlog=tmp_path), data)
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["file.sqlog", "many.sqlog", "newreno.sqlog", AT_RECEIVER, "reno.sqlog", "sack.sqlog", AT_SENDER]
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_steps_do_not_change_the_files(traced, tmp_path):
    """A run in steps computes less in advance, but its trace is the same."""
    _, folder, _ = traced
    run = sim.Simulation(busy(), rng=np.random.default_rng(3).spawn(1)[0])
    with captured(run, tmp_path, None, 10**6):
        for until in np.linspace(0, SECONDS, 40):
            run.advance(until)
    for name in (AT_SENDER, AT_RECEIVER):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.long
def test_the_same_without_compilation(tmp_path):
    """With jit off the files are the same, byte by byte."""
    code = """
        import sys
        from tests.sim.test_traces import busy, sim
        sim.run(busy(), duration=0.5, rng=3, pcap=sys.argv[1], qlog=sys.argv[1], progress=False)
    """
    for folder, off in (("compiled", "0"), ("plain", "1")):
        command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / folder)]
        subprocess.run(command, check=True, env=os.environ | {"NUMBA_DISABLE_JIT": off})
    names = sorted(path.name for path in (tmp_path / "plain").iterdir())
    assert len(names) == 7
    for name in names:
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "compiled" / name).read_bytes(), name


def test_sequence_numbers_wrap():
    """Packet 10^7 of 960 bytes: 2654435761 + 1 + 9.6e9 = 12254435762 = 2 2^32 + 3664501170."""
    run = sim.Simulation(one_link("reno", rate=1e6, duplex=True), rng=1)
    made = rows(1, records.TRACE)
    made["what"], made["number"] = records.SENT, 10**7
    hosts = pcap_writer.hosts_of(run)
    octets = pcap_writer.Packets(*pcap_writer.expanded(made, hosts), np.zeros(1, bool), hosts).encode()
    assert int.from_bytes(octets[40:44], "big") == 3664501170


LOSSY = {
    "random": {"buffer": 1000, "loss": 0.02},
    "drop-tail": {"buffer": 12},
}
SENDERS = ("tahoe", "reno", "newreno", "sack", "cubic", "vegas", "tfrc", "bbr")
KINDS = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
AGAIN = " or ".join(f"tcp.analysis.{kind}" for kind in KINDS)


def expert(path, *what):
    """Lines of tshark's analysis, with every checksum verified."""
    checked = [word for layer in ("ip", "tcp", "udp") for word in ("-o", f"{layer}.check_checksum:TRUE")]
    command = [TSHARK, *checked, "-r", path, *what]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("losses", LOSSY)
def test_tshark_counts_as_many_retransmissions(tmp_path, losses):
    """No warning, no error, no bad checksum, and for every scheme the number of retransmissions of the run."""
    net = sim.Network().link("a", "b", rate="20 Mbit/s", delay="10 ms", **LOSSY[losses], duplex=True)
    for name in SENDERS:
        net.flow(name, path=["a", "b"], start=0.01, file="300 kB")
    data = sim.run(net, rng=2, pcap=tmp_path, progress=False)
    path = tmp_path / AT_SENDER
    worse = "_ws.malformed or tcp.analysis.lost_segment or tcp.analysis.ack_lost_segment"
    assert expert(path, "-Y", f"_ws.expert.severity >= 0x600000 or {worse}") == []
    found = Counter(expert(path, "-Y", AGAIN, "-T", "fields", "-e", "tcp.stream"))
    assert [found[str(k)] for k in range(len(SENDERS))] == data.retransmitted.values.tolist()
    assert data.retransmitted.min() > 0
    assert expert(path, "-Y", "tcp.analysis.out_of_order") == []
    complete = expert(path, "-Y", "tcp.completeness == 31", "-T", "fields", "-e", "tcp.stream")
    assert len(set(complete)) == len(SENDERS)  # SYN, SYN-ACK, ACK, data, FIN


BULLIES = ("blt", "blt-rate", "bully-tyrant")  # their window is infinite
NO_TCP = ("sstp",)  # its receiver has packets and rules of its own


@pytest.mark.long
@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("losses", LOSSY)
@pytest.mark.parametrize("name", [name for name in sim.schemes.names() if name not in BULLIES + NO_TCP])
def test_tshark_counts_for_every_scheme(tmp_path, name, losses):
    """As above, with flows that go on: packets in flight at the end count as sent."""
    net = one_link(name, rate="8 Mbit/s", delay="10 ms", duplex=True, **LOSSY[losses], count=2, start=0.05, stagger=0.3)
    data = sim.run(net, duration=3, rng=1, pcap=tmp_path, progress=False)
    path = tmp_path / AT_SENDER
    assert expert(path, "-Y", "_ws.expert.severity >= 0x600000") == []
    found = Counter(expert(path, "-Y", AGAIN, "-T", "fields", "-e", "tcp.stream"))
    assert [found["0"], found["1"]] == data.retransmitted.values.tolist()


#: Fields of the events that are used here, with their types, from draft-ietf-quic-qlog-quic-events-01.
NUMBER = (int, float)
EVENTS = {
    "transport:packet_sent": {"header": dict, "raw": dict, "frames": list},
    "transport:packet_received": {"header": dict, "raw": dict, "frames": list},
    "recovery:packet_lost": {"header": dict, "trigger": str},
    "recovery:loss_timer_updated": {"timer_type": str, "event_type": str},
    "recovery:metrics_updated": {
        "min_rtt": NUMBER, "smoothed_rtt": NUMBER, "latest_rtt": NUMBER, "rtt_variance": NUMBER, "pto_count": int,
        "congestion_window": int, "bytes_in_flight": int, "ssthresh": int, "packets_in_flight": int, "pacing_rate": int,
    },
}  # fmt: skip
TRIGGERS = {"reordering_threshold", "time_threshold", "pto_expired"}


def log(path):
    """The header and the events of a file of JSON text sequences (RFC 7464), after a check against the schema."""
    texts = path.read_text().split("\x1e")
    assert texts[0] == ""
    assert all(text.endswith("\n") for text in texts[1:])
    header, *events = map(json.loads, texts[1:])
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert header["trace"]["vantage_point"]["type"] == "client"
    assert header["trace"]["common_fields"]["time_format"] == "relative"
    for event in events:
        assert event.keys() == {"time", "name", "data", "group_id"}
        fields = EVENTS[event["name"]]
        required = set() if event["name"] == "recovery:metrics_updated" else set(fields)
        assert required <= event["data"].keys() <= fields.keys()
        assert all(isinstance(value, fields[name]) for name, value in event["data"].items())
        assert event["data"]
        assert event["data"].get("trigger", "pto_expired") in TRIGGERS
    times = [event["time"] for event in events]
    assert times == sorted(times)
    return header, events


def named(events, name):
    return [event for event in events if event["name"] == name]


def test_qlog_by_hand(tmp_path):
    """Slow start: the window after each acknowledgment, and the round-trip times of RFC 6298.

    The first round trip is 21.04 ms; then two packets leave at once, and the second needs 1 ms more: srtt becomes
    7/8 21.04 + 1/8 21.04 = 21.04 and then 7/8 21.04 + 1/8 22.04 = 21.165 ms.
    """
    net = sim.Network().link("a", "b", rate=1e6, delay=0.01, duplex=True)
    net.flow("reno", path=["a", "b"], file="3 kB", parameters={"initial_window": 1, "timestamps": 1}, name="one/flow")
    sim.run(net, qlog=tmp_path, progress=False)
    header, events = log(tmp_path / "one_flow.1.sqlog")
    assert header["title"] == "flow one/flow"
    metrics = [(event["time"], event["data"]) for event in named(events, "recovery:metrics_updated")]
    windows = [(time, data["congestion_window"]) for time, data in metrics if "congestion_window" in data]
    assert windows == [(0.0, 1000), (21.04, 2000), (42.08, 3000), (43.08, 4000)]
    srtt = [data["smoothed_rtt"] for _, data in metrics if "smoothed_rtt" in data]
    assert srtt == pytest.approx([21.04, 21.165], abs=1e-9)
    assert [data["latest_rtt"] for _, data in metrics if "latest_rtt" in data] == [21.04, 22.04]
    assert "ssthresh" not in {name for _, data in metrics for name in data}  # infinite
    sent = [(event["time"], event["data"]["frames"][0]["offset"]) for event in named(events, "transport:packet_sent")]
    assert sent == [(0.0, 0), (21.04, 1000), (21.04, 2000)]
    ranges = [event["data"]["frames"][0]["acked_ranges"] for event in named(events, "transport:packet_received")]
    assert ranges == [[[0, 0]], [[1, 1]], [[2, 2]]]
    flights = [data["packets_in_flight"] for _, data in metrics if "packets_in_flight" in data]
    assert flights == [0, 1, 0, 1, 2, 1, 0]


def test_qlog_counts(traced):
    """Sent, lost and acknowledged transmissions of each flow; only those that were sent are acknowledged."""
    data, folder, _ = traced
    for k, name in enumerate(("reno", "sack", "newreno", "file", "many")):
        _, events = log(folder / f"{name}.sqlog")
        sent, lost = named(events, "transport:packet_sent"), named(events, "recovery:packet_lost")
        assert len(sent) == data.sent[k]
        assert len(lost) == data.retransmitted[k]
        assert sum("ssthresh" in event["data"] for event in events) > 0 or name in ("many", "file")
        assert len(named(events, "recovery:loss_timer_updated")) == data.timeouts[k]
        if name == "many":
            assert len({event["group_id"] for event in events}) >= data.connections[k]
            continue
        numbers = {event["data"]["header"]["packet_number"] for event in sent}
        assert numbers == set(range(len(sent)))
        frames = [event["data"]["frames"][0] for event in named(events, "transport:packet_received")]
        covered = [one for frame in frames for low, high in frame["acked_ranges"] for one in range(low, high + 1)]
        assert set(covered) <= numbers


def test_qlog_ranges_are_those_of_acknowledgment_frames(traced):
    """RFC 9000, section 19.3.1: ranges of a frame are disjoint, with a gap of a packet at least.

    Section 13.2.3 lets frames repeat ranges. Here a transmission is in two frames at most: in that which it triggered,
    and in that whose number passes it.
    """
    _, folder, _ = traced
    for name in ("reno", "sack", "newreno"):
        _, events = log(folder / f"{name}.sqlog")
        frames = Counter()
        for event in named(events, "transport:packet_received"):
            ranges = event["data"]["frames"][0]["acked_ranges"]
            assert ranges
            assert all(low <= high for low, high in ranges)
            assert all(low > before + 1 for (_, before), (low, _) in pairwise(ranges))
            frames.update(one for low, high in ranges for one in range(low, high + 1))
        assert max(frames.values()) == 2


@pytest.mark.parametrize("most", [1, 100])
def test_a_trace_ends_after_so_many_packets(tmp_path, traced, most):
    """The files end together, are whole, and hold the beginning of the full ones; the results do not change."""
    data, folder, _ = traced
    with pytest.warns(UserWarning, match=rf"^the trace ends at [\d.e-]+ s, after {most} packets \(trace_packets\)$"):
        cut = run_busy(pcap=tmp_path, qlog=tmp_path, trace_packets=most)
    xr.testing.assert_equal(cut, data)
    packets = read(tmp_path / AT_SENDER)
    shakes = 3 * sum(p.flags.startswith("S") and "A" not in p.flags for p in packets)
    assert len(packets) == most + shakes + sum("F" in p.flags for p in packets) // 2 * 3
    for name in (AT_SENDER, AT_RECEIVER):
        part, whole = ([p for p in read(path / name) if not {*"SF"} & {*p.flags}] for path in (tmp_path, folder))
        part, whole = ([p for p in one if p.payload or p.time > 2] for one in (part, whole))  # without the handshakes
        assert part == whole[: len(part)]
        assert all(p.time <= cut.attrs["trace_until"] * 1e9 + 1 for p in part)
    log(tmp_path / "reno.sqlog")


def test_a_full_disk(tmp_path, traced, monkeypatch):
    """Files that may not grow beyond 60 kB: they end with a whole packet, the run says so, and its results are kept."""
    data, folder, _ = traced
    monkeypatch.setattr(capture, "ROOM", 500)
    with files_of_at_most(60_000), pytest.warns(UserWarning, match=r"^the trace ends at [\d.]+ s: File too large$"):
        cut = run_busy(pcap=tmp_path / "new")
    xr.testing.assert_equal(cut, data)
    paths = [tmp_path / "new" / name for name in (AT_RECEIVER, AT_SENDER)]
    assert sorted((tmp_path / "new").iterdir()) == paths
    for path in paths:
        assert 30_000 < path.stat().st_size <= 60_000
        packets = read(path)
        assert packets == read(folder / path.name)[: len(packets)]


def test_no_room_at_all(tmp_path, traced):
    """If there is no room even for the header of a file, there is no file."""
    with files_of_at_most(10), pytest.warns(UserWarning, match=r"^the trace ends at 0 s: File too large$"):
        cut = run_busy(pcap=tmp_path, qlog=tmp_path)
    xr.testing.assert_equal(cut, traced[0])
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_no_files(tmp_path):
    def broken(flow, event):
        return -1.0 if event.now > 0.05 else 2.0

    net = one_link(sim.Scheme("broken", ack=broken), rate=1e6, delay=0.01, duplex=True)
    with pytest.raises(sim.SchemeError):
        sim.run(net, duration=1, pcap=tmp_path, progress=False)
    assert list(tmp_path.iterdir()) == []


def test_small_and_large_packets(tmp_path):
    """A packet has a byte of data at least; IPv4 ends at 65535 bytes. Sequence numbers follow the data."""
    net = sim.Network().link("a", "b", rate=1e7, delay=0.01, duplex=True)
    for size in (1, 41, 70_000):
        net.flow("reno", path=["a", "b"], packet=size, file=2 * size)
    sim.run(net, pcap=tmp_path, progress=False)
    for k, payload in enumerate((1, 1, 65_495)):
        packets = [p for p in read(tmp_path / AT_SENDER) if p.ports[0] == 1024 + k and p.payload]
        assert [p.payload for p in packets] == [payload] * 2
        assert (packets[1].sequence - packets[0].sequence) % 2**32 == payload


def test_packets_without_acknowledgments_are_of_udp(tmp_path):
    """Those of a generator and of a scheme that gets none; IPv4 ends at 65535 bytes."""
    blind = sim.Scheme("blind", ack=lambda flow, event: 0.0, recovery="own", acknowledged=False)
    net = sim.Network().link("a", "b", rate=1e7, delay=0.01, duplex=True).flow(blind, path=["a", "b"])
    net.flow(traffic.constant(1e6), path=["a", "b"], packet=70_000)
    sim.run(net, duration=0.1, pcap=tmp_path, progress=False)
    assert {(p.protocol, p.length) for p in read(tmp_path / AT_SENDER)} == {(17, 1000), (17, 65_535)}


def test_wrong_values(tmp_path):
    with pytest.raises(ValueError, match=r"trace_packets = 0 packets is out of range"):
        sim.run(small(), pcap=tmp_path, trace_packets=0, progress=False)
    with pytest.raises(TypeError, match=r"^pcap must be None or the path of a directory, got the int 3$"):
        sim.run(small(), pcap=3, progress=False)
    with pytest.raises(ValueError, match=r"^qlog = '' is out of range: must be the path of a directory$"):
        sim.run(small(), qlog="", progress=False)
    with pytest.raises(ValueError, match=r"^qlog = /proc/nowhere cannot be written to"):
        sim.run(small(), qlog="/proc/nowhere", progress=False)
    run = sim.Simulation(small())
    assert run.capture is None
    assert Capture(run, None, None, 1).packets == 0
