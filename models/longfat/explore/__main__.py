"""Code that loads the simulators into the process from which `longfat.explore.server` forks its simulations.

The module is called ``__main__``, so that no other code imports it.
"""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends its processes

from longfat.laws.queues import mm1_wait  # noqa: E402
from longfat.laws.selective_repeat import throughput_efficiency  # noqa: E402
from longfat.verify.simulators import simulator_of  # noqa: E402

# Run the network simulator and the segment simulator once each: this loads their compiled code, in about a second.
for law, point in (
    (mm1_wait, {"load": 0.5}),
    (throughput_efficiency, {"window": 24.0, "loss": 1e-2, "segment_packets": 4.0, "ack_segments": 23.0}),
):
    simulator = simulator_of(law)
    assert simulator is not None
    simulator(1, **point)
