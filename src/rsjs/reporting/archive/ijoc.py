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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.archive import archive_data
from rsjs.reporting.archive.archive_data import Experiment, last_session
from rsjs.reporting.archive.results import Item, write_results
from rsjs.reporting.archive.source_tree import licence, rendered, write_source
from rsjs.reporting.tables.comparison import conditions

NUMBER = "XXXX.YYYY"  # as in the journal's instructions
PLACEHOLDERS = {
    "--number": NUMBER,
    "--title": "TITLE OF THE PAPER",
    "--authors": "NAMES OF THE AUTHORS",
    "--repository": "https://github.com/OWNER/REPOSITORY",
}
FILES = re.compile(r"(?m)^(\s*files\s*=\s*)\[[^\]]*\]")
SOLUTIONS, LOGS = "best_solutions", "best_logs"  # no campaign has a name with an underscore
PAGES = {  # file of the archive -> template
    "README.md": "README.md",
    "data/README.md": "data.md",
    "docs/README.md": "docs.md",
    "scripts/reproduce.sh": "reproduce.sh",
}


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper of the INFORMS Journal on Computing."""

    number: str  # that the journal gave it, e.g. 2026.0001
    title: str
    authors: Sequence[str]
    doi: str
    repository: str  # address of the development repository

    @property
    def archive_doi(self) -> str:
        """DOI that the journal gives the archive."""
        return f"10.1287/ijoc.{self.number}.cd"


def paper(
    *,
    number: str | None = None,
    title: str | None = None,
    authors: str | None = None,
    doi: str | None = None,
    repository: str | None = None,
) -> Paper:
    """
    Return the paper as far as it is known; authors are separated by semicolons.

    InputError for a number, DOI or address of another form.
    """
    for option, value, pattern, expected in (
        ("--number", number, r"\d{4}\.\d{4}", "a number like 2026.0001"),
        ("--paper-doi", doi, r"10\.\d{4,9}/\S+", "a DOI like 10.1287/ijoc.2026.0001"),
        ("--repository", repository, r"https?://\S+", "an address like https://github.com/a/b"),
    ):
        if value is not None and not re.fullmatch(pattern, value):
            raise InputError(option, value, expected)
    names = [" ".join(name.split()) for name in (authors or "").split(";") if name.strip()]
    return Paper(
        number=number or NUMBER,
        title=" ".join((title or "").split()) or PLACEHOLDERS["--title"],
        authors=names or [PLACEHOLDERS["--authors"]],
        doi=doi or f"10.1287/ijoc.{number or NUMBER}",
        repository=(repository or PLACEHOLDERS["--repository"]).rstrip("/"),
    )


def left_to_fill(files: Iterable[Path]) -> list[str]:
    """Return the placeholders that texts still hold, each with the files and how often."""
    texts = {path.name: path.read_text("utf-8") for path in files}
    return [
        f"{placeholder}: {option}, or by hand in "
        + ", ".join(
            f"{name} ({text.count(placeholder)})"
            for name, text in texts.items()
            if placeholder in text
        )
        for option, placeholder in PLACEHOLDERS.items()
        if any(placeholder in text for text in texts.values())
    ]


@dataclass(frozen=True, kw_only=True)
class Archive:
    """What was written."""

    folder: Path
    files: int
    instances: int
    solutions: int
    logs: int
    doubts: list[str]  # defects of the results, as README notes them
    left: list[str]  # what the authors have to fill in


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
    if find_spec("jinja2") is None:
        expected = "the extra `report`: pip install 'rsjs-bench[report]'"
        raise InputError("", described("no jinja2"), expected)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("", described("something there"), "a new or empty folder", folder)
    found = archive_data.experiments(stores)
    defects = archive_data.doubts(found)
    if defects and not allow_dirty:
        expected = "sound results; --allow-dirty exports these and notes it in README"
        raise InputError("", described(" ".join(defects)), expected, stores[0])
    scratch = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.tmp")
    try:
        scratch.mkdir(parents=True)
        made = _write(found, scratch, paper, defects, root)
        begun = datetime.fromisoformat(last_session(found)["begun"]).timestamp()
        for path in scratch.rglob("*"):  # packing them gives the same bytes each time
            if not path.is_symlink():
                os.utime(path, (begun, begun))
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Archive(folder=folder, doubts=defects, **made)


def _write(
    found: Sequence[Experiment], at: Path, paper: Paper, defects: list[str], root: Path | None
) -> dict[str, Any]:
    """Write all files into an empty folder; return the counts of `Archive`."""
    last = last_session(found)
    _, environment = min(last["environments"].items())  # "", that of `rsjs run`, comes first
    source = write_source(last["commit"], environment["rsjs_version"], root, at / "src")
    terms = licence(at / "src")
    data = archive_data.write_instances(found, at / "data")
    best = archive_data.write_best(found, data, at / "results" / SOLUTIONS)
    logs = archive_data.write_logs(found, data, at / "results" / LOGS)
    write_verifier(at / "results" / archive_data.VERIFIER)
    if best:
        verdicts = archive_data.verify(at, ["data", f"results/{SOLUTIONS}"])
        write_bytes(verdicts.encode(), at / "results/verification.txt")
    told = []
    for one in found:
        told.append(_told(one, write_results(one, at / "results" / one.name)))
        read = archive_data.read_from_files(one)
        given = [f"../data/{entry.file}" for entry in data if entry.sha256 in read]
        write_bytes(archived(one.text, given).encode(), at / "scripts" / f"{one.name}.toml")
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
    texts = {name: rendered(template, facts) for name, template in PAGES.items()}
    texts |= {"LICENSE": terms, "AUTHORS": "".join(f"{name}\n" for name in paper.authors)}
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
    """Return what the pages say of a campaign."""
    document = tomllib.loads(one.text)
    counts = {
        key: ", ".join(
            f"{count} {word}" for word, count in Counter(row[key] for row in one.rows).most_common()
        )
        for key in ("ended", "quality")
    }
    return {
        **counts,
        "name": one.name,
        "shows": " ".join(str(document["shows"]).split()),
        "environments": sorted(document.get("environments", {})),
        "runs": len(one.rows),
        "skipped": len(one.found.skipped),
        "shown": items,
        "sessions": one.sessions,
        "conditions": conditions([{**row, "seed": None} for row in one.rows]),
        "seeds": sorted({row["seed"] for row in one.rows}),
    }


def archived(text: str, files: Sequence[str]) -> str:
    """
    Return the text of a campaign with other instance files, relative to it.

    InputError if the text does not say `files = [...]` in so many words.
    """
    expected = tomllib.loads(text)
    for entry in (*expected.get("instances", ()), *expected.get("workloads", ())):
        if "files" in entry:
            entry["files"] = [*files]
    changed = FILES.sub(lambda found: found[1] + json.dumps([*files]), text)
    if tomllib.loads(changed) != expected:
        found = described("instance files that are not named by `files = [...]`")
        raise InputError("/instances", found, "a line of its own for each `files`")
    return changed


def write_verifier(path: Path) -> str:
    """Write the single-file verifier; return its sha256."""
    data = files("rsjs").joinpath(archive_data.VERIFIER).read_bytes()
    write_bytes(data, path)
    return sha256(data).hexdigest()


def write_sums(folder: Path) -> int:
    """Write SHA256SUMS of all files below a folder, links aside; return how many there are."""
    found = [Path(place, name) for place, _, names in os.walk(folder) for name in names]
    paths = sorted(path for path in found if not path.is_symlink())
    lines = []
    for path in paths:
        name = path.relative_to(folder).as_posix()
        # as coreutils: what is escaped in a name is told by a backslash before the sum
        shown = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        mark = "\\" if shown != name else ""
        lines.append(f"{mark}{sha256(path.read_bytes()).hexdigest()}  {shown}\n")
    write_bytes("".join(lines).encode(), folder / "SHA256SUMS")
    return len(paths)
