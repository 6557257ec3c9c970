"""Captures: files of tcpdump and tshark beside what the relay lost, and flows made by hand."""

from __future__ import annotations

import itertools
import json
import random
import statistics
import struct
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from longfat import measured
from longfat.base import progress
from longfat.measured import flow_figures, pcap
from longfat.measured.flow_figures import Transmission, policer

DATA = Path(__file__).parents[1] / "data" / "measured"
TRUTH = json.loads((DATA / "truth.json").read_text())
SYN, ACK = 2, 16
RAW = 101


def read(name):
    return measured.read(DATA / name)


@pytest.mark.parametrize(
    ("name", "lost"),
    [  # tshark 4.0.17, packets of the stream with data that it marks as retransmitted or out of order
        ("clean", 4),
        ("lossy", 1),
        ("lossy-receiver", 10),
        ("policed", 77),
        ("receiver", 0),
        ("ethernet", 0),
    ],
)
def test_tshark_counts_the_same_losses(name, lost):
    figures = read(f"{name}.pcap")
    assert figures.loss * figures.packets_sent == pytest.approx(lost, abs=1e-9)
    if f"{name}.pcap" in TRUTH:  # the relay also counts losses on iperf3's control connection, at most one here
        counts = TRUTH[f"{name}.pcap"]
        assert lost <= counts["overflows"] + counts["random losses"] + counts["policed"] <= lost + 1


def test_the_policer_is_found():
    figures = read("policed.pcap")
    assert figures.policed is True
    remark = next(one for one in figures.remarks if one.startswith("policed:"))
    # 5 Mbit/s and 30 kB of packets of 1500 bytes with 1448 bytes of data: 4.827 Mbit/s and 28.96 kB of data
    rate, bucket = float(remark.split()[1]), float(remark.split()[13])
    assert rate == pytest.approx(5 * 1448 / 1500, rel=0.01)
    assert bucket == pytest.approx(30 * 1448 / 1500, abs=1.448)
    assert figures.loss_burst > 2
    assert figures.queueing_delay < 0.1 * figures.round_trip_time


def test_round_trips():
    for name in ("clean", "lossy", "policed", "receiver"):
        assert 0.020 <= read(f"{name}.pcap").round_trip_time < 0.0215
    assert 0.01 < read("clean.pcap").queueing_delay < 0.03
    far = read("lossy-receiver.pcap")  # data and acknowledgment meet there: only the handshake crosses the path
    assert 0.020 <= far.round_trip_time < 0.0225
    assert far.queueing_delay is None


def test_pcapng_is_the_same():
    assert read("lossy.pcapng") == read("lossy.pcap")


def test_other_byte_orders_and_units(tmp_path):
    little = (DATA / "lossy.pcap").read_bytes()
    big, at = struct.pack(">IHHiIII", 0xA1B23C4D, *struct.unpack("<HHiIII", little[4:24])), 24
    while at < len(little):
        second, micro, stored, length = struct.unpack("<IIII", little[at : at + 16])
        big += struct.pack(">IIII", second, 1000 * micro, stored, length) + little[at + 16 : at + 16 + stored]
        at += 16 + stored
    path = tmp_path / "big.pcap"
    path.write_bytes(big)
    assert measured.read(path) == read("lossy.pcap")


# Made by hand


