"""Files of MIG jobs for `rsjs generate mig`, `show` and `convert`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rsjs.cli.options import option
from rsjs.cli.output import print_json, print_table, print_values
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.mig.job_files import read_jobs
from rsjs.instances.mig.jobs import MIG_JOBS
from rsjs.instances.mig.konopa.files import CONFIG
from rsjs.reporting.tables.formats import counted

if TYPE_CHECKING:
    from rsjs.instances.mig.job_generator.config import MigConfig
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
_SET = re.compile(rf'^\s*\[|"format"\s*:\s*"{MIG_JOBS}"')


def is_mig(path: Path) -> bool:
    """Return whether a file is one of MIG jobs: ours, or of the published program."""
    text = read_text(path)
    theirs = '"format"' not in text and any(f'"{key}"' in text for key in CONFIG)
    return theirs or text.lstrip()[:1] == "[" or _FORMAT.search(text) is not None


def parsed_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds that an option lists, (7, 1, 2, 3) of "7,1-3"."""
    parts = [re.fullmatch(r"\s*([0-9]{1,19})(?:-([0-9]{1,19}))?\s*", p) for p in text.split(",")]
    bounds = [(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part]
    seeds: tuple[int, ...] = ()
    count = sum(end - low for low, end in bounds)
    if None not in parts and count <= MOST_SEEDS and all(low < end <= 2**63 for low, end in bounds):
        seeds = tuple(dict.fromkeys(chain(*(range(low, end) for low, end in bounds))))
    if not seeds or len(seeds) < count:
        expected = f"up to {MOST_SEEDS} seeds, each once and below 2^63, such as 7 or 1,5,10-20"
        raise InputError("--seeds", text, expected)
    return seeds


def show_jobs(paths: Sequence[Path], *, allow_plugins: bool, as_json: bool) -> None:
    """
    Print statistics of sets of jobs, pooled, beside the distributions of their configuration.

    A configuration alone is checked and described; it stands for the sets of its first seeds.
    The configuration is the one among the files, else the one that all sets record.
    """
    from rsjs.instances.mig.job_generator.generate import read_source
    from rsjs.instances.mig.job_generator.goodness_of_fit import statistics

    configs = [path for path in paths if is_mig(path) and not _SET.search(read_text(path))]
    if len(configs) > 1:
        raise InputError("", described("a second configuration"), "one at most", configs[1])
    sets = [read_jobs(path) for path in paths if path not in configs]
    facts = {}
    if configs:
        source = read_source(configs[0], allow_plugins=allow_plugins)
        config = source.config
        if not sets:
            sets = [source.make(seed) for seed in source.seeds[:FIRST]]
            early = sets[0].deadline < sets[0].arrival + sets[0].run_length
            facts = {
                "config": configs[0],
                "format": source.kind,
                "name": source.name,
                "number_of_sets": len(source.seeds),
                "first_set": sets[0].name,
                "jobs": len(sets[0]),
                "deadlines_too_early": int(early.sum()),
            }
    else:
        config = _recorded(sets, paths[0], allow_plugins=allow_plugins)
    rows = statistics(sets, config)
    if as_json:
        document = {"sets": [jobs.name for jobs in sets], "fields": [*map(asdict, rows)]}
        print_json({"configuration": facts, **document} if facts else document)
        return
    if facts:
        print_values(facts, as_json=False)
        print()
    headings = ("field", "class", ">n", ">mean", ">expected", ">sd", ">expected", ">p")
    names = ("field", "job_class", "n", "mean", "law_mean", "deviation", "law_deviation", "p_value")
    title = f"{counted(len(sets), 'set')}, {sum(map(len, sets))} jobs"
    print_table(title, headings, map(attrgetter(*names), rows))


def _recorded(sets: Sequence[JobSet], path: Path, *, allow_plugins: bool) -> MigConfig | None:
    """Return the configuration that all sets record."""
    from rsjs.instances.mig.job_generator.config import to_config
    from rsjs.instances.mig.job_generator.generate import GENERATOR

    recorded = [jobs.generator or {} for jobs in sets]
    configs = [made["parameters"]["config"] for made in recorded if made.get("name") == GENERATOR]
    if len(configs) < len(sets) or any(config != configs[0] for config in configs):
        return None
    return to_config({**configs[0], "seeds": [0]}, path, allow_plugins=allow_plugins)
