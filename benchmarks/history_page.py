"""What has changed between two commits, as a page without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from asv import util

from benchmarks.asv_results import Change
from rsjs.instances.io.files import write_bytes

STYLE = """
body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left; font-family: monospace }
"""


def write_page(changes: Sequence[Change], commits: Sequence[str], path: Path) -> None:
    """Write a table with a row for each change: exact values first, then seconds and memory."""
    rows = [
        f"<tr><td>{escape(change.name)}<td>{escape(_shown(change.before, change.unit))}"
        f"<td>{escape(_shown(change.after, change.unit))}<td>{change.ratio}"
        for change in sorted(changes, key=lambda change: (not change.exact, change.name))
    ]
    page = (
        f"<!doctype html><meta charset=utf-8><title>Benchmarks</title><style>{STYLE}</style>"
        f"<h1>{len(rows)} changes from {commits[0][:8]} to {commits[-1][:8]}</h1>"
        "<table><thead><tr><th>benchmark<th>before<th>after<th>ratio</thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    write_bytes(page.encode(), path)


def _shown(value: float, unit: str) -> str:
    return (
        str(util.human_value(value, unit)) if unit in ("seconds", "bytes") else f"{value!r} {unit}"
    )
