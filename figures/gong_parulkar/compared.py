"""Claims of Gong and Parulkar about other rules than theirs: soft acknowledgment, SNR, and TCP's receiver."""

from __future__ import annotations

import functools

import numpy as np

from figures.claims import Context, Finding, judged
from figures.gong_parulkar import delaying
from figures.gong_parulkar.error_control import CUMULATIVE, RESERVED, counted, deliver, random_losses
from figures.gong_parulkar.runs import ACK, BUFFERS, PACKETS, SEEN, SMALLER, WIDE
from figures.rule import Difference, Estimate, Statement, Together, difference, mean, texts
from longfat.replication import replicate

ACK_DELAY = round(ACK * PACKETS)  # packet times
STATE_INTERVAL = round(ACK_DELAY / 32)  # SNR's receiver reports its state 32 times in a round trip
RUNS, WARM_UP = 6, 500  # runs of each point; segments that are not measured
LOSSES = (1e-4, 1e-3, 1e-2, 1e-1)
BELOW_A_TENTH = LOSSES[:3]
PAUSES = (0.04, 0.5, 1.5, 3.0)  # s; the timer is 1 s at least


def _segments(context: Context) -> int:
    return 3000 if context.small else 20_000


@functools.lru_cache(maxsize=256)
def efficiency(context: Context, rule: str, loss: float, buffer: int = WIDE, report: int = 1) -> Estimate:
    """Return the throughput efficiency of a rule with the window of 2.5 w_a, as a mean over runs."""

    def one(seed: np.random.SeedSequence) -> float:
        return deliver(
            rule, _segments(context), random_losses(loss, np.random.default_rng(seed)), window=WIDE, buffer=buffer,
            packets=PACKETS, ack_delay=ACK_DELAY, report=report, warm_up=WARM_UP,
        )  # fmt: skip

    return mean(replicate(one, np.random.SeedSequence([context.seed, buffer]).spawn(RUNS)))


def _scale(context: Context) -> str:
    return f"{RUNS} runs of {_segments(context)} segments a point, seed {context.seed}"


def after_one_loss(rule: str, buffer: int, segments: int = 4000) -> float:
    """Return the throughput efficiency in the last third, after a single loss."""
    gaps = iter([1600, 2**60])
    return deliver(
        rule, segments, counted(lambda: next(gaps)), window=WIDE, buffer=buffer, packets=PACKETS, ack_delay=ACK_DELAY,
        warm_up=segments * 2 // 3,
    )  # fmt: skip


def avoids(_: Context) -> Finding:
    """Assess section 4.3.3: with another replacement policy one loss does not lock soft acknowledgment."""
    found = {rule: [after_one_loss(rule, buffer) for buffer in SMALLER] for rule in ("soft", *RESERVED)}
    words = ", ".join(f"{share:g}" for share in list(BUFFERS)[:3])
    return judged(
        Statement(any(min(found[rule]) > 0.999 for rule in RESERVED) and min(found["soft"]) < 0.999,
                  "with one of our policies the last third after a single loss has the whole throughput with every "
                  "buffer, with the paper's policy not"),
        f"efficiency in the last third after one loss, buffers of {words} w_a: "
        + "; ".join(f"{_words(rule)} {', '.join(f'{one:.3f}' for one in values)}" for rule, values in found.items()),
        "soft acknowledgment stays locked with all of them", scale="one run of 4000 segments with one loss each",
    )  # fmt: skip


def _words(rule: str) -> str:
    return {"soft": "the paper's policy", RESERVED[0]: "a slot kept for the first missing segment",
            RESERVED[1]: "the same, and nothing stored is replaced"}[rule]  # fmt: skip


def hardly_better(context: Context) -> Finding:
    """Assess section 4.3.3: no policy of ours makes soft acknowledgment much better than hard acknowledgment.

    Much is taken to be more than can be seen in the paper's figures, with the whole interval.
    """
    gains: dict[str, Estimate] = {}
    paper: dict[str, Estimate] = {}
    for p in LOSSES:
        for buffer in SMALLER:
            hard = efficiency(context, "hard", p, buffer)
            each = {rule: difference(efficiency(context, rule, p, buffer), hard) for rule in RESERVED}
            best = max(each, key=lambda rule: each[rule].value)
            place = f"p = {p:g}, B = {buffer}"
            gains[place], paper[place] = each[best], difference(efficiency(context, "soft", p, buffer), hard)
    much = {place: one for place, one in gains.items() if one.low > SEEN}
    return judged(
        Statement(not much, f"the better of two policies of ours is at most {SEEN} above hard acknowledgment at every "
                  "p and buffer, but for its interval"),
        "throughput efficiency of the better policy less that of hard acknowledgment: "
        + "; ".join(f"{place}: {one.value:+.3f}" for place, one in gains.items()),
        "a slot kept for the first missing segment gains "
        + ", ".join(f"{one.text(3)} at {place}" for place, one in much.items())
        + f"; there the paper's policy gains {texts((paper[place] for place in much), 3)}",
        scale=_scale(context),
    )  # fmt: skip


def selective(context: Context) -> Finding:
    """Assess section 4.2: SNR's selective acknowledgment of blocks has more throughput than a cumulative one."""
    snr = {p: efficiency(context, "blocks", p, report=STATE_INTERVAL) for p in BELOW_A_TENTH}
    other = {rule: {p: efficiency(context, rule, p) for p in BELOW_A_TENTH} for rule in CUMULATIVE}
    packets = {p: efficiency(context, "hard", p) for p in BELOW_A_TENTH}
    gaps = tuple(difference(snr[p], one[p]) for one in other.values() for p in BELOW_A_TENTH)

    def listed(found: dict[float, Estimate]) -> str:
        return ", ".join(f"{one.value:.3f}" for one in found.values())

    return judged(
        Difference(gaps),
        f"throughput efficiency with p of {', '.join(f'{p:g}' for p in BELOW_A_TENTH)} and a window of 2.5 w_a: SNR "
        f"{listed(snr)}; cumulative, with go-back-N {listed(other['go back'])}, with a receiver that stores "
        f"{listed(other['one at a time'])}; SSTP, which repeats only the lost packets of a segment, {listed(packets)}",
        "cumulative acknowledgment has no less", scale=_scale(context),
    )  # fmt: skip


def false_retransmissions(_: Context) -> Finding:
    """Assess section 2.4: TCP repeats data whose acknowledgment the receiver delays, SSTP does not; nothing is lost."""
    seen = {scheme: [delaying.observe(scheme, pause)["retransmitted"] for pause in (0.0, *PAUSES)]
            for scheme in ("tcp", "sstp")}  # fmt: skip
    return judged(
        Together((
            Statement(seen["tcp"][0] == 0 and max(seen["tcp"]) > 0,
                      "without losses TCP repeats packets for some delay, and none without a delay"),
            Statement(max(seen["sstp"]) == 0, "SSTP repeats none"),
        )),
        "the application takes " + ", ".join(f"{one:g}" for one in PAUSES) + " s for each packet from 1 s on, of "
        f"{delaying.PACKETS}: TCP repeats {', '.join(f'{one:g}' for one in seen['tcp'][1:])} packets, SSTP "
        f"{', '.join(f'{one:g}' for one in seen['sstp'][1:])}; without a delay both repeat none",
        "TCP repeats none, or SSTP does", scale="one run of each, without chance",
    )  # fmt: skip
