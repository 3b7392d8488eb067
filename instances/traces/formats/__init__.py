"""One reader for each public trace format."""
