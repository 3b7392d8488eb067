"""What authors attach to a paper: a verifier in one file, and the archive of a journal."""
