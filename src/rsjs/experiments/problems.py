"""
Which runs are of one problem: those whose costs and bounds may be compared.

What a simulation costs depends on its options, and where real times differ from those predicted on
the seed, which draws the errors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def problem(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The instance of a row, and of a simulation what else its cost and bounds depend on."""
    digest, options = row["instance_sha256"], row.get("simulation")
    if not isinstance(options, str) or not options:  # a column that is read back may be nan
        return (digest,)
    return digest, options, int(row["seed"]) if json.loads(options).get("deviation") else None
