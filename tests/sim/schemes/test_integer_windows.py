"""Windows in whole packets, as Linux computes them, by hand."""

from types import SimpleNamespace

import pytest

from longfat.sim import schemes
from longfat.sim.schemes import cubic, deployed
from tests.sim.lab import as_python
from tests.sim.schemes.test_deployed import referee, twenty


@pytest.fixture
def plain(monkeypatch):
    """Call the parts as plain Python."""
    as_python(monkeypatch, deployed, "step", "scaled")
    as_python(monkeypatch, cubic, "ticks", "packets_for_one", "reno_friendly")


def reno(credits):
    return SimpleNamespace(window=10.0, credits=credits)


def stage(time, window, w_max, last_w_max=100.0, credits=0, reno_friendly=1.0, clock_tick=0.0):
    """A flow of CUBIC with K = 4 s and a least round-trip time of 0.04 s, 0.04 s before `time` in its stage."""
    return SimpleNamespace(
        window=float(window), credits=0, reno_window=int(window), reno_credits=credits, epoch_start=0.0, least_rtt=0.04,
        k=4.0, c=0.4, beta=0.7, w_max=float(w_max), last_w_max=last_w_max, reno_friendly=reno_friendly,
        clock_tick=clock_tick, per=0, computed_for=0, computed_at=0,
    ), SimpleNamespace(now=time - 0.04, acked=1)  # fmt: skip


def test_growth_of_reno(plain):
    """Ten packets acknowledged in pairs make a window of 10 one larger; of older credits at most one counts."""
    flow = reno(0)
    for expected in (10, 10, 10, 10, 11):
        flow.window = deployed.step(flow, 10, 2)
        assert flow.window == expected
    assert flow.credits == 0
    flow = reno(25)  # 25 >= 10: one packet, and the rest is forgotten; then 21 = 2 x 10 + 1
    assert (deployed.step(flow, 10, 21), flow.credits) == (13, 1)


@pytest.mark.parametrize(
    ("flow_and_event", "per"),
    [
        # 1 s: floor(0.4 x 3^3) = 10 below 100, 20 above 70: 70 // 20 = 3 packets acknowledged for one
        (stage(1.0, 70, 100), 3),
        # 6 s: floor(0.4 x 2^3) = 3 above 100: 100 // 3 = 33
        (stage(6.0, 100, 100), 33),
        # at W_max nothing is above the window: 100 windows
        (stage(4.0, 100, 100), 10_000),
        # before the first loss 5 % in a round trip at least
        (stage(4.0, 100, 100, last_w_max=0.0), 20),
        # never more than one for two
        (stage(12.0, 10, 100), 2),
        # 8 x 1.7/(3 x 0.3) = 15.1: Reno's window grows by one for 100 x 15 // 8 = 187 packets; 188 made it 101
        (stage(4.0, 100, 100, credits=187), 100),
        (stage(4.0, 100, 100, credits=187, reno_friendly=0.0), 10_000),
        (stage(4.0, 100, 100, credits=186), 10_000),
    ],
)
def test_growth_of_cubic(plain, flow_and_event, per):
    """The window grows by one packet for each cnt packets acknowledged (bictcp_update())."""
    flow, event = flow_and_event
    flow.credits = per - 2
    before = flow.window
    flow.window = cubic.grow_integer.py_func(flow, event, event.acked)
    assert (flow.window, flow.credits) == (before, per - 1)
    assert cubic.grow_integer.py_func(flow, event, event.acked) == before + 1


@pytest.mark.parametrize(
    ("later", "window", "per"),
    [
        # Ticks of 4 ms: HZ = 250, and HZ/32 = 7. Time 0.96 s is tick 240; nothing is computed anew until tick 248.
        (0.0279, 70, 3),
        # Tick 248, with a round trip of 10 ticks 1.032 s: floor(0.4 x 2.968^3) = 10, 90 - 70 = 20 and 70 // 20 = 3;
        # W_max is 200 by now: 190 - 70 = 120, less than 2.
        (0.0321, 70, 2),
        # Another window, in the same tick: not anew, and in the next tick: 190 - 80 = 110.
        (0.0039, 80, 3),
        (0.0041, 80, 2),
    ],
)
def test_clock_of_cubic(plain, later, window, per):
    """The target is computed once a tick at most, and for the same window after HZ/32 ticks (bictcp_update())."""
    flow, event = stage(1.0, 70, 100, clock_tick=0.004)
    cubic.grow_integer.py_func(flow, event, 1)
    assert (flow.per, flow.computed_for, flow.computed_at) == (3, 70, 240)
    flow.w_max, flow.window = 200.0, float(window)
    event.now += later
    cubic.grow_integer.py_func(flow, event, 1)
    assert flow.per == per


def test_clock_of_cubic_and_the_round_trip(plain):
    """A least round-trip time of 40.6 ms is 11 ticks: usecs_to_jiffies() rounds up.

    240 + 11 ticks are 1.004 s, a little less than 3 s before K: 11/27 x 3^3 is 11, so that the target is 10 below 100,
    and 88 // 2 packets are acknowledged for one. With 10 ticks it would be 11 below, and 88.
    """
    flow, event = stage(1.0, 88, 100, clock_tick=0.004)
    flow.least_rtt, flow.k, flow.c = 0.0406, 4.004 - 1e-6, 11.0 / 27.0
    cubic.grow_integer.py_func(flow, event, 1)
    assert flow.per == 44


def test_a_stage_of_cubic_begins_within_a_tick(plain):
    """The first acknowledgment of a stage computes the target, also in a tick that has seen one (epoch_start == 0)."""
    flow, event = stage(1.0, 70, 100, clock_tick=0.004)
    flow.computed_at, flow.computed_for, flow.per, flow.epoch_start = 240, 100, 55, event.now
    cubic.grow_integer.py_func(flow, event, 1)
    assert flow.per == 11  # 0.04 s: floor(0.4 x 3.96^3) = 24 below 100, 76 - 70 = 6, 70 // 6


def test_thresholds(plain):
    """Rounded down, and 0.7 x 90 is 63 in spite of the binary fraction."""
    flow = SimpleNamespace(integer_windows=1.0)
    assert [deployed.scaled(flow, *one) for one in ((73.0, 0.5), (90.0, 0.7), (91.0, 0.7))] == [36, 63, 63]


@pytest.mark.plain
@pytest.mark.parametrize("on", [0, 1])
def test_growth_at_the_end_of_a_recovery(on):
    """The first of 20 packets is lost, and sent again at 0.103 s. Its acknowledgment, at 0.204 s, ends the recovery.

    It delivers one packet, because the others have been reported before; with the option that one counts.
    """
    own = twenty(1, 0.2045, "sack", prr=1, growth_limit=2, integer_windows=1, growth_at_exit=on).own
    assert (own.recovering, own.ssthresh, own.credits) == (False, 10.0, on)


@pytest.mark.parametrize("scheme", ["sack", "cubic"])
def test_a_recovery_with_all_options_of_linux(scheme):
    """Compiled, unlike the traces of single options: packets by RFC 9937, and the window after the recovery above."""
    window = ("initial_window", "first_rto", "min_rto")  # as in the other traces
    linux = {name: value for name, value in schemes.linux(scheme).items() if name not in window}
    diary = twenty(1, 0.2045, scheme, **linux)
    assert [len(diary.sent(0.1 + 1e-3 * (k + 1))) for k in range(19)] == referee(1)
    own = diary.own
    assert (own.recovering, diary.flow.window, own.ssthresh, own.credits) == (False, 10.0, 10.0, 1)
