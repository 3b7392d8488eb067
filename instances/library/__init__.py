"""Named sets of instances and of MIG jobs, with the digest of every member; docs/library.md."""
