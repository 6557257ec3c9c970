"""Tables and figure 7 of Kanakia, Keshav and Mishra: ``python -m figures.kkm``."""

from figures.kkm import pictures
from figures.writing import main

main(pictures.write, pictures.redraw, quick={"quick": True, "replications": 2})
