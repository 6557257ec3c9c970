"""Design of a switch's buffer with which flows reach a fraction of the attainable throughput or network power."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import documented, listed, takes
from longfat.base.domains import conflict, seed_of
from longfat.base.labelled import Labelled, made_by
from longfat.base.progress import bar, describe
from longfat.design import signalling
from longfat.design.arguments import BUFFER, FLOWS, LOAD, ROUND_TRIP_TIME
from longfat.design.arriving_files import ArrivingFiles
from longfat.design.bottleneck import Bottleneck, discipline_of, threshold_of
from longfat.design.buffer_answer import answer, labelled
from longfat.design.buffer_laws import ONE, Laws, Path, PolicerLaws, compared, decrease_of, laws_of, size_in_lines
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import Effort
from longfat.design.senders import sender
from longfat.replication import replicate
from longfat.sim import queues, schemes

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

ByRule = tuple[int, str, int]  # number of flows, name of a rule, its buffer [packets]
LOADS = tuple(map(float, LOAD.otherwise.split(",")))


@documented(BUFFER)
def buffer(*, every_rule: bool = True, progress: bool = True, **arguments: Any) -> xr.Dataset:
    r"""Simulate the buffers that rules give for a switch, and find the smallest sufficient buffer.

    .. math:: B^* = \min \{ B : X(B) \ge \text{share} \cdot X^* \}

    X(B) is the utilisation of the link by n long-lived flows, and X* = 1. With ``file``, X(B) is the network power of
    files that arrive as a Poisson process, at the load of greatest power, and X* is the greatest power with any of the
    simulated buffers.

    Parameters
    ----------
    **arguments
    every_rule : bool
        Whether rules that the short answer of the command omits are simulated, too; the smallest buffer does not depend
        on them. Without them one BDP is simulated only for the numbers of flows that may need the largest buffer.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``flows`` (unless that is a single number, or ``file`` is given) and ``rule``, of which the last is the
        smallest simulated buffer that reaches the goal: ``buffer_bdp`` [bandwidth-delay products], ``buffer_packets``,
        ``buffer_bytes``; ``law_synchronised``, the utilisation of flows with synchronised losses [1], and
        ``law_desynchronised``, a lower bound of it for other flows [1]; simulated ``utilisation`` and ``goodput`` [1],
        or ``power`` [bytes/s^2], ``throughput`` [bytes/s], ``response_time`` [s] and mean number of ``transfers`` in
        progress, all at the load of greatest power, ``best_load`` [1]; mean ``queueing_delay`` [s]; ``share`` of the
        attainable [1]; each with ``_lower`` and ``_upper``; ``status``: "reached" or "not reached" with confidence,
        "uncertain", or "not simulated"; ``cycle``, the longest time between two losses or marks of a flow of Reno,
        CUBIC or DCTCP [s], NaN for other schemes. Along ``flows`` and ``point``: the same as ``curve_...``, with files
        also ``curve_powers`` along ``load``. Along ``law_buffer`` [bandwidth-delay products], more densely:
        ``dense_synchronised`` and, along ``flows`` as well, ``dense_desynchronised``. ``simulated_bdp`` [packets] and
        ``missed_bdp``, the largest buffer below the answer that misses the goal with confidence [bandwidth-delay
        products], along ``flows``, and ``attainable`` [1 or bytes/s^2].

    Notes
    -----
    The attainable utilisation is 1. The attainable power is the greatest mean power of this scheme over the given loads
    and the buffers of the curve and the rules; the attributes ``power_ceiling`` and ``first_come_ceiling`` are upper
    bounds for equal sharing and for any discipline. With files, the number n of flows in the rules is the mean number
    of transfers in progress at that power.

    Long-lived flows of a scale-free scheme (`Scheme.scale_free`), with a discipline without thresholds, are simulated
    over a slower link with the same round-trip time and the bandwidth-delay product ``simulated_bdp``
    (`LongFlows.simulated_bdp`); for CUBIC its parameter C is changed (`design.scaled_path`). Over a slower link several
    flows of CUBIC have too high a utilisation, and the buffer that is found is too small: the attribute
    ``overestimated_flows`` lists these numbers of flows. Other schemes, and files, are simulated over the given path,
    which is refused if that would take hours; with ``bandwidth_delay_product`` the answer is then valid for the slower
    path only. The attribute ``sender`` states the rules in which hosts differ. BBR's buffer is a tenth of the
    bandwidth-delay product at least; ``ceiling`` is the utilisation that ProbeRTT leaves to one flow in a large buffer
    (`longfat.laws.bbr.probe_rtt_utilisation`).

    The smallest buffer is the one whose lower confidence limit reaches the goal, and ``missed_bdp`` is the largest one
    whose upper limit is below the goal. For long-lived flows both limits are those of a line through all simulated
    buffers (`design.search.fitted`, `design.buffer_answer.line_to_goal`); a run continues from one buffer to the next
    (`LongFlows.begun`, `LongFlows.simulate`). For files, and where no line can be drawn, the interval of the buffer is
    halved, each buffer has its own limits, and the tolerance is 2 % (files: 5 %) or one packet. The search assumes that
    utilisation or power does not decrease with the buffer. The search ends without a result if a buffer misses the goal
    with confidence and was never full, because a larger one would not change anything. The answer does not depend on
    the curve and on the rules that are simulated after the search.

    Of 68 intervals of 95 % with different seeds, 66 contained the buffer at which long runs carry the share: 11 of 12
    and all 12 for 16 and 64 flows of CUBIC at 1 Gbit/s and 100 ms, all 20 for 16 flows of Reno there, 11 of 12 for 4
    flows of CUBIC at 100 Mbit/s and 50 ms, and all 12 for 64 flows of Reno at 100 Mbit/s, 100 ms and a share of 99 %.
    A few flows in a buffer of a few packets can keep their phases for as long as a run lasts, and the interval
    is then too narrow: two flows of GAIMD at a buffer of two packets used 0.88 to 0.97 of the link in different runs.

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
    return answered(every_rule=every_rule, progress=progress, **arguments).dataset()


