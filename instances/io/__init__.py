"""Files: JSON documents, CSV tables, limits on what is read."""
