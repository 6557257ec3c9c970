"""Files of flent and crusader: figures by hand, from files made here by their documented formats."""

import gzip
import json
import struct

import pytest

from longfat import measured
from longfat.cli import main
from longfat.measured import crusader, fields, recognising
from tests.measured.record import DATA
from tests.measured.test_refusals import said

#: 20 Mbit/s from 5 to 15 s. The round-trip time is 20 ms without load; with it it grows from 41 to 50 ms and falls
#: back, as with CUBIC and a buffer of 30 ms: 2.5e6 bytes/s x 0.030 s = 75 kB.
RATE, IDLE, LOADED, DEPTH = 2.5e6, 0.020, tuple(0.041 + 0.001 * k for k in range(10)), 75_000.0
TIMES = [round(0.5 * k, 1) for k in range(41)]  # s


def trip(time):
    """Return the round-trip time [s] at a time [s] of the test."""
    return LOADED[int(2 * (time - 5)) % 10] if 5 <= time <= 15 else IDLE


def of_flent(**changes):
    """Return the content of a file of flent's test tcp_download."""
    return {
        "version": 3, "metadata": {"NAME": "tcp_download", "T0": "2026-01-01T00:00:00.000000Z"}, "x_values": TIMES,
        "results": {
            "TCP download": [20.0 if 5 <= time <= 15 else None for time in TIMES],
            "Ping (ms) ICMP": [1e3 * trip(time) for time in TIMES],
        },
        "raw_values": {"Ping (ms) ICMP": [{"t": 1.7e9 + t, "val": 1e3 * trip(t), "seq": 1} for t in TIMES]},
    } | changes  # fmt: skip


def duration(time):
    return {"secs": int(time), "nanos": round(time % 1 * 1e9)}


def of_crusader():
    """Return the content of a file of crusader: two streams, whose bytes are counted from their begin."""
    points = [{"time": duration(5 + k / 8), "bytes": round(RATE / 2 * k / 8)} for k in range(81)]
    streams = [{"data": points}, {"data": points}]
    pings = [
        {"index": k, "sent": duration(t), "latency": {"total": duration(trip(t)), "up": duration(0.01)}}
        for k, t in enumerate(TIMES)
    ]
    pings[3]["latency"] = None
    return {
        "version": 2, "generated_by": "longfat", "start": duration(0.0), "duration": duration(20.0), "ipv6": False,
        "stream_groups": [
            {"download": True, "both": True, "streams": streams}, {"download": True, "both": False, "streams": streams},
        ],
        "pings": pings,
    }  # fmt: skip


def framed(data, version=2):
    """Return a file of crusader: header, Snappy's stream identifier, and blocks of literals, as their formats say."""
    made = crusader.MAGIC + struct.pack("<Q", version) + bytes.fromhex("ff060000734e61507059")
    for begin in range(0, len(data), 50_000):
        part = data[begin : begin + 50_000]
        size, left = b"", len(part)
        while left >= 0x80:
            size, left = size + bytes([left & 0x7F | 0x80]), left >> 7
        block = bytes(4) + size + bytes([left, 61 << 2]) + struct.pack("<H", len(part) - 1) + part
        made += b"\0" + len(block).to_bytes(3, "little") + block
    return made


def packed(content):
    return pytest.importorskip("msgpack").packb(content)


def files(folder):
    """Write both files."""
    (folder / "loaded.flent.gz").write_bytes(gzip.compress(json.dumps(of_flent()).encode(), mtime=0))
    (folder / "loaded.crr").write_bytes(framed(packed(of_crusader())))


def test_the_stored_files_are_those_of_this_module(tmp_path):
    files(tmp_path)
    assert (tmp_path / "loaded.crr").read_bytes() == (DATA / "loaded.crr").read_bytes()
    stored = json.loads(gzip.decompress((DATA / "loaded.flent.gz").read_bytes()))
    assert stored == of_flent()