@takes(BUFFER, name="buffer")
def answered(
    *, rate: float, round_trip_time: Any, flows: Any, file: float | None, scheme: str | Scheme, share: float,
    packet: int, discipline: str | Discipline | None, mark_above: int | None, find: str, access_rate: float | None,
    spread: float, parameters: Mapping[str, float] | None, loads: Any, bandwidth_delay_product: int | None,
    points: int, replications: int, confidence: float, rng: Any,
    every_rule: bool = True, progress: bool = True, begin: Callable[[list[ByRule]], object] = lambda found: None,
) -> Labelled:  # fmt: skip
    """Return the answer of `buffer` without xarray, which takes a second to load.

    Parameters
    ----------
    **arguments
    every_rule, progress : bool
        See `buffer`.
    begin : callable
        Called when the arguments are accepted, before the first simulation, with the buffers of long-lived flows by
        rule, which need no simulation.
    """
    chosen, of_hosts = sender(scheme)
    own = of_hosts | schemes.check_parameters(chosen, parameters or {})
    times = listed("round_trip_time", round_trip_time)  # several times are assigned to the flows in turn
    trips = tuple(ROUND_TRIP_TIME.checked("round_trip_time", one) for one in times)
    access = math.inf if access_rate is None else access_rate
    path = Bottleneck(rate, sum(trips) / len(trips), packet, access_rate=access)
    if find == "threshold" and mark_above is not None:
        raise conflict(f"mark_above = {mark_above}", "excludes find = 'threshold', which determines the threshold")
    if find == "burst" and (discipline is not None or mark_above is not None):
        raise conflict("find = 'burst'", "excludes discipline and mark_above: a policer has no queue")
    simulated = path.bandwidth_delay_product
    if file is None and bandwidth_delay_product is not None:
        simulated = min(simulated, float(bandwidth_delay_product))
    queue = discipline_of("fifo" if find == "burst" else discipline, chosen, mark_above, simulated)
    path = replace(path, discipline=queue)
    subjects: Sequence[Any]  # objects of the class LongFlows or ArrivingFiles
    if file is None:
        if loads is not None:
            raise conflict(f"loads = {loads}", "needs the argument file")
        numbers = FLOWS.each("flows", len(trips) if flows is None else flows)
        if min(numbers) < len(trips):
            raise conflict("round_trip_time", f"has {len(trips)} times, and needs as many flows, got {min(numbers)}")
        subjects = [
            LongFlows(
                **vars(path), flows=n, scheme=chosen, parameters=own, spread=spread, most=bandwidth_delay_product,
                finds=find, round_trip_times=trips if len(trips) > 1 else (),
            )
            for n in numbers
        ]  # fmt: skip
    else:
        if not points:
            raise conflict("points = 0", "excludes file: the greatest power is sought among the points of the curve")
        if len(trips) > 1:
            raise conflict("several round_trip_time", "exclude file")
        sought = find if find != "buffer" else None
        excluded = {"flows": flows, "bandwidth_delay_product": bandwidth_delay_product, "find": sought}
        for name, value in excluded.items():
            if value is not None:
                raise conflict(f"{name} = {value}", "excludes file")
        at = tuple(sorted(LOAD.each("loads", LOADS if loads is None else loads)))
        subjects = [ArrivingFiles(**vars(path), scheme=chosen, parameters=own, loads=at, file=file)]
    seed = seed_of(rng)
    laws, named = _laws(subjects[0], find)
    runs = replications * (points + len(laws.holds) + 4)
    by_rule: list[ByRule] = []
    total = runs
    for one in subjects:
        one.refuse_too_long(runs)
    if file is None:
        by_rule, total = _by_rule(subjects, laws, share), runs // replications
    begin(by_rule)
    with bar(
        task="simulating buffers", unit="run", shown=progress, total=total * sum(one.points for one in subjects)
    ) as shown:

        def tell(done: int) -> None:
            shown.total = max(shown.total, shown.n + done)  # the length of a search is not known in advance
            shown.update(done)

        effort = Effort(seed, replications, confidence, tell, share, functools.partial(describe, shown))
        answers = replicate(lambda one: answer(one, share, laws, points, effort, every_rule), subjects)
        if file is None:
            _complete(answers, numbers, laws, find)
    alone = file is not None or np.ndim(1 if flows is None else flows) == 0
    data = labelled(subjects, answers, laws, alone)
    threshold = 0.0 if find == "threshold" else threshold_of(queue)
    data.attrs.update({
        **{name: getattr(path, name) for name in ("rate", "round_trip_time", "packet", "access_rate")},
        "bandwidth_delay_product": path.bandwidth_delay_product,
        "scheme": scheme if isinstance(scheme, str) else chosen.name,
        "discipline": named,
        **({"mark_above": threshold} if threshold else {}),
        "decrease": decrease_of(chosen, own),
        "about": laws.about,
        "share": share,
        "criterion": subjects[0].criterion,
        "replications": replications,
        "confidence": confidence,
        "seed": str(seed),
        "units": "bytes, bytes/s^2, bytes/s, s, packets, 1 as the names say",
        "longfat_version": __version__,
    })  # fmt: skip
    return made_by(data, "design.buffer")


