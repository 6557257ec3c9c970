"""Assessments of every claim of Kim and Farber (BLT); those that need no simulation are defined here."""

from __future__ import annotations

from typing import Literal

from figures.blt import later, measured, numbers, under_load
from figures.blt import statements as claims
from figures.blt.scenarios import SETS
from figures.claims import Assessment, Context, Finding, judged
from figures.rule import Arithmetic, Declared, Formula, Together, printed
from longfat.laws import blt as laws


def arithmetic(ours: str, published: str, value: float, bound: Literal["", "at least", "at most"] = "") -> Assessment:
    """Return the assessment of a number that follows from other printed numbers."""
    return lambda _: judged(Arithmetic(printed(published, bound=bound), value), ours)


def _encodable(_: Context) -> Finding:
    sums = {bits: sum(2**k for k in range(2**bits)) for bits in range(6)}
    error = max(abs(float(laws.packets_encodable(bits)) / value - 1) for bits, value in sums.items())
    return judged(Formula(error), f"{sums[4]}, one less than the 64K that the paper prints beside it")


def _consecutive(_: Context) -> Finding:
    pairs = [(float(laws.packets_in_windows(k + 1)), float(laws.window_size(k + 1)) - 1) for k in range(20)]
    return judged(Formula(max(abs(a / b - 1) for a, b in pairs)), "1 + 2 + ... + 2^k = 2^(k + 1) - 1")


def _buffer(_: Context) -> Finding:
    exact = 30e6 * 1e-3 / 3 / 8 / 500
    return judged(
        Together((Arithmetic(printed("2", bound="at least"), exact), Arithmetic(printed("3", bound="at most"), exact))),
        f"{exact:.1f} by the round trip of one link; by its delay it would be {exact / 2:.2f}",
    )


def _vegas(_: Context) -> Finding:
    return judged(Declared("input", "quoted from Brakmo et al., not simulated here"), "quoted")


