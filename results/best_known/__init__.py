"""The best-known values as data: `importlib.resources.files("rsjs.best_known.values")`."""
