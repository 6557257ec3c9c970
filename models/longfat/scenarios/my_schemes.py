"""A scheme of one's own for mixed.toml: additive increase, and a smaller decrease than TCP's."""

from longfat.sim import Parameter, Scheme


def ack(flow, event):
    """One packet more each round trip."""
    return flow.window + event.acked / flow.window


def loss(flow, event):
    """Once per window of data: keep a share of the window."""
    return max(1.0, flow.keep * flow.window)


gentle = Scheme("gentle", ack=ack, loss=loss, parameters={"keep": Parameter(0.7, "1", "(0, 1)")})
