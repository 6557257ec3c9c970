"""Answer of `longfat window` for TCP: the answer of the law with lines to paste, then the results of simulations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from longfat.base.quantities import rounded
from longfat.base.text_tables import csv_of, labelled
from longfat.cli import paste, window_lines
from longfat.cli.output import MORE, shows_progress
from longfat.cli.tables import percent
from longfat.cli.window_path import Path
from longfat.cli.window_steps import begin, loss_of, name_of, of_streams, rates_by_law, span
from longfat.design.senders import SENDERS
from longfat.design.tcp_windows import Answer
from longfat.measured.figures import DOUBT

#: Input whose range affects the rate most -> advice to narrow this range. The relative width of the interval of a loss
#: count is inversely proportional to the square root of the count.
MEASURE = {
    "loss": "the estimate of the loss: measure it four times as long, which halves the interval of a count",
    "rate": "the rate of the link: find it out (contract, shaper, tc), or measure it by UDP",
    "round_trip_time": "the round-trip time: take the minimum of ping while nothing else is sent",
}
#: Prefixes of remarks that are always shown, because the answer assumes another loss than the counted one.
ASSUMED = ("loss: taken", "loss: none")


def by_law(answer: Answer, path: Path, verbose: bool) -> str:
    """Return the answer without simulations: limit, steps and lines to paste; with ``verbose`` also path and law."""
    said, remarks = begin(answer, path), answer.attrs["remarks"].splitlines()
    for remark in [one for one in remarks if one.startswith(ASSUMED)][:1]:
        said += labelled("losses", remark.removeprefix("loss: "))
    for remark in [one for one in remarks if one.startswith(DOUBT)]:
        said += labelled("remark", remark)
    parts = [said]
    if verbose:
        parts.append([line for label, words in _explained(answer, path) for line in labelled(label, words)])
    if not path.no_window:
        parts.append(paste.shown(window_lines.settings(answer.attrs, path, verbose), apart=verbose))
    return "\n".join(line for part in parts for line in (*part, ""))


def _explained(answer: Answer, path: Path) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: path, sender, law, and the input with the largest effect."""
    a = answer.attrs
    counted = "data, without headers" if a["rate_measured"] else "with headers"
    yield (
        "path",
        f"{span(a['rate_low'], a['rate_high'], digits=6)} ({counted}), round trip "
        f"{span(a['round_trip_time_low'], a['round_trip_time_high'], 's', 6)}: bandwidth-delay product (BDP) "
        f"{rounded(a['bandwidth_delay_product'], 'bytes')} of data",
    )
    flows = "one flow" if a["flows"] == 1 else f"{a['flows']} flows"
    yield "sender", f"{flows} of {SENDERS[a['scheme']].about}; {a['segment']} bytes of data in a packet"
    for remark in a["remarks"].splitlines():
        if not remark.startswith((*ASSUMED, DOUBT)):
            yield "remark", remark
    yield "law", f"{rates_by_law(answer)} ({SENDERS[a['scheme']].law})"
    if path.verdict is None or path.verdict.is_of_network:
        yield from _decides(answer.effects)


def transfer(answer: Answer, size: float, simulate: bool) -> str:
    """Return a line with the transfer time of a file by the law of slow start and, if ``simulate``, as simulated.

    The simulation has the first of the losses.
    """
    loss, header = answer.rows[0]["loss"], sum(answer.attrs["headers"]) / 2
    law, found = answer.path.transfer_time(size, loss, header, simulate=simulate, progress=shows_progress())
    words = (
        f"{rounded(size, 'bytes')} alone on the path: {rounded(law, 's', 3)} by the law of slow start without losses"
    )
    if found is not None:
        words += f", {rounded(found, 's', 3)} simulated" + " in one run, others differ" * (loss > 0)
    return "\n".join([*labelled("transfer", words), ""])


