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
import re
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.campaigns.sources import FILE_OPTIONS
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.archive import archive_data
from rsjs.reporting.archive.archive_data import Experiment
from rsjs.reporting.archive.source_tree import rendered, write_source
from rsjs.reporting.archive.whole import date_all, new_folder, write_sums
from rsjs.reporting.tables.comparison import conditions
from rsjs.rows.select import is_simulated

NUMBER = "XXXX.YYYY"  # as in the journal's instructions
PLACEHOLDERS = {
    "--number": NUMBER,
    "--title": "TITLE OF THE PAPER",
    "--authors": "NAMES OF THE AUTHORS",
    "--repository": "https://github.com/OWNER/REPOSITORY",
}
FILES = re.compile(r"(?m)^(\s*files\s*=\s*)\[[^\]]*\]")
PAGES = {  # file of the archive -> template
    "README.md": "README.md",
    "data/README.md": "data.md",
    "docs/README.md": "docs.md",
    "scripts/reproduce.sh": "reproduce.sh",
}


def paper(
    *,
    number: str | None = None,
    title: str | None = None,
    authors: str | None = None,
    doi: str | None = None,
    repository: str | None = None,
) -> dict[str, Any]:
    """
    Return what pages say of a paper; `PLACEHOLDERS` stand for what is not known.

    `number` is that of the journal, e.g. 2026.0001, `repository` the address of the development
    repository; authors are separated by semicolons. InputError for a number, DOI or address of
    another form.
    """
    for option, value, pattern, expected in (
        ("--number", number, r"\d{4}\.\d{4}", "a number like 2026.0001"),
        ("--paper-doi", doi, r"10\.\d{4,9}/\S+", "a DOI like 10.1287/ijoc.2026.0001"),
        ("--repository", repository, r"https?://\S+", "an address like https://github.com/a/b"),
    ):
        if value is not None and not re.fullmatch(pattern, value):
            raise InputError(option, value, expected)
    names = [" ".join(name.split()) for name in (authors or "").split(";") if name.strip()]
    return {
        "number": number or NUMBER,
        "title": " ".join((title or "").split()) or PLACEHOLDERS["--title"],
        "authors": names or [PLACEHOLDERS["--authors"]],
        "doi": doi or f"10.1287/ijoc.{number or NUMBER}",
        "repository": (repository or PLACEHOLDERS["--repository"]).rstrip("/"),
    }


def export(
    stores: Sequence[Path],
    folder: Path,
    paper: Mapping[str, Any],
    *,
    root: Path | None,
    allow_dirty: bool = False,
) -> dict[str, Any]:
    """
    Write the archive of some stores, whole or not at all.

    Parameters
    ----------
    paper : mapping
        See `paper`.
    root : path or None
        The checkout that has the commit of the runs; see `source_tree`.
    allow_dirty : bool
        Also of results with defects, which README then notes.

    Returns
    -------
    dict
        folder; how many files, instances, solutions and logs; doubts, the defects of the results
        as README notes them; left, what the authors have to fill in.

    Raises
    ------
    InputError
        For a folder that is not empty, and for stores with corrupt records, defects that are not
        allowed, or solutions that the verifier refuses.
    """
    if find_spec("jinja2") is None:
        expected = "the extra `report`: pip install 'rsjs-bench[report]'"
        raise InputError("", described("no jinja2"), expected)
    with new_folder(folder) as scratch:
        found = archive_data.experiments(stores)
        defects = archive_data.doubts(found)
        if defects and not allow_dirty:
            expected = "sound results; --allow-dirty exports these and notes it in README"
            raise InputError("", described(" ".join(defects)), expected, stores[0])
        # the session that began last: its commit and date are those of the archive
        last = max((one.sessions[-1] for one in found), key=lambda one: (one["begun"], one["id"]))
        facts = {"paper": paper, "doubts": defects, "experiments": found, "last": last}
        counts = _write(found, scratch, root, facts)
        date_all(scratch, last["begun"])
    return {"folder": folder, **counts, "doubts": defects}


def _write(
    found: Sequence[Experiment], at: Path, root: Path | None, facts: dict[str, Any]
) -> dict[str, Any]:
    """Write all files into an empty folder; return their counts and what is left to fill in."""
    last, paper = facts["last"], facts["paper"]
    _, environment = min(last["environments"].items())  # "", that of `rsjs run`, comes first
    version = environment["rsjs_version"]
    commit = write_source(last["commit"], version, root, at / "src")
    licence = (at / "src" / "LICENSE").read_text("utf-8")
    data = archive_data.write_instances(found, at / "data")
    cheapest = archive_data.write_best(found, data, at / "results")
    logs = [row for row in cheapest if is_simulated(row)]
    best = [row for row in cheapest if not is_simulated(row)]
    write_verifier(at / "results" / archive_data.VERIFIER)
    if best:
        verdicts = archive_data.verify(at, ["data", f"results/{archive_data.SOLUTIONS}"])
        write_bytes(verdicts.encode(), at / "results/verification.txt")
    for one in found:
        read = archive_data.read_from_files(one)
        given = [f"../data/{entry['file']}" for entry in data if entry["sha256"] in read]
        write_bytes(archived(one.text, given).encode(), at / "scripts" / f"{one.name}.toml")
    facts |= {
        "source": {"commit": commit, "version": version},
        "licence": licence.strip().splitlines()[0],
        "campaigns": {one.name: tomllib.loads(one.text) for one in found},
        "conditions": {
            one.name: conditions([{**row, "seed": None} for row in one.rows]) for one in found
        },
        "files": {
            one.name: archive_data.write_results(one, at / "results" / one.name) for one in found
        },
        "data": data,
        "best": best,
        "logs": logs,
    }
    texts = {name: rendered(template, facts) for name, template in PAGES.items()}
    left = [
        f"{placeholder}: {option}, or by hand in README.md and AUTHORS"
        for option, placeholder in PLACEHOLDERS.items()
        if placeholder in texts["README.md"]
    ]
    texts |= {"LICENSE": licence, "AUTHORS": "".join(f"{name}\n" for name in paper["authors"])}
    for name, text in texts.items():
        write_bytes(text.encode(), at / name)
    sums = write_sums(at)
    counts = {"instances": len(data), "solutions": len(best), "logs": len(logs)}
    return {"files": len(sums), **counts, "left": left}


def archived(text: str, files: Sequence[str]) -> str:
    """
    Return the text of a campaign with other instance files, relative to it.

    InputError if the text does not say `files = [...]` in so many words, and for files that the
    archive does not hold: workloads that are drawn again, and those that generators read.
    """
    expected = tomllib.loads(text)
    for key in ("instances", "workloads"):
        for i, entry in enumerate(expected.get(key, ())):
            if "files" not in entry:
                for name in {*FILE_OPTIONS} & {*entry.get("options", ())}:
                    if Path(entry["options"][name]).suffix:
                        at, instead = f"/{key}/{i}/options/{name}", "what it draws, as files"
                        raise InputError(at, entry["options"][name], instead)
            elif "redraw" in entry:
                instead = "the workloads drawn, as files: the archive holds no others"
                raise InputError(f"/{key}/{i}/redraw", entry["redraw"], instead)
            else:
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
