"""The buffer of a switch for CUBIC: the law by steps, the scaling, and the simulator beside the law."""

import math

import numpy as np
import pytest

from longfat import design
from longfat.cli import buffer_text, main
from longfat.design import scaled_path
from longfat.design.buffer_laws import CUBIC_FORM, FULL_LINK, RULES, CubicLaws, Laws, Path, decrease_of, laws_of
from longfat.design.long_flows import sender_of
from longfat.design.switch_buffer import answered
from longfat.sim.schemes import Scheme, scheme
from tests import test_design_buffer
from tests.test_design_buffer import effort

CUBIC = scheme("cubic")
OFF = {"fast_convergence": 0.0}  # as the law assumes


def flows(count=1, **changes):
    return test_design_buffer.flows("cubic", count, **changes)


def by_steps(buffer, packets, round_trip_time, c=0.4, beta=0.7):
    """Return the utilisation by RFC 9438, sections 4.2 and 4.3, step by step; a queue stretches the round trip."""
    top = packets * (1 + buffer)
    k = ((1 - beta) * top / c) ** (1 / 3)
    window = estimate = beta * top
    time = carried = 0.0
    step = min(k, 0.6 * packets * round_trip_time) / 20_000
    while window < top:
        carried += step * min(window / packets, 1)
        estimate += 3 * (1 - beta) / (1 + beta) * step / (round_trip_time * max(window / packets, 1))
        time += step
        window = max(window, estimate, c * (time - k) ** 3 + top if time < k else top)
    return carried / time


@pytest.mark.parametrize(
    ("buffer", "packets", "round_trip_time"), [(0.1, 8333, 0.1), (0.1, 833, 0.01), (0.05, 833, 0.001)]
)
def test_the_law_step_by_step(buffer, packets, round_trip_time):
    """In the cubic region, in both, and in the Reno-friendly one; two flows have half of the packets each."""
    laws = CubicLaws(0.7, Path(packets, round_trip_time), 0.4)
    assert laws.together(buffer, 1) == pytest.approx(by_steps(buffer, packets, round_trip_time), abs=5e-4)
    assert laws.together(buffer, 2) == pytest.approx(by_steps(buffer, packets / 2, round_trip_time), abs=5e-4)


def test_rules_by_hand():
    """0.3/0.7 = 0.428571 never lets the link idle; without a buffer 3.7/4 = 0.925 of the link are used."""
    laws = CubicLaws(0.7, Path(1e6, 0.1), 0.4)
    found = laws.rules(1.0, 16)
    assert list(found) == ["one BDP", "BDP/sqrt(n)", CUBIC_FORM, FULL_LINK, "BDP/3"] == list(laws.holds)
    assert list(found.values()) == pytest.approx([1, 0.25, 0.428571, 0.428571, 1 / 3], abs=1e-6)
    assert laws.rules(0.92, 1)[CUBIC_FORM] == 0
    needed = laws.rules(0.98, 1)[CUBIC_FORM]
    assert by_steps(needed, 1e6, 0.1) == pytest.approx(0.98, abs=1e-3)


def test_the_bound_of_many_flows():
    """By sawtooths at many random times, whose sum is nearly normal: more of the sums lie inside the buffer."""
    random = np.random.default_rng(1)
    laws = CubicLaws(0.7, Path(1e6, 0.1), 0.4)
    for count, products in ((100, 0.02), (64, 0.03)):
        windows = 1 - 0.3 * random.random((20_000, count)) ** 3
        total = windows.mean(1) / 0.925 * (1 + products)
        inside = np.mean(np.abs(total - (1 + products)) < products / 2)
        assert inside - 0.06 < laws.apart(products, count) < inside
    assert math.isnan(laws.apart(0.5, 1))


def test_which_laws_a_scheme_has():
    path = Path(100.0, 0.1)
    assert laws_of(CUBIC, {"c": 0.8}, path) == CubicLaws(0.7, path, 0.8)
    codel = laws_of(CUBIC, {}, path, discipline="codel")  # the law's losses are those of drop tail
    assert list(codel.rules(0.95, 4).values()) == [1, 1 / 2, 1 / 3]
    assert math.isnan(codel.together(0.5, 1))
    assert math.isnan(codel.apart(0.5, 4))
    without = laws_of(CUBIC, {"reno_friendly": 0.0}, path)  # (3 + beta)/4 without a buffer, on any path
    assert without.together(0.0, 1) == pytest.approx(0.925)
    assert laws_of(CUBIC, {}, path).together(0.0, 4) < 0.92  # 25 packets each, W_rf is 64
    assert laws_of(scheme("sack"), {}, path) == Laws(0.5)
    assert Laws(0.5).holds is RULES
    mine = Scheme("cubic", ack=lambda flow, event: flow.window)  # of this name, without its parameters
    assert math.isnan(decrease_of(mine, {}))
    assert type(laws_of(mine, {}, path)) is Laws
    assert [decrease_of(CUBIC, given) for given in ({}, {"beta": 0.8})] == [0.7, 0.8]


