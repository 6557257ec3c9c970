"""The buffer of a switch: rules and laws by hand, the simulator beside them, the search, refusals, and the picture."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
import xarray as xr

from longfat import design, plot
from longfat.design.arriving_files import ArrivingFiles
from longfat.design.buffer_answer import Goal, line_to_goal, row_of, smallest
from longfat.design.buffer_laws import RULES, Laws, NoLaws, Path, buffer_of_share, decrease_of, laws_of
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import Effort, measured, observed
from longfat.design.search import fitted
from longfat.design.senders import sender
from longfat.laws.tcp import aimd_utilisation_general, buffer_for_utilisation
from longfat.sim import Simulation, queues
from longfat.sim.schemes import Scheme, names, scheme

PATH = {"rate": "1Gbit/s", "round_trip_time": "100ms", "progress": False}
SMALL = {**PATH, "scheme": "reno", "bandwidth_delay_product": 50, "points": 2, "replications": 2}
NO_LAW = math.nan


@pytest.mark.parametrize(
    ("name", "expected"),
    # 1.46 x 83,333/2 = 60,833 round trips of 100 ms, and of up to 0.75 x 46 ms in the queue; CUBIC's K is
    # (0.3 x 121,667/0.4)^(1/3) = 45.02 s
    [
        ("reno", 60833.3 * 0.1345),
        ("cubic", 45.02 * 1.345),
        ("dctcp", 1.01 * 29.0 * 0.1),
        *((name, math.nan) for name in ("bbr1", "vegas", "tahoe", "xcp", "gaimd-window")),  # windows grow otherwise
    ],
)
def test_the_time_between_two_losses_is_that_of_the_path(name, expected):
    """At 10 Gbit/s and 100 ms, 83,333 packets, even if 200 of them are simulated; the rows of the answer have it.

    DCTCP marks above 833 packets: sqrt(84,166/(2 x 50)) = 29.0 round trips of 1.01 x 100 ms for 50 flows.
    """
    chosen, parameters = sender(name)
    queue = queues.discipline("step-marking", packets=833) if name == "dctcp" else "fifo"
    one = LongFlows(
        1.25e9, 0.1, 1500, flows=50 if name == "dctcp" else 1, scheme=chosen, parameters=parameters, discipline=queue
    )  # fmt: skip
    assert one.cycle(0.46) == pytest.approx(expected, rel=2e-3, nan_ok=True)
    laws = laws_of(chosen, parameters, Path(one.bandwidth_delay_product, 0.1))
    assert row_of(one, 0.46, {}, 0.95, laws, 1.0)["cycle"] == pytest.approx(expected, rel=2e-3, nan_ok=True)
    assert math.isnan(row_of(one, math.nan, {}, 0.95, laws, 1.0)["cycle"])


def effort(replications=2):
    return Effort(7, replications, 0.95, lambda done: None)


def flows(name, count, **changes):
    given = {"rate": 1.25e8, "round_trip_time": 0.1, "packet": 1500, "flows": count, "scheme": scheme(name)}
    return LongFlows(**{**given, **changes})


@pytest.fixture(scope="module")
def answer():
    return design.buffer(**SMALL)


@pytest.fixture(scope="module")
def power():
    path = {"rate": "30Mbit/s", "round_trip_time": "6ms", "packet": 500, "progress": False}
    return design.buffer(**path, file="10kB", scheme="sack", loads=[0.5, 0.8], points=2, replications=2)


# Rules and laws


def test_rules_by_hand():
    """U = 0.95: y^2 = 0.75 0.05/0.95, y = 0.198680, B = 1/0.698680 - 1 = 0.431270."""
    found = Laws(0.5).rules(0.95, 16)
    assert list(found) == list(RULES)
    assert list(found.values()) == pytest.approx([1, 0.25, 0.431270, 1 / 3], abs=1e-6)
    assert math.isnan(Laws(NO_LAW).rules(0.95, 16)["AIMD closed form"])
    assert buffer_of_share(0.7, 0.5) == 0  # a link without any buffer is full for 3/4 of the time
    assert buffer_of_share(1, 7 / 8) == pytest.approx(1 / 7)


@pytest.mark.parametrize("share", [0.76, 0.9, 0.99, 0.9999, 1.0])
def test_the_closed_form_inverted(share):
    assert buffer_of_share(share, 0.5) == pytest.approx(buffer_for_utilisation(share), rel=1e-12)
    above = max(share, 0.94)  # (1 + 7/8)/2 = 0.9375 without a buffer
    assert aimd_utilisation_general(buffer_of_share(above, 7 / 8), 7 / 8) == pytest.approx(above, rel=1e-12)
    assert Laws(0.5).together(buffer_of_share(share, 0.5), 1) == pytest.approx(share, rel=1e-12)


def test_the_bound_of_many_flows():
    """By random windows, each uniform from 2/3 to 4/3 of its mean, whose sum lies inside the buffer or not."""
    random = np.random.default_rng(1)
    for count, products, beta in ((100, 0.1, 0.5), (16, 0.25, 0.5), (64, 0.05, 0.75)):
        windows = random.uniform(2 * beta / (1 + beta), 2 / (1 + beta), (20_000, count)).mean(1) * (1 + products)
        inside = np.mean(np.abs(windows - (1 + products)) < products / 2)
        assert Laws(beta).apart(products, count) == pytest.approx(inside, abs=0.01)
    assert Laws(0.5).apart(0.1, 100) == pytest.approx(math.erf(1.83712 * 0.1 * 10 / 1.1), abs=1e-5)
    assert math.isnan(Laws(0.5).apart(0.5, 1))
    assert math.isnan(Laws(NO_LAW).apart(0.5, 9))


def test_decrease_factors_of_schemes():
    assert [decrease_of(scheme(one), {}) for one in ("reno", "newreno", "sack")] == [0.5] * 3
    assert decrease_of(scheme("gaimd-window"), {}) == 7 / 8
    assert all(math.isnan(decrease_of(scheme(one), {})) for one in ("tahoe", "vegas", "tfrc"))


# The simulator beside the laws


@pytest.mark.parametrize("name", ["reno", "newreno", "sack"])
def test_one_flow_meets_the_closed_form(name):
    """Within 2 % of the law: 81.8, 89.3, 96.4 and 100 %, with a bandwidth-delay product of 150 packets."""
    for relative, expected in ((0.1, 0.818), (0.25, 0.893), (0.5, 0.964), (1.0, 1.0)):
        found = flows(name, 1, most=150).simulate(round(150 * relative), effort())
        assert found["utilisation"] == pytest.approx(expected, rel=0.02)
        assert found["utilisation_lower"] <= found["utilisation"] <= found["utilisation_upper"] <= 1


def test_where_product_over_root_n_holds():
    """16 flows, a quarter of a product: with equal round-trip times all lose together and the rule fails."""
    wide = flows("sack", 16, spread=0.1).simulate(160, effort(3))
    equal = flows("sack", 16, spread=0.0).simulate(160, effort(2))
    assert wide["utilisation"] > Laws(0.5).apart(0.25, 16)  # 0.962
    assert equal["utilisation_upper"] < Laws(0.5).apart(0.25, 16)
    assert equal["utilisation"] == pytest.approx(Laws(0.5).together(0.25, 1), rel=0.03)  # 0.893


def test_the_scale_does_not_matter():
    small, large = (flows("reno", 1, most=most).simulate(most // 4, effort()) for most in (120, 400))
    assert small["utilisation"] == pytest.approx(large["utilisation"], abs=0.01)
    assert small["queueing_delay"] == pytest.approx(large["queueing_delay"], rel=0.1)


# Files


def small_files(**changes):
    given = {"rate": 5e6, "round_trip_time": 0.04, "packet": 500, "file": 2000.0, "scheme": scheme("reno")}
    return ArrivingFiles(**{**given, "loads": (0.01,), "arrivals": 100, **changes})


def test_files_on_an_empty_path():
    """Four packets of 500 B at 40 Mbit/s over 40 ms: windows of 1, 2 and 1 packets, 120.1 ms."""
    found = small_files().simulate(400, effort())
    assert found["response_time"] == pytest.approx(0.1202, rel=0.005)
    assert found["throughput"] == pytest.approx(0.01 * 5e6, rel=0.3)  # 100 arrivals, one standard deviation is a tenth
    assert found["power"] == pytest.approx(found["throughput"] / found["response_time"], rel=0.02)
    assert found["transfers"] == pytest.approx(25 * 0.1202, rel=0.3)  # Little: 1 % of 5 MB/s is 25 files a second
    assert found["best_load"] == 0.01


def test_power(power):
    assert power.attrs["criterion"] == "power"
    assert float(power.curve_powers.max()) <= power.attrs["attainable"] <= power.attrs["first_come_ceiling"]
    assert (power.share <= 1 + 1e-12).all()
    assert float(power.curve_share[-1]) == pytest.approx(1, abs=0.05)
    chosen = power.sel(rule="simulated")
    assert float(chosen.share_lower) >= 0.95
    assert str(chosen.status.values) == "reached"
    below = power.curve_buffer_bdp < chosen.buffer_bdp
    assert (power.curve_share_lower.where(below, 0) < 0.95).all()
    # n of the rule: the mean number of transfers in progress at the greatest power
    in_progress = float(power.curve_transfers[int(power.curve_power.values.argmax())])
    assert float(power.buffer_bdp.sel(rule="BDP/sqrt(n)")) == pytest.approx(max(1, in_progress) ** -0.5)
    assert np.isnan(power.law_synchronised).all()  # no law of power over the buffer


def test_power_with_an_access_line_is_less():
    slow = small_files(file=20_000.0, loads=(0.3,), access_rate=1e5).simulate(400, effort())
    fast = small_files(file=20_000.0, loads=(0.3,)).simulate(400, effort())
    assert slow["response_time"] > 0.2  # 20 kB at 100 kB/s
    assert slow["power"] < fast["power"]


def test_nothing_completed_says_so():
    with pytest.raises(ValueError, match="no file was completed"):
        design.buffer(
            rate="1Mbit/s", round_trip_time="10ms", file="1MB", scheme="constant", parameters={"rate": 1.0},
            loads=[0.5], points=2, replications=2, progress=False,
        )  # fmt: skip


# The answer


def test_the_answer(answer):
    assert answer.rule.values.tolist() == [*RULES, "simulated"]
    # whole packets of 1500 bytes
    assert answer.buffer_bytes.values == pytest.approx(1500 * np.round(answer.buffer_bdp * 12.5e6 / 1500))
    assert answer.buffer_packets.sel(rule="one BDP") == 8333  # 12.5 MB/1500 B = 8333.3
    chosen = answer.sel(rule="simulated")
    assert float(chosen.utilisation_lower) >= 0.95
    assert 0.4 < float(chosen.buffer_bdp) < 0.6  # 0.431 by the law; windows of few packets, two runs
    assert answer.share.values == pytest.approx(answer.utilisation.values, nan_ok=True)
    assert str(answer.status.sel(rule="BDP/3").values) == "not reached"
    for name in ("buffer_bytes", "buffer_packets", "utilisation", "queueing_delay", "law_synchronised"):
        assert answer[name].attrs["units"]
        assert answer[name].attrs["long_name"]
    assert answer.attrs["attainable"] == 1.0


def test_several_numbers_of_flows_and_a_scheme_without_a_law():
    answer = design.buffer(**{**SMALL, "scheme": "vegas", "flows": [1, 2], "share": 0.9})
    assert answer.flows.values.tolist() == [1, 2]
    assert np.isnan(answer.buffer_bdp.sel(rule="AIMD closed form")).all()
    assert (answer.utilisation.sel(rule="one BDP") > 0.9).all()
    assert np.isnan(answer.law_synchronised).all()


def test_the_same_seed_gives_the_same_answer(answer):
    assert answer.attrs["seed"] == "0"  # by default
    xr.testing.assert_identical(answer, design.buffer(**SMALL, rng=int(answer.attrs["seed"])))


def test_the_answer_does_not_depend_on_the_rules_that_are_left_out(answer):
    short = design.buffer(**SMALL, every_rule=False)
    skipped = short.sel(rule="BDP/3")
    assert (str(skipped.status.values), float(skipped.buffer_bdp)) == ("not simulated", pytest.approx(1 / 3))
    assert np.isnan(skipped.utilisation)
    rest = [rule for rule in answer.rule.values if rule != "BDP/3"]
    xr.testing.assert_identical(short.sel(rule=rest), answer.sel(rule=rest))


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [(0.95, 0.99, "reached"), (0.94, 0.95, "uncertain"), (0.90, 0.94, "not reached"), (math.nan, 1, "not simulated")],
)
def test_a_row_by_hand(low, high, status):
    """A BDP of 8333.3 packets; 0.431270 of it fills 0.95 of the link by the closed form."""
    row = row_of(flows("sack", 4), 0.431270, {"share_lower": low, "share_upper": high}, 0.95, Laws(0.5), 4.0)
    assert row["status"] == status
    assert (row["buffer_packets"], row["buffer_bytes"]) == (3594, 3594 * 1500)
    assert row["law_synchronised"] == pytest.approx(0.95, abs=1e-6)
    assert row["law_desynchronised"] == pytest.approx(math.erf(1.83712 * 0.431270 * 2 / 1.431270), abs=1e-5)


def test_a_row_of_a_threshold_is_that_of_the_simulated_link():
    """Half of 50 packets, where half of the path's BDP is 4167; no buffer is smaller than a packet."""
    marked = flows("sack", 1, discipline=queues.step_marking(packets=8), most=50)
    found = [row_of(marked, one, {}, 0.95, Laws(0.5), 1.0)["buffer_packets"] for one in (0.5, 0.001)]
    assert found == [25, 1]


