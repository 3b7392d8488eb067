"""Pictures of rows, decisions and data; matplotlib is imported when one is drawn."""
