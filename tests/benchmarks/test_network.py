"""Speed of the network simulator: `sim.run` against SimPy in the same run, and against a bound in C++.

Set-up, memory and start times are measured, too; growth with the number of flows is that of the cost of a packet.

The bound is a program in C++ written for just this dumbbell, without statistics. It was measured once, on a quiet
machine of this kind, and so was htsim (C++) beside SimPy; SimPy has one link each way in both forms. A ratio to SimPy
is taken in one run; a share of the bound depends on the machine and what else it does.
"""

import os
import subprocess
import sys
import textwrap
import time

import pytest

from longfat import sim
from tests.benchmarks import simpy_dumbbell

FORMS = [(form, flows) for form in ("lean", "star") for flows in (10, 100, 1000)]
HTSIM = dict(zip(FORMS, (23, 26, 34, 7.8, 7.9, 5.3), strict=True))  # times SimPy's packets/s
BOUND = dict(zip(FORMS, (78, 76, 71, 33, 32, 23), strict=True))  # M delivered packets/s
WANTED = {"lean": (130, 0.3), "star": (80, 0.25)}  # times SimPy, and the least share of the bound (half is aimed at)
WORK = {10: (100, 40), 100: (10, 400), 1000: (2, 4000)}  # flows: simulated seconds, Mbit/s


