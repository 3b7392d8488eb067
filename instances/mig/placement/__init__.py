"""MIG placement: the problem, its checker, generated mixes."""
