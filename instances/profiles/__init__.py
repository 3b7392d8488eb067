"""Step times that a user measured: read, fitted and kept for generators; docs/profiles.md."""
