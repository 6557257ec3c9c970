"""Process that simulates for `longfat explore`: a line of JSON for each replication, and a line for each answer.

It can be killed at any time. Data come in, never code: a law by its name, numbers, a seed. Started as
``python -m longfat.explore.worker [FILE]``, where FILE is the file of the user's law that the command names.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any, TextIO

MEMORY = 4 << 30  # addresses that a simulation may take [bytes]; the libraries take 1 GiB of them
#: What loads the two simulators: the network's and that of segments.
FIRST = (
    ("queues.mm1_wait", {"load": 0.5}),
    ("selective_repeat.throughput_efficiency",
     {"window": 24.0, "loss": 1e-2, "segment_packets": 4.0, "ack_segments": 23.0}),
)  # fmt: skip


def answer(asked: Mapping[str, Any], laws: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of one replication and its packets, or why there is none.

    >>> from longfat.laws.queues import mm1_wait
    >>> answer({"law": "mm1", "point": {"load": -1.0}, "seed": 1}, {"mm1": mm1_wait})
    {'refused': 'rate = -1e+09 bytes/s is out of range: must be in (0, inf) bytes/s'}
    """
    from longfat.explore.simulations import simulator

    found = simulator(laws[asked["law"]])
    assert found is not None
    try:
        value, packets = found(asked["seed"], **asked["point"])
    except ValueError as error:
        return {"refused": str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"value": float(value), "packets": float(packets)}


def serve(questions: TextIO, answers: TextIO, laws: Mapping[str, Any]) -> None:
    """Answer questions until there are none; load the simulators meanwhile, in a thread."""
    threading.Thread(target=load, args=(laws,), daemon=True).start()
    for line in questions:
        answers.write(json.dumps(answer(json.loads(line), laws)) + "\n")
        answers.flush()


def load(laws: Mapping[str, Any]) -> None:
    """Run both simulators once, so that they are there when somebody asks; numba loads one after the other."""
    for name, point in FIRST:
        answer({"law": name, "point": point, "seed": 1}, laws)


def main(arguments: list[str]) -> None:
    """Limit what a simulation may take, and serve standard input and output."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with contextlib.suppress(AttributeError, OSError):
        os.nice(5)  # the page and its server come first
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a law of the user's prints does not stand between the answers
    from longfat.explore.site import chosen

    every = {one.public_name: one for name in ("", *arguments) for one in chosen(name)}
    serve(sys.stdin, answers, every)
    os._exit(0)  # whatever is being loaded


if __name__ == "__main__":
    main(sys.argv[1:])
