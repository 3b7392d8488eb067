"""Loops over arrays, compiled where numba is installed."""
