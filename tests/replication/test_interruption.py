"""Ctrl-C stops at once everything that repeats a job, and leaves no thread or process at work."""

import _thread
import gc
import multiprocessing
import os
import threading
import time

import pytest

import longfat as lf
from longfat.benchmark import suites
from longfat.replication import sweep

#: Seconds: the longest interval between two looks at a flag is a fifth of a second, and a sweep has three of them.
AT_ONCE = 4.0
QUIET = {"progress": False}


def endless():
    """Return a network without randomness that is simulated for a week, and its duration [s]."""
    net = lf.sim.Network().link("a", "b", rate="8 Mbit/s", delay="10 ms", buffer=20)
    return net.flow("sack", path=["a", "b"], packet=1000, ack_path="ideal"), 1e8


def simulated(rng=1, **point):
    net, duration = endless()
    return lf.sim.run(net, duration=duration, rng=rng, **QUIET).goodput.values[0]


#: Calls that are carried out in the calling thread.
ALONE = ("testing",)
#: Calls that use `replicate` or run in the calling thread: interrupted here in the long profile only, because
#: tests/sim/test_engine.py interrupts a run, and one of replications.
REPEATING = ("sim.run of a list", "design.curves", "design.loss_load", "benchmark", "benchmark.suites", "testing")

#: Calls that take minutes or longer, by name.
CALLS = {
    "sim.run of a list": lambda: lf.sim.run([endless()[0]] * 40, duration=1e8, rng=1, **QUIET),
    "sweep": lambda: sweep(simulated, {"load": [1, 2]}, replications=4, **QUIET),
    "sweep in processes": lambda: sweep(simulated, {"load": [1, 2]}, executor="processes", **QUIET),
    "segments": lambda: lf.sim.segments.simulate(
        window=24, loss=1e-3, segment_packets=16, ack_segments=23, segments=10**13, **QUIET
    ),
    "design.curves": lambda: lf.design.curves(
        rate="20Mbit/s", round_trip_time="30ms", schemes=["cubic"], flows=[1], replications=50, **QUIET
    ),
    "design.loss_load": lambda: lf.design.loss_load(
        rate="40Mbit/s", round_trip_time="4ms", loss=0.02, sources=20, file="200MB", k=[5], **QUIET
    ),
    "benchmark": lambda: lf.benchmark.run(["7-0.9"], ["gaimd", "reno"], replications=500, **QUIET),
    "benchmark.suites": lambda: suites.run("bcp133", "cubic", replications=500, **QUIET),
    "verify": lambda: lf.verify.run("queues.*", workers=2),
    "testing": lambda: lf.testing.compare(lambda load: load, simulated, {"load": 0.5}, within=0.1),
}


def at_work():
    """Return the threads and processes of ours that are alive."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("longfat-run")]
    return threads + multiprocessing.active_children()


@pytest.fixture
def uncollected():
    """Keep the garbage collector from running: Python drops an interrupt that arrives in one of its callbacks.

    JAX and Hypothesis have such callbacks, and in a process after a thousand tests a collection takes long.
    """
    gc.disable()
    yield
    gc.enable()


def soon():
    """Return the time limit, longer where other programs wait for a processor, too."""
    return AT_ONCE * max(1.0, os.getloadavg()[0] / os.cpu_count())


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in REPEATING else ()) for name in CALLS]
)
def test_ctrl_c_stops_at_once(name):
    interrupted, ended = [], threading.Event()

    def interrupt():
        while not at_work() and name not in ALONE and not ended.wait(0.05):
            pass
        if not ended.wait(0.5):  # in the middle of a run; 0.2 s were too short on a busy machine
            interrupted.append(time.monotonic())
            _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            CALLS[name]()
    finally:
        ended.set()
        thread.join()
    assert time.monotonic() - interrupted[0] < soon()
    while at_work() and time.monotonic() - interrupted[0] < 2 * soon():
        time.sleep(0.05)
    assert at_work() == []
