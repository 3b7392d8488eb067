"""Heuristics of MIG scheduling, placement and reconfiguration."""
