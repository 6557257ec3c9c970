"""Numbers from issue trackers: stored numbers, values by hand, and verdicts that can be others."""

import re
from dataclasses import replace

import pytest

from figures import data
from figures.field import pictures
from figures.rule import judge
from tests.figures.opposites import opposite

ROWS = pictures.rows()


def row(thread, number):
    (found,) = [one for one in ROWS if (one.thread, one.number) == (thread, number)]
    return found


def test_the_stored_numbers_and_the_page_are_those_of_the_code():
    found = pictures.simulate()
    assert data.compare(found["field"], "field", pictures.PART.folder) == 3 * len(ROWS)
    assert (pictures.PART.folder / "field.md").read_text(encoding="utf-8") == found["field.md"]


def test_there_are_thirty_numbers_with_their_threads():
    assert len(ROWS) >= 30
    assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/issues/\d+", one.address) for one in ROWS)


def test_values_by_hand():
    """2 MiB less at most 112 KiB in 167 ms; 3.5/4 of 4 MiB in 0.1 s; sqrt(1.5/0.002) = 27.4 packets in 0.2 s."""
    assert row("grpc/grpc-go#2400", "40").ours == pytest.approx((36.7, 41.943), rel=1e-4)
    by_hand = (18 * 112 / 1024 / 0.167, 2 / 0.167)  # MiB/s
    assert row("rapier1/hpn-ssh#58", "11.8").ours == pytest.approx(by_hand, rel=1e-6)
    assert row("cloudflare/quiche#231", "1.2").ours[1] == pytest.approx(27.386 * 1350 * 8e-6 / 0.2, rel=1e-4)
    assert row("esnet/iperf#480", "975.29").ours[0] == pytest.approx(1000 * 1500 / 1538, rel=1e-12)


def test_each_verdict_can_be_another():
    for one in ROWS:
        found = one.finding()
        verdict = judge(opposite(found.evidence))[0]
        assert (verdict == "differs") != (found.verdict == "differs"), one


def test_only_a_named_cause_is_another_limit():
    found = row("rpcpool/yellowstone-grpc#681", "26.77")
    assert found.verdict() == pictures.NO_WINDOW
    assert replace(found, cause="").verdict() == "differs"
    assert replace(found, number="90").verdict() == "differs"  # more than the window allows
