"""Scenarios: the network read equals the network written, as a person would write it; errors name their table."""

import inspect
import math
import time
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Scheme, queues, run, schemes
from longfat.sim.network import scenario, traffic
from longfat.sim.network.scenario import parsing, writing
from longfat.sim.queues import ENQUEUE
from tests.examples import examples
from tests.sim.lab import one_link
from tests.sim.networks import AIMD, OWN, build

FIND = {f"own:{scheme.name}": scheme for scheme in OWN}.get

names = st.text(max_size=12).filter(bool)
times = st.floats(0, 1e6) | st.sampled_from([0.0, 0.022, 0.1, 1e-6, 5e-324])
rates = st.floats(0.125, 1e9) | st.sampled_from([5e6, 1.25e8, 1000 / 3]) | st.just(math.inf)
sizes = st.integers(1, 10**15).map(float) | st.floats(1, 1e18)
buffers = (
    st.none() | st.integers(1, 10**15) | st.integers(1, 10**15).map("{} packets".format) | sizes.map("{} B".format)
)
disciplines = (
    st.sampled_from(["fifo", "fair", "round-robin", "red", "fifo-departures"])
    | st.builds(
        queues.red,
        min_th=st.integers(0, 5) | st.floats(0, 5),
        max_th=st.floats(6, 100),
        max_p=st.floats(1e-9, 1),
        gentle=st.booleans(),
        ecn=st.booleans(),
    )
    | st.builds(queues.mark_above, st.floats(0, 1e9))
    | st.builds(queues.round_robin, st.integers(1, 9000))
)
finite_rates = rates.filter(math.isfinite)
generators = (
    st.builds(traffic.constant, finite_rates)
    | st.builds(traffic.probe, st.floats(1e-9, 1e6))
    | st.builds(traffic.poisson, finite_rates, exponential_sizes=st.booleans())
    | st.builds(traffic.self_similar, finite_rates, st.floats(0.51, 0.99), st.just("1 s"), st.floats(1e-6, 1e6))
    | st.builds(traffic.arrivals, st.floats(1e-6, 1e9), st.sampled_from(["reno", "vegas", AIMD]))
)


def acknowledged(what):
    """Return whether the scheme can transfer files."""
    made = what.scheme if isinstance(what, traffic.Traffic) else schemes.scheme(what)
    return made is None or made.acknowledged


@st.composite
def networks(draw):
    net = Network(draw(st.text(max_size=12)))
    nodes = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    for k in range(len(nodes) - 1):
        options = {
            "rate": draw(rates), "delay": draw(times), "buffer": draw(buffers), "discipline": draw(disciplines),
            "loss": draw(st.floats(0, 1)),
        }  # fmt: skip
        if queues.discipline(options["discipline"]).service == "fifo":
            options["jitter"] = draw(times)
        name = draw(st.none() | st.just(f"line {k}"))
        if draw(st.booleans()):
            net.link(nodes[k], nodes[k + 1], duplex=True, name=name, **options)
        else:
            net.link(nodes[k + 1], nodes[k], rate=draw(rates), delay=draw(times))
            net.link(nodes[k], nodes[k + 1], name=name, **options)
    for k in range(draw(st.integers(0, 3))):
        what = draw(st.sampled_from([*schemes.names(), *OWN]) | generators)
        count = draw(st.integers(1, 3))
        start, stagger = draw(st.floats(0, 1e6)), draw(st.floats(0, 1e6))
        last = start + count * stagger
        parameters = {}
        if what == "reno" and draw(st.booleans()):
            parameters = {"initial_ssthresh": draw(st.floats(1, 1e9) | st.just(math.inf))}
        net.flow(
            what, path=nodes if draw(st.booleans()) else nodes[:2], name=draw(st.none() | st.just(f"flöw {k}")),
            file=draw(st.none() | sizes) if acknowledged(what) else None, start=start, stagger=stagger,
            stop=draw(st.just(math.inf) | st.floats(last + 1, 1e8)), packet=draw(st.integers(1, 10**6)),
            ack=draw(st.integers(1, 10**6)), access_rate=draw(rates), count=count, send_jitter=draw(times),
            ack_path=draw(st.sampled_from(["reverse", "ideal"])), parameters=parameters,
        )  # fmt: skip
    return net


