"""Stores that are whole or refused."""

import functools
import itertools
import os
import shutil
import warnings

import numpy as np
import pytest
import xarray as xr

from longfat.sweeping import sweep
from tests.sweeping.common import GRID, QUIET, exponential, queue, run


def test_a_second_call_takes_what_is_there(tmp_path, counted):
    first = run(counted, tmp_path / "new" / "store")
    assert counted.calls == 24
    assert len(list((tmp_path / "new" / "store").glob("p*_r*.npz"))) == 24
    second = run(counted, str(tmp_path / "new" / "store"))
    assert counted.calls == 24
    assert second.identical(first)
    assert first.equals(sweep(queue, GRID, replications=4, rng=7, **QUIET))


def test_units_come_back_from_a_store(tmp_path):
    def labelled(load, rng):
        attrs = {"units": "s", "limits": (0, np.float64(2.5))}
        return xr.DataArray(rng.random(2), {"flow": ["a", "b"], "at": ("flow", [1, 2])}, "flow", "time", attrs)

    first = sweep(labelled, {"load": [0.5, 0.6]}, rng=1, store=tmp_path, **QUIET)
    assert first.time.attrs == {"units": "s", "limits": [0, 2.5]}
    assert sweep(labelled, {"load": [0.5, 0.6]}, rng=1, store=tmp_path, **QUIET).identical(first)


def test_half_of_the_work_is_done_once(tmp_path, counted):
    whole = run(counted, None)
    run(counted, tmp_path)
    for path in list(tmp_path.glob("p1*.npz")):
        path.unlink()
    counted.calls = 0
    assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 12


def test_grids_and_replications_grow_in_their_store(tmp_path, counted):
    run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 4
    large = run(counted, tmp_path)
    assert counted.calls == 24
    assert large.equals(sweep(queue, GRID, replications=4, rng=7, **QUIET))
    # back again, then longer on the other axis: the store remembers the longest of each
    small = run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 24
    assert small.wait.shape == (1, 2)
    with pytest.raises(ValueError, match=r"load\[1\] is 0.9 there and 0.8 here"):
        run(counted, tmp_path, {"load": [0.5, 0.8], "scheme": ["reno", "cubic"]})


def test_without_a_seed_the_store_has_one(tmp_path, counted):
    first = run(counted, tmp_path, rng=None, replications=2)
    second = run(counted, tmp_path, rng=None)
    assert counted.calls == 24
    assert second.attrs["entropy"] == first.attrs["entropy"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rng": 8}, r"rng has entropy 7 there and 8 here"),
        ({"rng": np.random.Generator(np.random.SFC64(7))}, r"bit_generator PCG64 there and SFC64 here"),
        (
            {"function": exponential},
            r"function is tests.sweeping.common.queue there and tests.sweeping.common.exponential",
        ),
        (
            {"function": functools.partial(queue, load=1)},
            r"there and partial\(tests.sweeping.common.queue, load=1\) here",
        ),
        ({"grid": {**GRID, "load": [0.5, 0.8]}}, r"load\[1\] is 0.9 there and 0.8 here"),
        ({"grid": {**GRID, "scheme": ["cubic", "reno"]}}, r"scheme\[0\] is 'reno' there and 'cubic' here"),
        ({"grid": {"load": [0.5]}}, "the axes are load, scheme there and load here"),
        ({"grid": dict(reversed(GRID.items()))}, "the axes are load, scheme there and scheme, load here"),
    ],
)
def test_the_store_of_another_sweep_is_refused(tmp_path, changes, words):
    run(queue, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=rf"store = .* was made by another sweep: .*{words}"):
        run(**({"function": queue, "store": tmp_path} | changes))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_whole_numbers_and_floats_are_two_things(tmp_path):
    sweep(exponential, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)
    with pytest.raises(ValueError, match=r"load\[0\] is 1 there and 1.0 here"):
        sweep(exponential, {"load": [1, 2, 2.5]}, rng=1, store=tmp_path, **QUIET)


def damage_cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def damage_empty(path):
    path.write_bytes(b"")


