"""Every shipped scheme and discipline: values that its parameters accept and refuse, and runs with pauses."""

import math
import re

import pytest

from longfat.base.domains import Interval
from longfat.sim import Network, Simulation, queues, schemes
from longfat.sim.kernel import records
from longfat.sim.network import scenario, traffic
from longfat.sim.plugin.parameters import Choice, Table
from tests.sim import networks
from tests.sim.networks import state

SCHEMES = {name: schemes.scheme(name) for name in schemes.names()}
DISCIPLINES = {one.name: one for one in networks.DISCIPLINES}
PLUG_INS = [*SCHEMES.values(), *DISCIPLINES.values()]
every_plug_in = pytest.mark.parametrize("plug_in", PLUG_INS, ids=lambda one: f"{type(one).__name__}-{one.name}")
#: Disciplines that schemes need; the scheme that needs a discipline also tests it.
NEEDS = {"xcp": "xcp", "decbit": "decbit", "loss-load": "loss-load", "explicit-feedback": "explicit-feedback",
         "hop-by-hop": "hop-by-hop", "packet-pair": "fair", "blt": "priority-discard",
         "blt-rate": "priority-discard"}  # fmt: skip
SENDERS = {value: key for key, value in NEEDS.items()}
TIMERS = tuple(schemes.timers.PARAMETERS)

#: Values of a domain that do not fit the other values, and the words of the refusal.
TOGETHER = {
    ("codel", "target", 10.0): "target = 10 s of discipline .* must not exceed interval = 0.1 s",
    ("fq-codel", "target", 10.0): "target = 10 s of discipline .* must not exceed interval = 0.1 s",
    ("dualpi2", "target", 10.0): "target = 10 s of discipline 'dualpi2' must be below limit = 0.25 s",
    ("dualpi2", "threshold", 10.0): r"threshold \+ range = 10.0004 s of discipline 'dualpi2' exceeds target = 0.015 s",
    ("dualpi2", "range", 10.0): r"threshold \+ range = 10.0008 s of discipline 'dualpi2' exceeds target = 0.015 s",
    ("policer", "burst", 1.0): "'policer', .*, link 'a-b' .* burst = 1 bytes is out of range: .* 1000 bytes",
    ("red", "min_th", 1e15): r"max_th = 15 packets is out of range: must be in \(1e\+15",
}


def parameters_of(plug_in):
    """Return the parameters; timers, which are the engine's and the same for all schemes, are those of Reno."""
    shared = TIMERS if isinstance(plug_in, schemes.Scheme) and plug_in.name != "reno" else ()
    return {name: one for name, one in plug_in.parameters.items() if name not in shared}


def ends(domain):
    """Return the least and largest values that a domain has, and values beside it."""
    if domain.startswith("{"):
        values = [float(one) for one in domain.strip("{}").split(",")]
        return values, [0.5, max(values) + 1, -1]
    parsed = Interval.parse(domain)
    inside, outside = [], []
    for end, included, beyond in (
        (parsed.low, parsed.includes_low, -math.inf), (parsed.high, parsed.includes_high, math.inf),
    ):  # fmt: skip
        if included:
            inside.append(end)
        if end != beyond or not included:  # nothing is beyond an infinity that is allowed
            outside.append(math.nextafter(end, beyond) if included else end)
    return inside, outside


def simulation(plug_in):
    """Return a simulation of a small file, or of an endless flow, over a lossy link beside Poisson traffic.

    Rate and delay are no round numbers, so that no two events coincide.
    """
    scheme, discipline = plug_in, NEEDS.get(plug_in.name, "fifo")
    if not isinstance(plug_in, schemes.Scheme):
        scheme, discipline = SCHEMES[SENDERS.get(plug_in.name, "reno")], plug_in
    net = Network().link("a", "b", rate=1_012_345.0, delay=0.0051234567, buffer=20, loss=0.05, duplex=True,
                         discipline=discipline)  # fmt: skip
    options = {"file": "15 kB"} if scheme.acknowledged else {}
    if scheme.name in ("blt", "blt-rate", "bully-tyrant"):
        options["access_rate"] = 1e6
    net.flow(scheme, path=["a", "b"], **options)
    return Simulation(net.flow(traffic.poisson(2e5), path=["a", "b"], packet=500), rng=1)


@every_plug_in
def test_values_outside_their_domains(plug_in):
    """Values beyond either end, other types than numbers, and unknown names are refused with the parameter's name."""
    for name, one in parameters_of(plug_in).items():
        assert one.meaning
        assert one.unit
        wrong = [math.nan, *ends(one.domain)[1], *([1.5] if one.integer else [])]
        for value in [] if isinstance(one, Table) else wrong:
            with pytest.raises(ValueError, match=rf"\b{name} = \S+.* is out of range"):
                plug_in(**{name: value})
        with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
            plug_in(**{name: "many"})
    words = f"'{plug_in.name}': parameter 'no_such' is unknown" if plug_in.parameters else "takes no parameters, so"
    with pytest.raises(ValueError, match=words):
        plug_in(no_such=1.0)