# Paths that are scaled, and those that are not


@pytest.mark.parametrize("name", ["reno", "newreno", "sack", "gaimd-window"])
def test_sawtooths_are_simulated_on_a_smaller_path(name):
    """1 Gbit/s, 100 ms, 1500 bytes: 8333 packets, of which 200 are simulated, or 40 for each of ten flows."""
    assert flows(name, 1).simulated_bdp == 200
    assert flows(name, 10).simulated_bdp == 400
    assert flows(name, 1, most=300).simulated_bdp == 300  # as asked
    assert flows(name, 1, rate=1e6).simulated_bdp == pytest.approx(1e6 * 0.1 / 1500)  # not a larger one


@pytest.mark.parametrize("name", sorted(set(names()) - {"reno", "newreno", "sack", "gaimd-window", "cubic"}))
def test_other_schemes_are_simulated_on_their_path(name):
    assert flows(name, 1).simulated_bdp == pytest.approx(8333.33, abs=0.01)
    assert flows(name, 1, most=200).simulated_bdp == 200  # as asked


def test_schemes_of_ones_own_are_scale_free_only_if_they_say_so():
    def ack(flow, event):
        return flow.window + event.acked / flow.window

    silent = Scheme("mine", ack=ack)
    assert flows("reno", 1, scheme=silent).simulated_bdp == pytest.approx(8333.33, abs=0.01)
    assert flows("reno", 1, scheme=dataclasses.replace(silent, scale_free=True)).simulated_bdp == 200


