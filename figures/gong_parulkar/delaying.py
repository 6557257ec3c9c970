"""TCP's receiver that delays acknowledgments to slow the sender, beside SSTP's (Gong and Parulkar 1992, section 2.4).

From the time ``slow_at`` on the application takes the time ``pause`` for each packet (of SSTP: for each segment of one
packet), and TCP's receiver acknowledges a packet when the application has processed it, as the section supposes. Over a
path without losses every retransmission is false.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from longfat.sim import Network, Parameter, run
from longfat.sim.schemes import profile
from longfat.sim.schemes.tahoe import TAHOE

RATE, TRIP, PACKET, WINDOW = 1e6, 0.1, 1000, 16.0  # bytes/s; s; bytes; packets
SLOW_AT, PACKETS = 1.0, 250  # s; packets of the file


def receive(receiver: Any, packet: Any) -> Any:
    """Store a packet in order, and set the alarm for the acknowledgment; return 1 if its data is accepted, else 0."""
    new = packet.number == receiver.arrived
    if new:
        receiver.arrived += 1
        if receiver.arrived == receiver.next + 1:  # the application waits for it
            receiver.ready = receiver.now + (receiver.pause if receiver.now >= receiver.slow_at else 0.0)
    elif packet.number < receiver.next:  # a repetition of what is acknowledged
        receiver.again = True
    receiver.alarm = receiver.now if receiver.again else receiver.ready
    return 1 if new else 0


def reply(receiver: Any, packet: Any) -> Any:
    """Acknowledge the packets that the application has processed; return 1 if the acknowledgment leaves, else 0."""
    leaves = receiver.again
    receiver.again = False
    if receiver.next < receiver.arrived and receiver.now >= receiver.ready - 1e-9:
        receiver.next += 1
        receiver.ready = receiver.now + (receiver.pause if receiver.now >= receiver.slow_at else 0.0)
        leaves = True
    if receiver.next < receiver.arrived:
        receiver.alarm = receiver.ready
    return 1 if leaves else 0


DELAYING = replace(
    TAHOE, name="delaying-receiver", receive=receive, reply=reply,
    parameters={
        **TAHOE.parameters,
        "slow_at": Parameter(math.inf, "s", "[0, inf]", about="Time from which the application is slow"),
        "pause": Parameter(0.0, "s", "[0, 1e6]", about="Time that the slow application takes for a packet"),
    },
    receiver_state={"arrived": 0, "ready": 0.0, "again": False},
)  # fmt: skip


def observe(scheme: str, pause: float) -> dict[str, float]:
    """Return the repeated packets and the transfer time [s] of a file whose receiver is slow from `SLOW_AT` on."""
    net = Network().link("a", "b", rate=RATE, delay=TRIP / 2, duplex=True)
    given: dict[str, Any] = {"path": ["a", "b"], "packet": PACKET, "file": PACKETS * PACKET, "name": "x"}
    if scheme == "tcp":
        net.flow(DELAYING, parameters={
            **profile("rfc"), "initial_ssthresh": WINDOW, "slow_at": SLOW_AT, "pause": pause,
        }, **given)  # fmt: skip
    else:
        net.flow("sstp", parameters={
            "peak_rate": RATE, "segment": 1.0, "window_limit": WINDOW, "burst_length": 1.0, "repeat": 0.5,
            "change_at": SLOW_AT, "processing_after": pause,
        }, **given)  # fmt: skip
    data = run(net, duration=2 * PACKETS * max(pause, 0.1) + 60.0, rng=1, progress=False).sel(flow="x")
    return {name: float(data[name]) for name in ("retransmitted", "timeouts", "transfer_time")}
