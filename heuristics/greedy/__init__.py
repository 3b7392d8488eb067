"""Greedy and randomized greedy (Kiros 2020, ANDREAS 2021), dedicated and shared GPUs."""
