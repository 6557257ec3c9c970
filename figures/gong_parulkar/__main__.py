"""Figure 14 of Gong and Parulkar: ``python -m figures.gong_parulkar``."""

from figures.gong_parulkar import pictures
from figures.writing import main

main(pictures.write, pictures.redraw)
