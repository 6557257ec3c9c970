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
def test_rates_of_real_pairs_lie_between(  # the pings were up to 12 % (20 ms) and 3 % above the least
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
@pytest.mark.parametrize("rate", ["50Mbit/s", "200Mbit/s", "1Gbit/s", "100Gbit/s"])
@pytest.mark.parametrize("trip", ["10ms", "40ms", "120ms", "300ms"])
def test_no_line_lowers_a_default(capsys, name, rate, trip):
    out = answered(capsys, "--application", name, "--rate", rate, "--rtt", trip)
    found = {word: int(number) for word in HAVE for number in re.findall(re.escape(word) + "([0-9]+)", out)}
    assert "nothing to set" in out or found
    for word, number in found.items():
        assert number >= HAVE[word], word


def test_a_default_that_is_as_large_has_no_line():
    one = Default("", MIB, "", lines=("{window}",))
    assert [one.raised_to(window, 2**31 - 1) for window in (MIB - 1, MIB, MIB + 1)] == [[], [], ["1048577"]]


def test_lines_are_for_small_defaults_alone(capsys):
    """50 Mbit/s and 40 ms need 472 KiB: Go (1 MiB), HAProxy 3.1 (1600 KiB) and Envoy (16 MiB) have more."""
    out = answered(capsys, "--application", "http2", "--rate", "50Mbit/s", "--rtt", "40ms")
    assert "initialWindowSize: 483328" in out
    assert not any(word in out for word in ("MaxReceiveBuffer", "rxbuf", "initial_stream_window_size"))


def test_the_connection_has_half_as_much_again(capsys):
    """1 Gbit/s and 100 ms: 24 MiB for the stream, 36 MiB for the connection."""
    out = answered(capsys, "--application", "http2", "--rate", "1Gbit/s", "--rtt", "100ms")
    assert "MaxReceiveBufferPerStream: 25165824, MaxReceiveBufferPerConnection: 37748736" in out


def test_the_largest_window_promises_what_it_carries(capsys):
    """Stream and connection have 2^31 - 1 bytes: 1.5 u/(R + u/2C), with u = 2^30, R = 0.3 s and C = 94.1 Gbit/s."""
    out = answered(capsys, "--application", "http2", "--rate", "100Gbit/s", "--rtt", "300ms")
    assert "2,147,483,647 bytes (lines below): 37.3 Gbit/s by law" in out
    assert "as large as HTTP/2 allows" in " ".join(out.replace("#", "").split())


def test_rust_takes_numbers_above_32_bits(capsys):
    out = answered(capsys, "--application", "quic", "--rate", "400Gbit/s", "--rtt", "300ms")
    assert "stream_receive_window(VarInt::from_u64(28960620544).unwrap())" in out
    assert "u32" not in out
    assert ".receive_window(" not in out  # quinn has no limit for the connection


def test_a_window_without_a_gain_has_no_lines(capsys):
    """1,250,000 bytes in 40 ms are 250 Mbit/s if each byte has an update at once, 143 if half of them wait for it."""
    out = answered(capsys, "--application", "quic", "--rate", "200Mbit/s", "--rtt", "40ms")
    assert out.startswith("limit     possibly the window of QUIC: ")
    assert "nothing to set" in out
    assert "no more" not in out
    assert "config" not in out


def test_the_estimates_of_grpc_decide(capsys):
    """1 Gbit/s and 10 ms are 1.25 MB, of the 8 MiB and 16 MiB that grpc-java and grpc-go allow themselves."""
    out = answered(capsys, "--application", "grpc", "--rate", "1Gbit/s", "--rtt", "10ms")
    assert out.startswith("limit     not the window of gRPC: ")
    assert "first 65,535 bytes" in " ".join(out.split())


def test_no_line_that_cpp_overwrites(capsys):
    out = answered(capsys, "--application", "grpc", "--rate", "1Gbit/s", "--rtt", "200ms")
    assert "lookahead" not in out


def test_the_check_and_what_to_expect_have_one_unit(capsys):
    """curl prints bytes/s and dd MB/s: 89.4 and 96.6 Mbit/s over 8, outwards."""
    out = answered(capsys, "--application", "ssh", "--rate", "100Mbit/s", "--rtt", "20ms")
    assert "89.4 to 96.6 Mbit/s (11.1 to 12.1 MB/s) with 2 MiB" in out


def test_a_default_that_fills_the_path_needs_no_lines(capsys):
    out = answered(capsys, "--application", "ssh", "--rate", "100Mbit/s", "--rtt", "20ms")
    assert out.startswith("limit     not the window of SSH")
    assert "nothing to set" in out
    assert "window=" not in out


def test_losses_leave_less_than_the_window_allows(capsys):
    """CUBIC at 1e-4 and 0.2 s: 21 Mbit/s of 94; 2 MiB in 0.2 s are 84."""
    out = answered(capsys, "--application", "ssh", "--rate", "100Mbit/s", "--rtt", "200ms", "--loss", "1e-4")
    assert "not the window of SSH" in out
    assert "which losses make 20.7 Mbit/s" in " ".join(out.split())


def test_a_measurement_gives_rate_and_round_trip(capsys):
    out = answered(capsys, "tests/data/measured/receiver.json", "--application", "http2", "--rate", "100Mbit/s")
    assert "HTTP/2" in out


def test_no_file_is_promised(tmp_path, capsys):
    words = ["window", "--application", "http2", "--rate", "1Gbit/s", "--rtt", "1ms", "--output", str(tmp_path / "new")]
    assert cli.main(words) == 2
    assert "--application excludes --output" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_several_flows_are_refused(capsys):
    words = ["window", "--application", "http2", "--rate", "1Gbit/s", "--rtt", "1ms", "--flows", "4"]
    assert cli.main(words) == 2
    assert "--application excludes --flows" in capsys.readouterr().err


def test_an_unknown_application_is_refused(capsys):
    assert cli.main(["window", "--application", "http3", "--rate", "1Gbit/s", "--rtt", "1ms"]) == 2
    assert "http3" in capsys.readouterr().err
