"""The CUBIC laws: RFC 9438's tables to the digit, its rules step by step, and limits."""

import math
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from longfat.laws import cubic, tcp

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


def test_cells_of_the_tables_are_rounded_and_not_truncated():
    """The check sees an error of 2 in 1000 of the factor C, too."""
    truncated = [int(cubic.average_window.as_printed(10.0**-e, trip, c)) == printed for trip, e, c, printed in CELLS]
    assert len(CELLS) == 42
    assert sum(truncated) < 42
    wrong = [
        round(cubic.average_window.as_printed(10.0**-e, trip, 1.002 * c)) != printed for trip, e, c, printed in CELLS
    ]
    assert sum(wrong) >= 14


def test_the_column_of_reno_is_not_the_law_of_equation_3():
    """1.2/sqrt(p), from RFC 3649, is 2 % below sqrt(3/2)/sqrt(p); rounded, both agree for p = 10^-2 only."""
    for table in TABLES.values():
        for exponent, (reno, *_) in table.items():
            loss = 10.0**-exponent
            assert round(1.2 / math.sqrt(loss)) == reno
            assert (round(tcp.square_root_rate(loss, 1.0)) == reno) == (exponent == 2)
    # sqrt(1.5) = 1.22474...: 39, 122, 387, 1225, 3873, 12247
    by_law = [round(tcp.square_root_rate(10.0**-e, 1.0)) for e in range(3, 9)]
    assert by_law == [39, 122, 387, 1225, 3873, 12247]


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


def test_constant_of_equation_7():
    assert f"{cubic.average_window(1e-8, 1.0) * 1e-6:.3f}" == "1.054"


# The window between losses, and the response to loss


def by_the_rules(top, trip, c, beta, steps=20_000):
    """Return packets and duration of a period: the larger of equation 1 and of equation 4, in small steps of time."""
    recovery = ((1 - beta) * top / c) ** (1 / 3)
    climb = top * trip * (1 + beta) / 3
    time = np.arange(steps) / steps * min(recovery, climb) + min(recovery, climb) / steps / 2
    estimate = beta * top + 3 * (1 - beta) / (1 + beta) * time / trip
    window = np.maximum(c * (time - recovery) ** 3 + top, estimate)
    assert window.max() <= top
    return window.mean() * min(recovery, climb) / trip, min(recovery, climb)


@pytest.mark.parametrize("trip", [0.001, 0.004, 0.01, 0.02, 0.03, 0.05, 0.2])
@pytest.mark.parametrize("beta", [0.5, 0.7, 0.9])
def test_period_against_the_rules_step_by_step(trip, beta):
    packets, time = by_the_rules(300.0, trip, 0.4, beta)
    assert cubic.packets_between_losses(300, trip, 0.4, beta) == pytest.approx(packets, rel=1e-7)
    assert cubic.mean_window(300, trip, 0.4, beta) == pytest.approx(packets * trip / time, rel=1e-7)
    assert cubic.mean_window(303, trip, 0.4, beta) != pytest.approx(packets * trip / time, rel=1e-3)


def test_where_the_regions_meet():
    at = cubic.reno_friendly_loss(0.1)
    assert cubic.average_window(at, 0.1) == pytest.approx(math.sqrt(1.5 / at), rel=1e-13)


def test_a_window_that_changes_once_in_a_round_trip_is_a_little_smaller():
    """p = 1e-4, R = 0.2 s: R is 2.4 % of (R/(p C))^(1/4) = 8.4 s, and the limit for small p is 1 % too high."""
    rng, p, trip, c, flows = np.random.default_rng(7), 1e-4, 0.2, 0.4, 4000
    law = cubic.average_window_random(p, trip, fast_convergence=0)
    top, means = np.full(flows, law), []
    since = -np.cbrt(0.3 * top / c)  # time since the window was that of the last loss [s]
    for _ in range(3700):
        window = top + c * since * since * since
        means.append(window.mean())
        lost = rng.random(flows) < -np.expm1(window * np.log1p(-p))
        since += trip
        top[lost] = window[lost]
        since[lost] = -np.cbrt(0.3 * top[lost] / c)
    # 4000 flows in 2700 rounds, of which 42 are a period: seeds 7 to 14 give 0.988 to 0.992, a standard error of 0.12 %
    assert 0.985 < np.mean(means[1000:]) / law < 0.995


def test_random_losses_leave_a_larger_window_than_periodic_ones():
    # 0.4^(1/4) 1.635269 = 1.30048 against RFC 9438's 1.054: 23 % more
    assert f"{cubic.average_window_random(1e-8, 1, fast_convergence=0) * 1e-6:.4f}" == "1.3005"
    ratio = cubic.average_window_random(1e-8, 1, fast_convergence=1) / cubic.average_window(1e-8, 1)
    assert ratio == pytest.approx(1.135, abs=5e-4)


# One flow at a link


def test_limits_of_the_link_with_the_reno_friendly_region():
    for buffer in (0.0, 0.1, 0.3, 0.43, 1.0):
        assert cubic.utilisation_general(buffer, 1e5, 0.1) == pytest.approx(cubic.utilisation(buffer), abs=1e-14)
        reno = tcp.aimd_utilisation_general(buffer, 0.7)
        assert cubic.utilisation_general(buffer, 100, 0.01) == pytest.approx(reno, abs=1e-14)
    between = cubic.utilisation_general(0.1, np.geomspace(100, 1e4, 300), 0.01)
    assert (np.diff(between) > -1e-13).all()
    assert np.diff(between).max() < 2e-3  # no jump where the regions meet


def test_cubic_needs_less_buffer_than_reno_and_fills_more_of_it():
    for buffer in (0.01, 0.1, 0.3):
        assert cubic.utilisation(buffer) > tcp.aimd_utilisation_general(buffer, 0.7) > tcp.aimd_utilisation(buffer)
