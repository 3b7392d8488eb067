"""Exact models of first-ending energy costs (ANDREAS 2021, Kiros 2020): by pattern and by node."""
