"""Advice of `longfat window` and `longfat buffer`, carried out on Linux: promised against measured intervals.

``python -m tests.benchmarks.advice promise [NAME]...`` computes the advice, ``... run ROUND [NAME]...`` runs Linux with
it, once for each setting, several at a time, and stores both in tests/data/advice.json; docs/advice.md is written from
that file by ``python -m docs.advice``. With ``--today`` the advice is that of today at a setting whose row has led to
a change, and is stored beside the first one. SETTINGS were drawn before any of these runs; no text of the
package and no other test has used them.
"""

import argparse
import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

STORED = Path(__file__).resolve().parent.parent / "data" / "advice.json"
PACKET, DATA = 1500, 1448  # bytes; the difference is what IP, TCP and time stamps take
FEWEST = 20  # packets of a bandwidth-delay product: nobody sizes windows for a path with fewer
SETTING_COUNT = 12
#: Bytes for which a reader is woken, an eighth of what iperf3 asks for at once. Linux answers some packets only
#: when they are read: woken for each packet, the reader's place in the machine's schedule would decide.
WOKEN = 16384


def draw(seed):
    """Return settings by a Latin hypercube: each interval of each quantity is used once."""
    rng = np.random.default_rng(seed)
    places = [(rng.permutation(SETTING_COUNT) + rng.random(SETTING_COUNT)) / SETTING_COUNT for _ in range(8)]
    made = []
    for k, (rate, trip, buffer, loss, scheme, kind, flows, share) in enumerate(zip(*places, strict=True)):
        one = {
            "name": f"{k + 1}",
            "rate": float(f"{5e6 * 20**rate:.3g}") / 8,  # bytes/s: 5 to 100 Mbit/s, on a scale of ratios
            "round_trip_time": 0.005 * 30**trip,  # s: 5 to 150 ms, at least `FEWEST` packets
            "scheme": ("cubic", "sack", "bbr1")[int(3 * scheme)],
        }
        trip = max(one["round_trip_time"], FEWEST * PACKET / one["rate"])
        one["round_trip_time"] = float(f"{trip:.3g}")
        if kind < 0.5:
            one |= {
                "kind": "window",
                "buffer": float(f"{0.2 * 10**buffer:.3g}"),  # bandwidth-delay products: 0.2 to 2
                # None for a third of them, else 1e-5 to 1e-3.
                "loss": 0.0 if loss < 1 / 3 else float(f"{1e-5 * 100 ** ((loss - 1 / 3) * 3 / 2):.3g}"),
                "set_by": "limits" if flows < 0.5 else "program",
            }
        else:
            one |= {
                "kind": "buffer",
                "flows": (1, 2, 4, 8, 16)[int(5 * flows)],
                "share": round(float(0.9 + 0.08 * share), 3),
            }
        made.append(one)
    return made


SEED = 27  # ours, arbitrary
#: Rows that led to a change of the advice are shown, and fresh settings of the same question and sender are drawn: with
#: the next seed after each change, all of them.
FRESH_SEEDS, FRESH = (28, 29), {"buffer": ("bbr1",)}
#: The change after those, a packet for each flow, concerns buffers for several flows of any sender.
SEED_OF_FLOWS = 30
#: The last change, room for connections of the host itself, concerns one pasted line: only that is run there.
SEED_OF_LINES = 31


def fresh():
    """Return the settings of further hypercubes, with the questions that have led to a change."""
    asked = [one for seed in FRESH_SEEDS for one in draw(seed) if one["scheme"] in FRESH.get(one["kind"], ())]
    for seed in (SEED_OF_FLOWS, SEED_OF_LINES):
        more = [one for one in draw(seed) if one["kind"] == "buffer" and one["flows"] > 1]
        asked += [{**one, "only_line": True} for one in more] if seed == SEED_OF_LINES else more
    return [{**one, "name": f"{SETTING_COUNT + k + 1}"} for k, one in enumerate(asked)]


SETTINGS = [*draw(SEED), *fresh()]


def read():
    """Return what is stored, by name of the setting."""
    return {one["name"]: one for one in json.loads(STORED.read_text())} if STORED.exists() else {}


def write(found):
    """Store settings with advice, promises and measurements."""
    STORED.write_text(json.dumps([found[name] for name in sorted(found, key=int)], indent=1) + "\n")


