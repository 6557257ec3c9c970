"""Identity of the function of a store."""

import dataclasses
import functools
import json
import os
import subprocess
import sys
import threading
import types

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import longfat as lf
from longfat.law import Symbol, declaring, law
from longfat.replication import identity, sweep
from tests.replication.common import QUIET, queue


def test_a_function_that_has_changed_is_refused(tmp_path):
    def make(body):
        space = {"__name__": "notebook"}
        exec(body, space)
        return space["f"]

    first = make("def f(load, rng):\n    'as it was'\n    return load + rng.random()")
    kept = sweep(first, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)
    reworded = make("# a comment\ndef f(load, rng):\n    'in other words'\n    return load + rng.random()")
    assert sweep(reworded, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET).identical(kept)
    for other in ("load - rng.random()", "load + rng.normal()", "1.5 * load + rng.random()"):
        changed = make(f"def f(load, rng):\n    'as it was'\n    return {other}")
        with pytest.raises(ValueError, match="the code of the function, or of a function that it calls, has changed"):
            sweep(changed, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)


def same(one, other):
    """Return whether a store takes two functions for the same one."""
    return identity.of(one) == identity.of(other)


def test_functions_are_told_apart():
    def make(factor, name="a"):
        return lambda load, rng, name=name: {"a", "b", name} and load * factor

    assert same(make(1), make(1))
    assert not same(make(1), make(2))
    assert not same(make(1), make(True))
    assert not same(make(1), make(1, "b"))
    assert not same(len, max)
    assert identity.name(functools.partial(queue, 0.5, rng=len)) == "partial(tests.replication.common.queue)"


class Model:
    """A queue with a state; only another method calls `twice`."""

    kind = "fifo"

    def __init__(self, c=1, **more):
        self.c = c
        self.__dict__.update(more)

    @functools.cached_property
    def square(self):
        return self.c**2

    def run(self, load, rng):
        return self.c * load

    def __call__(self, load, rng):
        return self.square * load


class Slotted:
    __slots__ = ("c",)

    def __init__(self, c):
        self.c = c

    def run(self, load, rng):
        return self.c


@dataclasses.dataclass
class Settings:
    rate: float = 1e6
    names: frozenset = frozenset({"reno", "cubic", "bic"})
    buffers: list = dataclasses.field(default_factory=lambda: [1, 2])

    def run(self, load, rng):
        return self.rate * load


def nested(depth):
    def inner(load, rng):
        def innermost():
            return depth["deep"][-1]

        return innermost()

    return inner


