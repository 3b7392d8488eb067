"""MIG reconfiguration of one GPU over time: the problem, its checker, generated cases."""