def packet(time, back=False, sequence=0, ack=0, flags=ACK, payload=0, window=60_000, options=b"", wrap=None):
    """Return a record of raw IPv4 and TCP; time in microseconds."""
    options += bytes(-len(options) % 4)
    offset = (20 + len(options)) // 4 << 4
    ends = [(b"\x0a\0\0\1", 1000), (b"\x0a\0\0\2", 80)][:: -1 if back else 1]
    tcp = struct.pack(">HHIIBBHHH", ends[0][1], ends[1][1], sequence % 2**32, ack % 2**32, offset, flags, window, 0, 0)
    tcp += options
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + payload, 0, 0, 64, 6, 0) + ends[0][0] + ends[1][0]
    data = (wrap or (lambda ip: ip))(ip + tcp)
    return struct.pack("<IIII", time // 10**6, time % 10**6, len(data), len(data) + payload) + data


def handshake(start, *, shift=0, wrap=None, scaled=True, end=10_000):
    scale = bytes((2, 4, 3, 232, 3, 3, shift, 1))  # MSS 1000
    return [
        packet(0, sequence=start - 1, flags=SYN, options=scale if scaled else scale[:4], wrap=wrap),
        packet(10_000, True, 99, start, SYN | ACK, options=scale, wrap=wrap),
        packet(end, sequence=start, ack=100, wrap=wrap),
    ]


def written(tmp_path, records, link=RAW):
    path = tmp_path / "made.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link) + b"".join(records))
    return path


def transfer(start=5000, wrap=None):
    """Return a flow of ten packets of 1000 bytes, of which the fourth and fifth are lost, over a path of 10 ms."""
    data = [packet(20_000 + 100 * i, sequence=start + 1000 * i, ack=100, payload=1000, wrap=wrap) for i in range(10)]
    arrived = [i for i in range(10) if i not in (3, 4)]
    acks = [packet(30_000 + 100 * i, True, 100, start + 1000 * min(i + 1, 3), wrap=wrap) for i in arrived]
    again = [packet(31_500 + 100 * i, sequence=start + 1000 * i, ack=100, payload=1000, wrap=wrap) for i in (3, 4)]
    last = [packet(42_000, True, 100, start + 10_000, wrap=wrap)]
    return handshake(start, wrap=wrap) + data + acks + again + last


@pytest.mark.parametrize("start", [5000, 2**32 - 3500, 2**31 - 2500])
def test_a_flow_by_hand(tmp_path, start):
    figures = measured.read(written(tmp_path, transfer(start)))
    assert figures.packets_sent == 12
    assert figures.loss == pytest.approx(2 / 12, rel=1e-12)
    assert figures.loss_burst == 2
    assert figures.round_trip_time == pytest.approx(0.010, rel=1e-9)
    assert figures.queueing_delay == pytest.approx(0.0, abs=1e-12)  # three samples of 10 ms; Karn excludes the last
    assert figures.rate == pytest.approx(10_000 / 0.022, rel=1e-9)  # outstanding from 20 to 42 ms
    assert (figures.packet, figures.transport, figures.limited_by) == (1000, "TCP", "network")


def vlan(ip):
    return bytes(12) + b"\x81\x00\x00\x05\x08\x00" + ip


def ipv6(ip):
    ends = bytes(15) + ip[15:16] + bytes(15) + ip[19:20]
    length = struct.unpack(">H", ip[2:4])[0] - 20
    return struct.pack(">IHBB", 6 << 28, length + 8, 0, 64) + ends + b"\x06\x00" + bytes(6) + ip[20:]


@pytest.mark.parametrize(
    ("link", "wrap"),
    [
        (1, vlan),
        (1, lambda ip: bytes(12) + b"\x08\x00" + ip),
        (113, lambda ip: bytes(14) + b"\x08\x00" + ip),
        (276, lambda ip: b"\x08\x00" + bytes(18) + ip),
        (0, lambda ip: b"\x02\0\0\0" + ip),
        (RAW, ipv6),
    ],
)
def test_link_layers(tmp_path, link, wrap):
    expected = measured.read(written(tmp_path, transfer()))
    assert measured.read(written(tmp_path, transfer(wrap=wrap), link)) == expected


def test_an_unknown_link_layer(tmp_path):
    with pytest.raises(ValueError, match=r"made\.pcap: the file holds packets of the link type 105"):
        measured.read(written(tmp_path, transfer(), 105))


def test_duplicates_that_the_receiver_reports_are_no_losses(tmp_path):
    sack = bytes((1, 1, 5, 10)) + struct.pack(">II", 5000 + 3000, 5000 + 4000)  # RFC 2883: below the acknowledgment
    records = transfer()
    records[-1] = packet(42_000, True, 100, 15_000, options=sack)
    assert measured.read(written(tmp_path, records)).loss == pytest.approx(1 / 12, rel=1e-12)


def data_in(order):
    """Return packets of 1000 bytes in an order, 0.1 ms apart."""
    return [packet(20_000 + 100 * i, sequence=5000 + 1000 * n, ack=100, payload=1000) for i, n in enumerate(order)]


@pytest.mark.parametrize(
    ("order", "acknowledged", "lost"),
    [
        ((0, 2, 1, 3, 4), (1, 1, 3, 4, 5), 0),  # reordered
        # RFC 5681, section 3.2: the third duplicate acknowledgment says that a segment was lost.
        ((0, 2, 3, 1), (4,), 0),
        ((0, 2, 3, 4, 1), (5,), 1),
        ((0, 2, 3, 4, 5, 1), (1, 1, 1, 1, 1, 6), 1),  # at the receiver: lost before, it comes again
        ((0, 5, 6, 7, 3, 2, 4, 1), (8,), 4),  # all from the gap after three others, from its middle
    ],
)
def test_packets_out_of_order(tmp_path, order, acknowledged, lost):
    acks = [packet(30_000 + 100 * i, True, 100, 5000 + 1000 * n) for i, n in enumerate(acknowledged)]
    figures = measured.read(written(tmp_path, handshake(5000) + data_in(order) + acks))
    assert figures.packets_sent == len(order) + lost
    assert figures.loss == pytest.approx(lost / figures.packets_sent, rel=1e-12)


def test_gaps_that_the_capture_missed_and_the_receiver_did_not(tmp_path):
    """What was acknowledged has arrived: a later packet with the same bytes was sent in vain."""
    ack = packet(30_000, True, 100, 11_000)
    again = packet(31_000, sequence=6000, ack=100, payload=1000)
    figures = measured.read(written(tmp_path, [*handshake(5000), *data_in((0, 2, 3, 4, 5)), ack, again]))
    assert (figures.loss, figures.packets_sent) == (0.0, 5)


def test_an_acknowledgment_times_the_newest_packet_that_it_covers(tmp_path):
    """With a delayed acknowledgment the older of two packets has waited for the other one."""
    data = [packet(20_000 + 3000 * i, sequence=5000 + 1000 * i, ack=100, payload=1000) for i in range(2)]
    figures = measured.read(written(tmp_path, [*handshake(5000), *data, packet(33_000, True, 100, 7000)]))
    assert figures.round_trip_time == pytest.approx(0.010)


def test_flows_with_less_data_are_counted(tmp_path):
    def swapped(record):  # the same ends but for the port of the sender
        return record.replace(b"\x03\xe8\x00\x50", b"\x03\xe9\x00\x50")

    other = swapped(packet(90_000, sequence=1, ack=1, payload=10))
    figures = measured.read(written(tmp_path, [*transfer(), other]))
    assert "flows with less data that are left out: 1 (pcap)" in figures.remarks
    assert figures.packets_sent == 12


def test_the_rate_in_a_capture_at_the_receiver(tmp_path):
    """Of two packets every 2 ms the second is acknowledged at once: data is outstanding for half of the time."""
    syn, _, last = handshake(5000)  # 10 ms from the answer to the last packet: the sender is far away
    records = [syn, packet(0, True, 99, 5000, SYN | ACK), last]
    for i in range(100):
        records.append(packet(20_000 + 1000 * i, sequence=5000 + 1000 * i, ack=100, payload=1000))
        records += [packet(20_000 + 1000 * i, True, 100, 6000 + 1000 * i)] * (i % 2)
    figures = measured.read(written(tmp_path, records))
    assert figures.rate == pytest.approx(100_000 / 0.099, rel=1e-9)
    assert "per time from the first data to the last" in next(one for one in figures.remarks if one[:4] == "rate")


@pytest.mark.parametrize(
    ("scaled", "window", "limit"),
    [(True, 500, "receiver window"), (False, 2000, "receiver window"), (False, 3000, None)],
)
def test_a_closed_window(tmp_path, scaled, window, limit):
    # two packets fill a window of 500 << 2 = 2000 bytes, every 10 ms; RFC 7323, section 2.2: scaled if both offer it
    records = handshake(5000, shift=2, scaled=scaled)
    for i in range(5):
        begin, time = 5000 + 2000 * i, 20_000 + 10_000 * i
        records += [packet(time, sequence=begin + 1000 * k, ack=100, payload=1000) for k in range(2)]
        records.append(packet(time + 10_000, True, 100, begin + 2000, window=window))
    figures = measured.read(written(tmp_path, records))
    assert figures.limited_by == limit
    assert figures.rate == pytest.approx(2000 / 0.010, rel=1e-9)
    # unknown before the first acknowledgment, then closed whenever data are outstanding: 40 of 50 ms
    assert any("window was closed for 80% of the time" in one for one in figures.remarks) == (limit is not None)


def test_a_capture_at_the_receiver_that_begins_after_the_handshake(tmp_path):
    """Losses before the capture are gaps. The receiver's delay of an acknowledgment is no round-trip time."""
    content = (DATA / "lossy-receiver.pcap").read_bytes()
    places = records_of(content)
    parts = [content[begin:end] for begin, end in itertools.pairwise(places)]
    path = tmp_path / "late.pcap"
    path.write_bytes(content[:24] + b"".join(one for one in parts if not one[16 + 33] & SYN))
    late, whole = measured.read(path), read("lossy-receiver.pcap")
    assert (late.round_trip_time, late.queueing_delay) == (None, None)
    assert (late.rate, late.loss) == (whole.rate, whole.loss)


def test_a_capture_at_the_sender_with_packets_in_another_order(tmp_path):
    """A packet that the capture has three packets late may fill a gap; the handshake shows where it was taken."""
    acks = [packet(30_000 + 100 * i, True, 100, 5000 + 1000 * end) for i, end in enumerate((1, 5))]
    figures = measured.read(written(tmp_path, handshake(5000) + data_in((0, 2, 3, 4, 1)) + acks))
    assert figures.round_trip_time == pytest.approx(0.010, rel=1e-9)
    assert not any("at the receiver" in one for one in figures.remarks)


def test_one_late_packet_beside_losses_shows_no_capture_at_the_receiver(tmp_path):
    """Without the handshake: two packets are in the capture twice, as at the sender, and one is late in it."""
    records = transfer()[3:]
    late = packet(20_950, sequence=5000 + 6000, ack=100, payload=1000)
    figures = measured.read(written(tmp_path, [*records[:6], *records[7:10], late, *records[10:]]))
    assert figures.round_trip_time == pytest.approx(0.01, abs=1e-3)
    assert not any("at the receiver" in one for one in figures.remarks)


def test_a_capture_between_the_hosts_has_the_round_trip_time_of_the_handshake(tmp_path):
    acks = [packet(30_000 + 100 * i, True, 100, 5000 + 1000 * (i + 1)) for i in range(5)]
    figures = measured.read(written(tmp_path, handshake(5000, end=13_000) + data_in(range(5)) + acks))
    assert (figures.round_trip_time, figures.queueing_delay) == (pytest.approx(0.013, rel=1e-9), None)


def test_a_capture_without_acknowledgments_of_its_data(tmp_path):
    """As of one direction alone: the loss is known, the rate is not."""
    figures = measured.read(written(tmp_path, data_in(range(10))))
    assert (figures.rate, figures.loss, figures.packets_sent) == (None, 0.0, 10)


def test_a_window_whose_scale_was_cut_off(tmp_path):
    """With the options of the SYN packets cut off, as by tcpdump -s 68, a window of 500 << 2 may seem to be 500."""
    records = [one[:8] + struct.pack("<I", 40) + one[12 : 16 + 40] for one in handshake(5000, shift=2)]
    for i in range(5):
        begin, time = 5000 + 1000 * i, 20_000 + 10_000 * i
        records.append(packet(time, sequence=begin, ack=100, payload=1000))
        records.append(packet(time + 10_000, True, 100, begin + 1000, window=500))
    figures = measured.read(written(tmp_path, records))
    assert figures.limited_by is None
    assert any("packets without whole headers, which are left out: 2 of 13" in one for one in figures.remarks)


def test_captures_without_data(tmp_path):
    for records in ([], handshake(5000), [b"\0" * 9]):
        with pytest.raises(ValueError, match="holds no data of TCP"):
            measured.read(written(tmp_path, records))


def test_a_file_that_takes_long_is_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress.threading, "Timer", lambda after, say: SimpleNamespace(start=say, cancel=int))
    measured.read(written(tmp_path, transfer()))
    assert capsys.readouterr().err == f"longfat: reading {tmp_path / 'made.pcap'}\n"


