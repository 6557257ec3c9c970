"""Schemes as particular papers ran them: parameter sets by name, for figures that walk over them."""

from __future__ import annotations

from longfat.sim.schemes.timers import profile

_COMMON = {"duplicate_threshold": 1.0, "ordered_duplicates": 1.0}

#: Kim & Farber's TCP (1994, sec. 4): Reno that takes one duplicate for a loss, with per-packet time stamps (schemes.md
#: 1.8). The paper leaves open whether a window of several losses is halved for each of them ("literal") or once
#: ("guarded"), and what the timer's clock is; for ``flow("reno", parameters=KIM_FARBER_TCP["literal"])``.
KIM_FARBER_TCP: dict[str, dict[str, float]] = {
    "literal": {**_COMMON, **profile("fine"), "bugfix": 0.0},
    "guarded": {**_COMMON, **profile("fine"), "bugfix": 1.0},
    "literal, ns timer": {**_COMMON, **profile("ns"), "timestamps": 1.0, "bugfix": 0.0},
    "guarded, ns timer": {**_COMMON, **profile("ns"), "timestamps": 1.0, "bugfix": 1.0},
}
