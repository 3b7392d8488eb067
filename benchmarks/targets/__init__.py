"""The figures this version promises, measured: `python -m benchmarks.targets [PART ...]`."""
