"""Refusals of links, flows, schemes, disciplines and runs when they are created: a row has a call and its sentence."""

import functools
import math

import pytest

from longfat.replication import interval
from longfat.sim import Discipline, Network, Parameter, Scheme, conformance, queues, run
from longfat.sim.network import traffic
from longfat.sim.network.network import MOST_PLACES
from longfat.sim.queues import step_marking
from longfat.sim.schemes import profile
from tests.sim.lab import keep_window
from tests.sim.networks import AIMD


def link(**options):
    return Network().link("a", "b", **{"rate": 1e6, **options})


def flow(scheme, **options):
    return link(duplex=True).flow(scheme, path=["a", "b"], name="f", **options)


def packet_on(packet, rate, **options):
    return link(rate=rate, duplex=True, **options).flow("reno", path=["a", "b"], packet=packet)


def scheme(**options):
    return Scheme("mine", **{"ack": keep_window, **options})


class Ready:
    """Object that can be called, which numba cannot compile, nor its method."""

    def ack(self, flow, event):
        return 1.0

    __call__ = ack


def answer(receiver, packet):
    return 1


def replying(**options):
    return scheme(**{"receive": answer, "reply": answer, "recovery": "own", "state": {"replies": 0}, **options})


RACK = Parameter(1.0, "1", "[0, 1]", "rack")
NEEDS_SELECTIVE = "for the field 'rack' needs recovery = 'selective' and delivery_rate = F"
NEEDS_ROOM = r"buffer = .* of link a-b excludes discipline 'priority-discard"
NEEDY = {"pause": Parameter(None, "s")}
OURS = Discipline("ours", parameters=NEEDY)
FAST = traffic.constant(1e13)
SILENT = scheme(recovery="own", acknowledged=False)
IN_ORDER = r"jitter of link 'a-b' needs a discipline that sends in order of arrival: '"


def row(call, words, *arguments, **options):
    """Return a row of the table: a call, and the words of its refusal."""
    return functools.partial(call, *arguments, **options), words


