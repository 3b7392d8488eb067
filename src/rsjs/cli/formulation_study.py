"""`rsjs formulation-study`: what formulations cost to build, hand over and relax, by size."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rsjs import api
from rsjs.cli.compare import STORE, conclude, watching
from rsjs.cli.options import (
    Gap,
    Json,
    Seed,
    Threads,
    TimeLimit,
    errors_at,
    limits,
    option,
    options_named,
    split,
)
from rsjs.cli.output import writable
from rsjs.cli.progress import Screen, busy
from rsjs.core.errors import InputError, described
from rsjs.methods import Request, all_methods, parse
from rsjs.reporting.tables.formulation_study import BOUND_ONLY, RELAXATION

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance

ROWS, TABLE, PICTURE = "rows.csv", "table.md", "sizes.png"
_RSJS = tuple(f"rsjs_{name}@highs" for name in ("gpu", "nodes", "classes", "bound", "sifting"))
# Family -> arguments of `rsjs.generate`, and its formulations: the paper's first, then its
# reformulations. With a solver they are solved too, without only relaxed.
FAMILIES: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "jahani": ({"family": "jahani"}, ("jahani_literal@highs", "jahani_patterns@highs")),
    "kiros": ({"family": "kiros"}, ("first_ending_nodes@highs", "first_ending_patterns@highs")),
    "sts": ({"family": "sts"}, _RSJS),
    "sts-shared": ({"family": "sts", "sharing": "paper"}, _RSJS),
}


def formulation_study(
    output: Annotated[Path, option("DIR", "Folder for rows and tables.", "-o", "--output")],
    sizes: Annotated[str, option("SIZES", "N or NxJ with commas between them; J is 10 N.")] = (
        "2,5,10"
    ),
    families: Annotated[str, option("NAMES", "Of jahani, kiros, sts, sts-shared.")] = (
        ",".join(FAMILIES)
    ),
    methods: Annotated[
        str | None,
        option(
            "METHODS", "Instead of the families' own; name@solver is solved too, name only relaxed."
        ),
    ] = None,
    seed: Seed = 1,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    memory_limit: Annotated[float, option("MB", "Resident memory of a run.")] = 4096.0,
    as_json: Json = False,
) -> None:
    """
    Measure formulations side by side: size, relaxation, root gap, times and memory.

    \b
    Example:
      rsjs formulation-study --sizes 2,5,10 --families jahani,kiros -o study
      rsjs formulation-study --methods jahani_literal@scip,jahani_patterns@scip \\
          --families jahani --sizes 2x20,10x100 -o study

    Each measurement is a run of the campaign in DIR/store: a process of its own within the limits,
    verified. Run the same command again to resume; other sizes or methods may be added. DIR gets
    rows.csv, table.md and sizes.png. Exit code 1 if a relaxation lies above a cost that was
    reached.
    """
    from rsjs.comparison import compare_pairs
    from rsjs.reporting.tables.formulation_study import false_bounds, tables

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    wanted = sorted(sized(sizes))
    names = [name.strip() for name in families.split(",") if name.strip()]
    for name in names:
        if name not in FAMILIES:
            raise InputError("--families", name, f"one of {', '.join(FAMILIES)}")
    with errors_at("--methods"):
        plans = {
            name: measurements(",".join(FAMILIES[name][1]) if methods is None else methods)
            for name in names
        }
    if (output / ROWS).exists() and not (output / STORE).exists():
        raise InputError("--output", described("rows without a store"), "another folder", output)
    writable(output, folder=True)
    family_of: dict[str, str] = {}  # instance digest -> name
    pairs: list[tuple[Instance, list[Request]]] = []
    for name in names:
        for nodes, jobs in wanted:
            with busy("drawing jobs"):
                instance = api.generate(nodes=nodes, jobs=jobs, seed=seed, **FAMILIES[name][0])
            family_of[instance.digest] = name
            pairs.append((instance, plans[name]))
    with Screen() as screen, options_named():
        watch = watching(screen, output / STORE)
        found = compare_pairs(pairs, allowed, store=output / STORE, watch=watch)
    rows: list[Mapping[str, Any]] = [
        {"family": family_of[row["instance_sha256"]], **row} for row in found.rows
    ]
    files = write(rows, output)
    wrong = false_bounds(rows)
    conclude(
        found,
        rows,
        output,
        files,
        tables=tables(rows) if rows else [],
        remarks=[f"WRONG: {line}" for line in wrong],
        sound=not wrong,
        as_json=as_json,
    )


def sized(text: str) -> list[tuple[int, int]]:
    """
    Return nodes and jobs of each size.

    >>> sized("2,10x40")
    [(2, 20), (10, 40)]
    """
    sizes = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", part)
        if not found:
            raise InputError("--sizes", part, "nodes, or nodes x jobs, e.g. 10 or 10x100")
        nodes = int(found[1])
        sizes.append((nodes, int(found[2]) if found[2] else 10 * nodes))
    if not sizes:
        raise InputError("--sizes", text, "sizes, e.g. 2,5,10")
    return sizes


def measurements(methods: str) -> list[Request]:
    """
    Return what is run on an instance: each formulation relaxed, and solved where a solver is named.

    >>> [one.spelling for one in measurements("jahani_patterns@highs,rsjs_nodes")]
    ['jahani_patterns@relaxation', 'jahani_patterns@highs', 'rsjs_nodes@relaxation']
    """
    found: dict[str, Request] = {}
    for part in split(methods, all_methods()):
        request = parse(part)
        if RELAXATION in request.method.solvers:
            relaxed = replace(request, solver=RELAXATION)
            found[relaxed.spelling] = relaxed
        if "@" in part or request.method.name in BOUND_ONLY:
            found[request.spelling] = request
    if not found:
        raise InputError("--methods", methods, "methods, e.g. jahani_patterns@highs")
    return list(found.values())


def write(rows: Sequence[Mapping[str, Any]], folder: Path) -> list[Path]:
    """Write rows, table and picture; nothing without rows."""
    from rsjs.instances.io.files import write_bytes
    from rsjs.reporting.figures import draw
    from rsjs.reporting.figures.formulation_study import formulation_sizes
    from rsjs.reporting.tables.formulation_study import markdown, records
    from rsjs.rows.csv import csv_text

    if not rows:
        return []
    with busy("writing table and picture"):
        write_bytes(csv_text(rows).encode(), folder / ROWS)
        write_bytes(markdown(rows).encode(), folder / TABLE)
        if not any(record.relaxed for record in records(rows)):
            return [folder / ROWS, folder / TABLE]
        picture = draw.write(formulation_sizes(rows), folder / PICTURE)
        return [folder / ROWS, folder / TABLE, picture]
