"""Compiler settings of all kernels and plug-ins."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
from numba.core import ir, types

from longfat.base import code_cache
from longfat.sim.kernel.views import View, lost_fraction

HERE = Path(__file__).resolve().parent
#: Whether numba compiles the code. With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, with equal
#: results.
COMPILED: bool = not numba.config.DISABLE_JIT


def inline(function: Callable[..., Any]) -> Any:
    """Decorate a helper function of the kernel or of plug-ins so that numba compiles it into each of its callers.

    Use it for functions that are small, or that are called at a single place for every packet. A call takes 1 to 2 ns;
    the simulation of a packet of Reno takes 50 ns.

    numba would compile a function again for each width of an integer and each constant among its arguments; here all
    integer arguments have 64 bits, and each function is compiled once.
    """
    return _compile(function, forceinline=True)


def routine(function: Callable[..., Any]) -> Any:
    """Decorate a larger function of the kernel so that numba compiles it once and does not copy it into its callers."""
    return _compile(function, forceinline=False)


def _compile(function: Callable[..., Any], *, forceinline: bool) -> Any:
    """Compile a function with numba, with 64-bit types for all integers; if `forceinline`, inline it in its callers."""
    function = getattr(function, "py_func", function)  # numba refuses functions that are compiled already
    dispatcher = numba.njit(
        nogil=True, _nrt=False, forceinline=forceinline, no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)
    if COMPILED:
        compile_for = dispatcher.compile

        def compile(signature: Any) -> Any:
            kinds = tuple(_plain(one) for one in numba.core.sigutils.normalize_signature(signature)[0])
            made = compile_for(kinds)
            _refuse_lost_fractions(dispatcher.overloads[kinds])
            return made

        dispatcher.compile = compile
    return dispatcher


def _plain(kind: Any) -> Any:
    """Return the type with which an argument is compiled: int64 for any integer or integer constant."""
    kind = numba.core.types.unliteral(kind)
    return numba.int64 if isinstance(kind, numba.core.types.Integer) else kind


@dataclass(frozen=True)
class Callback:
    """Address of a compiled function with numba's calling convention, which passes exceptions to the kernel."""

    code: Any  # reference that keeps the code in memory
    address: int
    trusted: bool  # whether the function is part of the package, and so known to terminate


def callback(signature: Any, function: Callable[..., Any], *, cache: bool) -> Callback:
    """Compile a plug-in's function so that the kernel can call it by its address.

    Leaving out numba's wrappers for calls from Python or C halves the compilation time.
    """
    if not COMPILED:
        function = _viewing(function, signature.args)
        return Callback(function, id(function), cache)
    function = getattr(function, "py_func", function)
    bare: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if cache:
        dispatcher = code_cache.compiled(
            function, [Path(inspect.getfile(function)).parent, HERE, HERE.parent / "plugin"], **bare
        )
    else:
        dispatcher = numba.njit(nogil=True, boundscheck=True, **bare)(function)
    try:
        dispatcher.compile(signature)
    except numba.core.errors.NumbaError:
        raise
    except KeyError as error:
        raise numba.core.errors.TypingError(f"the field {error.args[0]!r} does not exist") from None
    except Exception as error:  # numba raises other exceptions, too, for code that it cannot compile
        raise numba.core.errors.TypingError(str(error).removesuffix(". Raised from None")) from None
    dispatcher.disable_compile()
    result = dispatcher.get_compile_result(signature)
    _refuse_lost_fractions(result)
    return Callback(dispatcher, int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name)), cache)


def _refuse_lost_fractions(result: Any) -> None:
    """Raise an error if compiled code sets an integer of a plug-in to a float, whose fraction numba would drop.

    Plug-ins set fields of views and, by functions such as `set_tag`, fields of other rows. The check follows the
    compilation, because numba has no hook for it while it infers types. Code from the disk cache was checked when it
    was compiled.
    """
    typed = result.type_annotation
    for block in () if isinstance(typed, str) else typed.blocks.values():
        for one in block.find_insts((ir.SetAttr, ir.SetItem, ir.StaticSetItem)):
            target, name = typed.typemap[one.target.name], "an element of a state"
            kind = getattr(target, "dtype", None)
            if isinstance(target, View):
                field, name = target.fields[one.attr], f"{target.kind}.{one.attr}"
                kind = None if field.scale else target.rows[field.row].typeof(field.name)
            elif isinstance(target, types.Record) and isinstance(one, ir.SetAttr):
                kind, name = target.typeof(one.attr), "a tag, a time [ns], a key or a word of memory"
            if isinstance(kind, types.Integer) and isinstance(typed.typemap[one.value.name], types.Float):
                raise numba.core.errors.TypingError(lost_fraction(name))


def _viewing(function: Callable[..., Any], kinds: tuple[Any, ...]) -> Callable[..., Any]:
    """Return a function that takes rows from the kernel and calls a plug-in's function with views of them."""
    counts = [len(kind.rows) if isinstance(kind, View) else 0 for kind in kinds]

    def seen(*given: Any) -> Any:
        rows = iter(given)
        taken = [[next(rows) for _ in range(count)] if count else next(rows) for count in counts]
        return function(
            *[kind.of(*one) if count else one for kind, count, one in zip(kinds, counts, taken, strict=True)]
        )

    return seen


def entry(function: Callable[..., Any]) -> Any:
    """Decorate a kernel so that numba compiles it, and compiles it again when any file of its folder has changed.

    numba's cache checks only the file that defines the function, and so misses changes of called functions in other
    files. This decorator checks the text of all files in the folder.
    """
    return code_cache.compiled(function, [Path(inspect.getfile(function)).resolve().parent], _nrt=False)


NOTHING = "it returns nothing on some path; return a number"


def reason(error: Exception) -> str:
    """Return the cause of a numba error in one sentence for users."""
    text = str(error)
    if "mismatch of return type: none vs" in text:
        return "it raises an exception, or loops forever, on every path; return a number"
    if "none to float64" in text or "none to int64" in text or ("cast <Var" in text and "none" in text):
        return NOTHING
    # CPython 3.12 and 3.13 return a constant by a separate instruction, which numba names `$return_const`.
    returned = re.search(r"No conversion from (.+?) to (?:float64|int64) for '\$\w*return_(?:value|const)", text)
    if returned:
        return f"it returns {returned[1]}: must return a number"
    untyped = re.search(r"Untyped global name '(\w+)':.*?<class '([\w.]+)'>", text, re.DOTALL)
    if untyped:
        return _unusable(untyped[1], untyped[2])
    listed = re.search(r"The use of a reflected list.* assigned to variable '(\w+)' in", text)
    if listed:
        return _unusable(listed[1], "list")
    array = re.search(r"Cannot modify readonly array of type: ([\w.]+)", text)
    if array:
        return f"it sets an element of {array[1]}, which may only be read"
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["numba cannot compile it"]
    useful = [line for line in lines if not line.startswith(("Failed in", "During", "File ", "-", "<", "def "))]
    where = next((line for line in lines if line.startswith("File ")), "")
    return " ".join((useful[0] if useful else lines[0]).split()) + (f" ({where})" if where else "")


def _unusable(name: str, kind: str) -> str:
    """Return advice for a Python object that compiled code cannot use."""
    if kind == "function":
        return f"it calls {name}, which is not compiled: decorate it with longfat.sim.inline"
    if kind == "list":
        return (
            f"it uses the list {name}: make it a tuple if it is constant, else a state, as in state={{{name!r}: [...]}}"
        )
    return f"it uses {name}, a {kind}: compiled code may use numbers, tuples, NumPy arrays, parameters and states"
