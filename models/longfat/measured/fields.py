"""Text files and the fields of their JSON, with errors that name the file and the field."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from longfat.domains import number

__all__ = ["Field", "opened", "text_of"]

#: Ours: longer texts are refused before they fill the memory; an hour of iperf3 with 128 streams writes less.
LONGEST_TEXT = 1 << 28


@dataclass(frozen=True)
class Field:
    """A value in the file, with its path in the JSON for error messages."""

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
        """Return the value if it is an object of JSON."""
        return self.value if isinstance(self.value, dict) else self._refuse("an object")

    def elements(self) -> list[Field]:
        """Return the elements of the value if it is a list that is not empty."""
        values = self.value if isinstance(self.value, list) and self.value else self._refuse("a list of streams")
        return [Field(self.path, f"{self.name}[{i}]", value) for i, value in enumerate(values)]

    def number(self, unit: str, allowed: str) -> float:
        """Return the value if it is a number in an interval."""
        # Python takes true for 1 and "7" for 7; iperf3 writes neither
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self._refuse(f"a number ({unit})")
        try:
            return number(f"{self.path}: {self.name}", float(self.value), unit, allowed)
        except OverflowError:  # an integer of more than 308 digits
            self._refuse(f"a number in {allowed} {unit}")

    def _refuse(self, expected: str) -> NoReturn:
        shown = type(self.value).__name__ if isinstance(self.value, dict | list) else f"{self.value!r:.40}"
        raise ValueError(f"{self.path}: {self.name or 'the file'} holds {shown}, must hold {expected}")


def opened(path: str | PathLike[str]) -> Path:
    """Return the path of a file that can be read, or refuse it: a named pipe would never end."""
    file = Path(path)
    try:
        mode = file.stat().st_mode
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:  # a null character in the name
        raise ValueError(f"{path!r}: cannot be read (not a name of a file)") from None
    if stat.S_ISDIR(mode):
        raise ValueError(f"{path}: cannot be read (Is a directory)")
    if not stat.S_ISREG(mode):
        raise ValueError(f"{path}: cannot be read (not a regular file: must be a file with an end)")
    return file


def text_of(path: str | PathLike[str]) -> str:
    """Return the text of a file."""
    file = opened(path)
    try:
        if (size := file.stat().st_size) > LONGEST_TEXT:
            raise ValueError(f"{path}: has {size} bytes, must have at most {LONGEST_TEXT}")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: cannot be read (not UTF-8 text)") from None
