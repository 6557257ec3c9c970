"""A user's own scheme for mixed.toml: additive increase, and a smaller multiplicative decrease than TCP's."""

from longfat.sim import Parameter, Scheme


def ack(flow, event):
    """Return the window after an acknowledgment, increased by one packet per round-trip time."""
    return flow.window + event.acked / flow.window


def loss(flow, event):
    """Return the window times `keep`, at least one packet; called at most once per window of data."""
    return max(1.0, flow.keep * flow.window)


gentle = Scheme("gentle", ack=ack, loss=loss, parameters={"keep": Parameter(0.7, "1", "(0, 1)")})
