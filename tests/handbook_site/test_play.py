"""The link on which the reader sets the window, in node, against the packet simulator."""

import numpy as np
import pytest

from docs.handbook import play
from docs.handbook.staging import ROOT
from longfat import sim
from tests.handbook import engine
from tests.handbook.engine import needs_node

STATIC = ROOT / "docs" / "handbook" / "static"
STEP = 0.005  # s; packets come and go at multiples of 0.01 s, so that no sample coincides with one
#: Windows, and the round trips that are compared: below the bandwidth-delay product, with a queue, with a full buffer.
#: The last two lose packets in each round trip, until one that was lost in all of them meets the timer of RFC 6298,
#: which the page does not have.
WINDOWS = {30: 118, 51: 118, 80: 118, 101: 118, 104: 48, 125: 48}
RUN = """
import { createRequire } from "module";
const { DropTail } = createRequire(given.script)(given.script);
const made = new DropTail(given.link);
made.window = given.window;
let srtt = 0;
const smoothed = made.acknowledge.bind(made);
made.acknowledge = () => { smoothed(); srtt = srtt ? (7 * srtt + made.delay) / 8 : made.delay; };
show(given.times.map((time) => {
  made.advance(time);
  return [made.queue(), made.dropped, srtt];
}));
"""
RECOVERY = 20  # round trips


def keep(flow, event):
    return flow.keep


def browser(window, times, script=STATIC / "drop_tail.js"):
    """Return queue, packets dropped so far, and the smoothed round trip at some times, from the JavaScript."""
    link = play.setting(runs=False)["link"]
    return np.array(engine.run(RUN, {"script": str(script), "link": link, "window": window, "times": list(times)})).T


def packets(window, rounds):
    """Return the same of each round trip from the packet simulator, with the times."""
    given = {"reorder": 3, "parameters": {"keep": float(window)}}  # RFC 6675: three later transmissions
    fixed = sim.Scheme("fixed", start=keep, ack=keep, loss=keep, timeout=keep, **given)
    data = play.run(fixed, STEP)
    at = np.round((0.245 + play.ROUND_TRIP * np.arange(rounds)) / STEP).astype(int)
    queue = data.queue_trace.sel(link="bottleneck").values
    arrived = data.arrived_trace.sel(link="bottleneck").values / play.PACKET
    received = data.received_trace.transpose("flow", "time").values / play.PACKET
    # A packet whose transmission has begun by a time arrives after transmission and propagation.
    later = at + round((play.ROUND_TRIP / 2 + 1 / play.RATE) / STEP)
    dropped = arrived[at] - queue[at] - received.sum(0)[later]
    srtt = data.srtt_trace.sel(flow="sender").values[at]
    return data.time.values[at], (queue[at], dropped, srtt)


def differences(window, rounds, **script):
    """Return the greatest differences of queue [packets], losses [packets] and smoothed round trip [s].

    In its first recovery the simulator does not measure round trips.
    """
    times, (queue, losses, srtt) = packets(window, rounds)
    got = browser(window, times, **script)
    off = [np.abs(one - other) for one, other in zip(got, (queue, losses, srtt), strict=True)]
    return float(off[0].max()), float(off[1].max()), float(off[2][RECOVERY:].max())


@needs_node
@pytest.mark.parametrize(("window", "rounds"), WINDOWS.items())
def test_the_link_is_that_of_the_packet_simulator(window, rounds):
    """Queue and losses of each round trip are equal, and the smoothed round trip is within a microsecond.

    In recovery that does not end the simulator measures fewer round trips, so that these are within 30 ms.
    """
    queue, losses, delay = differences(window, rounds)
    assert (queue, losses) == (0, 0)
    assert delay < (1e-6 if rounds > 100 else 0.03)


@needs_node
def test_the_comparison_finds_a_buffer_that_is_one_packet_larger(tmp_path):
    text = (STATIC / "drop_tail.js").read_text(encoding="utf-8")
    wrong = tmp_path / "drop_tail.js"
    wrong.write_text(text.replace("this.queue() >= this.buffer", "this.queue() > this.buffer"), encoding="utf-8")
    assert wrong.read_text(encoding="utf-8") != text
    assert differences(104, 48, script=wrong)[:2] != [0, 0]


def test_the_link_is_short():
    assert len((STATIC / "drop_tail.js").read_text(encoding="utf-8").splitlines()) <= 150


def test_scores_of_the_schemes_are_those_of_their_runs():
    """By hand: 6000 packets less 49 a second for 19.997 s; the power of a full link with an empty queue would be 1."""
    assert play.free() == pytest.approx(6000 - 49 * 19.997)
    for one in play.setting()["runs"]:
        power = one["carried"] * (play.ROUND_TRIP + 1 / play.RATE) / one["delay"]
        assert 0.4 < power < 1
        assert len(one["window"]) == len(one["queue"]) == play.DURATION / play.STEP + 1
        assert 0.9 * play.BUFFER < max(one["queue"]) <= play.BUFFER
