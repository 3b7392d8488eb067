"""Exact models of whole workloads whose epochs are known."""
