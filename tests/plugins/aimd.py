"""Additive increase, multiplicative decrease, as a plug-in in a file of its own. Windows in packets.

D.-M. Chiu and R. Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in Computer
Networks", Computer Networks and ISDN Systems 17 (1989).
"""

from longfat.sim import Parameter, Scheme


def ack(flow, event):
    return flow.window + flow.increase * event.acked / flow.window  # by `increase` in a round trip


def loss(flow, event):
    return max(1.0, flow.decrease * flow.window)


GIVEN = {"increase": Parameter(1.0, "packets", "(0, 1e6]"), "decrease": Parameter(0.5, "1", "(0, 1)")}
AIMD = Scheme("aimd", ack=ack, loss=loss, parameters=GIVEN)
