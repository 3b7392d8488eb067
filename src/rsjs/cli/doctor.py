"""`rsjs doctor`: versions, solvers, the machine, and which limits are enforced on it."""

from __future__ import annotations

from typing import Any

import typer

from rsjs.cli.options import Json


def doctor(as_json: Json = False) -> None:
    """
    Report versions, solvers, the machine, and which limits hold on it.

    \b
    Example:
      rsjs doctor --json

    Paste the output into a report of a problem. Exit code 1 if a solver that is installed
    cannot be imported.
    """
    from rsjs.cli.console import print_json
    from rsjs.cli.machine import enforcement, machine
    from rsjs.cli.progress import busy
    from rsjs.cli.software import compiled_kernels, extras, import_solvers, packages, solvers

    with busy("importing solvers"):
        failure = import_solvers()
    document = {
        "versions": packages(),
        "extras": extras(),
        "solvers": solvers(),
        "solver_imports": failure or "ok",
        "compiled_kernels": compiled_kernels(),
        "machine": machine(),
        "limits": [vars(limit) for limit in enforcement()],
    }
    print_json(document) if as_json else _print(document)
    raise typer.Exit(1 if failure else 0)


def _print(document: dict[str, Any]) -> None:
    from rsjs.cli.console import print_facts

    solvers = {solver["name"]: solver["summary"] for solver in document["solvers"]}
    limits = {
        limit["name"]: f"{'enforced' if limit['enforced'] else 'NOT ENFORCED'}: {limit['how']}"
        for limit in document["limits"]
    }
    sections = {
        "Versions": document["versions"],
        "Optional": {**document["extras"], "compiled kernels": document["compiled_kernels"]},
        "Solvers": {**solvers, "imported together": document["solver_imports"]},
        "Machine": document["machine"],
        "Limits of a run": limits,
    }
    for title, entries in sections.items():
        print(title)
        print_facts(
            (f"  {name.replace('_', ' ')}", _text(entry)) for name, entry in entries.items()
        )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.2f}"
    return "not known" if value is None else str(value)
