"""Page on which the reader is the congestion control of a drop-tail link, beside runs of CUBIC and Reno.

``static/drop_tail.js`` has the link, ``static/play_sender.js`` the page's behaviour; the tests hold the link to the
packet simulator. The runs of both schemes are simulated when the handbook is built.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from docs.handbook.markup import html
from longfat import sim
from longfat.sim import schemes
from longfat.sim.network import traffic

if TYPE_CHECKING:
    import xarray as xr
    from sphinx.application import Sphinx

PAGE = "play/index"
PACKET = 1500  # bytes
#: The link: a satellite's round trip, so that the reader plays in real time; a buffer of one bandwidth-delay product.
RATE, ROUND_TRIP, BUFFER = 100, 0.5, 50  # packets/s, s, packets
CROSS = ({"from": 20.003, "to": 40.0, "rate": 49},)  # other traffic [s, s, packets/s]
DURATION, STEP = 60.0, 0.25  # s
LIMIT = 150  # largest window of the slider [packets]
NAMES = {"CUBIC": "cubic", "Reno": "sack"}
TEXT = """\
# Play the sender

You are the congestion control of one flow over a satellite link of 100 packets per second, with a round trip of 0.5 s
and a drop-tail buffer of 50 packets: you set the window, and learn what it does one round trip later.

Predict first: which window fills the link without a queue, and at which one are packets lost? Then start, and steer by
what comes back, for other traffic takes half of the link for a while. At the end compare yourself with CUBIC and Reno,
who had the same minute: can you carry as much with less delay?

"""
LAWS = """\

The grey curves are [Little's law](/laws/power/little_mean_number/index.md): a window W and a round trip R give W/R
packets per second up to the capacity; a larger window only fills the queue. The score is the
[network power](/laws/power/network_power/index.md): the share of the free capacity that was carried, over the mean
round trip in multiples of the shortest. A share above 100 % means that the other traffic lost packets to
yours. The link in your browser gives the packet simulator's queues and losses to the packet.
"""


def network(scheme: Any, **options: Any) -> sim.Network:
    """Return the link with one flow of a scheme and the other traffic."""
    net = sim.Network("play").link("a", "b", rate=RATE * PACKET, delay=ROUND_TRIP / 2, buffer=BUFFER, name="bottleneck")
    net.link("b", "a", rate=1e12, delay=ROUND_TRIP / 2)
    net.flow(scheme, path=["a", "b"], name="sender", packet=PACKET, **options)
    for one in CROSS:
        steady = traffic.constant(one["rate"] * PACKET)
        net.flow(steady, path=["a", "b"], packet=PACKET, start=one["from"], stop=one["to"])
    return net


def run(scheme: Any, step: float = STEP, **options: Any) -> xr.Dataset:
    """Simulate the minute."""
    return sim.run(network(scheme, **options), duration=DURATION, rng=1, sample_every=step, progress=False)


def free() -> float:
    """Return the packets that the other traffic leaves room for."""
    return DURATION * RATE - sum((one["to"] - one["from"]) * one["rate"] for one in CROSS)


def scored(name: str, data: xr.Dataset) -> dict[str, Any]:
    """Return the course and the scores of a scheme's run."""
    mine = data.sel(flow="sender")
    carried, delay = float(mine.delivered) / free(), float(mine.mean_delay) + ROUND_TRIP / 2
    return {
        "name": name, "carried": carried, "delay": delay, "loss": float(mine.loss),
        "window": mine.window_trace.values.round(1).tolist(),
        "queue": data.queue_trace.sel(link="bottleneck").values.tolist(),
    }  # fmt: skip


def setting(runs: bool = True) -> dict[str, Any]:
    """Return the data of the script: link, duration, and runs of schemes to compare with the reader's."""
    return {
        "link": {"rate": RATE, "roundTrip": ROUND_TRIP, "buffer": BUFFER, "cross": CROSS},
        "duration": DURATION, "step": STEP, "limit": LIMIT, "free": free(),
        "runs": [scored(name, run(one, parameters=schemes.DEPLOYED)) for name, one in NAMES.items()] if runs else [],
    }  # fmt: skip


def pages(computed: bool = True) -> dict[str, str]:
    """Return the page."""
    given = json.dumps(setting(computed), separators=(",", ":"))
    return {PAGE: TEXT + html(f"<div class=\"play\" data-setting='{given}'></div>") + LAWS}


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Add the scripts to the page."""
    if page == PAGE:
        app.add_js_file("drop_tail.js")
        app.add_js_file("play_sender.js")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the scripts; Sphinx calls this."""
    app.connect("html-page-context", _add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
