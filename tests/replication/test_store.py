"""Stores that are intact or refused."""

import functools
import io
import os
import shutil
import warnings

import numpy as np
import pytest
import xarray as xr

from longfat.replication import sweep
from tests.examples import is_long
from tests.processes import files_of_at_most
from tests.replication.common import GRID, QUIET, exponential, queue, run


def test_a_second_call_uses_the_stored_runs(tmp_path, counted):
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
    integer = run(counted, None)
    (tmp_path / ".p1-0_r0.npz.123.part").write_text("half")  # of a process that was killed
    run(counted, tmp_path)
    for path in list(tmp_path.glob("p0*.npz")):
        path.unlink()
    counted.calls = 0
    with pytest.raises(ValueError, match="another sweep: rng has entropy 7 there and 8 here"):
        run(counted, tmp_path, rng=8)  # before any run
    assert counted.calls == 0
    assert run(counted, tmp_path).identical(integer)
    assert counted.calls == 12


def test_grids_and_replications_grow_in_their_store(tmp_path, counted):
    run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 4
    large = run(counted, tmp_path)
    assert counted.calls == 24
    assert large.equals(sweep(queue, GRID, replications=4, rng=7, **QUIET))
    # back again, then longer with another value
    small = run(counted, tmp_path, {"load": [0.5], "scheme": ["reno", "cubic"]}, replications=2)
    assert counted.calls == 24
    assert small.wait.shape == (1, 2)
    with pytest.raises(ValueError, match=r"p1-0_r0.npz: load is 0.9 there and 0.8 here"):
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
            r"function is tests.replication.common.queue there and tests.replication.common.exponential",
        ),
        ({"function": functools.partial(queue, load=1)}, r"there and partial\(tests.replication.common.queue\) here"),
        ({"grid": {**GRID, "load": [0.5, 0.8]}}, "p1-0_r0.npz: load is 0.9 there and 0.8 here"),
        ({"grid": {**GRID, "scheme": ["cubic", "reno"]}}, "p0-0_r0.npz: scheme is 'reno' there and 'cubic' here"),
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
    with pytest.raises(ValueError, match=r"p0_r0.npz: load is 1 there and 1.0 here"):
        sweep(exponential, {"load": [1, 2, 2.5]}, rng=1, store=tmp_path, **QUIET)


def saved(save, value):
    """Return the bytes that a function of NumPy writes."""
    file = io.BytesIO()
    save(file, value)
    return file.getvalue()


def flipped(content, values):
    """Return an archive with another bit in its numbers."""
    place = content.index(values.tobytes())
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES = {
    "cut": lambda content, values: content[:-40],
    "empty": lambda content, values: b"",
    "bit": flipped,
    "text": lambda content, values: b"not an archive",
    "array": lambda content, values: saved(np.save, np.zeros(3)),
    "archive": lambda content, values: saved(np.savez, 1.0),
    "about": lambda content, values: saved(functools.partial(np.savez, about=b"{}"), 1.0),
    "pipe": None,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_reported_and_computed_anew(tmp_path, counted, damage):
    integer = run(counted, tmp_path)
    path = tmp_path / "p0-0_r0.npz"  # from the first intact file the store reads the sweep
    content, values = path.read_bytes(), np.load(path)["variables_0"]
    path.unlink()
    if damage == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(DAMAGES[damage](content, values))
    counted.calls = 0
    with pytest.warns(UserWarning, match=r"store = .*: p0-0_r0.npz is damaged \(.+\) and is computed anew"):
        assert run(counted, tmp_path).identical(integer)
    assert counted.calls == 1
    assert run(counted, tmp_path).identical(integer)  # no warning any more
    assert counted.calls == 1


def test_a_run_that_unpacks_to_more_than_its_file_is_not_loaded(tmp_path):
    integer = run(queue, tmp_path)
    with (tmp_path / "p1-2_r3.npz").open("wb") as file:
        np.savez_compressed(file, about=np.zeros(10**6, "S1"), variables_0=np.zeros(10**6))
    # 9 million bytes, and 128 of the header of each of two arrays
    with pytest.warns(UserWarning, match=r"p1-2_r3.npz is damaged \(unpacks to 9000256 bytes, must be at most the"):
        assert run(queue, tmp_path).identical(integer)


def test_files_of_other_sweeps_are_refused(tmp_path, counted):
    integer = run(counted, tmp_path / "ours")
    run(counted, tmp_path / "theirs", rng=8)
    (tmp_path / "ours" / "notes.txt").write_text("mine")
    (tmp_path / "ours" / ".p0-0_r0.npz.123.part").write_text("half")  # of a process that was killed
    assert run(counted, tmp_path / "ours").identical(integer)
    shutil.copy(tmp_path / "theirs" / "p1-0_r1.npz", tmp_path / "ours")
    with pytest.raises(ValueError, match=r"another sweep: p1-0_r1.npz: rng has entropy 8 there and 7 here. Give"):
        run(counted, tmp_path / "ours")
    shutil.copy(tmp_path / "ours" / "p1-0_r0.npz", tmp_path / "ours" / "p1-0_r1.npz")  # ours, at another place
    with pytest.raises(ValueError, match=r"p1-0_r1.npz: replication is 0 there and 1 here"):
        run(counted, tmp_path / "ours")


def test_directories_that_are_no_stores_are_refused(tmp_path, counted):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"store = .* cannot be used: it holds notes.txt and no runs"):
        run(counted, tmp_path)
    with pytest.raises(ValueError, match=r"store = .*notes.txt cannot be used: it is a file"):
        run(counted, tmp_path / "notes.txt")
    with pytest.raises(ValueError, match=r"store = .* cannot be written to"):
        run(counted, "/proc/store")
    assert counted.calls == 0


def test_no_damage_gives_wrong_numbers(tmp_path):
    """Bits flipped and ends cut off, in every file: the same numbers."""

    def one(load, rng):
        return {"wait": load * rng.random(), "queue": rng.random(2)}

    def again():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sweep(one, {"load": [1, 2]}, rng=None, store=tmp_path, **QUIET)

    integer = sweep(one, {"load": [1, 2]}, rng=5, store=tmp_path, **QUIET)
    kept = {path: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert len(kept) == 2
    rng = np.random.default_rng(1)
    flips, cuts = (1000, 300) if is_long() else (30, 10)
    for path, content in kept.items():
        places = rng.integers(0, (len(content), 8), (flips + cuts, 2))
        for case, (place, bit) in enumerate(places.tolist()):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged if case < flips else content[:place])
            assert again().identical(integer)
            for name, before in kept.items():
                name.write_bytes(before)


def test_a_store_that_can_no_longer_be_written_to(tmp_path, counted):
    """The system refuses a file: the error says so, nothing half-written is left, and complete runs stay."""
    integer = run(counted, None)
    run(counted, tmp_path, replications=1)
    with files_of_at_most(1000), pytest.raises(OSError, match=r"^store = .* cannot be written to: File too large$"):
        run(counted, tmp_path)
    assert len(os.listdir(tmp_path)) == 6
    counted.calls = 0
    assert run(counted, tmp_path).identical(integer)
    assert counted.calls == 24 - 6
