"""Outcomes of `longfat.verify`: agreement, difference, and checks that cannot be made."""

import json
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

from longfat import verify
from longfat.base import extras
from longfat.law import Law, SimulatedBy, Symbol, Validity, registered
from longfat.law.array_namespaces import JaxNamespace
from longfat.laws.loss_load import response_time
from longfat.laws.power import network_power
from longfat.laws.tcp import achievable_throughput
from longfat.testing import compare
from longfat.verify import faces, high_precision, points, report, verification
from longfat.verify.simulators import SIMULATORS, simulator_of

X = Symbol("x", "m", "[0, 10]", (1, 5))


def around(value, spread=0.01):
    """Return a simulator whose results are normal around a value."""
    return lambda rng, **_: np.random.default_rng(rng).normal(value, spread)


def test_where_a_law_jumps_there_is_no_slope():
    """A law with a jump at excess = 0, which a step of 1e-25 crosses."""
    file = {"rate": 1.0, "spread": 0.0, "k": 1.0, "packets": 1.0, "round_trip_time": 1.0, "capacity_packets": 1000.0}
    assert high_precision.slope(response_time, file | {"excess": -1e-40}, "excess") is None
    assert high_precision.slope(response_time, file | {"excess": -1e-40}, "round_trip_time") == 1.0  # beside T = 1e37 s
    # T = 1/(-1000 a): dT/da = 1/(1000 a^2)
    assert high_precision.slope(response_time, file | {"excess": -0.5}, "excess") == pytest.approx(0.004, rel=1e-12)


def test_results_next_to_a_jump_and_next_to_nothing():
    """A step at 1/3, which floats cannot represent: either side is right, and 1 - 3 x is only known to 1e-16."""
    step = Law(lambda x, *, xp: xp.floor(3 * x + 1e-17), {"x": X}, "m", "a jump")
    rest = Law(lambda x, *, xp: 1 - 3 * x, {"x": X}, "m", "a difference")
    for law, as_good, wrong in ((step, (0.0, 1.0), (2.0, math.nan)), (rest, (0.0, 1e-16, -5e-16), (1e-14, math.nan))):
        assert [high_precision.value_error(law, {"x": 1 / 3}, got) for got in as_good] == [0.0] * len(as_good)
        assert all(high_precision.value_error(law, {"x": 1 / 3}, got) > 1e-3 for got in wrong)
    assert high_precision.value_error(step, {"x": 0.33}, 1.0) == math.inf
    assert high_precision.value_error(rest, {"x": 0.25}, 0.25 + 1e-12) == pytest.approx(4e-12, rel=1e-3)


def test_slopes_next_to_an_edge():
    """A kink at 1/3, just above the float 1/3: any slope from 0 to 1 is right there, but not elsewhere."""
    third = Fraction(1, 3)
    edge = Law(
        lambda x, *, xp: xp.maximum(x, x.__class__(third.numerator) / third.denominator), {"x": X}, "m", "a corner"
    )
    assert [high_precision.slope_error(edge, {"x": 1 / 3}, "x", slope) for slope in (0.0, 0.5, 1.0)] == [0.0] * 3
    assert high_precision.slope_error(edge, {"x": 1 / 3}, "x", 1.5) == 0.5
    assert high_precision.slope_error(edge, {"x": 0.34}, "x", 0.5) == 0.5
    assert high_precision.slope_error(edge, {"x": 0.33}, "x", 1e-9) == math.inf


def test_slopes_that_cancel():
    """C l/(l + h) does not depend on l if h is 0; the terms of its slope, C/l = 1e6, are rounded by 1e-10."""
    point = {"capacity": 1e9, "payload": 1000.0, "overhead": 0.0}
    errors = [high_precision.slope_error(achievable_throughput, point, "payload", got) for got in (1e-7, -1e-10)]
    assert errors == [0.0, 0.0]
    assert high_precision.slope_error(achievable_throughput, point, "payload", 1e-5) == math.inf


# `run`: a law that is wrong on one face fails on that face alone.

P = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1))


