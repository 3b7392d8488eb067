"""GPU types, node types, share levels and epoch models that generators draw from."""
