"""Results of runs on Linux as a Dataset with the variables of a simulation's, alone and beside a simulation.

The simulator's own code emulates the network, and counts utilisations, drops, delays and marks of the links. Results
of the hosts come from the headers of their packets (`longfat.testbed.ledger`) and from TCP_INFO. Sizes follow
the simulator's convention: a data packet counts with its headers.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.domains import generator, number
from longfat.base.labelled import made_by
from longfat.sim.kernel.records import NEVER, SECOND
from longfat.sim.runs import results
from longfat.testbed.plan import with_handshakes
from longfat.testbed.runs import outcomes

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network
    from longfat.testbed.law_values import LawValue
    from longfat.testbed.ledger import Account
    from longfat.testbed.one_run import Outcome
    from longfat.testbed.plan import Connection

UNPACED = 2**64 - 1  # bytes/s, Linux's pacing rate of an unpaced connection: net/core/sock.c, sk_pacing_rate


def run(
    net: Network,
    *,
    duration: float | str,
    warm_up: float | str = 0.0,
    replications: int = 1,
    confidence: float = 0.95,
    sample_every: float | str | None = None,
    rng: Any = None,
    settings: Mapping[str, object] | None = None,
    pcap: str | Path | None = None,
    attempts: int = 3,
    progress: bool = True,
) -> xr.Dataset:
    """Run a scenario with Linux's TCP, in real time over emulated links.

    Parameters
    ----------
    net : Network
        Links and flows; flows without a scheme are simulated together with Linux's. `longfat.testbed.refusals` lists
        what Linux cannot do.
    duration, warm_up : float or str
        Length of each run, and of its initial part that is not measured [s].
    replications : int
        Number of runs, one after the other. Linux's timers and schedule differ from run to run, even if the scenario
        draws no random numbers.
    confidence : float
        Confidence level of the intervals [probability], in (0, 1); with one replication there are none.
    sample_every : float or str, optional
        Interval between the samples of TCP_INFO and of the links [s]; those of the first run are the traces.
    rng : None, int, SeedSequence or Generator
        Seed of the emulated network's random numbers.
    settings : mapping of str to object, optional
        Linux's settings in both hosts, such as ``{"tcp_recovery": 0}``, and options of sockets: ``SO_SNDBUF``,
        ``SO_RCVBUF`` and ``SO_RCVLOWAT``.
    pcap : str or Path, optional
        Directory for senders.pcap and receivers.pcap: the headers of the first run's packets, with the times of the
        emulated network. Time 0 is an hour after the epoch; the handshakes are a minute before it.
    attempts : int
        Largest number of attempts at a run, which the machine's load may spoil. A run is rejected if more than 1 % of
        its packets are later than 2 ms, if the network stands still for more than 10 ms in one pause or for more than
        1 % of the time (0.2 % with a paced sender, BBR), if Linux waits for an application for more than 1 % of the
        time, or if a device drops packets.
    progress : bool
        Show a progress bar.

    Returns
    -------
    xarray.Dataset
        The variables and attributes of `longfat.sim.run`; ``deterministic`` is 0. The attribute ``testbed`` is JSON:
        Linux's release and settings, and how much of each run was late.

    Raises
    ------
    ValueError
        If a value is outside its range, or Linux lacks a feature of the scenario; the message names it.
    CannotRun
        If the testbed cannot run on this machine; the message names the missing parts.
    RejectedRun
        If every attempt at a run was rejected.
    """
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    random = generator(rng)
    begun = time.monotonic()
    found = outcomes(
        net, duration=duration, warm_up=warm_up, replications=replications, rng=random, sample_every=sample_every,
        settings=settings, pcap=pcap, attempts=attempts, progress=progress,
    )  # fmt: skip
    wall_time = time.monotonic() - begun
    until = quantities.read("duration", duration, "s", "[0, inf)")
    begin = quantities.read("warm_up", warm_up, "s", "[0, inf)")
    values = results.over_replications([measure(one, until, begin) for one in found], confidence, len(found) > 1)
    counts = {name: sum(one.packet_counts[name] for one in found) for name in found[0].packet_counts}
    attrs = {
        "network": net.to_toml(),
        "duration": until,
        "warm_up": begin,
        "replications": len(found),
        "replications_asked": len(found),
        "deterministic": 0,
        "confidence": confidence,
        "entropy": str(getattr(random.bit_generator.seed_seq, "entropy", "unknown")),
        "wall_time": wall_time,
        "conservation": "sent = received + dropped + in_flight",
        **{f"packets_{name}": count for name, count in counts.items()},
        "version": __version__,
        "testbed": json.dumps(about(found)),
    }
    first = found[0]
    data = results.Answer(values, first.flows, first.links, attrs).dataset()
    if first.trace is not None:
        data = data.assign(traces(first))
    return made_by(data, "testbed.run")


def about(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the content of the attribute ``testbed``: Linux's release and settings, and the evidence of each run."""
    first = outcomes[0]
    return {
        "release": first.settings.get("kernel", os.uname().release),
        "controls": {one.name: one.control for one in first.connections},
        "runs": [asdict(one.trust) for one in outcomes],
        "repeated": sum(len(one.rejected) for one in outcomes),
        "settings": first.settings,
    }


