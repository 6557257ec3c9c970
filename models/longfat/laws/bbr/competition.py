"""BBR of 2016 beside loss-based flows: its share of the link, determined by its in-flight cap."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.bbr.parameters import BDP, BUFFER, CWND_GAIN, FLOWS, HOLD, INTERVAL, ROUND_TRIP
from longfat.laws.references import WARE


@law(
    source=f"{WARE}, extended model of the in-flight cap",
    unit="1",
    result="1 - p, of all BBR flows together, from 1/2 (deep buffers) to 1; p is that of the loss-based flows",
    derivation="bbr.share",
    not_simulated="it leaves out that the others fill the link during ProbeRTT, see share_refined",
    buffer=BUFFER,
    bandwidth_delay_product=BDP,
    flows=FLOWS,
    cwnd_gain=CWND_GAIN,
)
def share(buffer: Any, bandwidth_delay_product: Any, flows: Any = 1, cwnd_gain: Any = 2, *, xp: Any) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows.

    .. math:: 1 - p = \min\left(1, 1 - \frac{1}{g} + \frac{1 - 1/g}{B} + \frac{4 N}{B \, C R}\right)

    Notes
    -----
    The number of the loss-based flows does not matter. The model: the queue is full, shares of the queue are shares of
    the link, all flows have one round-trip time, and ProbeRTT leaves the loss-based packets and 4 of each BBR
    flow, so the cap is g (1 - p) C times the round trip over that queue. The last term is the paper's, which counts
    the 4 N packets beside the loss-based ones. Time spent in ProbeRTT: see `share_with_probes`. The first author
    reports median errors of 5 % against CUBIC and 8 % against Reno. Version 3 gives way to losses: it has less. In
    simulations the share hardly depends on the buffer, as in `share_refined`.

    Examples
    --------
    >>> round(share(16, 100), 5), share(0.5, 100)
    (0.53375, 1.0)
    """
    kept = 1 - 1 / cwnd_gain
    total = kept + kept / buffer + 4 * flows / (buffer * bandwidth_delay_product)
    return xp.minimum(total, 1 + 0 * total)


@law(
    source=f"Ours, after {WARE}",
    unit="1",
    result="1 - p, of all BBR flows together; it falls from 1 to about 1/2 where the cap begins to rule, at B = g - 1",
    derivation="bbr.share_refined",
    not_simulated="simulated shares beside CUBIC are smaller, by up to 0.24; the model's queue is always full",
    buffer=BUFFER,
    bandwidth_delay_product=BDP,
    flows=FLOWS,
    cwnd_gain=CWND_GAIN,
)
def share_refined(buffer: Any, bandwidth_delay_product: Any, flows: Any = 1, cwnd_gain: Any = 2, *, xp: Any) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows that fill it meanwhile.

    .. math:: 1 - p = \begin{cases} \min\left(1, 1 - \dfrac{1}{g} + \dfrac{4 N}{(1 + B) \, C R}\right) & B > g - 1 \\
        1 & B \le g - 1 \end{cases}

    Notes
    -----
    The model of `share`, but for the queue that ProbeRTT leaves. The loss-based flows have p (q + C R) in flight, which
    fills the link first, so that p (q + C R) - C R of it stays in the queue, not p q. The estimate of the round-trip
    time is smaller, and the share no longer depends on the buffer. Neither form is confirmed: simulated shares of
    `bbr1` beside four CUBIC flows are between 0.27 and 0.53 for B = 2 to 16, where this one gives 0.50 to 0.53 and
    `share` 0.53 to 0.83.

    Examples
    --------
    >>> round(share_refined(16, 100), 5), share_refined(0.5, 100)
    (0.50235, 1.0)
    """
    total = 1 - 1 / cwnd_gain + 4 * flows / ((1 + buffer) * bandwidth_delay_product)
    everything = 1 + 0 * total
    return xp.where(buffer > cwnd_gain - 1, xp.minimum(total, everything), everything)


@law(
    source=f"{WARE}, duration of ProbeRTT",
    unit="1",
    result="Share of the BBR flows together",
    derivation="bbr.share_with_probes",
    not_simulated="as share",
    buffer=BUFFER,
    bandwidth_delay_product=BDP,
    round_trip_time=ROUND_TRIP,
    flows=FLOWS,
    cwnd_gain=CWND_GAIN,
    interval=INTERVAL,
    hold_time=HOLD,
)
def share_with_probes(
    buffer: Any,
    bandwidth_delay_product: Any,
    round_trip_time: Any,
    flows: Any = 1,
    cwnd_gain: Any = 2,
    interval: Any = 10,
    hold_time: Any = 0.2,
    *,
    xp: Any,
) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows, less the time of ProbeRTT.

    .. math:: (1 - p) \max\left(0, 1 - \frac{B R + T + R}{I}\right)

    with 1 - p of `share`.

    Notes
    -----
    In every interval the flow sends nothing for the time B R, until the full queue has drained, and then for T and a
    round trip.

    Examples
    --------
    >>> round(share_with_probes(16, 100, 0.04), 4)
    0.4868
    """
    paused = (buffer * round_trip_time + hold_time + round_trip_time) / interval
    rest = xp.maximum(1 - paused, 0 * paused)
    return share.function(buffer, bandwidth_delay_product, flows, cwnd_gain, xp=xp) * rest
