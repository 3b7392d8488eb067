"""
The archive that the INFORMS Journal on Computing publishes beside a paper.

Layout and headings of README are those of its template:

    README.md, LICENSE, AUTHORS, SHA256SUMS
    src/        the software that made the results
    data/       the instances
    scripts/    the campaigns, reproduce.sh
    docs/       how the results came about
    results/    a folder for each campaign: rows, tables, figures; best_solutions/ and the verifier;
                best_logs/ of simulations

The same stores give the same bytes: dates are those of the records.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.conditions import conditions
from rsjs.reporting.kit import archive_data, archive_logs, campaign_script, pages
from rsjs.reporting.kit.checksums import files_below, write_sums
from rsjs.reporting.kit.evidence import Experiment, doubts, experiments, last_session
from rsjs.reporting.kit.paper import Paper, left_to_fill
from rsjs.reporting.kit.results import Item, write_results
from rsjs.reporting.kit.source_tree import licence, write_source

SOLUTIONS, LOGS = "best_solutions", "best_logs"  # no campaign has a name with an underscore


@dataclass(frozen=True, kw_only=True)
class Archive:
    """
    What was written.

    Attributes
    ----------
    folder : Path
    files, instances, solutions, logs : int
    doubts : list of str
        Defects of the results, as README notes them.
    left : list of str
        What the authors have to fill in.
    """

    folder: Path
    files: int
    instances: int
    solutions: int
    logs: int
    doubts: list[str]
    left: list[str]


def export(
    stores: Sequence[Path],
    folder: Path,
    paper: Paper,
    *,
    root: Path | None,
    allow_dirty: bool = False,
) -> Archive:
    """
    Write the archive of some stores, whole or not at all.

    Parameters
    ----------
    root : path or None
        The checkout that has the commit of the runs; see `source_tree`.
    allow_dirty : bool
        Also of results with defects, which README then notes.

    Raises
    ------
    InputError
        For a folder that is not empty, and for stores with corrupt records, defects that are not
        allowed, or solutions that the verifier refuses.
    """
    pages.require_jinja()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("", described("something there"), "a new or empty folder", folder)
    found = experiments(stores)
    defects = doubts(found)
    if defects and not allow_dirty:
        expected = "sound results; --allow-dirty exports these and notes it in README"
        raise InputError("", described(" ".join(defects)), expected, stores[0])
    scratch = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.tmp")
    try:
        scratch.mkdir(parents=True)
        made = _write(found, scratch, paper, defects, root)
        _date(scratch, last_session(found)["begun"])
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Archive(folder=folder, doubts=defects, **made)


def _write(
    found: Sequence[Experiment], at: Path, paper: Paper, defects: list[str], root: Path | None
) -> dict[str, Any]:
    last = last_session(found)
    _, environment = min(last["environments"].items())  # "", that of `rsjs run`, comes first
    version = environment["rsjs_version"]
    source = write_source(last["commit"], version, root, at / "src")
    terms = licence(at / "src")
    data = archive_data.write_instances(found, at / "data")
    best = archive_data.write_best(found, data, at / "results" / SOLUTIONS)
    logs = archive_logs.write_logs(found, data, at / "results" / LOGS)
    archive_data.write_verifier(at / "results" / archive_data.VERIFIER)
    if best:
        verdicts = archive_data.verify(at, ["data", f"results/{SOLUTIONS}"])
        write_bytes(verdicts.encode(), at / "results" / archive_data.VERIFICATION)
    told = []
    for one in found:
        items = write_results(one, at / "results" / one.name)
        read = archive_data.read_from_files(one)
        given = [f"../data/{entry.file}" for entry in data if entry.sha256 in read]
        text = campaign_script.archived(one.text, given)
        write_bytes(text.encode(), at / "scripts" / f"{one.name}.toml")
        told.append(_told(one, items))
    facts = {
        "paper": paper,
        "licence": terms.strip().splitlines()[0],
        "source": source,
        "doubts": defects,
        "year": last["begun"][:4],
        "experiments": told,
        "data": data,
        "best": best,
        "logs": logs,
    }
    texts = {
        "README.md": pages.page("README.md", facts),
        "LICENSE": terms,
        "AUTHORS": "".join(f"{name}\n" for name in paper.authors),
        "data/README.md": pages.page("data.md", facts),
        "docs/README.md": pages.page("docs.md", facts),
        "scripts/reproduce.sh": pages.page("reproduce.sh", facts),
    }
    for name, text in texts.items():
        write_bytes(text.encode(), at / name)
    return {
        "files": write_sums(at),
        "instances": len(data),
        "solutions": len(best),
        "logs": len(logs),
        "left": left_to_fill([at / "README.md", at / "AUTHORS"]),
    }


def _told(one: Experiment, items: Sequence[Item]) -> dict[str, Any]:
    """What the pages say of a campaign."""
    seeds = sorted({row["seed"] for row in one.rows})
    ended, quality = (
        ", ".join(f"{count} {word}" for word, count in Counter(words).most_common())
        for words in ([row["ended"] for row in one.rows], [row["quality"] for row in one.rows])
    )
    return {
        "name": one.name,
        "shows": campaign_script.shows(one.text),
        "environments": campaign_script.environments(one.text),
        "runs": len(one.rows),
        "skipped": len(one.found.skipped),
        "shown": items,
        "sessions": one.sessions,
        "conditions": [
            *conditions([{**row, "seed": None} for row in one.rows]),
            f"Seeds: {', '.join(map(str, seeds))}.",
        ],
        "ended": ended,
        "quality": quality,
    }


def _date(folder: Path, begun: str) -> None:
    """Give all files the time of the last session, so that packing them gives the same bytes."""
    seconds = datetime.fromisoformat(begun).timestamp()
    for path in [*files_below(folder), *(path for path in folder.rglob("*") if path.is_dir())]:
        os.utime(path, (seconds, seconds))
