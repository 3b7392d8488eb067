"""Files of MIG jobs for `rsjs generate mig`, `show` and `convert`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rsjs.cli.options import option
from rsjs.cli.output import number, print_json, print_table, print_values
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.mig.job_files import read_jobs
from rsjs.instances.mig.jobs import MIG_JOBS
from rsjs.instances.mig.konopa.files import CONFIG
from rsjs.reporting.tables.formats import counted

if TYPE_CHECKING:
    from rsjs.instances.mig.job_generator.config import MigConfig
    from rsjs.instances.mig.job_generator.generate import JobSource
    from rsjs.instances.mig.jobs import JobSet

AllowPlugins = Annotated[
    bool,
    option(
        None,
        "MIG jobs: load distributions, memory models and fields of other packages: their code.",
        "--allow-plugins",
    ),
]
Form = Annotated[
    Literal["rsjs", "program", "published"],
    option(
        "FORM",
        "Text of MIG jobs: rsjs (rsjs-mig-jobs/1), or as the published program writes it (program)"
        " or as its dataset has it (published).",
    ),
]
MOST_SEEDS = 1_000_000
FIRST = 10  # seeds of a configuration that stands for its sets
_FORMAT = re.compile(r'"format"\s*:\s*"rsjs-mig-')


def is_mig(path: Path) -> bool:
    """Return whether a file is one of MIG jobs: ours, or of the published program."""
    text = read_text(path)
    theirs = '"format"' not in text and any(f'"{key}"' in text for key in CONFIG)
    return theirs or text.lstrip()[:1] == "[" or _FORMAT.search(text) is not None


def parsed_seeds(text: str) -> tuple[int, ...]:
    """
    Return the seeds that an option lists.

    >>> parsed_seeds("7,1-3")
    (7, 1, 2, 3)
    """
    expected = f"up to {MOST_SEEDS} seeds, each once and below 2^63, such as 7 or 1,5,10-20"
    seeds: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError("--seeds", text, expected)
        low, end = int(first), int(last or first) + 1
        too_many = end > 2**63 or not 0 < end - low <= MOST_SEEDS - len(seeds)
        if too_many or any(seed in seeds for seed in range(low, end)):
            raise InputError("--seeds", text, expected)
        seeds |= dict.fromkeys(range(low, end))
    return tuple(seeds)


def show_jobs(paths: Sequence[Path], *, allow_plugins: bool, as_json: bool) -> None:
    """
    Print statistics of sets of jobs, pooled, beside the distributions of their configuration.

    A configuration alone is checked and described; it stands for the sets of its first seeds.
    The configuration is the one among the files, else the one that all sets record.
    """
    from rsjs.instances.mig.job_generator.generate import read_source
    from rsjs.instances.mig.job_generator.goodness_of_fit import statistics

    configs = [path for path in paths if is_mig(path) and not _is_set(path)]
    if len(configs) > 1:
        raise InputError("", described("a second configuration"), "one at most", configs[1])
    sets = [read_jobs(path) for path in paths if path not in configs]
    facts = None
    if configs:
        source = read_source(configs[0], allow_plugins=allow_plugins)
        config = source.config
        if not sets:
            sets = [source.make(seed) for seed in source.seeds[:FIRST]]
            facts = _described(source, configs[0], sets[0])
    else:
        config = _recorded(sets, paths[0], allow_plugins=allow_plugins)
    rows = statistics(sets, config)
    if as_json:
        head = {} if facts is None else {"configuration": facts}
        names = [jobs.name for jobs in sets]
        print_json({**head, "sets": names, "fields": [asdict(row) for row in rows]})
        return
    if facts is not None:
        print_values(facts, as_json=False)
        print()
    headings = ("field", "class", ">n", ">mean", ">expected", ">sd", ">expected", ">p")
    title = f"{counted(len(sets), 'set')}, {sum(map(len, sets))} jobs"
    cells = []
    for row in rows:
        moments = (row.mean, row.law_mean, row.deviation, row.law_deviation)
        shown = [number(value, 4) for value in moments]
        cells.append([row.field, row.job_class, str(row.n), *shown, number(row.p_value, 2)])
    print_table(title, headings, cells)


def _is_set(path: Path) -> bool:
    text = read_text(path)
    return text.lstrip()[:1] == "[" or re.search(rf'"format"\s*:\s*"{MIG_JOBS}"', text) is not None


def _described(source: JobSource, path: Path, jobs: JobSet) -> dict[str, Any]:
    """Describe a configuration by the first of its sets."""
    return {
        "config": path,
        "format": source.kind,
        "name": source.name,
        "number_of_sets": len(source.seeds),
        "first_set": jobs.name,
        "jobs": len(jobs),
        "time_units_of_run_time": int(jobs.run_length.sum()),
        "last_arrival": float(jobs.arrival[-1]) if len(jobs) else None,
        "deadlines_too_early": int((jobs.deadline < jobs.arrival + jobs.run_length).sum()),
    }


def _recorded(sets: Sequence[JobSet], path: Path, *, allow_plugins: bool) -> MigConfig | None:
    """Return the configuration that all sets record."""
    from rsjs.instances.mig.job_generator.config import to_config
    from rsjs.instances.mig.job_generator.generate import GENERATOR

    recorded = [jobs.generator or {} for jobs in sets]
    configs = [made["parameters"]["config"] for made in recorded if made.get("name") == GENERATOR]
    if len(configs) < len(sets) or any(config != configs[0] for config in configs):
        return None
    return to_config({**configs[0], "seeds": [0]}, path, allow_plugins=allow_plugins)
