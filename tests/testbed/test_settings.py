"""Settings of hosts and routes, and the record that Linux keeps of a connection."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from longfat.testbed import hosts, one_run, settings
from longfat.testbed.one_run import Trust
from longfat.testbed.plan import Connection


def test_settings_of_hosts_and_sockets_are_told_apart():
    given = {"tcp_recovery": 0, "net.core.somaxconn": 8, "SO_SNDBUF": 100_000}
    assert settings.of_hosts(given) == {"ipv4/tcp_recovery": 0, "core/somaxconn": 8}
    assert settings.socket_options(given) == {"SO_SNDBUF": 100_000}


@pytest.mark.parametrize(
    ("connection", "there", "back"),
    [
        ({"initial_window": 3}, "mtu 1500 initcwnd 3 rto_min 200ms", "mtu 1500"),
        ({"quick": True}, "mtu 1500 initcwnd 10 rto_min 200ms", "mtu 1500 quickack 1"),
        ({"congestion_marks": True}, "mtu 1500 initcwnd 10 rto_min 200ms features ecn", "mtu 1500"),
        ({"control": "dctcp", "congestion_marks": True}, "mtu 1500 initcwnd 10 rto_min 200ms", "mtu 1500"),
    ],
)
def test_each_end_of_a_connection_has_its_metrics(connection, there, back):
    one = Connection(**{"number": 0, "name": "one", "control": "reno", "packet": 1500, "payload": 1460, **connection})
    assert settings.metrics(one, True) == there
    assert settings.metrics(one, False) == back


def test_buffers_hold_more_than_is_in_flight_and_are_bounded():
    """1 MB in flight: 16 MB; 1,000 connections share an eighth of 8 GB, 10 of 200 MB; nobody gets less than 1 MB."""
    assert settings.buffers(1e6, 1) == {"ipv4/tcp_wmem": "4096 16000000 16000000",
                                        "ipv4/tcp_rmem": "4096 16000000 16000000"}  # fmt: skip
    assert settings.buffers(1e6, 1000)["ipv4/tcp_wmem"].endswith(" 1000000")
    assert settings.buffers(1e6, 10, 200e6)["ipv4/tcp_wmem"].endswith(" 2500000")
    assert settings.buffers(1e6, 10_000)["ipv4/tcp_wmem"].endswith(" 1000000")


def test_tcp_info_has_linuxs_layout():
    """Check offsets in struct tcp_info of linux/tcp.h.

    8 bytes, then tcpi_rto as the first of 24 words, tcpi_snd_cwnd as the 19th, tcpi_pacing_rate at 8 + 96 = 104,
    tcpi_bytes_acked at 120, tcpi_delivery_rate at 160, tcpi_total_rto at 240.
    """
    info = bytearray(hosts.LENGTH)
    for offset, form, value in (
        (0, "B", 1), (8, "I", 204_000), (8 + 4 * 18, "I", 77), (104, "Q", 5), (120, "Q", 6), (160, "Q", 7),
        (240, "H", 8), (244, "I", 9),
    ):  # fmt: skip
        struct.pack_into(f"<{form}", info, offset, value)
    (row,) = hosts.table(struct.pack("<qii", 42, 3, 248) + bytes(info))
    assert (row["time"], row["connection"], row["length"], row["state"], row["rto"]) == (42, 3, 248, 1, 204_000)
    assert (row["snd_cwnd"], row["pacing_rate"], row["bytes_acked"], row["delivery_rate"]) == (77, 5, 6, 7)
    assert (row["total_rto"], row["total_rto_time"]) == (8, 9)


@pytest.mark.parametrize(
    ("values", "accepted"),
    [
        ({}, True),
        ({"late": 0.01}, True),
        ({"late": 0.011}, False),
        ({"drops": 1}, False),
        ({"starved": 0.02}, False),
        ({"stood": 0.01, "lateness": {"largest": 0.01}}, True),
        ({"stood": 0.011}, False),
        ({"stood": 0.002, "paced": True}, True),
        ({"stood": 0.0021, "paced": True}, False),
        ({"lateness": {"largest": 0.011}}, False),  # one packet of 1000: its share is not late
    ],
)
def test_a_run_that_the_machine_spoilt_is_not_accepted(values, accepted):
    trust = Trust(**{"late": 0.0, "packets": 1000, "drops": 0, **values})
    assert trust.accepted is accepted
    assert str(trust).startswith(f"{100 * trust.late:.2g} % of 1000 packets were later than 2 ms")


def test_packets_that_a_device_refused_count_as_drops():
    pump = SimpleNamespace(late=0.0, lateness=[1000, 3000], refused=3, real_time=True, stood=0)
    senders, job = SimpleNamespace(dry=1, looks=4), SimpleNamespace(connections=[])
    trust = one_run._trust(pump, 10**9, 2, np.zeros(1, hosts.record()), senders, job)
    assert (trust.drops, trust.packets, trust.starved) == (5, 2, 0.25)
    assert trust.lateness == {"median": 2e-6, "99 %": 2.98e-6, "99.9 %": 3e-6, "largest": 3e-6}