def made(function, **options):
    return Law(function, {"p": P}, "1", "an example", **options)


def right(p, *, xp):
    return p * p


def wrong_slope(p, *, xp):
    return p * xp.fixed(p)


def wrong_where_small(p, *, xp):
    return p * p / p


def wrong_in_jax(p, *, xp):
    return p * p * (1 + 1e-9 * isinstance(xp, JaxNamespace))


def not_in_arrays(p, *, xp):
    return p * p if getattr(p, "ndim", 0) == 0 else p * p * (1 + 1e-11)


def broken(p, *, xp):
    return p * p if p < 1 else p  # no `if` for a tracer


def statuses(table):
    row = table.iloc[0]
    return {face: row[face] for face in ("proof", "numeric", "symbolic", "jax", "gradient", "simulator")}


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (right, set()),
        (wrong_slope, {"gradient"}),
        (wrong_where_small, {"numeric"}),
        (wrong_in_jax, {"jax"}),
        (not_in_arrays, {"numeric", "jax"}),
        (broken, {"numeric", "symbolic", "jax", "gradient"}),
    ],
)
def test_every_face_finds_errors_of_its_own(function, wrong, quick):
    """An exception is an "error": nothing was compared, so nothing differs."""
    table = verify.run([made(function)], quick=quick)
    verdict = "error" if function is broken else "differs"
    assert {face: status for face, status in statuses(table).items() if status not in ("agrees", "not checked")} == (
        dict.fromkeys(wrong, verdict)
    )
    assert table.attrs["agrees"] == (not wrong)
    assert (table.proof.item(), table.simulator.item()) == ("not checked", "not checked")
    assert table.numeric_checks.item() > 10 or function is broken


def test_the_place_of_an_error_is_reported():
    """(1e-300)^2 is below the smallest float: 0 instead of the exact value is a relative error of 1."""
    table = verify.run([made(wrong_where_small)], quick=True)
    assert table.numeric_where.item() == {"p": 1e-300}
    assert table.numeric_error.item() == 1.0


def test_traced_programs_are_computed_as_jax_computes_them():
    """A loop, a scan from either end, a choice beyond the last branch, integers, and an operation that JAX computes."""

    def function(x, y):
        count = jax.lax.while_loop(lambda s: jnp.any(s[0] < y[2]), lambda s: (s[0] * x[0], s[1] + 1), (x, 0.0))[1]
        sums = jax.lax.scan(lambda total, one: (total + one, total * one), x[0], y, reverse=True)
        ends = jax.lax.scan(lambda total, one: (total - one, None), x, jnp.stack([y, x]))[0]
        chosen = jax.lax.switch(jnp.int32(7), [lambda a: a, lambda a: jnp.where(a > 2, -a, a)], y)
        whole = -y.astype(int) // 2, y.astype(int) ** 2
        others = jnp.sort(y), jnp.clip(x, 1.6, 4), y[1:] % 2, x**2.5 + jnp.expm1(y[::-1])
        return count, *sums, ends, chosen, *whole, *others

    given = np.array([1.5, 1.75, 2.0]), np.array([3.0, 1.0, 20.0])
    ours = faces._evaluated(jax.make_jaxpr(function)(*given), given)
    for one, compiled in zip(ours, jax.jit(function)(*given), strict=True):
        np.testing.assert_allclose(one, compiled, rtol=1e-14)