def records_of(content):
    """Return where the records of a classic capture begin, and the end of the file."""
    places = [24]
    while places[-1] < len(content):
        places.append(places[-1] + 16 + struct.unpack("<I", content[places[-1] + 8 : places[-1] + 12])[0])
    return places


def remark_on_damage(path):
    return next((one for one in measured.read(path).remarks if "cut off or damaged" in one), None)


def test_a_cut_capture_names_the_packet(tmp_path):
    content = (DATA / "lossy.pcap").read_bytes()
    assert remark_on_damage(DATA / "lossy.pcap") is None
    path = tmp_path / "cut.pcap"
    path.write_bytes(content[:20_000])
    whole = sum(place <= 20_000 for place in records_of(content)) - 1
    assert f"at packet {whole + 1} (" in remark_on_damage(path)
    path.write_bytes(content[:12])
    with pytest.raises(
        ValueError, match=r"cut off or damaged at packet 1 \(the header of the file has 12 of 24 bytes\)"
    ):
        measured.read(path)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (8, 4_000_000, "has 4000000 of"),  # more than any packet has
        (8, 0, "has 0 of"),
        (8, 1200, "cut off or damaged"),  # ten records are taken for one, and what follows is none
        (12, 1, "of 1 bytes"),  # less than was stored
        (4, 1_000_000, "1000000/1000000 s after the full second"),
    ],
)
def test_a_damaged_record_is_named(tmp_path, field, value, words):
    content = bytearray((DATA / "lossy.pcap").read_bytes())
    place = records_of(content)[80]
    struct.pack_into("<I", content, place + field, value)
    path = tmp_path / "damaged.pcap"
    path.write_bytes(content)
    remark = remark_on_damage(path)
    assert words in remark
    number = int(remark.split("at packet ")[1].split()[0])
    assert number == 81 or (field, value) == (8, 1200)
    if number == 81:
        assert f"the rest, {(len(content) - place) / len(content):.2g} of the file" in remark


