"""
The data of the suite as a package of their own, to be archived and cited beside the code.

    README.md, LICENSE, croissant.json, .zenodo.json, SHA256SUMS, rsjs_verify.py
    instances.csv, instances/<set>/     the library; a member of two sets is one file
    best_known.csv, best_known/         values, and their histories with solutions
    models.csv, models/                 recipes of the solver track, on request the files
    runs.parquet, other/                stored runs in one table; tables of other things as they are

The same sources give the same bytes: dates are those of the newest run or value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.bks import storage
from rsjs.bks.entries import BestKnown
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.instances.library.download import WRITERS, file_name
from rsjs.instances.library.sets import LibrarySet
from rsjs.reporting.archive.archive_data import VERIFIER
from rsjs.reporting.archive.croissant import TableFile, croissant, zenodo
from rsjs.reporting.archive.ijoc import write_verifier
from rsjs.reporting.archive.source_tree import licence, rendered
from rsjs.reporting.archive.whole import date_all, new_folder, write_sums
from rsjs.rows.columns import COLUMNS
from rsjs.rows.csv import csv_text, parquet, read_table

Rows = list[dict[str, Any]]
NAME = "RSJS-Bench data"
DESCRIPTION = (
    "Instances, workloads and models for scheduling deep-learning training jobs on GPU clusters,"
    " their best-known costs and proved lower bounds with solutions, and the runs of exact methods,"
    " heuristics and policies on them."
)
DATA_LICENCE = """\
The data in this folder are licensed under the Creative Commons Attribution 4.0 International
License (CC-BY-4.0), https://creativecommons.org/licenses/by/4.0/
"""
RUNS = {"method", "objective"}  # a stored table with these columns has runs
LINK = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")  # out of the folder of results
MEANINGS = {
    "set": "set of the library",
    "file": "file below the folder of the package",
    "sha256": "sha256 of the canonical form of the instance, which identifies it",
    "kind": "instances, workloads or MIG jobs",
    "generator": "what draws it",
    "parameters": "arguments of the generator, JSON",
    "arguments": "arguments of the generator, JSON",
    "instance": "name of the instance",
    "instance_sha256": "sha256 of the canonical form of the instance",
    "text_sha256": "sha256 of the text of the MPS file",
    "status": "closed: the bound is within 1e-6 of the cost, postponement left out; open",
    "cost": "least cost known, $",
    "bound": "greatest lower bound proved, $",
    "relative_gap": "(cost - bound) / |cost|",
    "objective": "least cost known, $",
    "confirmed": "another method or solver proves the bound, too",
    "solvers": "solvers that prove the bound",
    "table": "folder and file of the stored rows",
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What goes into a package."""

    sets: Sequence[LibrarySet]
    recipes: Sequence[Mapping[str, Any]]  # models of the solver track
    write_models: Callable[[Path], Iterable[Path]] | None = None  # their files, into a folder
    url: str | None = None  # where the package or the suite is found
    date: str | None = None  # of publication, ISO 8601; None: of the newest run or value


def export(
    results: Path, folder: Path, options: Options, tell: Callable[[str], None]
) -> dict[str, Any]:
    """
    Write the package, whole or not at all.

    Parameters
    ----------
    results : path
        Folder with stored rows and `best_known`, as in the source tree.
    tell : function
        Is told what is being written.

    Returns
    -------
    dict
        folder; how many files, bytes, instances, best-known values, models and runs; the date.

    Raises
    ------
    InputError
        For a folder that is not empty, for results that are not there or cannot be read, and for a
        package that is not installed.
    """
    for package, extra in (("jinja2", "report"), ("pyarrow", "parquet")):
        if find_spec(package) is None:
            expected = f"the extra `{extra}`: pip install 'rsjs-bench[{extra}]'"
            raise InputError("", described(f"no {package}"), expected)
    with new_folder(folder) as at:
        tell("best-known values")
        known = storage.read(results / storage.HERE.name)
        members = _write_instances(options.sets, at, tell)
        wanted = {row["sha256"] for row in members}
        entries = [entry for sha256, entry in known.items() if sha256 in wanted]
        storage.write(at / "best_known", entries)
        tell("runs")
        runs = _write_runs(results, at)
        recipes = _write_models(options, at, tell)
        newest = options.date or _newest(known.values(), runs)
        tables = [
            _table("instances", at, members, "A member of a set of the library; see its file."),
            _table("best_known", at, [_head(one) for one in entries], "Values of an instance."),
            _table("models", at, recipes, "A model of the solver track, and its recipe."),
            _table("runs", at, runs, "A stored run of a method on an instance."),
        ]
        counts = {
            "instances": len(wanted),
            "best_known": len(entries),
            "models": len(recipes),
            "runs": len(runs),
        }
        _write_cards(tables, options, newest, counts, at)
        sums = write_sums(at)
        size = sum((at / name).stat().st_size for name in sums)
        date_all(at, f"{newest}T00:00:00+00:00")
    return {"folder": folder, "files": len(sums), "bytes": size, **counts, "date": newest}


