"""A path on which chosen packets are lost, for traces by hand.

10 packets of 1000 bytes at 100 Mbit/s take 0.08 ms each; 50 ms there, 50 ms back without transmission time. Packet k
of a burst sent at 0 is acknowledged at 100 + 0.08 (k + 1) ms.
"""

from longfat.sim import Discipline, Network, Simulation
from longfat.sim.queues import ADMIT, DROP


def losing(numbers, times=1):
    """A discipline that drops these packets, each the first `times` times it comes."""
    numbers = tuple(numbers)

    def arrive(link, packet, header, now, rng):
        for k in range(len(numbers)):
            if packet.number == numbers[k] and link.u[k] < times:
                link.u[k] += 1
                return DROP
        return ADMIT

    return Discipline("losing", arrive=arrive)


def start(scheme, numbers=(), times=1, file=None, **parameters):
    net = Network()
    lossy = {"discipline": losing(numbers, times)} if numbers else {}
    net.link("a", "b", rate="100 Mbit/s", delay="50 ms", **lossy)
    net.flow(scheme, path=["a", "b"], packet=1000, file=file, ack_path="ideal", parameters=parameters)
    return Simulation(net, rng=1)


#: Ten packets at once, and growth by one packet a round trip from there on.
TEN = {"initial_window": 10, "initial_ssthresh": 1}


def flow_at(run, seconds):
    run.advance(seconds)
    return run.world.flows[0]
