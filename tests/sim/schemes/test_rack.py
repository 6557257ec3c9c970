"""RACK-TLP (RFC 8985): traces by hand, and a plain referee of the pseudo-code of section 6.2.

In traces a round trip is 100 ms and a window leaves at once, so that 7 to 14 leave at 0.3 s. The reordering window is
25 ms, a quarter of the least round-trip time, and a probe leaves two round trips after the last new acknowledgment.
"""

import math
from dataclasses import dataclass

import pytest

from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation
from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.recovery import linux_expiry
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import random
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.lab import keep_window, one_link, python, simulated
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Trace, compared, drop_numbers

BY_TIME = {"rack": 1, "min_rto": 1}


SHORT = {"file": 15_000, **BY_TIME}  # a file of 15 packets, whose last ones are 7 to 14
BY_COUNTS = {**SHORT, "rack": 0}


def tail(*lost, given=SHORT, **expected):
    return Trace("sack", drop_numbers(*lost), given, **expected)


TRACES = {
    # The acknowledgment of 13 comes at 0.4 s: a probe two round trips later, not a timeout at 1.4 s.
    "lost-tail": tail(14, times={14: [0.3, 0.6]}, at={2.0: {"timeouts": 0, "finish": 700_000_000}}),
    "lost-tail-by-counts": tail(14, given=BY_COUNTS, times={14: [0.3, 1.4]}),
    # A probe repeats 14, whose acknowledgment at 0.7 s shows that 12 and 13 are lost, too. Fast recovery: ssthresh is
    # half of the 3 packets in flight, but at least 2, so that both leave.
    "lost-tail-of-three": tail(
        12, 13, 14, sent={0.6: [14], 0.7: [12, 13]}, packets={(12, 1): {"window": 2}},
        at={2.0: {"timeouts": 0, "losses": 2, "finish": 800_000_000}},
    ),
    # All of 7 to 14 are lost. The probe at 0.5 s is 15, although 8 packets fill the window; it shows their loss.
    # ssthresh is half of the window of 8. Without RACK-TLP 7 waits for the timer, until 1.3 s.
    "probe-of-new-data": Trace(
        "sack", drop_numbers(*range(7, 15)), BY_TIME, sent={0.5: [15], 0.6: [*range(7, 11)], 0.7: [*range(11, 15)]},
        windows={0.6: [4]},
    ),
    "no-probe": Trace("sack", drop_numbers(*range(7, 15)), {"min_rto": 1}, sent={0.5: [], 1.3: [7]}),
    # Of 7 to 14, 13 is lost. The acknowledgment of 14 comes at 0.4 s, and no later packet has arrived: it is sent again
    # at 0.425 s, with Linux's timer of ticks of 4 ms at 0.428 s.
    "timer": tail(13, times={13: [0.3, 0.425]}),
    "linux-timer": tail(13, given={**SHORT, "rack": 2}, times={13: [0.3, 0.428]}),
    # A second probe is not sent: 14 is lost again, so that it waits for the timer, restarted by the probe at 0.6 s.
    "lost-probe": tail(14, 14, times={14: [0.3, 0.6, 1.6]}, at={2.0: {"timeouts": 1}}),
    # The first packet is lost: section 7.3 forbids a probe without a round-trip time, so that the timer expires.
    "no-probe-before-a-round-trip-is-known": tail(
        0, given={"file": 5000, "first_rto": 3, **BY_TIME}, times={0: [0.0, 3.0]}
    ),
    # One packet in flight: the probe waits for the longest delay of an acknowledgment, too: 2 x 0.1 s + 0.4 s. The file
    # ends with 5, whose acknowledgment is not delayed, and which is lost. 1 and 2 are acknowledged together, 3 and 4,
    # too. All round trips are 100 ms but that of 0, which is acknowledged after 0.4 s: srtt = 0.5 s, and after two
    # samples more 0.5 - 0.4/8 = 0.45 and 0.45 - 0.35/8 = 0.40625 s.
    "probe-after-a-delayed-acknowledgment": tail(
        5, given={"delayed_ack": 2, "ack_delay": 0.4, "initial_window": 1, "timestamps": 1, "file": 6000, **BY_TIME},
        sent={0.6: [3, 4, 5]}, times={5: [0.6, 0.7 + 2 * 0.40625 + 0.4]},
    ),
    # 12 is lost; 13 and 14 come at 0.4 s: fewer than three, so that it is lost 25 ms later (section 6.2, step 4).
    "reordering-window": tail(12, times={12: [0.3, 0.425]}, at={2.0: {"timeouts": 0, "losses": 1}}),
    "reordering-window-by-counts": tail(12, given=BY_COUNTS, times={12: [0.3, 1.4]}),
    # 11 is lost; 12, 13 and 14 come at 0.4 s: no reordering was seen, so that it is lost at once (step 4).
    "three-later-packets-leave-no-reordering-window": tail(11, times={11: [0.3, 0.4]}),
    # The second example of section 9.1: 10 and 12 are lost, and 10 is lost again. Both leave again at 0.4 s, as half of
    # five packets in flight. When 12 arrives, 10, sent before it, is lost at once. Without RACK-TLP three packets sent
    # after it would have to arrive.
    "lost-retransmission": tail(
        10, 10, 12, times={10: [0.3, 0.4, 0.5], 12: [0.3, 0.4]}, at={2.0: {"timeouts": 0}}
    ),
    # The last of 15 packets of CUBIC is lost: a probe follows instead of a timeout after a second.
    **{
        f"cubic-{rack}": Trace(
            "cubic", drop_numbers(14), {**SHORT, "initial_window": 15, "delayed_ack": 1, "rack": rack},
            times={14: [0.0, again]},
        )
        for rack, again in ((1, 0.3), (0, 1.1))
    },
}  # fmt: skip