# A slower link


def test_packets_and_region_of_a_slower_link():
    """W_rf is 64 packets at 0.1 s and 2030 at 0.01 s (27 0.3/0.4/(1.7 R)^3, square root): twice that is the limit."""
    assert scaled_path.parameters(CUBIC, {}, 129.0, 0.1, 0.5) == pytest.approx({"c": 0.2, "reno_friendly": 0.0})
    assert scaled_path.parameters(CUBIC, {}, 127.0, 0.1, 0.5) == pytest.approx({"c": 1.6})
    assert scaled_path.parameters(CUBIC, {}, 833.0, 0.01, 0.5) == pytest.approx({"c": 1.6})
    off = {"reno_friendly": 0.0}
    assert scaled_path.parameters(CUBIC, off, 833.0, 0.01, 0.5) == pytest.approx({"c": 0.2, "reno_friendly": 0.0})
    assert flows().simulated_bdp == 500
    assert flows(100).simulated_bdp == pytest.approx(8333.3, abs=0.1)
    # A cycle lasts (0.3 833.3/0.4)^(1/3) = 8.55 s or 85.5 round trips, of 10^6/85.5 packets; 1000 flows have 40 each.
    assert flows(100, rate=1.25e9).simulated_bdp == 11_696
    assert flows(1000, rate=1.25e9).simulated_bdp == 40_000
    assert flows().adapted == pytest.approx({"c": 0.024, "reno_friendly": 0.0}, rel=1e-3)
    assert flows(rate=1e6).adapted == {}
    assert flows(discipline="decbit").simulated_bdp == pytest.approx(8333.3, abs=0.1)  # thresholds do not scale
    assert flows(discipline="decbit", most=500, parameters=OFF).adapted == OFF
    whole = {"integer_windows": 1.0}  # a packet is a larger part of a smaller window
    assert flows(parameters=whole).adapted["integer_windows"] == 0
    assert flows(parameters=whole, rate=1e6).adapted == whole


@pytest.mark.parametrize(("rate", "round_trip_time"), [(3e7, 0.1), (1.125e9, 0.001)])
@pytest.mark.parametrize("fast_convergence", [0.0, pytest.param(1.0, marks=pytest.mark.long)])
def test_a_slower_link_shows_the_path(rate, round_trip_time, fast_convergence):
    """2000 packets in the cubic region, and 750 in the Reno-friendly one, beside 500."""
    given = {"rate": rate, "round_trip_time": round_trip_time, "parameters": {"fast_convergence": fast_convergence}}
    full = round(rate * round_trip_time / 1500)
    own, slower = flows(**given, most=full), flows(**given)
    a, b = own.simulate(round(full * 0.1), effort()), slower.simulate(50, effort())
    assert own.simulated_bdp == pytest.approx(full)
    assert slower.simulated_bdp == 500
    assert a["utilisation"] == pytest.approx(b["utilisation"], abs=0.004)
    assert a["queueing_delay"] == pytest.approx(b["queueing_delay"], rel=0.1)


def test_a_slower_link_with_the_same_constant_would_not():
    """The check can fail: with C = 0.4 the sawtooth of 500 packets is as short as 72 round trips, not 184."""
    one = flows(parameters={"reno_friendly": 0.0})
    wrong = flows(rate=500 * 1500 / 0.1)
    assert scaled_path.round_trips(CUBIC, one.adapted, 500.0, 0.1) == pytest.approx(184.2, abs=0.1)
    assert scaled_path.round_trips(CUBIC, wrong.adapted, 500.0, 0.1) == pytest.approx(72.1, abs=0.1)