def measure(outcome: Outcome, duration: float, warm_up: float) -> dict[str, np.ndarray]:
    """Return the values of all quantities of `longfat.sim.runs.results.QUANTITIES` in one run, by their names."""
    made = {name: np.array(values, float) for name, values in outcome.measured.items()}
    for one, before, after in zip(outcome.connections, outcome.before, outcome.after, strict=True):
        row = outcome.flows.index(one.name)
        for name, value in _of_connection(one, before, after, duration, warm_up).items():
            made[name][row] = value
        made["timeouts"][row] = _timeouts(outcome, one, warm_up)
    made["jain_index"] = results.jain_index(made["goodput"])
    return made


def _of_connection(
    one: Connection, before: Account, after: Account, duration: float, warm_up: float
) -> dict[str, float]:
    """Return the results of a connection by their names, from its counters at the end of the warm-up and of the run."""
    finish = after.finish_ns / SECOND if after.finish_ns != NEVER else math.nan
    last = max(one.stop, after.last_arrival_ns / SECOND) if math.isnan(finish) else finish
    span = min(last, duration) - max(one.start, warm_up)
    return {
        "transfer_time": finish - one.start,
        "goodput": (after.received_bytes - before.received_bytes) / span if span > 0 else math.nan,
        "delivered": (after.in_order - before.in_order) / one.payload,
        "sent": after.sent - before.sent,
        "retransmitted": after.retransmitted - before.retransmitted,
        "connections": float(not math.isnan(finish)),
    }


def _timeouts(outcome: Outcome, one: Connection, warm_up: float) -> float:
    """Return the number of retransmission timeouts of a connection after the warm-up (TCP_INFO, tcpi_total_rto)."""
    mine = outcome.samples[outcome.samples["connection"] == one.number]
    if not len(mine):
        return math.nan
    begin = mine[mine["time"] <= warm_up * SECOND]
    return float(mine["total_rto"][-1]) - float(begin["total_rto"][-1] if len(begin) else 0)


#: Name of a trace of a flow -> its meaning, and the function that computes it from a connection's samples of TCP_INFO.
SAMPLED: dict[str, tuple[str, Callable[[np.ndarray, Connection], Any]]] = {
    "window": ("congestion window, TCP_INFO", lambda rows, _: rows["snd_cwnd"].astype(float)),
    "rate": (
        "pacing rate, TCP_INFO; infinite: not paced",
        lambda rows, _: np.where(rows["pacing_rate"] == UNPACED, math.inf, rows["pacing_rate"].astype(float)),
    ),
    "received": (
        "data acknowledged so far at the sender, TCP_INFO, headers of its packets counted",
        lambda rows, one: rows["bytes_acked"] * (one.packet / one.payload),
    ),
    "srtt": ("smoothed round-trip time, TCP_INFO", lambda rows, _: rows["rtt"] * 1e-6),
}


def traces(outcome: Outcome) -> dict[str, Any]:
    """Return the traces of a run along ``time``: queues of emulated links, and values of flows by TCP_INFO.

    At each time a flow has the value of the last sample at or before this time; NaN before the first sample.
    """
    made = dict(outcome.trace or {})
    times = np.round(np.asarray(made["time"][1]) * SECOND)
    for name, (description, sampled) in SAMPLED.items():
        dims, before, attrs = made[f"{name}_trace"]
        values = np.array(before, float)
        for one in outcome.connections:
            mine = outcome.samples[outcome.samples["connection"] == one.number]
            known = np.append(sampled(mine, one), math.nan)  # index -1: times before the first sample
            last = np.searchsorted(mine["time"], times, side="right") - 1
            values[:, outcome.flows.index(one.name)] = known[last]
        made[f"{name}_trace"] = (dims, values, {**attrs, "long_name": description})
    return made


