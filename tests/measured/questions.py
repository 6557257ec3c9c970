"""Write files for one question, why iperf3 shows 2 Gbit/s over 80 ms of a link with 10 Gbit/s.

Each file has the form of one that iperf 3.12 wrote (`data/measured/clean-1.json`), with the numbers of a transfer whose
limit is known by construction. Nothing here uses a law or the simulator of the package.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

TEMPLATE = json.loads((Path(__file__).parents[1] / "data" / "measured" / "clean-1.json").read_text())
TRIP, MSS = 0.08, 1448  # s, bytes


def run(
    rates: Sequence[float],
    *,
    resent: Sequence[int] = (),
    windows: Sequence[float] = (),
    receive_window: float = 200e6,
    host: float = 40.0,
    rtt: float = TRIP,
    mean_rtt: float = TRIP,
) -> str:
    """Return the JSON of a transfer with one rate [bytes/s] and one number of retransmissions for each second."""
    made = copy.deepcopy(TEMPLATE)
    resent = resent or [0] * len(rates)
    windows = windows or [rate * TRIP for rate in rates]
    stream = made["intervals"][0]["streams"][0]
    made["intervals"] = []
    for second, (rate, lost, window) in enumerate(zip(rates, resent, windows, strict=True)):
        both = {"start": second, "end": second + 1, "seconds": 1, "bytes": round(rate), "bits_per_second": 8 * rate}
        both |= {"retransmits": lost}
        more = {"snd_cwnd": round(window), "snd_wnd": round(receive_window), "rtt": round(1e6 * mean_rtt)}
        made["intervals"].append({"streams": [stream | both | more], "sum": both | {"omitted": False, "sender": True}})
    total, seconds = sum(rates), len(rates)
    both = {"end": seconds, "seconds": seconds, "bytes": round(total), "bits_per_second": 8 * total / seconds}
    trips = {"min_rtt": round(1e6 * rtt), "mean_rtt": round(1e6 * mean_rtt), "max_rtt": round(1e6 * mean_rtt)}
    end = made["end"]
    end["streams"][0]["sender"] |= both | trips | {"retransmits": sum(resent)}
    end["streams"][0]["receiver"] |= both
    end["sum_sent"] |= both | {"retransmits": sum(resent)}
    end["sum_received"] |= both
    end["cpu_utilization_percent"] |= {"host_total": host, "remote_total": 55.0}
    return json.dumps(made, indent=1)


def receive_window() -> str:
    """Return the transfer of a receiver with a window of 21 MB.

    21 MB in each 80 ms are 262.5 MB/s, 2.1 Gbit/s; the congestion window could carry more.
    """
    return run([21e6 / TRIP] * 60, windows=[26e6] * 60, receive_window=21e6)


def processor() -> str:
    """Return the transfer of a sender without processor time left.

    Its program takes all of its processor's time at 2.1 Gbit/s; both windows are at least twice the data in flight.
    """
    return run([262.5e6] * 60, windows=[42e6] * 60, host=99.6)


def policer() -> str:
    """Return the transfer through a policer of 2.1 Gbit/s that drops 0.5 % and queues nothing.

    Of 181,285 segments in each second 906 are sent again; the mean round-trip time is 41 us longer than the base.
    """
    return run([262.5e6] * 60, resent=[906] * 60, mean_rtt=TRIP + 41e-6)


def losses(seed: int = 1, seconds: int = 600, probability: float = 2.5e-7) -> str:
    """Return the transfer of CUBIC with fast convergence over a path that loses packets at random.

    Round by round, by RFC 9438, equations 1 and 2 and section 4.7. The window no longer depends on its start after the
    1000 s that are left out.
    """
    random = Random(seed)
    window = largest = 20_000.0  # packets
    rise = began = time = 0.0
    rates, resent, windows = [], [], []
    for second in range(1000 + seconds):
        sent, lost = 0.0, 0
        while time < second + 1:
            time += TRIP
            sent += window
            if random.random() < 1 - (1 - probability) ** window:
                lost += 1
                largest = window if window >= largest else window * (1 + 0.7) / 2
                window, began = 0.7 * window, time
                rise = ((largest - window) / 0.4) ** (1 / 3)
            else:
                window = 0.4 * (time - began - rise) ** 3 + largest
        rates.append(MSS * sent)
        resent.append(lost)
        windows.append(MSS * window)
    return run(rates[1000:], resent=resent[1000:], windows=windows[1000:], mean_rtt=TRIP + 20e-6)
