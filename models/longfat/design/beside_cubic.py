"""BBR beside one CUBIC flow at a drop-tail link: the fraction of the rate that BBR's flows obtain, and their losses."""

from __future__ import annotations

import numpy as np

from longfat.design import scaled_path
from longfat.design.replicating import Effort, measured
from longfat.design.senders import SENDERS
from longfat.design.tcp import TcpPath
from longfat.sim import Network, schemes

#: Time that is skipped at the start of a run, and time that is observed after it. Our choice: BBR version 1 measures
#: its round-trip time every ten seconds (PROBE_INTERVAL), six times within the observed time, and version 3 more often.
SKIPPED, LASTS = 20.0, 60.0  # s
STARTS = 2.0  # s: the flows begin at random within this time
SMALLEST = 100.0  # packets: least simulated bandwidth-delay product for each flow of BBR, unless the path's is smaller
PACKETS = 2e5  # packets of a run over a slower link, unless `SMALLEST` needs more; with 8e5 BBR's share differs by 0.01
RUNS = 3
SHORT = 0.1  # bandwidth-delay products: smallest buffer in which simulated BBR was compared with Linux's


def beside_cubic(path: TcpPath, effort: Effort) -> dict[str, float]:
    """Simulate the path's flows of BBR beside one CUBIC flow; packets are lost at the full buffer only.

    ``bbr_share`` is the fraction of the total rate that BBR's flows obtain, with confidence limits; ``bbr_loss`` is the
    fraction of their packets that is lost, and ``bbr_loss_short`` is that fraction with a buffer of `SHORT`. The laws
    of ``bbr_share`` (`longfat.laws.bbr`) are up to 0.24 above simulations. If the path holds many packets, a slower
    link is simulated. It has the same round-trip time, because BBR's intervals are times in seconds.
    """
    shares, losses = _simulate(path, path.buffer, effort)
    short = _simulate(path, SHORT, effort)[1] if path.buffer > SHORT else losses
    found = effort.summed([{"bbr_share": one} for one in shares], {"bbr_share": (0.0, 1.0)})
    return found | {"bbr_loss": float(np.mean(losses)), "bbr_loss_short": float(np.mean(short))}


def _simulate(path: TcpPath, buffer: float, effort: Effort) -> tuple[list[float], list[float]]:
    """Return two lists over the runs: BBR's fraction of the total rate, and the fraction of BBR's packets lost."""
    own, trip, cubic = path.bandwidth_delay_product, path.round_trip_time, SENDERS["cubic"]
    packets = min(own, max(path.flows * SMALLEST, PACKETS * trip / (SKIPPED + LASTS)))
    slower = scaled_path.parameters(schemes.scheme("cubic"), cubic.parameters, own / 2, trip, packets / own)

    def network(starts: np.ndarray) -> Network:
        room = max(1, round(buffer * packets))
        net = Network().link("switch", "sinks", rate=packets * path.segment / trip, delay=trip / 2, buffer=room)
        senders = [*[(path.sender, {})] * path.flows, (cubic, slower)]
        for (sender, more), start in zip(senders, starts, strict=True):
            net.flow(
                sender.scheme, path=["switch", "sinks"], packet=path.segment, ack_path="ideal", start=start,
                parameters=sender.parameters | more,
            )  # fmt: skip
        return net

    streams = effort.streams()
    nets = [network(STARTS * np.random.default_rng(stream.spawn(1)[0]).random(path.flows + 1)) for stream in streams]
    runs = measured(nets, streams, SKIPPED, SKIPPED + LASTS, effort.tell)
    flows = slice(path.flows)
    shares = [float(run["goodput"][flows].sum() / run["goodput"].sum()) for run in runs]
    return shares, [float(run["loss"][flows].mean()) for run in runs]
