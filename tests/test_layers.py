"""Layers of a packet: sizes and rates by hand, and the table of the documentation."""

import csv
from pathlib import Path

import pytest

from longfat import measured
from longfat.base.layers import LAYERS, MEANINGS, full_ethernet, header_bytes, layer_sizes, rate_at
from longfat.laws.tcp import achievable_throughput

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("mtu", "options", "sizes"),
    [
        # 20 + 20 + 12 below the data; a frame has 14 + 4 more, the wire 8 + 12 more
        (1500, {}, (1448, 1500, 1514, 1518, 1538)),
        (9000, {}, (8948, 9000, 9014, 9018, 9038)),
        (1500, {"time_stamps": False}, (1460, 1500, 1514, 1518, 1538)),
        (1500, {"ip_version": 6}, (1428, 1500, 1514, 1518, 1538)),
        (1500, {"tags": 1}, (1448, 1500, 1514, 1522, 1542)),
        (1500, {"tags": 2}, (1448, 1500, 1514, 1526, 1546)),
        (1500, {"pppoe": True}, (1440, 1492, 1514, 1518, 1538)),
        (1508, {"pppoe": True}, (1448, 1500, 1522, 1526, 1546)),  # RFC 4638
        (1500, {"transport": "UDP"}, (1472, 1500, 1514, 1518, 1538)),
        (1500, {"tunnel": "GRE"}, (1424, 1500, 1514, 1518, 1538)),  # an inner packet of 1476
        (1500, {"tunnel": "VXLAN"}, (1398, 1500, 1514, 1518, 1538)),  # of 1450
        (1500, {"tunnel": "WireGuard"}, (1388, 1500, 1514, 1518, 1538)),  # of 1440
        (1500, {"tunnel": "ESP"}, (1394, 1500, 1514, 1518, 1538)),  # of 1446
        (1500, {"data": 100}, (100, 152, 166, 170, 190)),
    ],
)
def test_sizes_by_hand(mtu, options, sizes):
    assert layer_sizes(mtu, **options) == dict(zip(LAYERS, sizes, strict=True))


def test_the_rates_of_one_gigabit_link():
    """A question to iperf3's authors (esnet/iperf, 480) has 986.99 and 975.29 Mbit/s for one link of 1 Gbit/s.

    1518/1538 = 0.986996 (cut off, not rounded) are Ethernet's frames, 1500/1538 = 0.975293 the packets of IP. iperf3
    itself counts data: 1448/1538 = 0.941482, and 1460/1538 = 0.949285 without time stamps.
    """
    assert int(100 * rate_at(1000, "wire", "Ethernet")) / 100 == 986.99
    assert round(rate_at(1000, "wire", "IP"), 2) == 975.29
    assert round(rate_at(1000, "wire", "data"), 2) == 941.48
    assert round(rate_at(1000, "wire", "data", time_stamps=False), 2) == 949.28
    assert rate_at(rate_at(7.0, "IP", "wire", 9000), "wire", "IP", 9000) == pytest.approx(7.0, rel=1e-14)


def test_headers_by_hand():
    assert (header_bytes("IP"), header_bytes("tc", "IP"), header_bytes("wire")) == (52, 14, 90)
    assert header_bytes("wire", time_stamps=False) == 78  # RFC 6349, section 4.1.1
    assert float(achievable_throughput(1e9, 1460)) == pytest.approx(rate_at(1e9, "wire", "data", time_stamps=False))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rate_at(1.0, "wire", "frame"), "to 'frame' is unknown"),
        (lambda: rate_at(1.0, "line", "IP"), "of 'line' is unknown"),
        (lambda: rate_at(-1.0, "wire", "IP"), r"rate = -1 bytes/s is out of range: must be in \[0, inf\) bytes/s"),
        (
            lambda: rate_at(1.0, "wire", "IP", 100),
            r"mtu = 100 bytes is out of range: must be an integer in \[576, 65535\]",
        ),
        (lambda: layer_sizes(ip_version=5), "ip_version = 5 is out of range: must be 4 or 6"),
        (lambda: layer_sizes(tags=3), r"tags = 3 is out of range: must be an integer in \[0, 2\]"),
        (lambda: layer_sizes(tunnel="gre"), "tunnel 'gre' is unknown"),
        (lambda: layer_sizes(transport="SCTP"), "transport 'SCTP' is unknown"),
        (lambda: layer_sizes(data=0), r"data = 0 bytes is out of range: must be in \[1, 65535\] bytes"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_tables_in_the_documentation():
    page = (ROOT / "docs" / "measured.md").read_text()
    assert "\n".join(f"| {name} | {meaning} |" for name, meaning in MEANINGS.items()) in page
    table = csv.reader((ROOT / "docs" / "data" / "layers.csv").read_text().splitlines()[1:])
    stored = {name: rates for name, *rates in table}
    links = {
        "MTU 1500, IPv4, TCP with time stamps": {},
        "jumbo frames": {"mtu": 9000},
        "without time stamps": {"time_stamps": False},
        "IPv6": {"ip_version": 6},
        "a tag": {"tags": 1},
        "PPPoE": {"pppoe": True},
        "GRE": {"tunnel": "GRE"},
        "VXLAN": {"tunnel": "VXLAN"},
        "WireGuard": {"tunnel": "WireGuard"},
        "ESP": {"tunnel": "ESP"},
    }
    assert stored == {
        name: [f"{rate_at(1000, 'wire', layer, **options):.2f}" for layer in LAYERS] for name, options in links.items()
    }
    assert all(f"{rate} Mbit/s" in page for rate in stored["MTU 1500, IPv4, TCP with time stamps"][:4])


def test_the_layer_of_a_measured_rate():
    data = ROOT / "tests" / "data" / "measured"
    kinds = {"clean-1.json": "data", "clean.ss": "data", "policed.pcap": "data", "tbf.tc": "tc"}
    kinds |= {"lossy-udp.json": "data", "simulated.sqlog": "IP", "ndt7-client.jsonl": "data"}
    assert {name: measured.read(data / name).rate_layer for name in kinds} == kinds
    # A merged rate keeps its layer.
    assert measured.read(data / "idle.ping", data / "tbf.tc").rate_layer == "tc"
    assert measured.read(data / "tbf.tc", data / "clean-1.json").rate_layer == "data"


@pytest.mark.parametrize(
    ("rate", "data", "name"),
    [
        # data of 1538 bytes on the wire: 1448 with time stamps, 1460 without, 1428 and 1440 over IPv6; 8948 of 9038
        (94.15, 1448, "Fast Ethernet"),
        (949.28, 1460, "Gigabit Ethernet"),
        (928.48, 1428, "Gigabit Ethernet"),
        (936.28, 1440, "Gigabit Ethernet"),
        (990.04, 8948, "Gigabit Ethernet"),
        (2353.7, 1448, "Ethernet of 2.5 Gbit/s"),
        (94148.0, 1448, "Ethernet of 100 Gbit/s"),
        (936.0, 1448, None),  # 0.6 % less
        (975.29, 1448, None),
    ],
)
def test_data_that_fills_an_ethernet(rate, data, name):
    assert full_ethernet(rate * 1e6 / 8, data) == name
