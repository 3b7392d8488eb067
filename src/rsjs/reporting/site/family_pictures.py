"""The figures of a family as PDF, those of `rsjs statistics`."""

from __future__ import annotations

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family
from rsjs.reporting.statistics import pictures


def paths(family: Family, downloads: Downloads) -> dict[str, str]:
    """Name -> path."""
    return {
        one.name: downloads.picture(f"{family.name}-{one.name}", one.draw)
        for one in pictures.pictures(family.analysis)
    }
