"""`longfat window --application`: rate that a window of HTTP/2, gRPC, QUIC or SSH allows, and settings to raise it."""

from __future__ import annotations

import math

from longfat.base.domains import out_of_range
from longfat.base.quantities import rounded
from longfat.base.text_tables import labelled
from longfat.cli import paste
from longfat.cli.window_steps import LEAST_GAIN, at_most, of_data, said, span, times
from longfat.design.application_windows import APPLICATIONS, BELOW, KIB, MIB, Application
from longfat.design.tcp_windows import Answer

#: Least number of blocks of 1 MiB that a check sends; a check that would send fewer has blocks of 1 KiB. Our choice:
#: the number of blocks is rounded up, so that a check lasts at most a tenth longer than `longfat.cli.paste.CHECK`.
LEAST_BLOCKS = 10


def answer_of(name: str, answer: Answer) -> str:
    """Return the answer for an application protocol as text: its limit on the path, steps, lines and a check."""
    one, a = APPLICATIONS[name], answer.attrs
    capacity = answer.link
    trips = (a["round_trip_time_low"], a["round_trip_time_high"])
    best, less = at_most(answer), "losses make"
    if best == 0.0:
        losses = ", ".join(f"{row['loss']:.3g}" for row in answer.rows)
        raise out_of_range("loss", losses, "1", "a smaller loss with --application, where a law of TCP holds")
    if one.over_tcp and answer.reachable < best:
        best, less = answer.reachable, "TCP's largest window makes"
    if limited := best < a["target"] * answer.capacity:
        capacity = (min(best, capacity[0]), min(best, capacity[1]))
    window, goal = one.window_for(capacity[1], trips[1]), a["target"] * (1 - BELOW) * capacity[0]
    rates = {default: one.rates(default.window, capacity, trips, default.windows) for default in one.defaults}
    reached = one.rates_with(window, capacity, trips)
    rate = reached[0] / (1 - BELOW)
    slow = {default: ends for default, ends in rates.items() if ends[0] < goal}
    settings = [line for default in slow for line in default.raised_to(window, one.largest)]
    listed = "; ".join(f"{size(default.window)} {default.name}: {span(*ends)}" for default, ends in rates.items())
    left = f", which {less} {span(*capacity)}" if limited else ""
    limit = f"window of {one.title}: {listed}; at {span(*trips, 's')}, of the link's {of_data(answer)}{left}"
    expected, lines = list(rates.items()), list[str]()
    if not slow:
        carry = "they carry that rate" if limited else "they fill the path"
        limit, steps = f"not the {limit}", [f"nothing to set for programs with these defaults: {carry}"]
    elif not settings or rate < LEAST_GAIN * min(slow.values())[1]:
        limit = f"possibly the {limit}"
        steps = ["nothing to set for programs with these defaults: they fill the path if updates are early; check it"]
    else:
        steps, expected = _steps(one, window, rate, min(slow.values())), []
        in_flight = f"rate x round trip, {rounded(capacity[1] * trips[1], 'bytes')}"
        why = f"{in_flight}, and an update, after {size(one.update(window))} at the latest ({one.source})"
        why = f"as large as {one.title} allows, less than {in_flight}, and an update" if window == one.largest else why
        reason = f"{one.about} {size(window)}: {why}. Larger defaults have no line."
        lines = [*paste.shown([paste.Line(reason, tuple(settings))], brief=True), ""]
    with_each = [(size(default.window), ends) for default, ends in expected] or [(size(window), reached)]
    _, unit = paste.format_of(max(high for _, (_, high) in with_each))
    of_bytes = {"kbit/s": "kB/s", "Mbit/s": "MB/s"}[unit]
    expect = "; ".join(
        f"{paste.rates(*ends, unit)} ({paste.rates(*ends, of_bytes)}) with {each}" for each, ends in with_each
    )
    sent = paste.CHECK * max(high for _, (_, high) in with_each)
    block, named = (MIB, "1M") if sent >= LEAST_BLOCKS * MIB else (KIB, "1K")
    check = one.check.replace("BLOCK", named).replace("COUNT", str(math.ceil(sent / block)))
    tcp = ", TCP no limit; senders with BBR up to 17 % less" if one.over_tcp else ""
    return "\n".join([
        *said(limit, steps), "", *lines, *labelled("check", check),
        *labelled("expect", f"{expect}. By law: idle path, data read at once{tcp}"),
    ])  # fmt: skip


def _steps(one: Application, window: int, rate: float, slow: tuple[float, float]) -> list[str]:
    """Return up to three steps; gains compare ``rate`` by law with ``slow``, the rates with the slowest default."""
    least, most = times(rate / slow[1]), times(rate / slow[0])
    gain = f"up to {most}" if len(one.defaults) > 1 or least == most else f"{least.split()[0]} to {most}"
    count = math.ceil(rate / slow[0])
    steps = [f"{one.how} of {size(window)} (lines below): {rounded(rate, 'bytes/s')} by law, {gain}"]
    if one.over_tcp:
        steps.append("TCP's own window has to allow it, too: the same command without --application")
    if count <= paste.MOST_STREAMS:
        steps.append(f"without settings: {count} {one.parallel}, as much together")
    return steps


def size(window: int) -> str:
    """Format the size of a window in MiB or KiB if it is a whole number of them, else in bytes.

    >>> size(65535), size(2097152), size(98304)
    ('65,535 bytes', '2 MiB', '96 KiB')
    """
    for unit, name in ((MIB, "MiB"), (KIB, "KiB")):
        if window % unit == 0:
            return f"{window // unit:,} {name}"
    return f"{window:,} bytes"
