"""Queues before a link whose rate varies: traces by hand, a constant trace as the plain link, and one that halves."""

import json

import numpy as np
import pytest

from longfat import sim
from longfat.cli import main
from longfat.design.senders import sender
from longfat.design.variable_rate import LASTS, SKIPPED, Trace, VariablePath, carried_until, read, waiting_times

HALVES = "# s, Mbit/s\n0, 12\n10, 6\n20, 12\n"


def test_a_trace_of_rates_by_hand():
    trace = read(HALVES)
    # 12 Mbit/s are 1.5e6 bytes/s; the last line lasts as long as the one before it
    assert trace == Trace((0.0, 10.0, 20.0), (1.5e6, 0.75e6, 1.5e6), 30.0)
    assert trace.means() == pytest.approx((0.75e6, 1.25e6, 1.5e6))  # (10 + 10) 1.5 + 10 0.75 over 30
    assert read("5 8\n6 4").times == (0.0, 1.0)  # from the first time on
    # least and greatest are means over 0.1 s: of 8 and 4 Mbit/s in turn for 0.05 s each, 6
    assert read("0 8\n0.05 4").means() == pytest.approx((0.75e6, 0.75e6, 0.75e6))


def test_delivery_opportunities_by_hand():
    """As the README of Mahimahi's traces says: "1" is 12 Mbit/s; a stamp that is repeated is another packet."""
    assert read("1").rates == (1.5e6,)
    assert read("1\n1").means()[1] == pytest.approx(3e6)
    assert read("0\n1\n2").means()[1] == pytest.approx(2.25e6)  # at 0 and at 2, where the next period begins: 3 in 2 ms
    gap = read("\n".join(map(str, [*range(1, 101), *range(601, 701)])))  # 500 ms without one
    assert gap.period == pytest.approx(0.7)
    assert sum(np.diff([*gap.times, gap.period]) * gap.rates) == pytest.approx(200 * 1500)
    # the packet that waits through the gap, from 100 ms to 601 ms, ends behind it
    slowest = int(np.argmin(gap.rates))
    assert gap.times[slowest] == pytest.approx(0.100)
    assert gap.rates[slowest] == pytest.approx(1500 / 0.501)
    assert gap.times[slowest + 1] == pytest.approx(0.601)


def test_waits_by_hand():
    times, rates = np.array([0.0, 10.0]), np.array([1.5e6, 0.75e6])
    assert carried_until(times, rates, np.array([5.0, 12.0])) == pytest.approx([7.5e6, 16.5e6])
    # 60 kB: 40 ms at 12 Mbit/s, 80 ms at 6, and 20 + 40 ms where the rate halves after 20 ms
    found = waiting_times(times, rates, np.array([1.0, 11.0, 9.98]), np.array([60e3] * 3))
    assert found == pytest.approx([0.04, 0.08, 0.06])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "an empty file"),
        ("0 8\nx", "line 2 of t must be a time [s] and a rate [Mbit/s] in each line"),
        ("0 8 9", "line 1 of t must be"),
        ("1\n2 3", "line 2 of t must be"),
        ("-1", "line 1 of t must be"),
        ("0 8\n0 4", "time in t = 0 s is out of range: must be in (0, inf)"),
        ("0 8\n1 0", "rate at 1 s in t = 0 Mbit/s is out of range: must be in (0, inf) Mbit/s, because the simulated"),
        ("1.5", "time in t = 1.5 ms is out of range"),
        ("0", "time in t = 0 ms is out of range"),
    ],
)
def test_malformed_traces_are_refused(text, words):
    with pytest.raises((ValueError, TypeError)) as error:
        read(text, "t")
    assert words in str(error.value)


