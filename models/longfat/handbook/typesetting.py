"""Typesetting of the laws' equations as MathML, which browsers draw without a script or a font of ours."""

from __future__ import annotations

import re
from html import escape

from longfat import extras


def mathml(latex: str, *, block: bool = True) -> str:
    r"""Return an equation as an element ``math``, with the LaTeX as its alternative text.

    >>> mathml(r"t_a", block=False)
    '<math alttext="t_a"><msub><mi>t</mi><mi>a</mi></msub></math>'
    """
    extras.need("typesetting equations", "docutils")
    from docutils.utils.math.latex2mathml import tex2mathml

    text = re.sub(r">\n\s*<", "><", tex2mathml(latex, as_block=block)).strip()
    return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', f' alttext="{escape(latex)}"', 1)
