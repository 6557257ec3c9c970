"""Tables and figure 7 of Kanakia, Keshav and Mishra: ``python -m figures.kkm``."""

from figures.kkm.pictures import PART

PART.main()