ASSESSMENTS: dict[str, Assessment] = {
    "BDP beyond which BLT beats TCP by far (AURORA-size net; 150 Mbps link)": numbers.far_at_60_kb,
    "BLT/TCP network power ratio at best": numbers.at_best,
    "mean wait for a coarse retransmission timer": arithmetic("500 ms / 2", "250", 500 / 2),
    "windows encodable with pi=4 priority bits: packets covered": _encodable,
    "consecutive windows W_k sum to |W_{k+1}|-1": _consecutive,
    "bottleneck utilisation with BLT is lower than with TCP": under_load.lower_utilisation,
    "BLT speedup over TCP in response time R": under_load.speedup,
    "TCP response time diverges at lambda about": under_load.diverges("TCP", "20"),
    "BLT response time does not diverge until lambda": under_load.diverges("BLT", "35"),
    "TCP queue shows global synchronisation; BLT does not": under_load.synchronisation,
    "BLT throughput above TCP especially at large lambda": under_load.more_throughput,
    "max power ratio BLT/TCP at BW_b=30": numbers.ratio(0, "3"),
    "max power ratio BLT/TCP at BW_b=90": numbers.ratio(1, "6"),
    "max power ratio BLT/TCP at BW_b=150": numbers.ratio(2, "10"),
    "BLT power at BW_b=90 exceeds TCP power at BW_b=150": claims.faster_than_more_capacity,
    "fairness: BLT better than TCP at BW_b=30 and 150 (esp. high load)": under_load.fairer("reference", (0, 2), 1),
    "fairness: TCP better than BLT at BW_b=90": under_load.fairer("reference", (1,), -1),
    "best fairness at the lowest load": under_load.fairest_when_empty,
    **{
        f"increase of log10 max power {label}, BW_N 150->1000, BW_b={mbit}": numbers.increase(
            label, k, f"table 1, {label}, BW_b/BW_N = {measured.RATIO_NAMES[k]}: increase from 150 Mbit/s to 1 Gbit/s"
        )
        for label in ("BLT", "TCP")
        for k, mbit in enumerate((200, 600, 1000))
    },
    "delta log P_m(BLT) - delta log P_m(TCP) at least": numbers.widening,
    "power gap widened by a further factor": numbers.widening_factor,
    "fairness at 1 Gbps: TCP comparable only at BW_b=200; BLT better as BW_b grows": under_load.fairer(
        "1 Gbit/s", (1, 2), 1, under_load.FAST_LOADS
    ),
    "BDP of reference network": arithmetic("0.5625 MB", "0.6", 150e6 / 8 * 0.03 / 1e6),
    "BDP of faster network": arithmetic("3.75 MB", "4", 1e9 / 8 * 0.03 / 1e6),
    "power larger at D=3 ms than at D=30 ms for both schemes": claims.shorter_is_better,
    "gap BLT-TCP narrower at D=3 ms; still BLT above TCP; gap grows with BW_b": claims.narrower,
    "BDP at D=1.8 ms": arithmetic("33.75 KB", "35", 150e6 / 8 * 1.8e-3 / 1e3),
    "BLT still above TCP at D=1.8 ms": claims.above_at("1.8 ms"),
    "buffer at S1 when D=1 ms": _buffer,
    "power at BW_N=15,D=30 lower than at BW_N=150,D=3 by about": claims.two_orders,
    "TCP power slightly above BLT at low lambda": claims.tcp_exceeds_blt(SETS["15 Mbit/s"][0]),
    "BLT max power falls with F 100KB->1MB by at least": claims.falls("BLT", claims.ONE_ORDER),
    "TCP max power falls with F 100KB->1MB by about": claims.falls("TCP", printed("0.5", log10=True)),
    "TCP can beat BLT at low lambda with F=1MB": claims.tcp_exceeds_blt(SETS["1 MB"][0]),
    "power gap widens again at BW_N=1 Gbps with F=1MB": claims.widens_with_1_mb,
    "transmission time of a 20-packet (10KB) file": arithmetic("0.533 ms", "1", 20 * 500 * 8 / 150e6 * 1e3, "at most"),
    "ACK travel time": arithmetic("30 ms / 2", "15", 30 / 2),
    "TCP needs for 10KB at least": claims.least_round_trips,
    "delta log P_m(BLT) >= delta log P_m(TCP) when F 100KB->10KB and ACK overhead discounted": claims.small_files,
    "Bully-Tyrant power nearly reaches BLT and well exceeds TCP at small lambda": under_load.bully_power,
    "Bully-Tyrant meltdown at lower lambda than BLT": under_load.bully_melts,
    "Bully-Tyrant has the lowest fairness of TCP/BT/BLT": under_load.bully_fairness,
    "system throughput BLT at max power": numbers.gigabit("BLT", "throughput", "605"),
    "system throughput TCP at max power": numbers.gigabit("TCP", "throughput", "318"),
    "response time BLT at max power": numbers.gigabit("BLT", "response_time", "0.032"),
    "response time TCP at max power": numbers.gigabit("TCP", "response_time", "0.2894"),
    "throughput ratio": numbers.gigabit_ratio("throughput", "2"),
    "response time ratio": numbers.gigabit_ratio("response_time", "9"),
    "power ratio": numbers.gigabit_ratio("power", "17"),
    "mean throughput of one TCP connection F/R": arithmetic("2.764", "2.8", 0.8 / 0.2894),
    "mean outstanding TCP connections": arithmetic(
        "Little's law: 318e6/8e5 x 0.2894 = 115.0", "115", 318e6 / 8e5 * 0.2894
    ),
    "mean outstanding BLT connections": arithmetic("900/s x 0.032 s = 28.8", "29", 900 * 0.032),
    "mean throughput of one BLT connection": arithmetic("605/29 = 20.86", "20.8", 605 / 29),
    "implied BLT response time": arithmetic("0.8/20.8 = 0.03846", "0.0385", 0.8 / 20.8),
    "corrected BLT system throughput": arithmetic("29 x 0.8/0.032 = 725", "725", 29 * 0.8 / 0.032),
    "lambda giving BLT max power": numbers.best_arrivals,
    "smallest BDP tested, BLT still ahead": claims.above_at("1.8 ms", "BLT still above TCP at D=1.8 ms"),
    "Vegas throughput gain over Reno (cited)": _vegas,
    "BLT outperforms TCP by approximately": claims.about_ten,
    **{
        f"table 1, {label}, BW_b/BW_N = {ratio}, BW_N = {words}: log10 of the greatest power": numbers.cell(
            label, name, k
        )
        for label in ("BLT", "TCP")
        for k, ratio in enumerate(measured.RATIO_NAMES)
        for name, words in (("reference", "150 Mbit/s"), ("1 Gbit/s", "1 Gbit/s"))
    },
    **{
        f"table 1, {label}, BW_b/BW_N = {ratio}: increase from 150 Mbit/s to 1 Gbit/s": numbers.increase(label, k)
        for label in ("BLT", "TCP")
        for k, ratio in enumerate(measured.RATIO_NAMES)
    },
    **later.ASSESSMENTS,
}
