"""The fields that schemes and disciplines may set; all others belong to the kernel and may only be read.

The kernel follows numbers of rows without looking whether they exist, and keeps counts that have to balance. A plug-in
that overwrote them would crash the interpreter or make results wrong, so `longfat.sim.memory.Guarded` refuses it when
the plug-in is compiled. The list is ours: what the schemes and disciplines that ship need, and what cannot do harm.
"""

from __future__ import annotations

#: Of each record in `longfat.sim.records`, in lower case.
SETTABLE: dict[str, tuple[str, ...]] = {
    "flow": (
        "window", "rate", "inflation", "next", "resend", "limited", "alarm", "request", "header", "ssthresh", "recover",
        "duplicates", "phase", "minimum_rtt", "srtt", "backoff", "ect", "cwr", "pool", "last_paced", "red",
        "red_evenly", "p", "u",
    ),
    "event": ("restart_timer",),
    "link": ("average", "hold", "marked", "note", "notify", "p", "u"),
    "packet": ("marks", "colour", "priority"),
    "header": ("x",),
    "note": ("key", "next", "previous", "u"),
    "queue": ("rate",),
}  # fmt: skip

#: BLT alone also sets the labels of `longfat.sim.kernel.labels`, whose loop ends only with its growth and step.
LABELS = ("burst", "level", "level_end", "level_size")

#: Where a `longfat.sim.Parameter` may be kept, beside ``p``.
PARAMETERS = (
    "window", "rate", "ssthresh", "pool", "rto", "min_rto", "max_rto", "granularity", "tick", "timestamps", "ect",
    "arrival_times", "reorder", "skips", "red",
)  # fmt: skip
#: And those of BLT alone.
LABEL_PARAMETERS = ("growth", "step")


def refusal(row: str, field: str, settable: tuple[str, ...]) -> str:
    """Return the sentence that names a field that was set, and those that may be.

    >>> refusal("event", "now", SETTABLE["event"])
    'it sets event.now, which may only be read; of event it may set restart_timer'
    """
    allowed = ", ".join(settable) if settable else "nothing"
    return f"it sets {row}.{field}, which may only be read; of {row} it may set {allowed}"
