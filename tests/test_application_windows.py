"""`longfat window --application`: windows of HTTP/2, gRPC, QUIC and SSH by hand, and what people have measured."""

import re

import pytest

from longfat import cli
from longfat.design.application_windows import APPLICATIONS, BELOW, MIB, Default
from longfat.design.arguments import APPLICATION


def answered(capsys, *words):
    assert cli.main(["window", *words]) == 0
    return capsys.readouterr().out


def test_the_option_has_the_names_of_the_table():
    assert list(APPLICATION["application"].names) == list(APPLICATIONS)


@pytest.mark.parametrize(("name", "rate", "trip", "window"), [
    ("http2", 12.5e6, 0.1, 3 * MIB),  # 1.25 MB and an update of half of the window: 2.5 MB
    ("quic", 125e6, 0.02, 5 * MIB),  # 5 MB
    ("ssh", 1e6, 0.1, 2**10 * 196),  # 100,000 bytes; half of the window below 224 KiB: 200,000 bytes
    ("ssh", 12.5e6, 0.15, 2 * MIB),  # 1,875,000 bytes and 112 KiB: 1.9 MiB
])  # fmt: skip
def test_windows_by_hand(name, rate, trip, window):
    found = APPLICATIONS[name].window_for(rate, trip)
    assert found == window
    assert APPLICATIONS[name].rates(found, (rate, rate), (trip, trip)) == pytest.approx(((1 - BELOW) * rate, rate))


@pytest.mark.parametrize(("name", "window", "windows", "capacity", "trip", "measured"), [
    ("http2", 65535, 1, 1e9, 0.0205, 2.90e6),  # Node's client and server over a delayed loopback, R by their ping
    ("http2", 65535, 1, 1e9, 0.101, 0.638e6),
    ("http2", MIB, 2, 424e6, 0.101, 7.47e6),  # the connection's window is that of the stream
    ("http2", MIB, 1, 424e6, 0.101, 9.95e6),  # it is twice that of the stream
    ("http2", MIB, 2, 424e6, 0.0205, 34.9e6),
    ("ssh", 2 * MIB, 1, 1.25e9, 0.167, 11.8 * MIB),  # rapier1/hpn-ssh#58: OpenSSH to OpenSSH, 11.8 MiB/s
])  # fmt: skip
def test_measured_rates_lie_between_the_computed_ones(  # the pings were up to 12 % (20 ms) and 3 % above the least
    name, window, windows, capacity, trip, measured
):
    low, high = APPLICATIONS[name].rates(
        window, (capacity, capacity), (trip, 1.12 * trip if trip < 0.1 else 1.03 * trip), windows
    )
    assert low <= measured <= high


def test_two_windows_carry_three_quarters_of_one():
    """q = 2: 1.5 updates of W/2 in a round trip in place of 2."""
    (one, _), (two, _) = (APPLICATIONS["http2"].rates(MIB, (1e12, 1e12), (0.1, 0.1), count) for count in (1, 2))
    assert two / one == pytest.approx(0.75, rel=1e-5)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_answer_is_short_and_every_line_has_the_window_or_that_of_the_connection(capsys, name):
    out = answered(capsys, "--application", name, "--rate", "1Gbit/s", "--rtt", "200ms")
    assert len(out.splitlines()) <= 20
    assert out.startswith(f"limit     window of {APPLICATIONS[name].title}: ")
    lines = [line for line in out.splitlines() if re.search("[0-9]{8}", line)]  # the text has units
    assert len(lines) == sum(len(default.lines) for default in APPLICATIONS[name].defaults)
    assert all(f"{47 * MIB}" in line or f"{47 * MIB * 3 // 2}" in line for line in lines)
    assert "expect    " in out
    assert all(len(line) <= 116 for line in out.splitlines())


#: What programs have without a line [bytes], by their sources: net/http of Go 1.26; Envoy 1.36 (istio/istio#57968);
#: HAProxy 3.1's manual; nodejs/node#64623; grpc-go and grpc-java; quinn, quic-go and quiche; AsyncSSH and Paramiko.
HAVE = {
    "MaxReceiveBufferPerStream: ": 1 << 20, "MaxReceiveBufferPerConnection: ": 1 << 20,
    "initial_stream_window_size: ": 16777216, "initial_connection_window_size: ": 25165824,
    "tune.h2.fe.rxbuf ": 1638400, "initialWindowSize: ": 65535, "setLocalWindowSize(": 33554432,
    "StaticStreamWindowSize(": 16777216, "StaticConnWindowSize(": 16777216, "flowControlWindow(": 8388608,
    "stream_receive_window(VarInt::from_u64(": 1250000, "send_window(": 10000000,
    "MaxStreamReceiveWindow: ": 6291456, "MaxConnectionReceiveWindow: ": 15728640,
    "set_max_stream_window(": 16777216, "set_max_connection_window(": 25165824,
    "..., window=": 2097152, "default_window_size=": 2097152,
}  # fmt: skip


@pytest.mark.parametrize("name", APPLICATIONS)
def test_no_line_lowers_a_default(capsys, name):
    for rate in ("50Mbit/s", "200Mbit/s", "1Gbit/s", "100Gbit/s"):
        for trip in ("10ms", "40ms", "120ms", "300ms"):
            out = answered(capsys, "--application", name, "--rate", rate, "--rtt", trip)
            found = {word: int(number) for word in HAVE for number in re.findall(re.escape(word) + "([0-9]+)", out)}
            assert "nothing to set" in out or found, (rate, trip)
            for word, number in found.items():
                assert number >= HAVE[word], (rate, trip, word)