def test_a_damaged_pcapng_names_the_packet(tmp_path):
    content = (DATA / "lossy.pcapng").read_bytes()
    blocks, place = [], 0  # of packets
    while place < len(content):
        kind, total = struct.unpack("<II", content[place : place + 8])
        blocks += [(place, total)] if kind == 6 else []
        place += total
    place, total = blocks[80]
    path = tmp_path / "damaged.pcapng"
    ends = struct.pack("<I", total + 4)
    wrong = [
        content[: place + 10],
        content[: place + 40],
        content[: place + total - 4] + ends + content[place + total :],  # the length at the end of the block
        content[: place + 4] + ends + content[place + 8 :],  # the one at its beginning
        content[: place + 8] + b"\7" + content[place + 9 :],  # an interface that is not described
        content[: place + 20] + b"\0\0\0\7" + content[place + 24 :],  # more bytes than the block has
    ]
    for one in wrong:
        path.write_bytes(one)
        assert "at packet 81 (" in remark_on_damage(path)


def test_lengths_that_no_packet_has(tmp_path):
    """With an MSS of 1 byte, a packet of 4 GB would be cut into as many packets."""
    records = [one.replace(bytes((2, 4, 3, 232)), bytes((2, 4, 0, 1))) for one in handshake(5000)]
    huge = packet(60_000, sequence=15_000, ack=100, payload=1000)
    huge = huge[:12] + struct.pack("<I", 2**32 - 1) + huge[16:18] + b"\0\0" + huge[20:]
    path = written(tmp_path, [*records, *transfer()[3:], huge])
    assert f"at packet {len(transfer()) + 1} (the record's header has 40 of 4294967295 bytes" in remark_on_damage(path)
    figures = measured.read(written(tmp_path, [*records, *transfer()[3:]]))
    assert (figures.packet, figures.packets_sent) == (1000, 12)  # the MSS of 1 byte is damage (RFC 791: 28 at least)


