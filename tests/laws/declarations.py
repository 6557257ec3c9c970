"""Requirements on the declaration of a law, and messages that name what is missing."""

import inspect
import re

from longfat.law import docstrings
from longfat.verify.simulators import SIMULATORS

GENERATED = {"Parameters", "Returns", "Raises", "References"}
#: Parts of a source that a reader can look up: a year, a report, or a university; "Ours" for unpublished laws.
REFERENCE = re.compile(r"\b(19|20)\d\d\b|\bRFC \d+|University of|^Ours\b")


def missing(law):
    """Return a sentence for each part that a law's declaration lacks, which says what to write where."""
    where = f"{law.public_name} ({inspect.getsourcefile(law.function)}): "
    head, sections = docstrings.sections(law.function.__doc__ or "")
    names = ", ".join(sorted(SIMULATORS))
    found = [text for text, is_missing in (
        (
            'add to @law(...) either simulated=SimulatedBy("NAME", ranges, accuracy=..., relative=...), where NAME is '
            f'one of {names}, or not_simulated="REASON", the reason why no simulator checks the law',
            not law.simulated and not law.not_simulated,
        ),
        (
            f"correct in @law(...) the name in simulated=SimulatedBy(...): it has to be one of {names}, or a new entry "
            "of SIMULATORS in models/longfat/verify/simulators.py",
            law.simulated is not None and law.simulated.simulator not in SIMULATORS,
        ),
        (
            "add a tolerance to @law(... simulated=SimulatedBy(...)), accuracy=... or relative=..., or state the "
            "accuracy of the law in validity=Validity(...)",
            law.simulated is not None and not (law.simulated.accuracy or law.simulated.relative or law.validity),
        ),
        ("write the symbol of the result before its unit in result= of @law(...)", not law.result),
        (
            "write in source= of @law(...) a full reference (authors, title, report or journal, year, section; see "
            'models/longfat/laws/references.py), or "Ours, ..." for a law that is not published',
            not REFERENCE.search(law.source),
        ),
        ('begin the docstring of the function with "Return ..."', not head.startswith("Return ")),
        ('add the equation to the docstring, as ".. math::"', ".. math::" not in head),
        ('end the docstring with an example, which begins with ">>>"', ">>>" not in sections.get("Examples", "")),
        *(
            (
                f"delete the section {name!r} of the docstring: it is generated from @law(...)",
                name in sections,
            )
            for name in sorted(GENERATED)
        ),
        *(
            (f"give the Symbol of {name} in @law(...) a meaning, a noun phrase for help and tables", not symbol.meaning)
            for name, symbol in law.symbols.items()
        ),
    ) if is_missing]  # fmt: skip
    return [where + text for text in found]
