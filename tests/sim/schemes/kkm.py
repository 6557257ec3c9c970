"""Networks of Kanakia, Keshav and Mishra's experiments 1 to 7 and 9, for the calibration numbers of the rate schemes.

H1, H2, ... - S1 - S2 - sink: 20 ms, 1 ms, 1 ms one way; all lines 100 Mbit/s but S1-S2, 40 Mbit/s; packets of 500 B, so
that the slow line serves ten a millisecond. With `hops` = 3 as many nodes stand between
each host and S1, so that 5 ms lie between neighbours.
"""

import itertools

from longfat.sim import Network, Simulation, traffic

MS = 1e-3  # s
SLOW, FAST = 5e6, 12.5e6  # bytes/s
LARGE, SMALL = 2e6, 5e5  # bytes


class Experiment:
    """A network that grows: hosts, switches, and flows of one scheme."""

    def __init__(self, scheme, discipline, hops=0, buffer=440, slow=SLOW, delays=(20, 1, 1), **parameters):
        self.net, self.scheme, self.discipline, self.hops = Network(), scheme, discipline, hops
        self.buffer, self.parameters = buffer, parameters
        self.access, middle, self.exit = (delay * MS for delay in delays)
        self.line("S1", "S2", slow, middle)

    def line(self, tail, head, rate=FAST, delay=None, switch=True):
        """One each way; a host's own line has room for all and serves in order."""
        there = {"buffer": self.buffer, "discipline": self.discipline} if switch else {}
        delay = self.exit if delay is None else delay
        self.net.link(tail, head, rate=rate, delay=delay, **there)
        self.net.link(head, tail, rate=rate, delay=delay, buffer=self.buffer, discipline=self.discipline)

    def host(self, name, switch="S1", delay=None):
        """The nodes from a new host to its switch."""
        delay = self.access if delay is None else delay
        between = [f"{name}.{k + 1}" for k in range(self.hops)]
        nodes = [name, *between, switch]
        for k, (tail, head) in enumerate(itertools.pairwise(nodes)):
            self.line(tail, head, FAST, delay / (len(nodes) - 1), switch=k > 0)
        return nodes

    def sink(self, name, switch="S2", rate=FAST, delay=None):
        self.line(switch, name, rate, delay)
        return name

    def send(self, name, path, file, start=0.0):
        self.net.flow(
            self.scheme, path=path, name=name, packet=500, file=file, start=start * MS, parameters=self.parameters
        )

    def probe(self, path, interval=20):
        self.net.flow(traffic.probe(interval * MS), path=path, name="probe", packet=500)

    def transfer_time(self, *names, seed=1, until=20.0):
        """Milliseconds, of the flows asked for; the probe's delay if there is one."""
        run = Simulation(self.net, rng=seed)
        flows = run.assembly.flow_names
        times = []
        for name in names or flows[:1]:
            row = run.world.flows[flows.index(name)]
            while not 0 < row.finish < 2**62 and run.now < until:
                run.advance(run.now + 0.2)
            times.append((int(row.finish) - int(row.start)) / 1e6)
        run.books()
        self.run = run
        return times if len(times) > 1 else times[0]


def one(scheme, discipline, packets, **options):
    """Experiment 3."""
    made = Experiment(scheme, discipline, **options)
    made.send("c1", [*made.host("H1"), "S2", made.sink("D")], 500 * packets)
    return made


def many(scheme, discipline, gap=44.0, scale=1.0, probe=False, **options):
    """Experiments 1 (gap 44 ms) and 2 (4 ms); 8 and 9 by options."""
    made = Experiment(scheme, discipline, **options)
    sink = made.sink("D")
    for k in range(11):
        file, start = (LARGE, 0.0) if k == 0 else (SMALL, 100 + gap * (k - 1))
        made.send(f"c{k + 1}", [*made.host(f"H{k + 1}"), "S2", sink], file * scale, start)
    if probe:
        made.probe([*made.host("P"), "S2", sink])
    return made


def long_and_short(scheme, discipline, **options):
    """Experiment 4: "c1" over 44 ms, "long" over 82 ms."""
    made = many(scheme, discipline, **options)
    made.send("long", [*made.host("L"), "S2", made.sink("E", delay=20 * MS)], LARGE)
    return made


def migrating(scheme, discipline, **options):
    """Experiment 5: the bottleneck is S1-S2, then S2-H2, then S1-S2."""
    made = Experiment(scheme, discipline, **options)
    made.sink("H2", rate=SLOW)
    made.sink("H4")
    made.send("c1", [*made.host("H1"), "S2", "H2"], LARGE)
    made.send("c2", [*made.host("H3"), "S2", "H4"], 1e6, 100)
    for k in (5, 6):
        made.send(f"c{k - 2}", [*made.host(f"H{k}", "S2"), "H2"], 2.5e5, 250)
    return made


def two_ways(scheme, discipline, **options):
    """Experiment 6: experiment 1 in both directions, between the same hosts."""
    made = Experiment(scheme, discipline, **options)
    sink = made.sink("D")
    for k in range(11):
        file, start = (LARGE, 0.0) if k == 0 else (SMALL, 100 + 44 * (k - 1))
        there = [*made.host(f"H{k + 1}"), "S2", sink]
        made.send(f"c{k + 1}", there, file, start)
        # The same the other way round: from a host at S2 to a sink at S1.
        nodes = made.host(f"B{k + 1}", "S2")
        if k == 0:
            made.sink("E", "S1")
        made.send(f"b{k + 1}", [*nodes, "S1", "E"], file, start)
    return made


def uncontrolled(scheme, discipline, load, **options):
    """Experiment 7: ten Poisson sources from the beginning on."""
    made = Experiment(scheme, discipline, **options)
    sink = made.sink("D")
    made.send("c1", [*made.host("H1"), "S2", sink], LARGE)
    for k in range(2, 12):
        made.net.flow(
            traffic.poisson(load * SLOW / 10), path=[*made.host(f"H{k}"), "S2", sink], name=f"c{k}", packet=500
        )
    return made
