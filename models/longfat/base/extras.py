"""Optional libraries, the extra that installs each of them, and modules of the repository outside the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import longfat

#: Name of the module to import -> (name of the library in messages, extra of setup.cfg that installs it).
LIBRARIES = {
    "jax": ("JAX", "jax"),
    "optimistix": ("Optimistix", "jax"),
    "matplotlib": ("matplotlib", "files"),
    "netCDF4": ("netCDF4", "files"),
    "anywidget": ("anywidget", "explore"),
    "tornado": ("tornado", "explore"),
    "docutils": ("docutils", "explore"),
}


class MissingLibrary(ImportError):
    """Error: an optional library, which one of longfat's extras installs, is missing."""


def installed(module: str) -> bool:
    """Return whether a module can be imported, without importing it.

    >>> installed("click"), installed("a_module_that_nobody_has")
    (True, False)
    """
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # ValueError: sys.modules has None, which forbids the import
        return False


def beside(module: str) -> bool:
    """Return whether a module outside the package, such as a proof in ``derivations``, can be imported.

    In a checkout the folder above ``models`` is added to `sys.path` if necessary; a wheel has no such modules.

    >>> beside("derivations.proof"), beside("derivations.of_everything")
    (True, False)
    """
    package = module.partition(".")[0]
    if not installed(package):
        root = Path(longfat.__file__).parents[2]
        if not (root / module.replace(".", "/")).with_suffix(".py").is_file():
            return False
        sys.path.append(str(root))
        importlib.invalidate_caches()
    return installed(module)


def need(what: str, *modules: str) -> None:
    """Raise `MissingLibrary` unless all modules are installed.

    Parameters
    ----------
    what : str
        Subject of the message: the feature that needs the modules.
    *modules : str
        Keys of `LIBRARIES`.

    Raises
    ------
    MissingLibrary
        With a message of one line that has the command to install the missing libraries.

    Examples
    --------
    >>> need("a table", "click")
    """
    missing = [module for module in modules if not installed(module)]
    if missing:
        raise MissingLibrary(f"{what} needs {install_line(*missing)}")


def install_line(*modules: str) -> str:
    """Return a line with the names of missing libraries and the command that installs them.

    The command names the installed package, so pip takes the extra's requirements from its metadata; longfat need not
    be on a package index.

    >>> install_line("netCDF4", "matplotlib")
    "netCDF4 and matplotlib: pip install 'longfat[files]'"
    """
    names = [LIBRARIES[module][0] for module in modules]
    extras = sorted({LIBRARIES[module][1] for module in modules})
    words = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{words}: pip install 'longfat[{','.join(extras)}]'"
