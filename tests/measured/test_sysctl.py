"""Settings of a host: output of `sysctl -a`, and text that cannot be its output."""

from __future__ import annotations

import pytest

from longfat import measured

#: Lines as `sysctl -a` of procps 4.0 printed them on Linux 6.18.44 with 24 GB.
HOST = """\
kernel.osrelease = 6.18.44
net.core.rmem_max = 4194304
net.ipv4.tcp_mem = 287901\t383869\t575802
net.ipv4.tcp_moderate_rcvbuf = 1
net.ipv4.tcp_rmem = 4096\t131072\t33554432
net.ipv4.tcp_window_scaling = 1
net.ipv4.tcp_wmem = 4096\t16384\t4194304
vm.swappiness = 60
"""


def test_settings(written):
    (found,) = measured.read_each(written(HOST))
    assert (found.kind, found.kernel, found.figures.rate) == ("sysctl -a", "6.18.44", None)
    assert found.numbers["net.ipv4.tcp_rmem"] == (4096, 131072, 33554432)
    assert found.numbers["net.ipv4.tcp_mem"] == (287901, 383869, 575802)
    assert "net.core.rmem_max" not in found.numbers


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("4096\t131072\t33554432", "4096\t131072", r"holds '4096\t131072', must hold 3 numbers"),
        ("4096\t131072\t33554432", "4096 many 33554432", "must hold 3 numbers"),
        ("4096\t131072\t33554432", "4096 131072 -1", "must hold 3 numbers"),
        ("tcp_window_scaling = 1", "tcp_window_scaling = ", "tcp_window_scaling holds '', must hold 1 number"),
        ("net.ipv4.tcp_wmem", "net.ipv4.udp_wmem", "lacks net.ipv4.tcp_wmem"),
        ("vm.", "net.ipv4.tcp_rmem = 4096 131072 6291456\nvm.", "holds two values of net.ipv4.tcp_rmem"),
        # 4194304 cut after four digits
        ("304\nvm.swappiness = 60\n", "", "ends within the line of net.ipv4.tcp_wmem: was it cut off"),
    ],
)
def test_text_that_is_no_output_of_sysctl_is_refused(refused, old, new, words):
    assert old in HOST
    refused(HOST.replace(old, new), words)


def test_a_host_says_nothing_of_the_path(written):
    ping = "tests/data/ping.txt"
    assert measured.read(written(HOST), ping).round_trip_time == measured.read(ping).round_trip_time