def is_of_an_earlier_scheme(plug_in, name):
    """Return whether a scheme before this one has the same choice of a component, whose code takes 4 s to compile.

    The loss recoveries of CUBIC, DCTCP and SACK are the same components.
    """
    one, earlier = plug_in.parameters[name], PLUG_INS[: PLUG_INS.index(plug_in)]
    return isinstance(one, Choice) and any(before.parameters.get(name) is one for before in earlier)


@pytest.mark.parametrize("one", SCHEMES.values(), ids=SCHEMES)
def test_parameters_of_a_scheme(one):
    """Each is either in the scheme's own record or in a field of the flow; schemes with acknowledgments have timers.

    A scheme that controls its receiver has rules of its own for replies that do not come.
    """
    own = {*one.columns.parameters, *one.columns.constants}
    assert {name for name, parameter in one.parameters.items() if not parameter.field} == own
    assert set(TIMERS) <= set(one.parameters) or not one.acknowledged or one.reply


@every_plug_in
def test_ends_of_domains(plug_in):
    """A run at each end of each domain conserves packets, unless the value does not fit the others."""
    for name, one in parameters_of(plug_in).items():
        for value in [] if isinstance(one, Choice) else ends(one.domain)[0]:
            said = TOGETHER.get((plug_in.name, name, value))
            if said:
                with pytest.raises(ValueError, match=said):
                    simulation(plug_in(**{name: value})).advance(0.5)
                continue
            run = simulation(plug_in(**{name: value}))
            run.advance(0.02 if (name, value) == ("set_point", 1e6) else 0.5)  # it sends ten million packets a second
            assert run.packet_counts()["sent"] > 0, (name, value)


def other_values(scheme):
    """Return the values of a scheme's choices but the default ones, and but those of schemes before this one."""
    return {
        name: [value for value in ends(one.domain)[0] if value != one.default]
        for name, one in scheme.parameters.items()
        if isinstance(one, Choice) and not is_of_an_earlier_scheme(scheme, name)
    }


OTHERS = {name: others for name, one in SCHEMES.items() if (others := other_values(one))}


@pytest.mark.plain  # each is code of its own, 4 s to compile: together in the next test
@pytest.mark.parametrize("name", OTHERS)
def test_every_choice(name):
    """A run with each value of each choice conserves packets."""
    for choice, values in OTHERS[name].items():
        for value in values:
            run = simulation(SCHEMES[name](**{choice: value}))
            run.advance(0.5)
            assert run.packet_counts()["sent"] > 0, (choice, value)


def first_of(name):
    """Return the first non-default value of each choice of a scheme, except values that an earlier scheme also has."""
    before = PLUG_INS[: PLUG_INS.index(SCHEMES[name])]
    return {
        key: values[0]
        for key, values in OTHERS[name].items()
        if not any(values[0] in ends(one.parameters[key].domain)[0] for one in before if key in one.parameters)
    }


#: All further values, each of which takes 2 to 4 s to compile, run in plain Python in `test_every_choice`, which the
#: long profile compiles, too.
CHOICES = {name: own for name in OTHERS if (own := first_of(name))}


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_compiles(name):
    """Compiled, all choices at once at other values than the default ones conserve packets, too.

    The values of CUBIC are compiled in the scheme with SEARCH, because tests/sim/schemes/test_search.py uses that code.
    """
    run = simulation(SCHEMES[{"cubic": "cubic-search"}.get(name, name)](**CHOICES[name]))
    run.advance(0.5)
    assert run.packet_counts()["sent"] > 0


@every_plug_in
def test_pauses_and_chunks_change_nothing(plug_in):
    """A run of a seed is the same in one call, in calls that compute little in advance, and in chunks of events."""
    single, paused, chunks = (simulation(plug_in) for _ in range(3))
    single.advance(0.5)
    for k in range(1, 51):
        paused.advance(0.01 * k)
        paused.packet_counts()
    while (status := chunks._chunk(records.SECOND // 2, 7)) != records.DONE:
        if status != records.PAUSED:
            chunks._make_room(status)
    assert state(paused) == state(single)
    assert state(chunks) == state(single)


@pytest.mark.parametrize("name", DISCIPLINES)
def test_made_again_from_name_and_values(name):
    """As scenario files need; also with other values than the default ones."""
    one = DISCIPLINES[name]
    flags = {key: 1.0 - value for key, value in one.values.items() if one.parameters[key].domain == "{0, 1}"}
    for made in (one, *(one(**{key: value}) for key, value in flags.items())):
        assert queues.discipline(name, **made.values) == made
        assert queues.NAMED[name](**made.values) == made
        net = Network().link("a", "b", rate=1e6, buffer=10, discipline=made)
        assert scenario.parse(net.to_toml())[0] == net
        assert (f'"{name}"' in net.to_toml()) == (name != "fifo")  # the default is left out


@pytest.mark.parametrize("name", [name for name, one in DISCIPLINES.items() if one.needs_buffer])
def test_a_link_without_a_buffer(name):
    """Disciplines with a queue need room for a packet: the engine never asks them where there is none."""
    with pytest.raises(ValueError, match=re.escape(f"buffer = 0 of link a-b excludes discipline '{name}'")):
        Network().link("a", "b", rate=1e6, buffer=0, discipline=DISCIPLINES[name])
