"""Figures and tables of Prithviraj and Williamson: ``python -m figures.loss_load``."""

from figures.loss_load import pictures
from figures.writing import main

main(pictures.write, pictures.redraw, quick={"quick": True, "replications": 4})
