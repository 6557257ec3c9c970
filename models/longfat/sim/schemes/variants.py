"""Named sets of parameters with which particular papers ran a scheme, for figures that compare results."""

from __future__ import annotations

from longfat.sim.schemes.timers import profile

_COMMON = {"duplicate_threshold": 1.0, "ordered_duplicates": 1.0}

#: TCP of Kim and Farber (1994), section 4: Reno with a duplicate threshold of one and per-packet timestamps. The paper
#: leaves open whether several losses in one window halve it several times ("literal") or once ("guarded"), and which
#: clock the timer has. Use: ``flow("reno", parameters=KIM_FARBER_TCP["literal"])``.
KIM_FARBER_TCP: dict[str, dict[str, float]] = {
    "literal": {**_COMMON, **profile("fine"), "bugfix": 0.0},
    "guarded": {**_COMMON, **profile("fine"), "bugfix": 1.0},
    "literal, ns timer": {**_COMMON, **profile("ns"), "timestamps": 1.0, "bugfix": 0.0},
    "guarded, ns timer": {**_COMMON, **profile("ns"), "timestamps": 1.0, "bugfix": 1.0},
}