def test_too_many_packets_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(pcap, "MOST", 8)
    figures = measured.read(written(tmp_path, [*handshake(5000), packet(20_000, sequence=5000, ack=100, payload=9000)]))
    assert figures.packets_sent == 9
    assert "packets after the first 8 are left out (pcap)" in figures.remarks


# The policer's test


def sent_through_a_bucket(*, rate=1e6, bucket=20_000, offered=1.5e6, queue=0.0):
    """Return what a sender of packets of 1000 bytes offers to a token bucket; `queue` lengthens the round trips."""
    made, tokens = [], bucket
    for i in range(400):
        tokens = min(bucket, tokens + rate * 1000 / offered)
        lost = tokens < 1000
        tokens -= 0 if lost else 1000
        trip = 0.02 + (queue if i % 50 > 25 else 0.0)
        made.append(Transmission(i * 1000 / offered, 1000.0 * i, 1000, lost, None if lost else trip))
    return made


def test_a_token_bucket_is_found():
    verdict = policer(sent_through_a_bucket())
    assert verdict.policed is True
    assert verdict.rate == pytest.approx(1e6, rel=0.02)
    assert verdict.bucket == pytest.approx(20_000, abs=1000)
    # 1 MB/s are 20 kB in a round trip of 20 ms: one of them is too little to be sure of the rate, three are enough
    assert verdict.is_least
    assert policer(sent_through_a_bucket(bucket=60_000)).is_least is False


