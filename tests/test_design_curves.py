"""Design curves: by hand arithmetic of packets in flight, by the sawtooth's closed form, and what is refused."""

import itertools

import numpy as np
import pytest
import xarray as xr

from longfat import design, plot, sim
from longfat.design.long_flows import LongFlows
from longfat.design.scheme_curves import CurvePath, _described, growth, law_of_buffer, law_of_window, limited
from longfat.design.senders import sender
from longfat.plot.design import what_to_do
from longfat.sim import schemes

#: 12 Mbit/s are 1000 packets/s: with 50 ms 50 packets are on the path.
SMALL = {"rate": "12Mbit/s", "round_trip_time": "50ms", "flows": [1], "replications": 3, "progress": False}


def curves(**changes):
    return design.curves(**{**SMALL, **changes})


@pytest.fixture(scope="module")
def windows():
    """One NewReno flow, which acknowledges every packet, with windows of 5, 25 and 75 packets."""
    return curves(schemes=["newreno"], over="window", at=[0.1, 0.5, 1.5], buffer=2, file="7500B")


def test_windows_by_hand(windows):
    """A packet takes 1 ms and its acknowledgment returns after 50 ms more.

    5 and 25 packets in 51 ms are 5/51 and 25/51 of the rate, and none waits for long. Of 75 packets 50 are on the way,
    one is transmitted, 24 wait: 24 ms, all the time. 100 s are observed, of which 51 ms more or less are 0.0005.
    """
    one = windows.sel(scheme="newreno", flows=1)
    assert one.utilisation.values == pytest.approx([5 / 51, 25 / 51, 1], rel=2e-3)
    assert one.queueing_delay.values[2] == pytest.approx(0.024, rel=1e-3)
    assert one.queueing_delay_99.values[2] == pytest.approx(0.024, rel=1e-3)
    assert one.queueing_delay.values[:2].max() < 0.001  # less than a packet
    assert one.loss.values.tolist() == [0, 0, 0]
    assert windows.packets.values.tolist() == [5, 25, 75]
    assert windows.bytes.values.tolist() == [7500, 37500, 112500]


def test_short_transfers_by_hand(windows):
    """Five packets by slow start from one: 1, 2 and 2 of them.

    Acknowledgments arrive at 51 ms, at 102 and 103 ms, and the last at 102 + 2 + 50 = 154 ms. The long flow's five
    packets delay each round by 5 ms at most.
    """
    time = float(windows.transfer_time.sel(window=0.1).squeeze())
    assert 0.154 - 1e-6 <= time <= 0.154 + 3 * 0.005
    assert windows.law_transfer_time.values[0, 0, 0] == pytest.approx(0.154)


def test_the_sawtooth_by_its_closed_form():
    """3 (1 + b)^2/(4 (1 + b + b^2)) of the link: 0.8710 for b = 0.2; the error of 100 packets is about 1/100."""
    data = curves(round_trip_time="100ms", schemes=["reno"], at=[0.2, 1], file=None)
    one = data.sel(scheme="reno", flows=1)
    closed = 3 * 1.2**2 / (4 * (1 + 0.2 + 0.2**2))
    assert float(one.law_utilisation.sel(law_buffer=0.2)) == pytest.approx(closed)
    assert float(one.utilisation.sel(buffer=0.2)) == pytest.approx(closed, abs=0.015)
    assert float(one.utilisation.sel(buffer=1.0)) == pytest.approx(1, abs=0.005)
    # 5/9 of a round trip wait in the mean with a buffer of one product (the law's record); 100 packets: 3 % for one.
    assert float(one.queueing_delay.sel(buffer=1.0)) == pytest.approx(5 / 9 * 0.1, rel=0.03)
    assert "transfer_time" not in data


def test_the_same_seed_gives_the_same_curves():
    path = {"schemes": ["reno"], "flows": [2], "at": [0.5], "file": "15kB", "replications": 2}
    first, again, other = curves(**path, rng=3), curves(**path, rng=3), curves(**path, rng=4)
    same = [one.drop_attrs() for one in (first, again)]
    xr.testing.assert_identical(*same)
    assert float(first.utilisation.squeeze()) != float(other.utilisation.squeeze())
    assert first.attrs["seed"] == "3"


