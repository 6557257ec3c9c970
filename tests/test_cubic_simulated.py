"""The simulator's CUBIC against its laws where `longfat verify` does not go: regions, tables, ties, random losses.

The records of the laws have the window after a loss, and utilisation and mean queue of one flow at a link.
"""

import pytest

import longfat as lf
from longfat.laws import cubic
from longfat.verify import cubic_estimators as estimators


@pytest.mark.parametrize("trip", [0.1, 0.02, 0.01])
def test_mean_window_in_the_three_regions(trip):
    """Above and below `reno_friendly_window`, and below 1/sqrt(27) of it: 64, 718, 2030 packets."""
    value, _ = estimators.mean_window()(1, window_before_loss=300.0, round_trip_time=trip, c=0.4, beta=0.7)
    law = cubic.mean_window(300, trip)
    assert value == pytest.approx(law, rel=0.015)
    assert value != pytest.approx(1.03 * law, rel=0.015)


@pytest.mark.parametrize("exponent", [4, 5])
def test_tables_of_rfc_9438_where_every_nth_packet_is_lost(exponent):
    """Table 1, C = 0.4: 187 and 1054 packets, within 2 %."""
    value, _ = estimators.window_at_loss()(1, loss=10.0**-exponent, round_trip_time=0.1, c=0.4, beta=0.7)
    assert value == pytest.approx({4: 187, 5: 1054}[exponent], rel=0.02)


@pytest.mark.parametrize(("buffer", "product", "trip"), [(0.1, 1000.0, 0.01), (0.1, 300.0, 0.005)])
def test_link_in_the_reno_friendly_region(buffer, product, trip):
    """The cubic function rules first; the estimate rules from the loss on. The cubic region alone gives 0.967."""
    path = {"buffer": buffer, "bandwidth_delay_product": product, "round_trip_time": trip, "c": 0.4, "beta": 0.7}
    value, _ = estimators.at_link("utilisation")(1, **path)
    assert value == pytest.approx(cubic.utilisation_general(**path), abs=0.006)
    assert value != pytest.approx(cubic.utilisation(buffer), abs=0.006)


#: The transmission times of 494 packets add up to the round-trip time of this path within 0.2 ns.
TIED = {
    "buffer": 0.0698815585668803, "bandwidth_delay_product": 493.55856010752564,
    "round_trip_time": 0.005725394159477558, "c": 0.48026351920720184, "beta": 0.6657811773098607,
}  # fmt: skip


def test_link_whose_round_trip_is_a_whole_number_of_packets():
    value, _ = estimators.at_link("utilisation", periods=2)(1, **TIED)
    assert value == pytest.approx(cubic.utilisation_general(**TIED), abs=0.01)


@pytest.mark.long
@pytest.mark.parametrize(("nanoseconds", "law_holds"), [(-2, True), (0, False), (2, True)])
def test_two_nanoseconds_decide_where_arrivals_tie_with_departures(nanoseconds, law_holds):
    """Why `at_link` avoids ties: a packet lost at once after the first one lets the flow reduce its window twice."""
    packets, trip = round(TIED["bandwidth_delay_product"]), TIED["round_trip_time"]
    top = packets * (1 + TIED["buffer"])
    period = ((1 - TIED["beta"]) * top / TIED["c"]) ** (1 / 3)
    net = lf.sim.Network().link(
        "a", "b", rate=packets * 1000 / trip, delay=(trip + nanoseconds * 1e-9) / 2,
        buffer=round(TIED["buffer"] * packets),
    )  # fmt: skip
    options = {"c": TIED["c"], "beta": TIED["beta"], "initial_ssthresh": TIED["beta"] * top, "fast_convergence": 0.0}
    net.flow("cubic", path=["a", "b"], packet=1000, ack_path="ideal", parameters=options)
    data = lf.sim.run(net, duration=6 * period, warm_up=3 * period, progress=False)
    off = abs(float(data.utilisation[0]) - cubic.utilisation_general(**TIED))
    assert off < 0.01 if law_holds else off > 0.1


@pytest.mark.long
@pytest.mark.parametrize("fast_convergence", [0.0, 1.0])
def test_random_losses(fast_convergence):
    """The law holds within 8 %; equation 5, 14 and 23 % below it, differs by more than that."""
    path = {"loss": 3e-5, "round_trip_time": 0.15, "c": 0.4}
    point = path | {"fast_convergence": fast_convergence}
    options = {"within": "8 %", "power_at": 1, "budget": 200, "rng": 1}
    found = lf.testing.compare(cubic.average_window_random, estimators.at_random_loss(), point, **options)
    assert found.verdict == "agrees", found
    equation = lf.testing.compare(
        lambda **_: cubic.average_window(3e-5, 0.15),
        estimators.at_random_loss(),
        point,
        **options | {"within": 0.08 * found.formula},
    )
    assert equation.verdict == "differs", equation
