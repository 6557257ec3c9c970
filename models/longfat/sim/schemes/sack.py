"""SACK: the sender knows which packets are missing and repairs them in one round trip (RFC 6675; docs/rules/tcp.md).

The simulator's selective recovery is the scoreboard: ``flow.in_flight`` is the pipe of RFC 6675, and a packet is lost
when three transmissions made after it are acknowledged. Deviations from the RFC:

* A retransmission that is lost again is found in the same way, and repaired with another reduction; in the RFC it
  waits for the timer.
* Acknowledgments of later transmissions are counted, not packets that SACK blocks report, so that with
  acknowledgments lost a loss is found later.
* The first two duplicates release new packets, as limited transmit (RFC 3042; RFC 6675, section 5, step 3) allows:
  they are within the pipe.
* After a timeout the sender keeps what the receiver has reported, and retransmits everything else sent before. The
  RFC (section 5.1) lets the sender keep it or not.
* Lost packets go first, then new ones; there is no rescue retransmission (RFC 6675, section 4, NextSeg, rule 4).
"""

from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


def ack(flow, event):
    """Return the window [packets]: grown by new data outside recovery, unchanged in it."""
    if event.marked:
        tcp.react_to_mark(flow)
    if event.acked == 0:
        return flow.window
    if flow.recovering:
        # RFC 6675, section 5, step A: recovery ends when everything sent before it (RecoveryPoint) is acknowledged.
        if flow.una > flow.reduced_at:
            flow.recovering = False
        return flow.window
    return flow.window if event.marked else tcp.grow(flow)


def loss(flow, event):
    """Return half of the packets in flight, once for all losses of one window, and retransmit the first of them."""
    # RFC 3168, section 6.1.2: not again for packets sent before a mark reduced the window.
    reduced = flow.reduced_for == tcp.MARK and event.number <= flow.reduced_at
    if not reduced:
        # RFC 6675, section 5, step 4.2: half of FlightSize, at most of a window: packets sent by limited transmit do
        # not count (RFC 5681, section 3.2, step 2).
        flow.ssthresh = max(flow.ssthresh_floor, min(flow.window, float(flow.high - flow.una)) / 2)
    tcp.record_reduction(flow, tcp.LOSS)
    flow.recovering = True
    flow.resend = event.number  # RFC 6675, section 5, step 4.3: the first one goes at once, whatever the pipe
    event.restart_timer = 1  # RFC 6675, section 6: re-arm on a retransmission
    return flow.window if reduced else flow.ssthresh


def timeout(flow, event):
    """Return a window of one packet, as Tahoe; the simulator retransmits what the receiver has not reported."""
    flow.ssthresh = tcp.halved(flow, min(flow.window, float(flow.high - flow.una)))
    tcp.record_reduction(flow, tcp.TIMEOUT)
    flow.recovering = False
    return 1.0


#: State of a flow: slow-start threshold [packets], last reduction, whether the sender is in loss recovery.
STATE = {"ssthresh": "initial_ssthresh", **tcp.REDUCTION, "recovering": False}

# No `bugfix` here: the simulator knows which transmission a loss belongs to.
SACK = Scheme(
    "sack",
    ack=ack,
    loss=loss,
    timeout=timeout,
    reorder=3,
    parameters={
        **{name: one for name, one in tcp.PARAMETERS.items() if name not in ("bugfix", "duplicate_threshold")},
        "rack": tcp.RACK,
    },
    state=STATE,
    scale_free=True,
    source=(
        "E. Blanton, M. Allman, L. Wang, I. Jarvinen, M. Kojo and Y. Nishida, RFC 6675 (2012), A Conservative Loss "
        "Recovery Algorithm Based on Selective Acknowledgment (SACK) for TCP, section 5; RFC 2018 (1996), TCP "
        "Selective Acknowledgment Options"
    ),
)
