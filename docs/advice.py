"""Table of `docs/window.md`: what the advice promises at twelve settings, and what Linux's TCP reached with it."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import longfat as lf
from longfat import testbed
from longfat.design.senders import SENDERS
from longfat.sim import Network

STORED = Path(__file__).parent.parent / "tests" / "data" / "advice.csv"
PACKET, DATA = 1500, 1448  # bytes: with headers, and data alone
#: Scheme, rate, round-trip time, loss. Chosen before the first run, and not used while the advice was written. The two
#: groups run one after the other; the paths of a group share no link.
SETTINGS = (
    (
        ("cubic", "5Mbit/s", "30ms", 0.0),
        ("cubic", "8Mbit/s", "25ms", 2e-3),
        ("cubic", "3Mbit/s", "100ms", 5e-4),
        ("reno", "6Mbit/s", "35ms", 0.0),
        ("reno", "4Mbit/s", "50ms", 1e-3),
        ("bbr1", "7Mbit/s", "40ms", 0.0),
    ),
    (
        ("cubic", "4Mbit/s", "60ms", 0.0),
        ("cubic", "9Mbit/s", "45ms", 1e-3),
        ("reno", "7Mbit/s", "20ms", 4e-3),
        ("bbr1", "3Mbit/s", "80ms", 2e-2),
        ("bbr1", "5Mbit/s", "30ms", 5e-3),
        ("bbr1", "8Mbit/s", "55ms", 1e-3),
    ),
)
COLUMNS = ("scheme", "rate", "rtt", "loss", "window", "tcp_rmem", "low", "high", "linux")


def advice(scheme: str, rate: str, rtt: str, loss: float) -> object:
    """Return the answer for one setting."""
    return lf.design.tcp_window(rate=rate, round_trip_time=rtt, loss=loss, scheme=scheme, progress=False)


def reached(group: int) -> list[dict[str, object]]:
    """Run a group on Linux with the advised buffers; return a row for each setting, rates in Mbit/s of data."""
    answers = [advice(*one) for one in SETTINGS[group]]
    net = Network()
    for k, ((scheme, rate, _, loss), answer) in enumerate(zip(SETTINGS[group], answers, strict=True)):
        # Time enough for the packets of the buffer: one bandwidth-delay product, in packets with headers.
        buffer = max(1, round(answer.rate * answer.round_trip_time / PACKET))
        delay = f"{answer.round_trip_time / 2:.6f} s"
        net.link(f"a{k}", f"b{k}", rate=rate, delay=delay, buffer=buffer, loss=loss)
        net.link(f"b{k}", f"a{k}", rate="100Mbit/s", delay=delay, buffer=1000)
        net.flow(SENDERS[scheme].scheme, name=f"f{k}", path=[f"a{k}", f"b{k}"], packet=PACKET, ack=52,
                 parameters={"delayed_ack": 2, "initial_window": 10, "min_rto": 0.2})  # fmt: skip
    until = max(float(one.check_skipped + one.check_time) for one in answers)
    # One setting holds for all hosts of a run: that of the setting that needs least is given to all.
    least = min(one.linux_maximum for one in answers)
    sizes = f"4096 131072 {least}"
    run = testbed.run(net, duration=until, warm_up=0.0, rng=1, sample_every=0.5, progress=False, repeats=1,
                      settings={"tcp_rmem": sizes, "tcp_wmem": f"4096 16384 {least}"})  # fmt: skip
    rows = []
    for k, (setting, answer) in enumerate(zip(SETTINGS[group], answers, strict=True)):
        begin, end = float(answer.check_skipped), float(answer.check_skipped + answer.check_time)
        received = run.received_trace.isel(flow=k)
        data = float(received.sel(time=end, method="nearest") - received.sel(time=begin, method="nearest"))
        mbit = 8e-6 * DATA / PACKET * data / (end - begin)
        low, high = (8e-6 * float(answer[f"check_{side}"]) for side in ("lower", "upper"))
        rows.append(dict(zip(COLUMNS, (*setting, answer.window, answer.linux_maximum, low, high, mbit), strict=True)))
    return rows


if __name__ == "__main__":
    for row in reached(int(sys.argv[1])):
        csv.DictWriter(sys.stdout, COLUMNS).writerow(row)