@given(networks())
@examples(25)
def test_round_trip(net):
    text = net.to_toml()
    back = scenario.parse(text, FIND)[0]
    assert back == net
    assert back.name == net.name
    assert back.to_toml() == text


def test_links_that_differ_in_one_thing():
    """Equal links share their text: links that differ in one option or in the reverse direction do not."""
    net = Network()
    disciplines = ["fair", queues.red(min_th=5, max_th=15), queues.red(min_th=5, max_th=16)]
    options = [{}, {}, {"duplex": True}, {"buffer": 9}, {"buffer": "9 B"}, {"loss": 0.5}, {"stamps": False}, {}]
    options += [{"discipline": one} for one in disciplines]
    for k, one in enumerate(options):
        net.link(f"a{k}", f"b{k}", **{"rate": 1e6, "delay": 0.001, "buffer": 20} | one)
    net.link("b0", "a0", rate=1e6, delay=0.001, buffer=20)  # the same as another one, but not next to it
    net.link("c", "d", rate=1e6).link("d", "c", rate=2e6)
    net.link("e", "f", rate=1e6, buffer=20, discipline="fair").link("f", "e", rate=1e6, buffer=20)
    assert scenario.parse(net.to_toml())[0] == net
    assert net.to_toml().count("duplex") == 1


def test_equality():
    net = build(1)
    assert net == build(1) != build(2)
    assert net != "net"
    first, second = (Network().link("a", "b", rate=1, loss=loss, duplex=True) for loss in (0.1, 0.2))
    assert first != second
    assert first != Network().link("b", "a", rate=1, loss=0.1, duplex=True)  # another order of the results
    with pytest.raises(TypeError, match="unhashable"):
        hash(net)


EVERYTHING = """\
name = "every key"

[[link]]
name = "here \\"and\\" there"
from = "a"
to = "b"
rate = "8 Mbit/s"
delay = "10 ms"
buffer = "20 packets"
discipline = {name = "red", min_th = 4, max_th = 13, gentle = true}
loss = 0.01
rate_changes = [["1 s", "4 Mbit/s"], ["2 s", "8 Mbit/s"]]
duplex = true

[[link]]
from = "b"
to = "c"
rate = "8 Mbit/s"
buffer = "64 KiB"
jitter = "1 ms"
counter_refresh = "1 s"
coarse_clock = true
stamps = false

[[flow]]
name = "sender"
scheme = "reno"
path = ["a", "b", "c"]
file = "20 kB"
start = "500 ms"
stagger = "1.5 s"
stop = "20 s"
packet = "500 B"
ack = "60 B"
access_rate = "1 Mbit/s"
ack_path = "ideal"
count = 2
send_jitter = "1 ms"
application = {kind = "constant", rate = "800 kbit/s"}

[flow.parameters]
initial_ssthresh = 8

[[flow]]
name = "noise"
traffic = {kind = "poisson", rate = "400 kbit/s", exponential_sizes = true}
path = ["a", "b"]

[run]
duration = "25 s"
warm_up = "100 ms"
replications = 2
confidence = 0.9
sample_every = "1 s"
rng = 3
"""


def every_key():
    """Return the network of the text above, and options of its run."""
    net = Network("every key")
    net.link(
        "a", "b", rate=1e6, delay=0.01, buffer=20, discipline=queues.red(min_th=4, max_th=13, gentle=True), loss=0.01,
        duplex=True, name='here "and" there', rate_changes=[(1, 5e5), (2, 1e6)],
    )  # fmt: skip
    net.link("b", "c", rate=1e6, buffer="65536 B", jitter=0.001, counter_refresh=1, coarse_clock=True, stamps=False)
    net.flow(
        "reno", path=["a", "b", "c"], name="sender", file=20000, start=0.5, stagger=1.5, stop=20, packet=500, ack=60,
        access_rate=125000, ack_path="ideal", count=2, send_jitter=0.001, parameters={"initial_ssthresh": 8},
        application=traffic.constant(1e5),
    )  # fmt: skip
    net.flow(traffic.poisson(5e4, exponential_sizes=True), path=["a", "b"], name="noise")
    options = {"duration": 25.0, "warm_up": 0.1, "replications": 2, "confidence": 0.9, "sample_every": 1.0, "rng": 3}
    return net, options


