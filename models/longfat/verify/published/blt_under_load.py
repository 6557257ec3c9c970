"""Kim and Farber's claims about one network under load: response times, utilisation, fairness, the bully."""

from __future__ import annotations

import numpy as np

from longfat.sim.statistics import replications as interval
from longfat.verify.published.blt_measured import at_load, listed, said, swept
from longfat.verify.published.blt_runs import losing_together
from longfat.verify.published.blt_scenarios import SETS
from longfat.verify.published.rows import Context, Finding, Judge, judged


def lower_utilisation(context: Context) -> Finding:
    """Figure 7: BLT's utilisation less TCP's, at the same loads."""
    both, skips = {}, {}
    for load in (0.4, 0.6):
        row = [at_load(context, label, SETS["reference"][0], load)["utilisation"] for label in ("BLT", "TCP")]
        both[load] = interval(row[0] - row[1])
        skips[load] = float(
            at_load(context, "BLT, skips what arrived", SETS["reference"][0], load)["utilisation"].mean()
        )
    ours = ", ".join(f"load {load:g}: BLT's less TCP's {said(found, 3)}" for load, found in both.items())
    if max(found.upper for found in both.values()) < 0:
        return Finding(ours, "ordering reproduced")
    return judged(
        min(found.lower for found in both.values()) > 0,
        ours,
        "differs",
        "at one load both carry the same files, and BLT sends again what the receiver has; without that (skip_known) "
        f"its utilisation is {listed(skips.values(), 3)}, that of the files being 0.4 and 0.6",
    )


def speedup(context: Context) -> Finding:
    """Figure 6: TCP's response time over BLT's, at every load up to 0.8; twice within 5 %."""
    path = SETS["reference"][0]
    found = {
        load: float(
            at_load(context, "TCP", path, load)["response_time"].mean()
            / at_load(context, "BLT", path, load)["response_time"].mean()
        )
        for load in (0.1, 0.4, 0.6, 0.8)
    }
    ours = ", ".join(f"{path.most_arrivals * load:.0f}/s: {value:.1f}" for load, value in found.items())
    if min(found.values()) > 1.9:
        return Finding(ours, "reproduced")
    return judged(
        found[0.6] > 1.9 and min(found.values()) > 1.5, ours, "differs",
        "faster throughout, by less than 2 at small loads: there TCP takes eight round trips, and BLT has to repeat "
        "what overflows by itself (94 of 200 packets fit)",
    )  # fmt: skip


def _kept_up(context: Context, label: str, load: float) -> float:
    """Throughput over what is offered."""
    path = SETS["reference"][0]
    return float(at_load(context, label, path, load)["throughput"].mean()) / (load * path.capacity)


def tcp_diverges(context: Context) -> Finding:
    """Figure 6: by 20/s the response time is three times the one at 3.75/s."""
    path = SETS["reference"][0]
    rise = {}
    for label in ("TCP", "TCP, every duplicate"):
        low, high = (float(at_load(context, label, path, load)["response_time"].mean()) for load in (0.1, 20 / 37.5))
        rise[label] = high / low
    kept = _kept_up(context, "TCP", 20 / 37.5)
    ours = f"at 20/s R is {rise['TCP']:.1f} times R at 3.75/s, {100 * kept:.0f} % of the load is carried"
    if rise["TCP"] > 3:
        return Finding(ours, "reproduced")
    return judged(
        kept > 0.9, ours, "differs",
        "a steady state exists; taking every duplicate for a loss, also those of packets sent again that had arrived, "
        f"makes it {rise['TCP, every duplicate']:.1f} times",
    )  # fmt: skip


def blt_holds(context: Context) -> Finding:
    """Figure 6: at 35/s most of the load is carried, in runs of 300 files (whose number varies by 6 %) and more."""
    kept = _kept_up(context, "BLT", 35 / 37.5)
    path = SETS["reference"][0]
    times = at_load(context, "BLT", path, 35 / 37.5)["response_time"]
    return judged(kept > 0.85, f"at 35/s {100 * kept:.0f} % of the load is carried, R = {said(interval(times))} s",
                  "reproduced")  # fmt: skip


def synchronisation(context: Context) -> Finding:
    """Figure 8, at half of the capacity: who loses packets in the same round trip."""
    words, shares = [], {}
    for label in ("TCP", "BLT"):
        seeds = np.random.SeedSequence([context.seed, 8]).spawn(4)
        found = [losing_together(label, SETS["reference"][0], 0.5, rng=one) for one in seeds]
        losing, active, share = (interval([one[name] for one in found], 0.9) for name in found[0])
        shares[label] = share
        words.append(f"{label} {losing.mean:.1f} of {active.mean:.1f} connections, {said(share)}")
    return judged(
        shares["TCP"].upper < shares["BLT"].lower,
        "lose packets in a round trip in which any is lost: " + "; ".join(words),
        "not reproducible",
        "no measure of synchronisation is printed, and the part of a run that is drawn is one of many; by losses in "
        "the same round trip it is BLT whose connections, whole bursts, lose together",
    )


