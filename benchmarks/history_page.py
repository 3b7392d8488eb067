"""The results of the last commits as one table, a page without scripts."""

from __future__ import annotations

from html import escape
from pathlib import Path

from asv import results, util
from asv.benchmarks import Benchmarks
from asv.commands.compare import unroll_result

from benchmarks.asv_results import configuration
from rsjs.instances.files import write_bytes

MOST = 8  # columns
STYLE = """
body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left; font-family: monospace }
thead th { position: sticky; top: 0; background: white }
"""


def write_page(folder: Path, path: Path) -> None:
    """
    Write the table: a row for each benchmark with its parameters, a column for each result file.

    Parameters
    ----------
    folder : Path
        asv's results.
    """
    stored = sorted(
        results.iter_results(folder), key=lambda found: (found.date, found.commit_hash)
    )[-MOST:]
    described = Benchmarks.load(configuration(folder))
    columns = [_values(found, described) for found in stored]
    heads = [f"{found.commit_hash[:8]}<br>{escape(found.params['machine'])}" for found in stored]
    names = sorted(set().union(*columns))
    rows = [
        "<tr><td>" + "</td><td>".join([escape(name), *(column.get(name, "") for column in columns)])
        for name in names
    ]
    page = (
        f"<!doctype html><meta charset=utf-8><title>Benchmarks</title><style>{STYLE}</style>"
        f"<h1>Benchmarks</h1><p>{len(names)} results of the last {len(stored)} files.</p>"
        f"<table><thead><tr><th>benchmark<th>{'<th>'.join(heads)}</thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    write_bytes(page.encode(), path)


def _values(found: results.Results, described: Benchmarks) -> dict[str, str]:
    """Values with their units by name; what was skipped is left out, what failed says so."""
    values = {}
    for key in found.get_all_result_keys():
        parameters = found.get_result_params(key)
        unit = described.get(key, {}).get("unit", "")
        for name, value in unroll_result(key, parameters, found.get_result_value(key, parameters)):
            if value is None or value == value:
                values[name] = "failed" if value is None else escape(util.human_value(value, unit))
    return values
