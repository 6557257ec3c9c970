"""A run that ends with its files, but delivers nothing, is given up with a sentence on its progress."""

import time

import pytest

from longfat.sim import DROP, ENQUEUE, Discipline, run
from longfat.sim.runs import engine
from tests.sim.lab import one_link
from tests.sim.networks import FIXED


def drop_all(link, packet, now):
    return DROP


def drop_from_half_a_second(link, packet, now):
    return DROP if now > 0.5 else ENQUEUE


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Compile the simulator, so that the time of no test includes it."""
    engine.kernel()


@pytest.mark.parametrize(
    ("scheme", "hook", "way"),
    [
        ("reno", drop_all, "data"),
        ("reno", drop_from_half_a_second, "acknowledgments"),
        (FIXED(rate=1e4), drop_from_half_a_second, "data"),
        (FIXED(rate=1e4), drop_all, "acknowledgments"),
    ],
)
def test_every_packet_is_dropped_for_ever(scheme, hook, way):
    """Neither a timer backed off to a minute nor a rate without timeouts runs for a million seconds."""
    hole = Discipline("black hole", enqueue=hook)
    disciplines = (hole, "fifo") if way == "data" else ("fifo", hole)
    there, back = ({"rate": "80 Mbit/s", "discipline": one} for one in disciplines)
    net = one_link(scheme, **there, delay="10 ms", back=back, file="100 MB", name="x")
    begun = time.monotonic()
    with pytest.raises(
        ValueError, match=r"of flow 'x' \d+ of 100000 packets are acknowledged, its window is "
    ) as caught:
        run(net, progress=False)
    assert f"link '{'a-b' if way == 'data' else 'b-a'}' has dropped" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begun < 30


def test_patience():
    """With a loss probability of 4/5 no run is given up, nor one whose file starts late."""
    link = {"rate": "8 Mbit/s", "delay": "10 ms", "duplex": True, "loss": 0.8}
    found = run(one_link("reno", **link, file="20 kB", name="x", start=5000.0), rng=2, progress=False)
    assert float(found.transfer_time.sel(flow="x")) > 100.0
