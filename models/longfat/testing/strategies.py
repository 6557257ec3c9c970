"""Hypothesis strategies: networks, flows, traffic, schemes and queue disciplines of the simulator.

Every network that is drawn can be run. Hypothesis shrinks a failing network to few links and flows, round numbers, drop
tail and the first of the schemes; `longfat.sim.Network.to_toml` writes the network as a scenario file.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from longfat.base.domains import integer
from longfat.sim import queues
from longfat.sim import schemes as every_scheme
from longfat.sim.network import traffic as generators
from longfat.sim.network.elements import OF_FLOW, OF_LINK
from longfat.sim.network.network import Network
from longfat.sim.network.options import Number, Option
from longfat.sim.network.traffic import Traffic
from longfat.sim.queues import Discipline
from longfat.sim.schemes import Scheme

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

#: Discipline -> parameters to use instead of defaults that do not suit the link rates of these strategies.
GIVEN: dict[str, dict[str, float]] = {
    "aggregation": {"interval": 0.004},
    "fq-codel": {"queues": 4.0},
    "leaky-bucket": {"rate": 3e4, "queue": 20.0},
    "loss-load": {"k": 3.0, "v": 0.9},
    "mark-above": {"threshold": 5.0},
    "policer": {"rate": 1e5},
    "step-marking": {"packets": 0.0, "sojourn": 0.02},
    "virtual-leaky-bucket": {"rate": 3e4},
}


def numbers(low: float, high: float) -> SearchStrategy[float]:
    """Return a strategy of numbers in a range, rounded to three digits, so that printed examples are short."""
    return st.floats(low, high).map(lambda x: min(max(float(f"{x:.3g}"), low), high))


def values(option: Number | Option) -> SearchStrategy[Any]:
    """Return a strategy of values of a link's or flow's option, from a range that suits short runs.

    >>> from hypothesis import find
    >>> find(values(OF_LINK["loss"]), lambda loss: loss > 0)
    0.01
    """
    drawn = _range(option)
    if isinstance(drawn, list):
        return st.sampled_from(drawn)
    assert isinstance(option, Number)
    assert drawn is not None
    low, high = drawn
    inside = st.integers(int(low), int(high)) if option.integer or option.unit == "bytes" else numbers(low, high)
    return inside if option.required or option.default != math.inf else st.just(math.inf) | inside


def _range(option: Number | Option) -> tuple[float, float] | list[Any] | None:
    return option.drawn if isinstance(option, Number) else list(option.names) or None


def _drawn(draw: DrawFn, known: Mapping[str, Number | Option], *without: str) -> dict[str, Any]:
    return {name: draw(values(one)) for name, one in known.items() if _range(one) and name not in without}


def schemes(*, acknowledged: bool = False) -> SearchStrategy[Scheme]:
    """Return a strategy of the congestion-control schemes of the package.

    Parameters
    ----------
    acknowledged : bool
        Whether to draw only schemes with acknowledgments, which can transfer files.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(schemes(), lambda scheme: True).name
    'reno'
    """
    return st.sampled_from([one for one in _schemes() if one.acknowledged or not acknowledged])


@functools.cache
def _schemes() -> tuple[Scheme, ...]:
    """Return all schemes; reno is the first one, because Hypothesis shrinks to the first."""
    return tuple(map(every_scheme.scheme, sorted(every_scheme.names(), key=lambda name: (name != "reno", name))))


def disciplines() -> SearchStrategy[Discipline]:
    """Return a strategy of the queue disciplines of the package, with their default parameters.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(disciplines(), lambda discipline: True).name
    'fifo'
    """
    return st.sampled_from(_disciplines())


@functools.cache
def _disciplines() -> tuple[Discipline, ...]:
    """Return all disciplines; fifo is the first one, because Hypothesis shrinks to the first."""
    known = sorted({one.name for one in queues.NAMED.values()}, key=lambda name: (name != "fifo", name))
    return tuple(queues.discipline(name, **GIVEN.get(name, {})) for name in known)


def traffic(*, transfers: bool = True) -> SearchStrategy[Traffic]:
    """Return a strategy of traffic generators.

    Parameters
    ----------
    transfers : bool
        Whether to draw also transfers that arrive at random; a flow with this traffic needs a file size.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(traffic(), lambda one: True).name
    'constant'
    """
    rates, times, shapes = numbers(1e4, 3e5), numbers(0.01, 0.5), st.sampled_from([0.0, 1.0, 1.5])
    kinds = [
        st.builds(generators.constant, rates),
        st.builds(generators.poisson, rates, exponential_sizes=st.booleans()),
        st.builds(generators.on_off, rates, times, times, shape_on=shapes, shape_off=shapes),
    ]
    if transfers:
        kinds.append(st.builds(generators.arrivals, numbers(1.0, 20.0), schemes(acknowledged=True)))
    return st.one_of(kinds)


def flows(path: Sequence[str] = ("a", "b")) -> SearchStrategy[dict[str, Any]]:
    """Return a strategy of arguments of `longfat.sim.Network.flow`: a scheme or traffic on a path.

    Parameters
    ----------
    path : sequence of str
        Names of the nodes.

    Examples
    --------
    >>> from hypothesis import find
    >>> drawn = find(flows(), lambda flow: flow.get("file"))
    >>> net = Network().link("a", "b", rate=1e6, duplex=True).flow(**drawn)
    >>> net.flows[0].file == drawn["file"]
    True
    """
    return _flows(tuple(path))


@st.composite
def _flows(draw: DrawFn, path: tuple[str, ...]) -> dict[str, Any]:
    chosen = draw(st.one_of(schemes(), traffic()))
    by_scheme = isinstance(chosen, Scheme) and chosen.acknowledged
    arriving = isinstance(chosen, Traffic) and chosen.arrivals > 0
    made: dict[str, Any] = {"scheme": chosen, "path": path}
    # Always give the schemes in `ENDLESS` a file: without a file they may send a whole window in one burst.
    if arriving or (by_scheme and (chosen.name in ENDLESS or draw(st.booleans()))):
        made["file"] = draw(values(OF_FLOW["file"]))
    return made | _drawn(draw, OF_FLOW, "file")


#: Schemes that would send without a limit if they had no file.
ENDLESS = ("blt", "blt-rate", "bully-tyrant")


@st.composite
def links(draw: DrawFn, *, lossy: bool = True) -> dict[str, Any]:
    """Draw arguments of `longfat.sim.Network.link`: buffer, discipline, and options with known values or ranges."""
    discipline = draw(disciplines())
    size = draw(st.integers(1, 30))
    service = getattr(discipline.service, "name", discipline.service)
    in_packets = service.startswith("discard") or draw(st.booleans())
    made = {"buffer": size if in_packets else f"{size * 1500} B", "discipline": discipline}
    without = ["loss", "jitter"] if not lossy else [] if service == "fifo" else ["jitter"]
    return made | _drawn(draw, OF_LINK, *without)


def networks(*, most_hops: int = 3, most_flows: int = 5, lossy: bool = True) -> SearchStrategy[Network]:
    """Return a strategy of networks: a chain of links, with flows over the whole chain or a part of it.

    ``st.from_type(longfat.sim.Network)`` is the same strategy. All random numbers of a run come from its own seed, so
    that a network and a seed reproduce it.

    Parameters
    ----------
    most_hops : int
        Largest number of links in each direction [links].
    most_flows : int
        Largest number of calls of `Network.flow`; each adds one flow or two.
    lossy : bool
        Whether links may have random loss and jitter.

    Examples
    --------
    >>> from hypothesis import Phase, find, settings
    >>> as_drawn = settings(phases=[Phase.generate])  # without the search for a simpler one
    >>> len(find(networks(most_hops=1), lambda net: True, settings=as_drawn).links)
    2
    """
    hops = integer("most_hops", most_hops, "links", "[1, 100]")
    return _networks(hops, integer("most_flows", most_flows, "flows", "[1, 1000]"), lossy)


@st.composite
def _networks(draw: DrawFn, most_hops: int, most_flows: int, lossy: bool) -> Network:
    nodes = [f"n{k}" for k in range(draw(st.integers(1, most_hops)) + 1)]
    net = Network()
    for pair in pairwise(nodes):
        for tail, head in (pair, pair[::-1]):
            net.link(tail, head, **draw(links(lossy=lossy)))
    for k in range(draw(st.integers(1, most_flows))):
        first = draw(st.integers(0, len(nodes) - 2))
        last = draw(st.integers(first + 1, len(nodes) - 1))
        net.flow(name=f"f{k}", **draw(flows(nodes[first : last + 1])))
    return net


def register() -> None:
    """Register the strategies, so that Hypothesis finds them by the types Network, Scheme, Discipline and Traffic."""
    st.register_type_strategy(Network, lambda _: networks())
    st.register_type_strategy(Scheme, lambda _: schemes())
    st.register_type_strategy(Discipline, lambda _: disciplines())
    st.register_type_strategy(Traffic, lambda _: traffic())


register()
