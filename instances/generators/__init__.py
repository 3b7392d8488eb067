"""Instance generators, one file per paper."""