def test_a_default_that_is_as_large_has_no_line():
    one = Default("", MIB, "", lines=("{window}",))
    assert [one.raised_to(window, 2**31 - 1) for window in (MIB - 1, MIB, MIB + 1)] == [[], [], ["1048577"]]


#: Application and path, words of the answer without breaks and signs of comments, and words that are not in it.
ANSWERS = [
    # 50 Mbit/s and 40 ms need 472 KiB: Go (1 MiB), HAProxy 3.1 (1600 KiB) and Envoy (16 MiB) have more.
    ("http2 --rate 50Mbit/s --rtt 40ms", ["initialWindowSize: 483328"],
     ["MaxReceiveBuffer", "rxbuf", "initial_stream_window_size"]),
    # 1 Gbit/s and 100 ms: 24 MiB for the stream, 36 MiB for the connection.
    ("http2 --rate 1Gbit/s --rtt 100ms",
     ["MaxReceiveBufferPerStream: 25165824, MaxReceiveBufferPerConnection: 37748736"], []),
    # Stream and connection have 2^31 - 1 bytes: 1.5 u/(R + u/2C), with u = 2^30, R = 0.3 s and C = 94.1 Gbit/s, is
    # 37.3 Gbit/s, but TCP has 2^30 bytes in 0.3 s.
    ("http2 --rate 100Gbit/s --rtt 300ms",
     ["which TCP's largest window makes 28.6 Gbit/s", "(lines below): 28.6 Gbit/s by law"], ["37.3"]),
    # Rust takes numbers above 32 bits; quinn has no limit for the connection.
    ("quic --rate 400Gbit/s --rtt 300ms", ["stream_receive_window(VarInt::from_u64(28960620544).unwrap())"],
     ["u32", ".receive_window("]),
    # 1,250,000 bytes in 40 ms are 250 Mbit/s if each byte has an update at once, 143 if half of them wait for it.
    ("quic --rate 200Mbit/s --rtt 40ms", ["limit possibly the window of QUIC: ", "nothing to set"],
     ["no more", "config"]),
    # 1 Gbit/s and 10 ms are 1.25 MB, of the 8 MiB and 16 MiB that grpc-java and grpc-go allow themselves.
    ("grpc --rate 1Gbit/s --rtt 10ms", ["limit not the window of gRPC: ", "first 65,535 bytes"], []),
    ("grpc --rate 1Gbit/s --rtt 200ms", ["limit window of gRPC: "], ["lookahead"]),  # which C++ overwrites
    # curl prints bytes/s and dd MB/s: 89.4 and 96.6 Mbit/s over 8, outwards. The default fills the path.
    ("ssh --rate 100Mbit/s --rtt 20ms", ["limit not the window of SSH", "nothing to set",
                                         "89.4 to 96.6 Mbit/s (11.1 to 12.1 MB/s) with 2 MiB"], ["window="]),
    # CUBIC at 1e-4 and 0.2 s: 21 Mbit/s of 94; 2 MiB in 0.2 s are 84.
    ("ssh --rate 100Mbit/s --rtt 200ms --loss 1e-4",
     ["not the window of SSH", "which losses make 20.7 Mbit/s"], []),
    # No law of BBR holds at 1e-5 x 8000 packets a round trip, but it may fill the link: as without --loss.
    ("ssh --rate 1Gbit/s --rtt 100ms --loss 1e-5 --scheme bbr", ["limit window of SSH: "], ["losses make"]),
    # 10 x 1448/1538 = 9.415 kbit/s less 5 %, and 10 x 1448/1500 = 9.653; an eighth of both, outwards
    ("ssh --rate 10kbit/s --rtt 20ms", ["8.94 to 9.66 kbit/s (1.11 to 1.21 kB/s) with 2 MiB"], ["Mbit/s"]),
    ("http2 tests/data/measured/receiver.json --rate 100Mbit/s", ["HTTP/2"], []),  # which has the round trip
]  # fmt: skip


@pytest.mark.parametrize(("asked", "words", "absent"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_answers(capsys, asked, words, absent):
    out = " ".join(answered(capsys, "--application", *asked.split()).replace("#", "").split())
    assert [one for one in words if one not in out] == [one for one in absent if one in out] == []


@pytest.mark.parametrize(
    ("rate", "blocks"), [("1.5Mbit/s", "1M count=11"), ("100Mbit/s", "1M count=691"), ("10kbit/s", "1K count=71")]
)
def test_the_check_of_ssh_lasts_a_minute(capsys, rate, blocks):
    """60 s of 1.5 x 1448/1500 = 1.448 Mbit/s are 10.86 MB, 10.36 MiB; at 100 Mbit/s 690.5 MiB, at 10 kbit/s 70.7 KiB.

    A block of 1 MiB would take 14 minutes at 10 kbit/s.
    """
    said = answered(capsys, "--application", "ssh", "--rate", rate, "--rtt", "20ms")
    assert f"bs={blocks} status=none |" in said
    # at the sender, 2 MiB of a window would count as sent at once: the dd of the receiver measures
    assert f"| ssh -o Compression=no HOST 'dd of=/dev/null bs={blocks[:2]}'" in said


def test_losses_leave_a_part_of_the_path(capsys):
    said = answered(capsys, "--application", "ssh", "--rate", "100Mbit/s", "--rtt", "100ms", "--loss", "0.01")
    assert "they carry that rate" in " ".join(said.split())
    assert "fill the path" not in said
