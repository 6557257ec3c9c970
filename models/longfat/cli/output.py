"""Output of commands: the answer on standard output as text, JSON or CSV, and the files that options request."""

from __future__ import annotations

import contextlib
import errno
import functools
import json as json_module
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from longfat.base import extras
from longfat.base.domains import conflict, unknown
from longfat.base.files import AtomicFiles
from longfat.cli.parameters import DIRECTORY, FILE, Decorator, option, switch

if TYPE_CHECKING:
    import xarray as xr

PICTURES = (".svg", ".png", ".pdf")
#: Last line of the short answer of commands that have the switch `longfat.cli.parameters.VERBOSE`.
MORE = "more: --verbose"
FOLDER = "Directory for {0}.csv, {0}.nc, {0}.svg and {0}.png."


def outputs(
    *, directory: str = "", json: str = "", csv: str = "", figure: str = "", several: bool = False
) -> Decorator:
    """Return a decorator that adds options --output, --json, --csv and --figure, each only if its help text is given.

    The command gets the values of the options as one `Output`, in its argument ``output``. ``several`` allows --figure
    to be repeated.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def called(
            *arguments: Any, output: str | None = None, as_json: bool = False, as_csv: bool = False,
            figure: Any = None, **given: Any,
        ) -> Any:  # fmt: skip
            if as_json and as_csv:
                raise conflict("--json and --csv", "exclude each other")
            figures = [figure] if isinstance(figure, str) else figure or []
            form = "json" if as_json else "csv" if as_csv else "text"
            return command(*arguments, output=Output(output, form, figures), **given)

        added = {
            figure: option("--figure", FILE, figure, multiple=several),
            directory: option("--output", DIRECTORY, directory),
            csv: switch("--csv", csv, argument="as_csv"),
            json: switch("--json", json, argument="as_json"),
        }
        made: Callable[..., Any] = called
        for text, add in added.items():
            made = add(made) if text else made
        return made

    return decorate


class Output:
    """Context in which a command writes its answer: entering it refuses invalid paths, leaving it creates all files.

    ``directory`` is that of --output, None if only files with a separate option are written; ``form`` of the printed
    answer is "text", "json" or "csv"; ``figures`` are the paths of --figure.
    """

    def __init__(self, directory: str | None = None, form: str = "text", figures: Iterable[str] = ()) -> None:
        self.directory, self.form = directory, form
        self.files: AtomicFiles | None = None
        self._names, self._figures = tuple(figures), list[Path]()
        self._open = contextlib.ExitStack()

    @property
    def draws(self) -> bool:
        """Whether --figure is given."""
        return bool(self._names)

    @property
    def writes(self) -> bool:
        """Whether --output or --figure is given, which need the answer as a Dataset."""
        return self.directory is not None or self.draws

    def __enter__(self) -> Output:
        with contextlib.ExitStack() as opened:  # closes all files if one is refused
            self._open = opened
            if self._names:
                extras.need("--figure", "matplotlib")
            self._figures = [self.file("figure", name, PICTURES) for name in self._names]
            if self.directory is not None:
                self.files = opened.enter_context(AtomicFiles(self.directory))
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, traceback)

    def file(self, name: str, path: str, suffixes: tuple[str, ...] = ()) -> Path:
        """Return the temporary path for the file of an option; refuse a suffix that is not in ``suffixes``."""
        place = Path(path)
        if suffixes and place.suffix.lower() not in suffixes:
            raise unknown(f"suffix of --{name}", place.suffix, suffixes)
        return self._open.enter_context(AtomicFiles(place.parent, name)).path(place.name)

    def emit(
        self,
        text: Callable[[], str],
        *,
        json: Callable[[], Any] | None = None,
        csv: Callable[[], str] | None = None,
        name: str = "",
        texts: Mapping[str, Callable[[], str]] | None = None,
        data: xr.Dataset | None = None,
        pictures: Mapping[str, Callable[[Any], Any]] | None = None,
        figure: Callable[[Any], Any] | None = None,
        indent: int = 2,
    ) -> None:
        """Print the answer as text, JSON or CSV, and write the files that options request.

        ``text``, ``json`` and ``csv`` return the answer as text, as an object for JSON, which is indented by ``indent``
        characters, and as CSV, which is also written to NAME.csv. ``texts`` has functions that return the content of
        further text files, by file name; ``data`` is the content of NAME.nc. Functions that draw are given
        `longfat.plot` and return a figure: ``pictures``, by name, for SVG and PNG, and ``figure`` for --figure.
        """
        if self.form == "json" and json is not None:
            print_answer(json_module.dumps(json(), indent=indent, allow_nan=False))
        elif self.form == "csv" and csv is not None:
            print_answer(csv(), nl=False)
        else:
            print_answer(text())
        if self._figures and figure is not None:
            draw(figure, self._figures)
        if self.files is None:
            return
        written = dict(texts or {}) | ({f"{name}.csv": csv} if csv is not None else {})
        for file, made in written.items():
            self.files.path(file).write_text(made(), encoding="utf-8")
        drawn = [(f"{one}.svg", f"{one}.png") for one in pictures or ()]
        if data is None or left_out(f"{name}.nc", *(file for both in drawn for file in both)):
            return
        netcdf(data, self.files, f"{name}.nc")
        for both, picture in zip(drawn, (pictures or {}).values(), strict=True):
            draw(picture, [self.files.path(file) for file in both])


def draw(picture: Callable[[Any], Any], paths: Iterable[Path]) -> None:
    """Draw a figure once by calling ``picture`` with `longfat.plot`; save it to each path in the suffix's format."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    with plot.style():
        figure = picture(plot)
        for path in paths:
            # The path is that of a temporary file, such as .curves.svg.123.part: find the suffix of the final name.
            kind = next(part for part in reversed(path.name.lower().split(".")) if f".{part}" in PICTURES)
            figure.savefig(path, format=kind)
            figure.set_layout_engine("none")  # laid out once, for all files
        plt.close(figure)