def printed(low, high):
    """Return an interval of rates [bytes/s] as `longfat.cli.paste.rates` prints it: outwards to three digits."""
    from longfat.cli.paste import rates

    return tuple(float(word) / 8e-6 for word in rates(low, high).split()[::2][:2])


def held(one):
    """Return whether a row holds, by the rule of docs/advice.md."""
    promised = {**one["promised"], "rate": printed(*one["promised"]["rate"])}
    rate, seen = promised["rate"], one["seen"]
    if one["kind"] == "window":
        return all(rate[0] <= run["rate"] <= rate[1] for run in seen)
    return all(low <= float(np.mean([run[name] for run in seen])) <= high for name, (low, high) in promised.items())


def promise(one):
    """Return the advice and the intervals that it promises, as printed; None without an answer."""
    return _window(one) if one["kind"] == "window" else _buffer(one)


def _window(one):
    from longfat import design

    scheme = "reno" if one["scheme"] == "sack" else one["scheme"]
    data = design.tcp_window(
        rate=one["rate"], round_trip_time=one["round_trip_time"], loss=one["loss"], scheme=scheme, buffer=one["buffer"],
        progress=False,
    )  # fmt: skip
    advice = {name: int(data.attrs[name]) for name in ("window", "linux_maximum", "linux_request")}
    advice |= {"skipped": float(data.check_skipped), "lasts": float(data.check_time)}
    return {"advice": advice, "promised": {"rate": [float(data.check_lower), float(data.check_upper)]}}


def _buffer(one):
    from longfat import design
    from longfat.cli.buffer_lines import delay_to_expect, in_lines, is_raised, rate_to_expect

    data = design.buffer(
        rate=one["rate"], round_trip_time=one["round_trip_time"], flows=one["flows"], share=one["share"],
        scheme="reno" if one["scheme"] == "sack" else one["scheme"], progress=False,
    )  # fmt: skip
    row = data.sel(rule="simulated")
    if math.isnan(row.buffer_packets):
        return None
    promised = {"rate": list(rate_to_expect(row, is_raised(row)))}
    if (delay := delay_to_expect(row, is_raised(row))) is not None:
        promised["mean_delay"] = list(delay)
    found = int(row.buffer_packets)
    advice = {"found_packets": found, "buffer_packets": in_lines(row), "skipped": 10.0, "lasts": 60.0}
    return {"advice": advice, "promised": promised}


def network(one, advice, stream):
    """Return the path of a setting, with drop tail at the bottleneck and senders that start at random times."""
    from longfat import sim

    window = one["kind"] == "window"
    packets = one["rate"] * one["round_trip_time"] / PACKET
    buffer = max(1, round(one["buffer"] * packets)) if window else advice["buffer_packets"]
    flows, spread = (1, 0.0) if window else (one["flows"], 0.1 if one["flows"] > 1 else 0.0)
    random = np.random.default_rng(stream)
    places = (np.arange(flows) + random.random(flows)) / flows
    one_way = one["round_trip_time"] / 2
    net = sim.Network().link(
        "switch", "sinks", rate=one["rate"], delay=one_way * (1 - spread), buffer=buffer, loss=one.get("loss", 0.0)
    )
    for k, place in enumerate(places):
        path = ["switch", "sinks"]
        if spread:
            net.link(f"source-{k}", "switch", rate=math.inf, delay=2 * one_way * spread * place)
            path.insert(0, f"source-{k}")
        # A window is checked from the start of its flow; many flows do not start at once.
        start = 0.0 if window else float(random.random())
        net.flow(
            one["scheme"], path=path, name=f"flow-{k}", packet=PACKET, ack=52, ack_path="ideal", start=start,
            parameters={"delayed_ack": 2.0} if one["scheme"] != "bbr1" else {},
        )  # fmt: skip
    return net


def settings(one, advice):
    """Return Linux's settings with the advice, in place of larger ones; a connection tunes its buffers up to them."""
    if one["kind"] == "buffer":
        return {}
    if one["set_by"] == "program":
        return {"SO_SNDBUF": advice["linux_request"], "SO_RCVBUF": advice["linux_request"], "SO_RCVLOWAT": WOKEN}
    most = advice["linux_maximum"]
    # The first two numbers are those of Linux (ip-sysctl: tcp_rmem, tcp_wmem).
    return {
        "tcp_rmem": f"4096 {min(131072, most)} {most}", "tcp_wmem": f"4096 {min(16384, most)} {most}",
        "SO_RCVLOWAT": WOKEN,
    }  # fmt: skip


