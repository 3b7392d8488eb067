"""The best-known values as data of the package: `importlib.resources.files("rsjs.best_known.values")`."""
