"""Check of a commit message: ``python -m tests.commit_subject FILE``, as the commit-msg hook calls it.

The subject is imperative and has at most 72 characters; a blank line separates it from the body, which says why.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.verbs import VERBS

LONGEST = 72
#: Subjects that git writes itself.
WRITTEN_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ")


def faults(message: str) -> list[str]:
    r"""Return what is wrong with a commit message, a sentence for each fault.

    >>> faults("Drop packets at dequeue\n\nThe queue was one packet too long.")
    []
    >>> faults("drop packets at dequeue.")
    ['the subject must begin with a capital letter', 'the subject must not end with a period']
    """
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].strip() if lines else ""
    if not subject:
        return ["the message must begin with a subject"]
    if subject.startswith(WRITTEN_BY_GIT):
        return []
    first = subject.split()[0]
    found = []
    if len(subject) > LONGEST:
        found.append(f"the subject has {len(subject)} characters, at most {LONGEST} are allowed")
    if not first[0].isupper():
        found.append("the subject must begin with a capital letter")
    if first.lower() not in VERBS and first.lower().removesuffix("s") not in VERBS:
        found.append(f"the subject must begin with an imperative verb, got {first!r}; tests/verbs.py has the verbs")
    elif first.lower() not in VERBS:
        found.append(f"the subject must be imperative: {first[:-1]!r}, not {first!r}")
    if subject.endswith("."):
        found.append("the subject must not end with a period")
    if len(lines) > 1 and lines[1].strip():
        found.append("a blank line must separate the subject from the body")
    return found


def main(path: str) -> int:
    """Print the faults of the message in a file; return the exit status."""
    found = faults(Path(path).read_text(encoding="utf-8"))
    for fault in found:
        print(f"commit message: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
