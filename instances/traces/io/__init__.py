"""Streams of bytes, lines, CSV blocks and JSON objects from archives of any size."""