@pytest.mark.parametrize("name", ["loaded.flent.gz", "loaded.crr"])
def test_the_depth_of_the_queue(name):
    """Of 21 loaded round trips the 20th is 50 ms, and of 19 the 19th; twice 41 to 50 ms add up to 910 ms."""
    figures = measured.read(DATA / name)
    assert figures.rate == pytest.approx(RATE, rel=1e-9)
    assert figures.round_trip_time == pytest.approx(IDLE, rel=1e-9)
    assert figures.queue_depth == pytest.approx(DEPTH, rel=1e-9)
    # crusader's rates are those of intervals, whose middles begin and end 50 ms inside: 5.5 to 14.5 s
    mean = (910 - 41) / 19 if name.endswith("crr") else (910 + 41) / 21
    assert figures.queueing_delay == pytest.approx(1e-3 * mean - IDLE, rel=1e-6)
    assert any(one.startswith("queue_depth: ") and "BBR" in one for one in figures.remarks)


def test_both_files_are_of_one_path(capsys):
    assert main(["measured", str(DATA / "loaded.flent.gz"), str(DATA / "loaded.crr")]) == 0
    out = capsys.readouterr().out
    assert "depth of the queue" in out
    assert "75000 bytes" in out
    assert out.startswith("limit     bottleneck that was full, with a queue of 25.")


def test_binned_round_trips_and_other_directions(read):
    results = of_flent()["results"]
    change = {"TCP upload sum": results["TCP download"], "TCP download sum": [8.0] * 41}
    figures = read(of_flent(results=results | change, raw_values={}))
    assert figures.rate == 1e6  # 8 Mbit/s, of the sum
    assert figures.queue_depth is None  # two queues are in the round-trip times
    assert any("the upload is left out" in one for one in figures.remarks)
    assert any("upper bound, because none was measured without load" in one for one in figures.remarks)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"results": {"TCP download": [1.0] * 41}}, "no series 'Ping (ms) ...'"),
        ({"results": {"Ping (ms) ICMP": [1.0] * 41}}, "no series 'TCP download'"),
        ({"results": {"Ping (ms) ICMP": [1.0] * 41, "TCP download": [1.0]}}, "holds 1 values, must hold 41"),
        ({"results": {"Ping (ms) ICMP": [1.0] * 41, "TCP download": [None] * 41}}, "no rate of the download"),
        ({"results": {"Ping (ms) ICMP": ["x"] * 41, "TCP download": [1.0] * 41}, "raw_values": {}}, "a number (ms)"),
        ({"metadata": {"SERIES_META": {"TCP download": {"UNITS": "bytes"}}}}, "must hold 'Mbits/s'"),
        ({"x_values": []}, "x_values holds list"),
    ],
)
def test_damaged_files_of_flent(refused, changes, words):
    refused(of_flent(**changes), words)


def test_damaged_files_of_crusader(written, refused, monkeypatch):
    """Cut off anywhere, or with any byte changed, a file is read or refused by one line."""
    good = (DATA / "loaded.crr").read_bytes()
    for end in range(8, len(good), 397):
        with pytest.raises(ValueError, match=r"file: .*(cut off|holds|missing)"):
            measured.read(written(good[:end]))
    for at in range(16, len(good), 241):
        said(written(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :]))
    refused(framed(packed(of_crusader()), version=0), "of version 0 of crusader's format, must be 1 or 2")
    monkeypatch.setattr(crusader, "MOST_VALUES", 100)
    refused(good, "has more than 100 values")


def test_snappy_by_its_description():
    """format_description.txt: 10 bytes: literal "ab", then a copy of 8 bytes from 2 back, which overlaps itself."""
    assert crusader.uncompressed(bytes.fromhex("0a04616211 02")) == b"ab" * 5
    # the same with an offset of two bytes: tag (8 - 1) << 2 | 2; and of four: tag | 3
    assert crusader.uncompressed(bytes.fromhex("0a0461621e 0200")) == b"ab" * 5
    assert crusader.uncompressed(bytes.fromhex("0a0461621f 02000000")) == b"ab" * 5
    for damaged in ("0a04616211 00", "0a04616211 03", "0904616211 02", "0a046162"):  # offset 0 or 3; 10 bytes of 9; cut
        with pytest.raises(ValueError, match="damaged"):
            crusader.uncompressed(bytes.fromhex(damaged))


def test_gzip_of_too_much(read, refused, monkeypatch):
    packed_again = gzip.compress(json.dumps(of_flent()).encode())
    assert read(packed_again).queue_depth == pytest.approx(DEPTH)
    monkeypatch.setattr(recognising, "LONGEST_TEXT", 1000)
    monkeypatch.setattr(fields, "LONGEST_TEXT", 1 << 20)
    refused(packed_again, "decompress it first")


if __name__ == "__main__":
    files(DATA)
