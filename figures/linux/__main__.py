"""The picture of Linux and the simulator: ``python -m figures.linux``."""

from figures.linux.pictures import PART

PART.main()