def run(one, advice, number):
    """Return what was measured on Linux; None if the machine was late, whatever the result."""
    from numba import cloudpickle

    from longfat.testbed import settings as host_settings
    from longfat.testbed.one_run import MOST, Job
    from longfat.testbed.plan import plan, settings_of
    from longfat.testbed.runs import attempt, in_flight

    stream, random = np.random.SeedSequence([SEED, int(one["name"]), number]).spawn(2)
    net = network(one, advice, stream)
    connections = plan(net)
    asked = settings_of(net) | host_settings.buffers(in_flight(net), len(connections), host_settings.memory())
    until = advice["skipped"] + advice["lasts"]
    pickled = cloudpickle.dumps((net, np.random.default_rng(random)))
    job = Job(connections, asked, settings(one, advice), pickled, until, advice["skipped"], 0.1)
    outcome = attempt(job)
    limited = _limited(outcome.samples, advice["skipped"])
    trust = outcome.trust
    starved = max(_limited(outcome.samples, 0.0).values())
    # Advice that is too small makes a connection wait, and is no reason to run again; an application that is late is.
    late = trust.paused or trust.late > MOST or trust.drops > 0 or (trust.starved > MOST and trust.starved > starved)
    if late or (one["kind"] == "buffer" and starved > MOST):
        print(f"{one['name']}: spoilt, {trust}", flush=True)
        return None
    return _seen(outcome, limited, until, advice["skipped"])


def _limited(samples, begin):
    """Return the greatest shares of the time with data in flight, from a time [s] on, in which a buffer limits."""
    made = dict.fromkeys(("rwnd_limited", "sndbuf_limited"), 0.0)
    for connection in np.unique(samples["connection"]):
        rows = samples[(samples["connection"] == connection) & (samples["time"] >= begin * 1e9)]
        busy = float(rows["busy_time"][-1] - rows["busy_time"][0])
        for name in made:
            made[name] = max(made[name], float(rows[name][-1] - rows[name][0]) / max(busy, 1.0))
    return made


def _seen(outcome, limited, until, begin):
    """Return the figures of a run."""
    from longfat.testbed.datasets import measure

    made = measure(outcome, until, begin)
    goodput = made["goodput"][~np.isnan(made["goodput"])]
    bottleneck = outcome.links.index("switch->sinks") if "switch->sinks" in outcome.links else 0
    return {
        "rate": float(f"{goodput.sum() * DATA / PACKET:.6g}"),
        "mean_delay": float(f"{made['mean_wait'][bottleneck]:.4g}"),
        "utilisation": float(f"{made['utilisation'][bottleneck]:.5g}"),
        "window": int(outcome.samples["snd_wnd"].max()),
        "late": float(f"{outcome.trust.late:.3g}"),
        **{name: float(f"{value:.3g}") for name, value in limited.items()},
    }


def place(found, one, beside):
    """Return where the advice of a setting and its runs are stored."""
    row = found[one["name"]]
    return row[beside] if beside else row


def main():
    """Compute the advice, or run Linux with it, and store what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("show", "promise", "run"))
    parser.add_argument("words", nargs="*")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--beside", choices=("today", "raised"))
    given = parser.parse_args()
    number, names = (int(given.words[0]), given.words[1:]) if given.what == "run" else (0, given.words)
    found = read()
    chosen = [one for one in SETTINGS if not names or one["name"] in names]
    if given.what == "show":
        print(*chosen, sep="\n")
    elif given.what == "promise":
        for one in chosen:
            if (answer := promise(one)) is None:
                print(
                    f"{one['name']}: no simulated buffer reaches {one['share']:g} of the link; what is stored stays",
                    flush=True,
                )
                continue
            made = {**answer, "seen": []}
            found[one["name"]] = {**found[one["name"]], given.beside: made} if given.beside else {**one, **made}
            print(one["name"], made, flush=True)
    else:
        with ThreadPoolExecutor(given.at_once) as pool:
            made = list(pool.map(lambda one: run(one, place(found, one, given.beside)["advice"], number), chosen))
        found = read()  # again: another call may have stored runs meanwhile
        for one, seen in zip(chosen, made, strict=True):
            if seen is not None:
                row = place(found, one, given.beside)
                row["seen"].append(seen)
                print(one["name"], row["promised"], seen, flush=True)
    if given.what != "show":
        write(found)


if __name__ == "__main__":
    main()
