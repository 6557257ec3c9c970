"""Design of CADPC: the time between requests for a number of flows, and the bandwidth of a class of flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.argument import listed, takes
from longfat.base.domains import seed_of
from longfat.base.labelled import made_by
from longfat.base.progress import bar
from longfat.design.arguments import CADPC, CADPC_CLASS
from longfat.design.window_curves import ENDS, attrs, with_limits
from longfat.laws.cadpc import equilibrium_traffic, update_time, updates_to_fairness, weighted_equilibrium_rate
from longfat.sim import Network, run

if TYPE_CHECKING:
    import xarray as xr

MOST_ROUND_TRIPS = 1000.0  # largest number of round trips between two requests
APART = 2.0  # number of updates between the starts of two flows


@takes(CADPC)
def cadpc(
    *, rate: float, round_trip_time: float, fairness_time: float, queue: float | str, flows: Any,
    remaining: float, packet: int, smoothing: float, replications: int, confidence: float, rng: Any,
    progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    r"""Find, for each number of flows, the longest time between requests that meets bounds on fairness time and queue.

    .. math:: N = \left\lfloor \frac{T}{\lceil t \rceil R} \right\rfloor, \quad t = \frac{\ln q}{\ln(1 - a/(1 + n))}

    Parameters
    ----------
    **arguments
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``flows``: ``period`` N between requests [round trips], an integer, NaN if one round trip is too long;
        ``status`` ("reached", "too slow", "queue too long"); ``fairness_time`` [s] with that period,
        ``law_throughput`` (n/(n + 1)) and simulated ``throughput`` [1], ``queue`` [packets] with limits, ``loss`` and
        ``jain_index`` [1] after the flows have begun one after the other and the fairness time has passed twice;
        ``signalling`` [bytes/s], requests and replies of all flows. ``attrs["most_flows"]``: the largest number of
        flows whose status is "reached", 0 if none is.

    Notes
    -----
    T is ``fairness_time``, R ``round_trip_time``, q ``remaining`` and a the ``smoothing``. An update multiplies the
    differences between n flows by 1 - a/(n + 1). Fairness takes longer the more flows there are; the total settles in
    a few updates. The law is a first-order approximation: compare it with simulated throughput and queue.

    Examples
    --------
    >>> answer = cadpc(rate="10Mbit/s", round_trip_time="100ms", fairness_time="20s", flows=[2, 10], replications=2)
    >>> answer.period.values.tolist(), int(answer.attrs["most_flows"])
    ([15.0, 4.0], 10)

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II; derivations/cadpc_spectrum.py.
    """
    import xarray as xr

    longest, seed = _packets(queue, rate, packet), seed_of(rng)
    numbers = CADPC["flows"].each("flows", flows)
    rows = []
    for n in bar(numbers, task="finding update periods", unit="n", shown=progress):
        updates = math.ceil(updates_to_fairness(n, remaining, smoothing))
        period = min(math.floor(fairness_time / (updates * round_trip_time)), MOST_ROUND_TRIPS)
        row: dict[str, Any] = {"period": math.nan, "status": "too slow"} | dict.fromkeys(_MEASURED, math.nan)
        row["fairness_time"] = update_time(updates, round_trip_time, max(period, 1))
        row["law_throughput"] = equilibrium_traffic(n)
        row["signalling"] = math.nan
        if period >= 1:
            net = _network(rate, round_trip_time, packet, n, period, smoothing)
            settled = n * APART * period * round_trip_time + 2 * fairness_time
            data = run(
                net, duration=settled + fairness_time, warm_up=settled, replications=replications,
                confidence=confidence, rng=np.random.SeedSequence(seed), progress=False,
            )  # fmt: skip
            link = data.sel(link="sources-sinks")
            row |= {f"throughput{end}": float(link[f"throughput{end}"]) / rate for end in ENDS}
            row |= {f"queue{end}": float(link[f"mean_queue{end}"]) for end in ENDS}
            row |= {"loss": float(data.dropped.sum() / data.sent.sum()), "jain_index": float(data.jain_index)}
            row |= {"period": float(period), "signalling": n * (32 + 16 + 32) / (period * round_trip_time)}
            row["status"] = "reached" if row["queue_upper"] <= longest else "queue too long"
        rows.append(row)
    answer = xr.Dataset(
        {name: ("flows", [row[name] for row in rows], about) for name, about in ANSWER.items()},
        coords={"flows": ("flows", numbers, attrs("flows", "number of flows"))},
    )
    answer.attrs = {
        "rate": rate,
        "round_trip_time": round_trip_time,
        "fairness_bound": fairness_time,
        "queue_bound": longest,
        "remaining": remaining,
        "packet": packet,
        "smoothing": smoothing,
        "most_flows": max((n for n, row in zip(numbers, rows, strict=True) if row["status"] == "reached"), default=0),
        "replications": replications,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes/s, s, s, packets, 1, bytes, 1, flows",
        "longfat_version": __version__,
    }
    return made_by(answer, "design.cadpc")


_MEASURED = {
    **with_limits("throughput", "share of the capacity used"),
    **with_limits("queue", "mean queue", "packets"),
    "loss": ("1", "packets lost, simulated"),
    "jain_index": ("1", "fairness of the flows, simulated"),
}
ANSWER = {
    name: attrs(*about)
    for name, about in {
        "period": ("round trips", "between two requests of a flow"),
        "status": ("", "whether the bounds are kept"),
        "fairness_time": ("s", "until the part `remaining` of the differences is left, law"),
        "law_throughput": ("1", "share of the capacity used, law"),
        **_MEASURED,
        "signalling": ("bytes/s", "requests and replies on the link"),
    }.items()
}


def _packets(queue: Any, capacity: float, size: int) -> float:
    """Convert the bound on the queue to packets; a text is a queueing delay, converted at the rate of the link."""
    if isinstance(queue, str):
        return quantities.duration(queue, "queue", "[0, inf)") * capacity / size
    return float(CADPC["queue"].checked("queue", queue))


def _network(capacity: float, round_trip: float, size: int, flows: int, period: float, smoothing: float) -> Network:
    """Return a network of one link and flows that start one after the other and send with a small jitter."""
    net = Network().link("sources", "sinks", rate=capacity, delay=round_trip / 2, buffer=max(50, 2 * flows))
    net.link("sinks", "sources", rate=math.inf, delay=round_trip / 2)
    return net.flow(
        "cadpc", path=["sources", "sinks"], packet=size, count=flows, stagger=APART * period * round_trip,
        send_jitter=size / capacity, parameters={"period": period, "smoothing": smoothing},
    )  # fmt: skip


@takes(CADPC_CLASS)
def cadpc_class(*, weights: Any, rate: float) -> xr.Dataset:
    r"""Return the bandwidth to reserve for a class of CADPC flows, in which weight w gets w times the rate of weight 1.

    .. math:: B = r (1 + W), \quad x_i = \frac{w_i B}{1 + W}, \quad W = \sum_i w_i

    Parameters
    ----------
    **arguments

    Returns
    -------
    xarray.Dataset
        ``reserved`` [bytes/s], ``used`` (W/(1 + W)) [1], and along ``flow`` ``weight`` [flows] and ``rate`` [bytes/s].

    Notes
    -----
    The bandwidth of one flow of weight 1 stays free, so that new flows can start. Only flows for which the class was
    made may use it (section IV.B).

    Examples
    --------
    >>> answer = cadpc_class(weights=[1, 1, 2], rate="2Mbit/s")
    >>> 8 * float(answer.reserved) / 1e6, float(answer.used)
    (10.0, 0.8)

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section IV.B; derivations/cadpc_network.py.
    """
    import xarray as xr

    values = [CADPC_CLASS["weights"].checked("weights", one) for one in listed("weights", weights)]
    total = math.fsum(values)
    reserved = rate * (1 + total)
    shares = [weighted_equilibrium_rate(w, total) * reserved for w in values]
    answer = xr.Dataset(
        {
            "reserved": ((), reserved, attrs("bytes/s", "bandwidth to reserve")),
            "used": ((), total / (1 + total), attrs("1", "share of it that is used")),
            "weight": ("flow", values, attrs("flows", "weight")),
            "rate": ("flow", shares, attrs("bytes/s", "rate")),
        }
    )
    return made_by(answer, "design.cadpc_class")
