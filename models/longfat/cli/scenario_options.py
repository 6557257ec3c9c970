"""Argument and options of the commands that run a scenario; the options override those of the scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.cli.output import outputs, print_answer
from longfat.cli.parameters import DIRECTORY, FILE, Decorator, option, options, switch
from longfat.sim.network.options import RUN_OPTIONS

if TYPE_CHECKING:
    from longfat.sim.network.network import Network


def _list(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the bundled scenarios if --list is given; otherwise require a scenario."""
    if context.resilient_parsing:
        return
    scenario = context.params["scenario"]
    if not wanted:
        if scenario is None:
            raise click.MissingParameter(ctx=context, param_hint="'NAME|FILE'", param_type="argument")
        return
    if scenario is not None:
        raise conflict("--list", f"excludes NAME|FILE, got {scenario!r}")
    from longfat.sim.network.scenario import SHIPPED, shipped

    names = shipped()
    width = max(map(len, names))
    print_answer("\n".join(f"{name:<{width}}  {words}" for name, words in names.items()) + f"\n\nfiles: {SHIPPED}")
    context.exit()


#: Options of the run that the command line can override.
OVERRIDES = ("duration", "rng", "replications")
PCAP = option("--pcap", DIRECTORY, "Directory for senders.pcap and receivers.pcap: the first run's packets.")


def of_run(figure: str) -> Decorator:
    """Return a decorator that adds the output options of commands that run a scenario.

    ``figure`` is the help text of --figure.
    """
    return outputs(
        json="Print JSON, in s, bytes/s, packets and fractions of 1.",
        directory="Directory for run.nc, flows.csv, links.csv and pictures.",
        figure=figure,
    )


def scenario(lasts: str, most: int) -> Decorator:
    """Return a decorator that adds the scenario and the options of its run.

    ``lasts`` is the help text of --duration, ``most`` the largest value of --replications.
    """
    added = (
        # Click must process this argument before --list (`is_eager`), whose callback checks whether a scenario is
        # given.
        click.argument("scenario", metavar="NAME|FILE", type=FILE, required=False, is_eager=True),
        click.option(
            "--list", is_flag=True, expose_value=False, callback=_list,
            help="List the scenarios that come with longfat, and exit.",
        ),
        options({
            "duration": replace(
                RUN_OPTIONS["duration"], domain="(0, inf)", meaning=f"{lasts}, e.g. 60s; overrides the scenario's",
            ),
            "rng": replace(RUN_OPTIONS["rng"], otherwise="rng of the scenario, or 0"),
            "replications": replace(
                RUN_OPTIONS["replications"], domain=f"[1, {most}]",
                meaning=f"{RUN_OPTIONS['replications'].meaning}; overrides the scenario's",
            ),
        }, required=False),
        switch("--trust", "Allow FILE to load Python files outside its folder."),
    )  # fmt: skip

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(added):
            command = one(command)
        return command

    return decorate


def load(scenario: str, trust: bool, asked: dict[str, Any]) -> tuple[Network, dict[str, Any]]:
    """Load a scenario; return its network and the options of its run; those of `OVERRIDES` in ``asked`` win."""
    from longfat.sim.network.scenario import load

    net, options = load(scenario, trust=trust)
    return net, {"rng": 0} | options | {name: asked[name] for name in OVERRIDES if name in asked}
