"""Lateness of the packets of Linux's BBR: ``python -m tests.benchmarks.lateness [BUFFER]...`` prints its quantiles.

One flow of the cases of `figures.linux.cases` runs over the emulated link. The times at which its packets
enter the emulated network are compared with even spacing: in each group of packets that are spaced as in the phases of
gain 1, a packet is as late as it is behind the early ones of its group.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from figures.linux.cases import BUFFERS, PACKET, RATE, full_links
from longfat import testbed
from longfat.measured.pcap import segments

SETTLED, PROBE = 4.0, 9.5  # s: Startup is over, and ProbeRTT has not begun
GROUP, EARLY, SPACING = 40, 5, 0.02  # packets, per cent that count as early, and share by which the spacing may differ
QUANTILES = (25, 50, 75, 90, 95, 99)


def times(buffer: float) -> np.ndarray:
    """Return the times at which packets with data enter the network [s], from the first one on."""
    (case,) = (one for one in full_links() if one.about == f"BBR, 1 flow, buffer {buffer:g}")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "captured"
        testbed.run(case.network(0, linux=True), rng=0, duration=PROBE + 1.0, pcap=where, attempts=6)
        sent = np.array([one.time_ns for one in segments(str(where / "senders.pcap")) if one.payload > 0])
    return (sent - sent[0]) * 1e-9


def lateness(sent: np.ndarray) -> np.ndarray:
    """Return the lateness of packets [s], of those that are in groups of even spacing.

    >>> late = lateness(np.arange(80) * 6e-4 + np.where(np.arange(80) % 8 == 0, 1e-4, 0.0))
    >>> len(late), round(float(late.max()), 6)
    (80, 0.0001)
    """
    found = []
    for begin in range(0, len(sent) - GROUP + 1, GROUP):
        group = sent[begin : begin + GROUP]
        spacing = np.median(np.diff(group))
        if abs(spacing * RATE / PACKET - 1.0) < SPACING:
            behind = group - spacing * np.arange(GROUP)
            found.append(behind - np.percentile(behind, EARLY))
    return np.maximum(np.concatenate(found), 0.0) if found else np.empty(0)


def main():
    """Print the quantiles for each buffer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("buffers", nargs="*", type=float, default=BUFFERS)
    for buffer in parser.parse_args().buffers:
        sent = times(buffer)
        late = lateness(sent[(sent > SETTLED) & (sent < PROBE)])
        values = np.percentile(late, QUANTILES) * 1e6
        quantiles = ", ".join(f"{q} %: {value:.0f}" for q, value in zip(QUANTILES, values, strict=True))
        print(f"buffer {buffer:g}: {len(late)} packets, lateness [us] at {quantiles}; mean {1e6 * late.mean():.0f}")


if __name__ == "__main__":
    main()
