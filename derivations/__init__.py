"""Proofs of the laws, one module for each paper or topic. No module here imports the law that it proves.

``python -m derivations.bbr`` runs the proofs of a module and prints each with its verdict; the exit status is 1 if
one fails. `derivations.errata` computes the numbers of ERRATA.md and docs/papers/refinements.md; it may use the laws
and the simulators.
"""

import sys
from importlib.util import find_spec

if sys.argv[:1] == ["-m"]:  # Python imports this package to find the module that it is told to run
    _module = sys.orig_argv[sys.orig_argv.index("-m") + 1]
    if _module.rpartition(".")[0] == "derivations" and find_spec(_module):
        from derivations.proof import run

        sys.exit(run(_module))
