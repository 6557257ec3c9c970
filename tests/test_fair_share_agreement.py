"""Packets against the law of max-min fair shares, by sources that send according to the fluid model.

Every packet is sent when the fluid model begins to serve it. Consider a link l with n flows whose packets arrive as
in the fluid model but up to J late. A packet is then sent within D = n L/C + J: the backlog since any earlier moment
is at most n packets and what the fluid model serves in that time and J. Behind the link, J + D is the next J. A file
therefore ends at the earliest the transmission time of its last packet before the fluid model's end, and at the
latest the sum of D after it; to both the delay of the path without queueing is added. The simulator knows nothing of
the laws, nor the laws of the simulator: the schedule is an array of times.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from longfat import benchmark
from longfat.laws import fair_share
from longfat.sim import Network, Parameter, Scheme, Simulation
from longfat.sim.kernel.memory import word_at
from longfat.sim.schemes import timers
from tests.laws import kkm

LENGTH = 500  # bytes, of all packets
FAST = 12.5e6  # bytes/s; lines of less are those of the fluid


def start(flow, event):
    flow.allowance = 0.0
    flow.alarm = word_at(int(flow.book), 0).x * 1e-9
    return math.inf


def alarm(flow, event):
    flow.allowance = 1.0
    flow.following += 1
    time = word_at(int(flow.book), flow.following).x
    flow.alarm = time * 1e-9 if time >= 0 else math.inf
    return math.inf


def ack(flow, event):
    flow.allowance = 0.0
    return math.inf


ORACLE = Scheme(
    "oracle", start=start, ack=ack, alarm=alarm, timeout=ack, controls="rate",
    # the address of the times [ns] at which packets leave, -1 at the end
    parameters={"book": Parameter(0.0, "1", "[0, 1e18]"),
                "window": Parameter(1e9, "packets", "[1, 1e9]", "window"),
                **timers.PARAMETERS},
    state={"following": 0},  # index of the next departure
)  # fmt: skip
SCHEDULED = benchmark.Entry("oracle", "oracle", ORACLE, probe=False)


def times_of_packets(schedule, i):
    """Return the times at which the fluid model has served k packets of a file [s], k = 0, 1, ..."""
    begin = np.array([float(time) for time in schedule.times])
    rates = np.array([float(rate) for rate in schedule.rates[:, i]])
    lengths = np.diff(np.minimum(begin, 1e9))
    served = np.concatenate([[0.0], np.cumsum(rates * lengths)])
    wanted = np.arange(0, round(served[-1] / LENGTH) + 1) * LENGTH
    flat = np.flatnonzero(np.diff(served) > 0)
    places = flat[np.searchsorted(served[flat + 1], wanted - 1e-6)]
    return begin[places] + (wanted - served[places]) / rates[places]


def scheduled(net, schedule, shifts):
    """Return the network with sources that send by a schedule, and the arrays that they read."""
    packet_counts, flows, row = [], [], 0
    for flow, shift in zip(net.flows, shifts, strict=True):
        if flow.scheme is None:
            flows.append(replace(flow, start=flow.start + shift))
            continue
        times = times_of_packets(schedule, row)[:-1] + shift
        packet_counts.append(np.array([*np.round(1e9 * times), -1], np.int64))
        flows.append(replace(flow, parameters={**flow.parameters, "book": float(packet_counts[-1].ctypes.data)}))
        row += 1
    made = Network(net.name)
    made.links = {key: replace(link, buffer=(math.inf, math.inf)) for key, link in net.links.items()}
    made.flows = flows
    return made, packet_counts


def ended(net, until):
    """Return when the last acknowledgment of each file arrives [s]."""
    run = Simulation(net, rng=0)
    run.advance(until)
    run.packet_counts()
    rows = [k for k, flow in enumerate(net.flows) if flow.scheme is not None]
    assert (run.state.flows["dropped"] == 0).all()
    assert (run.state.flows["timeouts"] == 0).all()
    return run.state.flows["finish"][rows] / 1e9


def delay_bounds(lines, ways):
    """Return the sum of D over the links of each path, in the order of `lines`, through which all paths go."""
    late = [0.0] * len(ways)
    for name, rate in lines.items():
        through = [i for i, way in enumerate(ways) if name in way]
        most = len(through) * LENGTH / rate + max((late[i] for i in through), default=0.0)
        for i in through:
            late[i] += most
    return late


EXPERIMENTS = {"1": (1, ""), "2": (2, ""), "3-4": (3, "4 packets"), "3-200": (3, "200 packets"), "4": (4, ""),
               "5": (5, ""), "8": (8, ""), "9a": (9, "as printed"), "10": (10, "")}  # fmt: skip


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_benchmark(name):
    """All files of the experiments, in their networks, with infinite FIFO buffers.

    The fluid model has no propagation delay between links, but packets reach later links later. Every source is
    therefore shifted so that it is at its first slow link together with connection 1, or later by connection 1's
    delay up to there.
    """
    variant = benchmark.VARIANTS[name]
    net = benchmark.build(variant, SCHEDULED)
    schedule = fair_share.transfer_times(kkm.NETWORKS[EXPERIMENTS[name]]())
    slow = {link.name: link.rate for link in net.links.values() if link.rate < FAST}

    def until_line(flow, line):
        """Return the delay without queueing from the source to the beginning of a link [s]."""
        way = net.route(flow)
        place = [link.name for link in way].index(line)
        return sum(link.delay + LENGTH / link.rate for link in way[:place])

    first = net.flows[0]
    gaps = []
    for flow in net.flows:
        line = next(link.name for link in net.route(flow) if link.name in slow)
        gaps.append(until_line(first, line) - until_line(flow, line))
    shifts = [gap - min(gaps) for gap in gaps]
    made, _books = scheduled(net, schedule, shifts)
    ways = [[link.name for link in net.route(flow)] for flow in net.flows]
    forward = {line: rate for line, rate in slow.items() if any(line in way for way in ways)}
    bounds = delay_bounds(forward, ways)
    found = ended(made, 60.0)
    files = [k for k, flow in enumerate(net.flows) if flow.scheme is not None]
    for i, k in enumerate(files):
        flow = net.flows[k]
        back = net.way_back(flow)
        ways_time = sum(link.delay for link in (*net.route(flow), *back)) + sum(flow.ack / link.rate for link in back)
        ways_time += sum(LENGTH / link.rate for link in net.route(flow) if link.name not in slow)
        late = found[i] - shifts[k] - ways_time - float(schedule.finish[i])
        last = np.diff(times_of_packets(schedule, i))[-1]
        acks = len(files) * flow.ack / min(slow.values())  # that may be before its own on the way back
        assert -last - 1e-6 <= late <= bounds[k] + acks + 1e-6, flow.name
        if name == "1" and k == 0:
            assert abs(late + ways_time - 0.044) < 2e-3


@pytest.mark.parametrize("seed", range(8))
def test_random_networks(seed):
    """Files that start at any time on parts of three links of any rates."""
    rng = np.random.default_rng(seed)
    lines = {f"n{k}-n{k + 1}": float(rng.integers(1, 20)) * 5e5 for k in range(3)}
    net, flows = Network(), []
    for name, rate in lines.items():
        net.link(*name.split("-"), rate=rate, delay=0.0)
    for _ in range(int(rng.integers(2, 8))):
        first = int(rng.integers(0, 3))
        last = int(rng.integers(first + 1, 4))
        size, begin = LENGTH * int(rng.integers(1, 400)), float(rng.integers(0, 200)) / 1000
        net.flow(ORACLE, path=[f"n{k}" for k in range(first, last + 1)], packet=LENGTH, file=size, start=begin,
                 ack_path="ideal")  # fmt: skip
        flows.append(fair_share.Flow([f"n{k}-n{k + 1}" for k in range(first, last)], float(size), start=begin))
    schedule = fair_share.transfer_times(fair_share.Network(lines, flows))
    made, _books = scheduled(net, schedule, [0.0] * len(flows))
    bounds = delay_bounds(lines, [flow.path for flow in flows])
    found = ended(made, 60.0)
    for i in range(len(flows)):
        late = found[i] - float(schedule.finish[i])
        last = np.diff(times_of_packets(schedule, i))[-1]
        assert -last - 1e-6 <= late <= bounds[i] + 1e-6
    assert max(bounds) < 0.12
