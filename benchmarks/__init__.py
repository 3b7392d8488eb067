"""asv benchmarks; the pytest-benchmark ones are in micro/."""
