"""Loops over arrays, compiled by numba."""
