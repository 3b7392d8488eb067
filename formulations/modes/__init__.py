"""Modes of the jobs, sharing of a GPU and pattern models by arc flow, for all models."""
