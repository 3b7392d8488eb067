"""Exact models and bounds of Jahani's problem (Jahani 2019)."""
