"""Round-trip times and the retransmission timer: RFC 6298."""

import math

from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import set_timer
from longfat.sim.memory import sender_at, timer_at
from longfat.sim.records import NEVER, NONE, RTO

NEARLY = 1e-6  # of a tick: three ticks of 0.1 s are 0.30000000000000004 s, and no fourth one


@routine
def update_rto(timer, seconds):
    """Take a round trip: the first one sets, later ones smooth; the variation first (RFC 6298, 2.2 and 2.3)."""
    if timer.tick > 0.0:  # a clock of whole ticks, as in BSD: it reads the number of ticks that went by
        seconds = max(1.0, math.floor(seconds / timer.tick + NEARLY)) * timer.tick
    if timer.srtt == 0.0:
        timer.srtt = seconds
        timer.rttvar = seconds / 2
    else:
        timer.rttvar += (abs(timer.srtt - seconds) - timer.rttvar) / 4
        timer.srtt += (seconds - timer.srtt) / 8
    # RFC 6298, 2.3 and 2.4; a valid sample ends the backoff (5.7).
    timeout = timer.srtt + max(timer.granularity, 4 * timer.rttvar)
    if timer.tick > 0.0:
        timeout = math.ceil(timeout / timer.tick - NEARLY) * timer.tick
    timer.rto = min(max(timeout, timer.min_rto), timer.max_rto)
    timer.backoff = 1.0


@part
def timeout_ns(timer):
    """Return the timeout in force."""
    return int(min(timer.rto * timer.backoff, timer.max_rto) * 1e9)


@part
def restart_timer(state, f):
    """Stop the timer when nothing is outstanding, otherwise begin anew (RFC 6298, 5.2 and 5.3)."""
    sender = sender_at(state, f)
    if sender.high > sender.una:
        set_timer(state, f, RTO, state.now + timeout_ns(timer_at(state, f)))
    else:
        sender.due[RTO] = NEVER


@part
def sample_round_trip(state, f, sender, sent, acked):
    """Sample a round trip: of each new acknowledgment with timestamps, else of one packet at a time (RFC 6298, 3)."""
    if acked <= 0:
        return
    if sender.timestamps:
        update_rto(timer_at(state, f), (state.now - sent) * 1e-9)
    elif sender.timed != NONE and sender.una > sender.timed:
        update_rto(timer_at(state, f), (state.now - sender.timed_at) * 1e-9)
        sender.timed = NONE
