"""SACK: the sender knows which packets are missing, and retransmits them in one round trip (RFC 6675).

The simulator's selective recovery is the scoreboard: ``flow.in_flight`` is the pipe of RFC 6675, and a packet is lost
when three transmissions made after it are acknowledged. The rules with their sources: docs/rules/tcp.md. Deviations
from the RFC:

* The loss of a retransmission is found in the same way, and causes another reduction and retransmission; in the RFC
  only the timer finds it.
* Acknowledgments of later transmissions are counted, not packets that SACK blocks report; therefore a loss is
  found later if acknowledgments are lost.
* The first two duplicates release new packets, as limited transmit (RFC 3042; RFC 6675, section 5, step 3) allows,
  because the pipe then has room for them.
* After a timeout the sender retransmits everything sent before, except packets that the receiver has reported. The
  RFC (section 5.1) lets the sender keep these reports or discard them.
* Lost packets are sent before new ones; there is no rescue retransmission (RFC 6675, section 4, NextSeg, rule 4).

The components are those of `longfat.sim.schemes.deployed`. By default their options are off, as in the RFC;
``parameters=longfat.sim.schemes.DEPLOYED`` chooses the options of hosts of today.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import deployed, tcp, validation
from longfat.sim.schemes.scheme import Scheme


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, and set the pacing rate."""
    validation.observe(flow, event)
    window = deployed.capped(flow, event, deployed.window_before(flow), respond(flow, event), 1.0)
    deployed.pace(flow, window)
    validation.pace(flow, window)
    return window


@inline
def respond(flow, event):
    """Return the window [packets] after an acknowledgment: reduced by a mark, set by recovery, or grown by new data."""
    if event.marked and tcp.mark_counts(flow):
        flow.window = deployed.aim(flow)
        validation.take_mark(flow)
        tcp.react_to_mark(flow)
    if flow.recovering:
        window = deployed.recover(flow, event, deployed.aim(flow))
        if flow.recovering:
            return window
        return deployed.leave_recovery(flow, event, validation.end_recovery(flow, window))
    if event.marked or event.acked == 0:
        return flow.window
    if not validation.may_grow(flow, event) or not deployed.is_cwnd_limited(flow, event):
        return flow.window
    return deployed.grow(flow, event)


def loss(flow, event):
    """Begin a recovery that halves the window, once per window of data; return the window [packets]."""
    # RFC 3168, section 6.1.2: if a mark has reduced the window, the loss of an earlier packet does not do so again.
    reduced, window = flow.reduced_for == tcp.MARK and event.number <= flow.reduced_at, deployed.aim(flow)
    if not reduced:
        # RFC 6675, section 5, step 4.2: ssthresh is half of FlightSize. It is at most half of the window, because
        # packets sent by limited transmit do not count (RFC 5681, section 3.2, step 2).
        in_use = validation.take_loss(flow, event, min(window, float(flow.high - flow.una)))
        flow.ssthresh = max(flow.ssthresh_floor, deployed.scaled(flow, in_use, 0.5))
    return deployed.begin_recovery(flow, event, window if reduced else flow.ssthresh)


def timeout(flow, event):
    """Reduce ssthresh; return a window of one packet. The simulator retransmits packets not reported as received."""
    flow.ssthresh = tcp.halved(flow, min(flow.window, float(flow.high - flow.una)))
    tcp.record_reduction(flow, tcp.TIMEOUT)
    flow.recovering = False
    return 1.0


time_out = inline(timeout)


def forget(flow, event):
    """Return a window of one packet after a timeout, and reset window validation."""
    validation.forget(flow)
    return time_out(flow, event)


SACK = Scheme(
    "sack",
    ack=ack,
    loss=loss,
    timeout=forget,
    alarm=validation.alarm,
    reorder=3,
    parameters={**deployed.PARAMETERS, **validation.PARAMETERS},
    state={**deployed.STATE, **validation.STATE},
    scale_free=True,
    # With these options results depend on the scale, because HyStart++ and RFC 7661 have fixed times and pacing
    # prevents bursts. With pacing and a buffer of half a bandwidth-delay product, the utilisation is 0.007 lower at a
    # bandwidth-delay product of 200 packets than at one of 4000 packets.
    scale_free_unless=("hystart", "pacing", "cwv"),
    source=(
        "E. Blanton, M. Allman, L. Wang, I. Jarvinen, M. Kojo and Y. Nishida, RFC 6675 (2012), A Conservative Loss "
        "Recovery Algorithm Based on Selective Acknowledgment (SACK) for TCP, section 5; RFC 2018 (1996), TCP "
        "Selective Acknowledgment Options"
    ),
)
