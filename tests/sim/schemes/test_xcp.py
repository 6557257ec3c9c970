"""The sender of XCP: fields that it declares, and reaction to feedback (Katabi et al. 2002, section 3.3)."""

import itertools
import math

import pytest

from longfat.sim import Discipline
from longfat.sim.kernel import records
from longfat.sim.queues import ENQUEUE
from tests.sim.lab import one_link, simulated
from tests.sim.logbook import Logbook
from tests.sim.schemes.losses import Diary, Trace, compared, drop_numbers, grown, rounds_of


def say_the_same(link, packet, now):
    """Write the same change into every packet, as a router would [bytes]."""
    if packet.kind == records.DATA:
        packet.header[2] = link.change
        packet.header[3] = -2.0
    return ENQUEUE


def say(change):
    return Discipline("say", enqueue=say_the_same, parameters={"change": change})


TRACES = {
    # The window changes by the feedback of the routers: +1500 B for each packet of 1000 B: 2.5 after the first, so that
    # two go; then 2.5 + 2 1.5 = 5.5: five; then 13.
    "feedback": Trace("xcp", say(1500.0), sent=rounds_of(1, 2, 5, 13), at={0.36: {"window": 5.5 + 5 * 1.5}}),
    # -700 B at a window of 8: 8 packets, then 8 - 8 0.7 = 2.4, then at least one.
    "one-packet-at-least": Trace(
        "xcp", say(-700.0), {"initial_window": 8}, sent=rounds_of(8, 2, 1, 1, 1), at={0.45: {"window": 1}}
    ),
    "largest-window": Trace(
        "xcp", say(1e9), {"largest_window": 6.5}, sent=rounds_of(1, 6, 6), at={0.45: {"window": 6.5}}
    ),
    # Without an XCP router the window grows by a packet per round trip, once the round trip is known: 1, 1, 1 + 1 = 2,
    # 2 + 1/2 + 1/2.5 = 2.9, and then 3.245, 3.553. The router of XCP is silent, too, where a link has no transmission
    # time.
    **{
        f"without-an-xcp-router-{other}": Trace(
            "xcp", other, sent=rounds_of(1, 1, 2, 2, 3), at={0.46: {"window": grown(2.0, 4)}}
        )
        for other in ("fifo", "red", "xcp")
    },
    # The only packet in flight is lost: 3 s later it is retransmitted, with a window of one, and all goes on.
    "one-packet-after-a-timeout": Trace(
        "xcp", drop_numbers(0), times={0: [0.0, 3.0]}, at={3.05: {"timeouts": 1, "window": 1}, 3.15: {"una": 1}}
    ),
}  # fmt: skip

test_trace = compared(TRACES)


def test_header_of_packets():
    """First nothing but the window; from the first answer on round trip and window, and a wish without bounds."""
    book = Logbook(Discipline("book"))
    link = {"rate": math.inf, "delay": 0.05, "discipline": book.discipline, "back": math.inf}
    simulated(one_link("xcp", **link, packet=500, parameters={"initial_window": 2}), 0.15)
    first, second, third, fourth = (call.header for call in book.calls)
    assert first == second == (0.0, 1000.0, 0.0, -1.0)
    for later in (third, fourth):
        assert later[0] == pytest.approx(0.1, rel=1e-9)
        assert later[1] == 1000.0
        assert later[2] > 1e15
        assert later[3] == -1.0


def test_half_the_window_on_a_loss():
    """Packets 30 and 32 leave in one window of about 8, and are lost: half of it once, each retransmitted once."""
    diary = Diary("xcp", drop_numbers(30, 32), until=1.5)
    windows = [entry.window for entry in diary.entries]
    falls = [(before, after) for before, after in itertools.pairwise(windows) if after < before]
    assert len(falls) == 1
    # between the loss and the next packet to leave an acknowledgment may have come
    assert falls[0][1] == pytest.approx(falls[0][0] / 2, abs=1 / 3)
    assert len(diary.all(30)) == len(diary.all(32)) == 2
    assert diary.flow.timeouts == 0