@pytest.mark.parametrize("option", ["hystart", "pacing", "cwv"])
def test_options_with_times_do_not_scale(option):
    assert flows("sack", 1, parameters={option: 1.0}).simulated_bdp == pytest.approx(8333.33, abs=0.01)
    assert flows("sack", 1, parameters={option: 0.0, "rack": 1.0}).simulated_bdp == 200


def test_a_threshold_in_packets_does_not_scale():
    assert flows("reno", 1, discipline="decbit").simulated_bdp == pytest.approx(8333.33, abs=0.01)


def test_the_sawtooth_of_drop_tail_is_no_law_beside_another_discipline():
    path = Path(100.0, 0.1)
    red = laws_of(scheme("sack"), {}, path, discipline="red")
    assert type(red) is NoLaws
    assert "AIMD closed form" not in red.rules(0.95, 4)
    assert type(laws_of(scheme("sack"), {}, path)) is Laws


def test_parameters_override_those_of_hosts(monkeypatch):
    """Hosts begin with ten packets and acknowledge every second one."""

    def seen(**given):
        assert [given["parameters"][name] for name in ("initial_window", "delayed_ack")] == [4.0, 2.0]
        raise NotImplementedError

    monkeypatch.setattr("longfat.design.switch_buffer.LongFlows", seen)
    with pytest.raises(NotImplementedError):
        design.buffer(**SMALL, parameters={"initial_window": 4})


