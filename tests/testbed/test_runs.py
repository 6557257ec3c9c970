"""Whole runs: Linux's TCP over the emulated network, in real time."""

import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from longfat import sim
from longfat.base.user_files import read
from longfat.sim import DROP, Discipline, Network, queues
from longfat.sim.kernel.records import SECOND
from longfat.testbed import CannotRun, RejectedRun, runs
from longfat.testbed.one_run import Outcome, Trust
from longfat.testbed.runs import outcomes

QUIET = {"progress": False}


def network(buffer=None, rate="20 Mbit/s"):
    net = Network().link("a", "b", rate=rate, delay="20 ms", buffer=buffer)
    return net.link("b", "a", rate=rate, delay="20 ms")


def of(outcome, number):
    """Return the samples of one connection."""
    return outcome.samples[outcome.samples["connection"] == number]


@pytest.mark.usefixtures("testbed")
def test_a_file_of_four_packets_takes_its_time():
    """0.6 ms for each packet, 16 us for the last acknowledgment, 20 ms each way: 42.416 ms."""
    given = {"delayed_ack": 1, "initial_window": 4}
    net = network().flow("sack", path=["a", "b"], packet=1500, file=6000, parameters=given)
    (outcome,) = outcomes(net, duration=0.2, warm_up=0.0209, **QUIET)
    assert outcome.after[0].finish_ns / SECOND == pytest.approx(0.042416, abs=5e-6)
    assert (outcome.before[0].received, outcome.after[0].received) == (1, 4)  # the first packet takes 20.6 ms


@pytest.mark.long
@pytest.mark.usefixtures("testbed")
def test_files_take_the_time_of_the_simulator_and_start_on_time():
    """Unloaded transfers of 4, 20 and 200 packets, the starts to the nanosecond: equal to 5 microseconds.

    Packets of 1500 bytes; the path is idle again before the next one starts. Acknowledgments of 40 bytes take 16
    microseconds on the way back, as in the simulator.
    """
    net, starts = network(), (0.1, 1.0, 2.0)
    for start, packets in zip(starts, (4, 20, 200), strict=True):
        given = {"delayed_ack": 1, "initial_window": 2}
        net = net.flow("sack", path=["a", "b"], packet=1500, file=1500 * packets, start=start, parameters=given)
    (outcome,) = outcomes(net, duration=4, **QUIET)
    simulated = sim.run(net, duration=4).transfer_time.values
    found = [account.finish_ns / SECOND - start for account, start in zip(outcome.after, starts, strict=True)]
    assert np.abs(np.array(found) - simulated).max() < 5e-6
    assert [of(outcome, k)[-1]["bytes_sent"] for k in range(3)] == [1460 * packets for packets in (4, 20, 200)]
    assert [account.sent for account in outcome.after] == [4, 20, 200]
    first = of(outcome, 0)[0]
    # The handshake's segments have 48 bytes (four options, no time stamps) there, 48 back: 2 (20 ms + 19.2 us).
    assert int(first["rtt"]) == pytest.approx(40_038, abs=1000)
    assert (first["snd_cwnd"], first["snd_mss"], first["pmtu"]) == (2, 1460, 1500)


@pytest.mark.long
@pytest.mark.usefixtures("testbed")
def test_a_greedy_flow_fills_the_link_as_the_simulators_does_and_stops():
    """One Reno flow with a buffer of half a bandwidth-delay product; then it is aborted, and the link falls idle."""
    net = network(33).flow("sack", path=["a", "b"], packet=1500, stop=6, parameters={"delayed_ack": 1})
    (outcome,) = outcomes(net, duration=8, warm_up=2, sample_every=0.1, settings={"tcp_early_retrans": 0}, **QUIET)
    simulated = sim.run(net, duration=8, warm_up=2)
    assert outcome.trust.accepted
    assert outcome.measured["utilisation"][0] == pytest.approx(float(simulated.utilisation[0]), abs=0.01)
    assert outcome.settings["tcp_early_retrans"] == "0"
    assert outcome.settings["tcp_timestamps"] == "0"
    queue = outcome.trace["queue_trace"][1][:, 0]
    assert queue[:60].max() > 10
    assert queue[62:].max() == 0  # what was in flight has left
    assert of(outcome, 0)["time"].max() == 6 * SECOND
    assert of(outcome, 0)[-1]["total_retrans"] == outcome.after[0].retransmitted > 0


TSHARK = shutil.which("tshark")