test_trace = compared(TRACES)


def test_linuxs_timer():
    """To wait for 25 ms takes 27 ms, or seven ticks of 4 ms, from the next tick on: 28 ms from 0.4 s, which is one.

    From 5 ms on, to wait for 10.15 ms: four ticks from 8 ms on, 24 ms.
    """
    assert python(linux_expiry)(400_000_000, 25_000_000) == 428_000_000
    assert python(linux_expiry)(5_000_000, 10_150_000) == 24_000_000


@pytest.mark.parametrize(
    ("rate_changes", "lost", "losses"),
    [
        # When later data are acknowledged, the window is halved as after any loss (7.4.2).
        ([], [3], 1),
        # The acknowledgment of packet 3, of 40 bytes, takes 0.25 s more at 160 bytes/s: a probe leaves in vain, and its
        # duplicate shows that (case 2).
        ([(3.04, 160), (3.06, 1e9)], [], 0),
    ],
)
def test_a_probe_repairs_a_loss_or_is_in_vain(rate_changes, lost, losses):
    """An application writes a packet of 1000 bytes each second; packet 3 or its acknowledgment does not come in time.

    A probe repairs a loss; its duplicate tells that it was in vain.
    """
    given = {"initial_window": 8, "initial_ssthresh": 1, **BY_TIME}
    flow = {"packet": 1000, "parameters": given, "application": traffic.constant(1000)}
    link = {"rate": math.inf, "delay": 0.05, "discipline": drop_numbers(*lost)}
    one = simulated(one_link("sack", **link, back={"rate": 1e9, "rate_changes": rate_changes}, **flow), 20.0)
    flow = one.state.flows[0]
    assert (flow.retransmitted, flow.timeouts, flow.losses, flow.duplicate) == (1, 0, losses, 1 - losses)
    assert of_flow(one).reduced_for == losses


# The referee: a scheme logs sent packets, acknowledgments, and the number of losses found by then. The
# referee has the pseudo-code of section 6.2, one segment for each packet, and no lists.

SENT, ACKNOWLEDGED, EXPIRED = range(3)
ROWS = 1000  # the most that a state can have


@inline
def log(flow, kind, time, number, made):
    if flow.rows < ROWS:
        k = flow.rows
        flow.rows += 1
        flow.kind[k] = kind
        flow.time[k] = time
        flow.of[k] = number
        flow.made[k] = made
        flow.una_then[k] = flow.una
        flow.lost_then[k] = flow.lost
    return flow.window


def log_ack(flow, event):
    return log(flow, ACKNOWLEDGED, event.now, event.number, event.transmission)


def log_timeout(flow, event):
    return log(flow, EXPIRED, event.now, -1, -1)


def log_packet(flow, packet):
    log(flow, SENT, packet.sent, packet.number, packet.transmission)
    # From packet 40 on, three in ten overtake waiting packets, so that any reordering precedes losses.
    packet.priority = 0 if flow.overtaking > 0.0 and packet.number > 40 and random(flow) < 0.3 else 1
    return 0


LOGGER = Scheme(
    "logger", start=lambda flow, event: 13.0, ack=log_ack, loss=keep_window, timeout=log_timeout, send=log_packet,
    reorder=3, parameters={"rack": Parameter(1.0, "1", "[0, 1]", "rack"), "overtaking": 0.0},
    state={"rows": 0, "time": [0.0] * ROWS, **{x: [0] * ROWS for x in ("kind", "of", "made", "una_then", "lost_then")}},
)  # fmt: skip


def lose_late(link, packet, now):
    """Lose packets at random, from packet 100 on."""
    return DROP if packet.number >= 80 and random(link) < 0.1 else ENQUEUE


@dataclass
class Segment:
    xmit_ts: float
    made: int
    retransmitted: bool
    lost: bool = False
    acked: bool = False


