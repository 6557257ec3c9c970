"""Assessments of every claim of Gong & Parulkar, WUCS-92-38; those that need no simulation are defined here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mpmath

from figures.claims import Assessment, Context, Finding, arithmetic, given, judged
from figures.gong_parulkar import compared, formats, runs
from figures.rule import Formula, Statement
from longfat.laws import selective_repeat as laws

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKET_TIME = 8 * 1024 / 150e6  # s
SPOTS = [(w, p, s, a) for w in (1.0, 8.0, 30.0, 60.0) for p in (1e-6, 1e-3) for s in (4, 16) for a in (10.5, 23.1)]


def _formula(law: Any, expression: Any, points: Sequence[tuple[float, ...]], reason: str = "") -> Assessment:
    """Return the assessment of a law against the printed expression at some points."""

    def assess(_: Context) -> Finding:
        error = float(max(abs(float(law(*one)) / float(expression(*one)) - 1) for one in points))
        return judged(
            Formula(error), f"law {law.name}: relative difference of {error:.0e} at {len(points)} points", reason
        )

    return assess


def _sum_of_rounds(p: float, s: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        return mpmath.nsum(lambda i: 1 - (1 - mpmath.mpf(p) ** i) ** s, [0, mpmath.inf])


def _sender(p: float, s: float, t_p: float, t_a: float) -> mpmath.mpf:
    return s * t_p / (1 - mpmath.mpf(p)) + t_a * _sum_of_rounds(p, s)


def _receiver(p: float, s: float, t_p: float, rtd: float) -> mpmath.mpf:
    return _sender(p, s, t_p, rtd + 3 * t_p) - rtd / 2 - 3 * t_p


DELAYS = [(p, s, PACKET_TIME, 0.02) for p in (1e-6, 1e-3, 0.1) for s in (1, 16, 64)]
BELOW = [one for one in SPOTS if 1 < one[0] <= one[3] + 1]
BETWEEN = [one for one in SPOTS if one[3] + 1 < one[0] < 2 * one[3] + 1]
ABOVE = [one for one in SPOTS if one[0] >= 2 * one[3] + 1]


def _below(W: float, p: float, s: float, w_a: float) -> float:
    g: float = 1 - (1 - p) ** s
    law: float = (1 / g + W) / (2 * w_a + 1 + p + (w_a + 1) / (W * g))
    return law


def _between(W: float, p: float, s: float, w_a: float) -> float:
    g: float = 1 - (1 - p) ** s
    m = min(W - w_a, w_a * (1 - p))
    law: float = (w_a + m + 1 / g) / (2 * w_a + 1 + p + m + 1 / g)
    return law


def _checksum(_: Context) -> Finding:
    """Assess section 3.2: a packet with any bit changed, or any 15 bits or fewer in a row, is refused."""
    sent = formats.encode(formats.Packet("data", 7, 1, segment=2, number=3, body=bytes(range(64))))
    bits, whole = 8 * len(sent), int.from_bytes(sent, "big")
    refused = dict.fromkeys((1, 15), 0)
    for length in refused:
        for place in range(bits - length + 1):
            damaged = (whole ^ ((1 << length) - 1) << place).to_bytes(len(sent), "big")
            try:
                formats.decode(damaged)
            except ValueError:
                refused[length] += 1
    return judged(
        Statement(all(count == bits - length + 1 for length, count in refused.items()),
                  "every packet with one bit inverted, or 15 in a row, is refused"),
        f"{refused[1]} of {bits} packets with one inverted bit and {refused[15]} of {bits - 14} with 15 in a row are "
        "refused, with the checksum of the Internet, which is ours",
        "some damage is not seen",
    )  # fmt: skip


ASSESSMENTS: dict[str, Assessment] = {
    "segment granularity cuts control overhead by about": arithmetic(
        "one acknowledgment per 16 KiB / 1024 B = 16 packets", ("16", 16 * 1024 / 1024)
    ),
    "data of an ATM cell, of a packet over ATM and of an Ethernet frame": given("quoted"),
    "the checksum detects packet corruption": _checksum,
    "a receiver that delays TCP's acknowledgments causes false retransmissions": compared.false_retransmissions,
    "SNR: selective acknowledgment is superior to cumulative acknowledgment": compared.selective,
    "a more elaborate replacement policy can avoid the abnormal behavior of soft ACK": compared.avoids,
    "more complex policies hardly make soft ACK better than hard ACK": compared.hardly_better,
    "selective ACK is superior to cumulative ACK (cited)": given("shown elsewhere, quoted"),
    "factor of 2.5 in the same range as that found by Doshi et al.": given("found elsewhere, quoted"),
    "at loss 1e-5 a maximum delay with 0.5 w_a above that with 0.25 w_a is an artefact": runs.artefact,
    "average rate of spec (P,F,L)": _formula(
        laws.average_rate, lambda F, L, size: F * L * size, [(100.0, 16.0, 1024.0), (3.0, 7.0, 53.0)]
    ),
    "ack delay t_a": _formula(laws.ack_delay, lambda rtd, t_p: rtd + 3 * t_p, [(0.02, PACKET_TIME), (0.1, 1e-5)]),
    "segments per ack delay w_a": _formula(
        # The law has t_p = 8 l/A; A t_a/(8 s l) is printed, here with l = 1024 bytes.
        laws.ack_segments,
        lambda t_a, t_p, s: (8 * 1024 / t_p) * t_a / (8 * s * 1024),
        [(0.02, PACKET_TIME, 16.0), (0.1, 1e-5, 4.0)],
    ),
    "window for slower rate F1": runs.slower_window,
    "mean segment delay D_s": _formula(laws.mean_delay_sender, _sender, DELAYS),
    "receiver-view delay D_r": _formula(laws.mean_delay_receiver, _receiver, DELAYS),
    "throughput efficiency W=1": _formula(
        laws.throughput_efficiency,
        lambda W, p, s, w_a: s / _sender(p, s, 1, w_a * s),
        [one for one in SPOTS if one[0] == 1],
    ),
    "throughput efficiency 1<W<=w_a+1": _formula(laws.throughput_efficiency, _below, BELOW),
    "throughput efficiency w_a+1<W<2w_a+1": _formula(
        laws.throughput_efficiency,
        _between,
        BETWEEN,
        "the printed denominator counts m segment times twice (derivations/selective_repeat.py, efficiency_middle)",
    ),
    "throughput efficiency W>=2w_a+1": _formula(laws.throughput_efficiency, lambda W, p, s, w_a: 1 - p, ABOVE),
    "window (1+w_a) is close to maximum efficiency for loss up to": runs.short_window,
    "window for almost perfect efficiency at loss up to 1e-2": runs.reference_window,
    "analysis accurate for loss up to": runs.accuracy,
    "BDP example": arithmetic("1e9/8 * 0.1 = 12.5 MB", ("12.5", 1e9 / 8 * 0.1 / 1e6)),
    "window example": arithmetic("2.5 * 12.5 = 31.25 MB", ("31.25", 2.5 * 12.5)),
    "receive slots sufficient without errors": arithmetic(
        "a slot is taken for a segment time of reception and one of processing, at one segment a segment time: 2",
        ("2", 1.0 * (1.0 + 1.0)),
    ),
    "packets simulated per point": given("10^7 and more, by default"),
    "buffer sizes simulated": given("6, 12, 23, 58 segments"),
    "gain of advertising 2.5 w_a with buffer 0.25 w_a": runs.gain,
    "larger advertised window better at every loss and every buffer down to 0.25 w_a": runs.wider_is_better,
    "hard = soft when buffer = window = 2.5 w_a": runs.same,
    "soft below hard for smaller buffers; largest drop in throughput when buffer falls to": runs.soft_below_hard,
    "difference persists until loss approaches": runs.until_a_tenth,
    "maximum segment delay: hard better for loss up to": runs.maximum_up_to_a_hundredth,
    "maximum segment delay: soft lower at loss": runs.maximum_at_a_tenth,
    "one loss can lock soft ACK into periodic discard-and-resend even with no further loss": runs.lock,
    "send / receive processing per packet": arithmetic(
        "1024 * 8 bit / 273 us = 30.0 Mbit/s, / 310 us = 26.4 Mbit/s", ("30", 8192 / 273), ("26", 8192 / 310)
    ),
    "TCP/IP processing-limited throughput": given("measured elsewhere"),
    "SSTP faster than TCP/IP by about": arithmetic(
        "8192 bit / 310 us / 22 Mbit/s = 1.20", ("20", 100 * (8192 / 310 / 22 - 1))
    ),
}
