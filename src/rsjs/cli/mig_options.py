"""
What the commands of `rsjs mig` print.

What the commands of `rsjs mig` are given: seeds, forms, sets with their configuration.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.cli.output import console, number, plain_table, print_facts, print_json
from rsjs.core.errors import InputError, described
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.job_files import FORMS, read_jobs
from rsjs.instances.mig.job_generator.config import MIG_CONFIG, to_config
from rsjs.instances.mig.job_generator.generate import GENERATOR, read_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rsjs.instances.mig.job_generator.config import MigConfig
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


MOST_SEEDS = 1_000_000
MOST_MEMORY = 1_000_000_000  # MB of a unit
FIRST = 10  # seeds of a configuration that stands for its sets


def parsed_seeds(text: str) -> tuple[int, ...]:
    """Seeds as an option spells them: 7 or 1,5,10-20."""
    expected = f"up to {MOST_SEEDS} seeds, each once and below 2^63, such as 7 or 1,5,10-20"
    found: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError("--seeds", text, expected)
        low, end = int(first), int(last or first) + 1
        if end > 2**63 or not 0 < end - low <= MOST_SEEDS - len(found):
            raise InputError("--seeds", text, expected)
        if any(seed in found for seed in range(low, end)):
            raise InputError("--seeds", text, expected)
        found |= dict.fromkeys(range(low, end))
    return tuple(found)


def memory_of(text: str) -> tuple[int, ...]:
    """Memory of units as an option spells it: 2000,1000,1000 [MB]."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 0 < int(part) <= MOST_MEMORY for part in parts):
        expected = f"integers of MB from 1 to {MOST_MEMORY}, such as 2000,1000,1000"
        raise InputError("--units", text, expected)
    return tuple(map(int, parts))


def known_form(form: str) -> None:
    """Refuse a form of text that does not exist."""

    if form not in FORMS:
        raise InputError("--form", form, f"one of {', '.join(FORMS)}")


def sets_and_config(
    files: Sequence[Path], *, allow_plugins: bool
) -> tuple[list[JobSet], MigConfig | None]:
    """
    The sets in some files, and the configuration that made them, if it is known.

    It is the one among the files, otherwise the one that all sets record.
    """

    sources = [path for path in files if _format(read_json(path, lenient=True)) == MIG_CONFIG]
    if len(sources) > 1:
        raise InputError("", described("a second configuration"), "one at most", sources[1])
    sets = [read_jobs(path) for path in files if path not in sources]
    if sources:
        source = read_source(sources[0], allow_plugins=allow_plugins)
        return sets or [source.make(seed) for seed in source.seeds[:FIRST]], source.config
    recorded = [jobs.generator or {} for jobs in sets]
    configs = [made["parameters"]["config"] for made in recorded if made.get("name") == GENERATOR]
    if len(configs) < len(sets) or any(config != configs[0] for config in configs):
        return sets, None
    document = {**configs[0], "seeds": [0]}
    return sets, to_config(document, files[0], allow_plugins=allow_plugins)


def _format(document: object) -> object:
    return document.get("format") if isinstance(document, dict) else None
