"""Whole workloads whose epochs are known: prices of GPUs over time, and what jobs do at them."""
