"""Figures and tables of the papers from our simulations and laws, one module or more per paper."""