def network(form, flows, mbit):
    """Reno flows with 500 byte packets over a round trip of 44 ms, and a buffer of one bandwidth-delay product."""
    net, bdp = sim.Network(), int(mbit * 1e6 * 0.044 / 8 / 500)
    parameters = {"initial_ssthresh": bdp // flows}
    fast, common = f"{10 * mbit} Mbit/s", {"packet": 500, "parameters": parameters}
    if form == "lean":
        net.link("a", "b", rate=f"{mbit} Mbit/s", delay=0.022, buffer=bdp).link("b", "a", rate=fast, delay=0.022)
        return net.flow("reno", path=["a", "b"], count=flows, stagger=0.2 / flows, **common)
    net.link("a", "b", rate=f"{mbit} Mbit/s", delay=0.020, buffer=bdp).link("b", "a", rate=fast, delay=0.020)
    for k in range(flows):
        net.link(f"s{k}", "a", rate=f"{mbit} Mbit/s", delay=0.001, duplex=True)
        net.link("b", f"d{k}", rate=f"{mbit} Mbit/s", delay=0.001, duplex=True)
        net.flow("reno", path=[f"s{k}", "a", "b", f"d{k}"], start=0.2 * k / flows, **common)
    return net


def delivered_per_second(net, seconds):
    """Return the packets delivered per second of event loop."""
    run = sim.Simulation(net, rng=1)
    run.advance(seconds)
    return int(run.packet_counts()["received"]) / run.wall_time


def timed_call(net, seconds):
    """Return the packets delivered by `sim.run`, the seconds that it takes in all, and those of its event loop."""
    begin = time.perf_counter()
    data = sim.run(net, duration=seconds, rng=1, progress=False)
    return int(data.delivered.sum()), time.perf_counter() - begin, data.attrs["wall_time"]


def report(capsys, text):
    with capsys.disabled():
        print(f"\n    {text}", end="")


@pytest.mark.parametrize(("form", "flows"), FORMS)
def test_packets_per_second(benchmark, capsys, form, flows):
    """Whole calls of `sim.run`, with set-up and statistics, one replication and so one core."""
    benchmark.group = "network simulator"
    seconds, mbit = WORK[flows]
    net = network(form, flows, mbit)
    timed_call(net, 0.01)
    calls, theirs = [], []

    def by_turns():  # so that both see the same machine
        calls.append(timed_call(net, seconds))
        packets, spent = simpy_dumbbell.run(flows, seconds / 10, mbit)
        theirs.append(packets / spent)

    benchmark.pedantic(by_turns, rounds=3)
    ours = [packets / spent for packets, spent, _ in calls]
    loop = max(packets / spent for packets, _, spent in calls)
    besides = min(spent - of_loop for _, spent, of_loop in calls)
    ratio, share = sorted(ours)[1] / sorted(theirs)[1], max(ours) / 1e6 / BOUND[form, flows]
    wanted, least = WANTED[form]
    report(
        capsys,
        f"{form}, {flows} flows: {max(ours) / 1e6:.1f} M packets/s in all, {ratio:.0f}x SimPy "
        f"({max(theirs) / 1e3:.0f} k; wanted {wanted}x; htsim {HTSIM[form, flows]}x), "
        f"{share:.2f} of the bound of {BOUND[form, flows]} M (wanted 0.5, at least {least}); "
        f"loop alone {loop / 1e6:.1f} M, {1e9 / loop:.0f} ns a packet, the rest {1e3 * besides:.0f} ms",
    )


def test_set_up_of_many_flows(benchmark, capsys):
    """Set-up of 1,000 flows with access links at both ends: the network, its arrays, and statistics at the end."""
    benchmark.group = "network simulator, what a person waits for"
    times = []

    def measure():
        begin = time.perf_counter()
        net = network("star", 1000, 4000)
        described = time.perf_counter()
        run = sim.Simulation(net, rng=1, duration=2)
        run.prepare()
        ready = time.perf_counter()
        _, total, loop = timed_call(net, 0.001)
        times.append((described - begin, ready - described, total - loop))

    measure()
    times.clear()
    benchmark.pedantic(measure, rounds=5)
    described, ready, call = (1e3 * min(column) for column in zip(*times, strict=True))
    report(
        capsys,
        f"1,000 flows with access lines: set-up {ready:.0f} ms (allowed 100), a call of run besides the loop "
        f"{call:.0f} ms; describing the network in Python {described:.0f} ms",
    )


def dumbbell(mbit, buffer):
    return sim.Network.dumbbell(["cubic"], rate=f"{mbit} Mbit/s", delay="10 ms", buffer=buffer)


def test_a_small_run(benchmark, capsys):
    """A call of `run` besides its packets, over the time of 1,000 packets in the same run: one network, and a list."""
    benchmark.group = "network simulator, what a person waits for"
    long, short = dumbbell(10, 50), dumbbell(10, 50)
    nets = [dumbbell(10 + k / 100, 20 + k % 60) for k in range(400)]
    times = []

    def spent(call):
        begin = time.process_time()
        data = call()
        return time.process_time() - begin, data

    def by_turns():
        packets, data = spent(lambda: sim.run(long, duration=300, rng=1, progress=False))
        packets /= float(data.sent.sum()) / 1000
        alone = min(spent(lambda: sim.run(short, duration=0.05, rng=1, progress=False))[0] for _ in range(50))
        many = spent(lambda: sim.run(nets, duration=0.05, rng=1, progress=False))[0] / len(nets)
        times.append((packets, alone, many))

    by_turns()
    times.clear()
    benchmark.pedantic(by_turns, rounds=5)
    packets, alone, many = (1e3 * min(column) for column in zip(*times, strict=True))
    report(
        capsys,
        f"a run of 0.05 s at 10 Mbit/s: {alone:.2f} ms of one core (wanted 1, allowed 1.5), as long as "
        f"{alone / packets:.0f},000 packets of CUBIC; {many:.2f} ms each of 400 different networks in one call",
    )


def test_memory(benchmark, capsys):
    benchmark.group = "network simulator, growth with the flows"
    code = """
        import sys
        sys.path.insert(0, ".")
        from tests.benchmarks.test_network import network, delivered_per_second
        delivered_per_second(network("lean", 10_000, 40_000), 1.0)
        print(float(next(line for line in open("/proc/self/status") if "VmHWM" in line).split()[1]) / 1024)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    out = benchmark.pedantic(lambda: subprocess.run(command, capture_output=True, text=True, check=True), rounds=1)
    report(capsys, f"10,000 flows at 40 Gbit/s: {float(out.stdout):.0f} MiB in all (allowed 1024)")


FIRST = """
    import time
    begin = time.perf_counter()
    from longfat import sim
    net = sim.Network().link("a", "b", rate=1e6, duplex=True).flow("reno", path=["a", "b"])
    run = sim.Simulation(net, rng=1)
    run.advance(0.001)
    print(time.perf_counter() - begin)
"""


def start(cache, code=FIRST):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["NUMBA_CACHE_DIR"] = str(cache)
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, env=environment
    )
    return float(out.stdout)


def test_starts(benchmark, capsys, tmp_path):
    benchmark.group = "network simulator, what a person waits for"
    own = """
        import time
        from longfat import sim
        net = sim.Network().link("a", "b", rate=1e6, duplex=True).flow("reno", path=["a", "b"])
        sim.Simulation(net, rng=1).advance(0.001)
        begin = time.perf_counter()
        def ack(flow, event):
            return flow.window + event.acked / flow.window
        def loss(flow, event):
            return max(1.0, 0.7 * flow.window)
        net = sim.Network().link("a", "b", rate=1e6, duplex=True)
        net.flow(sim.Scheme("mine", ack=ack, loss=loss), path=["a", "b"])
        sim.Simulation(net, rng=1).advance(0.001)
        print(time.perf_counter() - begin)
    """
    first = benchmark.pedantic(lambda: start(tmp_path), rounds=1)
    later = min(start(tmp_path) for _ in range(3))
    mine = min(start(tmp_path, own) for _ in range(2))
    report(
        capsys,
        f"to the first event: first use with compilation {first:.1f} s (allowed 15), later processes {later:.2f} s "
        f"(allowed 1), a scheme of one's own {mine:.2f} s (allowed 0.3)",
    )
