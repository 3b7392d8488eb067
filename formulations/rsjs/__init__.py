"""Exact models of the RS-JS problem (Filippini 2024): by GPU, by node and aggregated."""
