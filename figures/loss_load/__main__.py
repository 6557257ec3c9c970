"""Figures and tables of Prithviraj and Williamson: ``python -m figures.loss_load``."""

from figures.loss_load.pictures import PART

PART.main()
