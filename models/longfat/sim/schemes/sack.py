"""SACK: the sender knows what is missing and repairs it in one round trip (schemes.md 1.6; RFC 6675).

The engine's selective recovery is the scoreboard: ``flow.in_flight`` is the pipe of RFC 6675, a packet is lost when
three transmissions made after it are acknowledged. Where that differs from the RFC:

* A retransmission that is lost again is found in the same way, and repaired with another reduction; in the RFC it
  waits for the timer.
* Acknowledgments of later transmissions are counted, not packets that blocks report, so that with
  acknowledgments lost a loss is found later.
* The first two duplicates let new packets go, as RFC 3042 and RFC 6675 (section 5, step 3) allow: a part of the pipe.
* After a timeout what the receiver has reported is remembered (the RFC lets that be), and everything else sent before
  is sent again.
* Lost packets go first, then new ones; there is no rescue retransmission (section 4, NextSeg, rule 4)."""

from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


def ack(flow, event):
    """Growth outside recovery."""
    if event.marked:
        tcp.take_mark(flow)
    if event.acked == 0:
        return flow.window
    if flow.recovering:
        # 1.6 rule 4: the acknowledgment of all that was sent before the loss ends recovery; the window stays.
        if flow.una > flow.reduced_at:
            flow.recovering = False
        return flow.window
    return flow.window if event.marked else tcp.grow(flow)


def loss(flow, event):
    """1.6 rule 1, once for the losses of one window."""
    # 1.9 rule 2: not again for what was sent before a mark reduced the window.
    reduced = flow.reduced_for == tcp.MARK and event.number <= flow.reduced_at
    if not reduced:
        # RFC 6675, 5, step 4.2: half of what is under way, without what limited transmit has sent: at most a window.
        flow.ssthresh = max(flow.ssthresh_floor, min(flow.window, float(flow.high - flow.una)) / 2)
    tcp.note_reduction(flow, tcp.LOSS)
    flow.recovering = True
    flow.resend = event.number  # RFC 6675, 5, step 4.3: the first retransmission goes at once, whatever the pipe
    event.restart_timer = 1  # RFC 6675, 6: the careful variant
    return flow.window if reduced else flow.ssthresh


def timeout(flow, event):
    """1.6 rule 4: as Tahoe; the engine sends again what nobody has reported."""
    flow.ssthresh = tcp.halved(flow, min(flow.window, float(flow.high - flow.una)))
    tcp.note_reduction(flow, tcp.TIMEOUT)
    flow.recovering = False
    return 1.0


#: What it remembers: the slow-start threshold [packets], the last reduction, whether losses are being repaired.
STATE = {"ssthresh": "initial_ssthresh", **tcp.REDUCTION, "recovering": False}

# No `bugfix` here: the engine knows which transmission a loss belongs to.
SACK = Scheme(
    "sack",
    ack=ack,
    loss=loss,
    timeout=timeout,
    reorder=3,
    parameters={name: one for name, one in tcp.PARAMETERS.items() if name not in ("bugfix", "duplicate_threshold")},
    state=STATE,
    scale_free=True,
    source="schemes.md 1.6; RFC 2018, RFC 6675",
)