def damage_bit(path):
    content = bytearray(path.read_bytes())
    content[content.index(np.load(path)["variables_0"].tobytes())] ^= 1
    path.write_bytes(content)


def damage_text(path):
    path.write_text("not an archive")


def damage_array(path):
    with path.open("wb") as file:
        np.save(file, np.zeros(3))


def damage_archive(path):
    with path.open("wb") as file:
        np.savez(file, variables_0=1.0)


@pytest.mark.parametrize(
    "damage",
    [damage_cut, damage_empty, damage_bit, damage_text, damage_array, damage_archive],
    ids=lambda f: f.__name__,
)
def test_damaged_files_are_reported_and_computed_anew(tmp_path, counted, damage):
    whole = run(counted, tmp_path)
    damage(tmp_path / "p1-2_r3.npz")
    counted.calls = 0
    with pytest.warns(UserWarning, match=r"store = .*: p1-2_r3.npz there is damaged \(.+\) and is computed anew"):
        assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 1
    assert run(counted, tmp_path).identical(whole)  # no warning any more
    assert counted.calls == 1


def test_no_flipped_bit_goes_unnoticed(tmp_path):
    def one(rng):
        return rng.random()

    whole = sweep(one, {}, rng=1, store=tmp_path, **QUIET)
    path = tmp_path / "p_r0.npz"
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert sweep(one, {}, rng=1, store=tmp_path, **QUIET).identical(whole)


def test_files_of_other_sweeps_are_reported(tmp_path, counted):
    whole = run(counted, tmp_path / "ours")
    run(counted, tmp_path / "theirs", rng=8)
    for name in ("p0-0_r0.npz", "p0-1_r0.npz"):
        shutil.copy(tmp_path / "theirs" / name, tmp_path / "ours" / name)
    shutil.copy(tmp_path / "ours" / "p1-0_r0.npz", tmp_path / "ours" / "p1-1_r0.npz")  # ours, at another place
    with pytest.warns(UserWarning, match="belongs to another sweep") as seen:
        assert run(counted, tmp_path / "ours").identical(whole)
    assert [str(one.message).split(": ")[1].split()[0] for one in seen] == ["p0-0_r0.npz", "p0-1_r0.npz", "p1-1_r0.npz"]
    (tmp_path / "ours" / "notes.txt").write_text("mine")
    (tmp_path / "ours" / ".p0-0_r0.npz.123.part").write_text("half")  # of a process that was killed
    with pytest.warns(UserWarning, match=r"notes.txt there is no part of the sweep and is left alone") as seen:
        assert run(counted, tmp_path / "ours").identical(whole)
    assert len(seen) == 1


def test_directories_that_are_no_stores_are_refused(tmp_path, counted):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"store = .* is out of range: it holds notes.txt and no sweep.json"):
        run(counted, tmp_path)
    with pytest.raises(ValueError, match=r"store = .*notes.txt is out of range: it is a file"):
        run(counted, tmp_path / "notes.txt")
    with pytest.raises(ValueError, match=r"store = .* cannot be written to"):
        run(counted, "/proc/store")
    for text in ("{", "[]", '{"format": 99}', '{"format": 1, "identity": 2, "grid": 3}', "\xff"):
        (tmp_path / "broken").mkdir(exist_ok=True)
        (tmp_path / "broken" / "sweep.json").write_text(text)
        with pytest.raises(ValueError, match=r"its sweep.json is damaged or of another version"):
            run(counted, tmp_path / "broken")
    assert counted.calls == 0


def test_a_store_that_can_no_longer_be_written_to(tmp_path, counted, monkeypatch):
    """A disk that is full after some files: the error says so, and they stay."""
    whole = run(counted, None)
    written, savez = itertools.count(), np.savez

    def full(file, **arrays):
        savez(file, **arrays)
        if next(written) >= 5:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", full)
        with pytest.raises(OSError, match=r"store = .* cannot be written to: No space left on device"):
            run(counted, tmp_path)
    assert len(os.listdir(tmp_path)) == 1 + 5  # nothing half-written
    counted.calls = 0
    assert run(counted, tmp_path).identical(whole)
    assert counted.calls == 24 - 5
