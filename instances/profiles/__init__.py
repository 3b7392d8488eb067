"""Step times that a user measured: read, fitted, kept for generators; docs/guides/profiles.md."""
