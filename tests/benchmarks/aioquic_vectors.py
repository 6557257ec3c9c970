"""Trace of aioquic's congestion control under a test vector of `longfat vectors`, for its option ``--check``.

Run it with an interpreter that has aioquic (1.7 was tried) and a vector::

    longfat vectors cubic --rtt 40ms --csv > cubic.csv
    python tests/benchmarks/aioquic_vectors.py cubic cubic.csv > trace.csv
    longfat vectors cubic --rtt 40ms --check trace.csv

With ``--mended`` CUBIC's windows do not grow in recovery (RFC 9002, appendix B.5), and its Reno-friendly estimate grows
by alpha = 3 (1 - beta)/(1 + beta) (RFC 9438, section 4.3), which aioquic leaves out.
"""

import csv
import sys
from types import SimpleNamespace
from typing import Any

CUBIC, PACKET, INITIAL, ROUND_TRIP = "cubic", 1200, 10, 0.04  # bytes, packets, s
LATER = 1e-9  # s: aioquic's recoveries begin at time 0
ALPHA = 3 * (1 - 0.7) / (1 + 0.7)


def numbers(text: str) -> list[int]:
    """Return the numbers of packets in ranges such as "4-6;9"."""
    ends = [part.split("-") for part in text.split(";") if part]
    return [number for pair in ends for number in range(int(pair[0]), int(pair[-1]) + 1)]


def control(name: str) -> Any:
    """Return a congestion control of aioquic."""
    from aioquic.quic.congestion import cubic, reno

    chosen = cubic.CubicCongestionControl if name == CUBIC else reno.RenoCongestionControl
    return chosen(max_datagram_size=PACKET)


def main(name: str, file: str, mended: bool) -> None:
    """Drive the congestion control by the rows of a vector, and print its window after each."""
    driven, sent = control(name), dict[int, Any]()
    if mended:
        driven.additive_increase_factor = ALPHA * PACKET

    def send(count: int, time: float) -> None:
        for _ in range(count):
            sent[len(sent)] = SimpleNamespace(sent_bytes=PACKET, sent_time=time)
            driven.on_packet_sent(packet=sent[len(sent) - 1])

    send(INITIAL, LATER)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["time [s]", "window [bytes]"])
    with open(file, encoding="utf-8") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            now = float(row["time [s]"]) + LATER
            driven.rtt = ROUND_TRIP
            if lost := numbers(row["lost"]):
                driven.on_packets_lost(now=now, packets=[sent[one] for one in lost])
            for one in numbers(row["acked"]):
                if mended and sent[one].sent_time <= driven._congestion_recovery_start_time:
                    driven.bytes_in_flight -= PACKET
                else:
                    driven.on_packet_acked(now=now, packet=sent[one])
            out.writerow([row["time [s]"], driven.congestion_window])
            send(int(row["sent [packets]"]), now)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "--mended" in sys.argv[3:])
