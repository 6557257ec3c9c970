"""Prithviraj and Williamson, loss-load curves: networks, claims, figures and tables."""
