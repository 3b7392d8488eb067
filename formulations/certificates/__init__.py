"""Certificates of lower bounds: prices that anybody can check without a solver."""
