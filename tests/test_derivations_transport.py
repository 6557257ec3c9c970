"""The proofs of the laws of DCTCP, BBR, Copa, LEDBAT++ and queue management agree with the laws, and can fail."""

import importlib

import mpmath
import pytest
import sympy as sp

from derivations import aqm, bbr, dctcp, delay_based
from longfat.law import registered

FAMILIES = ("aqm", "bbr", "dctcp", "delay_based")
LAWS = {record.public_name: record for _, record in registered() if record.public_name.split(".")[0] in FAMILIES}
RENAMED = {"gamma": "growth", "p_CL": "p"}


def at(expression, values):
    """Return the value of an expression whose symbols have the names of the laws' letters."""
    named = {symbol: values[symbol.name] for symbol in expression.free_symbols}
    return mpmath.mpf(sp.N(expression.subs(named), 30))


@pytest.mark.parametrize("name", [name for name, record in LAWS.items() if record.derivation])
def test_the_law_is_what_is_proved(name):
    """At one point of all letters, where no law is clipped; the proofs write gains as 1 + u and 1/(1 - v)."""
    record = LAWS[name]
    module, function = record.derivation.split(".")
    proved = getattr(importlib.import_module(f"derivations.{module}"), function)()
    if isinstance(proved, tuple):
        proved = getattr(proved, name.rsplit("rescaled_")[1].removesuffix("_gain"))
    values = {"B": 40, "C R": 300, "R": sp.Rational(1, 20), "N": 3, "g": 2, "T": sp.Rational(1, 5), "I": 5, "K": 60,
              "W": 30, "p": sp.Rational(1, 10), "W_m": 4, "g_d": sp.Rational(1, 2), "g_l": sp.Rational(1, 4), "n": 7,
              "t": 2, "mu": 5000, "q": sp.Rational(1, 50), "alpha": sp.Rational(1, 8), "beta": sp.Rational(3, 5),
              "h": sp.Rational(1, 3), "k": 2, "R_C": sp.Rational(1, 25), "R_L": sp.Rational(1, 40), "u": 1,
              "v": sp.Rational(1, 5), "growth": 2, "g_p": sp.Rational(5, 4), "S": 40,
              "delta": sp.Rational(1, 10), "l": 1, "C": 60}  # fmt: skip
    letters = {symbol.sympy: values[RENAMED.get(symbol.plain_letter, symbol.plain_letter)]
               for symbol in record.symbols.values()}  # fmt: skip
    shipped = mpmath.mpf(sp.N(record.expr.subs(letters), 30))
    assert abs(shipped - at(proved, values)) < mpmath.mpf(10) ** -14 * abs(shipped)
    changed = letters | {next(iter(letters)): 2 * letters[next(iter(letters))]}
    assert abs(sp.N(record.expr.subs(changed), 30) - at(proved, values)) > 1e-6 * abs(shipped)


@pytest.mark.parametrize(
    ("module", "name", "wrong", "stopped"),
    [
        (dctcp, "sent", lambda low, high: high - low, dctcp.marked_share),
        (dctcp, "critical_window", lambda: dctcp.product / dctcp.N, dctcp.queue_amplitude),
        (aqm, "asymptotic_time", lambda: 2 * aqm.I * sp.sqrt(aqm.n), aqm.codel_drop_rate),
        (aqm, "classic_probability", lambda: aqm.p / aqm.k, aqm.coupled_rate_ratio),
        (bbr, "largest_loss", lambda: sp.Rational(1, 5), bbr.shallow_buffer_loss),
        (delay_based, "copa_queueing_delay", lambda: delay_based.S, delay_based.copa_share),
        (delay_based, "oscillation", lambda: (sp.Integer(0), 2 * delay_based.N / delay_based.delta, sp.Integer(4)),
         delay_based.copa_largest_queue),
        (delay_based, "ramp_rounds", lambda bdp: sp.log(bdp), delay_based.ledbat_slowdown_time),
    ],
)  # fmt: skip
def test_a_wrong_step_is_noticed(monkeypatch, module, name, wrong, stopped):
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(AssertionError):
        stopped()
