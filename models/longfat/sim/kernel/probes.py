"""The timer of RACK-TLP at work: losses found when it expires, and probes (RFC 8985, sections 6.2 and 7.3)."""

from longfat.sim.kernel.acknowledgments import clear_event, finish_callback, report_losses
from longfat.sim.kernel.events import request_send
from longfat.sim.kernel.jit import routine
from longfat.sim.kernel.memory import event_of, recovery_at, sender_at
from longfat.sim.kernel.rack import PROBE, detect_losses, has_expired, may_probe, stop_rack_timer
from longfat.sim.kernel.records import CHANGED, NONE
from longfat.sim.kernel.timing import restart_timer
from longfat.sim.kernel.trace_rows import trace_sender


@routine
def probe_is_due(state, f):
    """Return whether a probe is due, which precedes a timeout at the same time (section 7.2)."""
    own = recovery_at(state, f)
    return own.rack_purpose == PROBE and own.rack_due <= state.now


@routine
def probe(state, f):
    """Send a probe, if that is allowed, and restart the retransmission timer (RFC 8985, section 7.3)."""
    if may_probe(recovery_at(state, f)):
        request_send(state, f)
    restart_timer(state, f)
    return True


@routine
def expire_rack_timer(state, f, time):
    """Handle the timer of RACK-TLP: find losses by time, or send a probe."""
    if not has_expired(state, f, time):
        return True
    own, event = recovery_at(state, f), event_of(state)
    if own.rack_purpose == PROBE:
        return probe(state, f)
    stop_rack_timer(own)
    lost, fresh = detect_losses(state, f)
    fine = True
    if lost > 0:
        clear_event(state, event, sender_at(state, f))
        fine = report_losses(state, f, lost, fresh, NONE)
        if event.restart_timer:
            restart_timer(state, f)
    if state.tracing:
        trace_sender(state, CHANGED, f)
    return finish_callback(state, f, fine)
