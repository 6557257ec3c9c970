"""Constant rate: nothing changes it, and files end."""

import pytest

from longfat.sim import Network, Simulation, run
from tests.sim.schemes.losses import Diary, drop_numbers


def test_even_distances():
    """Packets leave at equal intervals, retransmissions among them.

    100 kB/s, packets of 1000 B: one every 10 ms; packet 3 is lost, which the acknowledgment of 4, sent at 40 ms, tells
    at 140 ms: then it takes the place of packet 14.
    """
    diary = Diary("constant", drop_numbers(3), 0.2, rate=100_000.0)
    assert [entry.time for entry in diary.entries] == pytest.approx([0.01 * k for k in range(21)], abs=1e-9)
    assert [entry.number for entry in diary.entries] == [*range(14), 3, *range(14, 20)]
    assert diary.flow.rate == 100_000.0


def test_a_timeout_does_not_change_the_rate():
    """All is lost from packet 20 on, for a while: the timer expires, and the file ends."""
    diary = Diary("constant", drop_numbers(*range(20, 30)), 2.0, file=30_000, rate=100_000.0)
    assert diary.flow.timeouts >= 1
    assert diary.flow.expect == 30
    assert diary.flow.rate == 100_000.0
    assert len(diary.entries) == 40
    gaps = [b.time - a.time for a, b in zip(diary.entries, diary.entries[1:], strict=False)]
    assert min(gaps) == pytest.approx(0.01, abs=1e-9)


def test_load_of_a_link():
    """Half of the link's 100 kB/s is used, whatever the losses: 1 % of them, each retransmitted."""
    net = Network().link("a", "b", rate=100_000.0, delay=0.01, loss=0.01, duplex=True)
    data = run(net.flow("constant", path=["a", "b"], parameters={"rate": 50_000}), duration=100, rng=1)
    assert float(data.utilisation[0]) == pytest.approx(0.495, abs=0.005)  # what was lost before the link does not count
    assert float(data.sent[0]) == pytest.approx(5000, abs=1)
    assert float(data.timeouts[0]) == 0


def test_default():
    run = Simulation(Network().link("a", "b", rate=1e6).flow("constant", path=["a", "b"], ack_path="ideal"))
    assert run.state.flows[0].rate == 125_000.0  # 1 Mbit/s
