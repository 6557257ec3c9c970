"""Argument and options of the commands that run a scenario, and the options of its run that they override."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import say
from longfat.cli.parameters import Integer, PathName, Quantity

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _list(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the scenarios that come with longfat if they are wanted; otherwise a scenario is needed."""
    if context.resilient_parsing:
        return
    scenario = context.params["scenario"]
    if not wanted:
        if scenario is None:
            raise click.MissingParameter(ctx=context, param_hint="'NAME|FILE'", param_type="argument")
        return
    if scenario is not None:
        from longfat.base.domains import conflict

        raise conflict("--list", f"excludes NAME|FILE, got {scenario!r}")
    from longfat.sim.network.scenario import SHIPPED, shipped

    names = shipped()
    width = max(map(len, names))
    say("\n".join(f"{name:<{width}}  {words}" for name, words in names.items()) + f"\n\nfiles: {SHIPPED}")
    context.exit()


#: Read first (`is_eager`), because --list needs it to be absent, and all else needs it.
SCENARIO = click.argument("scenario", metavar="NAME|FILE", type=PathName("file"), required=False, is_eager=True)
LIST = click.option(
    "--list",
    is_flag=True,
    expose_value=False,
    callback=_list,
    help="List the scenarios that come with longfat, and exit.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, in s, bytes/s, packets and shares of 1.")
SEED = click.option(
    "--seed", type=Integer("1", 0), show_default="rng of the scenario, or 0", help="Seed of the random numbers."
)
TRUST = click.option("--trust", is_flag=True, help="Allow FILE to load Python files outside its folder.")
#: Options of the command line, and the options of the run that they override.
OVERRIDES = {"duration": "duration", "seed": "rng", "replications": "replications"}


def duration(help_text: str) -> Decorator:
    """Return the option for the time to run."""
    return click.option("--duration", type=Quantity("duration", min=0, min_open=True), help=help_text)


def replications(most: int) -> Decorator:
    """Return the option for the number of replications."""
    words = "Number of replications; overrides the scenario's."
    return click.option("--replications", type=Integer("runs", 1, most), help=words)


def load(scenario: str, trust: bool, flags: dict[str, Any]) -> tuple[Network, dict[str, Any]]:
    """Return the network, and the options of its run with those of the command line."""
    from longfat.sim.network.scenario import load

    net, options = load(scenario, trust=trust)
    options = {"rng": 0} | options
    return net, options | {name: flags[flag] for flag, name in OVERRIDES.items() if flags.get(flag) is not None}