def _write_instances(sets: Sequence[LibrarySet], at: Path, tell: Callable[[str], None]) -> Rows:
    """Draw each member once, compared with its digest; return a row for each member of a set."""
    rows: Rows = []
    file_of: dict[str, str] = {}
    for chosen in sets:
        for member in chosen.members:
            if member.sha256 not in file_of:
                tell(member.name)
                file_of[member.sha256] = f"instances/{chosen.name}/{file_name(member)}"
                WRITERS[member.kind](member.draw(), at / file_of[member.sha256])
            rows.append(
                {
                    "set": chosen.name,
                    "name": member.name,
                    "file": file_of[member.sha256],
                    "sha256": member.sha256,
                    "kind": member.kind,
                    "nodes": member.nodes,
                    "jobs": member.jobs,
                    "generator": member.generator,
                    "parameters": json.dumps(dict(member.arguments)),
                }
            )
    return rows


def _head(entry: BestKnown) -> dict[str, Any]:
    heads = entry.heads()
    return {
        "instance": entry.instance,
        "sha256": entry.sha256,
        "nodes": entry.nodes,
        "jobs": entry.jobs,
        "status": heads["status"],
        "cost": heads["upper_bound"],
        "bound": heads["lower_bound"],
        "relative_gap": heads["gap"],
        "confirmed": entry.confirmed,
        "solvers": " ".join(sorted(entry.solvers)),
    }


def _write_runs(results: Path, at: Path) -> Rows:
    """Copy the tables of other things; return the rows of runs, from one file after the other."""
    runs: Rows = []
    for path in sorted(results.glob("*/*.csv")):
        rows = read_table(path)
        if rows and rows[0].keys() >= RUNS:
            table = f"{path.parent.name}/{path.stem}"
            runs += [{"table": table, **row} for row in rows]
        else:
            write_bytes(path.read_bytes(), at / "other" / f"{path.parent.name}-{path.name}")
    if not runs:
        raise InputError("", described("no rows of runs"), "*/rows.csv, as in the sources", results)
    readme = results / "README.md"
    if readme.exists():  # how each table was measured
        text = LINK.sub(r"\1", readme.read_text("utf-8"))
        write_bytes(text.encode(), at / "other" / "README.md")
    keys = dict.fromkeys(key for row in runs for key in row)
    for key in keys:
        if key not in COLUMNS and len(kinds := _kinds(runs, key)) > 1 and str in kinds:
            for row in runs:  # one type for each column
                row[key] = None if row.get(key) is None else str(row[key])
    return runs


def _kinds(rows: Rows, key: str) -> set[type]:
    return {type(row[key]) for row in rows if row.get(key) is not None}


def _write_models(options: Options, at: Path, tell: Callable[[str], None]) -> Rows:
    """Write the files of the models if they are asked for; return the recipes of all."""
    files: list[Path | None] = [None] * len(options.recipes)
    if options.write_models is not None:
        for i, path in enumerate(options.write_models(at / "models")):
            tell(path.name)
            files[i] = path.relative_to(at)
    return [
        {"name": recipe["name"], "file": file and file.as_posix(), **recipe}
        for recipe, file in zip(options.recipes, files, strict=True)
    ]


def _newest(known: Iterable[BestKnown], runs: Rows) -> str:
    """Return the day of the newest value or run."""
    dates = [step.date for entry in known for step in (*entry.ub_data, *entry.lb_data)]
    dates += [row["begun"] for row in runs if row.get("begun")]
    return max(dates)[:10]


def _table(name: str, at: Path, rows: Rows, text: str) -> TableFile:
    """Write a table, runs as Parquet and others as CSV."""
    file = f"{name}.parquet" if name == "runs" else f"{name}.csv"
    write_bytes(parquet(rows) if name == "runs" else csv_text(rows).encode(), at / file)
    columns = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        kinds = _kinds(rows, key)
        declared = {COLUMNS[key].type} if name == "runs" and key in COLUMNS else kinds
        columns[key] = next((kind for kind in (str, float, int, bool) if kind in declared), str)
    own = {key: column.meaning for key, column in COLUMNS.items()} if name == "runs" else {}
    if name == "models":
        own = dict.fromkeys(("objective", "bound"), "$, of MIG models GPUs or minutes")
    return TableFile(file=file, name=name, text=text, columns=columns, meanings={**MEANINGS, **own})


def _write_cards(
    tables: Sequence[TableFile],
    options: Options,
    newest: str,
    counts: Mapping[str, int],
    at: Path,
) -> None:
    """Write README, licence, the cards and the verifier."""
    about = {
        "name": NAME,
        "description": DESCRIPTION,
        "version": version("rsjs-bench"),
        "date": newest,
        **({"url": options.url} if options.url else {}),
    }
    with_files = options.write_models is not None
    others = {
        "instances/*/*.json.gz": "An instance, a workload or a set of MIG jobs, JSON.",
        "best_known/*.jsonl": "Values of an instance: histories, solution, maybe certificate.",
        **(
            {"models/*.mps.gz": "A model of the solver track, MPS."} if options.write_models else {}
        ),
        "other/*.csv": "A stored table that has no runs.",
    }
    sums = {table.file: sha256((at / table.file).read_bytes()).hexdigest() for table in tables}
    facts = {
        "about": about,
        "counts": counts,
        "sets": options.sets,
        "model_files": with_files,
    }
    write_verifier(at / VERIFIER)
    texts = {
        "README.md": rendered("dataset.md", facts),
        "LICENSE": f"{DATA_LICENCE}\n{VERIFIER}:\n\n{licence()}",
        "croissant.json": _json(croissant(about, tables, others, sums)),
        ".zenodo.json": _json(zenodo(about)),
    }
    for name, text in texts.items():
        write_bytes(text.encode(), at / name)


def _json(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
