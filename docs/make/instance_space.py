"""Tables and pictures of features and of the sets that are chosen by them."""

from __future__ import annotations

from rsjs.instances.features import FEATURES


def features() -> str:
    """Return a line per feature."""
    lines = [f"| `{name}` | {text} |" for name, text in FEATURES.items()]
    return "\n".join(["| feature | what it is |", "|---|---|", *lines])


TABLES = {"features": features}