def test_a_constant_trace_is_the_plain_link():
    path = VariablePath(read("0 12"), 0.04)
    assert list(path.buffers().values()) == [40, 40, 40]  # 1.5e6 bytes/s x 40 ms/1500 bytes
    stream = np.random.SeedSequence(5)
    found = path.measured(20, "fifo", 0.0, stream)
    start = 0.04 * np.random.default_rng(np.random.SeedSequence(5).spawn(1)[0]).random()
    scheme, parameters = sender("cubic")
    net = sim.Network().link("a", "b", rate="12 Mbit/s", delay="20 ms", buffer=20)
    net.flow(scheme, path=["a", "b"], packet=1500, ack_path="ideal", start=start, parameters=parameters)
    plain = sim.run(net, duration=SKIPPED + LASTS, warm_up=SKIPPED, rng=5, sample_every=SKIPPED / 1000, progress=False)
    assert found["rate"] == pytest.approx(float(plain.goodput.sum()), rel=1e-9)
    assert found["mean_wait"] == pytest.approx(float(plain.mean_queue.sum()) * 0.001, rel=0.01)  # 1 ms for a packet
    assert found["wait"] <= 20e-3


def test_a_trace_that_halves():
    path = VariablePath(read(HALVES), 0.04)
    assert list(path.buffers().values()) == [20, 33, 40]  # 0.75, 1.25 and 1.5e6 x 0.04/1500
    assert path.full(40) == pytest.approx((0.04, 0.08))  # 60 kB at 12 and at 6 Mbit/s
    assert path.shaped == pytest.approx(0.95 * 0.75e6)
    queues = path.queues(replications=2)
    least, *_, fair, shaped = queues.values()
    # a BDP at each rate keeps the link busy: the mean rate, 10 Mbit/s; 20 packets wait 40 ms at most
    assert least["rate"] == pytest.approx(1.25e6, rel=0.01)
    assert least["wait"] <= 0.04 < queues["FIFO, BDP at greatest rate"]["wait"] <= 0.08
    assert fair["rate"] > 0.9 * 1.25e6
    assert fair["wait"] < 0.02
    # the shaper passes 5.7 Mbit/s at most, and never makes the link's own queue wait
    assert 0.9 * path.shaped < shaped["rate"] <= path.shaped
    assert shaped["wait"] < 0.02
    assert all(one[f"{name}_lower"] <= one[name] <= one[f"{name}_upper"] for one in queues.values()
               for name in ("rate", "mean_wait", "wait"))  # fmt: skip


def test_the_command(tmp_path, capsys):
    (tmp_path / "half.txt").write_text(HALVES)
    asked = ["buffer", "--rate-trace", str(tmp_path / "half.txt"), "--rtt", "40ms", "--replications", "2"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert "30 s, 6 Mbit/s at least, 10 Mbit/s in the mean, 12 Mbit/s at most (over 0.1 s). 1 cubic flow, 40 ms:" in out
    assert "behind 40 packets one waits 40 ms to 80 ms here" in out
    assert "tc qdisc replace dev DEV root cake bandwidth 5700000bit\n" in out + "\n"
    assert len(out.splitlines()) <= 20
    assert main([*asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["path"]["mean_rate"] == pytest.approx(1.25e6)
    assert [one["packets"] for one in answer["queues"]] == [20, 33, 40, 10240, 10240]


@pytest.mark.parametrize("rates", [
    "0 12\n10 0.5\n11 12\n",  # an outage
    # The least rate is 800 bit/s: a packet takes 15 s, and behind a shaper more of them wait. CAKE takes 0 kbit/s, to
    # which 0.76 would be rounded down, for no limit (net/sched/sch_cake.c, cake_set_rate()).
    "0 0.001\n10 0.0008\n20 0.001\n",
])  # fmt: skip
def test_no_shaper_that_does_harm(tmp_path, capsys, rates):
    (tmp_path / "gap.txt").write_text(rates)
    assert main(["buffer", "--rate-trace", str(tmp_path / "gap.txt"), "--rtt", "40ms", "--replications", "2"]) == 0
    out = capsys.readouterr().out
    assert "- No shaper: below the least rate it gives " in out
    assert "cake bandwidth" not in out
