"""Round-trip times and timeouts: RFC 6298, in the profiles of schemes.md 1.2."""

import math

from longfat.sim.jit import part
from longfat.sim.kernel.events import arm
from longfat.sim.memory import flow_at
from longfat.sim.records import NEVER, NONE, RTO

NEARLY = 1e-6  # of a tick: three ticks of 0.1 s are 0.30000000000000004 s, and no fourth one


@part
def sample(flow, seconds):
    """RFC 6298, 2.2 and 2.3: the first sample sets, later ones smooth; the variation first."""
    if flow.tick > 0.0:  # a clock of whole ticks, as in BSD: it reads the number of ticks that went by
        seconds = max(1.0, math.floor(seconds / flow.tick + NEARLY)) * flow.tick
    if flow.srtt == 0.0:
        flow.srtt = seconds
        flow.rttvar = seconds / 2
    else:
        flow.rttvar += (abs(flow.srtt - seconds) - flow.rttvar) / 4
        flow.srtt += (seconds - flow.srtt) / 8
    # RFC 6298, 2.3 and 2.4; 5.7 of it and section 1.2 rule 4: a valid sample ends the backoff.
    timeout = flow.srtt + max(flow.granularity, 4 * flow.rttvar)
    if flow.tick > 0.0:
        timeout = math.ceil(timeout / flow.tick - NEARLY) * flow.tick
    flow.rto = min(max(timeout, flow.min_rto), flow.max_rto)
    flow.backoff = 1.0


@part
def timeout_ns(flow):
    """The timeout in force."""
    return int(min(flow.rto * flow.backoff, flow.max_rto) * 1e9)


@part
def restart_timer(world, f):
    """RFC 6298, 5.2 and 5.3: stop when nothing is outstanding, otherwise begin anew."""
    flow = flow_at(world, f)
    if flow.high > flow.una:
        arm(world, f, RTO, world.now + timeout_ns(flow))
    else:
        flow.due[RTO] = NEVER


@part
def take_round_trip(flow, now, sent, number, acked):
    """Sample a round trip: of each new acknowledgment with timestamps, else of one packet at a time (Karn)."""
    if acked <= 0:
        return
    if flow.timestamps:
        sample(flow, (now - sent) * 1e-9)
    elif flow.timed != NONE and flow.una > flow.timed:
        sample(flow, (now - flow.timed_at) * 1e-9)
        flow.timed = NONE