def simulated(answer: Answer, path: Path, steps: Iterator[Answer]) -> Iterator[str]:
    """Yield lines with results as soon as they are simulated: the rate at each loss, and BBR beside CUBIC."""
    if path.rate_measured_by:  # a simulated link of the measured rate would limit the flow
        for _ in answer.rows:
            next(steps)
    else:
        for k, (row, _) in enumerate(zip(answer.rows, steps, strict=False)):  # `steps` goes on after the rows
            yield from labelled("simulated" if k == 0 else "", _long(row, len(answer.rows) > 1))
    next(steps)
    if not path.rate_measured_by and (beside := _beside(answer)):
        yield from labelled("", beside)


def _long(row: dict[str, float], several: bool) -> str:
    """Format the simulated rate of a long transfer with its interval, and BBR's losses if they exceed the path's."""
    low, high = row["tcp_rate_lower"], row["tcp_rate_upper"]
    between = f" ({span(low, high)})" if low < high else ""
    lost = f", {percent(row['tcp_lost'], 2)} of packets lost" if row["tcp_lost"] > row["loss"] else ""
    at = f" at a loss of {loss_of(row)}" if several else ""
    return f"{rounded(row['tcp_rate'], 'bytes/s')}{between} in a long transfer{at}{lost}"


def _beside(answer: Answer) -> str:
    """Return a text on the share and the losses of a BBR flow that competes with CUBIC; empty if not simulated."""
    from longfat.design.beside_cubic import SHORT

    values = answer.values
    if math.isnan(values["bbr_share"]):
        return ""
    share, low, high = (100 * values[f"bbr_share{end}"] for end in ("", "_lower", "_upper"))
    loss, short = (100 * values[name] for name in ("bbr_loss", "bbr_loss_short"))
    return (
        f"BBR beside one CUBIC flow: {share:.3g}% ({low:.3g} .. {high:.3g}%) of the rate, {loss:.2g}% lost "
        f"({short:.2g}% with {SHORT:g} BDP of buffer)"
    )


def end(answer: Answer, path: Path, verbose: bool) -> str:
    """Return the last lines: with ``verbose`` the largest loss at which the sender fills the link, then the check."""
    last = labelled("fills", _filling(answer)) if verbose else []
    if path.no_window:
        last.append("No window changes this rate: no lines to paste. --loss 0 gives those without the losses.")
    return "\n".join([*last, *window_lines.check(answer, path), *([] if verbose else [MORE])])


def _filling(answer: Answer) -> str:
    """Return a text on the largest loss at which the sender fills the link by law."""
    a, name = answer.attrs, name_of(answer.attrs)
    law = answer.values["tcp_filling_loss_law"]
    if SENDERS[a["scheme"]].is_bbr:
        return f"{name} keeps its rate up to a loss of {law:.2g} (law)"
    if answer.reachable < a["target"] * answer.capacity:
        return f"TCP's largest window keeps {name}{of_streams(a)} from carrying {percent(a['target'])} of this link"
    return (
        f"a long transfer of {name}{of_streams(a)} carries {percent(a['target'])} of this link up to a loss of "
        f"{law:.2g} (law), and no window or buffer changes that"
    )


def _decides(found: dict[str, float]) -> Iterator[tuple[str, str]]:
    """Yield a label and a text on the input whose range most affects the rate by law, if any input is a range."""
    if found:
        name = max(found, key=lambda one: found[one])
        factors = ", ".join(f"{key.replace('_', ' ')} {factor:.3g}" for key, factor in found.items())
        what = MEASURE[name] if found[name] >= 1.01 else "no range"
        yield "decides", f"{what}. By law the ranges change the rate by these factors: {factors}"


def csv(answer: Answer) -> str:
    """Convert the answer to CSV, with a row for each loss."""
    data = answer.dataset().drop_dims("law_loss")
    every = data if "loss" in data.dims else data.expand_dims("loss")
    return csv_of(every.to_dataframe().reset_index(), every)
