"""The picture of the simulator beside laws: ``python -m figures.network_simulator``."""

from figures.network_simulator.pictures import PART

PART.main()
