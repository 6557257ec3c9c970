"""The proofs of the laws of DCTCP, BBR, Copa, LEDBAT++ and queue management can fail."""

import pytest
import sympy as sp

from derivations import aqm, bbr, dctcp, delay_based


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
