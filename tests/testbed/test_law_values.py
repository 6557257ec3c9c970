"""Which laws apply to a scenario, and with which values."""

import math

import pytest

from longfat import laws
from longfat.sim import Network, queues
from longfat.sim.network import traffic
from longfat.testbed.law_values import law_values, shared

#: ProbeRTT with 4 of 101 packets in flight: nothing for 97/101 of the first round trip and of each of the next five.
PROBED = 1 - 97 / 101 * 6 * 0.0404 / (10 + 97 / 101 * 0.0404 + 0.202)


def network(scheme="sack", buffer=50, loss=0.0, rate="20 Mbit/s", **options):
    """20 Mbit/s with packets of 1000 bytes are 2500 packets/s; a lone packet takes 2 * 20 + 0.4 ms: 101 packets."""
    discipline = options.pop("discipline", "fifo")
    net = Network().link("a", "b", rate=rate, delay="20 ms", buffer=buffer, loss=loss, discipline=discipline)
    return net.flow(scheme, path=["a", "b"], ack_path="ideal", **options)


def found(net, duration=60.0):
    return {(one.quantity, one.law): one for one in law_values(net, duration)}


def test_path_by_hand():
    """Acknowledgments of 40 bytes over a link of 1 Mbit/s take 0.32 ms, less than a packet at the bottleneck."""
    net = network()
    subject = shared(net, net.flows[0])
    assert subject.round_trip_time == pytest.approx(0.0404, rel=1e-12)
    assert subject.path.bandwidth_delay_product == pytest.approx(101, rel=1e-12)
    assert subject.buffer == pytest.approx(50 / 101, rel=1e-12)
    net = Network().link("a", "b", rate="20 Mbit/s", delay="20 ms", buffer="50 kB")
    net.link("b", "a", rate="1 Mbit/s", delay="30 ms").flow("sack", path=["a", "b"])
    subject = shared(net, net.flows[0])
    assert subject.round_trip_time == pytest.approx(0.0504 + 0.00032, rel=1e-12)
    assert subject.buffer_packets == 50


def test_sawtooth():
    values = found(network())
    buffer = 50 / 101
    assert {name for name, _ in values} == {"utilisation", "mean_queue"}
    utilisation = values["utilisation", "tcp.aimd_utilisation_general"]
    assert utilisation.value == pytest.approx(laws.tcp.aimd_utilisation(buffer), rel=1e-12)
    assert (utilisation.of, utilisation.remark) == ("a-b", "")
    queue = values["mean_queue", "tcp.aimd_mean_queue"]
    assert queue.value == pytest.approx(101 * laws.tcp.aimd_mean_queue(buffer, 0.5), rel=1e-12)
    several = found(network(count=10))["utilisation", "tcp.aimd_utilisation_general"]
    assert several.remark == "if all flows lose at the same time"


def test_cubic():
    """At 20 Mbit/s and 40 ms the Reno-friendly region rules, and there is no law of the queue; not at 400 Mbit/s."""
    assert [name for name, _ in found(network("cubic"))] == ["utilisation"]
    values = found(network("cubic", 500, rate="400 Mbit/s"))
    bdp = 50_000 * (0.04 + 2e-5)  # packets/s, s
    expected = laws.cubic.utilisation_general(500 / bdp, bdp, bdp / 50_000)
    assert values["utilisation", "cubic.utilisation_general"].value == pytest.approx(expected, rel=1e-9)
    queue = values["mean_queue", "cubic.mean_queue"]
    assert queue.value == pytest.approx(bdp * laws.cubic.mean_queue(500 / bdp), rel=1e-9)
    assert queue.remark == "without fast convergence"
    assert (
        found(network("cubic", parameters={"fast_convergence": 0}))["utilisation", "cubic.utilisation_general"].remark
        == ""
    )


def test_bbr():
    """ProbeRTT takes five round trips of 40.4 ms with 4 packets in flight, of 101; several flows: one product."""
    one = found(network("bbr1", 200))["utilisation", "bbr.probe_rtt_utilisation"]
    assert one.value == pytest.approx(PROBED, rel=1e-12)
    assert found(network("bbr1", 200, count=2))["mean_queue", "bbr.standing_queue"].value == pytest.approx(101)
    assert law_values(network("bbr", 200)) == []
    mixed = network("bbr1", 200, name="fast").flow("cubic", path=["a", "b"], ack_path="ideal")
    (share,) = law_values(mixed)
    assert (share.quantity, share.of, share.law) == ("goodput", "fast", "bbr.share_refined")
    assert share.value == pytest.approx(2.5e6 * laws.bbr.share_refined(200 / 101, 101), rel=1e-12)


