"""Figures and tables of Welzl: ``python -m figures.cadpc``."""

from figures.cadpc.pictures import PART

PART.main()
