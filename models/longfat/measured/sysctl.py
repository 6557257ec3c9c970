"""Reader of the output of ``sysctl -a``: settings of TCP, which limit the windows of a host's connections."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from longfat.measured.figures import Measurement, PathFigures

KIND = "sysctl -a"
_LINE = re.compile(r"^(net\.\S+|kernel\.osrelease) ?=(.*)$", re.MULTILINE)
#: Setting to read -> how many numbers its value has (kernel documentation, networking/ip-sysctl).
_NUMBERS = {
    "net.ipv4.tcp_rmem": 3,
    "net.ipv4.tcp_wmem": 3,
    "net.ipv4.tcp_mem": 3,
    "net.ipv4.tcp_window_scaling": 1,
    "net.ipv4.tcp_moderate_rcvbuf": 1,
}
_NEEDED = ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")


@dataclass(frozen=True)
class Settings(Measurement):
    """Settings of a host; a `Measurement` with empty figures, because settings do not describe a path."""

    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)  # numbers of each setting of TCP, by its name
    kernel: str = ""  # version of Linux; empty if the file does not contain it


def looks_like(text: str) -> bool:
    """Return whether a text may be the output of sysctl."""
    return bool(_LINE.search(text))


def read(path: str, text: str) -> Settings:
    """Return the settings of TCP in the output of sysctl; ignore all other settings.

    Refuse a file without tcp_rmem or tcp_wmem, with two values of a setting, or with numbers that Linux cannot have.
    """
    found: dict[str, str] = {}
    for name, value in _LINE.findall(text):
        if found.setdefault(name, value.strip()) != value.strip():
            raise ValueError(f"the file holds two values of {name}: give the settings of one host in a file")
    numbers = {name: _numbers(name, found[name], count) for name, count in _NUMBERS.items() if name in found}
    for name in _NEEDED:
        if name not in numbers:
            raise ValueError(f"the file lacks {name}: give the whole output of {KIND}")
    last = text[text.rfind("\n") + 1 :].partition("=")[0].strip()
    if last in numbers:
        raise ValueError(f"the file ends within the line of {last}: was it cut off?")
    return Settings(path, KIND, PathFigures(), (), numbers, found.get("kernel.osrelease", ""))


def _numbers(name: str, text: str, count: int) -> tuple[int, ...]:
    """Return the numbers of a setting; raise a ValueError unless ``text`` is ``count`` non-negative integers."""
    words = text.split()
    if len(words) != count or not all(re.fullmatch("[0-9]{1,19}", word) for word in words):
        raise ValueError(f"{name} holds {text!r:.40}, must hold {count} number{'s' * (count > 1)}")
    return tuple(map(int, words))
