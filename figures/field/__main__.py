"""The field's scoreboard: ``python -m figures.field``."""

from figures.field.pictures import PART

PART.main()