def test_every_key():
    """Units, no defaults, one table for a duplex link: the text, made by hand, is written and read."""
    document = tomllib.loads(EVERYTHING)
    assert {key for table in document["link"] for key in table} == set(parsing.LINK)
    assert {key for table in document["flow"] for key in table} == set(parsing.FLOW)
    assert set(document["run"]) == set(parsing.RUN)
    net, options = every_key()
    assert net.to_toml(**options) == EVERYTHING
    assert scenario.parse(EVERYTHING) == (net, options)
    data = run(net, **options, progress=False)
    assert data.attrs["confidence"] == 0.9
    assert data.sizes["time"] == 26
    assert list(data.flow.values) == ["sender-1", "sender-2", "noise"]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ('"8 Mbit/s"', "1e6"), ('"10 ms"', "0.01"), ('"20 packets"', "20"), ('"64 KiB"', '"65536 B"'),
        ("loss = 0.01", 'loss = "1%"'), ('["2 s", "8 Mbit/s"]', "[2, 1e6]"), ('"20 kB"', "20000"), ('"500 ms"', "0.5"),
        ("confidence = 0.9", 'confidence = "90%"'), ('"25 s"', "25"), ('"1.5 s"', "1.5"),
    ],
)  # fmt: skip
def test_other_spellings(written, other):
    """Numbers are in SI units, and text has a unit of its own."""
    assert written in EVERYTHING
    assert scenario.parse(EVERYTHING.replace(written, other)) == every_key()


ON_OFF = traffic.on_off(1e6, "10 ms", "10 ms", shape_on=1.5)


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ({"discipline": queues.rem(interval="1 ms", ecn=True)}, '{name = "rem", interval = 0.001, ecn = true}\n'),
        ({"discipline": queues.decbit(with_answers=False)}, '{name = "decbit", with_answers = false}\n'),
        (
            {"discipline": queues.leaky_bucket("8 Mbit/s", queue=3)},
            '{name = "leaky-bucket", rate = 1000000, queue = 3}\n',
        ),
        (
            {"discipline": queues.explicit_feedback(service="round-robin", quantum=900)},
            '{name = "explicit-feedback", quantum = 900, service = "round-robin"}\n',
        ),
        (
            {"discipline": queues.scripted_loss(times=[["1 s", 2, 1]], packets=[[0, 1, 2]])},
            '{name = "scripted-loss", packets = [[0, 1, 2]], times = [[1, 2, 1]]}\n',
        ),
        (
            {"discipline": queues.scripted_reordering(packets=[[0, 1, 2, 3]])},
            '{name = "scripted-reordering", packets = [[0, 1, 2, 3]]',
        ),
        ({"rate_changes": [("2 s", "1 Mbit/s")]}, '[["2 s", "1 Mbit/s"]]'),
        ({"stamps": "incoming"}, 'stamps = "incoming"'),
        ({"counter_refresh": 1.0, "coarse_clock": True, "stamps": False}, 'counter_refresh = "1 s"'),
        ({"application": ON_OFF}, 'application = {kind = "on-off", rate = "8 Mbit/s", on = "10 ms", off = "10 ms"'),
    ],
)
def test_only_values_other_than_the_default_are_written(options, written):
    """Only these are written, yes-or-no parameters of disciplines as true or false; rates and times may have units."""
    net = one_link("reno", rate=1e6, buffer=10, back=1e6, **options)
    assert written in net.to_toml()
    assert scenario.parse(net.to_toml())[0] == net
    with_units = net.to_toml().replace("0.001", '"1 ms"').replace("1000000,", '"8 Mbit/s",')
    assert scenario.parse(with_units)[0] == net


ARGUMENTS = {
    "rate": 1e5, "interval": 0.1, "on": 1.0, "off": 0.5, "hurst": 0.8, "connections": 3, "by": "sack",
}  # fmt: skip


