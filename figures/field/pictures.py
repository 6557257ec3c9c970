"""Numbers that people print in issue trackers, each with the value of a law and a verdict by `figures.rule`.

``field``: our value over the printed one. ``python -m figures.field`` computes and draws; it takes seconds. A number
counts as printed if it stands in the thread itself. Updates of a window are sent after each byte at the earliest and
after a quarter or a half of it at the latest; the value is open between both ends. A measured rate below the law's has
*another limit* if the thread names one; a difference without a cause that is known is called unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from figures.claims import Finding, judged
from figures.rule import Arithmetic, Estimate, Evidence, Quantity, Spread, printed
from figures.writing import Part, Picture
from longfat.base.text_tables import markdown
from longfat.laws.aqm import cake_interval, cake_target
from longfat.laws.buffers import shaped_rate
from longfat.laws.credits import throughput, window_for_rate
from longfat.laws.cubic import average_window
from longfat.laws.delay_based import ledbat_slowdown_time
from longfat.laws.tcp import achievable_throughput, square_root_rate

KIB, MIB = 2**10, 2**20
MBIT, MIBIT = 1e6 / 8, MIB / 8  # bytes
FAST = 1e15  # bytes/s: a path that does not limit
NO_WINDOW = "another limit"
CREDIT, NEEDED = "credits.throughput", "credits.window_for_rate"
LAYER, ARITHMETIC = "tcp.achievable_throughput", "arithmetic"
BUCKET = 256 * MIB  # bytes: the burst that the bandwidth plug-in has by default


@dataclass(frozen=True)
class Row:
    """A number as a thread prints it, and what the law gives.

    ``ours`` has the ends of the law's interval, in the unit of the number. ``cause`` is another limit that the thread
    names, or our reason for a difference. ``measured``: the number was measured, and not calculated.
    """

    thread: str
    what: str
    number: str
    unit: str
    ours: tuple[float, float]
    law: str
    measured: bool = False
    cause: str = ""

    @property
    def address(self) -> str:
        """Address of the thread; GitHub leads from /issues/ to /pull/."""
        name, number = self.thread.split("#")
        return f"https://github.com/{name}/issues/{number}"

    def shown(self, value: str) -> str:
        """Return a value with the unit, if it has one."""
        return value if self.unit == "1" else f"{value} {self.unit}"

    def finding(self) -> Finding:
        """Judge the row by the published rule."""
        low, high = self.ours
        reason = self.cause or "unexplained"
        number, middle = printed(self.number), (low + high) / 2
        evidence: Evidence = Arithmetic(number, middle)
        if self.law != ARITHMETIC:
            evidence = Quantity(number, Estimate(middle), spread=Spread(low, high, "what the thread leaves open"))
        return judged(evidence, f"{low:.4g} to {high:.4g}" if high > 1.0005 * low else f"{low:.4g}", reason)

    def verdict(self) -> str:
        """Return the verdict; a measured rate below the interval has another limit if the thread names it."""
        found = self.finding().verdict
        below = printed(self.number).value < self.ours[0]
        named = bool(self.cause) and not self.cause.startswith("unexplained")
        return NO_WINDOW if found == "differs" and self.measured and below and named else found


def window(
    size: float, trip: float, unit: float, share: float = 0.5, windows: int = 1, capacity: float = FAST
) -> tuple[float, float]:
    """Return the throughput under a credit window [unit], with an update after a share of it and after each byte.

    >>> window(65535, 0.1, 1e3)[0] > 655.3
    True
    """
    update = max(1, int(share * size))
    low = throughput(int(size), update, capacity, trip, windows)
    return float(low) / unit, float(throughput(int(size), 1, capacity, trip)) / unit


def exactly(value: float) -> tuple[float, float]:
    """Return a value as an interval."""
    return float(value), float(value)


def parallel(rate: float, factor: float) -> tuple[float, float]:
    """Return a rate that grows with the window, or with the number of connections."""
    return exactly(rate * factor)


def rows() -> list[Row]:
    """Return all rows."""
    cubic = float(average_window(0.002, 0.2)) / 0.2 * 1448 / 1e6
    slowest = 30.521 / (10 * float(ledbat_slowdown_time(511.0, 0.137)))
    ssh = (112 * KIB) / (2 * MIB)
    yellow = "rpcpool/yellowstone-grpc#681"
    return [
        Row("grpc/grpc-java#329", "64 KB on a path of 485 kB", "13", "%", tuple(
            100 * one for one in window(65535, 1.0, 485e3, capacity=485e3)), CREDIT),  # type: ignore[arg-type]
        Row("grpc/grpc-go#2400", "4 MiB, 100 ms", "40", "MB/s", window(4 * MIB, 0.1, 1e6, 0.25, 2), CREDIT, True),
        Row("h2o/h2o#582", "256 KiB, 100 ms, an update above half", "1.25", "MiB/s",
            exactly(throughput(256 * KIB, 128 * KIB + 1, FAST, 0.1) / MIB), CREDIT),
        Row("mozilla/neqo#1820", "1 MiB, 50 ms", "160.0", "Mibit/s", window(MIB, 0.05, MIBIT), CREDIT),
        Row("mozilla/neqo#1857", "1 MiB, 50 ms", "106.41665660578931", "Mbit/s",
            (float(throughput(MIB, MIB // 2 + 1, FAST, 0.05)) / MBIT, MIB / 0.05 / MBIT), CREDIT, True,
            "unexplained: windows of sender and receiver, slow start and handshake are all in it"),
        Row("mozilla/neqo#3232", "1024 KiB, updates at a quarter: what is always granted", "768", "KiB",
            exactly(1024 - float(window_for_rate(256, 0.0, 1.0))), NEEDED),
        Row("threema-ch/threema-web#486", "128 KiB, 160 ms", "6.25", "Mibit/s", window(128 * KIB, 0.16, MIBIT), CREDIT),
        Row("threema-ch/threema-web#486", "3 MiB, 160 ms", "150", "Mibit/s", window(3 * MIB, 0.16, MIBIT), CREDIT),
        Row("rapier1/hpn-ssh#58", "OpenSSH to OpenSSH, 167 ms", "11.8", "MiB/s", window(2 * MIB, 0.167, MIB, ssh),
            CREDIT, True),
        Row("rapier1/hpn-ssh#89", "2 MB, 100 ms", "160", "Mbit/s", window(2 * MIB, 0.1, MBIT, ssh), CREDIT),
        Row("yatoub/susshi#27", "SSH channel, 25 ms", "80", "MB/s", window(2 * MIB, 0.025, 1e6, ssh), CREDIT),
        Row("yatoub/susshi#27", "scp of OpenSSH, 25 ms", "7.2", "MB/s", window(2 * MIB, 0.025, 1e6, ssh), CREDIT, True),
        Row("yatoub/susshi#27", "30,000 bytes of SFTP, 25 ms", "1.2", "MB/s", window(30_000, 0.025, 1e6), CREDIT),
        Row("yatoub/susshi#27", "the same with batches", "2.6", "MB/s", window(30_000, 0.025, 1e6), CREDIT, True,
            "batches of requests make more than 30,000 bytes in flight"),
        Row("V10lator/NUSspli#491", "64 KiB, 95 ms", "5.5", "Mbit/s", window(64 * KIB, 0.095, MBIT), CREDIT),
        Row("V10lator/NUSspli#491", "256 KiB, 95 ms", "22", "Mbit/s", window(256 * KIB, 0.095, MBIT), CREDIT),
        Row("V10lator/NUSspli#491", "64 KiB, 10 ms", "52", "Mbit/s", window(64 * KIB, 0.01, MBIT), CREDIT),
        Row("V10lator/NUSspli#491", "256 KiB, 10 ms", "210", "Mbit/s", window(256 * KIB, 0.01, MBIT), CREDIT),
        Row("TraceMachina/nativelink#2593", "64 KiB, 20 ms", "3.3", "MB/s", window(64 * KIB, 0.02, 1e6), CREDIT),
        Row("txpipe/dolos#1010", "65,535 bytes, 64 ms as the thread infers", "1.0", "MB/s",
            window(65535, 0.064, 1e6), CREDIT, True),
        Row("jcmoraisjr/haproxy-ingress#877", "65,535 bytes, 25 ms", "2621400.0", "bytes/s", window(65535, 0.025, 1),
            CREDIT),
        Row("jcmoraisjr/haproxy-ingress#877", "the same, measured", "25", "Mbit/s", window(65535, 0.025, MBIT), CREDIT,
            True, "unexplained: above W/R, so the round trip was shorter than 25 ms or the window larger"),
        Row("jcmoraisjr/haproxy-ingress#877", "256 MiB at 10 Gbit/s: largest round trip", "214", "ms",
            (1e3 * 2**27 / 1.25e9, 1e3 * 2**28 / 1.25e9), NEEDED, False, "only with an update after each byte"),
        Row("curl/curl#1102", "65,535 bytes, 33 ms", "2858", "KiB/s", window(65535, 0.033, KIB), CREDIT, True,
            "unexplained: above W/R, so the round trip was shorter than 33 ms or the window larger"),
        Row("ipfs/kubo#6049", "8 MiB, 200 ms", "40", "MiB/s", window(8 * MIB, 0.2, MIB), CREDIT),
        Row("ipfs/kubo#6049", "512 KiB, 200 ms", "2.5", "MiB/s", window(512 * KIB, 0.2, MIB), CREDIT),
        Row("Kirari04/p2pstream#114", "256 KiB, 20 ms", "12.8", "MB/s", window(256 * KIB, 0.02, 1e6), CREDIT),
        Row("Kirari04/p2pstream#114", "256 KiB, 50 ms", "5", "MB/s", window(256 * KIB, 0.05, 1e6), CREDIT),
        Row("Kirari04/p2pstream#114", "256 KiB, 100 ms", "2.5", "MB/s", window(256 * KIB, 0.1, 1e6), CREDIT),
        Row("skycoin/skywire#4211", "256 KiB, about 1 s", "250", "kB/s", window(256 * KIB, 1.0, 1e3), CREDIT, True),
        Row("skycoin/skywire#4211", "16 MiB, 1 s", "128", "Mbit/s", window(16 * MIB, 1.0, MBIT), CREDIT),
        Row("andrewtimmins/rpcemu-extended#105", "8 KiB, 10 to 12 ms", "700", "kB/s",
            (window(8 * KIB, 0.012, 1e3)[0], window(8 * KIB, 0.01, 1e3)[1]), CREDIT, True),
        Row("pilot-protocol/pilotprotocol#446", "128 KiB, 100 ms", "1.3", "MB/s", window(128 * KIB, 0.1, 1e6), CREDIT,
            True),
        Row(yellow, "8 MB, where 4 MB carry 28.68 MB/s", "55.97", "MB/s", parallel(28.68, 2), CREDIT, True),
        Row(yellow, "16 MB, where 4 MB carry 28.68 MB/s", "99.51", "MB/s", parallel(28.68, 4), CREDIT, True,
            "unexplained: the largest rate there is 124.47 MB/s, so that the link may add to the round trip"),
        Row(yellow, "8 MB with a TCP buffer of 4 MB", "26.77", "MB/s", parallel(28.25, 2), CREDIT, True,
            "TCP's buffers"),
        Row(yellow, "64 KB, where 4 MB carry 28.68 MB/s", "0.55", "MB/s", parallel(28.68, 1 / 64), CREDIT, True,
            "unexplained: the thread has 0.31 and 0.33 MB/s for it, too, by TCP buffers that it does not fill"),
        Row("ipxe/ipxe#862", "2 MB/s at 100 ms", "200", "kB", exactly(window_for_rate(1, 2e6, 0.1) / 1e3), NEEDED),
        Row("SystemsApproach/tcpcc#14", "10 Gbit/s at 100 ms", "119.2", "MiB",
            exactly(window_for_rate(1, 1.25e9, 0.1) / MIB), NEEDED),
        Row("SystemsApproach/tcpcc#14", "2.5 Gbit/s at 100 ms", "29.8", "MiB",
            exactly(window_for_rate(1, 1.25e9 / 4, 0.1) / MIB), NEEDED),
        Row("nitrobass24/seedsync#485", "35 connections of SFTP, where 10 carry 30 MB/s", "100", "MB/s",
            parallel(30, 3.5), ARITHMETIC, True),
        Row("kubernetes/kubernetes#90838", "first second behind a bucket of 256 MiB, 10 Mbit/s", "1.99", "Gbit/s",
            exactly(shaped_rate(1.25e6, BUCKET, 1.0) * 8e-9), "buffers.shaped_rate", True),
        Row("kubernetes/kubernetes#90838", "the same, the third second", "10.5", "Mbit/s", exactly(10), ARITHMETIC,
            True),
        Row("containernetworking/plugins#609", "first second behind a bucket of 256 MiB, 15 Mbit/s", "2.08", "Gbit/s",
            exactly(shaped_rate(1.875e6, BUCKET, 1.0) * 8e-9), "buffers.shaped_rate", True),
        Row("dtaht/sch_cake#142", "target at 831 kbit/s: 1.5 packets of 1500 bytes", "21.7", "ms",
            exactly(1e3 * cake_target(831e3 / 8, 1500)), "aqm.cake_target", True),
        Row("dtaht/sch_cake#142", "interval at 831 kbit/s: 100 ms and the target above 5 ms", "116.7", "ms",
            exactly(1e3 * cake_interval(831e3 / 8, 1500)), "aqm.cake_interval", True),
        Row("lynxthecat/cake-autorate#23", "packet of 1500 bytes at 100 kbit/s", "120", "ms", exactly(120), ARITHMETIC),
        Row("freenet/freenet-core#2532", "time between 224 slow-downs in 30,521 ms", "136", "ms", exactly(30521 / 224),
            ARITHMETIC, True),
        Row("freenet/freenet-core#2532", "slow-downs of LEDBAT++ in 30.5 s, 137 ms, as expected there", "5", "1",
            (slowest, 30.521 / (10 * 2 * (0.137 + 0.06))), "delay_based.ledbat_slowdown_time", False,
            "the rate is not known: from 100 kB in a round trip to a slow-down without slow start"),
        Row("esnet/iperf#480", "Ethernet frames of 1518 bytes at 1 Gbit/s", "986.99", "Mbit/s",
            exactly(achievable_throughput(1e9 / 8, 1518, 20) / MBIT), LAYER),
        Row("esnet/iperf#480", "IP packets of 1500 bytes at 1 Gbit/s", "975.29", "Mbit/s",
            exactly(achievable_throughput(1e9 / 8, 1500, 38) / MBIT), LAYER),
        Row("cloudflare/quiche#231", "a loss of 0.2 %, 200 ms, taken for Reno with 1350 bytes", "1.2", "Mbit/s", tuple(
            float(square_root_rate(0.002, 0.2, acked)) * 1350 / MBIT for acked in (2, 1)),  # type: ignore[arg-type]
            "tcp.square_root_rate", True),
        Row("microsoft/msquic#1949", "CUBIC, a loss of 0.2 %, 200 ms", "11", "MB/s", exactly(cubic),
            "cubic.average_window", True, "unexplained: 50 times the law for independent losses"),
        Row("h2o/quicly#688", "share of one of two CUBIC flows", "50.26", "%", exactly(50), ARITHMETIC, True),
    ]  # fmt: skip


def simulate() -> dict[str, Any]:
    """Return the numbers of all rows, and the page."""
    found = rows()
    numbers = {
        "printed": [printed(one.number).value for one in found],
        "lower": [one.ours[0] for one in found], "upper": [one.ours[1] for one in found],
    }  # fmt: skip
    data = xr.Dataset(
        {name: ("row", np.array(values)) for name, values in numbers.items()},
        coords={"row": [f"{one.thread}: {one.what} [{one.unit}]".replace("#", " ") for one in found]},  # no comment
    )
    return {"field": data, "field.md": page(found)}


def page(found: list[Row]) -> str:
    """Return all rows as a page."""
    verdicts = [one.verdict() for one in found]
    counts = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts))
    table = [
        [f"[{one.thread}]({one.address})", one.what, "measured" if one.measured else "calculated",
         one.shown(one.number), one.shown(one.finding().ours), f"`{one.law}`", verdict,
         one.finding().reason or (one.cause if verdict == NO_WINDOW else "")]
        for one, verdict in zip(found, verdicts, strict=True)
    ]  # fmt: skip
    heads = ["thread", "what", "in the thread", "printed", "ours", "law", "verdict", "why"]
    return "\n".join([
        "# Numbers from issue trackers", "",
        f"{len(found)} numbers: {counts}. The verdicts follow [the rule](../rule.py); *another limit*: a measured rate "
        "is below what the window allows, and the thread names what limits it. `python -m figures.field` writes this "
        "page.", "", *markdown(heads, table), "",
    ])  # fmt: skip


def draw(one: xr.Dataset, ax: Any) -> None:
    """Draw our value over the printed one."""
    found = rows()
    verdicts, heights = [row.verdict() for row in found], np.arange(len(found))[::-1]
    for k, verdict in enumerate(dict.fromkeys(verdicts)):
        mine = np.array([other == verdict for other in verdicts])
        low, high = (one[name].values[mine] / one.printed.values[mine] for name in ("lower", "upper"))
        middle = (low + high) / 2
        ax.errorbar(middle, heights[mine], xerr=[middle - low, high - middle], fmt="o", ms=4, color=f"C{k}",
                    label=verdict)  # fmt: skip
    ax.axvspan(0.9, 1.1, color="0.9", zorder=0)
    ax.set(xscale="log", xlabel="law over printed number", ylim=(-1, len(found)))
    ax.set_yticks(heights, [f"{row.thread}: {row.shown(row.number)}" for row in found], fontsize="x-small")
    ax.legend(loc="lower right")


PICTURES = {
    "field": Picture(
        "Our value over the number that is printed in a thread, with the law's interval, by verdict",
        draw, "field", size=(9, 11),
    ),
}  # fmt: skip
PART = Part("figures.field", simulate, {"field": [("row",)]}, PICTURES)