@pytest.mark.parametrize(("factor", "status"), [(1.0, "agrees"), (1.2, "differs"), (1.1, "undecided")])
def test_a_simulator_of_ones_own(factor, status, monkeypatch):
    """The tolerance is 10 %; the results lie at a multiple of the law. An undecided point does not agree."""
    monkeypatch.setattr(verification, "BUDGET", 40)
    monkeypatch.setattr(verification, "QUICK", (5, 6, 2, 3))  # two points to simulate
    spent, seeds = [], set()

    def simulator(rng, p):
        assert 2 <= p <= 3
        spent.append(7.0)
        seeds.add(rng)
        return p * p * around(factor, 0.01)(rng), 7.0

    law = Law(right, {"p": X}, "1", "an example", simulated=SimulatedBy(simulator, {"p": (2, 3)}, relative=0.1))
    law.printed("a tenth more")(lambda p, *, xp: 1.1 * p * p)
    table = verify.run([law], quick=True)
    assert table.simulator.item() == status
    assert bool(table.agrees.item()) == (status == "agrees")
    assert (len(spent) == 80) == (status == "undecided")
    assert len(seeds) == len(spent)
    assert table.simulator_checks.item() == table.attrs["points"] == 2
    assert table.simulator_packets.item() == sum(spent)
    # The printed formula is off by the tolerance or nothing, which is less than the tolerance beyond the interval.
    assert table.printed_remark.item().endswith("Simulated, as printed 0 of 2 differ.")
    # With 99 % for two points, "agrees" needs the evidence 200.
    assert (table.simulator_evidence.item() >= math.log10(200)) == (status == "agrees")
    assert "budget" in table.simulator_remark.item() or status != "undecided"


def test_a_simulator_declared_deterministic():
    """One run at the only point; above and below the tolerance of 10 %."""

    class Fixed:
        deterministic = True

        def __init__(self, factor):
            self.factor, self.runs = factor, 0

        def __call__(self, rng, p):
            self.runs += 1
            return self.factor * p * p

    for factor, status, evidence in ((1.09, "agrees", math.inf), (1.11, "differs", -math.inf)):
        one = Fixed(factor)
        check = SimulatedBy(one, relative=0.1)
        table = verify.run([Law(right, {"p": X}, "1", "an example", simulated=check)], quick=True)
        assert (table.simulator.item(), table.simulator_evidence.item(), one.runs) == (status, evidence, 1)
        shown = {"agrees": "exact", "differs": "none"}[status]
        assert shown in report.to_text(table).splitlines()[1].split()
        entry = json.loads(report.to_json(table))["laws"][0]["simulator"]
        assert entry["log10_evidence"] == ("infinite" if status == "agrees" else None)


def test_one_point_that_differs(monkeypatch):
    """Off by twice the tolerance of 10 % at the second of three points."""
    monkeypatch.setattr(verification, "QUICK", (5, 6, 3, 3))
    seen = []

    class SecondIsOff:
        deterministic = True

        def __call__(self, rng, p):
            seen.append(p)
            return p * p * (1.2 if len(seen) == 2 else 1.0)

    check = SimulatedBy(SecondIsOff(), relative=0.1)
    table = verify.run([Law(right, {"p": X}, "1", "an example", simulated=check)], quick=True)
    assert (table.simulator.item(), table.simulator_where.item()) == ("differs", {"p": seen[1]})
    assert table.simulator_error.item() == pytest.approx(2.0)
    assert table.simulator_evidence.item() == -math.inf


def test_an_exception_is_an_error_on_every_face(monkeypatch):
    """An exception's type and message are in the table, the text and the JSON; its status is never "differs"."""

    def slip(p, *, xp):
        raise KeyError("a slip")

    def fails(rng, p):
        raise OSError("no disk")

    check = SimulatedBy(fails, relative=0.1)
    law = made(slip, derivation="queues.mm1_number", simulated=check)
    law.printed("misprint")(slip)
    monkeypatch.setattr("derivations.queues.mm1_number", lambda: {}["nothing"])
    table = verify.run([law], quick=True)
    row = table.iloc[0]
    assert {row[face] for face in verification.FACES} == {"error"}, row.to_dict()
    assert row.numeric_remark == row.jax_remark == row.symbolic_remark == row.printed_remark == "KeyError: 'a slip'"
    assert row.simulator_remark == "KeyError: 'a slip'"
    failed = verify.run([made(right, simulated=check)], quick=True)
    assert (failed.simulator.item(), failed.simulator_remark.item()) == ("error", "OSError: no disk")
    assert row.proof_remark == "derivations.queues.mm1_number: KeyError: 'nothing'"
    assert not table.attrs["agrees"]
    assert "slip, symbolic: error" in report.to_text(table)
    assert "KeyError: 'a slip'" in report.to_text(table)
    assert json.loads(report.to_json(table))["laws"][0]["gradient"]["status"] == "error"
    assert 'class="error"' in report.to_html(table)


