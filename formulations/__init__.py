"""Exact formulations in Pyomo, the solvers behind them, and their bounds."""
