"""Local search and path relinking (Kiros 2020)."""
