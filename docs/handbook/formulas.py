"""Formulas in sentences: ``w_a >= 3 s/8`` of a docstring as LaTeX, which the pages typeset.

A small grammar finds them: letters with their subscripts, numbers, sums, products, powers, relations, a few functions.
What is code, a link or a formula already stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "pi", "rho", "sigma", "tau", "phi",
    "varphi", "psi", "omega", "Theta", "Delta",
})  # fmt: skip
FUNCTIONS = {"ln": r"\ln", "log2": r"\log_2", "exp": r"\exp", "min": r"\min", "max": r"\max"}
RELATIONS = {"<=": r"\le", ">=": r"\ge", "=": "=", "<": "<", ">": ">"}
TOKEN = re.compile(
    r"(\s?)(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![A-Za-z\d])"
    r"|([A-Za-z]+\d?(?:_(?:\{\w+\}|\w+))?(?:'|\*(?![\w(]|\s[\w(]))?)|(<=|>=|[-+*/^=<>(),]))"
)
#: Parts of a text that are no formulas: code, roles, links, addresses, queues such as M/M/1, units in brackets, HTML.
KEPT = re.compile(
    r"(\{?:?\w*:?\}?``?[^`]*``?_*|\]\([^)]*\)|https?://\S+|\b[MGD]/[MGD]/1[\w/]*|\bI/O\b|\[[^\]]*\]|</?\w[^<>]*>)"
)
SHORT = 30  # characters of LaTeX
ARTICLES = ("a", "A", "I")
Parsed = tuple[str, int] | None  # LaTeX, and where the formula ends


class Formula:
    """Reads formulas of a text; each method takes a place and returns what it has read there, or None."""

    def __init__(self, text: str, letters: Iterable[str]) -> None:
        self.text, self.known = text, frozenset(letters)

    def token(self, at: int) -> tuple[str, str, bool, int]:
        """Return the kind and the text of a token, whether a space is before it, and where it ends."""
        found = TOKEN.match(self.text, at)
        if found is None:
            return "", "", False, at
        kind = "number" if found[2] else "name" if found[3] else "sign"
        return kind, found[2] or found[3] or found[4], bool(found[1]), found.end()

    def relation(self, at: int) -> list[tuple[str, int]]:
        """Return the parts of a formula, each after a relation with its sign, with the places where they end."""
        parts: list[tuple[str, int]] = []
        part, sign = self.sum(at), ""
        while part is not None:
            parts.append((f"{sign} {part[0]}".strip(), part[1]))
            _, word, _, end = self.token(part[1])
            sign = RELATIONS.get(word, "")
            part = self.sum(end) if sign else None
        return parts

    def sum(self, at: int) -> Parsed:
        """Read terms with signs."""
        _, word, _, end = self.token(at)
        sign = word if word == "-" else ""
        found = self.product(end if sign else at)
        while found is not None:
            _, word, spaced, end = self.token(found[1])
            then = self.product(end) if word in ("+", "-") and word else None
            if then is None or (not spaced and self.text[end : end + 1] == " "):
                return sign + found[0], found[1]
            found = f"{found[0]} {word} {then[0]}", then[1]
        return None

    def product(self, at: int) -> Parsed:
        """Read factors: beside each other, or with a sign between them."""
        found = self.power(at)
        while found is not None:
            kind, word, spaced, end = self.token(found[1])
            signed = word in ("*", "/")
            then = self.power(end if signed else found[1]) if signed or kind != "sign" or word == "(" else None
            if then is None:
                return found
            between = {"*": r" \cdot ", "/": "/"}.get(word if signed else "", r"\," if spaced else "")
            found = f"{found[0]}{between}{then[0]}", then[1]
        return None

    def power(self, at: int) -> Parsed:
        """Read a base with its exponent."""
        base = self.atom(at)
        if base is None:
            return None
        _, word, spaced, end = self.token(base[1])
        if word != "^" or spaced:
            return base
        _, sign, _, after = self.token(end)
        raised = self.atom(after if sign == "-" else end)
        if raised is None:
            return None
        inner = re.fullmatch(r"\((.*)\)", raised[0])
        return f"{base[0]}^{{{'-' if sign == '-' else ''}{inner[1] if inner else raised[0]}}}", raised[1]

    def atom(self, at: int) -> Parsed:
        """Read a number, a letter, a function or a sum in parentheses."""
        kind, word, _, end = self.token(at)
        if kind == "number":
            mantissa, _, exponent = word.partition("e")
            power = f"10^{{{int(exponent)}}}" if exponent else ""
            return (power if mantissa == "1" and power else mantissa + (rf" \cdot {power}" if power else "")), end
        if kind == "name" and self.text[end : end + 1] == "(" and (word in FUNCTIONS or word == "sqrt"):
            inner = self.inside(end)
            if inner is not None:
                root = rf"\sqrt{{{inner[0]}}}"
                return (root if word == "sqrt" else f"{FUNCTIONS[word]}({inner[0]})"), inner[1]
        elif word == "ln":
            of = self.power(end)
            return None if of is None else (rf"\ln {of[0]}", of[1])
        elif kind == "name":
            letter = self.letter(word)
            return None if letter is None else (letter, end)
        elif word == "(":
            inner = self.inside(at)
            return None if inner is None else (f"({inner[0]})", inner[1])
        return None

    def inside(self, at: int) -> Parsed:
        """Read sums with commas between them, in parentheses."""
        parts, word = [], ","
        _, _, _, end = self.token(at)
        while word == ",":
            found = self.sum(end)
            if found is None:
                return None
            parts.append(found[0])
            _, word, _, end = self.token(found[1])
        return (", ".join(parts), end) if word == ")" else None

    def letter(self, word: str) -> str | None:
        """Return a letter with its subscript in LaTeX; None for a word."""
        base, _, below = word.rstrip("'*").partition("_")
        if base not in GREEK and len(base) > 1 and base not in self.known:
            return None
        shown = f"\\{base}" if base in GREEK else base if len(base) == 1 else rf"\mathrm{{{base}}}"
        below = below.strip("{}")
        return shown + (f"_{{{below}}}" if below else "") + {"'": "'", "*": "^*"}.get(word[-1], "")


def typeset(text: str, letters: Iterable[str] = (), wrap: Callable[[str], str] = "{{math}}`{}`".format) -> str:
    r"""Return a text with its formulas typeset; ``letters`` are those that stand alone in it, too.

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
    reader, made, at = Formula(text, letters), [], 0
    for start in (found.start() for found in re.finditer(r"(?<![\w.'-])[\w(-]", text)):
        if start < at:
            continue
        found = reader.relation(start)
        if found and _is_formula(text[start : found[-1][1]], letters):
            parts = [latex for latex, _ in found]  # a long formula may go on in the next line
            made += [text[at:start], " ".join(map(wrap, parts if sum(map(len, parts)) > SHORT else [" ".join(parts)]))]
            at = found[-1][1]
    return "".join([*made, text[at:]])


def _is_formula(text: str, letters: frozenset[str]) -> bool:
    """Return whether what has been read is a formula and not a word or a number of a sentence."""
    names = re.findall(r"[A-Za-z]\w*", text)
    if text in ARTICLES or (not names and "^" not in text) or (text[0] == "-" and not letters >= {*names}):
        return False
    if re.search(r"[-+*/^=<>]", text) or "_" in text or GREEK & {*names} or text in letters:
        return True
    return letters >= {*names} and bool(re.fullmatch(r"[\w ]+|\w+\(\w+\)", text))  # C R, or P(s)
