"""`longfat window`: the window, the socket buffers and the rate of TCP on a path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from longfat.base.argument import Argument
from longfat.base.domains import conflict
from longfat.base.text_tables import labelled
from longfat.cli.output import FOLDER, Output, outputs, print_answer, shows_progress
from longfat.cli.parameters import FILE, VERBOSE, Text, given, option, options, switch
from longfat.design.arguments import APPLICATION, TCP_WINDOW

MEASURED = {
    "mss": replace(TCP_WINDOW["segment"], default=f"{TCP_WINDOW['segment'].default}, or as measured"),
    "flows": replace(TCP_WINDOW["flows"], default=f"{TCP_WINDOW['flows'].default}, or as measured"),
}
FILE_SIZE = {
    "transfer_size": Argument(
        "bytes", "[1, inf)", meaning="File size, for its transfer time", optional=True
    ),
}  # fmt: skip


@click.command("window", short_help="Window, socket buffers and rate of TCP on a path.")
@click.argument("files", nargs=-1, type=FILE)
@options(TCP_WINDOW, "rate", "round_trip_time", "loss", optional=True, required=False)
@options(TCP_WINDOW, "scheme")
@option("--kernel", Text("version", "a version of Linux"), "Version of Linux on both hosts, e.g. 6.18.")
@options(MEASURED, optional=True)
@options(TCP_WINDOW, "buffer")
@options(FILE_SIZE)
@options(APPLICATION, optional=True, required=False, metavar="NAME")
@switch("--no-simulation", "End after the answer of the law.")
@VERBOSE
@outputs(directory=FOLDER.format("window"))
def window_command(
    output: Output,
    files: tuple[str, ...],
    no_simulation: bool,
    verbose: bool,
    kernel: str | None,
    application: str | None,
    transfer_size: int | None,
    **flags: Any,
) -> None:
    """Print the limit of TCP's rate on a path, steps that raise the rate, and lines to paste for them.

    FILES are measurements (iperf3, ping, ss, captures; see longfat measured), and the output of sysctl -a of the hosts.
    Options override the files. The answer of the law is printed first, the results of simulations follow. Nothing is
    changed on this machine.
    """
    from longfat.cli import window_path, window_steps, window_tcp
    from longfat.design import tcp_windows

    if application is not None and (output.writes or transfer_size is not None):
        other = "--output" if output.writes else "--transfer-size"
        raise conflict("--application", f"excludes {other}", "the answer for an application is text only")
    if application is not None and flags.get("flows") is not None:
        raise conflict("--application", "excludes --flows", "its answer is for one connection")
    with output:
        path = window_path.read(files, given(flags), kernel)
        verdict = path.verdict
        if verdict is not None and verdict.is_beyond_windows:
            last = "No window and no socket buffer raises this rate: no lines to paste, and no file was written."
            made = [*window_steps.said(verdict.limit, verdict.steps), *labelled("measure", verdict.measurement)]
            print_answer("\n".join([*made, "", last]))
            return
        arguments, remarks = path.arguments()
        steps = tcp_windows.answers(**arguments, progress=shows_progress())
        answer = next(steps)
        answer.attrs |= {"remarks": "\n".join(remarks), "rate_measured_by": path.rate_measured_by}
        if application is not None:
            from longfat.cli.window_application import answer_of

            print_answer(answer_of(application, answer))
            return
        print_answer(window_tcp.by_law(answer, path, verbose))
        if transfer_size is not None:
            print_answer(window_tcp.transfer(answer, transfer_size, simulate=not no_simulation))
        for lines in () if no_simulation else window_tcp.simulated(answer, path, steps):
            print_answer(lines)
        data = answer.dataset() if output.writes else None
        output.emit(
            lambda: window_tcp.end(answer, path, verbose), csv=lambda: window_tcp.csv(answer), name="window", data=data,
            pictures={"window": lambda plot: plot.tcp_rates(data).figure},
        )  # fmt: skip
