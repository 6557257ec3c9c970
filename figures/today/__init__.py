"""Schemes and disciplines of today: utilisation, delay, fairness and power, courses over time, design curves."""