@pytest.mark.long
@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.usefixtures("testbed")
def test_tshark_reads_the_captures_without_a_warning(tmp_path):
    """No error, no bad checksum, and no warning but what a loss is to tshark.

    At the receivers that is a segment that was "not captured"; at the senders a repair that tshark calls "out of
    order", because it comes less than a round-trip time after the packet before it. As many packets as the run counts.
    """
    net = Network().link("a", "b", rate="20 Mbit/s", delay="20 ms", loss=0.002)
    net = net.link("b", "a", rate="20 Mbit/s", delay="20 ms")
    net = net.flow("sack", path=["a", "b"], packet=1500, count=3, stagger=0.1, parameters={"delayed_ack": 1})
    (outcome,) = outcomes(net, duration=3, rng=2, pcap=tmp_path / "new", **QUIET)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["receivers.pcap", "senders.pcap"]

    def shown(name, what, *fields):
        command = [TSHARK, "-o", "ip.check_checksum:TRUE", "-r", tmp_path / "new" / name, "-Y", what, *fields]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    for name, loss in (("senders.pcap", "out_of_order"), ("receivers.pcap", "lost_segment")):
        allowed = f"tcp.analysis.out_of_order or tcp.analysis.{loss}"
        assert shown(name, f"(_ws.expert.severity >= 0x600000 and not ({allowed})) or _ws.malformed") == []
        assert len(shown(name, "tcp.flags.syn == 1")) == 6
    kinds = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
    again = shown("senders.pcap", " or ".join(f"tcp.analysis.{kind}" for kind in kinds))
    assert len(again) == sum(account.retransmitted for account in outcome.after) > 0
    received = shown("receivers.pcap", "tcp.len > 0")
    assert len(received) == sum(account.received for account in outcome.after)


@pytest.mark.long
@pytest.mark.usefixtures("testbed")
@pytest.mark.parametrize("scheme", ["newreno", "cubic", "bbr1"])
def test_every_congestion_control_that_linux_has_runs(scheme):
    net = network(67).flow(scheme, path=["a", "b"], packet=1500, count=2, stagger=0.2)
    (outcome,) = outcomes(net, duration=4, warm_up=2, **QUIET)
    assert outcome.measured["utilisation"][0] > 0.8
    assert outcome.settings["tcp_sack"] == str(int(scheme != "newreno"))
    mine = of(outcome, 1)
    assert (mine["options"][-1] & 2 > 0) == (scheme != "newreno")  # TCPI_OPT_SACK


@pytest.mark.long
@pytest.mark.usefixtures("testbed")
def test_marks_reach_linux_and_its_answers_keep_the_buffer_from_filling():
    """ECN (RFC 3168) is negotiated for the flow that asks for it; marks begin at 10 packets, drops at 67."""
    net = Network().link(
        "a", "b", rate="20 Mbit/s", delay="20 ms", buffer=67, discipline=queues.step_marking(packets=10)
    )
    net = net.link("b", "a", rate="20 Mbit/s", delay="20 ms")
    given = {"ecn": 1, "initial_window": 10}
    net = net.flow("sack", path=["a", "b"], packet=1500, parameters=given)
    (outcome,) = outcomes(net, duration=5, warm_up=2, **QUIET)
    last = of(outcome, 0)[-1]
    assert last["options"] & 8  # TCPI_OPT_ECN
    assert outcome.measured["link_dropped"][0] == 0
    assert last["delivered_ce"] > 0
    assert outcome.measured["link_marked"][0] > 0
    assert outcome.measured["mean_queue"][0] < 10


BURN = (
    "import os, sys, time\n"
    "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))\n"
    "end = time.monotonic() + float(sys.argv[1])\n"
    "while time.monotonic() < end: pass\n"
)


@pytest.mark.long
@pytest.mark.usefixtures("testbed")
@pytest.mark.parametrize("attempts", [1, 3])
def test_a_run_that_load_spoils_is_repeated_or_refused(monkeypatch, attempts):
    """Processes of a higher priority take all processors in the first attempt, and the second counts."""
    made, burning, attempt = [], [], runs.attempt

    def loaded(job, tell):
        def burn(seconds):
            if not burning:
                command = [sys.executable, "-c", BURN, "1.0"]
                burning.extend(subprocess.Popen(command) for _ in range(os.cpu_count()))

        made.append(attempt(job, tell if made else burn))
        for process in burning:
            process.wait()
        return made[-1]

    monkeypatch.setattr(runs, "attempt", loaded)
    net = network(33).flow("sack", path=["a", "b"], packet=1500)
    if attempts == 1:
        with pytest.raises(
            RejectedRun, match=r"the machine's load spoilt 1 attempts? at a run: .* and for up to \d.* s in one pause"
        ):
            outcomes(net, duration=3, attempts=1, **QUIET)
    else:
        (outcome,) = outcomes(net, duration=3, attempts=3, **QUIET)
        assert outcome is made[-1]
        assert outcome.trust.accepted
        assert outcome.rejected == [one.trust for one in made[:-1]]
    assert made[0].trust.longest > 0.1
    assert made[0].trust.late < 0.01  # a long pause makes few packets late
    assert not made[0].trust.accepted


