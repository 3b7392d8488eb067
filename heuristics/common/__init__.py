"""What heuristics share: compiled kernels, random streams, stopping, starts, results."""