class Referee:
    """Variables of section 5.3, and the steps of section 6.2; `made` breaks ties, as in the kernel."""

    def __init__(self, divisor=4):
        self.segments, self.losses, self.timer, self.divisor = {}, 0, math.inf, divisor
        self.xmit_made, self.rtt, self.min_rtt, self.srtt, self.fack = -1, 0.0, math.inf, 0.0, -1
        self.reordering_seen, self.recovery_end, self.told_at, self.una, self.next_made = False, 0, -2, 0, 0
        self.reo_wnd = 0.0

    def transmit(self, now, number, made):
        again = number in self.segments
        self.segments[number] = Segment(now, made, again)
        self.next_made = made + 1

    def acknowledge(self, now, number, made, una, rtt):
        self.una, self.min_rtt = max(una, self.una), min(self.min_rtt, rtt)
        newly = [n for n, one in self.segments.items() if not one.acked and (n < una or n == number)]
        # Ours: a retransmission that arrives in vain is delivered, too; the acknowledgment names it.
        in_vain = [number] if self.segments[number].acked and self.segments[number].made == made else []
        for n in sorted(newly + in_vain, key=lambda n: self.segments[n].made):  # RACK_update()
            one = self.segments[n]
            if one.retransmitted and now - rtt < one.xmit_ts - 1e-9:  # ACK.ts_option.echo_reply
                continue
            self.rtt = now - one.xmit_ts
            self.xmit_made = max(self.xmit_made, one.made)
        for n in sorted(newly):  # RACK_detect_reordering()
            if n > self.fack:
                self.fack = n
            elif n < self.fack and not self.segments[n].retransmitted:
                self.reordering_seen = True
            self.segments[n].acked = True
        self.detect(now)

    def window(self):
        """RACK_update_reo_wnd(), without DSACK."""
        if not self.reordering_seen:
            if self.una < self.recovery_end:
                return 0.0
            if sum(one.acked for n, one in self.segments.items() if n >= self.una) >= 3:
                return 0.0
        return self.min_rtt / self.divisor

    def detect(self, now):
        """RACK_detect_loss_and_arm_timer()."""
        self.reo_wnd, timeout, fresh = self.window(), 0.0, False
        for one in self.segments.values():
            if one.acked or one.lost or one.made >= self.xmit_made:
                continue
            remaining = one.xmit_ts + self.rtt + self.reo_wnd - now
            if remaining <= 1e-9:
                fresh = self.lose(one) or fresh
            else:
                timeout = max(timeout, remaining)
        self.timer = now + timeout if timeout else math.inf
        if fresh:
            self.recover()

    def lose(self, one):
        one.lost = True
        self.losses += 1
        return one.made >= self.told_at

    def recover(self):
        self.recovery_end, self.told_at, self.timer = max(self.segments) + 1, self.next_made, math.inf

    def expire(self, now):
        """RACK_mark_losses_on_RTO()."""
        for n, one in self.segments.items():
            if (
                not one.acked
                and not one.lost
                and (n == self.una or one.xmit_ts + self.rtt + self.reo_wnd - now <= 1e-9)
            ):
                self.lose(one)
        self.recover()


def disagreements(seed, overtaking, divisor=4):
    """Return the number of events at which simulator and referee disagree, losses, timers, and whether any overtook."""
    net = Network().link("a", "b", rate="4 Mbit/s", delay=0.02, discipline="strict-priority")
    net.link("b", "c", rate=math.inf, discipline=Discipline("late", enqueue=lose_late))
    net.flow(LOGGER, path=["a", "b", "c"], packet=1000, ack_path="ideal", parameters={"overtaking": overtaking})
    one = Simulation(net, rng=seed)
    one.advance(1.2)
    own, referee = of_flow(one), Referee(divisor)
    wrong = timers = 0
    sent_at = {}
    for k in range(int(own.rows)):
        now, kind, number, made = float(own.time[k]), int(own.kind[k]), int(own.of[k]), int(own.made[k])
        while referee.timer < now + (1e-9 if kind == SENT else -1e-9):  # what is sent at its time follows from it
            timers += 1
            referee.detect(referee.timer)
        if kind == SENT:
            referee.transmit(now, number, made)
            sent_at[made] = now
        elif kind == ACKNOWLEDGED:
            referee.acknowledge(now, number, made, int(own.una_then[k]), now - sent_at[made])
        else:
            referee.expire(now)
        wrong += referee.losses != int(own.lost_then[k])
    return wrong, referee.losses, timers, referee.reordering_seen


@pytest.mark.parametrize("overtaking", [0, 1])
def test_the_pseudo_code_finds_the_same_losses(overtaking):
    """The number of losses found is that of the referee at every packet, acknowledgment and timeout.

    A referee with half of the reordering window disagrees.
    """
    losses, expiries, false, seen = 0, 0, 0, False
    for seed in range(4):
        wrong, lost, timers, reordered = disagreements(seed, overtaking)
        assert wrong == 0
        losses, expiries, seen = losses + lost, expiries + timers, seen or reordered
        false += disagreements(seed, overtaking, divisor=8)[0]
    assert seen == overtaking
    assert losses > 50
    assert expiries >= 4
    assert false > 0
