"""Figures and tables of Kim and Farber: ``python -m figures.blt``."""

from figures.blt import pictures
from figures.writing import main

main(pictures.write, pictures.redraw, quick={"scale": pictures.QUICK})