def test_a_few_bytes_long_before_do_not_count():
    flow = [Transmission(-1.0, 0.0, 40, False, 0.02), *sent_through_a_bucket()]  # as the cookie of iperf3
    assert policer(flow).policed is True
    # counted from there, 1.0 s at 1 MB/s would have to fit into the 59 kB before the first loss


@pytest.mark.parametrize(("megabytes", "policed"), [(1.9, True), (2.1, None)])
def test_a_first_loss_after_two_megabytes_is_too_late(megabytes, policed):
    """LATEST_FIRST_LOSS of the authors' code: 2,000,000 bytes."""
    early = int(1e6 * megabytes / 1000)
    flow = [Transmission(-1.0 + 1e-6 * i, 1000.0 * i, 1000, False, 0.02) for i in range(early)]
    flow += [replace(one, offset=one.offset + 1000.0 * early) for one in sent_through_a_bucket(bucket=2000)]
    verdict = policer(flow)
    assert verdict.policed is policed
    assert (verdict.reason == "the first loss came too late for a verdict") == (policed is None)


def test_the_verdict_does_not_depend_on_when_a_flow_began():
    flow = sent_through_a_bucket()
    later = policer([replace(one, time=one.time + 1000.0) for one in flow])
    assert (later.policed, later.is_least) == (True, True)
    assert later.rate == pytest.approx(policer(flow).rate, rel=1e-9)