def test_a_path_that_would_take_hours_is_refused():
    """Vegas over 8333 packets: 15 cycles of 6250 round trips of 0.175 s at 83 333 packets/s, 3 times 16 runs."""
    with pytest.raises(
        ValueError, match=r"scheme 'vegas' .* not known to be scale-free.* 8333\.33 packets.*product = 200"
    ):
        design.buffer(**PATH, scheme="vegas")


def test_files_that_would_take_hours_are_refused(monkeypatch):
    """1000 files of 66,666,667 packets at each of five loads, at 8 + 5 + 4 buffers 3 times: 1.7e13 packets."""
    monkeypatch.setattr(ArrivingFiles, "simulate", None)
    with pytest.raises(
        ValueError, match=r"file = 1e\+11 bytes takes too long: 1000 files .* 1\.7e\+13 packets in total"
    ):
        design.buffer(rate="1Mbit/s", round_trip_time="100ms", file="100GB")


@pytest.mark.parametrize("goal", [1, 2, 3, 17, 64, 399, 1600])
def test_the_search_by_itself(goal):
    """To a packet up to fifty of them, to 2 % above; doubling beyond what is known."""
    asked = []

    def reaches(packets):
        asked.append(packets)
        return packets >= goal

    found = smallest(reaches, [8, 40, 200], 0.02, 1600)
    assert found is not None
    assert goal <= found <= max(goal, 1.02 * goal)
    assert len(asked) < 20
    assert smallest(lambda packets: False, [8, 40], 0.02, 1600) is None


