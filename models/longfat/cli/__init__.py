"""Command line: each command prints a table, and writes pictures and data files where an option asks for them."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from longfat._version import __version__
from longfat.base.domains import unknown
from longfat.base.extras import MissingLibrary
from longfat.cli.benchmark import benchmark_command
from longfat.cli.buffer import buffer_command
from longfat.cli.curves import curves_command
from longfat.cli.explore import explore_command
from longfat.cli.measured import measured_command
from longfat.cli.simulate import simulate_command
from longfat.cli.testbed import testbed_command
from longfat.cli.vectors import vectors_command
from longfat.cli.verify import verify_command
from longfat.cli.window import window_command


class _Commands(click.Group):
    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if not args[0].startswith("-") and args[0] not in self.commands and not ctx.resilient_parsing:
            raise unknown("command", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, prog_name="longfat")
@click.pass_context
def commands(context: click.Context) -> None:
    """Run models of congestion and flow control for paths with a large bandwidth-delay product."""
    if context.invoked_subcommand is None:  # an error, as in click, so that a script that lacks the command fails
        click.echo(context.get_help(), err=True)
        context.exit(2)


for _command in (
    window_command, simulate_command, testbed_command, measured_command, buffer_command,
    curves_command, benchmark_command, vectors_command, explore_command, verify_command,
):  # fmt: skip
    commands.add_command(_command)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit status: 2 after an error, with one line on stderr, or 1 if a check disagrees."""
    if sys.stdout is None:  # closed by the shell, as with >&-
        return _complain("standard output is closed, so that nothing can be printed")
    if sys.stderr is None:  # closed, as with 2>&-
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if arguments is None:
        _prepare_process()
    terminated = threading.Event()
    try:
        with _interrupted_by_sigterm(terminated):
            status = commands(arguments, prog_name="longfat", standalone_mode=False)
    except click.NoSuchOption as error:  # click's suggestions would include dissimilar names
        known = error.ctx.command.params if error.ctx is not None else []
        flags = [
            flag
            for one in known
            if not getattr(one, "hidden", False)
            for flag in (*one.opts, *one.secondary_opts)
            if flag.startswith("--")
        ]
        return _complain(str(unknown("option", error.option_name, [*flags, "--help"])))
    except click.ClickException as error:
        return _complain(error.format_message())
    except OSError as error:
        return _complain(_of_the_system(error))
    except (TypeError, ValueError, MissingLibrary) as error:
        return _complain(str(error))
    except (KeyboardInterrupt, click.Abort):
        if terminated.is_set():
            print("longfat: terminated, no file was written", file=sys.stderr)
            return 128 + signal.SIGTERM
        print("longfat: interrupted, no file was written", file=sys.stderr)
        return 128 + signal.SIGINT
    return status if isinstance(status, int) else 0  # an int if a command ended with click's Exit


#: Number of new objects after which Python collects garbage. Our choice: with Python's default of 700 objects, garbage
#: collection takes a tenth of the time of imports and frees hardly any memory. 100,000 objects need about 10 MB.
OBJECTS = 100_000


def _prepare_process() -> None:
    """Prepare a process for a single command: collect garbage rarely, and prevent the import of dask."""
    from longfat.base.user_files import hide_clusters

    gc.set_threshold(OBJECTS)
    hide_clusters()


@contextmanager
def _interrupted_by_sigterm(terminated: threading.Event) -> Iterator[None]:
    """Let SIGTERM interrupt a command as Ctrl-C does, so that the command removes temporary files before it ends.

    A second SIGTERM kills the process.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return

    def interrupt(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        terminated.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _of_the_system(error: OSError) -> str:
    """Return the message of an error of the operating system, preceded by the name of the file if it is known."""
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"


def _complain(message: str) -> int:
    print("longfat: " + " ".join(message.split()), file=sys.stderr)
    return 2