def test_several_flows_over_a_slower_link_lose_less_often_together():
    """In the round trip of an overflow a flow of 40 packets adds less than a sixth of those that one of 260 adds."""
    path, slower = (flows(16, rate=6.25e7, **more) for more in ({}, {"most": 640}))
    a, b = path.simulate(208, effort(3)), slower.simulate(32, effort(3))
    assert not path.overestimates
    assert slower.overestimates
    assert a["utilisation_upper"] < b["utilisation_lower"]


def test_the_answer_warns_of_a_slower_link_for_several_flows():
    found = answered(
        rate="1Gbit/s", round_trip_time="100ms", flows=[1, 16], bandwidth_delay_product=640, scheme="cubic", points=0,
        replications=2, every_rule=False, progress=False,
    )  # fmt: skip
    assert found.attrs["overestimated_flows"] == [16]
    said = buffer_text.answer(found)
    assert "16 flows: simulated with 640 packets in a BDP. More flows of the path lose together" in said
    found.attrs["overestimated_flows"] = []
    assert "together" not in buffer_text.answer(found)


# The answer


@pytest.mark.parametrize("relative", [0.05, 0.1, 0.25, 0.4286])
def test_one_flow_meets_the_law(relative):
    """The path of the issue, 1 Gbit/s and 100 ms: within the accuracy of 0.005 that the law states."""
    law = CubicLaws(0.7, Path(8333.3, 0.1), 0.4).together(relative, 1)
    found = flows(parameters=OFF).simulate(round(500 * relative), effort())
    assert found["utilisation"] == pytest.approx(law, abs=0.005)
    halving = Laws(0.5).together(relative, 1)
    assert relative > 0.4 or abs(found["utilisation"] - halving) > 0.05


def test_fast_convergence_costs_a_flow_that_is_alone():
    """Where a buffer lets the window before a loss vary by a packet, every other sawtooth ends early."""
    on, off = (flows(parameters=one).simulate(50, effort()) for one in ({}, OFF))
    assert on["utilisation_upper"] < off["utilisation_lower"] - 0.02


def test_what_the_table_says_of_the_sender():
    said = sender_of(CUBIC, {"fast_convergence": 0.0})
    assert said == (
        "initial window 10, an acknowledgment for 2 packets, HyStart++ on, proportional rate reduction on, "
        "RACK-TLP on, fast convergence off, pacing off"
    )
    assert sender_of(scheme("sack"), {}) == (
        "initial window 1, an acknowledgment for each packet, HyStart++ off, proportional rate reduction off, "
        "RACK-TLP off, pacing off"
    )
    assert sender_of(scheme("constant"), {"rate": 1.0}) == ""


def test_the_command(capsys):
    path = ["--rate", "100Mbit/s", "--rtt", "100ms", "--replications", "2", "--verbose"]
    flags = ["--scheme", "cubic", "--flows", "1,2", "--parameter", "initial_window=4"]
    assert main(["buffer", *path, *flags]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "sender    initial window 4, an acknowledgment for 2 packets, HyStart of Linux" in out
    assert "fast convergence on" in out
    assert "fast convergence off" not in out  # also for one flow: hosts do not know that they are alone
    assert "with another C, which keeps C R^3/BDP" in out
    assert FULL_LINK in out
    assert "1  CUBIC without fast convergence " in out  # the row of the law says what it assumes
    assert "not covered" not in out


def test_attributes_and_several_curves():
    data = design.buffer(
        rate="1Gbit/s", round_trip_time="10ms", scheme="cubic", flows=[1, 4], bandwidth_delay_product=60, points=2,
        replications=2, progress=False,
    )  # fmt: skip
    assert data.dense_synchronised.dims == ("flows", "law_buffer")  # windows of a quarter are nearer to Reno's
    assert (data.dense_synchronised[0] >= data.dense_synchronised[1]).all()
    assert data.attrs["decrease"] == 0.7
    assert data.attrs["kept"].startswith("C R^3 BDP^2")


def test_no_law_beside_another_discipline():
    data = design.buffer(
        rate="10Mbit/s", round_trip_time="20ms", scheme="cubic", discipline="codel", points=2, replications=2,
        share=0.5, progress=False,
    )  # fmt: skip
    assert "AIMD closed form" not in data.rule.values
    assert CUBIC_FORM not in data.rule.values
    assert np.isnan(data.law_synchronised).all()
    assert np.isnan(data.dense_synchronised).all()
    assert np.isfinite(data.curve_utilisation).all()
    assert "beside codel the simulation decides" in data.attrs["about"]
