"""Kim and Farber (1994), BLT: networks, claims, figures and tables."""
