"""`rsjs export-model`: the linear model of a method as a file for any solver."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from rsjs import api
from rsjs.cli.options import InstanceFile, Json
from rsjs.cli.output import print_facts, print_json
from rsjs.cli.paths import writable
from rsjs.cli.progress import busy
from rsjs.formulations.milp import export
from rsjs.methods import parse


def export_model(
    file: InstanceFile,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="MODEL", help="File to write: .mps, .lp, each also .gz."
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="METHOD", help="name[?key=value,...]; a solver is of no account."
        ),
    ] = "jahani_patterns",
    as_json: Json = False,
) -> None:
    """
    Write the linear model of a method for solvers that have no interface here.

    \b
    Example:
      rsjs export-model instance.json --method jahani_patterns -o model.mps.gz
      rsjs export-model instance.json --method jahani_literal -o model.lp

    The same instance and method give the same bytes. The model is named METHOD.INSTANCE; columns
    and rows have names such as x_j3_v1_g2; a constant in the objective is the cost of a column
    fixed at 1.
    """

    request = parse(method)
    export.refuse(request.method.name, output)
    writable(output)
    with busy("building the model"):
        instance = api.load(file)
        written = api.export_model(instance, output, request.spelling)
    if as_json:
        head = {"instance": instance.name, "instance_sha256": instance.digest}
        model = replace(request, solver=None).spelling
        print_json({**head, "method": model, **asdict(written)})
        return
    counts = (f"{count} {name}" for name, count in written.counts.items())
    print_facts(
        [
            ("model", f"{request.method.name} of {instance.name}"),
            ("size", ", ".join(counts)),
            ("file", f"{written.path}, {written.size} bytes"),
            ("sha256", written.sha256),
        ]
    )
