"""Runs of the testbed in which the simulator stands in for Linux, so that no rights and no real time are needed."""

from types import SimpleNamespace

import numpy as np

from longfat.base import quantities
from longfat.base.domains import generator
from longfat.sim import Simulation
from longfat.sim.runs import results
from longfat.testbed import hosts
from longfat.testbed.ledger import Account
from longfat.testbed.one_run import Outcome, Trust
from longfat.testbed.plan import plan

#: Quantities that only the hosts of a connection know: removed from those that the emulated network measures.
OF_HOSTS = ("transfer_time", "goodput", "delivered", "sent", "retransmitted", "timeouts", "connections")
SETTINGS = {"kernel": "6.18.0", "tcp_sack": "1"}


def outcomes(net, *, duration, warm_up=0.0, replications=1, rng=None, sample_every=None, rejected=(), **_):
    """Return what `longfat.testbed.runs.outcomes` would, for senders and receivers of the simulator."""
    times = [quantities.read("time", one, "s", "[0, inf)") for one in (duration, warm_up)]
    every = None if sample_every is None else quantities.read("sample_every", sample_every, "s", "[0, inf)")
    return [_one(net, *times, every, stream, rejected) for stream in generator(rng).spawn(replications)]


def _one(net, duration, warm_up, every, stream, rejected):
    connections = plan(net)
    run = Simulation(net, rng=stream, sample_every=every, duration=duration)
    run.advance(warm_up)
    before, accounts_before, first = results.snapshot(run), _accounts(run, connections), _timeouts(run, connections)
    run.advance(duration)
    after, accounts_after, last = results.snapshot(run), _accounts(run, connections), _timeouts(run, connections)
    measured = results.measure(run, before, after)
    rows = [run.state.flow_names.index(one.name) for one in connections]
    for name in OF_HOSTS:
        measured[name][rows] = np.nan
    measured["jain_index"] = np.asarray(np.nan)
    trace = None if every is None else results.traces(run, every)
    return Outcome(
        connections=connections, flows=list(run.state.flow_names), links=list(run.state.link_names),
        measured=measured, packet_counts=run.packet_counts(), trace=trace, before=accounts_before, after=accounts_after,
        samples=_samples(connections, rows, trace, warm_up, duration, first, last),
        settings=SETTINGS, trust=Trust(late=0.002, packets=1000, drops=0, lateness={"largest": 0.003}),
        rejected=list(rejected),
    )  # fmt: skip


def _row(run, one):
    return SimpleNamespace(**{
        name: run.state.flows[run.state.flow_names.index(one.name)][name]
        for name in ("sent", "retransmitted", "received_bytes", "expect", "finish", "timeouts", "last_arrival")
    })  # fmt: skip


def _accounts(run, connections):
    rows = [(one, _row(run, one)) for one in connections]
    return [
        Account(
            sent=int(row.sent), retransmitted=int(row.retransmitted), received_bytes=int(row.received_bytes),
            in_order=int(row.expect) * one.payload, finish_ns=int(row.finish),
            last_arrival_ns=int(row.last_arrival),
        )
        for one, row in rows
    ]  # fmt: skip


def _timeouts(run, connections):
    return [int(_row(run, one).timeouts) for one in connections]


def _samples(connections, rows, trace, warm_up, duration, first, last):
    """Return samples of all connections from their start: at the ends of warm-up and run, and at the traces' times."""
    times = sorted({warm_up, duration, *([] if trace is None else trace["time"][1].tolist())})
    taken = [(at, one) for at in times for one in connections if at >= one.start]
    made = np.zeros(len(taken), hosts.record())
    for k, (at, one) in enumerate(taken):
        made[k]["time"], made[k]["connection"] = round(at * 1e9), one.number
        made[k]["total_rto"] = (first if at <= warm_up else last)[one.number]
        if trace is None or at not in trace["time"][1]:
            continue
        place = trace["time"][1].tolist().index(at), rows[one.number]
        made[k]["snd_cwnd"] = trace["window_trace"][1][place]
        made[k]["bytes_acked"] = round(trace["received_trace"][1][place] / one.packet * one.payload)
        made[k]["rtt"] = round(trace["srtt_trace"][1][place] * 1e6)
        made[k]["pacing_rate"] = 2**64 - 1
    return made