def test_a_validity_that_raises_is_an_error():
    check = SimulatedBy(lambda rng, p: around(p)(rng))
    table = verify.run([made(right, validity=Validity("p < 1/20", lambda p: p / 0, 0.5), simulated=check)], quick=True)
    assert table.simulator.item() == "error"
    assert table.simulator_remark.item().startswith("ZeroDivisionError")


def test_a_simulator_needs_an_accuracy():
    check = SimulatedBy(lambda rng, p: around(p)(rng))
    validity = Validity("p < 1/20", lambda p: p < 0.05, 0.5)
    table = verify.run([made(right, validity=validity, simulated=check)], quick=True)
    assert table.simulator.item() == "agrees"
    assert table.simulator_where.item()["p"] < 0.05
    table = verify.run([made(right, simulated=check)], quick=True)
    assert table.simulator.item() == "error"
    assert table.simulator_remark.item() == "ValueError: law right needs an accuracy in (0, inf): it states none"


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        ({"simulated": SimulatedBy(around(1.0), relative=0.1, long=True)},
         "skipped in a quick run, because it takes longer"),
        ({"simulated": SimulatedBy(around(1.0)), "validity": Validity("p > 1", lambda p: p > 1, 0.5)},
         "the law is valid at no point of the ranges"),
        ({"not_simulated": "a definition"}, "a definition"),
    ],
)  # fmt: skip
def test_why_nothing_is_simulated(options, remark):
    table = verify.run([made(right, **options)], quick=True)
    assert (table.simulator.item(), table.simulator_remark.item()) == ("not checked", remark)


def test_the_errors_are_shared_by_all_points(monkeypatch):
    """Two laws with one point each; 2 p^2, which is printed, is off by p^2, more than a tenth."""
    seen = []

    def compared(*args, alpha, power, **options):
        seen.append((alpha, power))
        return compare(*args, alpha=alpha, power=power, **options)

    monkeypatch.setattr(verification, "compare", compared)
    check = SimulatedBy(lambda rng, p: p * p * around(1.0)(rng), relative=0.1)
    one, other = (Law(formula, {"p": X}, "1", "an example", simulated=check) for formula in (right, not_in_arrays))
    other.printed("twice as much")(lambda p, *, xp: 2 * p * p)
    table = verify.run([one, other], quick=True, confidence=0.9, alpha=0.04)
    assert seen == [(pytest.approx(0.04 / 2), pytest.approx(1 - 0.1 / 2))] * 2
    assert table.attrs["points"] == 2
    assert table.printed_remark.iloc[1].endswith("Simulated, as printed 1 of 1 differ.")


def test_another_process_does_not_check_a_shipped_law_for_one_of_its_name(monkeypatch):
    """Another process finds a law by its name, so a changed law is checked in this one."""
    monkeypatch.setattr(verification, "Processes", None)  # not called
    changed = Law(network_power.function, network_power.symbols, "1", "an example")
    assert changed.place == network_power.place
    assert verify.run([changed], quick=True, workers=2).attrs["agrees"]


def test_a_proof_that_fails_and_one_that_is_not_there(monkeypatch):
    from derivations import queues

    def fails():
        raise AssertionError("residual x")

    monkeypatch.setattr(queues, "mm1_number", fails)
    table = verify.run("queues.mm1_mean_number", quick=True)
    assert table.proof.item() == "differs"
    assert "residual x" in table.proof_remark.item()
    assert not table.attrs["agrees"]
    absent = verify.run([made(right, derivation="queues.nothing")], quick=True)
    assert absent.proof.item() == "error"
    assert "AttributeError: module 'derivations.queues' has no attribute 'nothing'" in absent.proof_remark.item()
    assert not absent.attrs["agrees"]