def decorated(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(load, rng):
            return factor * function(load, rng)

        return wrapper

    return decorate(lambda load, rng: load)


def with_attribute(c):
    def function(load, rng):
        return function.c

    function.c = c
    return function


def of_global(value):
    space = {"__name__": "notebook", "a": value}
    exec("def f(load, rng): return a\ndef g(load, rng): return f(load, rng)", space)
    return space["g"]


def of_helper(body):
    space = {"__name__": "notebook"}
    exec(f"def f(load): return {body}\ndef g(load, rng): return [f(load) for _ in 'a']", space)
    return space["g"]


def of_class(body):
    space = {"__name__": "notebook"}
    exec(f"class Base:\n def a(self): return {body}\nclass B(Base):\n def run(self, load, rng): return self.a()", space)
    return space["B"]().run


def own_law(power):
    @law(source="notes", result="[1]", load=Symbol("r", "1", "[0, 1)", typical=(0.1, 0.7)))
    def mine(load, *, xp):
        return load**power

    return mine


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    """Forget the laws that a test declares, which other tests would list, but not those of the package."""
    declaring.registered()
    monkeypatch.setattr(declaring, "_REGISTRY", dict(declaring._REGISTRY))


def network(rate):
    return lf.sim.Network().link("a", "b", rate=rate, duplex=True).flow("reno", path=["a", "b"])


def using(held):
    return lambda load, rng: held


MAKERS = {
    "bound method": lambda c: Model(c).run,
    "callable object": Model,
    "slots": lambda c: Slotted(c).run,
    "attribute set later": lambda c: Model(more=c).run,
    "dataclass": lambda c: Settings(rate=c).run,
    "list in a dataclass": lambda c: Settings(buffers=[0, c]).run,
    "set in a dataclass": lambda c: Settings(names=frozenset({"reno", "cubic", str(c)})).run,
    "partial of a method": lambda c: functools.partial(Model(c).run, load=1),
    "argument of a partial": lambda c: functools.partial(Model().run, load=Settings(c)),
    "partial of a partial": lambda c: functools.partial(functools.partial(queue, [c]), scheme="reno"),
    "array": lambda c: Model(np.arange(5000) == c + 2500).run,
    "array of objects": lambda c: Model(np.array([None, {"c": c}], object)).run,
    "nested functions": lambda c: nested({"deep": (1, [c])}),
    "lambda": lambda c: using(c),
    "default": lambda c: lambda load, rng, c=c: c,
    "keyword default": lambda c: lambda load, *, rng, c=c: c,
    "decorated": decorated,
    "attribute of a function": with_attribute,
    "global variable": of_global,
    "helper": lambda c: of_helper(f"load + {c}"),
    "class": of_class,
    "function in a list": lambda c: using([using(c)]),
    "static namespace": lambda c: using(types.SimpleNamespace(c=c)),
    "law": lambda c: using(own_law(c)),
    "network": lambda c: using(network(1e6 * c)),
    "scheme": lambda c: using(lf.sim.Scheme("mine", ack=lambda flow, event: flow.window * c)),
    "generator": lambda c: using(np.random.default_rng(c)),
    "dataset": lambda c: using(lf.sweep(Model(c).run, {"load": [0.5]}, rng=1, **QUIET)),
    "distribution": lambda c: using(scipy.stats.norm(0, c)),
    "data frame": lambda c: using(pd.DataFrame({"a": [c, 3]}, pd.date_range("2020", periods=2))),
    "cycle": lambda c: using((cycle := [c]) and (cycle.append(cycle) or cycle)),
    "lock beside it": lambda c: using([threading.Lock(), c]),
    "memory": lambda c: using(functools.lru_cache(using(c))),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_objects_that_a_function_uses_are_part_of_its_identity(make):
    assert same(make(1), make(1))
    assert not same(make(1), make(2))


def test_an_older_object_s_numbers_are_not_returned(tmp_path):
    """A method of another object once returned the numbers of the first."""
    for place, pick in (("method", lambda model: model.run), ("object", lambda model: model)):
        first = sweep(pick(Model(1)), {"load": [1, 2]}, rng=1, store=tmp_path / place, **QUIET)
        assert first.result.values.tolist() == [1, 2]
        with pytest.raises(ValueError, match=r"the function has another value of attribute c"):
            sweep(pick(Model(7)), {"load": [1, 2]}, rng=1, store=tmp_path / place, **QUIET)
        assert sweep(pick(Model(1)), {"load": [1, 2]}, rng=1, store=tmp_path / place, **QUIET).identical(first)


def test_cached_properties_are_not_part_of_the_identity():
    model = Model(3)
    assert model(2, None) == 18  # the cached property is there now
    assert same(model, Model(3))


def test_the_method_matters_and_so_does_the_object_that_has_it():
    assert not same(Model().run, Model())
    assert not same(Model().run, Slotted(1).run)


def test_an_installed_function_counts_by_its_name():
    assert same(np.mean, np.mean)
    assert not same(np.mean, np.std)
    assert same(lf.laws.queues.mm1_wait, lf.laws.queues.mm1_wait)
    assert not same(lf.laws.queues.mm1_wait, lf.laws.queues.md1_wait)
    lf.laws.queues.mm1_wait.expr  # noqa: B018 - computed once, and kept
    assert same(lf.laws.queues.mm1_wait, lf.laws.queues.mm1_wait)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Model(sys.__stderr__).run, r"Model.run: its attribute c holds a _io.TextIOWrapper \(cannot pickle"),
        (lambda: using(number for number in [1]), r"its variable held holds a builtins.generator"),
        (lambda: functools.partial(queue, scheme=memoryview(b"a")), "its argument scheme holds a builtins.memoryview"),
    ],
)
def test_objects_without_identity_are_refused_with_a_store_only(tmp_path, make, words):
    function = make()
    with pytest.raises(ValueError, match=rf"^store = .* cannot be used with function = .*{words}"):
        sweep(function, {"load": [1]}, store=tmp_path / "store", **QUIET)
    assert not (tmp_path / "store").exists()
    deep = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(ValueError, match="its variable held is nested too deeply"):
        sweep(using(deep), {"load": [1]}, store=tmp_path / "store", **QUIET)


def test_a_function_without_a_module(tmp_path):
    space = {}
    exec("def f(load, rng): return load\ndef ack(flow, event): return flow.window + 1.0", space)
    function = space["f"]
    function.__module__ = None
    assert identity.name(function) == "f"
    assert sweep(function, {"load": [1, 2]}, store=tmp_path, **QUIET).result.values.tolist() == [1, 2]
    space["ack"].__module__ = None
    mine = lf.sim.Scheme("mine", ack=space["ack"])
    net = lf.sim.Network().link("a", "b", rate="1 Mbit/s", duplex=True).flow(mine, path=["a", "b"], packet=1000)
    assert lf.sim.run(net, duration=1, progress=False).goodput > 0


def test_a_function_has_the_same_identity_in_every_process(tmp_path):
    """Sets of strings have another order in every process, and instructions that ran often are specialised."""
    code = (
        "from longfat.replication import identity\n"
        "def f(load, rng): return load in {'reno', 'cubic', 'bic', 'vegas'} and load + 'x'\n"
        "for _ in range(calls): f('reno', None)\n"
        "from tests.replication.test_identity import MAKERS\n"
        "found = [identity.of(f), *(identity.of(make(3)) for make in MAKERS.values())]"
    )
    here = {"__name__": "__main__", "calls": 1}
    exec(code, here)
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # another than that of this process
    other = subprocess.run(
        [sys.executable, "-c", f"import json\ncalls = 1000\n{code}\nprint(json.dumps(found))"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
    )
    assert len(here["found"]) == 1 + len(MAKERS)
    assert here["found"] == json.loads(other.stdout)
