"""Reading of measurements from files, whose kind is recognised by their content."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from os import PathLike

from longfat.base.progress import announced
from longfat.measured import crusader, flent, iperf3, iperf3_text, ndt7, pcap, ping, qlog, ss, sysctl, tc
from longfat.measured.combining import path_of
from longfat.measured.fields import LONGEST_TEXT, MARKS, opened, parsed, text_of
from longfat.measured.figures import Measurement, PathFigures

#: Modules that recognise and read a kind of file, from its parsed JSON or from its text.
_JSON = (iperf3, ndt7, qlog, flent)
_TEXT = (iperf3_text, tc, ss, ping, sysctl)
#: Names of the kinds of files; most are the command that writes the file.
KINDS = (*(one.KIND for one in (*_JSON, *_TEXT)), crusader.KIND, pcap.KIND)
_GZIP = b"\x1f\x8b"
_COMPRESSED = {_GZIP: "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz", b"BZh": "bzip2"}
_HEAD = 1 << 16  # bytes


def read(*files: str | PathLike[str]) -> PathFigures:
    """Return the figures of a path from files with measurements.

    Parameters
    ----------
    *files : str or path
        Files of any of the kinds in `KINDS`. Several files of one kind are runs on the same path, from which intervals
        are computed.

    Returns
    -------
    PathFigures
        The figures, each with a remark on its origin.

    Raises
    ------
    ValueError
        If a file cannot be read, is of no known kind, or is damaged; the message names the file.

    Examples
    --------
    >>> read("tests/data/ping.txt").round_trip_time
    0.020464
    """
    return path_of(read_each(*files))


def read_each(*files: str | PathLike[str]) -> list[Measurement]:
    """Return the measurement of each file: its figures, kind and series over time."""
    if not files:
        raise ValueError("files is empty: must be one or more files with measurements")
    times = Counter(map(os.path.realpath, files))
    for file in files:
        if times[os.path.realpath(file)] > 1:
            raise ValueError(f"{file}: the file is given {times[os.path.realpath(file)]} times, must be given once")
    return [_read(str(file)) for file in files]


def _read(path: str) -> Measurement:
    """Return the measurement in a file; errors begin with the path of the file."""
    try:
        with announced(f"longfat: reading {path}"):  # two million packets take half a minute
            return _recognised(path)
    except ValueError as error:
        message = " ".join(str(error).split())
        raise ValueError(message if message.startswith(f"{path}:") else f"{path}: {message}") from None


def _recognised(path: str) -> Measurement:
    head = _head(path)
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic):
            if magic == _GZIP and (text := _unpacked(path)).lstrip().startswith("{"):  # flent packs its files
                return _from_json(path, text)
            raise ValueError(f"the file is compressed ({name}): decompress it first")
    if pcap.looks_like(head):
        return pcap.read(path)
    if crusader.looks_like(head):
        return crusader.read(path)
    if not head.strip():
        raise ValueError(
            f"the file is empty: must be {_allowed()}" if not head else f"the file is blank: must be {_allowed()}"
        )
    if b"\0" in head and not head.startswith(MARKS):
        raise ValueError(f"the file is of no known kind (binary): must be {_allowed()}")
    text = text_of(path)
    begin = text.lstrip()[:1]
    # Two conditions are needed, because text output of iperf3 also begins with "[", and JSON of iperf3 may contain the
    # text output of the server.
    if begin in ("{", "\x1e") or (begin == "[" and not iperf3_text.looks_like(text)):
        return _from_json(path, text)
    for kind in _TEXT:
        if kind.looks_like(text):
            found: Measurement = kind.read(path, text)
            return found
    raise ValueError(f"the file is of no known kind: must be {_allowed()}")


def _unpacked(path: str) -> str:
    """Return the text in a gzip file; "" if it is too long or contains no text."""
    try:
        with gzip.open(opened(path, LONGEST_TEXT)) as file:
            data = file.read(LONGEST_TEXT + 1)
        return data.decode("utf-8-sig") if len(data) <= LONGEST_TEXT else ""
    except (OSError, EOFError, zlib.error):
        raise ValueError("the file is damaged (gzip): was it cut off?") from None
    except UnicodeDecodeError:
        return ""


def _from_json(path: str, text: str) -> Measurement:
    """Return the measurement in a JSON text, which has one value, or one value on each line."""
    try:
        content = parsed(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":  # for example after iperf3 --json >> FILE
            words = f"the file goes on after the end of its JSON (line {error.lineno}): must hold one run"
            raise ValueError(words) from None
        raise ValueError(f"the file is damaged JSON (line {error.lineno}: {error.msg}): was it cut off?") from None
    for kind in _JSON:
        if kind.looks_like(content):
            found: Measurement = kind.read(path, content)
            return found
    if isinstance(content, list) and content and any(kind.looks_like(content[0]) for kind in _JSON):
        raise ValueError(f"the file holds {len(content)} runs, must hold one")
    raise ValueError(f"the file is JSON of no known kind: must be {_allowed()}")


def _head(path: str) -> bytes:
    try:
        with opened(path).open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise ValueError(f"the file cannot be read ({error.strerror})") from None


def _allowed() -> str:
    return f"the output of {', '.join(KINDS[:-1])} or {KINDS[-1]}"
