"""The generator of MIG jobs: distributions, arrivals, memory, goodness of fit."""