def test_observation_and_short_path_by_hand():
    """A path of 5 packets and 50 ms has short sawtooths: 2000 round trips are observed after 500 others.

    Short transfers have the mean round-trip time beside flows of several round-trip times. A tenth of the rate, 15,000
    bytes/s, is two files of 7500 bytes per second.
    """
    path = CurvePath(150_000.0, 0.05, 1500, 0.5, 7500.0, 0.1)
    flows = path.flows("reno", 2)
    assert path.watch(flows, 1.0) == pytest.approx((25, 125))
    net = path.with_transfers(flows, flows.network(5, np.random.default_rng(1)))
    short = net.flows[-1]
    assert 2 * sum(net.links[pair].delay for pair in itertools.pairwise(short.path)) == pytest.approx(0.05)
    assert short.traffic.arrivals == pytest.approx(2)


def test_limits_of_shares_end_at_1():
    names = [f"{name}{end}" for name in ("loss", "queueing_delay") for end in ("", "_lower", "_upper")]
    coords = {"scheme": ["reno"], "flows": [1], "buffer": [1.0], "replications": 2}
    found = _described(xr.Dataset(dict.fromkeys(names, ((), 1.2)), coords), "buffer")
    assert (found.loss_upper, found.queueing_delay_upper) == (1, 1.2)


def flows_of(scheme, packets, trip, count=1):
    """Return flows of a sender over a path that holds so many packets of one byte."""
    chosen, parameters = sender(scheme)
    return LongFlows(packets / trip, trip, 1, flows=count, scheme=chosen, parameters=parameters)


def test_laws_by_hand():
    reno, two, ten = (flows_of("reno", 100.0, 0.1, count) for count in (1, 2, 10))
    found = law_of_buffer(reno, 1.0)
    assert found["utilisation"] == 1
    assert found["queueing_delay"] == pytest.approx(5 / 9 * 0.1)
    assert found["loss"] == pytest.approx(8 / (3 * 200**2))  # a window of 200 packets at the loss
    assert law_of_buffer(ten, 1.0)["loss"] == pytest.approx(8 / (3 * 20**2))
    assert law_of_window(two, 0.25, 1.0) == {"utilisation": 0.5, "queueing_delay": 0, "loss": 0}
    assert law_of_window(two, 0.75, 1.0)["queueing_delay"] == pytest.approx(0.05)  # 1.5 products: half a product waits
    assert law_of_window(reno, 3.0, 1.0) == found
    # (1 + 1) 10 packets of path and buffer are two of each of 10 flows, and 1.8 of 11: too few for a sawtooth
    few, eleven = (law_of_buffer(flows_of("reno", 10.0, 0.1, count), 1.0) for count in (10, 11))
    assert [np.isnan(one["utilisation"]) for one in (few, eleven)] == [False, True]
    assert all(np.isnan(one) for one in eleven.values())
    # a window of 0.05 BDP is half a packet, for which a whole one is simulated
    assert law_of_window(flows_of("reno", 10.0, 0.1), 0.1, 1.0)["utilisation"] == 0.1
    assert np.isnan(law_of_window(flows_of("reno", 10.0, 0.1), 0.05, 1.0)["utilisation"])
    bbr = flows_of("bbr1", 100.0, 0.1)
    # ProbeRTT lasts for two round trips: 0.96 of 0.3 s are lost in 10 s, 0.2 s and 0.96 of a round trip.
    assert law_of_buffer(bbr, 1.0)["utilisation"] == pytest.approx(1 - 0.288 / 10.296)
    assert all(np.isnan(value) for value in law_of_window(bbr, 3.0, 1.0).values())


def test_regions_of_cubic():
    """The estimate and the cubic function reach W together at W_r, C R^3 (1 + beta)^3 W_r^2 = 27 (1 - beta).

    At 40 ms W_r is 253.8 packets, from where on the estimate stays below; at 44 ms, with a tenth of a product in the
    queue, it is 220, and up to 220/3^1.5 = 42 packets it stays above.
    """
    found = [growth(flows_of("cubic", packets / 1.1, 0.04), 0.1) for packets in (42, 43, 253, 254)]
    assert found == ["linear", "", "", "cubic"]
    # beta = 0.7 and an increase of 9/17 in a round trip: (1 + 0.7)^2 W^2/6 packets from 0.7 W to W
    loss = law_of_buffer(flows_of("cubic", 30.0, 0.04), 0.0)["loss"]
    assert loss == pytest.approx(6 / (1.7**2 * 30**2))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schemes": []}, r"schemes = \[\] is out of range"),
        ({"schemes": "reno,rino"}, "scheme 'rino' is unknown; available"),
        ({"schemes": ["sack", schemes.scheme("sack")]}, "schemes of different names"),
        ({"rate": "100Gbit/s", "round_trip_time": "200ms", "schemes": ["reno"]}, "of which .* are for reno with flows"),
    ],
)
def test_what_is_refused(changes, words):
    """Other values by the command, in test_cli_refusals.py, and outside of one domain in test_arguments.py."""
    with pytest.raises((TypeError, ValueError), match=words):
        curves(**changes)


