"""Errors for unknown names list the available ones, and suggest one only if it is really near."""

import pytest

from longfat.base.domains import nearest, unknown
from longfat.sim import queues, schemes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("renno", "reno"),  # a letter more: 8 of 9 letters agree
        ("loss_load", "loss-load"),
        ("Reno", "reno"),  # the case of letters is no difference
    ],
)
def test_near_names_are_suggested(given, expected):
    assert nearest(given, schemes.names()) == expected
    assert f"{given!r} is unknown; did you mean {expected!r}? Available: bbr, " in str(
        unknown("scheme", given, schemes.names())
    )


@pytest.mark.parametrize("given", ["illinois", "cake", "bic", "veno", "westwood", "ledbat", "", "x" * 99])
def test_names_of_other_schemes_and_disciplines_get_no_suggestion(given):
    """Known names of other schemes and disciplines get no suggestion."""
    for what, names in (("scheme", schemes.names()), ("discipline", queues.NAMED)):
        assert str(unknown(what, given, names)) == f"{what} {given!r} is unknown; available: {', '.join(sorted(names))}"


def test_where_nothing_is_available():
    assert str(unknown("parameter", "x", [])) == "parameter 'x' is unknown; available: none"
