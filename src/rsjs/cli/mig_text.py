"""What the commands of `rsjs mig` print."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rsjs.cli.console import console, number, plain_table, print_facts, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rsjs.instances.mig.job_generator.goodness_of_fit import FieldStatistics
    from rsjs.instances.mig.jobs import JobSet


def say(facts: Mapping[str, Any], *, as_json: bool) -> None:
    """Names and values; as JSON the names are keys."""
    if as_json:
        print_json({name.replace(" ", "_"): value for name, value in facts.items()})
    else:
        shown = ((name, _short(value)) for name, value in facts.items() if value is not None)
        print_facts(shown)


def _short(value: Any) -> Any:
    """Floats, alone or in a list, in six significant digits."""
    if isinstance(value, list):
        return ", ".join(str(_short(one)) for one in value)
    return number(value) if isinstance(value, float) else value


def say_sets(folder: Path, sets: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Sets of jobs as they were written."""
    if as_json:
        print_json({"folder": folder, "sets": sets})
        return
    jobs = sum(line["jobs"] for line in sets)
    print(f"{folder}: {len(sets)} sets, {jobs} jobs")
    print(f"{folder / 'manifest.json'}: sha256 of each")


def say_statistics(
    sets: Sequence[JobSet], rows: Sequence[FieldStatistics], *, as_json: bool
) -> None:
    """A line per field: the sample and its law; as JSON with quantiles."""
    if as_json:
        fields = [asdict(row) for row in rows]
        print_json({"sets": [jobs.name for jobs in sets], "fields": fields})
        return
    table = plain_table(f"{len(sets)} sets, {sum(map(len, sets))} jobs")
    for name in ("field", "class"):
        table.add_column(name)
    for name in ("n", "mean", "of law", "sd", "of law", "p"):
        table.add_column(name, justify="right")
    for row in rows:
        moments = (row.mean, row.law_mean, row.deviation, row.law_deviation)
        shown = (number(value, 4) for value in moments)
        table.add_row(row.field, row.job_class, str(row.n), *shown, number(row.p_value, 2))
    console().print(table)
