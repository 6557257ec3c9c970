"""Proofs as commands, ``python -m derivations.NAME``, the induction over the slots after a loss, wrong assumptions."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sympy as sp

from derivations import (
    aqm,
    bbr,
    blt,
    cadpc,
    cubic,
    dctcp,
    delay_based,
    fair_share,
    fairness,
    guarantees,
    many_rounds,
    proof,
    receive_buffer,
    tcp,
    unloaded,
)
from derivations import cadpc_delay as delay
from derivations import cadpc_network as network
from derivations import cadpc_spectrum as spectrum
from derivations import segment_distribution as distribution

ROOT = Path(proof.__file__).parents[1]
WRONG = """
import sympy as sp
from derivations.proof import require_zero

x = sp.Symbol("x")

def square():
    \"\"\"Derive x^2 + 2 x + 1.\"\"\"
    require_zero((x + 1) ** 2 - x**2 - 2 * x - 1, "expanded")

def cube():
    \"\"\"Derive x^3.\"\"\"
    require_zero(x**3 - x**2, "the same power")

def helper(y):
    raise AssertionError("no proof: it takes an argument")
"""


def command(folder, module):
    """Run the proofs of a module as a command in a folder."""
    return subprocess.run([sys.executable, "-m", module], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("residual", "zero"),
    [
        ("a/(b + 1) - (a*b + a)/(b + 1)**2", True),  # by a common denominator
        ("a/(b + 1) - a/b", False),
        ("a/(b + 1) - 1.0000001*a/(b + 1)", False),
        ("1/((b + 1)**2 - b**2 - 2*b - 1)", False),  # divided by 0
        ("0**a", False),
    ],
)
def test_residuals(residual, zero):
    expression = sp.sympify(residual, evaluate=False)
    if zero:
        proof.require_zero(expression, "zero")
    else:
        with pytest.raises(AssertionError, match="not zero"):
            proof.require_zero(expression, "not zero")


def test_zero_divided_by_zero_is_no_zero():
    x = sp.Symbol("x")
    zero = sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1
    with pytest.raises(AssertionError, match=r"flat: division by .*, which is 0"):
        proof.require_zero(((x + 1) ** 2 - x**2 - 2 * x - 1) / zero, "flat")


def test_denominators():
    """Equal to 0 for all numbers, for all integers, and at 1 only."""
    x, n = sp.symbols("x n")
    assert not proof.not_zero((x + 1) ** 2 - x**2 - 2 * x - 1)
    assert not proof.not_zero(sp.sin(sp.pi * sp.Symbol("n", integer=True)))
    assert not proof.not_zero(sp.exp(x) * sp.exp(n) - sp.exp(x + n, evaluate=False))
    assert proof.not_zero(x - 1)
    assert proof.not_zero(sp.Integer(1))


def test_a_module_as_a_command_proves_each_of_its_laws():
    made = command(ROOT, "derivations.fairness")
    assert (made.returncode, made.stderr) == (0, "")
    proved = [line.removeprefix("proved  ").split(":")[0] for line in made.stdout.splitlines()]
    assert proved == list(proof.proofs("derivations.fairness"))
    assert len(proved) == 5  # counted by hand


def test_an_unknown_module_ends_with_one_line():
    made = command(ROOT, "derivations.nosuch")
    assert made.returncode == 1
    assert [line.partition(": ")[2] for line in made.stderr.splitlines()] == ["No module named derivations.nosuch"]


def test_a_wrong_proof_is_reported_and_the_status_is_1(tmp_path):
    (tmp_path / "derivations").mkdir()
    for name in ("__init__.py", "proof.py"):
        shutil.copy(ROOT / "derivations" / name, tmp_path / "derivations")
    (tmp_path / "derivations" / "wrong.py").write_text(WRONG, encoding="utf-8")
    made = command(tmp_path, "derivations.wrong")
    assert (made.returncode, made.stderr) == (1, "")
    assert made.stdout.splitlines() == [
        "proved  square: Derive x^2 + 2 x + 1.",
        "failed  cube: the same power: residual x**3 - x**2",
    ]


def test_other_modules_are_no_commands():
    """What imports a proof, such as a test or the handbook, runs none."""
    made = command(ROOT, "derivations.errata.rfcs")
    assert (made.returncode, made.stdout) == (0, "")


#: Modules with proofs that no law names; those of laws run in test_laws_and_derivations.py.
FURTHER = ("loss_load", "loss_load_clipping", "loss_load_convergence", "loss_load_response", "loss_load_unequal",
           "segment_distribution")  # fmt: skip
PROOFS = {f"{module}.{name}": one for module in FURTHER for name, one in proof.proofs(f"derivations.{module}").items()}
PROOFS["segment_distribution.tails"] = distribution.tails  # takes a number of packets


@pytest.mark.long
@pytest.mark.parametrize("one", PROOFS.values(), ids=PROOFS)
def test_every_proof_runs(one):
    assert one() is not None


def test_the_runs_after_a_loss_are_those_of_the_slots():
    """For buffers up to two windows, with numbers in place of symbols, by the simulation of single slots."""
    for trip in range(1, 12):
        for buffer in range(1, 2 * trip + 1):
            followed = receive_buffer.runs(sp.Integer(trip), sp.Integer(buffer))
            assert followed == receive_buffer.slots(trip, buffer, soft=False, length=12 * trip + 12)[0]


def test_a_case_that_does_not_decide_a_sign_is_no_proof():
    a, b = sp.symbols("a b", integer=True, nonnegative=True)
    with pytest.raises(AssertionError, match="the sign of"):
        receive_buffer.runs(3 + a, 2 + b)


def test_a_wrong_count_of_the_discards_is_found(monkeypatch):
    monkeypatch.setattr(receive_buffer.sp, "Min", lambda *some: sp.Max(*some))
    with pytest.raises(AssertionError, match="the largest and the smallest"):
        receive_buffer.discards()


# A wrong assumption put under a proof stops it: a row for each assertion.


def counted_once(rate, traffic, smoothing=cadpc.a):
    """Return the update of a CADPC flow that does not count its own rate twice."""
    return rate * (1 + smoothing * (1 - traffic))


def steeper(rate, traffic, smoothing=cadpc.a):
    """Return the update of a CADPC flow that counts its own rate three times."""
    return rate * (1 + smoothing * (1 - 2 * rate - traffic))


@pytest.mark.parametrize(
    ("module", "name", "wrong", "stopped"),
    [
        (dctcp, "sent", lambda low, high: high - low, dctcp.marked_share),
        (dctcp, "critical_window", lambda: dctcp.product / dctcp.N, dctcp.queue_amplitude),
        (aqm, "asymptotic_time", lambda: 2 * aqm.I * sp.sqrt(aqm.n), aqm.codel_drop_rate),
        (aqm, "classic_probability", lambda: aqm.p / aqm.k, aqm.coupled_rate_ratio),
        (bbr, "largest_loss", lambda: sp.Rational(1, 5), bbr.shallow_buffer_loss),
        (delay_based, "copa_queueing_delay", lambda: delay_based.S, delay_based.copa_share),
        (
            delay_based,
            "oscillation",
            lambda: (sp.Integer(0), 2 * delay_based.N / delay_based.delta, sp.Integer(4)),
            delay_based.copa_largest_queue,
        ),
        (delay_based, "ramp_rounds", lambda bdp: sp.log(bdp), delay_based.ledbat_slowdown_time),
        (blt, "window_size", lambda: blt.gamma ** (blt.k + 1), blt.packets_in_windows),
        (blt, "packets_in_windows", lambda: blt.gamma**blt.m - 1, blt.packet_priority),
        (blt, "packets_in_windows", lambda: blt.gamma**blt.m, blt.packets_encodable),
        (blt, "additive_window_size", lambda: blt.alpha * (1 + blt.k), blt.packets_in_additive_windows),
        (blt, "packets_in_additive_windows", lambda: blt.alpha * blt.m**2 / 2, blt.additive_priority),
        (
            blt,
            "accepted",
            lambda: sp.Min(blt.i + 1, blt.K + sp.floor(blt.i * blt.r)),
            blt.buffer_for_burst,
        ),
        (blt, "buffer_for_burst", lambda: blt.n * (1 - blt.r), blt.burst_for_buffer),
        (blt, "unloaded_transfer_time", lambda: blt.D + blt.n * blt.t_b, blt.two_bursts),
        (blt, "K", blt.k, blt.accepted),
        (unloaded.tcp, "lone", unloaded.tcp.path, unloaded.tcp_transfer_time),
        (blt, "buffer_for_burst", lambda: blt.n * (1 - blt.r), unloaded.buffer_for_slow_start),
        (unloaded, "S", unloaded.T_0, unloaded.power_with_unloaded_time.__wrapped__),
        (unloaded, "tau", lambda extra: 1 + (extra + 2) * unloaded.x, unloaded.power_advantage.__wrapped__),
        (unloaded, "tau", lambda extra: 1 + (extra + 1) * unloaded.x, unloaded.bandwidth_delay_product_for_advantage),
        (cadpc, "update", counted_once, cadpc.equilibria),
        (cadpc, "update", steeper, cadpc.deviation_update),
        (cadpc, "deviation_update", lambda: cadpc.e**3, cadpc.trajectory),
        (cadpc, "update", steeper, cadpc.logistic),
        (cadpc, "update", steeper, cadpc.conjugate),
        (cadpc, "multiplicity", lambda rate, traffic: cadpc.m_0 * (1 - rate / (1 - traffic)), cadpc.startup),
        (spectrum, "update", steeper, spectrum.difference),
        (spectrum, "update", steeper, spectrum.total),
        (spectrum, "update", lambda rate, traffic: rate * (1 + cadpc.a * (1 - traffic) / 2), spectrum.newcomer),
        (spectrum, "update", counted_once, spectrum.total),
        (spectrum, "spectrum", lambda: spectrum.Spectrum(0, spectrum.W), spectrum.updates_to_fairness),
        (delay, "late_update", counted_once, delay.characteristic),
        (delay, "characteristic", lambda: delay.z**2 - (1 - delay.s) * delay.z + delay.s, delay.one_update_late),
        (delay, "characteristic", lambda: delay.z ** (delay.d + 1) + delay.n * delay.s, delay.crossing),
        (delay, "on_the_circle", lambda: (sp.sin(2 * delay.h), sp.cos(2 * delay.h)), delay.boundary),
        (delay, "on_the_circle", lambda: (sp.sin(2 * delay.h), sp.cos(2 * delay.h)), delay.monotone),
        (network, "update", steeper, network.weights),
        (network, "update", counted_once, network.at_rest),
        (network, "fill", lambda routes, c, w: ([x / 2 for x in w], c), network.network),
        (cubic, "C", cubic.C * 2, cubic.window),
        (cubic, "increase", lambda: sp.Integer(1), cubic.climb),
        (cubic, "queued", lambda left: 1 + cubic.B, cubic.utilisation),
        # all flows stopped by the first link that fills, also those that do not cross it
        (
            fair_share,
            "fill",
            lambda usage, capacity, weight: tuple(min(capacity) * w / sum(weight) for w in weight),
            fair_share.networks,
        ),
        (fair_share, "SLOW", sp.Rational(30, 1000), fair_share.migrating),
        (fair_share, "SLOW", sp.Rational(400, 1000), fair_share.experiments),
        (many_rounds, "geometric_mean", lambda ratio: 1 / (1 - ratio), many_rounds.share_of_waiting),
        (many_rounds, "distance", lambda: many_rounds.W / (1 + 2 * many_rounds.n), many_rounds.one_segment),
        (many_rounds, "mean_transmissions", lambda: 1 + many_rounds.p, many_rounds.efficiency),
        (
            distribution,
            "rounds_distribution",
            lambda: (1 - distribution.p ** (distribution.i + 1)) ** distribution.s,
            distribution.cdf,
        ),
        (
            distribution,
            "generating_function",
            lambda: (distribution.z * (1 - distribution.p)) ** distribution.s,
            distribution.sent_within,
        ),
        (distribution, "sent_within", lambda: distribution.s * distribution.k, distribution.covariance),
        (distribution, "rounds_tail", lambda packets: distribution.x, distribution.tails),
        (fairness, "rate", fairness.window, fairness.round_trip_unfairness),  # not divided by the round trip
        (fairness, "CUBIC", {fairness.a: 3, fairness.b: 1}, fairness.round_trip_unfairness),
        (fairness, "period", lambda: sp.Integer(1), fairness.round_trip_unfairness),
        (tcp, "round_time", lambda window: sp.Integer(1) + 0 * window, tcp.aimd_utilisation_general),
        (tcp, "round_time", lambda window: sp.Integer(1) + 0 * window, tcp.aimd_mean_queue),
        (tcp, "beta", sp.Rational(1, 3), tcp.buffer_for_utilisation),
        (tcp, "window_of_loss", lambda: sp.sqrt(2 * tcp.alpha / tcp.p), tcp.gaimd_rate),
        (tcp, "window_of_loss", lambda: sp.sqrt(3 / tcp.b / tcp.p), tcp.loss_of_window),
        (
            tcp,
            "sawtooth",
            lambda low, high, time: tcp.Sawtooth(high - low, high**2 - low**2, time * (high - low)),
            tcp.loss_of_window,
        ),
        (tcp, "geometric_mean", lambda ratio: 1 / (1 - ratio), tcp.first_loss_window),
        (tcp, "geometric_mean", lambda ratio: 1 / (1 - ratio), tcp.timeouts),
        (tcp, "mean_transmissions", lambda: 1 + tcp.p, tcp.timeouts),
        (tcp, "q", 1 - tcp.p**2, tcp.timeout_share),
        (tcp, "first_loss_window", lambda: sp.sqrt(8 / (3 * tcp.b * tcp.p)), tcp.pftk_full_rate),
        (tcp, "first_loss_window", lambda: sp.sqrt(8 / (3 * tcp.p)), tcp.pftk_rate),
        (tcp, "first_packet", lambda number: tcp.W_0 * 2**number, tcp.slow_start_transfer_time),
        (tcp, "first_packet", lambda number: tcp.W_0 * number, tcp.slow_start_transfer_time),
        (tcp, "first_packet", lambda number: tcp.W_0 * (3**number - 1) / 2, tcp.slow_start_rounds),
        (
            tcp,
            "after_the_next_loss",
            lambda squares, x, n: (x / n, squares - x**2 + 2 * x / n),
            tcp.parallel_utilisation,
        ),
        (tcp, "beta", sp.Rational(1, 3), tcp.parallel_utilisation),
        (guarantees, "next_link", lambda late: late, guarantees.packet_delay),
        (guarantees, "lateness", lambda: 2 * guarantees.l_m / guarantees.C, guarantees.packet_delay),
    ],
)
def test_wrong_assumptions_are_found(monkeypatch, module, name, wrong, stopped):
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(AssertionError):
        stopped()
