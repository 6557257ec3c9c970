"""qlog of the simulator and in the forms of other stacks; ndt7 by its documented format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longfat import measured

DATA = Path(__file__).parents[1] / "data" / "measured"
LINES = [json.loads(one.strip("\x1e")) for one in (DATA / "simulated.sqlog").read_text().split("\n") if one]


def test_the_simulators_own_losses():
    figures = measured.read(DATA / "simulated.sqlog")
    assert (figures.packets_sent, figures.loss) == (122, pytest.approx(22 / 122, rel=1e-12))  # its table: 122, 22
    # 15 ms each way, 3 ms for each packet of 1500 bytes at 4 Mbit/s, 0.08 ms for the acknowledgment of two packets
    assert figures.round_trip_time == pytest.approx(0.030 + 2 * 0.003 + 0.00008, rel=1e-9)
    assert (figures.limited_by, figures.policed, figures.transport) == ("network", False, "TCP")


def test_the_same_events_in_other_forms(read):
    expected = measured.read(DATA / "simulated.sqlog")
    ndjson = "".join(json.dumps(one) + "\n" for one in [LINES[0] | {"qlog_format": "NDJSON"}, *LINES[1:]])
    assert read(ndjson) == expected
    trace = {"vantage_point": {"type": "client"}, "events": LINES[1:]}
    whole = {"qlog_format": "JSON", "qlog_version": "0.3", "traces": [trace], "trace": LINES[0]["trace"]}
    assert read(whole) == expected
    later = (
        json.dumps(whole).replace("transport:packet", "quic:packet").replace("recovery:packet_lost", "quic:packet_lost")
    )
    assert read(later) == expected


def event(time, name, **data):
    return {"time": time, "name": name, "data": data}


def header(number, kind="1RTT"):
    return {"packet_type": kind, "packet_number": number}


def test_quic_by_hand(read):
    sent = [event(1000 + i, "transport:packet_sent", header=header(i), raw={"length": 1200}) for i in range(5)]
    handshake = event(900, "transport:packet_sent", header=header(0, "initial"), raw={"length": 1200})
    acknowledgment = event(
        990, "transport:packet_sent", header=header(77), raw={"length": 40}, frames=[{"frame_type": "ack"}]
    )
    ranges = [{"frame_type": "ack", "acked_ranges": [[0, 1], [3], [4, 4]]}]
    received = event(1054, "transport:packet_received", header=header(0), frames=ranges)
    lost = event(1055, "recovery:packet_lost", header=header(2))
    metrics = event(1060, "recovery:metrics_updated", min_rtt=49.5, smoothed_rtt=50)
    events = [handshake, acknowledgment, *sent, received, lost, metrics]
    trace = {"vantage_point": {"type": "server"}, "events": events}
    figures = read({"qlog_version": "0.3", "traces": [trace]})
    assert (figures.packets_sent, figures.loss) == (5, pytest.approx(0.2))
    assert figures.round_trip_time == pytest.approx(0.0495)  # the stack's minimum, below the 50 ms of packet 4
    assert figures.queueing_delay == pytest.approx(0.0005)
    assert figures.rate == pytest.approx(4800 / 0.055)
    assert figures.transport == ""


def test_packets_that_arrive_after_they_were_declared_lost_are_not_lost(read):
    events = [event(i, "transport:packet_sent", header=header(i), raw={"length": 1200}) for i in range(2)]
    events.append(event(20, "recovery:packet_lost", header=header(0)))
    frames = [{"frame_type": "ack", "acked_ranges": [[0, 1]]}]
    events.append(event(30, "transport:packet_received", header=header(0), frames=frames))
    assert read({"qlog_version": "0.3", "traces": [{"events": events}]}).loss == 0


def test_acknowledgments_in_any_order(read):
    """Ranges that repeat, overlap, are empty, or reach beyond what was sent."""
    events = [
        event(i, "transport:packet_sent", header=header(n), raw={"length": 1200}) for i, n in enumerate((0, 1, 3, 2))
    ]
    for time, ranges in ((50, [[2, 2], [9, 4]]), (60, [[0, 10**20], [1, 2]]), (70, [[0, 3]])):
        frames = [{"frame_type": {"name": "ack"}}, {"frame_type": "ack", "acked_ranges": ranges}]
        events.append(event(time, "transport:packet_received", header=header(0), frames=frames))
    probe = event(80, "transport:packet_sent", header=header(4), raw={"length": 40}, frames=[{"frame_type": {}}])
    figures = read({"qlog_version": "0.3", "traces": [{"events": [*events, probe]}]})
    # packet 2, sent at 3 ms, takes 47 ms; of 0, 1 and 3, acknowledged at 60 ms, 3 was sent at 2 ms
    assert figures.round_trip_time == pytest.approx(0.047)
    assert figures.queueing_delay == pytest.approx((0.047 + 0.058) / 2 - 0.047)
    assert figures.packets_sent == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"traces": 3}, "traces holds 3, must hold a list"),
        ({"traces": [{"events": [{"time": "x", "name": "a:packet_sent"}]}]}, "time holds 'x', must hold a number"),
        ({"traces": [{"events": [{"name": "a:b"}]}]}, "holds no packet that was sent"),
        ({"traces": [{"events": [{"time": 1, "name": "a:packet_sent", "data": {}}]}]}, "key 'traces"),
    ],
)
def test_damaged_qlog(refused, change, words):
    refused({"qlog_version": "0.3"} | change, words)


def test_ndt7():
    client, server = (measured.read(DATA / name) for name in ("ndt7-client.jsonl", "ndt7-server.json"))
    for figures in (client, server):
        assert figures.rate == pytest.approx(47.5e6 / 8, rel=1e-6)  # the client's bytes over its time
        assert figures.round_trip_time == 0.021  # MinRTT
        assert figures.queueing_delay == pytest.approx(0.025 - 0.021, rel=1e-9)  # RTT is 24 and 26 ms in turn
        assert figures.loss == pytest.approx(10 * 2896 / 6e7, rel=1e-12)  # BytesRetrans over BytesSent, at the end
        assert (figures.packet, figures.limited_by) == (1448, "network")
    assert any("upload is left out" in remark for remark in client.remarks)


def test_ndt7_that_the_receiver_limited(read):
    text = (DATA / "ndt7-server.json").read_text().replace('"RWndLimited":0', '"RWndLimited":8000000')
    assert read(text).limited_by == "receiver window"


def test_ndt7_upload(read):
    lines = [json.loads(one) for one in (DATA / "ndt7-client.jsonl").read_text().splitlines()]
    upload = [one for one in lines if one.get("Value", {}).get("Test") == "upload"]
    figures = read("".join(json.dumps(one) + "\n" for one in upload))
    assert (figures.rate, figures.loss) == (1e6, None)


def test_ndt7_that_was_cut_off(read):
    lines = (DATA / "ndt7-client.jsonl").read_text().splitlines(keepends=True)
    assert not any("cut off" in one for one in measured.read(DATA / "ndt7-client.jsonl").remarks)
    half = read("".join(lines[: len(lines) // 3]))
    assert any("the file is cut off, or the download was stopped" in one for one in half.remarks)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ('"error","Value":{"Test":"download","Failure":"no route"}}\n', "the test failed: no route"),
        ('"complete","Value":{"Test":"download"}}\n', "holds no measurement of ndt7"),
    ],
)
def test_ndt7_that_failed(refused, end, words):
    refused('{"Key":"starting","Value":{"Test":"download"}}\n{"Key":' + end, words)