def test_picture(windows):
    with plot.style():
        axes = plot.show(windows)
    assert [ax.get_ylabel() for ax in axes[:5]] == [
        "utilisation [1]", "mean queueing delay [ms]", "99th percentile of delay [ms]", "loss [1]",
        "short transfer [ms]",
    ]  # fmt: skip
    assert axes[3].get_xlabel() == "window of each flow [BDP]"
    simulated = [line for line in axes[0].lines if line.get_marker() == "o"]
    assert simulated[0].get_ydata().tolist() == windows.utilisation.values.ravel().tolist()
    words = " ".join(one.get_text().replace("\n", " ") for one in axes[5].texts)
    assert "12 Mbit/s, round trip 50 ms" in words
    assert "buffer of 2 BDP" in words
    assert "3 runs each, 95% intervals, seed 0" in words
    with pytest.raises(ValueError, match="holds no curves of schemes"):
        plot.scheme_curves(xr.Dataset())


def test_the_picture_says_what_to_do():
    """By hand: 0.9 of 0.95 is too little, 0.94 is within 2 %; and 9 ms of 0.2 BDP at 50 ms are 0.9 of a full buffer."""
    over = [0.1, 0.2, 1.0]
    dims = ("scheme", "flows", "buffer")
    values = {
        "utilisation": [[[0.9, 0.94, 0.95]]], "queueing_delay": [[[1e-3, 2e-3, 3e-3]]],
        "queueing_delay_99": [[[4e-3, 9e-3, 30e-3]]], "loss": [[[0.1, 0.01, 0.001]]],
    }  # fmt: skip
    made = {f"{name}{end}": (dims, value) for name, value in values.items() for end in ("", "_lower", "_upper")}
    coords = {"scheme": ["reno"], "flows": [1], "buffer": over, "law_buffer": over}
    data = xr.Dataset(made, coords).assign_attrs(
        over="buffer", rate=1e6, round_trip_time=0.05, packet=1500, bandwidth_delay_product=33.3, replications=2,
        confidence=0.95, seed="0",
    )  # fmt: skip
    other = data.assign(utilisation=(dims, [[[0.95, 0.9, 0.9]]])).assign_coords(scheme=["bbr"])
    both = xr.concat([data, other], "scheme", combine_attrs="override")  # 0.1 is the best of one alone
    assert what_to_do(both).startswith("No buffer reaches 98% of the largest utilisation")
    axes = plot.scheme_curves(data)
    title = axes[0].get_title(loc="left")
    assert title == "1 flow. A buffer of 0.2 BDP reaches 98% or more of the largest utilisation; more adds delay"
    assert axes[2].containers[0][0].get_ydata() == pytest.approx([0.8, 0.9, 0.6])
    axes[0].figure.clear()


@pytest.mark.parametrize("name", [one for one in schemes.names() if schemes.scheme(one).controls == "window"])
def test_the_window_of_every_scheme_can_be_limited(name):
    """The limit compiles the callbacks of a scheme anew, even those that other callbacks call and that are compiled."""
    assert "window_limit" in limited(schemes.scheme(name)).parameters


@sim.inline
def one_more(flow, event):
    return flow.window + 1.0


def test_the_window_of_a_compiled_callback_is_limited():
    scheme = limited(sim.Scheme("one-more", ack=one_more))
    net = sim.Network.dumbbell([scheme], rate="12 Mbit/s", delay="50 ms", parameters={"window_limit": 4})
    data = sim.run(net, duration="2 s", warm_up="1 s", rng=1, progress=False)
    assert data.goodput.values == pytest.approx([4 * 1000 / 0.1], rel=0.02)  # 4 packets per round trip
