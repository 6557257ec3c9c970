"""Figures and tables of Kim and Farber: ``python -m figures.blt``."""

from figures.blt.pictures import PART

PART.main()
