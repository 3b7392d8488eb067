"""Dispatching rules: list scheduling, queues, pooled dynamic programming."""