def shows_progress() -> bool:
    """Return whether to show progress: only if stderr is a terminal, so that scripts get only errors on stderr."""
    return sys.stderr.isatty()


def printable(answer: str) -> str:
    """Replace the characters of an answer that the terminal's encoding lacks."""
    try:
        answer.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return answer.replace("±", "+-").replace("²", "^2").encode("ascii", "replace").decode()
    return answer


def print_answer(answer: str, *, nl: bool = True) -> None:
    """Print an answer; if this fails, raise an error that names standard output."""
    try:
        click.echo(printable(answer), nl=nl)
    except BrokenPipeError:  # the reader, such as head, has closed the pipe: click ends without a message
        raise
    except OSError as error:
        raise click.ClickException(f"standard output cannot be written to: {error.strerror}") from None


def left_out(*names: str) -> bool:
    """Return whether a library that the files ``names`` need is missing; if so, print a line about it on stderr."""
    missing = [module for module in ("netCDF4", "matplotlib") if not extras.installed(module)]
    if missing:
        words = extras.install_line(*missing)
        click.echo(f"longfat: {', '.join(names)} left out: they need {words}", err=True)
    return bool(missing)


def finite(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return values by name for JSON, with None in place of NaN and infinity."""
    return {
        str(name): None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def netcdf(data: xr.Dataset, files: AtomicFiles, name: str) -> None:
    """Write a Dataset as a netCDF file; raise an OSError that names the file if this fails."""
    try:
        data.to_netcdf(files.path(name), engine="netcdf4")
    except RuntimeError as error:  # such as "NetCDF: HDF error" if the disk is full
        full = shutil.disk_usage(files.directory).free < data.nbytes
        why = os.strerror(errno.ENOSPC) if full else error
        raise OSError(f"{files.name} = {files.directory}: {name} cannot be written: {why}") from None