def more_throughput(context: Context) -> Finding:
    """Figure 9: at 0.85 of the capacity more, at 0.4 the same within 5 %."""
    gains = {}
    for load in (0.4, 0.85):
        gains[load] = [
            float(swept(context, "BLT", "reference").throughput.sel(load=load)[0, k])
            / float(swept(context, "TCP", "reference").throughput.sel(load=load)[0, k])
            for k in range(3)
        ]
    return judged(
        min(gains[0.85]) > 1.0 and max(gains[0.85]) > 1.1 and max(abs(one - 1) for one in gains[0.4]) < 0.1,
        f"BLT's over TCP's at 0.85 of the capacity: {listed(gains[0.85])}; at 0.4: {listed(gains[0.4])}",
        "ordering reproduced",
    )


def _fairness(context: Context, label: str, name: str, k: int, load: float) -> float:
    return float(swept(context, label, name).fairness.sel(load=load)[0, k])


def fairer(name: str, ks: tuple[int, ...], sign: int, ordered: str) -> Judge:
    """Fairness at 0.6 and 0.85 of the capacity; with sign -1 TCP is to be the fairer one."""

    def judge(context: Context) -> Finding:
        text, good = [], True
        for k in ks:
            rows = {
                label: [_fairness(context, label, name, k, load) for load in (0.6, 0.85)]
                for label in ("BLT", "BLT, corrected switch", "TCP")
            }
            good &= all(sign * (b - t) > 0 for b, t in zip(rows["BLT"], rows["TCP"], strict=True))
            text.append(
                f"BW_b {SETS[name][k].bottleneck:g}: BLT {listed(rows['BLT'])}, corrected "
                f"{listed(rows['BLT, corrected switch'])}, TCP {listed(rows['TCP'])}"
            )
        ours = "loads 0.6, 0.85: " + "; ".join(text)
        return Finding(ours, "ordering reproduced") if good else Finding(ours, "differs", ordered)

    return judge


def fairest_when_empty(context: Context) -> Finding:
    """Figure 11: at the smallest load against all others, within 0.01."""
    good, text = True, []
    for label in ("BLT", "TCP"):
        for k in range(3):
            row = swept(context, label, "reference").fairness[0, k].values
            good &= bool(row[0] >= np.nanmax(row) - 0.01)
            text.append(f"{label} {row[0]:.3f} (then at most {np.nanmax(row[1:]):.3f})")
    return judged(good, "; ".join(text), "ordering reproduced")


def bully_power(context: Context) -> Finding:
    """Figure 28, at 0.1 of the capacity: within 0.1 of BLT in log10, above TCP by 0.1."""
    path = SETS["reference"][0]
    log = {
        label: float(np.log10(at_load(context, label, path, 0.1)["power"]).mean())
        for label in ("BLT", "Bully-Tyrant", "TCP")
    }
    return judged(
        log["BLT"] - log["Bully-Tyrant"] < 0.1 and log["Bully-Tyrant"] - log["TCP"] > 0.1,
        ", ".join(f"{label} {value:.2f}" for label, value in log.items()),
        "ordering reproduced",
    )


def bully_melts(context: Context) -> Finding:
    """Figure 28: power at 0.85 over the greatest."""
    path, left = SETS["reference"][0], {}
    for label in ("BLT", "Bully-Tyrant"):
        found = {load: at_load(context, label, path, load)["power"].mean() for load in (0.2, 0.3, 0.4, 0.6, 0.85)}
        found = {load: float(np.nan_to_num(power)) for load, power in found.items()}
        left[label] = (max(found, key=found.__getitem__), found[0.85] / max(found.values()))
    return judged(
        left["Bully-Tyrant"][1] < 0.5 * left["BLT"][1] and left["Bully-Tyrant"][0] <= left["BLT"][0],
        "; ".join(f"{label}: greatest at load {load:g}, {100 * part:.0f} % of it are left at 0.85"
                  for label, (load, part) in left.items()),
        "ordering reproduced",
    )  # fmt: skip


def bully_fairness(context: Context) -> Finding:
    """Figure 29."""
    path = SETS["reference"][0]
    found = {
        label: [float(at_load(context, label, path, load)["fairness"].mean()) for load in (0.2, 0.4, 0.6)]
        for label in ("TCP", "Bully-Tyrant", "BLT")
    }
    ours = "loads 0.2, 0.4, 0.6: " + "; ".join(f"{label} {listed(row)}" for label, row in found.items())
    lowest = [b < min(t, f) for b, t, f in zip(found["Bully-Tyrant"], found["TCP"], found["BLT"], strict=True)]
    if all(lowest):
        return Finding(ours, "ordering reproduced")
    return Finding(ours, "differs", "below BLT's where it is not the lowest, but TCP's falls further under load")