@pytest.mark.parametrize("kind", traffic.GENERATORS)
def test_every_generator(kind):
    made = traffic.GENERATORS[kind]
    takes = inspect.signature(made).parameters
    options = {name: ARGUMENTS[name] for name, one in takes.items() if one.default is one.empty}
    net = Network().link("a", "b", rate=1e6, duplex=True).flow(made(**options), path=["a", "b"], file=1000)
    assert scenario.parse(net.to_toml())[0] == net
    values = "".join(f", {name} = {value!r}" for name, value in options.items()).replace("'", '"')
    text = net.to_toml().split("[[flow]]")[0] + (
        f'[[flow]]\ntraffic = {{kind = "{kind}"{values}}}\npath = ["a", "b"]\nfile = 1000\n'
    )
    assert scenario.parse(text)[0] == net


def drop_some(link, packet, now):
    return ENQUEUE


def test_users_schemes_disciplines_and_generators():
    """A user's own scheme, discipline or generator is not read as another; a run keeps its name."""
    impostor = Scheme("reno", ack=AIMD.ack)
    mine = Discipline("fifo", enqueue=drop_some)
    net = one_link(impostor, rate=1e6, buffer=5, discipline=mine, duplex=True, file=3000)
    text = net.to_toml()
    assert 'scheme = "own:reno"  # a user\'s own Scheme: name its file, as in "my_file.py:NAME"\n' in text
    assert 'discipline = "own:fifo"  # a user\'s own Discipline' in text
    with pytest.raises(ValueError, match=r"^link 1: discipline = 'own:fifo' is not defined here: name the file"):
        scenario.parse(text)
    assert scenario.parse(text, {"own:reno": impostor, "own:fifo": mine}.get)[0] == net
    with pytest.raises(ValueError, match="discipline = 'own:fifo' has the type Scheme: must be a Discipline"):
        scenario.parse(text, {"own:fifo": impostor}.get)
    assert run(net, rng=1, progress=False).attrs["network"] == text
    made_by_hand = traffic.Traffic("poisson", 1, rate=1e5, shape_on=3.0)
    text = Network().link("a", "b", rate=1e6).flow(made_by_hand, path=["a", "b"]).to_toml()
    assert "own:poisson" in text
    with pytest.raises(ValueError, match="flow 1: traffic: kind 'own:poisson' is unknown"):
        scenario.parse(text)


def test_options_that_a_file_cannot_hold():
    net = Network()
    assert net.to_toml(duration="1.5 s", warm_up=1, rng=None, confidence=0.9) == (
        '[run]\nduration = "1.5 s"\nwarm_up = "1 s"\nconfidence = 0.9\n'
    )
    with pytest.raises((TypeError, ValueError), match="option 'durations' is unknown; did you mean 'duration'"):
        net.to_toml(durations=3)
    assert net.to_toml(rng=np.int64(3)) == "[run]\nrng = 3\n"
    with pytest.raises(
        (TypeError, ValueError), match="rng must be an integer, so that a file can hold it, got the SeedSequence"
    ):
        net.to_toml(rng=np.random.SeedSequence(1))


def test_precision():
    """Numbers have six digits if these are exact, otherwise all digits."""
    assert writing._written(0.1, "s") == "100 ms"
    assert writing._written(0.1 + 0.2, "s") == "0.30000000000000004 s"
    assert writing._written(1 / 3, "bytes/s") == "2.6666666666666665 bit/s"
    assert writing._written(1234567.0, "bytes") == "1234567 B"
    assert writing._written(math.inf, "bytes/s") == math.inf


LINES = 'link = [{from = "a", to = "b", rate = 1e6, duplex = true}]\n'


def with_link(more):
    return f'link = [{{from = "a", to = "b", rate = 1e6, {more}}}]'


def with_discipline(more):
    return with_link(f"discipline = {{{more}}}")


def with_traffic(more):
    return LINES + f'flow = [{{traffic = {{{more}}}, path = ["a", "b"]}}]'


def with_flow(more, path='["a", "b"]'):
    return LINES + f'flow = [{{scheme = "reno", path = {path}{more and ", " + more}}}]'


