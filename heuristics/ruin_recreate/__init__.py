"""Ruin and recreate on the dual prices of the Lagrangian, and fix-and-optimise."""
