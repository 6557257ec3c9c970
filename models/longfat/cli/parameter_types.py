"""Helpers of several commands: values of options, answers to print, and files to write."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base import extras

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from longfat.base.files import AtomicFiles


def integer(name: str, text: str, unit: str, allowed: str) -> int:
    """Return the integer that the text of an option holds.

    >>> integer("seed", "7", "1", "[0, inf)")
    7
    """
    from longfat.base import domains

    if not re.fullmatch("[+-]?[0-9]{1,40}", text):  # Python would take 1_000 and digits of other scripts, too
        raise domains.wrong_type(name, text, f"an integer in {allowed}")
    return domains.integer(name, int(text), unit, allowed)


def numbers(name: str, text: str, unit: str, allowed: str) -> list[float]:
    """Return the numbers that the text of an option holds, with commas between them.

    >>> numbers("k", "2, 5", "1", "[1, 50]")
    [2.0, 5.0]
    """
    from longfat.base.domains import number, wrong_type

    found = []
    for word in map(str.strip, text.split(",")):
        try:
            value = float(word)
        except ValueError:
            raise wrong_type(name, word, f"a number in {allowed}") from None
        found.append(number(name, value, unit, allowed))
    return found


def sayable(answer: str) -> str:
    """Replace the characters of an answer that the terminal's encoding lacks."""
    try:
        answer.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return answer.replace("±", "+-").replace("²", "^2").encode("ascii", "replace").decode()
    return answer


def say(answer: str, *, nl: bool = True) -> None:
    """Print an answer; an error says that it is standard output, and not a file, that cannot be written."""
    try:
        click.echo(sayable(answer), nl=nl)
    except OSError as error:
        raise click.ClickException(f"standard output cannot be written: {error.strerror}") from None


def picture_format(figure: str) -> str:
    """Return the format of the picture of --figure from its suffix, before anything is computed."""
    from longfat.base.domains import choice

    extras.need("--figure", "matplotlib")
    return choice("suffix of --figure", Path(figure).suffix, (".svg", ".png", ".pdf")).lstrip(".")


def left_out(*names: str) -> bool:
    """Return whether the libraries that write the files are missing; if so, print a line on stderr that names them."""
    missing = [module for module in ("netCDF4", "matplotlib") if not extras.installed(module)]
    if missing:
        words = extras.install_line(*missing)
        click.echo(f"longfat: {', '.join(names)} left out: they need {words}", err=True)
    return bool(missing)


def with_units(table: pd.DataFrame, data: xr.Dataset) -> pd.DataFrame:
    """Return the table with the unit of each column in its name, taken from the Dataset's attributes.

    The unit "1", and a unit with which the name ends, are not repeated.

    >>> import xarray as xr
    >>> units = {"goodput": "bytes/s", "loss": "1", "buffer_bytes": "bytes"}
    >>> data = xr.Dataset({name: ("flow", [1.0], {"units": unit}) for name, unit in units.items()})
    >>> list(with_units(data.to_dataframe(), data))
    ['goodput [bytes/s]', 'loss', 'buffer_bytes']
    """
    units = {str(name): array.attrs.get("units", "1") for name, array in data.variables.items()}
    return table.rename(
        columns={
            name: f"{name} [{unit}]" for name, unit in units.items() if unit != "1" and not name.endswith(f"_{unit}")
        }
    )


def netcdf(data: xr.Dataset, files: AtomicFiles, name: str) -> None:
    """Write a Dataset; an error names the file."""
    try:
        with _without_clusters():
            data.to_netcdf(files.path(name), engine="netcdf4")
    except RuntimeError as error:  # as "NetCDF: HDF error" if the disk is full
        full = shutil.disk_usage(files.directory).free < data.nbytes
        why = os.strerror(errno.ENOSPC) if full else error
        raise OSError(f"{files.name} = {files.directory}: {name} cannot be written: {why}") from None


@contextlib.contextmanager
def _without_clusters() -> Iterator[None]:
    """Keep xarray and dask from importing distributed to ask for a cluster: a process without it has none.

    It takes a second where it is installed. None in `sys.modules` makes an import fail, as Python's reference says of
    the module cache, and both reckon with that.
    """
    hidden = [name for name in ("distributed", "dask.distributed") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)