def test_random_loss_by_hand():
    """sqrt(3/(2 0.01))/0.0404 = 303.15 packets/s, of which 0.99 arrive, of 1000 bytes."""
    values = found(network(loss=0.01, count=2))
    one = values["goodput", "tcp.square_root_rate"]
    assert one.value == pytest.approx(1000 * 0.99 * math.sqrt(150) / 0.0404, rel=1e-12)
    assert {value.of for value in law_values(network(loss=0.01, count=2))} == {"sack-1-1", "sack-1-2"}
    timeout = values["goodput", "tcp.pftk_rate"].value / 990
    assert timeout == pytest.approx(laws.tcp.pftk_rate(0.01, 0.0404, 0.2404), rel=1e-12)
    rare = found(network("cubic", math.inf, loss=1e-5, rate="2 Gbit/s"))
    assert [law for _, law in rare] == ["cubic.average_window_random"]
    assert [law for _, law in found(network("cubic", loss=0.01))] == ["cubic.average_window"]
    bbr1 = found(network("bbr1", 500, loss=0.01))["goodput", "bbr.probe_rtt_utilisation"]
    assert bbr1.value == pytest.approx(0.99 * 2.5e6 * PROBED, rel=1e-12)
    # Simulated rates follow the law up to 0.13, and at 0.15 a sixth is missing (tests/test_design_tcp.py)
    assert found(network("bbr1", 500, loss=0.13))
    assert found(network("bbr1", 500, loss=0.15)) == {}
    assert law_values(network(loss=1e-4)) == []  # more than half of the capacity: a queue forms


def test_a_file_alone():
    """100 packets from a window of 10: 10, 20, 40, 30 in rounds of 40.4 ms, the last round in 30 transmissions."""
    net = network(buffer=200, file="100 kB", parameters={"initial_window": 10})
    (one,) = law_values(net)
    assert (one.quantity, one.law) == ("transfer_time", "tcp.slow_start_transfer_time")
    assert one.value == pytest.approx(3 * 0.0404 + 0.0404 + 29 * 0.0004, rel=1e-12)
    assert law_values(network(buffer=20, file="100 kB")) == []  # may overflow
    assert law_values(network(buffer=200, file="100 kB", parameters={"delayed_ack": 2})) == []
    assert law_values(network(buffer=200, file="100 kB", count=2)) == []


@pytest.mark.parametrize(
    "net",
    [
        network().flow(traffic.poisson("1 Mbit/s"), path=["a", "b"]),
        network(stop="10 s"),
        network(send_jitter="1 ms"),
        network(access_rate="10 Mbit/s"),
        network(application=traffic.constant("1 Mbit/s")),
        network(discipline=queues.codel()),
        network("bbr1", 200, count=2, discipline=queues.codel()),
        network(buffer=None),
        network("vegas"),
        network().flow("sack", path=["a", "b"], ack_path="ideal", packet=500),
        Network(),
    ],
    ids=[
        "cross",
        "stop",
        "jitter",
        "access",
        "application",
        "codel",
        "bbr1 and codel",
        "no limit",
        "vegas",
        "packets",
        "nothing",
    ],
)
def test_no_law_applies(net):
    assert law_values(net, 60.0) == []


def test_links_to_which_no_law_applies():
    plain = {"rate": "20 Mbit/s", "delay": "20 ms", "buffer": 50}
    for there, back in (
        ({"jitter": "1 ms"}, {}), ({"rate_changes": [("1 s", "1 Mbit/s")]}, {}), ({}, {"loss": 0.1}),
        ({}, {"rate": "0.5 Mbit/s"}), ({}, {"jitter": "1 ms"}),
    ):  # fmt: skip
        net = Network().link("a", "b", **plain | there).link("b", "a", **plain | back).flow("sack", path=["a", "b"])
        assert law_values(net) == []
