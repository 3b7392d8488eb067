"""Solvers, declared as data."""
