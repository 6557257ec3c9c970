"""Estimate of the rate at which a fair queue serves a flow, for the disciplines that send it to the source."""

from longfat.sim.kernel.jit import part

#: For the `flow_state` of disciplines that use the estimate: the rate [bytes/s], 0 before the first sample; the time at
#: which the last packet's transmission began [s]; its size [bytes], negative if the flow had no backlog then.
SERVICE_STATE = {"rate_estimate": 0.0, "departed_at": 0.0, "departed_size": 0}
GAIN = 0.25  # weight of a new sample; ours, because Mishra and Kanakia (1992) could not be consulted


# Ours: a sample is the packet's size over the time between two departures of a flow that was backlogged all the time.
@part
def record_departure(state, queue, packet, now):
    """Update the estimate with a packet whose transmission begins now."""
    if state.departed_size > 0 and now > state.departed_at:
        sample = state.departed_size / (now - state.departed_at)
        state.rate_estimate += GAIN * (sample - state.rate_estimate) if state.rate_estimate > 0.0 else sample
    state.departed_at = now
    state.departed_size = packet.size if queue.packets > 0 else -packet.size


# Ours, because a flow without backlog gives no samples: such a flow would get C/(number of other backlogged flows + 1).
@part
def service_rate(link, state, queue):
    """Return the flow's service rate [bytes/s]: the estimate if it is backlogged, otherwise a fair share."""
    if queue.packets > 0 and state.rate_estimate > 0.0:
        return state.rate_estimate
    others = link.active - (1 if queue.packets > 0 else 0)
    return link.rate / (max(0, others) + 1.0)
