"""What the commands of `rsjs mig` are given: seeds, forms, sets with their configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.instances.mig.job_generator.config import MigConfig
    from rsjs.instances.mig.jobs import JobSet

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
    from rsjs.instances.mig.job_files import FORMS

    if form not in FORMS:
        raise InputError("--form", form, f"one of {', '.join(FORMS)}")


def sets_and_config(
    files: Sequence[Path], *, allow_plugins: bool
) -> tuple[list[JobSet], MigConfig | None]:
    """
    The sets in some files, and the configuration that made them, if it is known.

    It is the one among the files, otherwise the one that all sets record.
    """
    from rsjs.instances.io.strict_json import read_json
    from rsjs.instances.mig.job_files import read_jobs
    from rsjs.instances.mig.job_generator.config import MIG_CONFIG, to_config
    from rsjs.instances.mig.job_generator.generate import GENERATOR, read_source

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
