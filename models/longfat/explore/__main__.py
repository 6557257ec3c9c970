"""Load the simulators: the process that `longfat.explore.server` forks imports this module before it forks.

The module is named so that nothing else imports it.
"""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and ends its processes

from longfat.laws.queues import mm1_wait  # noqa: E402
from longfat.laws.selective_repeat import throughput_efficiency  # noqa: E402
from longfat.verify.simulators import simulator_of  # noqa: E402

# One run each of the network simulator and of the segment simulator, whose compiled code takes a second to load.
for law, point in (
    (mm1_wait, {"load": 0.5}),
    (throughput_efficiency, {"window": 24.0, "loss": 1e-2, "segment_packets": 4.0, "ack_segments": 23.0}),
):
    simulator = simulator_of(law)
    assert simulator is not None
    simulator(1, **point)
