"""The rows of runs: their columns, how they are built, stored and read."""
