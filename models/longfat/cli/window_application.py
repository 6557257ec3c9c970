"""`longfat window --application`: the window of HTTP/2, gRPC, QUIC or SSH on a path, and its settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from longfat.base.quantities import rounded
from longfat.base.text_tables import labelled
from longfat.cli import paste
from longfat.cli.window_steps import MOST_STREAMS, of_data, said, span, times
from longfat.design.application_windows import APPLICATIONS, BELOW, Application
from longfat.laws.tcp import achievable_throughput

if TYPE_CHECKING:
    from longfat.design.tcp_windows import Answer


def answer_of(name: str, answer: Answer) -> str:
    """Return the answer: what limits an application protocol on a path, up to three steps, lines to paste, a check."""
    one, a = APPLICATIONS[name], answer.attrs
    least, most = a["headers"]
    capacity = (
        float(achievable_throughput(a["rate_low"], a["segment"], most)),
        float(achievable_throughput(a["rate_high"], a["segment"], least)),
    )
    trips = (a["round_trip_time_low"], a["round_trip_time_high"])
    best = max((row["tcp_rate_law"] for row in answer.rows if math.isfinite(row["tcp_rate_law"])), default=0.0)
    if lossy := best < a["target"] * answer.law(0.0):
        capacity = (min(best, capacity[0]), min(best, capacity[1]))
    window = one.window_for(capacity[1], trips[1])
    rates = {default: one.rates(default.window, capacity, trips, default.windows) for default in one.defaults}
    slow = [ends for ends in rates.values() if ends[0] < a["target"] * (1 - BELOW) * capacity[0]]
    listed = "; ".join(f"{size(default.window)} {default.name}: {span(*ends)}" for default, ends in rates.items())
    losses = f", which losses make {span(*capacity)}" if lossy else ""
    limit = f"{listed}; at {span(*trips, 's')}, of the link's {of_data(a)}{losses}"
    steps, lines = ["nothing to set: the default window fills the path"], list[str]()
    if slow:
        limit, steps = f"window of {one.title}: {limit}", _steps(one, window, capacity, min(slow))
        reason = (
            f"{one.about} {size(window)}: rate x round trip, {rounded(capacity[1] * trips[1], 'bytes')}, and an "
            f"update, after {size(one.update(window))} at the latest ({one.source})."
        )
        settings = tuple(line.format(window=window) for line in one.settings)
        lines = [*paste.in_short([paste.Line(reason, settings, brief=True)]), ""]
    else:
        limit = f"not the window of {one.title}: {limit}"
    expected = [f"{paste.rates(*ends)} with {size(default.window)}" for default, ends in rates.items()]
    if slow:
        expected.append(f"{paste.rates(*one.rates(window, capacity, trips))} with {size(window)}")
    tcp = ", TCP no limit" if one.over_tcp else ""
    return "\n".join([
        *said(limit, steps), "", *lines, *labelled("check", one.check),
        *labelled("expect", f"{'; '.join(expected)}. By law: idle path, data read at once{tcp}"),
    ])  # fmt: skip


def _steps(one: Application, window: int, capacity: tuple[float, float], slow: tuple[float, float]) -> list[str]:
    """Return up to three steps with their gains by law."""
    several = "up to " if len(one.defaults) > 1 else ""
    gain, count = several + times(capacity[0] / slow[1]), math.ceil(capacity[0] / slow[0])
    steps = [f"{one.how} of {size(window)} (lines below): {rounded(capacity[0], 'bytes/s')} by law, {gain}"]
    if one.over_tcp:
        steps.append("TCP's own window has to allow it, too: the same command without --application")
    if count <= MOST_STREAMS:
        steps.append(f"without settings: {count} {one.parallel}, as much together")
    return steps


def size(window: int) -> str:
    """Return the size of a window in MiB or KiB if it is a whole number of them, else in bytes.

    >>> size(65535), size(2097152), size(98304)
    ('65,535 bytes', '2 MiB', '96 KiB')
    """
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if window % unit == 0:
            return f"{window // unit:,} {name}"
    return f"{window:,} bytes"
