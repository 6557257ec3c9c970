"""What a fair queue knows of a flow: how much of it waits, and how fast it is served."""

from longfat.sim.jit import part

#: For the `flow_state` of disciplines that use it: the estimated rate [bytes/s], 0 for none; when the last packet's
#: transmission began [s]; its bytes, negative if nothing of the flow waited then.
SERVED = {"served_rate": 0.0, "served_at": 0.0, "served_size": 0}
GAIN = 0.25  # of the estimate


@part
def take_departure(state, queue, packet, now):
    """A packet begins its transmission: how long that took since the last one, if the flow waited all the time."""
    if state.served_size > 0 and now > state.served_at:
        sample = state.served_size / (now - state.served_at)
        state.served_rate += GAIN * (sample - state.served_rate) if state.served_rate > 0.0 else sample
    state.served_at = now
    state.served_size = packet.size if queue.packets > 0 else -packet.size


@part
def service_rate(link, state, queue):
    """Return bytes/s: the estimate where the flow waits, else a share of the line, with those that do."""
    if queue.packets > 0 and state.served_rate > 0.0:
        return state.served_rate
    others = link.active - (1 if queue.packets > 0 else 0)
    return link.rate / (max(0, others) + 1.0)
