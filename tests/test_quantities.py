"""Quantities as text: what is read, what is refused, and that what is written can be read back."""

from __future__ import annotations

import decimal
import re
from fractions import Fraction

import numpy as np
import pint
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longfat.base import quantities
from tests.examples import examples


def reader(name, unit, allowed):
    """Return a function that reads one kind of quantity, with a usual name and interval."""

    def read(value, name=name, allowed=allowed):
        return quantities.read(name, value, unit, allowed)

    read.__name__ = name
    return read


rate = reader("rate", "bytes/s", "(0, inf)")
duration = reader("round_trip_time", "s", "[0, inf)")
size = reader("size", "bytes", "(0, inf)")
fraction = reader("loss", "probability", "[0, 1)")

UREG = pint.UnitRegistry()  # pint's own catalogue, as a user would have it

# Expected values by hand; exact, since the arithmetic is exact and rounded once.
READ = [
    (rate, "1Gbit/s", 125e6),  # 1e9 / 8
    (rate, "1 Gbps", 125e6),
    (rate, "150 Mb/s", 18.75e6),  # 150e6 / 8; "b" is no barn
    (rate, "10 Gb/s", 1.25e9),  # nor is "Gb" a gilbert
    (rate, "12.5MB/s", 12.5e6),
    (rate, "  5 Kbit/s ", 625.0),
    (rate, "8 Mbits per s", 1e6),
    (rate, "8 MBit / sec", 1e6),
    (rate, "1 GiB/s", 1073741824.0),  # 2**30
    (rate, "1 bit/ms", 125.0),  # 1000 / 8
    (rate, "+.5 MB/s", 5e5),
    (rate, "10G", 1.25e9),  # iperf3 -b 10G: 10e9 bit/s / 8
    (rate, "1.5K", 187.5),  # 1500 / 8; iperf3's K of a rate is 1000, not 1024
    (rate, "20M", 2.5e6),
    (rate, "20m", 2.5e6),
    (rate, "2T", 2.5e11),
    (rate, "10gbit", 1.25e9),  # tc
    (rate, "10 Gbit", 1.25e9),
    (rate, "10gbps", 1.25e9),  # bits, as everywhere but in tc
    (rate, "10 GBIT/s", 1.25e9),
    (rate, "10 GB/s", 1e10),  # bytes
    (rate, "1 kbit/ms", 125e3),  # 1000 / 8 / 0.001
    (duration, "35 ms", 0.035),  # 35 * 0.001 is 0.035000000000000003 in floats
    (duration, "7 µs", 7e-6),  # micro sign
    (duration, "7 μs", 7e-6),  # Greek mu
    (duration, "80 msec", 0.08),
    (duration, "1.5 s", 1.5),
    (duration, "2 min", 120.0),
    (duration, "0 s", 0.0),
    (size, "16KiB", 16384.0),
    (size, "16 KB", 16000.0),
    (size, "12 mbit", 1.5e6),  # tc
    (size, "1 MiB", 1048576.0),  # bytes, not the 8388608 bits of pint's base units
    (size, "3 bytes", 3.0),
    (fraction, "0.1%", 0.001),
    (fraction, "1e-4", 1e-4),
    (fraction, "0", 0.0),
    (fraction, "5 ppm", 5e-6),
]

# With pint's own catalogue and grammar many of these give a number, a hang or an odd exception.
UNREADABLE = {
    rate: (
        "5 ms", "5 B", "5 Hz", "1/s", "0.1%", "1 mb/s", "1 gb/s", "1,5 Mbit/s", "1 Mbit/s/s", "10 GBPS", "1gbps/s",
        "10Gi", "10 Gb", "kgbit/s", "1 GGbit/s", "1 G/s", "1 mbit s", "1 mib/s", "100", "", "  ", "fast", "1e", "Gbps",
        "nan MB/s", "inf", "inf MB/s", "1/0 MB/s", "((", "'a'", "9**9**9 MB/s", "1 MB/s + 1 MB/s", "1 MB/s\n2", "\0",
        "1e9999 MB/s", "1" * 5000 + " MB/s", "\u22121 MB/s", "\uff11 MB/s", "1_000 MB/s", "0x10 MB/s", "1±0.1 MB/s",
        "lambda: 1", "1 in", "1 MB%", "1 %/s", UREG("5 Hz"), UREG("150 Mb/s"), UREG("5 ms"), UREG.Quantity(5),
        UREG.Quantity([1, 2], "bit/s"), UREG.Quantity(float("nan"), "bit/s"), UREG.Quantity(float("inf"), "bit/s"),
    ),
    duration: (
        "100", "1 m", "nan ms", "inf s", "5 KB", "1,000 ms", "1 ms ms", "1 degC", "3 K", "1__ms",
        UREG.Quantity(20, "degC"), UREG.Quantity(1, "s**0.5"),
    ),
    size: ("16 K", "16 k", "1g", "16", "5 rad", "16 Kib/s", "1 mB", "1 KIB", "8 s", "8 bps", "8 mbit/s"),
    fraction: ("16 KiB", "0.1 bit", "5%%", "%", "1e-4 s", "nan", "five"),
}  # fmt: skip

