"""The buffer of a switch for DCTCP at a marking threshold: the law by steps, the simulator beside it, the command."""

import math

import pytest

from longfat import design
from longfat.design.buffer_laws import ABOVE_THRESHOLD, DctcpLaws, Path
from longfat.sim import queues
from longfat.sim.schemes import linux
from tests.test_design_buffer import effort, flows

LINK = {"rate": "10Gbit/s", "round_trip_time": "100us", "points": 2, "replications": 2, "progress": False}


def by_rounds(packets, threshold, flows):
    """Return the utilisation of synchronised flows, with the cut that Alizadeh and others (2010) give, by steps."""
    window = (packets + threshold) / flows
    low, high = 0.0, 1.0
    for _ in range(60):
        alpha = (low + high) / 2
        low, high = (alpha, high) if alpha**2 * (1 - alpha / 4) < (2 * window + 1) / (window + 1) ** 2 else (low, alpha)
    top = packets + threshold + flows
    total, carried, time = top * (1 - low / 2), 0.0, 0.0
    while total < top:
        stretch = max(total / packets, 1)
        carried += min(total / packets, 1) * stretch
        time += stretch
        total += flows / 1000
    return carried / time


@pytest.mark.parametrize(("packets", "threshold", "flows"), [(1000, 20, 1), (1000, 40, 4), (83, 12, 2)])
def test_the_law_step_by_step(packets, threshold, flows):
    found = DctcpLaws(math.nan, Path(packets, 1e-4), threshold).together(1.0, flows)
    assert found == pytest.approx(by_rounds(packets, threshold, flows), abs=1e-3)


def test_rules_by_hand():
    """12 + 3 = 15 packets of 83; below, or with windows under two packets, there is no law."""
    laws = DctcpLaws(math.nan, Path(83.0, 1e-4), 12.0)
    assert laws.rules(0.95, 3) == {ABOVE_THRESHOLD: 15 / 83, "one BDP": 1.0}
    assert laws.together(15 / 83, 3) > 0.99
    assert math.isnan(laws.together(14 / 83, 3))
    assert math.isnan(laws.together(1.0, 60))
    assert math.isnan(DctcpLaws(math.nan, Path(83.0, 1e-4), 83.0).rules(0.95, 1)["one BDP"])


def test_the_answer():
    """83.33 packets in flight: the threshold is the least integer above 11.9."""
    answer = design.buffer(**LINK, scheme="dctcp", flows=2)
    assert answer.attrs["discipline"] == "step-marking"
    assert answer.attrs["mark_above"] == 12
    assert answer.rule.values.tolist() == [ABOVE_THRESHOLD, "one BDP", "simulated"]
    row = answer.sel(rule="one BDP")
    assert float(row.utilisation) == pytest.approx(float(row.law_synchronised), abs=0.02)
    assert float(answer.buffer_packets.min()) > 12


def test_packets_are_lost_where_the_fluid_loses_none():
    """Each packet acknowledged, so that the least bursts remain: threshold + flows loses, a packet more does not."""
    marked = queues.discipline("step-marking", packets=12)
    one = flows("dctcp", 1, rate=1.25e9, round_trip_time=1e-4, discipline=marked, parameters={"delayed_ack": 1.0})
    assert one.simulate(13, effort())["utilisation_upper"] < 0.95
    assert one.simulate(14, effort())["utilisation_lower"] > 0.99


def test_the_observation_begins_after_the_window_has_grown_again():
    """The first mark halves 3333 + 477 packets (RFC 8257, section 3.3: alpha is 1); 1905 round trips of 100 us follow.

    After 0.5 s a run over this path carries all of it with 480 packets, in its first 0.1 s 0.64.
    """
    marked = queues.discipline("step-marking", packets=477)
    one = flows("dctcp", 1, rate=5e10, round_trip_time=1e-4, discipline=marked, parameters=linux("dctcp"))
    assert one.watch(490)[0] > 0.1905
    assert one.simulate(490, effort())["utilisation_lower"] > 0.99


def test_a_given_threshold_is_not_scaled():
    """Marks above 10 packets and one flow: 11 packets by the rule, on the link of 50 packets that is simulated."""
    answer = design.buffer(
        rate="1Gbit/s", round_trip_time="10ms", scheme="dctcp", mark_above=10, bandwidth_delay_product=50, points=0,
        replications=2, progress=False,
    )  # fmt: skip
    assert answer.attrs["mark_above"] == 10
    assert answer.buffer_packets.sel(rule="threshold + flows") == 11
    assert answer.buffer_packets.sel(rule="one BDP") == 50