def test_the_search_ends_at_a_buffer_that_was_never_full(monkeypatch):
    """CoDel keeps the wait near 5 ms, so that a buffer of one BDP, 40 ms or 33.3 packets, is never full."""
    asked, tried, simulate = [], {}, LongFlows.simulate

    def refused(packets):
        asked.append(packets)
        return False

    assert smallest(refused, [8, 40], 0.02, 1600, lambda packets: packets >= 80) is None
    assert asked == [8, 40, 80]

    def recorded(self, packets, *given, **options):
        tried[packets] = simulate(self, packets, *given, **options)
        return tried[packets]

    monkeypatch.setattr(LongFlows, "simulate", recorded)
    path = {"rate": "10Mbit/s", "round_trip_time": "40ms", "scheme": "reno", "points": 0, "progress": False}
    answer = design.buffer(**path, discipline="codel", share=0.999)
    assert np.isnan(float(answer.sel(rule="simulated").buffer_packets))
    assert max(tried) == 33
    assert tried[33]["never_full"]
    one = flows("reno", 1, rate=1.25e6, round_trip_time=0.04, discipline="codel")
    assert one.simulate(132, effort())["utilisation"] == pytest.approx(tried[33]["utilisation"], abs=0.02)
    tried.clear()
    assert float(design.buffer(**path, share=0.9).sel(rule="simulated").buffer_packets) > 0
    assert not any(found["never_full"] for found in tried.values())  # with drop tail Reno fills any buffer


