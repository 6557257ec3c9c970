"""Round-trip times and the retransmission timer of RFC 6298."""

import math

from longfat.sim.kernel.events import set_timer
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.memory import sender_at, timer_at
from longfat.sim.kernel.records import NEVER, NONE, RTO

NEARLY = 1e-6  # tolerance, in ticks: three ticks of 0.1 s are 0.30000000000000004 s, which are not four


@routine
def update_rto(timer, seconds):
    """Update srtt, rttvar and rto with a round-trip time [s] (RFC 6298, sections 2.2 and 2.3: the variation first)."""
    if timer.tick > 0.0:  # a coarse clock as in BSD counts the ticks that have passed
        seconds = max(1.0, math.floor(seconds / timer.tick + NEARLY)) * timer.tick
    if timer.srtt == 0.0:
        timer.srtt = seconds
        timer.rttvar = seconds / 2
    else:
        timer.rttvar += (abs(timer.srtt - seconds) - timer.rttvar) / 4
        timer.srtt += (seconds - timer.srtt) / 8
    # RFC 6298, sections 2.2 to 2.5. Section 5, first note at its end: a new sample ends the backoff.
    timeout = timer.srtt + max(timer.granularity, 4 * timer.rttvar)
    if timer.tick > 0.0:
        timeout = math.ceil(timeout / timer.tick - NEARLY) * timer.tick
    timer.rto = min(max(timeout, timer.min_rto), timer.max_rto)
    timer.backoff = 1.0


@part
def timeout_ns(timer):
    """Return the retransmission timeout [ns], backoff included."""
    return int(min(timer.rto * timer.backoff, timer.max_rto) * 1e9)


@part
def restart_timer(state, f):
    """Restart the retransmission timer, or stop it if nothing is outstanding (RFC 6298, section 5, rules 5.2, 5.3)."""
    sender = sender_at(state, f)
    if sender.high > sender.una:
        set_timer(state, f, RTO, state.now + timeout_ns(timer_at(state, f)))
    else:
        sender.due[RTO] = NEVER


@part
def round_trip(state, sent):
    """Return the time since a departure [ns], at least a tick of the clock: a round-trip time of 0 s is none."""
    return max(1, state.now - sent)


@part
def sample_round_trip(state, f, sender, sent, acked):
    """Take a sample of the round-trip time from an acknowledgment (RFC 6298, section 3); return whether it gives one.

    With timestamps every acknowledgment of new data gives one. Without them one packet at a time is timed, and never
    one that was retransmitted (Karn's algorithm).
    """
    if acked <= 0:
        return False
    if sender.timestamps:
        update_rto(timer_at(state, f), round_trip(state, sent) * 1e-9)
        return True
    elif sender.timed != NONE and sender.una > sender.timed:
        update_rto(timer_at(state, f), round_trip(state, sender.timed_at) * 1e-9)
        sender.timed = NONE
        return True
    return False
