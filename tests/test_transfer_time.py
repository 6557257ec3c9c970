"""Transfer times of a file: `longfat window --transfer-size` and its law, against rounds counted by hand."""

from dataclasses import replace

import pytest

from longfat.cli import main, window_tcp
from longfat.design import tcp_windows
from longfat.design.senders import SENDERS
from longfat.design.tcp import TcpPath


def path(rate, trip):
    return TcpPath(rate, trip, 1250, SENDERS["cubic"], buffer=4.0)


@pytest.mark.parametrize("trip", [0.02, 0.1, 0.3, 0.7])
def test_rounds_by_hand(trip):
    """150 packets from a window of ten are rounds of 10, 20, 40 and 80, each of which takes a round trip and a packet.

    A packet takes 0.1 ms at 12.5 MB/s, so that no round fills a path of 200 packets or more: four round trips, a packet
    of three rounds and the 80 packets of the last.
    """
    law, simulated = path(12.5e6, trip).transfer_time(150 * 1250, 0.0)
    by_hand = 4 * trip + 83 * 1e-4
    assert law == pytest.approx(by_hand, rel=1e-12)
    assert simulated == pytest.approx(by_hand, rel=1e-9)


def test_a_packet_of_a_slow_link_takes_its_time_and_a_round_trip():
    """1250 bytes at 10 kbit/s take a second, after which acknowledgment and propagation take the 0.8 s of ping."""
    law, simulated = path(1250.0, 0.8).transfer_time(1250, 0.0)
    assert law == pytest.approx(1.8, rel=1e-12)
    assert simulated == pytest.approx(1.8, rel=1e-9)


def test_the_last_packet_has_the_rest_of_the_data():
    """One byte and 40 bytes of headers take 41/1250 s; 1251 bytes are a packet of 1290 bytes, and that one behind it.

    The rate of data is that of 1250 in 1290 bytes.
    """
    slow = path(1250.0 * 1250 / 1290, 0.3)
    assert slow.transfer_time(1, 0.0, 40.0) == pytest.approx((0.3 + 41 / 1250,) * 2, rel=1e-9)
    assert slow.transfer_time(1251, 0.0, 40.0) == pytest.approx((0.3 + (1290 + 41) / 1250,) * 2, rel=1e-9)


def test_a_byte_takes_the_time_of_its_headers(capsys):
    """At 10 kbit/s the byte and headers of 52 bytes (IP) to 90 (Ethernet) take 42.4 to 72.8 ms, after 300 ms."""
    call = ["window", "--rate", "10kbit/s", "--rtt", "300ms", "--transfer-size", "1B", "--no-simulation"]
    assert main(call) == 0
    said = capsys.readouterr().out.split("transfer  1 B alone on the path: ")[1]
    assert 342.4 < float(said.split(" ms by")[0]) < 372.8


def test_losses_take_longer():
    law, simulated = path(12.5e6, 0.1).transfer_time(5e6, 0.01)
    assert simulated > 2 * law
    _, simulated = replace(path(12.5e6, 0.1), buffer=0.05).transfer_time(5e6, 0.0)
    assert simulated > 2 * law  # slow start overflows 50 packets


@pytest.mark.parametrize(("losses", "is_random"), [([0.0, 0.05], False), ([0.05, 0.0], True)])
def test_the_first_of_the_losses_is_simulated(losses, is_random):
    answer = next(tcp_windows.answers(
        rate=1e6, round_trip_time=0.05, loss=losses, scheme="cubic", flows=1, target=0.9, segment=1448, buffer=1.0,
        replications=2, confidence=0.95, rng=1,
    ))  # fmt: skip
    said = " ".join(window_tcp.transfer(answer, 1e5, simulate=True).split())
    assert ("in one run, others differ" in said) == is_random


def test_the_line(capsys):
    call = ["window", "--rate", "100Mbit/s", "--rtt", "100ms", "--no-simulation"]
    assert main(call) == 0
    assert "transfer  " not in capsys.readouterr().out
    assert main([*call, "--transfer-size", "10MB"]) == 0
    said = capsys.readouterr().out
    assert "transfer  10 MB alone on the path: " in said
    assert "s simulated" not in said
    assert main([*call[:-1], "--transfer-size", "10MB"]) == 0
    assert "s simulated" in capsys.readouterr().out
    assert main([*call[:-1], "--transfer-size", "1TB"]) == 0
    said = capsys.readouterr().out
    assert "1 TB alone on the path: " in said
    assert "s simulated" not in said  # 7e8 packets


def test_ranges_have_the_rate_of_the_link(capsys):
    """1 GB at 100 Mbit/s takes 80 s and the time of headers, whatever the range of the round-trip time is.

    With Ethernet's headers it is 80 s x 1538/1448 = 84.97 s, with IP's 80 s x 1500/1448 = 82.87 s; slow start adds a
    few round trips.
    """
    call = ["window", "--rate", "100Mbit/s", "--transfer-size", "1GB", "--no-simulation"]
    for trip in ("10ms..90ms", "10ms", "90ms"):
        assert main([*call, "--rtt", trip]) == 0
        said = capsys.readouterr().out.split("transfer  1 GB alone on the path: ")[1]
        assert 82.87 < float(said.split(" s by")[0]) < 84.97, trip
