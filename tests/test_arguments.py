"""Arguments that are declared once: what a function gets, what it refuses, and what its signature and help show."""

import inspect

import pytest

from longfat import cli, design
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
    "buffer": {"access_rate", "bandwidth_delay_product", "decrease", "loads", "points", "search", "spread"},
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


def test_senders_are_those_of_the_simulator():
    assert set(arguments.SENDERS) == senders.SENDERS.keys()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"points": -1}, "points = -1 buffers is out of range: must be an integer in [0, 1000]"),
        ({"confidence": "high"}, "confidence = 'high' cannot be read: write e.g. 0.1%; must be in (0, 1)"),
        ({"find": "rtt"}, "find 'rtt' is unknown; available: buffer, burst, threshold"),
        ({"buffr": 1}, "buffer() got an unexpected keyword argument 'buffr'"),
        ({"rate": None}, "rate must be a number [bytes/s] or text such as 1 Gbit/s (as 1 Gbps, 1 gbps, 1G) or"),
    ],
)
def test_what_is_wrong_is_named(given, words):
    with pytest.raises((TypeError, ValueError)) as error:
        design.buffer(**{"rate": "1Gbit/s", "round_trip_time": "100ms", **given})
    assert words in str(error.value)


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match=r"buffer.*missing 1 required keyword-only argument: 'rate'"):
        design.buffer(round_trip_time="100ms")
