"""Entries of the benchmark: each has a scheme, its settings in all experiments, and the disciplines of the switches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base import user_files
from longfat.base.domains import unknown
from longfat.replication import identity
from longfat.sim.schemes.timers import PROFILES

if TYPE_CHECKING:
    from longfat.sim.queues import Discipline
    from longfat.sim.schemes import Scheme

FAST = 12.5e6  # bytes/s
OPTIMAL = "optimal"


@dataclass(frozen=True)
class Entry:
    """Scheme in the benchmark, with its parameters and the queue disciplines that it needs.

    Parameters
    ----------
    name : str
        Name on the command line.
    label : str
        Label in the paper's tables.
    scheme : str or Scheme
        Scheme of `longfat.sim.schemes`.
    parameters : mapping
        Parameters of the scheme.
    bottleneck, switch : str or Discipline
        Queue discipline of the slow links, and of the switches' other links.
    options : mapping
        Parameters of the bottleneck's discipline if it is given by name, and of the switches' if it is the same.
    hops : int
        Number of switches that are added between each source and the first switch of the scenario.
    access : bool
        Whether the source waits for its access link instead of filling a queue before it.
    probe_beside : bool
        Whether transfer times are measured in the run with probe packets, not in a separate run.
    probe_hops : bool
        Whether probe packets pass the `hops` switches, too.
    transmission : bool
        Whether the delays of probe packets include transmission times; if not, these are subtracted like the
        propagation times.
    send_jitter : float
        Uniform additional delay of each packet at its source [s].
    source : str
        Text that identifies the scheme in stores; for a scheme in a file, the file's content.
    """

    name: str
    label: str
    scheme: Any
    parameters: Mapping[str, float] = field(default_factory=dict)
    bottleneck: Any = "fifo"
    switch: Any = "fifo"
    options: Mapping[str, Any] = field(default_factory=dict)
    hops: int = 0
    access: bool = False
    probe_beside: bool = False
    probe_hops: bool = False
    transmission: bool = False
    send_jitter: float = 0.0
    source: str = ""

    def disciplines(self) -> dict[str, Discipline]:
        """Return a dict of the queue disciplines: "bottleneck", on the slow links, and "switch", on the other links."""
        from longfat.sim import queues

        return {
            "bottleneck": queues.discipline(self.bottleneck, **self.options),
            "switch": queues.discipline(self.switch, **(self.options if self.switch == self.bottleneck else {})),
        }

    def settings(self) -> str:
        """Return a text that identifies the entry in a result store; it differs if entries have different settings."""
        return self.source or repr(self)


def _fair(name: str, label: str, discipline: str = "fair", **more: Any) -> Entry:
    return Entry(name, label, name, bottleneck=discipline, switch=discipline, **more)


#: Parameters of Tahoe and Reno as of 1992, when each of several losses in one window halved the window again.
_OLD = {**PROFILES["bsd"], "bugfix": 0.0}

ENTRIES: dict[str, Entry] = {
    one.name: one
    for one in (
        Entry(OPTIMAL, "optimal", ""),
        # Kanakia, Keshav & Mishra (1992), section 3: the simulator REAL ran TCP, DECbit and pp; another simulator ran
        # hbh and (we assume) e2e-ef, which comes from the same publication. A delay is the round-trip time (section 2)
        # minus that of the empty network, because the paper prints 0 for the optimum. The delays that it prints for hbh
        # and e2e-ef show that the other simulator subtracted the propagation delay only.
        _fair("hop-by-hop", "hbh", "hop-by-hop", hops=3, probe_hops=True, transmission=True),
        # bit-round is the fair queueing of Demers, Keshav & Shenker (1990), which Kanakia et al. cite for pp.
        _fair("packet-pair", "pp", "bit-round"),
        _fair("explicit-feedback", "e2e-ef", "explicit-feedback", transmission=True),
        Entry("tahoe", "tcp (tahoe)", "tahoe", _OLD),
        Entry("reno", "tcp (reno)", "reno", _OLD),
        Entry("red", "tcp (w/red)", "reno", _OLD, "red", options={"min_th": 5, "max_th": 15, "max_p": 0.02}),
        Entry("tri-s", "tri-s", "tri-s"),
        Entry("dual", "dual", "dual", PROFILES["bsd"]),
        Entry("decbit", "decbit", "decbit", bottleneck="decbit", options={"with_transmission": False}),
        Entry("newreno", "tcp (newreno)", "newreno"),
        Entry("sack", "tcp (sack)", "sack"),
        Entry("vegas", "tcp (vegas)", "vegas"),
        Entry(
            "loss-load", "loss-load", "loss-load", {"k": 5.0, "response": 1.0, "access_rate": FAST}, "loss-load",
            options={"k": 5.0},
        ),
        Entry("blt", "blt", "blt", bottleneck="priority-discard", access=True),
        Entry("xcp", "xcp", "xcp", bottleneck="xcp"),
        Entry("cadpc", "cadpc", "cadpc-files"),
    )
}  # fmt: skip

#: Entries whose schemes or disciplines are newer than the paper. `longfat.benchmark.run` runs them only if they are
#: named. Senders of CUBIC and DCTCP are those of a host of today: initial window of 10 packets, HyStart++,
#: acknowledgment of each packet. Packets for CoDel and FQ-CoDel are not ECN-capable.
TODAY: dict[str, Entry] = {
    one.name: one
    for one in (
        Entry("cubic", "cubic", "cubic"),
        Entry("cubic-codel", "cubic, codel", "cubic", bottleneck="codel", switch="codel"),
        Entry("cubic-fq-codel", "cubic, fq-codel", "cubic", {}, "fq-codel", "fq-codel"),
        # Our choice: the marking threshold is 10 packets, the set point of the paper. The threshold of Alizadeh et al.
        # (2010), equation 13, a seventh of the bandwidth-delay product, would be 63 packets, more than the buffers of
        # experiments 8 and 9, which hold 44 and 20 packets.
        Entry("dctcp", "dctcp", "dctcp", {}, "step-marking", "step-marking", {"packets": 10}),
        Entry("bbr", "bbr (v3)", "bbr"),
        Entry("bbr1", "bbr (2016)", "bbr1"),
    )
}  # fmt: skip

#: Our choice, because SSTP negotiates its rate with the network: at a `peak_rate` of 450 kbyte/s the 11 simultaneous
#: connections of experiment 1 fit into the bottleneck.
_RATE_OF_SSTP = {"peak_rate": 450e3, "window_limit": 10.0}
#: Entries of schemes that are not in the paper: credit and rate control of ATM, NETBLT and SSTP. They run only if
#: named.
FURTHER: dict[str, Entry] = {
    one.name: one
    for one in (
        # With n2 + n3 = 40 packets for each flow, 11 flows fill a buffer of 440 packets. The buffers of experiments 8
        # and 9 are smaller.
        Entry(
            "credit", "fcvc", "credit", {"n2": 10.0, "n3": 30.0}, "credit", "credit", {"n2": 10, "n3": 30}, hops=3
        ),
        Entry(
            "credit-adaptive", "fcvc (adaptive)", "credit", {"n2": 1.0, "lifetime": 0.05}, "credit", "credit",
            {"n2": 1, "adaptive": True, "pool": 440, "interval": 0.05}, hops=3,
        ),
        Entry("dynamic-window", "dynamic windows", "dynamic-window", {}, "dynamic-window", "dynamic-window"),
        Entry("efci", "efci", "efci", {}, "step-marking", "step-marking", {"packets": 10}),
        Entry("becn", "becn", "becn", {}, "becn", "becn"),
        # Bursts of 10 packets of 500 bytes, one every 1 ms, are 5 Mbyte/s, which is the rate of the bottleneck.
        Entry("netblt", "netblt", "netblt", {"burst": 10.0, "interval": 0.001, "buffer": 200.0, "buffers": 4.0}),
        # Gong and Parulkar (1992). The second entry has loss-load switches, which the summary of their paper names;
        # these measure rates in 0.1 s, because packets of SSTP declare none.
        Entry("sstp", "sstp", "sstp", _RATE_OF_SSTP),
        Entry(
            "sstp-loss-load", "sstp, loss-load", "sstp", _RATE_OF_SSTP, "loss-load",
            options={"k": 5.0, "window": 0.1, "silence": 1.0},
        ),
    )
}  # fmt: skip


def entry(given: str | Entry | Scheme, discipline: str = "fifo") -> Entry:
    """Return the entry with a name or a label of the paper, or make an entry from another scheme, object or file.

    Parameters
    ----------
    given : str, Entry or Scheme
        "tahoe", "hbh", "my_schemes.py", "my_schemes.py:gentle", any other name in `longfat.sim.schemes.names`, or a
        `longfat.sim.Scheme`.
    discipline : str
        Queue discipline of all switches, for schemes that are not in `ENTRIES`, `TODAY` or `FURTHER`.

    Examples
    --------
    >>> entry("hbh").name, entry("gaimd").bottleneck
    ('hop-by-hop', 'fifo')
    """
    from longfat.sim import queues, schemes

    queues.discipline(discipline)  # checked even if no scheme uses the discipline
    if isinstance(given, Entry):
        return given
    for one in (*ENTRIES.values(), *TODAY.values(), *FURTHER.values()):
        if given in (one.name, one.label):
            return one
    scheme: Any = given
    source = ""
    if isinstance(given, schemes.Scheme):
        # A result store identifies the scheme by the code of its callbacks.
        does = [one and identity.of(one) for one in (given.start, given.ack, given.loss, given.timeout, given.alarm)]
        source = f"{re.sub(' at 0x[0-9a-fA-F]+', '', repr(given))} {discipline} {does}"
    elif user_files.names_file(given):
        scheme = user_files.read(given, schemes.Scheme, what="scheme")
        file = Path(user_files.split(given)[0])
        text = file.read_text(encoding="utf-8", errors="replace")
        source = f"{file.name}:{scheme.name} {discipline}\n{text}"
    elif given not in schemes.NAMED:
        raise unknown("scheme", given, {*ENTRIES, *TODAY, *FURTHER, *schemes.names()})
    name = getattr(scheme, "name", scheme)
    return Entry(name, name, scheme, {}, discipline, discipline, source=source)
