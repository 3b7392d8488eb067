"""Fast methods on arrays."""
