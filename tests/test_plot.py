"""Pictures: what is drawn is what was computed, with units on the axes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from longfat import design, plot
from tests.test_design import BASELINE


def test_window_curves():
    data = design.window(loss=[1e-3, 5e-2], points=4, **BASELINE)
    before = dict(plt.rcParams)
    with plot.style():
        ax = plot.window_curves(data, printed=True)
    assert dict(plt.rcParams) == before
    assert "[segments]" in ax.get_xlabel()
    assert "[1]" in ax.get_ylabel()
    drawn = {tuple(np.round(line.get_ydata(), 12)) for line in ax.lines if len(line.get_ydata()) > 10}
    for name in ("dense_law", "dense_as_printed", "dense_many_rounds"):
        for i in range(2):
            assert tuple(np.round(data[name].values[i], 12)) in drawn
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"p = 0.001", "p = 0.05", "law", "law, outside its validity", "law as printed"} <= set(labels)
    styles = {line.get_label(): line.get_linestyle() for line in ax.lines}
    assert (styles["p = 0.001"], styles["p = 0.05"]) == ("-", "--")
    plt.close("all")


def test_one_loss_alone():
    ax = plot.window_curves(design.window(loss=1e-3, points=2, **BASELINE), plt.figure().add_subplot())
    assert "150 Mbit/s, 20 ms" in ax.get_title()
    plt.close("all")


def test_no_curves():
    with pytest.raises(ValueError, match=r"call design\.window with points > 0"):
        plot.window_curves(design.window(loss=1e-3, points=0, **BASELINE))


def test_colours_differ_for_the_colour_blind():
    """Okabe and Ito's palette, all seven told apart."""
    with plot.style():
        assert len(set(plt.rcParams["axes.prop_cycle"].by_key()["color"])) == 7