def outcome_of(trust):
    return Outcome([], [], [], {}, {}, None, [], [], np.empty(0), {}, trust)


def test_spoilt_runs_are_never_among_the_results(monkeypatch):
    """Of six attempts at two runs, the third and the sixth are accepted; of another two, none is."""
    bad, good = Trust(0.5, 1000, 0), Trust(0.001, 1000, 0)
    coming = iter([bad, bad, good, bad, Trust(0, 1000, drops=1), good, bad, bad])
    monkeypatch.setattr(runs, "missing", lambda controls: [])
    monkeypatch.setattr(runs, "attempt", lambda job, tell: outcome_of(next(coming)))
    net = network().flow("sack", path=["a", "b"])
    first, second = outcomes(net, duration=1, replications=2, attempts=3, **QUIET)
    assert first.trust is good
    assert second.trust is good
    assert [len(one.rejected) for one in (first, second)] == [2, 2]
    with pytest.raises(
        RejectedRun, match="the machine's load spoilt 2 attempts at a run: 50 % of 1000 packets were later than 2 ms"
    ):
        outcomes(net, duration=1, attempts=2, **QUIET)


def test_a_machine_that_lacks_something_is_refused(monkeypatch):
    monkeypatch.setattr(runs, "missing", lambda controls: [f"no {name}" for name in controls])
    with pytest.raises(CannotRun, match="no cubic"):
        outcomes(network().flow("cubic", path=["a", "b"]), duration=1, **QUIET)


def test_a_process_that_ends_before_it_has_read_the_job_is_named(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    for _ in range(10):  # the pipe breaks while the job is written, or is reset afterwards
        with pytest.raises(runs.Killed, match="the process of the run ended with status 1"):
            runs.attempt(b"a job")


def test_a_place_for_captures_that_is_none_is_refused_before_the_run(monkeypatch):
    monkeypatch.setattr(runs, "missing", lambda controls: [])
    with pytest.raises(ValueError, match="pcap = /proc/nowhere cannot be written to"):
        outcomes(network().flow("cubic", path=["a", "b"]), duration=1, pcap="/proc/nowhere", **QUIET)


def test_a_users_own_discipline_reaches_the_process_of_the_run(monkeypatch, tmp_path):
    """Its file is no module that a process could import."""
    text = "from longfat.sim import DROP, Discipline\ndef enqueue(link, packet, now):\n    return DROP\n"
    (tmp_path / "mine.py").write_text(text + 'MINE = Discipline("mine", enqueue=enqueue)\n')
    jobs = []
    monkeypatch.setattr(runs, "missing", lambda controls: [])
    monkeypatch.setattr(runs, "attempt", lambda job, tell: jobs.append(job) or outcome_of(Trust(0, 1, 0)))
    net = Network().link("a", "b", rate="1 Mbit/s", discipline=read("mine.py", Discipline, folder=tmp_path))
    outcomes(net.flow("sack", path=["a", "b"], ack_path="ideal"), duration=1, **QUIET)
    (tmp_path / "mine.py").unlink()
    assert "mine" not in sys.modules
    assert pickle.loads(jobs[0].network)[0].links["a", "b"].discipline.enqueue(0, 0, 0) == DROP


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"duration": -1}, "duration = -1 s is out of range"),
        ({"duration": 1, "warm_up": 2}, "warm_up = 2 s is out of range"),
        ({"duration": 1, "replications": 0}, "replications = 0 runs is out of range"),
        ({"duration": 1, "attempts": 0}, "attempts = 0 runs is out of range"),
        ({"duration": 1, "sample_every": 1e-5}, "sample_every = 1e-05 s is out of range"),
    ],
)
def test_values_outside_their_ranges_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        outcomes(network().flow("sack", path=["a", "b"]), **options, **QUIET)


def test_bytes_in_flight_are_at_most_the_bdp_and_the_buffer():
    """20 Mbit/s = 2.5 MB/s; 40 ms; 33 packets of 1500 bytes: 100 kB + 49.5 kB."""
    for buffer, expected in ((33, 149_500), (None, 100_000 + 1e7)):
        net = network(buffer).flow("sack", path=["a", "b"], packet=1500)
        assert runs.in_flight(net) == pytest.approx(expected)
