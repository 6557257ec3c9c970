"""Pictures of today's schemes and disciplines: ``python -m figures.today``."""

from figures.today.pictures import PART

PART.main()
