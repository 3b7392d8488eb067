"""Named sets of instances and MIG jobs, with the digest of every member; docs/reference/library.md."""
