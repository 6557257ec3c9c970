"""The CUBIC laws: RFC 9438's tables to the digit."""

import math
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest

from longfat.laws import cubic

FACTORS = (0.04, 0.4, 4.0)
#: RFC 9438, section 5.1, tables 1 (R = 0.1 s) and 2 (R = 0.01 s): Reno, and CUBIC with C of FACTORS, by the exponent
#: of 1/p.
TABLES = {
    0.1: {
        2: (12, 12, 12, 12),
        3: (38, 38, 38, 59),
        4: (120, 120, 187, 333),
        5: (379, 593, 1054, 1874),
        6: (1200, 3332, 5926, 10538),
        7: (3795, 18740, 33325, 59261),
        8: (12000, 105383, 187400, 333250),
    },
    0.01: {
        2: (12, 12, 12, 12),
        3: (38, 38, 38, 38),
        4: (120, 120, 120, 120),
        5: (379, 379, 379, 379),
        6: (1200, 1200, 1200, 1874),
        7: (3795, 3795, 5926, 10538),
        8: (12000, 18740, 33325, 59261),
    },
}
CELLS = [
    (trip, exponent, c, printed)
    for trip, table in TABLES.items()
    for exponent, row in table.items()
    for c, printed in zip(FACTORS, row[1:], strict=True)
]


def digits(value, printed, rounding=ROUND_HALF_UP):
    """Return a value with as many digits as the printed text has, in its form."""
    mantissa, exponent = f"{value:.12e}".split("e")
    step = Decimal(1).scaleb(-len(printed.partition("e")[0].partition(".")[2]))
    return f"{Decimal(mantissa).quantize(step, rounding)}e{int(exponent)}"


@pytest.mark.parametrize("trip", TABLES)
def test_every_cell_of_tables_1_and_2(trip):
    """All 42 cells are rounded; the tables take 1.2/sqrt(p) for Reno, which `as_printed` keeps."""
    for exponent, c, printed in (cell[1:] for cell in CELLS if cell[0] == trip):
        loss = 10.0**-exponent
        assert round(cubic.average_window.as_printed(loss, trip, c)) == printed, (exponent, c)
        exact = cubic.average_window(loss, trip, c)
        if printed == TABLES[trip][exponent][0] and exponent > 2:  # the Reno-friendly region rules
            assert exact == pytest.approx(math.sqrt(1.5 / loss), rel=1e-14), (exponent, c)
            assert round(exact) > printed, (exponent, c)
        else:
            assert round(exact) == printed, (exponent, c)


#: RFC 9438, section 5.2, table 3: Mbit/s, loss probabilities of Reno and CUBIC.
TABLE_3 = [
    (1, "2.0e-2", "2.0e-2"),
    (10, "2.0e-4", "2.9e-4"),
    (100, "2.0e-6", "1.4e-5"),
    (1000, "2.0e-8", "6.3e-7"),
    (10000, "2.0e-10", "2.9e-8"),
]


@pytest.mark.parametrize(("rate", "reno", "printed"), TABLE_3)
def test_every_cell_of_table_3(rate, reno, printed):
    """CUBIC's column is rounded where its own region rules; what Reno needs is printed below 1.44/W^2, too."""
    window = rate * 1e6 * 0.1 / 12_000  # packets of 1500 bytes, R = 0.1 s
    loss = cubic.loss_of_window(window, 0.1)
    if rate > 1:
        assert digits(loss, printed) == printed
    else:
        assert digits(loss, printed) == "2.2e-2"  # 1.5/8.333^2 = 0.0216; the table has Reno's 2.0e-2
    # 1.44/W^2 = 2.0736e-2 for W = 8.3333 and so on: 2.1 rounded, 2.0 truncated; by equation 3 2.16.
    assert digits(1.44 / window**2, reno, ROUND_DOWN) == reno
    assert digits(1.44 / window**2, reno) == "2.1" + reno[3:]
    assert digits(1.5 / window**2, reno) == "2.2" + reno[3:]
