"""Applications that write the data of a sender: traces by hand."""

import math

import pytest

from longfat.sim import Parameter, Scheme, run
from longfat.sim.network import traffic
from tests.sim.lab import holding, one_link, simulated
from tests.sim.spy import Spy

MS = 1_000_000  # ns


def keep(flow, event):
    flow.limited_at[flow.asked] = flow.app_limited
    flow.asked += 1
    return flow.window


def keep_rate(flow, event):
    return flow.rate


FIXED = Scheme(
    "fixed", start=keep, ack=keep, loss=keep, timeout=keep, state={"limited_at": [-1] * 100, "asked": 0},
    parameters={"window": Parameter(10.0, "packets", "[1, 1e6]", "window")}, recovery="own",
)  # fmt: skip
PACED = Scheme(
    "paced", ack=keep_rate, timeout=keep_rate, controls="rate",
    parameters={"rate": Parameter(5e5, "bytes/s", "(0, 1e9]", "rate")},
)  # fmt: skip


def sent(scheme, application, until, window=10, **options):
    """Return the departures [ms] of packets of 1000 bytes, and the run; the round trip is 10 ms."""
    spy = Spy()
    parameters = {"window": window} if scheme is FIXED else {}
    options = {"application": application, "parameters": parameters, **options}
    simulation = simulated(one_link(scheme, rate=math.inf, delay="5 ms", discipline=spy.discipline, **options), until)
    return [one.time / MS for one in spy.data], simulation


@pytest.mark.parametrize(
    ("scheme", "application", "options", "times"),
    [
        # It writes a packet every 2 ms from the start of the flow on, and each leaves at once.
        (FIXED, traffic.constant(5e5), {"start": 0.001}, [1, 3, 5, 7, 9, 11]),
        # Two packets per round trip of 10 ms: the application is ahead. Packets 0 and 1 are written at 0 and 2 ms.
        (FIXED, traffic.constant(5e5), {"window": 2}, [0, 2, 10, 12, 20, 22, 30, 32]),
        # On for 4 ms, 4 packets at 1 per ms; the rate allows one every 2 ms.
        (PACED, traffic.on_off(1e6, "4 ms", "16 ms"), {}, [0, 2, 4, 6, 20, 22, 24]),
        (FIXED, traffic.on_off(1e6, "3 ms", "7 ms"), {}, [0, 1, 2, 10, 11, 12, 20, 21]),
    ],
    ids=["application", "window", "rate", "on and off"],
)
def test_the_application_the_window_or_the_rate_limits(scheme, application, options, times):
    """The application, the window or the rate: packets leave at these times [ms], and no others in half a ms more."""
    assert sent(scheme, application, times[-1] / 1000 + 0.0005, **options)[0] == times


def test_application_limited():
    """As the callbacks see it.

    One packet every 2 ms in a round trip of 10 ms: a window of 10 has room for more at every acknowledgment, one of 4
    has none: packets 0 to 3 leave at 0, 2, 4, 6 ms, and data written at 8 ms wait for the acknowledgment of 10 ms.
    """
    for window, limited in ((10, 1), (4, 0)):
        _, run = sent(FIXED, traffic.constant(5e5), 0.0301, window=window)
        own = run.state.schemes[0].columns.read(run.state.flow_own, 0, run.state.row.flow_own_words)
        assert own.limited_at[0] == 0  # at the start nothing is known
        asked = 1 + 11 if limited else 1 + 9  # at 10, 12, ..., 30 ms; at 10, 12, 14, 16, 20, ..., 26, 30 ms
        assert own.asked == asked
        assert set(own.limited_at[2 : own.asked].tolist()) == {limited}


def test_files():
    """Five packets, the last at 8 ms, acknowledged 10 ms later; the last of the sender carries the flag LAST."""
    spy = Spy()
    link = {"rate": math.inf, "delay": "5 ms", "duplex": True, "discipline": spy.discipline}
    data = run(one_link(FIXED, **link, packet=1000, file=5000, application=traffic.constant(5e5)), rng=1)
    assert data.transfer_time.values == pytest.approx([0.018])
    assert [bool(one.marks & 32) for one in spy.data if one.kind == 0] == [False] * 4 + [True]


def test_a_lost_packet_is_retransmitted_when_the_application_is_idle():
    """Both packets of the first on time are lost; the timer of 1 s repeats them, and all arrive in the end."""
    bursts = traffic.on_off(1e7, "1 ms", "3 s")
    data = run(one_link("sack", rate=1e6, delay="5 ms", duplex=True, buffer=0, file=30_000, application=bursts), rng=1)
    assert float(data.timeouts[0]) >= 1
    assert data.delivered.values == [30]


def test_random_times_have_their_means():
    """On and off for 10 ms each, exponential: half of 1 packet per ms, within five standard deviations.

    The share of on time of n = 2500 cycles has a standard deviation of about 0.5 sqrt(1/(2 n)), 1.4 %.
    """
    _, simulation = sent(holding(1000.0), traffic.on_off(1e6, "10 ms", "10 ms", shape_on=1, shape_off=1), 50.0, None)
    assert int(simulation.state.senders["high"][0]) == pytest.approx(25_000, rel=0.05)
