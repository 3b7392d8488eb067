"""The best-known values as data: `importlib.resources.files("rsjs.bks.values")`."""
