"""Networks of Kanakia, Keshav and Mishra (1992), for the calibration numbers of the rate schemes.

They are the benchmark's networks and others like them. H1, H2, ... - S1 - S2 - sink: 20 ms, 1 ms, 1 ms one way; all
links 100 Mbit/s except S1-S2, 40 Mbit/s; packets of 500 B, so that the slow link serves ten per millisecond. With
`hops` = 3 as many nodes are between each host and S1, with 5 ms between neighbours.
"""

import itertools

from longfat.benchmark import VARIANTS, Entry, build
from longfat.sim import Network, Simulation

MS = 1e-3  # s
SLOW, FAST = 5e6, 12.5e6  # bytes/s


class Experiment:
    """A network that grows: hosts, switches, and flows of one scheme."""

    def __init__(self, scheme, discipline, hops=0, buffer=440, slow=SLOW, delays=(20, 1, 1), **parameters):
        self.net, self.scheme, self.discipline, self.hops = Network(), scheme, discipline, hops
        self.buffer, self.parameters = buffer, parameters
        self.access, middle, self.exit = (delay * MS for delay in delays)
        self.add_link("S1", "S2", slow, middle)

    def add_link(self, tail, head, rate, delay, switch=True):
        """Add a link each way; the access link of a host has an unbounded FIFO queue."""
        there = {"buffer": self.buffer, "discipline": self.discipline} if switch else {}
        self.net.link(tail, head, rate=rate, delay=delay, **there)
        self.net.link(head, tail, rate=rate, delay=delay, buffer=self.buffer, discipline=self.discipline)

    def host(self, name, delay=None):
        """Return the nodes from a new host to S1."""
        delay = self.access if delay is None else delay
        between = [f"{name}.{k + 1}" for k in range(self.hops)]
        nodes = [name, *between, "S1"]
        for k, (tail, head) in enumerate(itertools.pairwise(nodes)):
            self.add_link(tail, head, FAST, delay / (len(nodes) - 1), switch=k > 0)
        return nodes

    def sink(self):
        self.add_link("S2", "D", FAST, self.exit)
        return "D"

    def send(self, name, path, file):
        self.net.flow(self.scheme, path=path, name=name, packet=500, file=file, parameters=self.parameters)

    def transfer_time(self, *names, seed=1, until=20.0):
        """Return the transfer times of the chosen flows, by default of the first [ms]."""
        run = Simulation(self.net, rng=seed)
        flows = run.state.flow_names
        times = []
        for name in names or flows[:1]:
            row = flows.index(name)
            while not 0 < run.state.tallies[row].finish < 2**62 and run.now < until:
                run.advance(run.now + 0.2)
            times.append((int(run.state.tallies[row].finish) - int(run.state.tallies[row].start)) / 1e6)
        run.packet_counts()
        self.run = run
        return times if len(times) > 1 else times[0]


def one(scheme, discipline, packets, **options):
    """Return experiment 3: one source."""
    made = Experiment(scheme, discipline, **options)
    made.send("c1", [*made.host("H1"), "S2", made.sink()], 500 * packets)
    return made


class Scenario:
    """One of the benchmark's own networks with a scheme in it, and without single packets."""

    def __init__(self, variant, scheme, discipline, **parameters):
        entry = Entry(scheme, scheme, scheme, parameters, bottleneck=discipline, switch=discipline)
        self.net = build(VARIANTS[variant], entry, probe=False)
        self.net.flows.sort(key=lambda flow: flow.traffic is not None)

    transfer_time = Experiment.transfer_time
