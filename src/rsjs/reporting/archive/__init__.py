"""What authors attach to a paper: the archive of a journal, with the verifier in one file."""