def _complete(answers: Sequence[dict[str, Any]], flows: Sequence[int], laws: Laws, find: str) -> None:
    """Simulate the buffer of one BDP for the numbers of flows that may determine the pasted lines, unless it is done.

    These numbers of flows need the largest of the buffers found, or the largest size by `size_in_lines`.
    """
    sizes = [float(one["rules"][-1]["buffer_packets"]) for one in answers]  # the last rule: the buffer found
    found = [
        (size, size_in_lines(int(size), n, find), one)
        for size, n, one in zip(sizes, flows, answers, strict=True)
        if math.isfinite(size)
    ]
    if not found or ONE not in laws.holds:
        return
    largest, largest_of_lines = max(size for size, _, _ in found), max(size for _, size, _ in found)
    for size, of_lines, one in found:
        if size == largest or of_lines == largest_of_lines:
            one["rules"][list(laws.holds).index(ONE)] = one["of_rule"](ONE)


def _laws(subject: LongFlows | ArrivingFiles, find: str) -> tuple[Laws, str]:
    """Return the rules and laws to compare with the simulations, and the name of the discipline."""
    named, threshold = queues.discipline(subject.discipline).name, threshold_of(subject.discipline)
    if find == "threshold":
        if named not in signalling.NAMES:
            allowed = f"needs one of the disciplines {', '.join(signalling.NAMES)}"
            raise conflict("find = 'threshold'", allowed, f"{named} has no such threshold")
        threshold = 0.0
    packets = subject.simulated_bdp if threshold else subject.bandwidth_delay_product  # thresholds do not scale
    path = Path(float(packets), subject.round_trip_time)
    if find == "burst":
        # The law assumes that windows grow linearly. CUBIC's do not: its decrease is NaN here, for which no law holds.
        decrease = decrease_of(subject.scheme, subject.parameters)
        return PolicerLaws(math.nan if subject.scheme.name == "cubic" else decrease, path), "policer"
    return laws_of(subject.scheme, subject.parameters, path, threshold, named), named


def _by_rule(subjects: Sequence[LongFlows], laws: Laws, share: float) -> list[ByRule]:
    """Return, for each number of flows, the rule to compare with and its buffer; leave out rules that do not apply."""
    found = []
    for one in subjects:
        rule = compared(laws.holds, one.flows)
        packets = laws.rules(share, one.flows)[rule] * one.bandwidth_delay_product
        if not math.isnan(packets):
            found.append((one.flows, rule, max(1, round(packets))))
    return found
