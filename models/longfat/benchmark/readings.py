"""What the paper leaves open about its five schemes, one rule at a time, as entries that differ in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from longfat.benchmark.entries import ENTRIES, Entry
from longfat.benchmark.experiments import VARIANTS, Variant
from longfat.sim.schemes.timers import PROFILES

PACKET_TIME = 1e-4  # s, of 500 B on the slow line

_TIMERS = {"BSD": PROFILES["bsd"], "ns": PROFILES["ns"], "1 ms": PROFILES["fine"]}
_ANY: dict[str, dict[str, Any]] = {
    "no probe in the run": {"probe": False},
    "up to a packet time of jitter at the sources": {"send_jitter": PACKET_TIME},
}
_RATES = {
    "set point 20 packets": {"parameters": {"set_point": 20.0}},
    "set point 5 packets": {"parameters": {"set_point": 5.0}},
    "set point 1 packet": {"parameters": {"set_point": 1.0}},
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
        "no switch sets a bit": {"bottleneck": "fifo", "options": {}},
        "three duplicates are a loss": {"parameters": {"fast_retransmit": 1.0}},
        **_ANY,
    },
    "packet-pair": {
        **_RATES,
        "gaps measured at the receiver": {"parameters": {"gap_at_receiver": 1.0}},
        "set point 20 packets, gaps measured at the receiver": {
            "parameters": {"set_point": 20.0, "gap_at_receiver": 1.0}
        },
        "the whole rate at once, as in 1991": {"parameters": {"jump": 1.0}},
        "by turns instead of tags": {"bottleneck": "round-robin", "switch": "round-robin"},
        **_ANY,
    },
    "explicit-feedback": {**_RATES, **_ANY},
    "hop-by-hop": {
        **_RATES,
        "three lines of 6.7 ms before the switch": {"hops": 2},
        "two lines of 10 ms before the switch": {"hops": 1},
        **_ANY,
    },
}
READINGS["explicit-feedback"]["switches served in order of arrival between"] = {"switch": "fifo"}


def reading(name: str, words: str) -> Entry:
    """An entry with one rule changed.

    >>> reading("hop-by-hop", "three lines of 6.7 ms before the switch").hops
    2
    """
    base, change = ENTRIES[name], READINGS[name][words]
    more: Mapping[str, Any] = change
    if "parameters" in change:
        more = {**change, "parameters": {**base.parameters, **change["parameters"]}}
        if name == "tahoe":  # a timer is a whole set
            more = {**change}
    return replace(base, name=f"{name}, {words}", label=words, **more)


def other_variants(variant: Variant) -> dict[str, Variant]:
    """The same experiment as the paper might have meant it, by what differs in words.

    >>> list(other_variants(VARIANTS["3-20"]))
    ['a round trip of 40 ms']
    """
    if variant.experiment == 3:
        return {"a round trip of 40 ms": VARIANTS[variant.name + "-rtt40"]}
    if variant.experiment == 7:
        return {"sources that begin one after the other": VARIANTS[variant.name + "-ramp"]}
    return {"files as printed": VARIANTS["9a"]} if variant.name == "9b" else {}