FACES = ("simulator", "Linux")
#: Variable of the Dataset along the dimension `law` -> its meaning. Each value of a law is an entry of this dimension.
LAW = {
    "law_quantity": "variable that the law predicts",
    "law_of": "flow or link",
    "law_value": "value of the law, in the unit of the variable",
    "law_remark": "what the law leaves out in this scenario",
}


def compare(
    net: Network,
    *,
    duration: float | str,
    warm_up: float | str = 0.0,
    replications: int = 1,
    confidence: float = 0.95,
    sample_every: float | str | None = None,
    rng: Any = None,
    attempts: int = 3,
    progress: bool = True,
) -> xr.Dataset:
    """Run a scenario in the simulator and on Linux, and return both results with the values of the laws that apply.

    Parameters
    ----------
    net : Network
        Links and flows; `longfat.testbed.refusals` lists what Linux cannot do.
    duration, warm_up, replications, confidence, sample_every, rng, attempts, progress
        As for `longfat.testbed.run`, and for as many runs in the simulator.

    Returns
    -------
    xarray.Dataset
        The variables of `longfat.sim.run` along ``face``, "simulator" and "Linux"; ``law_quantity``, ``law_of``,
        ``law_value`` and ``law_remark`` along ``law``. The attributes are those of the run on Linux.

    Raises
    ------
    ValueError, CannotRun, RejectedRun
        As for `longfat.testbed.run`.
    """
    from longfat import sim
    from longfat.testbed.law_values import law_values

    options: dict[str, Any] = {
        "duration": duration, "warm_up": warm_up, "replications": replications, "confidence": confidence,
        "sample_every": sample_every, "rng": rng, "progress": progress,
    }  # fmt: skip
    measured = run(net, **options, attempts=attempts)  # called first, because it refuses features that Linux lacks
    simulated = sim.run(with_handshakes(net), **options)
    return beside(simulated, measured, law_values(net, float(measured.attrs["duration"])))


def beside(simulated: xr.Dataset, measured: xr.Dataset, laws: list[LawValue]) -> xr.Dataset:
    """Return a Dataset of both results along ``face`` ("simulator", "Linux"), and of the values of laws along ``law``.

    Traces are limited to the times that both results contain. A variable that only one result contains is left out.
    """
    import xarray as xr

    common = [name for name in simulated.data_vars if name in measured.data_vars]
    data = xr.concat(
        [simulated[common], measured[common]],
        dim=xr.Variable("face", list(FACES)),
        join="inner",
        combine_attrs="override",
    ).assign_attrs(measured.attrs)
    for name, description in LAW.items():
        column = [getattr(one, name.removeprefix("law_")) for one in laws]
        kind = float if name == "law_value" else str
        data[name] = ("law", np.asarray(column, kind), {"units": "", "long_name": description})
    data = data.assign_coords(law=("law", np.asarray([one.law for one in laws], str)))
    return made_by(data, "testbed.compare")


def difference(data: xr.Dataset, name: str, where: dict[str, str]) -> tuple[float, float]:
    """Return the relative difference of Linux from the simulator [1], and the half-width of its confidence interval.

    The half-width is the root of the sum of the squares of the half-widths of simulator and Linux, as in a two-sample
    Student interval with the degrees of freedom of one sample. Welch's interval has more degrees of freedom, so this
    interval is wide enough. The half-width of a deterministic simulation is 0. The result is NaN without replications
    on Linux.

    >>> import xarray as xr
    >>> data = xr.Dataset({"goodput": ("face", [2.0, 3.0]), "goodput_upper": ("face", [2.3, 3.4])})
    >>> [round(one, 12) for one in difference(data, "goodput", {})]
    [0.5, 0.25]
    """
    simulated, measured = data[name].sel(where).values
    if simulated == 0 or not math.isfinite(simulated):
        return math.nan, math.nan
    half = math.nan
    if f"{name}_upper" in data:
        upper = data[f"{name}_upper"].sel(where).values
        of_simulator, of_linux = upper[0] - simulated, upper[1] - measured
        half = math.hypot(0.0 if math.isnan(of_simulator) else of_simulator, of_linux)
    return float(measured / simulated - 1), float(half / abs(simulated))
