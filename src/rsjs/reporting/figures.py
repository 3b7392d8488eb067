"""Pictures of a comparison and of a decision; matplotlib is imported when one is drawn."""

from __future__ import annotations

from rsjs.reporting.cost_bars import cost_split
from rsjs.reporting.gap_curves import gap_over_time
from rsjs.reporting.occupancy_lines import occupancy_text
from rsjs.reporting.occupancy_picture import occupancy

__all__ = ["cost_split", "gap_over_time", "occupancy", "occupancy_text"]
