"""The buffer of a switch for BBR: ProbeRTT's ceiling by hand, the simulator beside it, the command."""

import math

import numpy as np
import pytest

from longfat import design
from longfat.cli import main
from longfat.design.buffer_laws import BbrLaws, Laws, NoLaws, Path, laws_of
from longfat.design.long_flows import LongFlows
from longfat.sim.schemes import Scheme, scheme
from tests import test_design_buffer
from tests.test_design_buffer import effort

LINK = ["--rate", "10Mbit/s", "--rtt", "40ms", "--replications", "2"]
PATH = Path(100.0, 0.04)


def flows(name, count=1, **changes):
    return test_design_buffer.flows(name, count, **{"rate": 1.25e7, "round_trip_time": 0.04, **changes})


def simulated(name, buffer):
    return flows(name).simulate(buffer, effort())


def test_the_ceiling_by_hand():
    """Half, in 2016 96 %, of six round trips, in 5 s and 10 s, five round trips, and half, or 96 %, of one more."""
    three, first = (laws_of(scheme(name), {}, PATH) for name in ("bbr", "bbr1"))
    assert three.ceiling == pytest.approx(1 - 0.12 / 5.22)
    assert first.ceiling == pytest.approx(1 - 0.2304 / 10.2384)
    assert laws_of(scheme("bbr1"), {}, Path(2.0, 0.04)).ceiling == 1
    assert Laws(0.5).ceiling == 1
    assert first.together(0.25, 1) == first.ceiling
    for unknown in (first.together(0.24, 1), first.together(0.5, 2), three.together(0.5, 1), first.apart(0.5, 4)):
        assert math.isnan(unknown)
    assert list(three.rules(0.95, 4).values()) == [1, 1 / 2, 1 / 3]
    assert "standing queue of 100 packets" in first.about  # (2 - 1) BDP


def test_which_laws_a_scheme_has():
    assert isinstance(laws_of(scheme("bbr"), {}, PATH), BbrLaws)
    codel = laws_of(scheme("bbr1"), {}, PATH, discipline="codel")
    assert type(codel) is NoLaws
    assert codel.ceiling == 1
    mine = Scheme("bbr", ack=lambda flow, event: flow.window)  # of this name, without its samples
    assert type(laws_of(mine, {}, PATH)) is Laws


def test_bbr_is_simulated_on_its_path():
    """333.3 packets are not reduced to 200; ten of the longer intervals of ProbeRTT are observed."""
    one = flows("bbr")
    assert one.simulated_bdp == pytest.approx(333.33, abs=0.01)
    assert one.watch(100) == pytest.approx((32.0, 132.0))
    assert one.stagger == 10
    assert flows("reno").stagger == 0.04


def test_one_flow_meets_the_ceiling():
    """Within the 0.003 that the law states where probes lose nothing; not below a quarter of 333 packets, 83.3."""
    law = laws_of(scheme("bbr1"), {}, Path(333.3, 0.04))
    for buffer in (90, 333):
        assert simulated("bbr1", buffer)["utilisation"] == pytest.approx(law.together(buffer / 333.3, 1), abs=0.003)
    assert simulated("bbr1", 80)["utilisation_lower"] > law.ceiling + 0.015  # the queue runs empty: few ProbeRTTs
    three = laws_of(scheme("bbr"), {}, Path(333.3, 0.04))
    # The pacing margin of 1 %, draft-ietf-ccwg-bbr-06, section 5.6.2, takes something between nothing and all of it.
    assert 0.99 * three.ceiling < simulated("bbr", 333)["utilisation"] < three.ceiling


def test_the_command_says_what_cannot_be_reached(capsys):
    assert main(["buffer", *LINK, "--scheme", "bbr", "--share", "99%"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "no buffer reaches it: it is above the 0.9770 that ProbeRTT leaves to one flow by the law" in out
    assert "AIMD closed form" not in out


def test_the_answer():
    data = design.buffer(
        rate="10Mbit/s", round_trip_time="40ms", scheme="bbr", flows=[1, 4], share=0.9, points=2, replications=2,
        progress=False,
    )  # fmt: skip
    assert data.attrs["ceiling"] == pytest.approx(1 - 0.12 / 5.22)
    assert np.isnan(data.law_synchronised).all()
    assert (data.status.sel(rule="simulated") == "reached").all()
    assert (data.utilisation_lower.sel(rule="simulated") >= 0.9).all()


def test_the_answer_is_a_tenth_of_the_product_at_least(monkeypatch):
    """If every buffer were enough, Reno would have one packet, and BBR a tenth of 33.3, rounded up."""
    monkeypatch.setattr(LongFlows, "simulate", lambda *given, **options: {"samples": [1.0, 1.0], "runs": []})
    given = {"rate": "10Mbit/s", "round_trip_time": "40ms", "share": 0.5, "points": 2, "replications": 2}
    found = {one: design.buffer(**given, scheme=one, progress=False) for one in ("bbr1", "bbr", "reno")}
    packets = {one: float(data.buffer_packets.sel(rule="simulated")) for one, data in found.items()}
    assert packets == {"bbr1": 4, "bbr": 4, "reno": 1}
    assert min(found["bbr1"].curve_buffer_packets) == 4
