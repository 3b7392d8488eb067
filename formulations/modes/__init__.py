"""Modes of a job, sharing of a GPU and partitions of a node, for all models."""
