"""Figure 14 of Gong and Parulkar: ``python -m figures.gong_parulkar``."""

from figures.gong_parulkar.pictures import PART

PART.main()
