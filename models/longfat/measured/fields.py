"""Reading of text files and of fields of JSON, with errors that name the file and the field."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from longfat.base.domains import number, out_of_range
from longfat.base.files import regular

#: Size of the largest file that is read [bytes]. Our choice: a larger file would fill the memory, and iperf3 writes
#: less in an hour with 128 streams.
LONGEST_TEXT = 1 << 28
#: Largest number of JSON values that are read from a file. Our choice: each value, even "{}", takes up to 100 bytes of
#: memory, and a file of iperf3 has one value in 25 bytes.
MOST_VALUES = 10_000_000
#: Largest number that is accepted. Counters of Linux have 64 bits, so a larger number shows that the file is damaged.
#: Squares of accepted numbers do not overflow.
LARGEST = 2.0**64
#: Byte order marks of UTF-16 (RFC 2781, section 3.2), which PowerShell writes when output is redirected.
MARKS = (b"\xff\xfe", b"\xfe\xff")
PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}  # SI: ss, tc and iperf3 write rates so
BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}  # binary: tc and iperf3 write sizes so


@dataclass(frozen=True)
class Field:
    """Value in a JSON file, with the path of the file and the name of the field for error messages."""

    path: str
    name: str
    value: Any

    def __getitem__(self, key: str) -> Field:
        entries = self.entries()
        name = f"{self.name}.{key}".lstrip(".")
        if key not in entries:
            raise ValueError(f"{self.path}: key {name!r} is missing")
        return Field(self.path, name, entries[key])

    def entries(self) -> dict[str, Any]:
        """Return the value as a dict; raise a ValueError if it is no JSON object."""
        return self.value if isinstance(self.value, dict) else self._refuse("an object")

    def elements(self) -> list[Field]:
        """Return the elements of the value; raise a ValueError if it is no list or an empty list."""
        values = self.value if isinstance(self.value, list) and self.value else self._refuse("a list that is not empty")
        return [Field(self.path, f"{self.name}[{i}]", value) for i, value in enumerate(values)]

    def number(self, unit: str, allowed: str) -> float:
        """Return the value as a float; raise a ValueError if it is no number, or outside the interval ``allowed``."""
        # `float` would convert true to 1 and "7" to 7, but iperf3 writes neither for a number: refuse both.
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self._refuse(f"a number ({unit})")
        if abs(self.value) > LARGEST:
            self._refuse(f"a number in {allowed} {unit}, of 64 bits")
        return number(f"{self.path}: {self.name}", float(self.value), unit, allowed)

    def _refuse(self, expected: str) -> NoReturn:
        shown = type(self.value).__name__ if isinstance(self.value, dict | list) else f"{self.value!r:.40}"
        raise ValueError(f"{self.path}: {self.name or 'the file'} holds {shown}, must hold {expected}")


def opened(path: str | PathLike[str], most: int | None = None) -> Path:
    """Return the path of a file; raise a ValueError if it cannot be read, or has more than ``most`` bytes."""
    try:
        return regular(path, most)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:  # a null character in the name
        raise ValueError(f"{path!r}: cannot be read (not a name of a file)") from None


def text_of(path: str | PathLike[str]) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a byte order mark."""
    file = opened(path, LONGEST_TEXT)
    try:
        with file.open("rb") as start:
            marked = start.read(2) in MARKS
        text = file.read_text(encoding="utf-16" if marked else "utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: cannot be read (neither UTF-8 nor UTF-16 with a byte order mark)") from None
    if (lines := text.count("\n")) > MOST_VALUES:
        raise ValueError(f"{path}: the file has {lines} lines, must have at most {MOST_VALUES}")
    return text


def parsed(text: str) -> Any:
    """Return the value of a JSON text, or a list with the value of each line (NDJSON, or sequences of RFC 7464).

    A text that is not JSON raises a JSONDecodeError with the number of the line. A text with more than `MOST_VALUES`
    values, or with more digits or levels than Python reads, raises a ValueError.
    """
    if (values := sum(map(text.count, "[{,"))) > MOST_VALUES:
        raise ValueError(f"the text has up to {values} values of JSON, must have at most {MOST_VALUES}")
    try:
        return _value_or_lines(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        raise ValueError("the text is damaged JSON (too many digits or levels)") from None


def _value_or_lines(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        lines = [line.strip("\x1e \t\r") for line in text.split("\n")]
        if sum(map(bool, lines)) < 2 or not lines[0].endswith("}"):
            raise
        made = []
        for i, line in enumerate(lines):
            try:
                made += [json.loads(line)] if line else []
            except json.JSONDecodeError as error:
                error.lineno = i + 1
                raise
        return made


def printed(name: str, digits: str) -> float:
    """Return a number from its printed digits; raise a ValueError for other text and for numbers above 2**64."""
    try:
        value = float(digits)
    except ValueError:
        raise ValueError(f"{name} holds {digits!r:.40}, must hold a number") from None
    if value > LARGEST:
        raise out_of_range(name, value, "1", "at most 2**64")
    return value