def test_a_flow_that_was_slower_before_its_first_loss():
    # 30 kB in 0.3 s, and 59 kB in 0.04 s until the loss: the bucket would have 250 kB more than just before it
    slow = [Transmission(0.01 * (i - 30), 1000.0 * (i - 30), 1000, False, 0.02) for i in range(30)]
    assert (
        policer(slow + sent_through_a_bucket()).reason
        == "not found: the flow was slower before the first loss than after it"
    )


def test_fewer_than_fifteen_packets_that_passed_are_too_few():
    flow = sent_through_a_bucket(rate=1e5, bucket=2000, offered=1e6)[:90]  # one packet of ten passes
    assert policer(flow).reason == "losses in 5 round trips are too few for a verdict"


def test_few_losses_must_all_follow_long_round_trips():
    trips = [0.02] * 10 + [0.1, 0.1, None] + [0.02] * 10 + [None]
    flow = [Transmission(0.01 * i, 1000.0 * i, 1000, trip is None, trip) for i, trip in enumerate(trips)]
    assert [policer(flow[:end]).policed for end in (13, 24)] == [False, None]


def test_losses_in_a_row_are_one_burst():
    def measured_of(losses):
        sent = [Transmission(0.01 * i, 1000.0 * i, 1000, lost == "x") for i, lost in enumerate(losses)]
        return flow_figures.measurement("", "pcap", flow_figures.Transfer(sent))

    found = measured_of(".xx.x.")
    one, rate = found.figures, found.series[0]
    # 3000 bytes arrive in 50 ms
    assert (rate.name, statistics.mean(rate.values)) == ("rate", pytest.approx(60_000, rel=1e-9))
    assert (one.loss, one.loss_burst, one.loss_events, one.packets_sent) == (0.5, 1.5, 2, 6)
    none = measured_of("xx").figures  # of no use for a probability below 1
    assert (none.loss, none.loss_interval, none.loss_events) == (None, None, None)


def test_fifteen_losses_are_enough_to_tell():
    flow = sent_through_a_bucket()
    places = [i for i, one in enumerate(flow) if one.lost]
    assert policer(flow[: places[13] + 1]).reason.startswith("14 losses are too few")
    assert "too few for a verdict, which takes" not in policer(flow[: places[14] + 1]).reason
    assert policer(flow[: places[0]]).policed is False


def test_round_trips_before_losses_by_sorting():
    """The test of Flach et al., at each loss with all round trips before it in their order."""
    draw = random.Random(1)
    for _ in range(100):
        flow = [
            Transmission(i, 0.0, 1.0, draw.random() < 0.2, draw.choice([None, 0.01, 0.02, 0.05, draw.random() / 10]))
            for i in range(draw.randint(2, 100))
        ]
        lost = [i for i, one in enumerate(flow) if one.lost] or [len(flow) - 1]
        late = 0
        for i in lost:
            trips = [one.round_trip_time for one in flow[:i] if one.round_trip_time is not None]
            if len(trips) > 1:
                tenth = sorted(trips)[(len(trips) - 1) // 10]
                late += trips[-2] >= max(statistics.median(trips), 0.020) and trips[-2] > 1.3 * tenth
        assert flow_figures._inflated(flow, lost) == late / len(lost)


def test_long_round_trips_before_losses_speak_against_a_policer():
    # the last losses before a drop of the queue come after long round trips: more than a fifth of them
    assert policer(sent_through_a_bucket(queue=0.05)).policed is False


def test_losses_at_random_are_not_taken_for_a_policer():
    lost = {i for i in range(20, 400) if (i * 7919) % 101 < 6}  # 6 %, at no regular distance
    flow = [Transmission(i * 1e-3 * (1 + (i // 80) % 3), 1000.0 * i, 1000, i in lost, 0.02) for i in range(400)]
    flow.sort(key=lambda one: one.time)
    assert policer(flow).policed is None
