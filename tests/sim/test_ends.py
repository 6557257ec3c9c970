"""Schemes and disciplines run at both ends of the domain of each parameter, as far as these belong to it."""

import re

import pytest

from longfat.sim import Network, Simulation, queues, schemes
from longfat.sim.network import traffic

ENDS = re.compile(r"([\[(])(.+), (.+)([\])])")
NEEDS = {"xcp": "xcp", "decbit": "decbit", "loss-load": "loss-load", "explicit-feedback": "explicit-feedback",
         "hop-by-hop": "hop-by-hop", "packet-pair": "fair", "blt": "priority-discard",
         "blt-rate": "priority-discard"}  # fmt: skip
TIMERS = tuple(schemes.timers.PARAMETERS)


def allowed_ends(allowed):
    """Return the ends that belong to a domain, or all values of a set."""
    if allowed.startswith("{"):
        return [float(one) for one in allowed.strip("{}").split(",")]
    left, low, high, right = ENDS.fullmatch(allowed).groups()
    return [float(low)] * (left == "[") + [float(high)] * (right == "]")


def carried(scheme, discipline, parameters):
    """A little file, or as much as half a second takes, over a lossy link."""
    net = Network().link("a", "b", rate=1e6, delay=0.005, buffer=20, loss=0.05, duplex=True, discipline=discipline)
    chosen = schemes.scheme(scheme)
    options = {"file": "15 kB"} if chosen.acknowledged else {}
    if scheme in ("blt", "blt-rate", "bully-tyrant"):
        options["access_rate"] = 1e6
    net.flow(scheme, path=["a", "b"], parameters=parameters, **options)
    net.flow(traffic.poisson(2e5), path=["a", "b"], packet=500)
    one = Simulation(net, rng=1)
    one.advance(0.5)
    return one.packet_counts()


@pytest.mark.parametrize("name", schemes.names())
def test_schemes(name):
    for parameter, one in schemes.scheme(name).parameters.items():
        if parameter in TIMERS and name != "reno":
            continue  # they are the engine's, the same for all
        for value in allowed_ends(one.domain):
            assert carried(name, NEEDS.get(name, "fifo"), {parameter: value})["sent"] > 0, (parameter, value)


DISCIPLINES = {
    "red": {"low": (0,), "high": (1e15,), "max_p": (1,), "weight": (1,), "packet": (1, 1e6), "gentle": (0, 1),
            "ecn": (0, 1), "wait": (0, 1)},
    "rem": {"gamma": (1e3,), "phi": (1e6,), "target": (0, 1e15), "weight": (0, 1e3), "smoothing": (1,),
            "packet": (1, 1e6), "ecn": (0, 1)},
    "avq": {"gamma": (1,), "alpha": (1e6,), "start": (0, 1), "buffer": (1e6,), "packet": (1, 1e6), "ecn": (0, 1),
            "printed_update": (0, 1)},
    "decbit": {"threshold": (1e15,), "on_departure": (0, 1), "with_transmission": (0, 1), "with_answers": (0, 1)},
    "hop-by-hop": {"set_point": (0, 1e6), "gain": (1,), "every": (1, 1e9)},
    "loss-load": {"k": (50,), "v": (1,), "overflow": (0, 1), "threshold": (0, 1e9), "direct": (0, 1),
                  "colours": (0, 1), "farewell": (0, 1)},
    "mark-above": {"threshold": (0, 1e15)},
    "round-robin": {"quantum": (1, 1e9)},
    "leaky-bucket": {"tokens": (1, 1e9), "queue": (0, 1e9)},
    "virtual-leaky-bucket": {"tokens": (1, 1e9)},
    "xcp": {"alpha": (2,), "beta": (0, 2), "gamma": (0, 1)},
}  # fmt: skip
GIVEN = {
    "mark-above": {"threshold": 5},
    "leaky-bucket": {"rate": 1e5},
    "virtual-leaky-bucket": {"rate": 1e5},
    "policer": {"rate": 1e5},
    "aggregation": {"interval": 0.01},
}
SCHEMES = {value: key for key, value in NEEDS.items()}


@pytest.mark.parametrize("name", DISCIPLINES)
def test_disciplines(name):
    for parameter, values in DISCIPLINES[name].items():
        for value in values:
            one = queues.discipline(name, **{**GIVEN.get(name, {}), parameter: value})
            assert carried(SCHEMES.get(name, "reno"), one, {})["sent"] > 0, (parameter, value)


def test_tear_listens_for_a_packet_at_least():
    """At 0 the tick was called a thousand times at once before a round-trip time was known."""
    with pytest.raises(ValueError, match=r"silent_packets = 0 packets is out of range: must be|silent_packets = 0"):
        Network().link("a", "b", rate=1e6, duplex=True).flow("tear", path=["a", "b"], parameters={"silent_packets": 0})
