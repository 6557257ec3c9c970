"""The command line: questions asked in words, answers as a table, pictures and data files."""

from __future__ import annotations

import sys

import click

from longfat._version import __version__
from longfat.cli.benchmark import benchmark_command
from longfat.cli.buffer import buffer_command
from longfat.cli.explore import explore_command
from longfat.cli.loss_load import loss_load_command
from longfat.cli.simulate import simulate_command
from longfat.cli.verify import verify_command
from longfat.cli.window import window_command
from longfat.extras import MissingLibrary


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="longfat")
def commands() -> None:
    """Congestion- and flow-control models for paths with a large bandwidth-delay product."""


commands.add_command(window_command)
commands.add_command(simulate_command)
commands.add_command(loss_load_command)
commands.add_command(buffer_command)
commands.add_command(benchmark_command)
commands.add_command(explore_command)
commands.add_command(verify_command)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; every error is one line on stderr and exit status 2. `verify` exits with 1 where laws differ."""
    try:
        status = commands(arguments, prog_name="longfat", standalone_mode=False)
    except click.ClickException as error:
        return _complain(error.format_message())
    except (ValueError, OSError, MissingLibrary) as error:
        return _complain(str(error))
    except (KeyboardInterrupt, click.Abort):
        print("longfat: interrupted, no file was written", file=sys.stderr)
        return 130
    return status if isinstance(status, int) else 0  # what a command said by Exit


def _complain(message: str) -> int:
    print("longfat: " + " ".join(message.split()), file=sys.stderr)
    return 2
