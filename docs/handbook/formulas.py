"""Formulas in sentences: ``w_a >= 3 s/8`` of a docstring as LaTeX, which the pages typeset.

A formula is the longest run of letters with their subscripts, numbers, signs, functions and closed parentheses. What is
code, a link or a formula already stays as it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "pi", "rho", "sigma", "tau", "phi",
    "varphi", "psi", "omega", "Theta", "Delta",
})  # fmt: skip
SIGNS = {"<=": r" \le ", ">=": r" \ge ", "=": " = ", "<": " < ", ">": " > ", "+": " + ", "*": r" \cdot "}
FUNCTIONS = {"sqrt": r"\sqrt", "ln": r"\ln ", "log2": r"\log_2", "exp": r"\exp", "min": r"\min", "max": r"\max"}
#: Parts of a text that are no formulas: code, roles, links, addresses, queues such as M/M/1, units in brackets, HTML.
KEPT = re.compile(
    r"(\{?:?\w*:?\}?``?[^`]*``?_*|\]\([^)]*\)|https?://\S+|\b[MGD]/[MGD]/1[\w/]*|\bI/O\b|\[[^\]]*\]|</?\w[^<>]*>)"
)
SHORT = 30  # characters of LaTeX
ARTICLES = ("a", "A", "I")


@functools.cache
def _token(letters: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a token: a space, and a number, a letter, a function or a sign."""
    words = "|".join(sorted(map(re.escape, GREEK | {one for one in letters if one.isalpha() and len(one) > 1})))
    letter = rf"(?:{words}|[A-Za-z])(?:_(?:\{{\w+\}}|\w+))?(?:'|\*(?!\s?[\w(]))?(?!\w)"
    number = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z\d])"
    functions = rf"(?:{'|'.join(FUNCTIONS)})(?=\()|ln(?=\s\w)"
    return re.compile(rf"(\s?)(?:({number})|({letter})|({functions})|(<=|>=|[-+*/^=<>(),]))")


def _read(text: str, at: int, pattern: re.Pattern[str]) -> tuple[list[str], int]:
    """Return the longest formula at a place, in parts between which a line may end, and where it ends."""
    parts, closing, best, end = [""], [], ([], at), at
    operand = raised = False  # whether one has just ended, or an exponent begins
    while found := pattern.match(text, end):
        space, number, letter, function, sign = found.groups()
        if operand and (number or letter or function or sign == "("):
            parts[-1] += r"\," * bool(space)  # a product
        if number or letter:
            parts[-1] += (_number(number) if number else _letter(letter)) + "}" * raised
            operand, raised = True, False
        elif function:
            parts[-1] += FUNCTIONS[function]
            operand = False
        elif sign == "(":
            braces = raised or parts[-1].endswith("sqrt")
            parts[-1] += "" if raised else "{" if braces else "("
            closing.append("}" if braces else ")")
            operand = raised = False
        elif sign == ")" and operand and closing:
            parts[-1] += closing.pop()
        elif sign == "^" and operand and not space:
            parts[-1] += "^{"
            operand, raised = False, True
        elif sign == "-" and not operand:
            parts[-1] += "-"
        elif operand and sign == "," and closing:
            parts[-1] += ", "
            operand = False
        elif operand and sign not in "),^" and (space or text[found.end() : found.end() + 1] != " "):
            far = sign in "+-" and len(parts[-1]) > SHORT
            parts += [""] * (not closing and (sign in "<=>=" or far))
            parts[-1] += SIGNS.get(sign, f" {sign} " if sign == "-" else sign)
            operand = False
        else:
            break
        end = found.end()
        if operand and not closing:
            best = [one.strip() for one in parts], end
    return best


def _number(word: str) -> str:
    """Return a number in LaTeX."""
    mantissa, _, exponent = word.partition("e")
    power = f"10^{{{int(exponent)}}}" if exponent else ""
    return power if power and mantissa == "1" else rf"{mantissa} \cdot {power}" if power else mantissa


def _letter(word: str) -> str:
    """Return a letter with its subscript in LaTeX."""
    base, _, below = word.rstrip("'*").partition("_")
    shown = f"\\{base}" if base in GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}"
    return shown + (f"_{{{below.strip('{}')}}}" if below else "") + {"'": "'", "*": "^*"}.get(word[-1], "")


def typeset(text: str, letters: Iterable[str] = (), wrap: Callable[[str], str] = "{{math}}`{}`".format) -> str:
    r"""Return a text with its formulas typeset; a letter in ``letters`` is a formula even if it stands alone.

    >>> typeset("Where w_a >= 3 s/8 and a rate of C^2/F holds, for K packets.", "K")
    'Where {math}`w_{a} \\ge 3\\,s/8` and a rate of {math}`C^{2}/F` holds, for {math}`K` packets.'
    >>> typeset("Exact for M/M/1 and `x_1`, at p <= 1e-3.")
    'Exact for M/M/1 and `x_1`, at {math}`p \\le 10^{-3}`.'
    """
    parts = KEPT.split(text)
    parts[::2] = [_typeset(part, frozenset(letters), wrap) for part in parts[::2]]
    return "".join(parts)


def _typeset(text: str, letters: frozenset[str], wrap: Callable[[str], str]) -> str:
    """Return a text without code with its formulas typeset."""
    made, at = [], 0
    for start in (found.start() for found in re.finditer(r"(?<![\w.'/-])[\w(-]", text)):
        parts, end = _read(text, start, _token(letters)) if start >= at else ([], at)
        if parts and _is_formula(text[start:end], letters):
            comma = text[end : end + 1] == "," and " " in text[start:end]  # inside, so that no line begins with it
            parts[-1] += "," * comma
            if sum(map(len, parts)) < SHORT:  # a longer formula may go on in the next line
                parts = [" ".join(parts)]
            made += [text[at:start], " ".join(map(wrap, parts))]
            at = end + comma
    return "".join([*made, text[at:]])


def _is_formula(text: str, letters: frozenset[str]) -> bool:
    """Return whether a part of a sentence is a formula, not a word or a number."""
    names = re.findall(r"[A-Za-z]\w*", text)
    if text in ARTICLES or (not names and "^" not in text) or (text[0] == "-" and not letters >= {*names}):
        return False
    if re.search(r"[-+*/^=<>]", text) or "_" in text or GREEK & {*names} or text in letters:
        return True
    return letters >= {*names} and bool(re.fullmatch(r"[\w ]+|\w+\(\w+\)", text))  # C R, or P(s)
