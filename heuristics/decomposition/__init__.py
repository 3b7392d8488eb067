"""Hierarchical decomposition: controllers with jobs and nodes of their own (Kiros 2020)."""
