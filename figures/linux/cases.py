"""Scenarios in which Linux's TCP, the simulator and laws are compared, and the required accuracy of each quantity.

All cases were chosen before the first run on Linux. The path is that of the comparison with ns-3: 20 Mbit/s, packets of
1500 bytes and, unless stated otherwise, a round trip of 40 ms, so that the bandwidth-delay product is 66.7 packets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from longfat.sim import Network, schemes

RATE, PACKET, ACK, PLAIN_ACK = 20e6 / 8, 1500, 52, 40  # bytes/s, bytes; ACK has time stamps, PLAIN_ACK has none
ROUND_TRIP_TIME = 0.04  # s
#: Upper bound of the lateness of packets of a simulated sender [s], fitted to measurements. The 90 % quantile of
#: the lateness of packets of Linux's BBR is 0.08 to 0.22 ms (tests/benchmarks/lateness.py). Only this quantile is
#: known, so the distribution is assumed to be uniform. The mean queue of one flow with a buffer of 0.1 bandwidth-delay
#: products differs between Linux and simulator by +4.7, +3.2, +1.0, +0.7, +0.1 and -5.2 % (+- 0.9 to 1.5) for upper
#: bounds of 0, 0.05, 0.1, 0.15, 0.2 and 0.3 ms. Linux and simulator agree with every bound that the quantile allows.
LATE = 1e-4
UNCOMPRESSED, BEHIND = "no acknowledgments compressed on Linux", "packets up to 0.1 ms late here"
#: Number of flows -> round-trip time [s] of the cases with random loss, chosen so that the flows lose often enough in
#: 20 s and form no long queue.
LOSSY_ROUND_TRIP_TIMES = {1: 0.02, 2: 0.04, 10: 0.1}
BUFFERS, LOSSES, FLOWS = (0.1, 0.25, 0.5, 1.0, 2.0), (0.003, 0.01, 0.03), (1, 2, 10)
#: Parameters of a scheme that can be set for a connection of Linux, too.
SETTABLE = ("initial_window", "delayed_ack", "min_rto", "timestamps")
#: Scheme of the simulator -> name of Linux's corresponding scheme in the names of cases.
LINUX_NAMES = {"sack": "Reno", "cubic": "CUBIC", "bbr1": "BBR", "newreno": "Reno without SACK"}


@dataclass(frozen=True)
class Accuracy:
    """Largest difference, absolute or relative, up to which Linux and the simulator agree."""

    absolute: float = 0.0  # in the unit of the quantity
    relative: float = 0.0  # 1

    def of(self, value: float) -> float:
        """Return the largest allowed difference at a value of the quantity, in the unit of the quantity."""
        return self.absolute + self.relative * abs(value)

    def __str__(self) -> str:
        return f"{100 * self.relative:g} %" if self.relative else f"{self.absolute:g}"


UTILISATION, QUEUE, GOODPUT = Accuracy(0.01), Accuracy(relative=0.03), Accuracy(relative=0.05)


@dataclass(frozen=True)
class Case:
    """Scenario with the quantities to compare."""

    group: str
    about: str  # difference from the other cases of the group; a part of the case's name
    schemes: tuple[str, ...]  # of each flow
    buffer: float  # of the bottleneck [bandwidth-delay products]
    quantities: Mapping[str, Accuracy]  # of `figures.linux.equivalence.QUANTITIES`, with the required accuracy
    loss: float = 0.0  # probability of random loss
    round_trip_times: tuple[float, ...] = (ROUND_TRIP_TIME,)  # of each flow [s]; a single value applies to all
    rules: str = ""  # names of the switched rules; a semicolon precedes those switched in the simulator only
    parameters: Mapping[str, float] = field(default_factory=dict)  # of schemes; those in `SETTABLE` on Linux, too
    settings: Mapping[str, object] = field(default_factory=dict)  # of Linux
    files: float | None = None  # size of the transfer of each flow [packets]; None if flows send all the time
    discipline: str = "fifo"  # of the bottleneck
    late: float = 0.0  # s; packets of a simulated sender are late by a random time, uniform between 0 and this value
    replications: int = 4  # on Linux
    duration: float = 25.0  # s
    warm_up: float = 5.0  # s, initial part that is not counted

    @property
    def name(self) -> str:
        """Unique name of the case."""
        return ", ".join(filter(None, (self.group, self.about, self.rules)))

    @property
    def name_on_linux(self) -> str:
        """Name without the rules that only the simulator switches; cases with the same name share runs on Linux.

        In `rules` these rules come last, after a semicolon, or are the only ones.
        """
        both = self.settings or any(name in SETTABLE for name in self.parameters)
        return replace(self, rules=self.rules.partition("; ")[0] if both else "").name

    @property
    def paired(self) -> bool:
        """Whether each run on Linux is compared with the simulated run of the same starts and losses.

        Several flows without random loss diverge after a few losses, so that pairing would not reduce the variance.
        """
        return len(self.schemes) == 1 or self.loss > 0

    @property
    def simulated(self) -> int:
        """Number of runs in the simulator."""
        return self.replications if self.paired else 5 * self.replications

    def network(self, seed: int, linux: bool = False) -> Network:
        """Return the scenario of one run; flows start at random times in the first second, file transfers at time 0.

        The scenario for Linux lacks the rules that are switched in the simulator only.
        """
        delays = self.round_trip_times * (len(self.schemes) if len(self.round_trip_times) == 1 else 1)
        shortest = min(delays)
        room = round(self.buffer * RATE * max(delays) / PACKET)
        net = Network(self.name).link(
            "a", "b", rate=RATE, delay=shortest / 2, buffer=room, loss=self.loss, discipline=self.discipline
        )
        ack = ACK if self.parameters.get("timestamps", 1.0) else PLAIN_ACK
        starts = np.random.default_rng(seed).uniform(0.0, 1.0, len(self.schemes)).round(4)
        for k, (scheme, delay) in enumerate(zip(self.schemes, delays, strict=True)):
            path = ["a", "b"]
            if delay > shortest:
                net.link(f"far-{k}", "a", rate=float("inf"), delay=(delay - shortest) / 2)
                path = [f"far-{k}", *path]
            net.flow(
                scheme, path=path, packet=PACKET, ack=ack, ack_path="ideal",
                start=0.0 if self.files else float(starts[k]), file=None if self.files is None else self.files * PACKET,
                parameters=self.given(scheme, linux), send_jitter=0.0 if linux else self.late,
            )  # fmt: skip
        return net

    def given(self, scheme: str, linux: bool = False) -> dict[str, float]:
        """Return a scheme's parameters: Linux's values, and those of the case (for Linux only if in `SETTABLE`)."""
        known = schemes.scheme(scheme).parameters
        switched = {
            name: value
            for name, value in self.parameters.items()
            if name in known and not (linux and name not in SETTABLE)
        }
        return schemes.linux(scheme) | switched


def _replications(scheme: str, flows: int, buffer: float) -> int:
    """Return the number of runs of a case on Linux: 8 if runs on Linux vary much, otherwise 4."""
    # The cases with 8 runs were chosen from the confidence intervals of four earlier runs, before any of the runs
    # that are compared now.
    wide = flows == 2 or (flows == 1 and scheme == "bbr1") or (flows == 10 and buffer < 1.0)
    return 8 if wide else 4


def full_links() -> list[Case]:
    """Return the cases of 1, 2 and 10 flows of Reno, CUBIC or BBR at five drop-tail buffers.

    Notes
    -----
    With a buffer of 0.1 bandwidth-delay products two CUBIC flows lose either together or in turns. The mean queue of a
    run shows the fraction f of losses together: 2.34 - 0.81 f packets in 40 simulated runs (correlation -0.98). Runs on
    Linux (1.54 to 2.32 packets) and simulated ones (1.51 to 2.32) have the same range. Their means, 1.95 and 1.73, give
    f = 0.48 on Linux and f = 0.75 in the simulator. In those 40 runs a loss in turns follows a loss together with a
    probability of 4 %, and a loss together follows a loss in turns with 21 %. Tried in 60 runs each, without effect on
    the mean queue of 1.73 packets (1.95 on Linux): packets up to 0.03, 0.1 or 0.3 ms late (1.75, 1.72, 1.75), the
    reordering timer of RFC 8985, and no loss probes (the same runs, since none is sent). Losses found by duplicate
    acknowledgments alone, without RACK, raise this mean to 1.82. Not tried, since it needs runs on Linux:
    ``tcp_max_reordering`` = 3.
    """
    return [
        Case(
            "full link", f"{LINUX_NAMES[scheme]}, {flows} flow{'s' * (flows > 1)}, buffer {buffer:g}",
            (scheme,) * flows, buffer, {"utilisation": UTILISATION, "mean_queue": QUEUE},
            replications=_replications(scheme, flows, buffer),
        )
        for scheme in ("sack", "cubic", "bbr1") for flows in FLOWS for buffer in BUFFERS
    ]  # fmt: skip


def random_losses() -> list[Case]:
    """Return the cases of 1, 2 and 10 flows of Reno, CUBIC or BBR at three probabilities of random loss."""
    return [
        Case(
            "random loss", f"{LINUX_NAMES[scheme]}, {flows} flow{'s' * (flows > 1)}, p = {loss:g}",
            (scheme,) * flows, 2.0, {"goodput": GOODPUT}, loss=loss,
            round_trip_times=(LOSSY_ROUND_TRIP_TIMES[flows],), replications=3,
        )
        for scheme in ("sack", "cubic", "bbr1") for flows in FLOWS for loss in LOSSES
    ]  # fmt: skip


def files() -> list[Case]:
    """Return the cases of transfers of 4, 20 and 200 packets over an empty path, with two initial windows."""
    return [
        Case(
            "unloaded transfer", f"{size} packets, initial window {window}", ("sack",), 4.0,
            {"transfer_time": Accuracy(1e-4)}, rules=rules,
            parameters={"initial_window": window} | ({"delayed_ack": 1.0} if rules else {}),
            files=size, replications=3, duration=5.0, warm_up=0.0,
        )
        for rules in ("every packet acknowledged", "") for window in (1.0, 10.0) for size in (4, 20, 200)
    ]  # fmt: skip


def sharing() -> list[Case]:
    """Return the cases of two flows at one link: BBR beside CUBIC, or flows of one scheme at two round-trip times."""
    share, times = {"first_share": Accuracy(0.05)}, {"40 and 40": (0.04, 0.04), "40 and 80": (0.04, 0.08)}
    beside = [
        Case("share", f"BBR beside CUBIC, buffer {buffer:g}", ("bbr1", "cubic"), buffer, share, duration=45.0)
        for buffer in (1.0, 2.0)
    ]
    unequal = [
        Case(
            "share", f"two {LINUX_NAMES[scheme]} flows of {words} ms, buffer 1", (scheme,) * 2, 1.0, share,
            round_trip_times=each, duration=45.0,
        )
        for scheme in ("sack", "cubic") for words, each in times.items()
    ]  # fmt: skip
    return beside + unequal


def queues() -> list[Case]:
    """Return the cases of waiting times in FIFO and CoDel queues."""
    asked = {"mean_wait": Accuracy(relative=0.03), "utilisation": UTILISATION}
    return [
        Case("waiting", f"four CUBIC flows, {name}, buffer 2", ("cubic",) * 4, 2.0, asked, discipline=name)
        for name in ("fifo", "codel")
    ]


def windows() -> list[Case]:
    """Return the cases of CUBIC's mean window, and of BBR's median window, which equals its in-flight cap."""
    close = Accuracy(relative=0.03)
    return [
        Case("window", "CUBIC, 1 flow, buffer 1", ("cubic",), 1.0, {"mean_window": close}, replications=3),
        Case("window", "BBR, 1 flow, buffer 2", ("bbr1",), 2.0, {"middle_window": close}, replications=3),
    ]


def held_out() -> list[Case]:
    """Return cases with settings that occur in no other case; they were chosen before any of them was run.

    No rule and no number of the simulator was fitted to them.
    """
    made = []
    for scheme in ("sack", "cubic"):
        name, asked = LINUX_NAMES[scheme], {"utilisation": UTILISATION, "mean_queue": QUEUE}
        made += [
            Case("held out", f"{name}, 3 flows, buffer 0.7", (scheme,) * 3, 0.7, asked),
            Case("held out", f"{name}, 1 flow, 90 ms, buffer 1.5", (scheme,), 1.5, asked, round_trip_times=(0.09,)),
            Case(
                "held out", f"{name}, 4 flows, 30 ms, p = 0.006", (scheme,) * 4, 2.0, {"goodput": GOODPUT}, loss=0.006,
                round_trip_times=(0.03,),
            ),
        ]  # fmt: skip
    return made


class Switch(NamedTuple):
    """Rules that are switched in some cases: names of these cases, parameters in the simulator, settings of Linux."""

    names: Sequence[str]
    here: Mapping[str, float] = {}
    linux: Mapping[str, object] = {}


def _full(name: str, flows: int, *buffers: float) -> list[str]:
    """Return the names of the cases of a full link with a number of flows and these buffers, by default all."""
    many = "s" * (flows > 1)
    return [f"full link, {name}, {flows} flow{many}, buffer {buffer:g}" for buffer in buffers or BUFFERS]


def switched() -> list[Case]:
    """Return cases in which rules are switched, to explain a difference or to show the effect of an option."""
    plain = {one.name: one for one in (*full_links(), *random_losses(), *files())}
    alone, of_2016 = _full("CUBIC", 1), _full("BBR", 1)
    twos = _full("CUBIC", 2, *BUFFERS[:3])
    many_reno, many_cubic = _full("Reno", 10, *BUFFERS[:3]), _full("CUBIC", 10, *BUFFERS[:2])
    many = many_reno + many_cubic
    lossy = [one.name for one in random_losses() if one.loss == LOSSES[-1] and one.schemes[0] != "bbr1"]
    quick = [
        *(f"random loss, Reno, 1 flow, p = {loss:g}" for loss in LOSSES),
        *("random loss, Reno, 2 flows, p = 0.03", "random loss, Reno, 10 flows, p = 0.03"),
        *(*many, *_full("Reno", 2, *BUFFERS[:3]), *twos, *_full("BBR", 2, *BUFFERS[:2])),
    ]
    recoveries = [*many, *_full("Reno", 2, 0.25), "random loss, Reno, 2 flows, p = 0.03"]
    # Linux compresses the acknowledgments of data that arrives within tcp_comp_sack_delay_ns (1 ms) while packets are
    # missing.
    uncompressed = {"tcp_comp_sack_nr": 0}
    rules = {
        "windows with fractions here": Switch(_full("Reno", 1) + alone, {"integer_windows": 0.0}),
        "no quick acknowledgments here": Switch([one.name for one in files() if not one.rules], {"quick_acks": 0.0}),
        "HyStart++ here": Switch(alone, {"hystart": 1.0}),
        "no handshake here": Switch(
            _full("BBR", 2, *BUFFERS[-2:]) + _full("BBR", 10, *BUFFERS[-2:]), {"handshake_rtt": 0.0}
        ),
        # With time stamps, Linux measures round trips of retransmissions in whole milliseconds (tcp_rtt_tsopt_us()).
        "no time stamps on Linux": Switch(
            _full("BBR", 2, 0.25, 0.5) + _full("BBR", 10, 0.1),
            {"timestamps": 0.0, "timestamp_tick": 0.0}, {"tcp_timestamps": 0},
        ),
        "retransmissions timed exactly here": Switch(
            _full("BBR", 1, *BUFFERS[:2]) + _full("BBR", 2, *BUFFERS[:3]), {"timestamp_tick": 0.0}
        ),
        "BBR of 2016 here": Switch(
            of_2016,
            {
                "pacing_margin": 0.0, "allowances": 0.0, "equal_renews": 1.0, "departures": 0.0, "long_recovery": 0.0,
                "timestamp_tick": 0.0,
            },
        ),
        "recoveries of BBR apart here": Switch(
            _full("BBR", 2, *BUFFERS[:3]) + _full("BBR", 10, *BUFFERS[:3]), {"long_recovery": 0.0}
        ),
        "phases of BBR by what is in flight now here": Switch(of_2016, {"departures": 0.0}),
        "CUBIC's target with each acknowledgment here": Switch(many_cubic, {"clock_tick": 0.0}),
        UNCOMPRESSED: Switch([*many, *_full("Reno", 2, 0.5), *twos, *of_2016[:2]], linux=uncompressed),
        # Unlike Linux, the simulator has no F-RTO (RFC 5682), and it always sends loss probes (RFC 8985, section 7).
        # Switching off one of the two on Linux does not remove the difference: the goodput of Linux (Reno, 1 flow, p =
        # 0.03) stays 2.3 % higher without F-RTO and 2.9 % higher without loss probes.
        "no F-RTO on Linux": Switch(lossy, linux={"tcp_frto": 0}),
        "no loss probes on Linux": Switch(lossy, linux={"tcp_early_retrans": 0}),
        "no long-term sampling here": Switch(_full("BBR", 10, *BUFFERS[:4]), {"long_term": 0.0}),
        "no growth at the end of a recovery here": Switch(recoveries, {"growth_at_exit": 0.0}),
        "the reordering timer of RFC 8985 here": Switch(recoveries, {"rack": 1.0}),
        "every packet acknowledged; no growth at the end of a recovery here": Switch(
            many_reno, {"delayed_ack": 1.0, "growth_at_exit": 0.0}, uncompressed
        ),
        "every packet acknowledged; the reordering timer of RFC 8985 here": Switch(
            many_reno, {"delayed_ack": 1.0, "rack": 1.0}, uncompressed
        ),
        "every packet acknowledged; CUBIC's target with each acknowledgment here": Switch(
            many_cubic, {"delayed_ack": 1.0, "clock_tick": 0.0}, uncompressed
        ),
        # In these cases neither simulator nor Linux delays acknowledgments, and Linux does not compress them while
        # packets are missing.
        "every packet acknowledged": Switch(quick, {"delayed_ack": 1.0}, uncompressed),
    }  # fmt: skip
    made = [
        replace(plain[name], rules=rule, parameters={**plain[name].parameters, **one.here}, settings=one.linux)
        for rule, one in rules.items()
        for name in one.names
    ]
    bare = [one for one in made if one.rules == UNCOMPRESSED and one.schemes == ("bbr1",)]
    late = [replace(plain[name], rules=BEHIND, late=LATE) for name in of_2016]
    return made + late + [replace(one, rules=f"{UNCOMPRESSED}; {BEHIND}", late=LATE) for one in bare]


def cases(*groups: str) -> list[Case]:
    """Return all cases, or the cases of the named groups."""
    made = [*full_links(), *random_losses(), *files(), *sharing(), *queues(), *windows(), *held_out(), *switched()]
    return [one for one in made if not groups or one.group in groups]
