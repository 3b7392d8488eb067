"""Policies, one per file; `registry` makes them from their spellings."""
