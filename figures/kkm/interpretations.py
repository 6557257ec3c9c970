"""Rules that the paper leaves open, one at a time: entries and experiments with another interpretation of the text.

Some concern the schemes, whose publications were not available to us; some the switches, since the paper only names its
two simulators; some the measured quantities. The text allows each of them; none was invented to fit a number. `tried`
lists those of a scheme in an experiment. A round trip of 40 ms in experiment 3 is not among them, since section 4.1
prints 44 ms "for all the connections" (ERRATA.md, 001-4).

Others were tried in single runs and left out, because none makes a table agree with the printed numbers without moving
other numbers away:

- Hop-by-hop in table 4.6, delay 1.37 ms (standard deviation 0.62; printed 5.67 and 4.06): acknowledgments of all flows
  in one fair queue, 1.45 ms (0.69); with the feedback of switches in it, too, 12.2 ms (13.7). In one FIFO queue with
  the data, 72 packets of 0.1 ms on the mean, acknowledgments would take 7.2 ms more.
- Packet-pair's probe packets in the queue of connection 1: 0.82 ms in table 4.8 (printed 0.04), 20.9 ms in table 4.9
  (printed 40), but 45.7 ms in table 4.1, where 0.32 ms are in separate queues.
- Packet-pair with another timer: 1989 ms with a clock of 1 ms in table 4.8 (printed 1991), 2060 ms with Linux's, 2515
  ms with those of BSD and RFC 6298; in table 4.9 at least 1523 ms (printed 1447) and at most 11 ms of delay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from longfat.benchmark.entries import ENTRIES, Entry
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.sim.schemes.timers import PROFILES

PACKET_TIME = 1e-4  # s, transmission time of 500 B at the slow link

_TIMERS = {"BSD": PROFILES["bsd"], "ns": PROFILES["ns"], "1 ms": PROFILES["fine"]}
JITTER = "send jitter of up to one packet time"
BESIDE = "transfer times measured beside the probe packets"
_ANY: dict[str, dict[str, Any]] = {BESIDE: {"probe_beside": True}, JITTER: {"send_jitter": PACKET_TIME}}
_EXCLUDED: dict[str, dict[str, Any]] = {"delays exclude transmission times": {"transmission": False}}
_POINTS = (20.0, 5.0, 1.0)


def _points() -> dict[str, dict[str, Any]]:
    return {f"set point {k:g} packet{'s' * (k > 1)}": {"parameters": {"set_point": k}} for k in _POINTS}


def _switches(name: str, **options: Any) -> dict[str, Any]:
    return {"bottleneck": name, "switch": name, "options": options}


_PAIR = {
    **_points(),
    "gaps measured at the receiver": {"parameters": {"gap_at_receiver": 1.0}},
    "means of rates instead of gaps": {"parameters": {"average_rates": 1.0}},
    "losses found by acknowledgments, too": {"parameters": {"reorder": 1.0}},
    "full rate at once (Keshav 1991)": {"parameters": {"jump": 1.0}},
    "start-up time constant of two round trips": {"parameters": {"rise": 2.0}},
    "set-point error corrected within one round trip": {"parameters": {"gain": 1.0}},
    "self-clocked fair queueing": _switches("fair"),
    "round-robin service": _switches("round-robin"),
}

#: entry: description of the rule: fields of the entry that it changes
INTERPRETATIONS: dict[str, dict[str, dict[str, Any]]] = {
    "tahoe": {
        **{
            f"{name} timer, window halved {'once per window' if fixed else 'at every loss'}": {
                "parameters": {**timer, "bugfix": fixed}
            }
            for name, timer in _TIMERS.items()
            for fixed in (0.0, 1.0)
        },
        **_ANY,
    },
    "decbit": {
        "packet in transmission counted": {"options": {"with_transmission": True}},
        "queued acknowledgments not counted": {"options": {"with_transmission": False, "with_answers": False}},
        "congestion bit set at departure": {"options": {"with_transmission": False, "on_departure": True}},
        "congestion bit set from an average queue of two packets": {
            "options": {"with_transmission": False, "threshold": 2.0}
        },
        "three duplicate ACKs signal a loss": {"parameters": {"fast_retransmit": 1.0}},
        **_ANY,
    },
    "packet-pair": {**_PAIR, "delays include transmission times": {"transmission": True}, **_ANY},
    "explicit-feedback": {
        **_points(),
        **_EXCLUDED,
        "round-robin service": _switches("explicit-feedback", service="round-robin"),
        "bit-by-bit round-robin tags": _switches("explicit-feedback", service="bit-round"),
        "FIFO in the other switches": {"switch": "fifo"},
        **_ANY,
    },
    "hop-by-hop": {
        **{
            f"set point {k:g} packet{'s' * (k > 1)}": {"parameters": {"set_point": k}, "options": {"set_point": k}}
            for k in _POINTS
        },
        **_EXCLUDED,
        "probe packets bypass the added switches": {"probe_hops": False},
        "three links of 6.7 ms before the switch": {"hops": 2},
        "feedback after every packet": {"options": {"every": 1}},
        **_ANY,
    },
}


def interpretation(name: str, words: str) -> Entry:
    """Return an entry with one rule changed.

    >>> interpretation("hop-by-hop", "three links of 6.7 ms before the switch").hops
    2
    """
    base, change = ENTRIES[name], INTERPRETATIONS[name][words]
    more: Mapping[str, Any] = change
    if "parameters" in change and name != "tahoe":  # its timers are complete sets of parameters
        more = {**change, "parameters": {**base.parameters, **change["parameters"]}}
    return replace(base, name=f"{name}, {words}", label=words, **more)


SLOW_END = "probe packets cross both bottlenecks"
_EDITS = {SLOW_END: ('["P", "S1", "S2", "H4"]', '["P", "S1", "S2", "H2"]')}  # experiment 5


def other_variants(variant: Variant) -> dict[str, Variant]:
    """Return other interpretations of the same experiment, by description.

    Sources that start one after the other are not an interpretation of experiment 7: with them, the least possible time
    at a load of 0.9 would be a third of the printed ones (ERRATA.md, 001-5).

    >>> list(other_variants(VARIANTS["9b"]))
    ['files as printed']
    """
    if variant.name == "9b":
        return {"files as printed": VARIANTS["9a"]}
    text = variant.text()
    return {
        words: replace(variant, name=f"{variant.name}, {words}", edits=(edit,))
        for words, edit in _EDITS.items()
        if edit[0] in text
    }


@dataclass(frozen=True)
class Interpretation:
    """One interpretation of the paper: its description, and the entry and variant to run."""

    words: str
    entry: Entry
    variant: Variant


def tried(name: str, variant: Variant) -> list[Interpretation]:
    """Return all interpretations of a scheme in an experiment except the default one.

    >>> [one.words for one in tried("decbit", VARIANTS["5"])][-1]
    'probe packets cross both bottlenecks'
    """
    rules = [Interpretation(words, interpretation(name, words), variant) for words in INTERPRETATIONS.get(name, {})]
    others = other_variants(variant)
    both = []
    if name == "tahoe":
        both = [
            Interpretation(f"{rule.words}, {JITTER}", replace(rule.entry, send_jitter=PACKET_TIME), variant)
            for rule in rules if " timer, " in rule.words
        ]  # fmt: skip
    return rules + [Interpretation(words, ENTRIES[name], other) for words, other in others.items()] + both
