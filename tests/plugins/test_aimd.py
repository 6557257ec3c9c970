"""AIMD in a file of its own, by hand."""

import pytest

from longfat.sim import DROP, ENQUEUE, Discipline, Network, Simulation
from longfat.sim.runs import peek
from tests.plugins.aimd import AIMD


def drop_one(link, packet, now):
    return DROP if packet.transmission == int(link.which) else ENQUEUE


def window(until, which=-1, **parameters):
    """Return the window after some seconds: a round trip takes 100 ms and packets no time; one packet may be lost."""
    lossy = Discipline("drop one", enqueue=drop_one, parameters={"which": float(which)})
    net = Network().link("a", "b", rate=1e9, delay=0.05, discipline=lossy).link("b", "a", rate=1e9, delay=0.05)
    one = Simulation(net.flow(AIMD, path=["a", "b"], name="x", parameters=parameters), rng=1)
    one.advance(until)
    return peek.flow(one, "x").window


def test_increase_and_decrease():
    """Packets 0; 1, 2; 3, 4 leave at 0, 0.1, 0.2 s; the window grows by 1/window with each acknowledgment.

    1 + 1 = 2; 2.5, 2.9; 3.2448, 3.5530. If 4 is lost, 5 and 6 leave at 0.3 s, and the loss is found with the
    acknowledgment of 5, at 0.4 s: half of 3.2448.
    """
    assert window(0.35) == pytest.approx(3.5530, abs=5e-5)
    assert window(0.15, increase=2.5) == 3.5
    assert window(0.45, which=4) == pytest.approx(1.6224, abs=5e-5)
    assert window(0.45, which=4, decrease=0.8) == pytest.approx(2.5959, abs=5e-5)
