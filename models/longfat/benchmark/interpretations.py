"""What the paper leaves open, one rule at a time: entries that differ in it, and experiments that do.

Some are of the schemes, whose publications are not at hand; some of the switches, as the paper's two simulators are
known by name only; some of what is measured. `tried` lists all that are tried on a cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from longfat.benchmark.entries import ENTRIES, Entry
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.sim.schemes.timers import PROFILES

PACKET_TIME = 1e-4  # s, of 500 B on the slow line

_TIMERS = {"BSD": PROFILES["bsd"], "ns": PROFILES["ns"], "1 ms": PROFILES["fine"]}
JITTER = "up to a packet time of jitter at the sources"
_ANY: dict[str, dict[str, Any]] = {"no probe in the run": {"probe": False}, JITTER: {"send_jitter": PACKET_TIME}}
_DELAYS: dict[str, dict[str, Any]] = {"delays with the times of transmission": {"transmission": True}}
_POINTS = (20.0, 5.0, 1.0)


def _points(**more: Any) -> dict[str, dict[str, Any]]:
    return {f"set point {k:g} packet{'s' * (k > 1)}": {"parameters": {"set_point": k}, **more} for k in _POINTS}


def _switches(name: str, **options: Any) -> dict[str, Any]:
    return {"bottleneck": name, "switch": name, "options": options}


_PAIR = {
    **_points(),
    "gaps measured at the receiver": {"parameters": {"gap_at_receiver": 1.0}},
    "set point 20 packets, gaps measured at the receiver": {"parameters": {"set_point": 20.0, "gap_at_receiver": 1.0}},
    "set point 1 packet, gaps measured at the receiver": {"parameters": {"set_point": 1.0, "gap_at_receiver": 1.0}},
    "the whole rate at once, as in 1991": {"parameters": {"jump": 1.0}},
    "a start of one round trip": {"parameters": {"rise": 1.0}},
    "a start of three round trips": {"parameters": {"rise": 3.0}},
    "all of what lacks made good in a round trip": {"parameters": {"gain": 1.0}},
    "self-clocked tags": _switches("fair"),
    "turns instead of tags": _switches("round-robin"),
}

#: entry: the rule in words: what it changes of the entry
READINGS: dict[str, dict[str, dict[str, Any]]] = {
    "tahoe": {
        **{
            f"timer of {name}, {'one halving a window' if fixed else 'a halving for every loss'}": {
                "parameters": {**timer, "bugfix": fixed}
            }
            for name, timer in _TIMERS.items()
            for fixed in (0.0, 1.0)
        },
        **_ANY,
    },
    "decbit": {
        "the packet in transmission counts": {"options": {"with_transmission": True}},
        "acknowledgments that wait do not count": {"options": {"with_transmission": False, "with_answers": False}},
        "bits are set at departure": {"options": {"with_transmission": False, "on_departure": True}},
        "bits are set from an average of two packets on": {"options": {"with_transmission": False, "threshold": 2.0}},
        "no switch sets a bit": {"bottleneck": "fifo", "options": {}},
        "three duplicates are a loss": {"parameters": {"fast_retransmit": 1.0}},
        **_ANY,
    },
    "packet-pair": {**_PAIR, **_DELAYS, **_ANY},
    "explicit-feedback": {
        **_points(),
        **_DELAYS,
        "turns instead of tags": _switches("explicit-feedback", service="round-robin"),
        "tags of the fluid": _switches("explicit-feedback", service="bit-round"),
        "tags of the fluid, delays with the times of transmission": {
            **_switches("explicit-feedback", service="bit-round"),
            "transmission": True,
        },
        "switches served in order of arrival between": {"switch": "fifo"},
        **_ANY,
    },
    "hop-by-hop": {
        **{
            f"set point {k:g} packet{'s' * (k > 1)}": {"parameters": {"set_point": k}, "options": {"set_point": k}}
            for k in _POINTS
        },
        **_DELAYS,
        "delays with the times of transmission, single packets pass the added switches": {
            "transmission": True,
            "probe_hops": True,
        },
        "three lines of 6.7 ms before the switch": {"hops": 2},
        "two lines of 10 ms before the switch": {"hops": 1},
        "a note after every packet": {"options": {"every": 1}},
        **_ANY,
    },
}


def reading(name: str, words: str) -> Entry:
    """An entry with one rule changed.

    >>> reading("hop-by-hop", "three lines of 6.7 ms before the switch").hops
    2
    """
    base, change = ENTRIES[name], READINGS[name][words]
    more: Mapping[str, Any] = change
    if "parameters" in change and name != "tahoe":  # there a timer is a whole set
        more = {**change, "parameters": {**base.parameters, **change["parameters"]}}
    return replace(base, name=f"{name}, {words}", label=words, **more)


FAST_END = "single packets leave by a fast line"
#: The printed deviations of e2e-ef and hbh in table 4.7b fall with the load as if each run had one such packet: the
#: number of packets times their variance is 6 to 7 ms² at loads of 0.2, 0.4 and 0.6. What it was is not known.
LATE = "one single packet of each run 2.5 ms late"
_EDITS = {
    "a round trip of 40 ms": ('delay = "20 ms"', 'delay = "18 ms"'),
    "half of the buffers": ("buffer = 440", "buffer = 220"),
    "twice the buffers": ("buffer = 440", "buffer = 880"),
    FAST_END: ('["P", "S1", "S2", "H2"]', '["P", "S1", "S2", "H4"]'),  # experiment 5
}


def other_variants(variant: Variant) -> dict[str, Variant]:
    """The same experiment as the paper might have meant it, by what differs in words.

    >>> list(other_variants(VARIANTS["3-20"]))
    ['a round trip of 40 ms']
    """
    if variant.experiment == 3:
        return {"a round trip of 40 ms": VARIANTS[variant.name + "-rtt40"]}
    if variant.name == "9b":
        return {"files as printed": VARIANTS["9a"]}
    text = variant.text()
    found = {
        words: replace(variant, name=f"{variant.name}, {words}", edits=(edit,))
        for words, edit in _EDITS.items()
        if edit[0] in text
    }
    if variant.experiment == 7:
        found["sources that begin one after the other"] = VARIANTS[variant.name + "-ramp"]
    return found


@dataclass(frozen=True)
class Reading:
    """One of the ways in which a cell can be read: what differs in words, and what is run."""

    words: str
    entry: Entry
    variant: Variant


def tried(name: str, variant: Variant) -> list[Reading]:
    """All readings of a scheme in an experiment, but the one that the tables have.

    >>> [one.words for one in tried("decbit", VARIANTS["3-4"])][-1]
    'a round trip of 40 ms'
    """
    rules = [Reading(words, reading(name, words), variant) for words in READINGS.get(name, {})]
    others = other_variants(variant)
    both = [
        Reading(f"{words}, {rule.words}", rule.entry, others[words])
        for words in (FAST_END,) if words in others
        for rule in rules if rule.entry.transmission
    ]  # fmt: skip
    if variant.experiment == 7:
        both = [
            Reading(f"{rule.words}, {LATE}", replace(rule.entry, late=0.0025), variant)
            for rule in rules if rule.entry.transmission
        ]  # fmt: skip
    if name == "tahoe":
        both += [
            Reading(f"{rule.words}, {JITTER}", replace(rule.entry, send_jitter=PACKET_TIME), variant)
            for rule in rules if rule.words.startswith("timer")
        ]  # fmt: skip
    return rules + [Reading(words, ENTRIES[name], other) for words, other in others.items()] + both