@pytest.mark.parametrize(
    ("own", "status", "remark"),
    [
        (lambda: sympy.integrate(2 * sympy.Symbol("x"), sympy.Symbol("x")), "agrees", "<lambda>"),
        (lambda: None, "differs", "<lambda> returns nothing"),
        (lambda: sympy.Symbol("p") ** 2, "agrees", "<lambda>"),
        (
            lambda: sympy.Symbol("p") ** 2 * (1 + sympy.Rational(1, 10**9)),
            "differs",
            "<lambda> derives another expression",
        ),
        (lambda: sympy.Symbol("p"), "differs", "<lambda> derives another expression"),
        (lambda: (sympy.Symbol("p"), sympy.Symbol("p") ** 2), "agrees", "<lambda>"),
        (lambda: (sympy.Symbol("p"), 2 * sympy.Symbol("p") ** 2), "differs", "<lambda> derives another expression"),
        (lambda: sympy.Piecewise((sympy.Symbol("p") ** 2, sympy.Symbol("p") < 0.5), (0, True)), "agrees", "<lambda>"),
        (lambda: {}["nothing"], "error", "<lambda>: KeyError: 'nothing'"),
    ],
)
def test_a_derivation_of_ones_own(monkeypatch, own, status, remark):
    """It is run as it is given, outside of a clone, too, and compared at points of the case that it proves."""
    monkeypatch.setattr(extras, "beside", lambda module: False)
    found = faces.proof(made(right, derivation=own), [{"p": 0.25}, {"p": 0.75}])
    assert (found.status, found.remark) == (status, remark)


def test_derivations_that_are_not_there(monkeypatch):
    monkeypatch.setattr(extras, "beside", lambda module: False)
    found = faces.proof(made(right, derivation="queues.nothing"))
    assert (found.status, found.remark) == ("not checked", "derivations are not installed")


def test_an_erratum_is_no_failure():
    """Above the capacity the printed P exceeds 1; the law's P does not."""
    table = verify.run("loss_load.loss.loss_probability", quick=True)
    assert table.printed.item() == "erratum"
    assert "exceeds 1" in table.printed_remark.item()
    assert table.printed_error.item() > 0
    assert table.attrs["agrees"]


SIMULATED = [name for name, one in registered() if name.startswith("longfat.") and one.simulated]


@pytest.mark.parametrize("name", SIMULATED)
def test_one_replication_of_every_simulator_is_near_its_law(name):
    """Within four tolerances; single replications scatter more than the means that verdicts are about."""
    law = dict(registered())[name]
    ((point, _),) = verification.drawn_points(law, 1, seed=1)
    value, packets = simulator_of(law)(1, **point)
    assert abs(value - law(**point)) < 4 * law.simulated.allowed(law, point)
    assert packets > 0


@pytest.mark.parametrize(
    ("name", "point", "value"),
    [
        # Two places, load 1: M/M/1/2 has three equally probable states; M/D/1/2 is empty, where a service ends, with
        # the probability 1/e, so that the time between departures is 1 + 1/e.
        ("mm1_loss", {"load": 1.0, "capacity": 2.0}, 1 / 3),
        ("md1_loss", {"load": 1.0, "capacity": 2.0}, 1 - 1 / (1 + 1 / math.e)),
        # CADPC leaves as much capacity as a flow has: of five flows on the first link each has 1/6; on the second the
        # short one has y = 1 - y - 1/6.
        ("parking_lot_long", {"first": 4.0, "second": 1.0}, 1 / 6),
        ("parking_lot_short", {"first": 4.0, "second": 1.0}, 5 / 12),
    ],
)
def test_simulators_by_hand(name, point, value):
    assert SIMULATORS[name](1, **point)[0] == pytest.approx(value, rel=0.1)


