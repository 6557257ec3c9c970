"""`longfat window`: the window and the socket buffers of TCP on a path, or the window of selective repeat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.cli.output import FOLDER, Output, outputs, say, watched
from longfat.cli.parameters import FILE, flag_of, given, option, options, switch
from longfat.design.arguments import SENDERS, TCP_WINDOW, WINDOW

if TYPE_CHECKING:
    from longfat.measured import PathFigures

Names = tuple[str, ...]
SELECTIVE_REPEAT = "selective-repeat"


def _only(protocol: str, one: Any, **other: Any) -> Any:
    """Return an argument as an option of one protocol's answer, with the protocol's name before its help."""
    return replace(one, meaning=f"{protocol}: {one.meaning[0].lower()}{one.meaning[1:]}", **other)


SCHEME = replace(
    TCP_WINDOW["scheme"],
    names=(*SENDERS, SELECTIVE_REPEAT),
    meaning=f"{TCP_WINDOW['scheme'].meaning}. Or selective repeat without congestion control, which is no TCP",
)
OF_TCP = {
    "mss": _only("TCP", TCP_WINDOW["segment"], default="1448B, or that of ``iperf3``"),
    **{name: _only("TCP", TCP_WINDOW[name]) for name in ("buffer", "replications")},
}
OF_SELECTIVE_REPEAT = {
    "segment": _only("Selective repeat", WINDOW["segment"], default="16KiB"),
    "packet": _only("Selective repeat", WINDOW["packet"], default="1024B, or that of ``iperf3``"),
    "source": _only("Selective repeat", WINDOW["source"]),
    "points": _only("Selective repeat", WINDOW["points"], domain="[2, 10000]"),
    "tradeoff": _only("Selective repeat", WINDOW["tradeoff"]),
}


@click.command("window", short_help="Window, socket buffers and rate of TCP on a path.")
@click.argument("files", nargs=-1, type=FILE)
@options(TCP_WINDOW, "rate", "round_trip_time", "loss", optional=True, required=False)
@options({"scheme": SCHEME}, show_default="cubic, that of Linux")
@option("--iperf3", FILE, "Output of iperf3 --json; more files may follow.", multiple=True)
@option("--ping", FILE, "Output of ping; more files may follow.", multiple=True)
@option("--measured", FILE, "Any file that longfat measured reads; more may follow.", multiple=True)
@options(TCP_WINDOW, "target")
@options(OF_TCP | OF_SELECTIVE_REPEAT, optional=True)
@options(TCP_WINDOW, "confidence", "rng")
@switch("--no-simulation", "TCP: end behind the answer of the law, which is printed at once.")
@outputs(directory=FOLDER.format("window"))
def window_command(
    output: Output, files: Names, iperf3: Names, ping: Names, measured: Names, no_simulation: bool, **flags: Any
) -> None:
    """Find the window and the socket buffers of TCP on a path, and the rate that it reaches.

    FILES are measurements: of iperf3, ping and others. Options override them. For TCP prints the answer of the law with
    lines to paste, then, while they are simulated, the rates, and the command that checks them with the rate to expect;
    nothing is changed on this machine. With --scheme selective-repeat: the smallest window of a sender without
    congestion control. No file is written if FILES show that no window raises the rate, as with a policer.
    """
    from longfat import measured as measurements

    asked = given(flags | {"no_simulation": no_simulation or None})
    selective = asked["scheme"] == SELECTIVE_REPEAT
    needed = "a --scheme of TCP" if selective else f"--scheme {SELECTIVE_REPEAT}"
    for name in (*OF_TCP, "no_simulation") if selective else OF_SELECTIVE_REPEAT:
        if name in asked:
            raise conflict(flag_of(name), f"needs {needed}")
    with output:
        read = [*ping, *iperf3, *measured, *files]
        found = measurements.read(*read) if read else measurements.PathFigures()
        (_selective_repeat if selective else _tcp)(asked, found, output)


def _tcp(asked: dict[str, Any], found: PathFigures, output: Output) -> None:
    """Answer for TCP: by the law, and then simulated."""
    from longfat.cli import window_path, window_tcp
    from longfat.design import tcp_windows
    from longfat.measured.diagnosis import diagnosis

    verdict = diagnosis(found) if found.transport == "TCP" else None
    if verdict is not None and verdict.is_beyond_windows:
        say("\n".join([*verdict.lines(), "", *window_path.NO_WINDOW]))
        return
    path = window_path.of_tcp(asked, found, verdict)
    steps = tcp_windows.answers(**path.arguments, progress=watched())
    answer = next(steps)
    answer.attrs |= path.attrs
    say(window_tcp.by_law(answer, path))
    for lines in () if "no_simulation" in asked else window_tcp.simulated(answer, steps):
        say(lines)
    data = answer.dataset() if output.writes else None
    output.emit(
        lambda: window_tcp.end(answer, path), csv=lambda: window_tcp.csv(answer), name="window", data=data,
        pictures={"window": lambda plot: plot.tcp_rates(data).figure},
    )  # fmt: skip


def _selective_repeat(asked: dict[str, Any], found: PathFigures, output: Output) -> None:
    """Answer for selective repeat."""
    from longfat import design
    from longfat.cli import window_path, window_segments

    path = window_path.of_selective_repeat(asked, found)
    data = design.window(**path.arguments, progress=watched()).assign_attrs(path.attrs)
    pictures = {"window": lambda plot: plot.window_curves(data).figure}
    if "tradeoff" in data.dims:
        pictures["receive_buffer"] = lambda plot: plot.buffer_curves(data).figure
    output.emit(
        lambda: window_segments.answer(data, path.remarks), csv=lambda: window_segments.csv(data), name="window",
        data=data, pictures=pictures,
    )  # fmt: skip
