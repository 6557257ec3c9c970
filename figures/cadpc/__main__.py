"""Figures and tables of Welzl: ``python -m figures.cadpc``."""

from figures.cadpc import pictures
from figures.writing import main

main(pictures.write, pictures.redraw, quick={"scale": pictures.QUICK})