VALUES = [
    # links
    row(link, r"time in rate_changes = 1 s is out of range: must be in \(1", rate_changes=[(1, 1e6), (1, 2e6)]),
    row(link, "time in rate_changes = 0 s is out of range", rate_changes=[(0, 1e6)]),
    row(link, "rate in rate_changes = 0 bytes/s is out of range", rate_changes=[(1, 0)]),
    row(link, "rate_changes of link a-b needs a finite rate and no jitter", rate_changes=[(1, 1e6)], rate=math.inf),
    row(link, "needs a finite rate and no jitter", rate_changes=[(1, 1e6)], jitter=0.1),
    row(link, "stamps 'outgoing' is unknown; available: incoming", stamps="outgoing"),
    row(link, IN_ORDER, jitter=0.001, buffer=10, discipline="fair", duplex=True),
    row(link, IN_ORDER, jitter=0.001, buffer=10, discipline=queues.rem(ecn=True), duplex=True),
    *(
        row(link, NEEDS_ROOM, buffer=buffer, discipline=name)
        for name in ("priority-discard", "priority-discard-published")
        for buffer in (None, "1 MB", MOST_PLACES + 1)
    ),
    row(link, "needs a larger buffer of link a-b than 100 packets", buffer=100, discipline=step_marking(packets=100)),
    row(link, "needs a larger buffer of link a-b than 4096 bytes", buffer="4 KiB", discipline=step_marking(bytes=5000)),
    row(link, "needs one of packets, bytes and sojourn", buffer=100, discipline=step_marking()),
    row(link, "'mark-above' needs threshold", discipline=queues.mark_above),
    row(
        Network.dumbbell,
        r"access_delay = \[0\.1\] is out of range: must be one delay or 2, one for each scheme",
        ["reno", "sack"],
        rate=1e6,
        access_delay=[0.1],
    ),
    row(Network.chain, "hops = 0 links is out of range", 0, rate=1e6),
    # flows
    row(flow, "application of flow 'f' excludes traffic 'poisson'", "reno", application=traffic.poisson(1e6)),
    row(flow, "application of flow 'f' excludes traffic 'probe'", "reno", application=traffic.probe(1.0)),
    row(flow, "both determine when the flow has data", traffic.constant(1e6), application=traffic.constant(1e6)),
    row(flow, "rate of the application of flow 'f' = 1e[+]13 bytes/s is out of", "reno", application=FAST),
    # one packet of 1000 bytes per nanosecond: 1e12 bytes/s
    row(flow, r"rate of flow 'f' = 1e[+]13 bytes/s is out of range: must be in \(0, 1e[+]12\] bytes/s, one", FAST),
    row(flow, r"access_rate of flow 'f' = 1.1e[+]12 bytes/s .* 1000 B per nanosec", "reno", access_rate=1.1e12),
    row(packet_on, r"rate of link 'a-b' = 1.25e[+]14 .* \(0, 6.4e[+]10\] bytes/s, one packet of 64", 64, 1.25e14),
    row(packet_on, r"rate of link 'a-b' = 2e[+]11", 64, 1e6, rate_changes=[(1, 2e11), (2, 1e6)]),
    row(traffic.on_off, r"shape_off = 0.5 is out of range: must be 0 or \[1, 100\]", 1e6, 1.0, 1.0, shape_off=0.5),
    row(traffic.probe, r"interval = 1e-10 s is out of range: must be in \[1e-09, 1e[+]06\] s", 1e-10),
    row(flow, r"start \+ stagger\*\(count - 1\) = 2e\+09 s is out of range", "reno", start=1e9, stagger=1e9, count=2),
    row(flow, "file = '1 MB' of flow 'f' excludes scheme 'mine': without acknowledgments", SILENT, file="1 MB"),
    row(flow, "parameter 'duplicate_threshold' is unknown", "sack", parameters={"duplicate_threshold": 2}),
    row(flow, r"scheme 'mine' needs pause: .* as in scheme\(pause=\.\.\.\)", scheme(parameters=NEEDY)),
    # schemes
    row(scheme, NEEDS_SELECTIVE, recovery="own", parameters={"rack": RACK}),
    row(scheme, NEEDS_SELECTIVE, delivery_rate=True, parameters={"rack": RACK}),
    row(scheme, "delivery_rate = True of scheme 'mine' needs recovery = 'sel", recovery="own", delivery_rate=True),
    row(scheme, "acknowledged = False of scheme 'mine' needs recovery = 'own'", acknowledged=False),
    row(scheme, "echo of scheme 'mine': 'twice' is unknown", echo="twice"),
    row(scheme, "echo = 'accurate' of scheme 'mine' excludes stamped = True", echo="accurate", stamped=True),
    row(replying, "receive and reply of scheme .* go together", reply=None),
    row(replying, "go together, and need recovery = 'own'", recovery="selective"),
    row(replying, "repeats 'replies'", receiver_state={"replies": 0}),
    row(replying, "is a field of the simulator already", receiver_state={"alarm": 0}),
    row(profile, r"profile 'BSD' is unknown.* bsd, fine, linux, ns, rfc", "BSD"),
    # disciplines
    row(queues.discipline, "did you mean 'red'", "redd"),
    row(queues.discipline, r"discipline 'red': parameter 'hihg' is unknown; available: ", "red", hihg=3),
    row(queues.discipline, "discipline 'fair' takes no parameters, so 'quantum'", "fair", quantum=3),
    row(queues.discipline, "discipline 'mark-above' needs threshold", "mark-above"),
    row(queues.discipline, "discipline 'fair' has its parameters already: quantum", queues.FAIR, quantum=3),
    row(queues.round_robin, r"quantum = 1\.5 bytes is out of range: must be an integer in \[1, 1e\+09\]", 1.5),
    row(queues.red(min_th=44, max_th=132), r"max_th = 132 packets is out of range: must be in \(200", min_th=200),
    row(queues.red_auto, "rate = 0", 0),
    row(
        queues.explicit_feedback,
        "service of discipline 'explicit-feedback': 'lifo' is unknown; available: bit-round,",
        service="lifo",
    ),
    row(queues.scripted_loss, r"flow in packets = -1 is out of range", packets=[[-1, 1, 1]]),
    row(queues.scripted_loss, "every in times = 0 packets is out of range", times=[[0, 1, 0]]),
    row(queues.scripted_loss, "number of rows of transmissions = 101", transmissions=[[0, k] for k in range(101)]),
    row(queues.scripted_reordering, "behind in packets = 0 packets is out of range", packets=[[0, 1, 1, 0]]),
    row(queues.scripted_reordering, "longest = 0 s is out of range", longest=0),
    row(Discipline, "service of discipline 'mine': 'lifo' is unknown; available: bit-round", "mine", "lifo"),
    row(Discipline, "'mine': 'rate' is a field of the simulator already", "mine", parameters={"rate": 1.0}),
    row(Discipline, "target = 2 s is out of range", "mine", parameters={"target": Parameter(2.0, "s", "(0, 1]")}),
    row(link, r"'ours' needs pause: give it with values, as in discipline\(pause=\.\.\.\)", discipline=OURS),
    # runs
    row(run, r"duration is absent and flow 'f' never ends: give duration \[s\]", flow(AIMD), rng=1),
    row(run, "duration is absent and no flow has a file", flow(traffic.constant(1e5)), rng=1),
    row(run, "has no flow", Network(), duration=1.0),
    row(run, "sample_every needs a duration", flow(AIMD, file=1000), sample_every=0.1),
    row(run, "warm_up = 'often'", flow(AIMD), duration=1.0, warm_up="often"),
    row(run, "warm_up = 1 s is out of range", flow(AIMD), duration=1.0, warm_up=1.0),  # nothing is left to measure
    # runs of several networks
    row(run, r"net = \[\] is out of range: must be one network or more", []),
    row(run, r"net\[1\]: .* has no flow", [flow(AIMD), Network("empty")], duration=1),
    row(run, r"net\[1\]: duration is absent and flow 'f' never ends", [flow(AIMD, file=1000), flow(AIMD)]),
    row(run, "^duration = -1 s is out of range", [flow(AIMD)], duration=-1),
    row(run, "a list of networks excludes sample_every", [flow(AIMD)], duration=1, sample_every=0.1),
    row(run, "a list of networks excludes sample_every, pcap", [flow(AIMD)], duration=1, pcap="here"),
    # the conformance suite
    row(conformance, "scheme or discipline 'renno' is unknown; did you mean 'reno'", "renno"),
    row(conformance, "'fiffo' is unknown", "reno", beside="fiffo"),
    row(conformance, "discipline 'ours' needs pause", OURS),
    # statistics
    row(interval, r"samples has shape \(0,\): must be a sequence of at least one number", []),
    row(interval, "confidence = 1", [1.0, 2.0], 1.0),
]
PAIRS = r"rate_changes must be a sequence of pairs \(time, rate\)"
TYPES = [
    row(flow, "parameters must be a mapping of names to values, or .linux.", "sack", parameters=[]),
    row(traffic.on_off, "shape_on must be a number, got the string 'x'", 1e6, 1.0, 1.0, shape_on="x"),
    row(run, "net must be a Network or a sequence of Networks, got the string 'net'", "net"),
    row(run, r"net\[1\] must be a Network, got the int 3", [flow(AIMD), 3]),
    row(conformance, "plug_in must be a Scheme, a Discipline, a Service or a name, got the int 3", 3),
    row(conformance, "rng", "reno", rng="x"),
    row(interval, "samples must be a number or an array of numbers, got the string 'ab'", "ab"),
    *(row(link, PAIRS, rate_changes=changes) for changes in ("1 s", [1.0], [(1, 2, 3)], 5, [{1, 2}])),
    row(link, "time in rate_changes must be a number", rate_changes=[(True, 1e6)]),
    row(link, "rate in rate_changes must be a number", rate_changes=[(1, True)]),
    row(
        flow,
        r"application of flow 'f' must be traffic.constant\(...\) or traffic.on_off",
        "reno",
        application="constant",
    ),
    row(queues.scripted_loss, r"packets must be a list of rows \(flow, number, count\)", packets=[[0, 1]]),
    row(queues.scripted_loss, r"times must be a list of rows \(begin, end, every\)", times="1 s"),
    row(
        queues.scripted_reordering,
        r"packets must be a list of rows \(flow, number, count, behind\)",
        packets=[[0, 1, 1]],
    ),
    row(scheme, r"scheme 'mine': ack must take \(flow, event\), got ack\(flow\)", ack=lambda flow: 1.0),
    *(
        row(scheme, rf"scheme 'mine': ack must be a function of \(flow, event\), got the {kind}", ack=ack)
        for kind, ack in {
            "int 3": 3,
            "partial": functools.partial(lambda gain, flow, event: gain, 1.0),
            "method": Ready().ack,
            "Ready": Ready(),
            "builtin": max,
        }.items()
    ),
    row(scheme, "every_loss of scheme 'mine' must be True or False, got the string 'no'", every_loss="no"),
    *(
        row(link, f"{option} must be True or False, got the (string 'no'|int 2)", **{option: value})
        for option, value in {"duplex": "no", "coarse_clock": "no", "stamps": 2}.items()
    ),
    row(scheme, r"scheme 'mine': send must take \(flow, packet\), got send\(flow\)", send=lambda flow: 0),
    row(
        Discipline,
        r"discipline 'mine': enqueue must take \(link, packet, now\), got enqueue\(link\)",
        "mine",
        enqueue=lambda link: 0,
    ),
    row(Discipline, "unexpected keyword argument 'arrive'", "mine", arrive=lambda link, packet, header, now, rng: 1),
]


@pytest.mark.parametrize(
    ("error", "call", "words"), [*((ValueError, *one) for one in VALUES), *((TypeError, *one) for one in TYPES)]
)
def test_what_is_refused(error, call, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
