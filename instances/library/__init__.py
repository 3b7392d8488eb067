"""Named sets of instances and MIG jobs, with digests of members; docs/reference/library.md."""