@pytest.mark.parametrize(("outlier", "known_slope", "free"), [(0, 3.0, False), (0.8, 3.0, False), (0, 1e-3, True)])
def test_the_line_through_samples_by_another_algorithm(outlier, known_slope, free):
    """Weighted least squares of numpy.linalg.lstsq; errors in log odds s/(sqrt(n) u (1 - u)), 0.2 d^2, half a slope.

    Without the outlier and the known slope, the slope of the line is 2.5 +- 0.7.
    """
    random = np.random.default_rng(3)
    means = {60: 0.94, 66: 1 / (1 + math.exp(-math.log(0.955 / 0.045) - outlier)), 75: 0.96}
    samples = {one: random.normal(mean, 0.01, 12 if one == 66 else 6) for one, mean in means.items()}
    line = fitted(samples, 0.95, 0.95, known_slope)
    means = np.array([one.mean() for one in samples.values()])
    odds, counts = np.log(means / (1 - means)), np.array([6, 12, 6])
    squares = sum(np.sum(((one - one.mean()) / (one.mean() * (1 - one.mean()))) ** 2) for one in samples.values())
    bent = 0.2 * (odds - math.log(19)) ** 2

    def solved(scatter):
        errors = np.sqrt(squares / 21 / counts + bent**2 + 1e-6 + scatter)
        matrix = np.column_stack([np.log(list(samples)), np.ones(3)]) / errors[:, None]
        observed = odds / errors
        if not free:
            matrix = np.vstack([matrix, [2 / known_slope, 0]])  # one more observation: the slope, to a half of it
            observed = np.append(observed, 2.0)
        found, (squared,), _, _ = np.linalg.lstsq(matrix, observed)
        return squared, found, np.linalg.inv(matrix.T @ matrix)

    # with two parameters the sum of squares of n observations is n - 2, or less without a further variance
    scatter = next(one for one in np.arange(0.0, 1.0, 1e-5) if solved(one)[0] <= (1 if free else 2))
    assert (scatter > 0) == (outlier > 0)
    _, (slope, at_0), covariance = solved(scatter)
    assert line.crossing() == pytest.approx(math.exp((math.log(19) - at_0) / slope), rel=1e-4)
    x = np.array([math.log(70.0), 1.0])
    half = 2.0796 * math.sqrt(x @ covariance @ x)  # Student's t for 21 degrees of freedom, 95 %
    mean, low, high = line.limits(70.0)
    for found, expected in ((mean, 0.0), (low, -half), (high, half)):
        assert math.log(found / (1 - found)) == pytest.approx(slope * x[0] + at_0 + expected, abs=1e-3)


def test_the_search_along_a_line():
    """Odds of 9 (B/50)^3: 0.95 has odds of 19, at 50 (19/9)^(1/3) = 64.1 packets. Halving asks for seven buffers."""
    seen = {}

    def shares(packets):
        share = 9 * (packets / 50) ** 3 / (1 + 9 * (packets / 50) ** 3)
        return seen.setdefault(packets, [share - 1e-5, share, share + 1e-5])

    line = line_to_goal(shares, [20, 200], Goal(0.95, 0.95, 0.02, 3.0, 1600))
    assert line.interval(1600) == (64, 65)
    assert line.crossing() == pytest.approx(64.1, abs=0.05)
    assert len(seen) <= 6


def test_the_search_leaves_buffers_whose_utilisation_falls():
    """Odds of 19 (B/62)^1.4 with steps, as one flow of CUBIC has; all neighbours of 55 and 500 would miss the goal."""

    def shares(packets):
        odds = 19 * (packets / 62) ** 1.4 * math.exp(-0.12 if 56 <= packets <= 66 else 0.08)
        return [odds / (1 + odds) if packets < 300 else 1.0] * 3

    line = line_to_goal(shares, [500, 55], Goal(0.95, 0.95, 0.02, 0.8, 2000))
    misses, reaches = line.interval(2000)
    assert 50 < misses < 62 < reaches < 80


def test_a_step_has_no_line():
    assert line_to_goal(lambda packets: [float(packets > 40)] * 3, [20, 200], Goal(0.95, 0.95, 0.1, 3.0, 1600)) is None


@pytest.mark.parametrize(("slope", "noise"), [(2.7, 0.25), pytest.param(4.0, 0.4, marks=pytest.mark.long)])
def test_intervals_of_the_search_cover_the_buffer(slope, noise):
    """Log odds ln 19 + slope ln(B/74.3) with normal noise: of 400 intervals of 95 % at least 92 % have it, by counting.

    Three standard deviations of the count are 3.3 %.
    """
    random = np.random.default_rng(5)
    covered, widths = 0, []
    for _ in range(400):

        def shares(packets):
            odds = 19 * (packets / 74.3) ** slope * np.exp(noise * random.standard_normal(6))
            return list(odds / (1 + odds))

        low, high = line_to_goal(shares, [122], Goal(0.95, 0.95, 0.12, 3.0, 1600)).interval(1600)
        covered += low < 74.3 <= high
        widths.append((high - low) / high)
    assert covered >= 368
    assert np.mean(widths) <= 0.12


