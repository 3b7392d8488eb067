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

The same stores give the same bytes: dates are those of the records. Campaigns in the archive take
their instances from data/.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.archive import archive_data
from rsjs.reporting.archive.campaign_data import Experiment, doubts, experiments, last_session
from rsjs.reporting.archive.checksums import files_below, write_sums
from rsjs.reporting.archive.metadata import Paper, left_to_fill
from rsjs.reporting.archive.results import Item, write_results
from rsjs.reporting.archive.source_tree import licence, write_source
from rsjs.reporting.tables.comparison import conditions
from rsjs.reporting.tables.table import code, escaped

FILES = re.compile(r"(?m)^(\s*files\s*=\s*)\[[^\]]*\]")


def archived(text: str, files: Sequence[str]) -> str:
    """
    The text of a campaign with other instance files.

    Parameters
    ----------
    files : sequence of str
        Relative to the campaign; they take the place of the patterns under `files`.

    Raises
    ------
    InputError
        If the text does not say `files = [...]` in so many words.
    """
    document = tomllib.loads(text)
    changed = FILES.sub(lambda found: found[1] + json.dumps(list(files)), text)
    if tomllib.loads(changed) != _with_files(document, files):
        found = described("instance files that are not named by `files = [...]`")
        raise InputError("/instances", found, "a line of its own for each `files`")
    return changed


def shows(text: str) -> str:
    """What a campaign is for, on one line."""
    return " ".join(str(tomllib.loads(text)["shows"]).split())


def environments(text: str) -> list[str]:
    """The Python environments that a campaign names."""
    return sorted(tomllib.loads(text).get("environments", {}))


def _with_files(document: dict[str, Any], files: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {
        key: [
            {**entry, "files": list(files)} if "files" in entry else entry
            for entry in document[key]
        ]
        for key in ("instances", "workloads")
        if key in document
    }
    return {**document, **given}


def require_jinja() -> None:
    """Refuse to begin without jinja2."""
    if find_spec("jinja2") is None:
        expected = "the extra `report`: pip install 'rsjs-bench[report]'"
        raise InputError("", described("no jinja2"), expected)


def page(name: str, facts: Mapping[str, Any]) -> str:
    """The text that the template of a name makes of facts."""
    from jinja2 import Environment, StrictUndefined

    text = files("rsjs.reporting.archive").joinpath("templates", f"{name}.j2").read_text("utf-8")
    plain = Environment(
        autoescape=False,  # Markdown and shell, no HTML
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    plain.filters |= {"code": code, "escaped": escaped}
    return plain.from_string(text).render(facts)


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
    require_jinja()
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
    logs = archive_data.write_logs(found, data, at / "results" / LOGS)
    archive_data.write_verifier(at / "results" / archive_data.VERIFIER)
    if best:
        verdicts = archive_data.verify(at, ["data", f"results/{SOLUTIONS}"])
        write_bytes(verdicts.encode(), at / "results" / archive_data.VERIFICATION)
    told = []
    for one in found:
        items = write_results(one, at / "results" / one.name)
        read = archive_data.read_from_files(one)
        given = [f"../data/{entry.file}" for entry in data if entry.sha256 in read]
        text = archived(one.text, given)
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
        "README.md": page("README.md", facts),
        "LICENSE": terms,
        "AUTHORS": "".join(f"{name}\n" for name in paper.authors),
        "data/README.md": page("data.md", facts),
        "docs/README.md": page("docs.md", facts),
        "scripts/reproduce.sh": page("reproduce.sh", facts),
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
        "shows": shows(one.text),
        "environments": environments(one.text),
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
