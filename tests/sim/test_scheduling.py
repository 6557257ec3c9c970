"""Means of users' schedulers: memory, a heap, tags, numbers of queues and packets, wake-ups; and their limits."""

import ast
from pathlib import Path

import pytest

from docs.size import imports
from longfat import sim
from longfat.sim import (
    NOTHING,
    Discipline,
    SchemeError,
    Service,
    append,
    heap_entry,
    heap_insert,
    heap_remove,
    memory,
    now_ns,
    number_of,
    queue,
    queue_numbered,
    schedule_wake,
    set_memory,
    set_tag,
    tag_of,
    take,
    take_first,
)
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.plugin import functions
from tests.sim.lab import logged


def departures(service, until=0.1):
    """Return begin [ms] and size [bytes] of packets at a link of 1 kB/ms: 1000, 700 and 400 bytes at 0, 0.1, 0.2 ms."""
    flows = [
        (traffic.constant(1e3), {"packet": size, "start": k * 1e-4, "stop": k * 1e-4 + 1e-5})
        for k, size in enumerate((1000, 700, 400, 300))
    ]
    _, left, _ = logged(flows, Discipline("mine", service), until, buffer=10)
    return [((line[0] - 1000 * line[3]) / 1e6, line[3]) for line in left]


def insert(link, packet, now):
    append(link, queue(link, 0), packet)
    set_tag(link, number_of(link, packet), packet.size)
    heap_insert(link, link.count, packet.size, number_of(link, packet))
    link.count += 1
    return 0


def shortest(link, now):
    if link.count == 0:
        return NOTHING
    number = heap_entry(link, link.count, 0)
    link.least = tag_of(link, number)
    heap_remove(link, link.count, 0)
    link.count -= 1
    return take(link, queue_numbered(link, queue(link, 0).number), number)


def test_shortest_packet_first_by_hand():
    """The first packet is in transmission while the others come, which then leave by size, one after the other."""
    mine = Service("shortest first", enqueue=insert, dequeue=shortest, state={"count": 0, "least": 0}, bounded=True,
                   workspace=lambda packets, queues: 2 * int(packets + 1))  # fmt: skip
    assert departures(mine) == [(0, 1000), (1, 300), (1.3, 400), (1.7, 700)]


def keep(link, packet, now):
    append(link, queue(link, 0), packet)
    schedule_wake(link, queue(link, 0), 5_000_000)
    return 0


def late(link, now):
    return take_first(link, queue(link, 0)) if now_ns(link) >= 5_000_000 else NOTHING


def test_a_wake_up():
    """Nothing leaves before 5 ms, when the service has asked to be called."""
    mine = Service("late", enqueue=keep, dequeue=late, work_conserving=False)
    assert departures(mine) == [(5, 1000), (6, 700), (6.7, 400), (7.1, 300)]


def after(act):
    """Return an enqueue that queues the packet, and then does something else with the link."""

    def enqueue(link, packet, now):
        append(link, queue(link, 0), packet)
        act(link)
        return 0

    act = sim.inline(act)
    return enqueue


def first(link, now):
    return take_first(link, queue(link, 0))


BEYOND = "the service uses memory beyond the words that its workspace returned"


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda link: memory(link, 4), BEYOND),
        (lambda link: set_memory(link, -1, 7), BEYOND),
        (lambda link: heap_insert(link, 2, 1, 1), BEYOND),
        (lambda link: heap_entry(link, 0, 0), "the service uses an entry that its heap does not have"),
        (lambda link: set_tag(link, 2**40, 7), "the service uses a number that no packet has"),
        (lambda link: queue(link, 3).packets, "the link has no queue of this number"),
    ],
)
def test_accesses_beyond_the_limits_are_errors(act, words):
    mine = Service("mine", enqueue=after(act), dequeue=first, workspace=lambda packets, queues: 4)
    with pytest.raises(SchemeError, match=words) as caught:
        departures(mine)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "act",
    [
        lambda link: set_tag(link, 0, 0.5),
        lambda link: set_memory(link, 0, 0.5),
        lambda link: heap_insert(link, 0, 0.5, 1),
        lambda link: heap_insert(link, 0, 1, 0.5),
        lambda link: schedule_wake(link, queue(link, 0), 0.5),
    ],
)
def test_a_fraction_that_an_integer_would_lose_is_an_error(act):
    """A time in seconds instead of nanoseconds would be 0."""
    mine = Service("mine", enqueue=after(act), dequeue=first, workspace=lambda packets, queues: 4)
    with pytest.raises(ValueError, match=r"it sets a tag, a time \[ns\], .* an integer, to a float: must be"):
        departures(mine)


#: Files of the package that are exempt from the rules of users' plug-ins, and the names they read from the kernel.
INSIDE = {"log": "an array of its caller", "ptp": "stamps of requests", "scheme": "the class"}


@pytest.mark.parametrize("folder", ["schemes", "switch"])
def test_plug_ins_of_the_package_keep_the_rules_of_users(folder):
    """Their callbacks reach the rows of the simulator through fields and functions only."""
    constants = {f"longfat.sim.kernel.records.{name}" for name in vars(records)} | {"longfat.sim.kernel.jit.inline"}
    public = constants | {f"longfat.sim.plugin.functions.{name}" for name in functions.__all__}
    for path in sorted((Path(sim.__file__).parent / folder).glob("*.py")):
        used = set(imports(ast.parse(path.read_text())))
        inner = {name for name in used if name.startswith(("longfat.sim.kernel", "longfat.sim.plugin.functions"))}
        assert inner <= public or path.stem in INSIDE, (path.name, inner - public)