def test_a_search_ends_when_the_shares_at_the_ends_hardly_differ():
    """Odds of 19 (b/1000)^0.5: 0.94 to 0.96 from 680 to 1596 packets, far wider than 11 %; 0.949 to 0.951 is not."""
    random, tried = np.random.default_rng(3), []

    def shares(packets):
        tried.append(packets)
        odds = 19 * (packets / 1000) ** 0.5 * np.exp(0.1 * random.standard_normal(12))
        return list(odds / (1 + odds))

    line = line_to_goal(shares, [400, 3000], Goal(0.95, 0.95, 0.11, 0.8, 16_000, 0.01))
    low, high = line.interval(16_000)
    at = [19 * (one / 1000) ** 0.5 / (1 + 19 * (one / 1000) ** 0.5) for one in (low, high)]
    assert low < 1000 <= high
    assert high - low > 0.11 * high
    assert at[1] - at[0] < 0.02
    few = len(tried)
    line_to_goal(shares, [400, 3000], Goal(0.95, 0.95, 0.11, 0.8, 16_000, 0.002))
    assert len(tried) > 2 * few


ADAPTED = {
    "one CUBIC": ("cubic", 1, 28, 80, {}),
    "one Reno": ("reno", 1, 60, 160, {}),
    "CUBIC": ("cubic", 8, 8, 32, {}),
    "Reno": ("sack", 8, 30, 90, {}),
    "GAIMD": ("gaimd-window", 8, 30, 90, {}),
    "one DCTCP": ("dctcp", 1, 30, 120, {"discipline": queues.step_marking(packets=20)}),
    "DCTCP": ("dctcp", 8, 24, 96, {"discipline": queues.step_marking(packets=20)}),
}


#: One of each kind in the short profile: alone and several, drop-tail and marks.
SHORT = ("one CUBIC", "Reno", "DCTCP")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case in SHORT else pytest.mark.long) for case in ADAPTED]
)
def test_a_run_over_another_buffer_comes_to_the_mean_of_new_runs(case):
    """Runs observed from the second cycle on, and new runs after 20 cycles; three standard errors of both."""
    name, count, buffer, larger, options = ADAPTED[case]
    subject = flows(name, count, most=160, spread=0.1, **options)
    first = subject.simulate(larger, effort(3))
    ended = [run.now for run in first["runs"]]
    continued = subject.simulate(buffer, effort(3), first["runs"], looks=(16,))  # 48 samples
    begin, until = subject.watch(buffer)
    cycle = (until - begin) / 12
    streams = effort(3).streams()[: 1 if count == 1 else 3]
    fresh = [Simulation(subject.network(buffer, one), rng=one.spawn(1)[0]) for one in streams]
    found = observed(fresh, begin + 20 * cycle, lambda run: run.advance(run.now + 2 * cycle), count=10)
    means = [[float(one["utilisation"][0]) for one in each] for each in found]
    error = math.hypot(*(np.std(one, ddof=1) / math.sqrt(np.size(one)) for one in (continued["samples"], means)))
    assert continued["utilisation"] == pytest.approx(np.mean(means), abs=3 * error + 0.001)
    assert error < 0.009
    assert ended < [run.now for run in continued["runs"]]


def test_an_interruption_ends_all_runs():
    def interrupt(done):
        raise KeyboardInterrupt

    one = flows("reno", 1)
    streams = effort().streams()
    with pytest.raises(KeyboardInterrupt):
        measured([one.network(20, stream) for stream in streams], streams, 1.0, 2.0, interrupt)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"discipline": "fifi"}, "fifi"),
        ({"loads": [0.5]}, r"loads = \[0\.5\] needs the argument file"),
        ({"file": "100kB"}, "bandwidth_delay_product = 50 excludes file"),
        ({"file": "100kB", "bandwidth_delay_product": None, "flows": 2}, "flows = 2 excludes file"),
        ({"file": "9kB", "bandwidth_delay_product": None, "loads": [1.0]}, r"loads = 1.* \(0, 1\)"),
    ],
)
def test_bad_values_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        design.buffer(**{**SMALL, **given})


