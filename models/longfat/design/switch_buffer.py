"""Design of a switch's buffer for a share of the attainable throughput or network power."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from longfat._version import __version__
from longfat.base import quantities
from longfat.base.domains import choice, conflict, integer, number, out_of_range, seed_of
from longfat.design import signalling
from longfat.design.arriving_files import ArrivingFiles
from longfat.design.buffer_answer import answer, dataset
from longfat.design.buffer_laws import Path, PolicerLaws, laws_of
from longfat.design.buffer_rules import with_decrease
from longfat.design.long_flows import LongFlows, threshold_of
from longfat.design.replicating import Effort
from longfat.design.search import Search
from longfat.design.senders import sender
from longfat.laws.dctcp import least_threshold
from longfat.laws.power import first_come_ceiling, power_ceiling
from longfat.sim import queues, schemes

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

LOADS = (0.4, 0.6, 0.8, 0.9, 0.95)


def buffer(
    *,
    rate: float | str,
    round_trip_time: Any,
    flows: Any = None,
    file: float | str | None = None,
    scheme: str | Scheme = "cubic",
    share: float | str = 0.95,
    packet: int | str = 1500,
    discipline: str | Discipline | None = None,
    mark_above: int | None = None,
    access_rate: float | str = math.inf,
    spread: float | str = 0.1,
    decrease: float | None = None,
    parameters: Mapping[str, float] | None = None,
    loads: Any = None,
    bandwidth_delay_product: int | None = None,
    find: Literal["buffer", "threshold", "burst"] = "buffer",
    points: int = 8,
    replications: int = 3,
    search: Search = "bisect",
    confidence: float = 0.95,
    rng: Any = 0,
    progress: bool = True,
) -> xr.Dataset:
    r"""Simulate the buffers that rules for a switch give, and find the smallest buffer that is sufficient.

    .. math:: B^* = \min \{ B : X(B) \ge \text{share} \cdot X^* \}

    X(B) is the utilisation of the link by n long-lived flows, and X* = 1. With ``file``, X(B) is the network power of
    files that arrive as a Poisson process, at the load of greatest power, and X* is the greatest power with any of the
    simulated buffers.

    Parameters
    ----------
    rate : float or str
        Capacity of the bottleneck link behind the switch [bytes/s], in (0, inf), or text such as "1Gbit/s".
    round_trip_time : float, str or sequence
        R: round-trip time without queueing [s], in (0, inf), or text such as "100ms"; or those of the flows, which take
        them in turn. R is then their mean, and ``spread`` has no effect.
    flows : int or sequence of int, optional
        n: number of long-lived flows [flows], each in [1, 10000]; by default 1, or one for each round-trip time.
        Excludes ``file``.
    file : float or str, optional
        Size of files that arrive at random [bytes], or text such as "100kB". The goal is then network power, not
        utilisation.
    scheme : str or Scheme
        Congestion control of the flows. "cubic", "reno", "bbr", "bbr1" and "dctcp" are those of `tcp_window`, as hosts
        run them (`longfat.sim.schemes.linux`); other names and objects are schemes of the simulator with their
        defaults.
    share : float or str
        Goal, as a share of the attainable utilisation or power [1], in (0, 1].
    packet : int or str
        Packet size [bytes].
    discipline : str or Discipline, optional
        Queue discipline of the bottleneck link; by default "fifo", with DCTCP "step-marking".
    mark_above : int, optional
        Backlog above which "step-marking" marks packets [packets], in [1, 1e9]; by default the least for which the law
        of DCTCP keeps the link busy, K > C R/7.
    access_rate : float or str
        Rate of the access link of each source [bytes/s]; by default unlimited.
    spread : float or str
        Relative spread of the flows' round-trip times, which lie evenly in R (1 - spread) to R (1 + spread) [1], in
        [0, 0.9]. With 0 all flows lose at the same time.
    decrease : float, optional
        Factor by which a loss reduces the window [1], in (0, 1). It sets the parameter of ``gaimd-window`` and
        ``cubic``, and is used in the laws for a user-defined scheme. Other schemes have a fixed factor.
    parameters : mapping, optional
        Parameters of the scheme, by name, in place of those of hosts or of the defaults.
    loads : sequence of float
        Offered loads at which power is simulated, over the capacity [1], each in (0, 1); by default 0.4, 0.6, 0.8, 0.9
        and 0.95. Needs ``file``.
    bandwidth_delay_product : int, optional
        Largest bandwidth-delay product that is simulated [packets], in [10, 1e7]. By default 200, or 40 for each flow
        if that is more, where scheme and discipline are scale-free, else that of the path. Excludes ``file``.
    find : {"buffer", "threshold", "burst"}
        What is sought: the buffer; or, with "step-marking", "red", "codel", "fq-codel", "pie" or "dualpi2", the
        backlog from which on the discipline signals congestion, as its threshold or, over the rate, its target. The
        buffer behind it is four bandwidth-delay products then, and "buffer" in the answer is the threshold. Or the
        bucket of a policer that lets ``rate`` pass on a link ten times as fast, and "buffer" is that bucket.
    points : int
        Number of buffers at which the curve is simulated, at least 2.
    replications : int
        Simulations of each buffer, at least 2.
    search : {"bisect", "scan"}
        Search for the smallest buffer: by bisection, or by trying each buffer in turn (slow, for checks).
    confidence : float
        Confidence of the intervals [probability], in (0, 1).
    rng : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Source of randomness; the default gives the same answer every time.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``flows`` (unless that is a single number, or ``file`` is given) and ``rule``, of which the last is the
        smallest simulated buffer that reaches the goal: ``buffer_bdp`` [bandwidth-delay products], ``buffer_packets``,
        ``buffer_bytes``; ``law_together`` and ``law_apart``, the utilisation of flows that lose at the same time and,
        as a lower bound, of those that do not [1]; simulated ``utilisation`` and ``goodput`` [1], or ``power``
        [bytes/s^2], ``throughput`` [bytes/s], ``response_time`` [s] and mean number of ``transfers`` in progress,
        all at the load of greatest power, ``best_load`` [1]; mean ``queueing_delay`` [s]; ``share`` of the attainable
        [1]; each with ``_lower`` and ``_upper``; ``status``: "reached" or "not reached" with confidence, else
        "uncertain". Along ``flows`` and ``point``: the same as ``curve_...``, with files also ``curve_powers`` along
        ``load``. Along ``law_buffer`` [bandwidth-delay products], more densely: ``dense_together`` and, along
        ``flows`` as well, ``dense_apart``. ``simulated_bdp`` [packets], along ``flows``, and ``attainable`` [1 or
        bytes/s^2].

    Notes
    -----
    The attainable utilisation is 1. The attainable power is the greatest mean power of this scheme over the given loads
    and the buffers of the curve and the rules; the attributes ``power_ceiling`` and ``first_come_ceiling`` are upper
    bounds for equal sharing and for any discipline. With files, n of the rules is the mean number of transfers in
    progress at that power.

    The utilisation of sawtooth windows of many packets depends only on the buffer over the bandwidth-delay product.
    Therefore long-lived flows of a scale-free scheme (`Scheme.scale_free`), with a discipline without thresholds, are
    simulated over a slower link with the same round-trip time and the bandwidth-delay product ``simulated_bdp``; one
    flow differs from the closed form by less than 1 % there. Other schemes are simulated over the given path, which
    is refused if it would take hours; with ``bandwidth_delay_product`` the answer is then valid for the slower path
    only. CUBIC's sawtooth depends on C R^3/BDP and, in its Reno-friendly region, on C R^3 BDP^2: over the slower link
    its parameter C is changed, so that the one that matters is the same (`design.slow_motion`), and the law is
    `longfat.laws.cubic.utilisation_general`, which assumes no fast convergence (RFC 9438, section 4.7). Hosts have it
    on, also where a flow is alone. Windows in whole packets, which hosts have, are left out over the slower link. The
    attribute ``sender`` states the rules in which hosts differ. BBR is simulated over the path itself; its buffer is a
    tenth of the bandwidth-delay product at least. ``ceiling`` is the utilisation that ProbeRTT leaves to one flow in a
    large buffer (`longfat.laws.bbr.probe_rtt_utilisation`). Files are always simulated over the given path, because
    slow start does not scale.

    The smallest buffer is the one whose lower confidence limit reaches the goal, to 2 % (files: 5 %) or one packet. The
    search assumes that utilisation or power does not decrease with the buffer below it.

    Examples
    --------
    >>> path = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60}
    >>> answer = buffer(**path, scheme="reno", points=2, replications=2)
    >>> law, found = (float(answer.buffer_bdp.sel(rule=rule)) for rule in ("AIMD closed form", "simulated"))
    >>> round(law, 3), law < found < 0.6  # bandwidth-delay products, for 95 % by one flow
    (0.431, True)

    References
    ----------
    G. Appenzeller, I. Keslassy and N. McKeown, Sizing Router Buffers, SIGCOMM 2004;
    `longfat.laws.tcp.aimd_utilisation`; `longfat.laws.cubic.utilisation_general`; H. Kim and D. J. Farber,
    MS-CIS-94-55 (1994), section 4.2 (a third of the bandwidth-delay product).
    """
    chosen, own = sender(scheme)
    given = own | schemes.check_parameters(chosen, parameters or {})
    capacity = quantities.rate(rate)
    trips = _round_trip_times(round_trip_time)
    if len(trips) > 1 and file is not None:
        raise conflict("several round_trip_time", "exclude file")
    if choice("find", find, ("buffer", "threshold", "burst")) == "threshold" and mark_above is not None:
        raise conflict(f"mark_above = {mark_above}", "excludes find = 'threshold', which finds it")
    if find == "burst" and (discipline is not None or mark_above is not None):
        raise conflict("find = 'burst'", "excludes discipline and mark_above: a policer has no queue")
    common: dict[str, Any] = {
        "rate": capacity,
        "round_trip_time": sum(trips) / len(trips),
        "packet": integer("packet", quantities.size(packet, "packet"), "bytes", "[1, 1e6]"),
        "scheme": chosen,
        "access_rate": math.inf if access_rate == math.inf else quantities.rate(access_rate, "access_rate"),
    }
    wanted = quantities.fraction(share, "share", "(0, 1]")
    common["discipline"] = _discipline(
        "fifo" if find == "burst" else discipline,
        chosen,
        mark_above,
        _packets_simulated(common, file, bandwidth_delay_product),
    )
    factor, given = with_decrease(
        chosen, given, None if decrease is None else number("decrease", decrease, "1", "(0, 1)")
    )
    common["parameters"] = given
    points = integer("points", points, "buffers", "[2, 1000]")
    replications = integer("replications", replications, "runs", "[2, 1e6]")
    confidence = number("confidence", confidence, "probability", "(0, 1)")
    choice("search", search, get_args(Search))
    subjects: list[LongFlows | ArrivingFiles]
    if file is None:
        if loads is not None:
            raise conflict(f"loads = {loads}", "needs file")
        numbers = _numbers("flows", len(trips) if flows is None else flows)
        common |= {
            "round_trip_times": trips if len(trips) > 1 else (),
            "finds": find,
            "spread": quantities.fraction(spread, "spread", "[0, 0.9]"),
            "most": None
            if bandwidth_delay_product is None
            else integer("bandwidth_delay_product", bandwidth_delay_product, "packets", "[10, 1e7]"),
        }
        subjects = [LongFlows(**common, flows=integer("flows", n, "flows", "[1, 10000]")) for n in numbers]
    else:
        sought = find if find != "buffer" else None
        for name, value in (("flows", flows), ("bandwidth_delay_product", bandwidth_delay_product), ("find", sought)):
            if value is not None:
                raise conflict(f"{name} = {value}", "excludes file")
        loads = LOADS if loads is None else loads
        at = tuple(sorted({number("load", load, "1", "(0, 1)") for load in _numbers("loads", loads)}))
        subjects = [ArrivingFiles(**common, loads=at, file=quantities.size(file, "file"))]
    seed = seed_of(rng)
    threshold, named = threshold_of(common["discipline"]), queues.discipline(common["discipline"]).name
    if find == "threshold":
        choice("discipline", named, signalling.NAMES)
        threshold = 0.0
    first = subjects[0]
    packets = float(first.simulated_bdp if threshold else first.bandwidth_delay_product)  # thresholds do not scale
    path = Path(packets, common["round_trip_time"])
    laws = laws_of(chosen, given, factor, path, threshold, named)
    if find == "burst":
        named = "policer"
        laws = PolicerLaws(math.nan if chosen.name == "cubic" else factor, "", path)  # CUBIC's growth is not linear
    runs = replications * (points + len(laws.holds) + 4)
    for one in subjects:
        if isinstance(one, LongFlows):
            one.refuse_too_long(runs)
    with _bar(progress, len(subjects) * runs * (1 if file is None else len(at))) as bar:

        def tell(done: int) -> None:
            bar.total = max(bar.total, bar.n + done)  # how long a search takes is not known before
            bar.update(done)

        effort = Effort(seed, replications, confidence, tell)
        answers = [answer(one, wanted, laws, points, search, effort) for one in subjects]
    alone = file is not None or np.ndim(1 if flows is None else flows) == 0
    data = dataset(subjects, answers, laws, alone)
    if file is not None:
        data.attrs |= {"file": subjects[0].bytes, "attainable": answers[0]["attainable"]}  # type: ignore[union-attr]
        ends = capacity, data.attrs["file"], common["round_trip_time"]
        data.attrs |= {
            "power_ceiling": float(power_ceiling(*ends)), "first_come_ceiling": float(first_come_ceiling(*ends)),
        }  # fmt: skip
    else:
        scale_free = all(one.scale_free for one in subjects if isinstance(one, LongFlows))
        if len(trips) > 1:
            data.attrs["round_trip_times"] = list(trips)
        data.attrs |= {"find": find, "spread": common["spread"], "attainable": 1.0, "scale_free": int(scale_free)}
        if laws.ceiling < 1:
            data.attrs["ceiling"] = laws.ceiling
        for name in ("sender", "kept"):  # of each number of flows, without repetition
            texts = [getattr(one, name) for one in subjects]
            data.attrs[name] = " | ".join(dict.fromkeys(text for text in texts if text))
    data.attrs |= {
        **{name: common[name] for name in ("rate", "round_trip_time", "packet", "access_rate")},
        "bandwidth_delay_product": subjects[0].bandwidth_delay_product,
        "scheme": scheme if isinstance(scheme, str) else chosen.name,
        "discipline": named,
        **({"mark_above": threshold} if threshold else {}),
        "decrease": factor,
        "about": laws.about,
        "share": wanted,
        "criterion": subjects[0].criterion,
        "replications": replications,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes, bytes/s^2, bytes/s, s, packets, 1 as the names say",
        "longfat_version": __version__,
    }
    from longfat.base.provenance import made_by  # only now: it takes xarray

    return made_by(data, "design.buffer")


def _round_trip_times(given: Any) -> tuple[float, ...]:
    """Return one round-trip time [s], or one for each flow."""
    many = [given] if isinstance(given, str) or np.ndim(given) == 0 else list(given)
    if not many:
        raise out_of_range("round_trip_time", "[]", "s", "one in (0, inf) or more")
    return tuple(quantities.duration(one, allowed="(0, inf)") for one in many)


def _packets_simulated(path: dict[str, Any], file: Any, most: Any) -> float:
    """Return the bandwidth-delay product of the link that a discipline with a threshold is simulated on [packets]."""
    own = float(path["rate"] * path["round_trip_time"] / path["packet"])
    if file is not None or most is None:
        return own
    return min(own, float(integer("bandwidth_delay_product", most, "packets", "[10, 1e7]")))


def _discipline(
    given: str | Discipline | None, scheme: Scheme, mark_above: int | None, packets: float
) -> str | Discipline:
    """Return the queue discipline, with the threshold of step marking."""
    if given is None:
        given = "step-marking" if scheme.name == "dctcp" else "fifo"
    if given == "step-marking":
        # Above the bound, which is exclusive (Alizadeh and others 2010, section 3.3).
        least = math.floor(float(least_threshold(packets))) + 1
        above = least if mark_above is None else integer("mark_above", mark_above, "packets", "[1, 1e9]")
        return queues.discipline("step-marking", packets=above)
    if mark_above is not None:
        raise conflict(f"mark_above = {mark_above}", "needs discipline 'step-marking'")
    queues.discipline(given)
    return given


def _numbers(name: str, values: Any) -> list[Any]:
    made = list(np.atleast_1d(np.asarray(values, dtype=object)))
    if not made or len(set(made)) < len(made):
        raise out_of_range(name, reprlib.repr(values), "1", "one value or more, all different")
    return made


def _bar(progress: bool, total: int) -> Any:
    from longfat.base.progress import bar

    return bar(task="simulating buffers", unit="run", shown=progress, total=total)
