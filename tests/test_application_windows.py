"""`longfat window --application`: windows of HTTP/2, gRPC, QUIC and SSH by hand, and what people have measured."""

import pytest

from longfat import cli
from longfat.design.application_windows import APPLICATIONS, BELOW, MIB
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
def test_the_answer_is_short_and_has_the_window_in_every_line(capsys, name):
    out = answered(capsys, "--application", name, "--rate", "1Gbit/s", "--rtt", "100ms")
    assert len(out.splitlines()) <= 20
    assert out.startswith(f"limit     window of {APPLICATIONS[name].title}: ")
    assert out.count(str(24 * MIB)) >= len(APPLICATIONS[name].settings)
    assert "expect    " in out
    assert all(len(line) <= 116 for line in out.splitlines())


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


def test_an_unknown_application_is_refused(capsys):
    assert cli.main(["window", "--application", "http3", "--rate", "1Gbit/s", "--rtt", "1ms"]) == 2
    assert "http3" in capsys.readouterr().err