OUTSIDE = {
    rate: (
        "-1 Mbps", "0 bit/s", 0, -1.0, float("nan"), float("inf"), 10**400, -(10**400), "1e999 Gbps", None, 1j,
        [1.0, 2.0], object(), np.array([1.0]), np.eye(2), b"fast", UREG.Quantity(-1, "bit/s"), True,
        np.True_, np.complex128(1 + 1j), np.array("1"), np.array(b"1"), np.timedelta64(1), bytearray(b"1"),
    ),
    duration: ("-1ms", -1e-9, float("inf"), "1e999 s", True),
    size: ("0 B", 0, "1e-999 B", -1, True),
    fraction: ("100%", "1", "-1%", 1.0, "1e5", True),
}  # fmt: skip

KINDS = {
    rate: ("rate", "in (0, inf)", "bytes/s"),
    duration: ("round_trip_time", "in [0, inf)", "s"),
    size: ("size", "in (0, inf)", "bytes"),
    fraction: ("loss", "in [0, 1)", ""),
}


def test_text_is_read():
    for read, text, expected in READ:
        assert read(text) == expected, text


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (rate, UREG("1 Gbit/s"), 125e6),
        (rate, UREG("1 Gbps"), 125e6),  # pint calls these bauds
        (rate, UREG.Quantity(3, "GiB/minute"), 53687091.2),  # 3 * 2**30 / 60
        (duration, UREG.Quantity(35, "ms"), 0.035),
        (duration, UREG.Quantity(decimal.Decimal("1.5"), "day"), 129600.0),
        (size, UREG.Quantity(np.float64(1), "MiB"), 1048576.0),
        (fraction, UREG.Quantity(3, "percent"), 0.03),
        (fraction, UREG.Quantity(0.25), 0.25),
    ],
)
def test_pint_quantities_of_any_registry_are_read(read, value, expected):
    assert read(value) == expected


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int64(2)])
@pytest.mark.parametrize("read", [rate, duration, size])
def test_plain_numbers_are_si_already(read, value):
    result = read(value)
    assert result == 2.0
    assert type(result) is float


REFUSED = [(read, value) for rows in (UNREADABLE, OUTSIDE) for read, values in rows.items() for value in values]


@pytest.mark.parametrize(("read", "value"), REFUSED, ids=lambda v: v.__name__ if callable(v) else repr(v)[:20])
def test_refusal_is_one_line_with_name_value_unit_and_range(read, value):
    name, interval, unit = KINDS[read]
    with pytest.raises((TypeError, ValueError), match="must be") as caught:
        read(value)
    message = str(caught.value)
    assert unit in message
    if type(caught.value) is TypeError:
        assert message.startswith(f"{name} must be a number")
    else:
        assert type(caught.value) is ValueError
        assert message.startswith(f"{name} = ")
        assert interval in message
    assert "\n" not in message
    assert len(message) < 250


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("100", "has no unit: write e.g. 1 Gbit/s"),
        ("5 ms", "has a unit of another dimension"),
        ("5 kelvin", "has an unknown unit"),
        ("1 mb/s", r"has an unknown unit: write e.g. 1 Gbit/s \(as 1 Gbps, 1 gbps, 1G\) or 125 MB/s; must be"),
        ("fast", "cannot be read"),
    ],
)
def test_refusal_says_why(text, why):
    with pytest.raises(ValueError, match=f"^rate = '{text}' {why}"):
        rate(text)


def test_a_size_of_two_meanings_is_refused_with_both():
    with pytest.raises(ValueError, match=r"^packet = '16K' has an ambiguous unit: .* write e.g. 16 KiB or 16 kB"):
        size("16K", "packet")


def test_name_and_interval_are_the_callers():
    assert fraction("100%", "utilisation", "[0, 1]") == 1.0
    with pytest.raises(ValueError, match=r"^delay = 0 s is out of range: must be in \(0, inf\) s$"):
        duration("0 ms", "delay", "(0, inf)")


