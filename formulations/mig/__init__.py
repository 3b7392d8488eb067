"""Exact models and bounds of MIG scheduling, placement and reconfiguration."""
