"""Plans of runs on Linux for scenarios, and options that are refused by name."""

import math

import pytest

from longfat.sim import Network
from longfat.sim.network import traffic
from longfat.testbed.plan import RECEIVERS, SENDERS, plan, refusals, settings_of


def network(*flows, **common):
    net = Network().link("a", "b", rate="20 Mbit/s", delay="20 ms", buffer=33, duplex=True)
    for scheme, options in flows:
        net = net.flow(scheme, path=["a", "b"], **{"packet": 1500, **common, **options})
    return net


def test_a_plan_has_each_copy_with_its_own_start_port_and_addresses():
    net = network(("sack", {"name": "old", "count": 2, "start": 1, "stagger": 2}), ("cubic", {"name": "new"}))
    first, second, third = plan(net)
    assert [one.name for one in (first, second, third)] == ["old-1", "old-2", "new"]
    assert [one.control for one in (first, second, third)] == ["reno", "reno", "cubic"]
    assert [one.start for one in (first, second, third)] == [1.0, 3.0, 0.0]
    assert len({one.port for one in (first, second, third)}) == 3
    assert (first.address(SENDERS), third.address(RECEIVERS)) == ("10.64.0.1", "10.128.0.3")


def test_traffic_without_a_scheme_is_no_connection():
    net = network(("sack", {})).flow(traffic.poisson(rate="1 Mbit/s"), path=["a", "b"])
    assert [one.name for one in plan(net)] == ["sack-1"]


def test_the_defaults_of_a_scheme_become_settings():
    """`sack` begins with 1 packet and acknowledges each; `cubic` with 10 (RFC 6928), every second one acknowledged."""
    old, new = plan(network(("sack", {}), ("cubic", {})))
    assert (old.initial_window, old.quick, old.file, old.stop) == (1, True, None, math.inf)
    assert (new.initial_window, new.quick) == (10, False)
    (given,) = plan(network(("sack", {"parameters": {"initial_window": 4, "delayed_ack": 2, "min_rto": 1}})))
    assert (given.initial_window, given.quick, given.least_timeout) == (4, False, 1.0)


def test_a_file_has_as_many_packets_as_in_the_simulator():
    """10 kB are 7 packets of 1500 bytes; of each, 1460 bytes are data, or 1448 beside time stamps (RFC 7323)."""
    (plain,) = plan(network(("sack", {"file": "10 kB"})))
    assert (plain.payload, plain.file) == (1460, 7 * 1460)
    stamped = network(("sack", {"file": "10 kB", "ack": 52}))
    assert (plan(stamped)[0].payload, plan(stamped)[0].file) == (1448, 7 * 1448)
    assert settings_of(stamped) == {"ipv4/tcp_sack": 1, "ipv4/tcp_timestamps": 1}


def test_newreno_is_linux_without_selective_acknowledgments():
    assert settings_of(network(("newreno", {})))["ipv4/tcp_sack"] == 0
    assert settings_of(network(("sack", {})))["ipv4/tcp_sack"] == 1


@pytest.mark.parametrize(
    ("flows", "words"),
    [
        ([("bbr", {})], "no congestion control like the scheme 'bbr'; the nearest is 'bbr1'"),
        ([("vegas", {})], "no congestion control like the scheme 'vegas'; available are bbr1, cubic"),
        ([("sack", {"ack": 60})], "ack = 60 bytes"),
        ([("sack", {"packet": 100})], "packet = 100 bytes is out of range"),
        ([("sack", {"send_jitter": "1 ms"})], "send_jitter = 0.001 s"),
        ([("sack", {"access_rate": "8 Mbit/s"})], "access_rate = 1e+06 bytes/s: give the path another link"),
        ([("sack", {"parameters": {"delayed_ack": 3}})], "delayed_ack = 3"),
        ([("sack", {"parameters": {"initial_window": 1.5}})], "initial_window = 1.5"),
        ([("sack", {"parameters": {"prr": 0}})], "prr = 0: Linux has 1"),
        ([("sack", {"parameters": {"cwv": 1}})], "Linux has nothing like the parameter 'cwv'"),
        ([("cubic", {"parameters": {"hystart": 0}})], "hystart = 0: Linux has 2"),
        ([("cubic", {"parameters": {"hystart": 1}})], "hystart = 1: Linux has 2"),
        ([("sack", {"parameters": {"hystart": 1}})], "hystart = 1: Linux has 0"),
        ([("bbr1", {"parameters": {"handshake_rtt": 0.1}})], "handshake_rtt = 0.1 s: Linux measures"),
        ([("sack", {"parameters": {"timestamps": 1}})], "timestamps = 1: Linux has 0"),
        ([("sack", {}), ("newreno", {})], "newreno beside another scheme"),
        ([("sack", {}), ("cubic", {"ack": 52})], "different values of ack"),
        ([("sack", {"application": traffic.constant(rate="1 Mbit/s")})], "an application"),
        ([("sack", {"count": 10_001})], "at most 10000"),
    ],
)
def test_options_that_linux_lacks_are_refused_by_name(flows, words):
    net = network(*flows)
    assert any(words in one for one in refusals(net))
    with pytest.raises(ValueError, match="the scenario has features that Linux lacks"):
        plan(net)


def test_options_that_are_rules_of_linux_are_accepted():
    does = {"prr": 1, "rack": 1, "growth_limit": 2, "pacing": 0, "max_rto": 120, "first_rto": 1}
    assert refusals(network(("sack", {"parameters": does}), ("cubic", {"parameters": {**does, "full_reno": 0}}))) == []


def test_a_network_without_schemes_is_refused():
    net = Network().link("a", "b", rate="1 Mbit/s").flow(traffic.poisson(rate="1 kB/s"), path=["a", "b"])
    assert refusals(net) == ["no flow has a congestion-control scheme: there is nothing for Linux to control"]
