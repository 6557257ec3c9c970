"""Rows of Welzl's paper at small scale: their verdicts, and the numbers behind them."""

import re

import pytest

from figures.cadpc import claims as cadpc
from figures.cadpc import networks, runs
from figures.cadpc.claims import ASSESSMENTS
from figures.claims import Context
from tests.figures.published_checks import *  # noqa: F403
from tests.figures.published_checks import test_verdicts_are_those_of_the_scoreboard  # noqa: F401

PAPER, PACKETS = "002", 1e5
SMALL = Context(1e5, 0)
#: Verdicts with three runs at each point and bottlenecks of 1, 5 and 20 Mbit/s.
SHORT = {
    "equal starts could have caused a traffic phase effect, leading to the outliers of Vegas": "undecided",
    "throughput greater than almost all competitors; smallest average queue almost always": "differs",
}


@pytest.mark.long
def test_claims_that_another_scheme_meets_as_well(table):
    """Total rates and a doubled rate tell CADPC from others; ten flows with a total within 10 % of 10/11 do not."""
    for claim in ("total traffic at equilibrium", "equilibrium very close to capacity for at least",
                  "a flow behaving as two flows gets twice the bandwidth",
                  "XCP converges to capacity, CADPC to capacity*n/(n+1)"):  # fmt: skip
        assert table.others[claim] > 0, claim
        assert table.met_by[claim] == "", claim
    assert "Reno" in table.met_by["lost signalling packets do not move the convergence point"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("the incoming interface compensates for a single router without the protocol", "reproduced"),
        ("the converged rates of weighted flows can be calculated in advance", "reproduced"),
    ],
)
def test_short_rows(claim, verdict):
    assert ASSESSMENTS[claim](SMALL).verdict == verdict


def test_an_unreported_router_fails_the_row(monkeypatch):
    """If the next router tells of nothing, 45 % is lost, and the row does not hold."""
    network = networks.hidden_bottleneck
    monkeypatch.setattr(networks, "hidden_bottleneck", lambda _: network(False))
    assert cadpc.incoming(SMALL).verdict == "differs"


@pytest.mark.long
def test_a_first_rate_of_a_packet_per_round_trip_overruns_the_link(monkeypatch):
    """With a packet per round trip at first, fifty flows overrun 1 Mbit/s: the queue is neither small nor constant."""
    measured = runs.at

    def at(context, label, *more, **given):
        return measured(context, label, *more, **given, **({"parameters": (("first_rate", 1.0),)} if label == "CADPC"
                                                           else {}))  # fmt: skip

    monkeypatch.setattr(cadpc, "at", at)
    monkeypatch.setattr(runs, "at", at)  # of `runs.sweep`
    found = cadpc.constant_queue(SMALL)
    assert found.verdict == "differs"
    assert float(re.search(r"1 Mbit/s: ([\d.]+)", found.ours)[1]) > 30
    lost = cadpc.lossless_and_fair(SMALL).ours  # judged from 10 Mbit/s on
    assert float(re.search(r"loss 1 Mbit/s: ([\d.]+) %", lost)[1]) > 10
