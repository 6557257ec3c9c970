"""How many examples a property test takes: few in the suite, many by `make test-long`."""

from hypothesis import settings


def is_long() -> bool:
    """Whether hypothesis's profile of this run is "long" (conftest.py)."""
    return settings.default is settings.get_profile("long")


def examples(short: int = 25, long: int = 1000, **more: object) -> settings:
    """Settings with so many examples; the rest, such as whether they are the same every time, is the profile's."""
    return settings(max_examples=long if is_long() else short, **more)