@given(
    st.one_of(
        st.text(), st.from_regex(r"\A[0-9]{1,3} ?[a-zA-Z%/*+(). ]{0,8}\Z"), st.text("0123456789eE+-.kKMGmiBbps/ ")
    )
)
@examples(25)
@example("1 if")
@example("1e400 s")
def test_any_text_is_read_or_refused(text):
    for read in KINDS:
        try:
            result, message = read(text), "must be"
        except ValueError as error:
            result, message = 0.0, str(error)
        assert 0 <= result < float("inf")
        assert "must be" in message
        assert "\n" not in message


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1572864, "bytes", "1536 KiB"),  # 1.5 MiB is no whole number of MiB
        (10e9, "bytes", "10 GB"),  # 9765625 KiB too, which says the same with more
        (5120000, "bytes", "5.12 MB"),  # 5000 KiB has a character more
        (1264196608, "bytes", "1.2642 GB"),  # 1234567 KiB is exact and unreadable
        (0, "bytes", "0 B"),
        (20e-6, "s", "20 us"),
        (0.9999999, "s", "1 s"),
        (0, "s", "0 s"),
        (-0.1, "s", "-100 ms"),
        (float("inf"), "s", "inf s"),
        (float("nan"), "bytes", "nan B"),
    ],
)
def test_text(value, unit, expected):
    assert quantities.text(value, unit) == expected


def test_text_refuses_an_unknown_unit():
    with pytest.raises(ValueError, match=r"^unit 'miles' is unknown; available: bytes, bytes/s, s"):
        quantities.text(1, "miles")
    with pytest.raises(ValueError, match=r"^unit 'miles' is unknown; available: bandwidth-delay products, bytes, byt"):
        quantities.read("way", "1 mile", "miles", "(0, inf)")


log_spread = st.builds(lambda m, e: m * 10.0**e, st.floats(1, 10), st.integers(-12, 18))


@pytest.mark.parametrize(("read", "unit"), [(rate, "bytes/s"), (duration, "s"), (size, "bytes")])
@examples(25)
@given(value=log_spread)
def test_written_quantities_are_read_back(read, unit, value):
    # six significant digits are off by at most half of the last one: 5e-6 of a leading 1
    assert read(quantities.text(value, unit)) == pytest.approx(value, rel=5.1e-6)


@examples(25)
@given(st.integers(1, 9999))
def test_kibibytes_that_can_be_read_are_written_exactly(count):
    assert size(quantities.text(count * 1024, "bytes")) == count * 1024


@examples(25)
@given(st.integers(1, 999999), st.integers(-6, 6))
def test_six_digits_are_written_exactly(digits, power):
    assert duration(quantities.text(float(f"{digits}e{power}"), "s")) == float(f"{digits}e{power}")
    bits = 8 * float(f"{digits}e{abs(power)}")
    assert rate(quantities.text(float(f"{digits}e{abs(power)}"), "bytes/s")) == pytest.approx(bits / 8, rel=5.1e-6)


#: The list of units as pint reads it: a second writing of the one in `longfat.base.quantities`.
DEFINITIONS = """
second = [time] = s = sec
millisecond = second / 1000 = ms = msec
microsecond = second / 1000000 = us = µs = μs = usec
nanosecond = second / 1000000000 = ns = nsec
minute = 60 * second = min
hour = 3600 * second = h
day = 86400 * second = d
bit = [information] = b = Bit
byte = 8 * bit = B = Byte = octet
baud = bit / second = bps
bytes_per_second = byte / second = Bps
percent = 1 / 100 = %
permille = 1 / 1000
ppm = 1 / 1000000
kilo- = 1000 = k- = K-
mega- = 1000000 = M-
giga- = 1000000000 = G-
tera- = 1000000000000 = T-
peta- = 1000000000000000 = P-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
tebi- = 1099511627776 = Ti-
"""


def test_units_with_every_prefix_and_plural_are_those_of_pint():
    ours = pint.UnitRegistry(None, non_int_type=Fraction)
    for line in DEFINITIONS.strip().splitlines():
        ours.define(line)
    prefixes = ["", *re.findall(r"(\w+)-", DEFINITIONS), "m", "milli", "kk"]
    units = sorted(set(re.findall(r"[^\d\W]+", DEFINITIONS.split("kilo-")[0])))
    read = 0
    for word in (f"{prefix}{unit}{plural}" for prefix in prefixes for unit in units for plural in ("", "s")):
        try:
            expected = ours.Quantity(Fraction(1), word).to_root_units()
        except pint.UndefinedUnitError:
            assert quantities._size(word) is None, word
            continue
        factor, bits, seconds = quantities._size(word)
        read += 1
        assert factor == expected.magnitude, word
        assert {"bit": bits, "second": seconds} == {"bit": 0, "second": 0} | dict(expected.unit_items()), word
    assert read > 1000
