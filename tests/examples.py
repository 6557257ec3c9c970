"""Number of examples of a property test: few in the suite, many by `make test-long`."""

from hypothesis import settings


def is_long() -> bool:
    """Return whether hypothesis's profile of this run is "long" (conftest.py)."""
    return settings.get_current_profile_name() == "long"


def examples(short: int = 25, long: int = 1000, **more: object) -> settings:
    """Return settings with this many examples; the profile decides the rest, such as whether they repeat."""
    return settings(max_examples=long if is_long() else short, **more)