@pytest.mark.parametrize(
    ("name", "given", "nearest"),
    [
        ("mm1_loss", {"load": 0.5, "capacity": 2.6}, {"load": 0.5, "capacity": 3.0}),
        ("parallel_share", {"flows": 2.4, "others": 0.0}, {"flows": 2.0, "others": 1.0}),
        ("round_trip_unfairness", {"time_power": 1.9}, {"time_power": 1.0, "round_trip_power": 1.0}),
        ("round_trip_unfairness", {"time_power": 2.0}, {"time_power": 3.0, "round_trip_power": 0.0}),
    ],
)
def test_nearest_points_that_can_be_simulated(name, given, nearest):
    assert SIMULATORS[name].nearest(given) == nearest


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in SIMULATED if simulator_of(dict(registered())[name]).deterministic])
def test_simulators_declared_deterministic_ignore_the_seed(name):
    law = dict(registered())[name]
    ((point, _),) = verification.drawn_points(law, 1, seed=1)
    assert simulator_of(law)(1, **point) == simulator_of(law)(2, **point)


def test_declarations_of_simulators():
    assert simulator_of(made(right)) is None
    reasons = ({}, {"not_simulated": "a definition"})
    remarks = [verify.run([made(right, **given)], quick=True).simulator_remark.item() for given in reasons]
    assert remarks == ["@law declares neither simulated= nor not_simulated=", "a definition"]


def test_points_lie_in_the_domain_and_reach_every_corner():
    for _, law in registered():
        found = points.everywhere(law, 5, 1)
        for name, symbol in law.symbols.items():
            assert all(symbol.interval.contains(point[name]) for point in found)
            assert not symbol.integer or all(point[name] % 1 == 0 for point in found)
            assert set(points.corners(symbol)) <= {point[name] for point in found}
        assert points.typical(law, 3, 1) == points.typical(law, 3, 1) != points.typical(law, 3, 2)


def test_names():
    assert [name for name, _ in verification._chosen("mm1_*")] == [
        "queues.mm1_mean_number", "queues.mm1_response", "queues.mm1_wait"
    ]  # fmt: skip
    assert len(list(verification._chosen(["cadpc.*weighted*", "longfat.laws.cadpc.flow.step"]))) == 3
    for old in (
        "md1_wait",
        "queues.md1_wait",
        "queues.unlimited.md1_wait",
        "queues.*.md1_wait",
        "longfat.laws.queues.md1_wait",
    ):
        assert [name for name, _ in verification._chosen(old)] == ["queues.md1_wait"], old
    assert len(list(verification._chosen("queues.*"))) == 12


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: verify.run([made(right, simulated=SimulatedBy("nobody", accuracy=1.0))]),
         r"right: simulator 'nobody' is unknown; available: .*mm1_wait"),
        (lambda: verify.run("nothing"), "law 'nothing' is unknown"),
    ],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.long
def test_two_processes_say_the_same():
    names = ["power.network_power", "cadpc.flow.equilibrium_rate"]
    one, two = (verify.run(names, quick=True, workers=workers, seed=3) for workers in (1, 2))
    assert one.drop(columns="law").equals(two.drop(columns="law"))
    assert one.attrs == two.attrs


def test_few_laws_take_no_other_process(monkeypatch):
    def refused(count):
        raise AssertionError(f"{count} processes")

    monkeypatch.setattr(verification, "Processes", refused)
    monkeypatch.setattr(verification.os, "cpu_count", lambda: 4)
    assert verify.run("power.little_mean_number", quick=True, workers=None).attrs["agrees"]
    monkeypatch.setattr(verification, "LAWS_EACH", 1)
    names = ["power.little_mean_number", "power.network_power", "cadpc.equilibrium_rate"]
    with pytest.raises(AssertionError, match="3 processes"):
        verify.run(names, quick=True, workers=None)


def test_the_precision_of_the_process_is_left_alone():
    """The tests switch JAX to 64 bits, users do not: the law is checked in 64 bits, and 32 bits are back afterwards."""
    jax.config.update("jax_enable_x64", False)
    try:
        table = verify.run("power.network_power", quick=True)
        assert (table.attrs["agrees"], table.gradient.item()) == (True, "agrees")
        assert not jax.config.jax_enable_x64
        assert jnp.ones(1).dtype == jnp.float32
    finally:
        jax.config.update("jax_enable_x64", True)


@pytest.mark.long
def test_every_shipped_law_on_all_faces():
    table = verify.run(workers=2)
    assert table.attrs["agrees"], table[~table.agrees].to_dict("records")
