"""Typesetting of the laws' equations as MathML, which browsers render without scripts or fonts."""

from __future__ import annotations

import re
from html import escape

from longfat.base import extras

#: Two conditions below a sum, side by side because docutils cannot stack them.
_STACKED = re.compile(r"\\substack\{((?:[^{}]|\{[^{}]*\})*)\}")


def translated(latex: str, block: bool = False) -> str:
    r"""Return a formula as MathML, without spaces between its elements.

    >>> translated("t_a")
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msub><mi>t</mi><mi>a</mi></msub></math>'
    >>> r"\substack" in translated(r"\sum_{\substack{a < b\\b < c}} x")
    False
    """
    extras.need("typesetting equations", "docutils")
    from docutils.utils.math.latex2mathml import tex2mathml

    latex = _STACKED.sub(lambda found: "{" + found[1].replace(r"\\", r",\;") + "}", latex)
    return re.sub(r">\n\s*<", "><", tex2mathml(latex, as_block=block)).strip()


def mathml(latex: str, *, block: bool = True) -> str:
    r"""Return an equation as an element ``math``, with the LaTeX as its alternative text.

    >>> mathml(r"t_a", block=False)
    '<math alttext="t_a"><msub><mi>t</mi><mi>a</mi></msub></math>'
    """
    text = translated(latex, block)
    return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', f' alttext="{escape(latex)}"', 1)
