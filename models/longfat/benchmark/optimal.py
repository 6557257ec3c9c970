"""Least transfer times of the benchmark by max-min fair shares.

Every file is at its first slow link as a whole when it starts; acknowledgments take a share of the slow links.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from longfat.benchmark.building import build
from longfat.benchmark.experiments import Variant
from longfat.laws import fair_share

if TYPE_CHECKING:
    from longfat.sim.network.elements import Flow
    from longfat.sim.network.network import Network

FAST = 12.5e6  # bytes/s; links of this rate take no transmission time in the fluid model


def optimal(variant: Variant, *, probe: bool = False) -> dict[str, Any]:
    r"""Return the transfer times of a variant's connections by the law of max-min fair shares.

    .. math:: T = t_{\text{finish}} - t_{\text{start}} + \tau

    Parameters
    ----------
    variant : Variant
        Variant, such as one of `longfat.benchmark.VARIANTS`.
    probe : bool
        Whether the probe packets take their share of the slow links; by default not, as in the paper's times.

    Returns
    -------
    dict of str to Fraction
        Time [s] of each connection.

    Examples
    --------
    >>> from longfat.benchmark import VARIANTS
    >>> {name: float(time) for name, time in optimal(VARIANTS["4"]).items()}
    {'1': 1.844, '2': 1.882}

    References
    ----------
    Kanakia, Keshav & Mishra (1992), section 4, rows "optimal".
    """
    net = build(variant, probe=probe)
    slow = {link.name: Fraction(str(link.rate)) for link in net.links.values() if link.rate < FAST}
    flows = [_file(flow, net, slow) for flow in net.flows if flow.scheme is not None]
    loads = [_load(flow, net, slow) for flow in net.flows if flow.traffic is not None]
    schedule = fair_share.transfer_times(fair_share.Network(slow, flows, loads))
    names = [flow.name for flow in net.flows if flow.scheme is not None]
    times = dict(zip(names, schedule.transfer_time, strict=True))
    return {name: times[name] for name in variant.connections}


def _exact(value: float) -> Fraction:
    return Fraction(repr(value)).limit_denominator(10**12)


def _file(flow: Flow, net: Network, slow: dict[str, Fraction]) -> fair_share.Flow:
    there, back = ([link.name for link in way if link.name in slow] for way in (net.route(flow), net.way_back(flow)))
    delay = sum((_exact(link.delay) for link in (*net.route(flow), *net.way_back(flow))), Fraction(0))
    return fair_share.Flow(
        there, _exact(flow.file or 0.0), start=_exact(flow.start), round_trip_time=delay, name=flow.name,
        reverse_path=back, ack=Fraction(flow.ack, flow.packet),
    )  # fmt: skip


def _load(flow: Flow, net: Network, slow: dict[str, Fraction]) -> fair_share.Load:
    """Return uncontrolled traffic as a fluid load: with its on and off times if it has any, else at its mean rate.

    Acknowledgments of probe packets, 0.04 % of a slow link, are left out.
    """
    traffic = flow.traffic
    assert traffic is not None
    path = [link.name for link in net.route(flow) if link.name in slow]
    begin = _exact(flow.start)
    if traffic.off_time:
        on, off = _exact(traffic.on_time), _exact(traffic.off_time)
        return fair_share.Load(path, _exact(traffic.rate), times=[begin, begin + on], period=on + off)
    rate = traffic.rate or flow.packet / traffic.interval
    return fair_share.Load(path, _exact(rate), times=[begin] if begin else [])