def test_the_picture(answer, power):
    for data, label in ((answer, "utilisation [1]"), (power, "network power at the best load [bytes/s²]")):
        with plot.style():
            ax = plot.show(data)
        assert ax.get_ylabel() == label
        assert ax.get_xlabel() == "buffer [bandwidth-delay products]"
        drawn = {tuple(line.get_ydata()) for line in ax.lines}
        assert tuple(data[f"curve_{data.attrs['criterion']}"].values) in drawn
        goal = next(line for line in ax.lines if str(line.get_label()).endswith("% of the attainable"))
        assert goal.get_ydata()[0] == data.attrs["share"] * data.attrs["attainable"]
    assert tuple(answer.dense_synchronised.values) not in drawn
    with pytest.raises(ValueError, match="no curves"):
        plot.switch_buffer_curves(xr.Dataset())


def test_a_list_of_round_trip_times_is_on_the_path():
    """Each flow has its own round-trip time: there and back over its own link and the common one."""
    flows = LongFlows(1e6, 0.04, 1000, 4, scheme("sack"), round_trip_times=(0.01, 0.02, 0.09))
    net = flows.network(10, 1)
    trips = [2 * sum(net.links[pair].delay for pair in itertools.pairwise(one.path)) for one in net.flows]
    assert trips == pytest.approx([0.01, 0.02, 0.09, 0.01])
    # one C for CUBIC suits one round-trip time
    assert LongFlows(1e6, 0.04, 1000, 2, scheme("cubic")).scale_free
    assert not LongFlows(1e6, 0.04, 1000, 2, scheme("cubic"), round_trip_times=(0.01, 0.07)).scale_free
    with pytest.raises(ValueError, match="several round_trip_time"):
        design.buffer(rate="1Mbit/s", round_trip_time=["10ms", "20ms"], file="10kB")


def test_a_threshold_has_room_behind_it():
    path = {"rate": 1e6, "round_trip_time": 0.04, "packet": 1000, "flows": 1, "scheme": scheme("sack")}
    codel = LongFlows(**path, discipline="codel", finds="threshold").network(10, 1).links["switch", "sinks"]
    # 10 packets at 1 MB/s: 10 ms; four products of 40 packets behind it
    assert codel.discipline.values["target"] == pytest.approx(0.01)
    assert codel.buffer_packets == 170
    red = LongFlows(**path, discipline="red", finds="threshold").network(10, 1).links["switch", "sinks"]
    assert (red.discipline.values["min_th"], red.discipline.values["max_th"]) == (10, 30)
    # 1.2 ms, below which the L4S queue of RFC 9332, 800 us and 400 us, would be longer, are 10 packets at 100 Mbit/s
    both = LongFlows(**path | {"rate": 1.25e7, "packet": 1500}, discipline="dualpi2", finds="threshold")
    assert both.ends()[0] == 10
    assert both.network(1, 1).links["switch", "sinks"].discipline.values["target"] == pytest.approx(0.0012)
    with pytest.raises(ValueError, match=r"needs one of the disciplines step-marking, red, .*: fifo has no"):
        design.buffer(rate="1Mbit/s", round_trip_time="40ms", find="threshold")
    with pytest.raises(ValueError, match="mark_above = 3 excludes find"):
        design.buffer(rate="1Mbit/s", round_trip_time="40ms", scheme="dctcp", mark_above=3, find="threshold")


def test_a_search_that_has_tried_every_buffer_ends_without_a_line():
    goal = Goal(share=0.9, confidence=0.95, width=0.01, slope=1.5, largest=4)
    noisy = iter([0.5, 0.95, 0.7, 0.99] * 20)
    assert line_to_goal(lambda packets: [next(noisy) for _ in range(4)], [1, 2], goal) is None


def test_where_no_line_is_drawn_the_interval_begins_at_the_largest_buffer_that_misses():
    """A token bucket of few packets loses most of CUBIC's, so that the search has seen buffers below the goal."""
    answer = design.buffer(
        rate="10Mbit/s", round_trip_time="40ms", scheme="cubic", find="burst", share=0.9, points=0, progress=False
    )
    bursts = answer.sel(rule="simulated").buffer_bdp
    assert 0 < float(answer.missed_bdp) < float(bursts)
    assert np.isnan(answer.buffer_bdp.sel(rule="AIMD, whole rate"))  # its windows grow linearly, CUBIC's do not
