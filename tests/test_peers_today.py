"""CUBIC, DCTCP, BBR version 1, CoDel, FQ-CoDel and PIE here and in ns-3, with the same rules (docs/peers.md).

Goodput, loss and queue agree within 5 %, or the 95 % confidence interval of the difference reaches 5 %: with four runs
of 30 s of a few flows, losses have intervals of 5 to 10 %.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

from docs import peers
from longfat import sim
from longfat.sim.runs import peek
from tests.benchmarks import ns3_rules, today


def has_ns3():
    if sys.executable == today.NS3:
        return importlib.util.find_spec("ns") is not None
    return Path(today.NS3).exists()


@pytest.mark.long
@pytest.mark.skipif(not has_ns3(), reason="ns-3's wheel, of the extra `peers`, is not installed")
@pytest.mark.parametrize(("scheme", "discipline"), [("cubic", "drop-tail"), ("dctcp", "step-marking")])
def test_one_product_of_buffer(capsys, scheme, discipline):
    """At a buffer of one bandwidth-delay product."""
    rows = today.compare(scheme, discipline, (1,), {}, {}, today.SAME)
    for quantity in ("goodput", "loss", "queue"):
        here, there = ([float(row[quantity]) for row in rows if row["simulator"] == name] for name in ("here", "ns-3"))
        if sum(there) == 0.0:
            assert sum(here) == 0.0
            continue
        *_, difference, width, verdict = peers.compared(here, there)
        with capsys.disabled():
            print(f"\n    {scheme}, {discipline}: {quantity} {100 * difference:+.1f} +- {100 * width:.1f} %", end="")
        assert verdict != "**differs**"


def test_verdicts():
    """Means 1 and 1.02 are within 5 %; 1.2 differs; both are undecided if the values are not sharp."""
    assert peers.compared([1.0, 1.0], [1.02, 1.02])[-1] == "within"
    assert peers.compared([1.2, 1.2], [1.0, 1.0])[-1] == "**differs**"
    assert peers.compared([1.1, 1.3], [1.0, 1.0])[-1] == "undecided"  # half-width 12.7 * 0.1
    assert peers.compared([0.99, 1.01], [1.0, 1.0])[-1] == "undecided"  # half-width 12.7 * 0.01


def windows(scheme, discipline, **parameters):
    """Return the windows [packets] of a flow, 10 ms apart, with a buffer of one product."""
    room = today.BUFFERS[1]
    net = sim.Network().link("a", "b", rate="20 Mbit/s", delay=0.02, buffer=room, discipline=discipline)
    net.link("b", "a", rate="20 Mbit/s", delay=0.02)
    chosen = sim.schemes.scheme(scheme)
    given = {name: value for name, value in today.SENDER.items() if name in chosen.parameters} | parameters
    net.flow(chosen, path=["a", "b"], name="one", packet=1500, parameters=given)
    run, found = sim.Simulation(net, rng=1), []
    run.prepare()
    for k in range(500, 1500):
        run.advance(k / 100)
        found.append(float(peek.flow(run, "one").window))
    return found


@pytest.mark.long  # compiles rules that only `make peers` runs, as do the next two
def test_cubic_as_in_ns3_has_whole_packets():
    """The window of `cubic-whole` is always a whole number of packets, that of `cubic` is not."""
    assert all(window == int(window) for window in windows(ns3_rules.CUBIC, "fifo"))
    assert any(window != int(window) for window in windows("cubic", "fifo"))


@pytest.mark.long
def test_dctcp_as_in_ns3_holds_its_window_after_a_mark():
    """After a mark the window of `dctcp-holding` is constant for a round trip of 40 ms, that of `dctcp` grows."""
    marked = today.queues.step_marking(packets=10)

    def longest(scheme):  # number of 10 ms samples for which the window is constant after it has fallen
        found = windows(scheme, marked)
        after = [k + 1 for k in range(len(found) - 10) if found[k + 1] < found[k]]
        return [next(j for j in range(1, 10) if found[k + j] != found[k]) for k in after]

    assert min(longest(ns3_rules.DCTCP)) >= 4
    assert min(longest("dctcp")) < 4


@pytest.mark.long
def test_bbr_as_in_ns3_probes_with_two_segments_more():
    """Without its rules `bbr1-ns3` is `bbr1`; in the phase of gain 5/4 the largest window is two packets larger.

    Alone, the window is 2 x 20 Mbit/s x 40.6 ms/1500 bytes + 3 = 138.3 packets with a least round trip of 0.6 ms more
    than the delays.
    """
    plain = windows("bbr1", "fifo")
    assert windows(ns3_rules.BBR1, "fifo") == plain
    assert max(plain) == pytest.approx(138.3, abs=0.5)
    assert max(windows(ns3_rules.BBR1, "fifo", probing_segments=1.0)) == pytest.approx(max(plain) + 2, abs=0.1)