REFUSALS = {
    "syntax": ("[[link]\n", "Expected ']]' at the end of an array declaration"),
    "twice": ('name = "a"\nname = "b"', "Cannot overwrite a value"),
    "top": ("flows = []", "key 'flows' is unknown; did you mean 'flow'? Available: flow, link, name, run"),
    "plural": ('[link]\nfrom = "a"', "link must be a list of tables, each headed by [[link]]"),
    "no tables": ("flow = [3]", "flow 1: must be a table, got 3"),
    "run": ("[[run]]", "run must be a table, got [{}]"),
    "title": ("name = 3", "name must be text, got 3"),
    "link key": (with_link("bufer = 3"), "link 1: key 'bufer' is unknown; did you mean 'buffer'?"),
    "no rate": ('link = [{from = "a", to = "b"}]', "link 1: 'rate' is missing"),
    "no from": ('link = [{to = "b", rate = 1}]', "link 1: 'from' is missing"),
    "unit": (with_link('delay = "3 m"'), "link 1: delay = '3 m' has an unknown unit"),
    "negative": (with_link("delay = -1"), "link 1: delay = -1 s is out of range"),
    "flag": (with_link('duplex = "yes"'), "link 1: duplex must be true or false, got 'yes'"),
    "true": (with_link("buffer = true"), "link 1: buffer must be a number [packets]"),
    "half": (with_link("buffer = 1.5"), "link 1: buffer = 1.5 packets is out of range: must be an integer"),
    "date": (with_link("loss = 2020-01-01"), "link 1: loss must be a number or text such as"),
    "discipline": (with_link('discipline = "rad"'), "link 1: discipline 'rad' is unknown; available: aggregation, "),
    "nameless": (with_link("discipline = {min_th = 5}"), "link 1: discipline: 'name' is missing"),
    "no text": (with_link("discipline = {name = 5}"), "link 1: discipline: name must be a string, got the int 5"),
    "thresholds": (
        with_link('buffer = 9, discipline = {name = "red", min_th = 5, max_th = 3}'),
        "link 1: discipline 'red': max_th = 3 packets is out of range: must be in (5, 1e+15]",
    ),
    "red key": (
        with_discipline('name = "red", hihg = 5'), "link 1: discipline 'red': key 'hihg' is unknown; available: "
    ),
    "red flag": (
        with_discipline('name = "red", ecn = "yes"'), "link 1: discipline 'red': ecn must be true or false, got 'yes'"
    ),
    "no threshold": (
        with_link('buffer = 9, discipline = "mark-above"'), "link 1: discipline 'mark-above': 'threshold' is missing"
    ),
    "fifo": (
        with_discipline('name = "fifo", min_th = 5'),
        "link 1: discipline 'fifo': it takes no parameters, so 'min_th' is unknown",
    ),
    "own": (with_discipline('name = "mine.py:it", gain = 5'), "link 1: discipline = 'mine.py:it' is not defined here"),
    "same": (LINES.replace("]", ', {from = "b", to = "a", rate = 1}]'), "link 2: there is a link from 'b' to 'a'"),
    "renno": (
        LINES + 'flow = [{scheme = "reno", path = ["a", "b"]}, {scheme = "renno", path = ["a", "b"]}]',
        "flow 2: scheme 'renno' is unknown; did you mean 'reno'?",
    ),
    "no scheme": (LINES + 'flow = [{path = ["a", "b"]}]', "flow 1: 'scheme' (or 'traffic') is missing"),
    "both": (with_flow('traffic = {kind = "probe"}'), "flow 1: 'scheme' and 'traffic' exclude each other"),
    "no path": (LINES + 'flow = [{scheme = "reno"}]', "flow 1: 'path' is missing"),
    "path text": (with_flow("", '"ab"'), "flow 1: path must be a list of nodes"),
    "path numbers": (with_flow("", "[1, 2]"), "flow 1: path must be a list of nodes"),
    "path apart": (with_flow("", '["a", "c"]'), "flow 1: path = a -> c of flow 'reno-1' does not connect"),
    "access rate": (with_flow("access_rate = -1"), "flow 1: access_rate = -1 bytes/s is out of range"),
    "count": (with_flow("count = 2.5"), "flow 1: count must be an integer, got 2.5"),
    "ack path": (with_flow('ack_path = "idle"'), "ack_path of flow 'reno-1': 'idle' is unknown; available: ideal"),
    "parameter": (
        with_flow("parameters = {initial_ssthrsh = 3}"),
        "flow 1: parameter 'initial_ssthrsh' is unknown; did you mean 'initial_ssthresh'?",
    ),
    "parameters of others": (
        with_flow('parameters = "linus"'), "flow 1: parameters 'linus' is unknown; did you mean 'linux'?"
    ),
    "parameters of nothing": (
        LINES + 'flow = [{traffic = {kind = "poisson", rate = 1}, path = ["a", "b"], parameters = "linux"}]',
        'flow 1: parameters = "linux" needs a congestion-control scheme',
    ),
    "parameters type": (with_flow("parameters = 3"), 'flow 1: parameters must be a table, or "linux", got 3'),
    "script": (
        with_discipline('name = "scripted-loss", packets = 5'), "scripted-loss': packets must be a list of rows, as in"
    ),
    "no kind": (with_traffic('rate = 1'), "flow 1: traffic: 'kind' is missing"),
    "kind": (with_traffic('kind = "poison"'), "flow 1: traffic: kind 'poison' is unknown; did you mean 'poisson'?"),
    "traffic type": (
        with_traffic('kind = "poisson", rate = true'),
        "flow 1: traffic 'poisson': rate must be a number or text with a unit, got true",
    ),
    "by": (
        with_traffic('kind = "arrivals", connections = 1, by = "renno"'),
        "flow 1: scheme 'renno' is unknown; did you mean 'reno'?",
    ),
    "run key": ('[run]\nseed = 3', "run: key 'seed' is unknown; available: confidence, dur"),
    "run type": ("[run]\nreplications = 2.0", "run: replications must be an integer, got 2.0"),
    "deep": (f"a = {'[' * 100_000}", ""),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals(what):
    text, words = REFUSALS[what]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        scenario.parse(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500  # with the names of all disciplines


def test_parameters_with_units():
    """A scheme's parameter with a unit of time, size or rate may be text."""
    from longfat.sim import Parameter

    timed = Scheme("timed", ack=AIMD.ack, parameters={"pause": Parameter(1.0, "s", "[0, 10]")})
    text = LINES + 'flow = [{scheme = "own:timed", path = ["a", "b"], parameters = {pause = "20 ms"}}]'
    net = scenario.parse(text, {"own:timed": timed}.get)[0]
    assert net.flows[0].parameters == {"pause": 0.02}
    assert '[flow.parameters]\npause = "20 ms"\n' in net.to_toml()
    with pytest.raises(ValueError, match="flow 1: pause = 20 s is out of range"):
        scenario.parse(text.replace("20 ms", "20 s"), {"own:timed": timed}.get)


def test_parameters_of_linux():
    """Ten packets at first (RFC 6928, section 2), and timers of at least 0.2 s (tcp.h, TCP_RTO_MIN)."""
    text = LINES + 'flow = [{scheme = "sack", path = ["a", "b"], parameters = "linux"}]'
    net = scenario.parse(text)[0]
    assert net.flows[0].parameters == schemes.linux("sack")
    assert (net.flows[0].parameters["initial_window"], net.flows[0].parameters["min_rto"]) == (10, 0.2)
    assert scenario.parse(net.to_toml())[0] == net


def test_more_links_than_there_is_room_for():
    """Too many links are refused by counting, before a minute of parsing 2^20 tables."""
    begun = time.monotonic()
    with pytest.raises(ValueError, match=r"links = 1048576 is out of range: must be an integer in \[0, 1048576\)"):
        scenario.parse("[[link]]\n" * 2**20)
    assert time.monotonic() - begun < 5


def test_names_are_unique_after_links_were_put_in_by_hand():
    net = Network().link("a", "b", rate=1.0, name="one")
    other = Network()
    other.links = dict(net.links)
    with pytest.raises(ValueError, match="name = 'one' is taken by another link"):
        other.link("b", "c", rate=1.0, name="one")
