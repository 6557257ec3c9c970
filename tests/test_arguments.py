"""Arguments that are declared once: what a function gets, what it refuses, and what its signature and help show."""

import inspect
import math
import re

import numpy as np
import pytest

from longfat import cli, design
from longfat.base.argument import Argument, Setting
from longfat.base.domains import Interval
from longfat.cli.parameters import flag_of
from longfat.design import arguments, senders

DECLARED = {
    "buffer": (arguments.BUFFER, "buffer"),
    "tcp_window": (arguments.TCP_WINDOW, "window"),
    "window": (arguments.WINDOW, ""),
    "curves": (arguments.CURVES, "curves"),
    "loss_load": (arguments.LOSS_LOAD, ""),
}
#: Arguments without an option of their own: `--mss` is the segment of TCP; those for few users, and all of selective
#: repeat and of loss-load curves, are for Python. A range for `--rtt` is a spread.
WITHOUT = {
    "tcp_window": {"segment", "target", "replications", "confidence", "rng"},
    "window": arguments.WINDOW.keys(),
    "buffer": {"access_rate", "bandwidth_delay_product", "loads", "points", "spread"},
    "loss_load": arguments.LOSS_LOAD.keys(),
    "curves": {"load"},
}


@pytest.mark.parametrize("name", DECLARED)
def test_signature_docstring_and_command_have_each_argument(name):
    declared, command = DECLARED[name]
    function = getattr(design, name)
    assert declared.keys() <= inspect.signature(function).parameters.keys()
    flags = {flag for param in (cli.commands.commands[command].params if command else []) for flag in param.opts}
    for argument, one in declared.items():
        assert f"\n{argument} : " in function.__doc__
        assert argument in WITHOUT.get(name, ()) or flag_of(argument) in flags
        default = inspect.signature(function).parameters[argument].default
        assert (default is inspect.Parameter.empty) == one.required
        if not one.required:
            one.read(argument, default)  # is what the function takes


PATH = {"rate": "1Gbit/s", "round_trip_time": "100ms"}
#: What each function needs.
NEEDED = {
    "buffer": PATH,
    "tcp_window": PATH,
    "window": PATH | {"loss": 1e-3, "segment": "16KiB", "packet": "1024B"},
    "curves": {},
    "loss_load": PATH | {"loss": 0.1, "sources": 2, "file": "2MB"},
}


def wrong(one):
    """Return values outside the domain of an argument, or unknown words, each with the sentence that refuses it."""
    if isinstance(one, Setting):
        return [("nosuch", f"'nosuch' is unknown; available: {', '.join(sorted(one.names))}")] if one.names else []
    domain = Interval.parse(one.domain)
    values = [domain.low - 1 if domain.includes_low else domain.low]
    values += [domain.high + 1 if domain.includes_high else domain.high]
    if one.kind:  # the function itself converts it, and has refusals of its own
        numbers = [int(value) for value in values if math.isfinite(value)]
        return [(value, "") for value in (*numbers, math.nan, *([[]] if "sequence" in one.kind else []))]
    sentence = f"is out of range: must be {'an integer ' * one.integer}in {domain}"
    found = [(value, sentence) for value in (*values, math.nan) if not domain.contains(value)]
    found += [(1.5 * domain.low + 0.25, sentence)] if one.integer else []
    return [*found, ("fast", "cannot be read" if one.text_unit else "must be a number")]


#: Domains as literals: `wrong` reads those of the code, and would follow an error in them.
DOMAINS = {
    "(0, inf)": "buffer.rate buffer.round_trip_time window.rate window.round_trip_time loss_load.rate",
    "[1, 10000]": "buffer.flows tcp_window.flows curves.flows",
    "[1, inf)": "buffer.file window.segment window.packet loss_load.file",
    "(0, 1]": "buffer.share",
    "[1, 1e6]": "buffer.packet",
    "(0, inf]": "buffer.access_rate",
    "[0, 0.9]": "buffer.spread curves.spread",
    "(0, 1)": "buffer.confidence tcp_window.target window.target window.confidence",
    "[10, 1e7]": "buffer.bandwidth_delay_product",
    "[0, 1000]": "buffer.points",
    "[2, 1e6]": "buffer.replications tcp_window.replications curves.replications loss_load.replications",
    "[0, 1)": "tcp_window.loss window.loss loss_load.loss",
    "[1, 65495]": "tcp_window.segment",
    "[0, 10000]": "window.points",
    "(0, 100]": "curves.buffer curves.at",
    "[1, 1e12]": "curves.file",
    "(0, 0.5]": "curves.load",
    "[1, 50]": "loss_load.k",
    "[1, 1000]": "loss_load.sources",
    "[2, 1000]": "loss_load.points",
}  # fmt: skip


def test_domains():
    for domain, names in DOMAINS.items():
        for function, argument in (name.split(".") for name in names.split()):
            assert DECLARED[function][0][argument].domain == domain, (function, argument)


@pytest.mark.parametrize("name", DECLARED)
def test_values_that_are_not_declared_are_refused(name):
    for argument, one in DECLARED[name][0].items():
        for value, words in wrong(one):
            message = f"{argument} = {value} is accepted"
            try:
                getattr(design, name)(**NEEDED[name] | {argument: value})
            except (TypeError, ValueError) as error:
                message = str(error)
            assert re.search(rf"^{argument} .*{re.escape(words)}", message)


def test_senders_are_those_of_the_simulator():
    assert set(arguments.SENDERS) == senders.SENDERS.keys()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"buffr": 1}, "buffer() got an unexpected keyword argument 'buffr'"),
        ({"rate": None}, "rate must be a number [bytes/s] or text such as 1 Gbit/s (as 1 Gbps, 1 gbps, 1G) or"),
    ],
)
def test_a_wrong_argument_is_named(given, words):
    with pytest.raises((TypeError, ValueError)) as error:
        design.buffer(**{"rate": "1Gbit/s", "round_trip_time": "100ms", **given})
    assert words in str(error.value)


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match=r"buffer.*missing 1 required keyword-only argument: 'rate'"):
        design.buffer(round_trip_time="100ms")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], r"loss = \[\] is out of range: must be one value or more"),
        ([0.5, 0.5], r"loss = \[0.5, 0.5\] is out of range: must be one value or more, all different"),
        ("50%, 0.5", "loss = '50%, 0.5' is out of range: must be one value or more, all different"),
        ("1e-4,,1", r"loss\[1\] = ''"),
        ("0.1,2", r"loss\[1\] = 2 is out of range: must be in \[0, 1\)"),
        ((2,), r"loss = 2 is out of range"),
        ("", "loss = ''"),
        ([None, 0.5], r"loss\[0\] must be a number"),
    ],
)
def test_several_values_that_are_refused(given, words):
    with pytest.raises((TypeError, ValueError), match=f"^{words}"):
        Argument("probability", "[0, 1)").each("loss", given)


@pytest.mark.parametrize("given", [[0.25, 0.5], (0.25, "50%"), "0.25, 50%", np.array([0.25, 0.5]), iter([0.25, 0.5])])
def test_several_values_as_users_give_them(given):
    assert Argument("probability", "[0, 1)").each("loss", given) == [0.25, 0.5]


@pytest.mark.parametrize("given", [7, 7.0, np.int64(7), np.array(7), [7]])
def test_one_value_is_a_sequence_of_one(given):
    assert arguments.FLOWS.each("flows", given) == [7]
