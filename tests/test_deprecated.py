"""Old names that work for one more release, with a warning."""

import inspect
import pickle
import warnings

import pytest
import xarray as xr

import longfat as lf
from longfat import deprecated, renamed_variables
from longfat.cli import main

PATH = {"rate": "1Gbit/s", "round_trip_time": "100ms", "points": 2, "replications": 2, "progress": False}


def test_buffer_takes_its_old_parameter():
    with pytest.warns(DeprecationWarning, match="parameter product is deprecated .*: use bandwidth_delay_product"):
        old = lf.design.buffer(product=60, **PATH)
    assert old.identical(lf.design.buffer(bandwidth_delay_product=60, **PATH))
    with pytest.raises(TypeError, match="got both bandwidth_delay_product and its old name product"):
        lf.design.buffer(product=60, bandwidth_delay_product=60, **PATH)
    assert "product" not in inspect.signature(lf.design.buffer).parameters


def test_old_attributes():
    with pytest.warns(DeprecationWarning, match=r"longfat\.verify\.Held is deprecated .*: use longfat\.verify\.Simu"):
        assert lf.verify.Held is lf.verify.SimulatorCheck
    with pytest.warns(
        DeprecationWarning, match=r"blt\.product_for_advantage .* use .*blt\.bandwidth_delay_product_for"
    ):
        assert lf.laws.blt.product_for_advantage is lf.laws.blt.bandwidth_delay_product_for_advantage
    for module in (lf.verify, lf.laws.blt):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            module.nothing  # noqa: B018  asked for


def test_old_variables(tmp_path):
    """The warning names both, with the caller's file, also after selection and pickling; new names give none."""
    path = {"rate": "10Mbit/s", "round_trip_time": "20ms", "segment": "1kB", "packet": "1kB"}
    answer = lf.design.window(**path, loss=[1e-3, 1e-2], points=0, progress=False)
    for data in (answer, answer.isel(loss=[1]), pickle.loads(pickle.dumps(answer))):
        for read in (lambda data=data: data.window_products, lambda data=data: data["window_products"]):
            with pytest.warns(DeprecationWarning, match="variable window_products .*: use window_bdp") as caught:
                assert read().identical(data.window_bdp)
            assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="nothing"):
        answer.nothing  # noqa: B018  asked for
    with pytest.raises(KeyError, match="buffer_products"):
        answer["buffer_products"]
    assert repr(answer).startswith("<xarray.Dataset>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer.to_netcdf(tmp_path / "answer.nc")
        assert xr.load_dataset(tmp_path / "answer.nc").window_bdp.identical(answer.window_bdp)


def test_answers_that_moved_say_where_they_are():
    """design.window answered for TCP, too; design.tcp_window does now."""
    path = {"rate": "10Mbit/s", "round_trip_time": "20ms", "loss": 1e-3, "segment": "1kB", "packet": "1kB"}
    answer = lf.design.window(**path, points=0, receive_buffer=False, progress=False)
    with pytest.raises(AttributeError, match=r"use tcp_rate of design.tcp_window\(..., scheme='reno'\)"):
        answer.tcp_rate  # noqa: B018  asked for
    with pytest.raises(KeyError, match=r"use linux_maximum of design\.tcp_window"):
        answer["tcp_linux_receive_buffer"]
    assert "tcp_rate" not in answer
    with pytest.raises(TypeError, match=r"no longer has the parameter tcp_segment: use segment of design\.tcp_window"):
        lf.design.window(**path, tcp_segment=1448)
    now = lf.design.tcp_window(**{name: path[name] for name in ("rate", "round_trip_time", "loss")}, replications=2)
    for name in renamed_variables.OF_TCP.values():
        assert name in now or name in now.attrs


def test_the_old_option_of_the_command_line(tmp_path, capsys):
    path = ["buffer", "--rate", "1Gbit/s", "--rtt", "100ms", "--points", "2", "--replications", "2", "--json"]
    assert main([*path, "--bdp", "60", "--output", str(tmp_path)]) == 0
    expected = capsys.readouterr().out
    assert main([*path, "--product", "60", "--output", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == expected
    assert err == f"longfat: DeprecationWarning: {deprecated.message('--product', '--bdp')}\n"
    assert main([*path, "--product", "60", "--bdp", "60"]) == 2
    assert "--product is the old name of --bdp: give one" in capsys.readouterr().err
    assert main(["buffer", "--help"]) == 0
    assert "--product" not in capsys.readouterr().out
