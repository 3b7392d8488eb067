"""
`rsjs list`: methods, policies, solvers, catalogues, sets of instances and schemas.

Catalogues of node types and JSON Schemas as data, and as text.

The sets of the instance library as data, and as text.

Methods and solvers as data, and as text.

`python -m rsjs.cli.listing NAME` prints one method as JSON: a list is made of those of other
packages without their code in the process that lists, whatever their import may do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any

import typer

from rsjs.best_known.coverage import optima
from rsjs.best_known.storage import read, shipped
from rsjs.cli.options import Json
from rsjs.cli.output import console, plain_table, print_facts, print_json
from rsjs.cli.software import notes_on
from rsjs.core.errors import InputError
from rsjs.core.method import ENERGY, EXPECTATION, OPEN_NODES, TARDINESS_AT, Method
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.instances.instance import FAMILIES
from rsjs.instances.library.sets import LICENCE, LibrarySet, library_set, names
from rsjs.methods import BUILT_IN, SPELLING, all_methods
from rsjs.reporting.tables.families import MIG
from rsjs.reporting.tables.formats import MISSING
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.simulation.policies.registry import POLICIES


class What(StrEnum):
    """What there is to list."""

    METHODS = "methods"
    POLICIES = "policies"
    SOLVERS = "solvers"
    CATALOGUES = "catalogues"
    SETS = "sets"
    SCHEMAS = "schemas"


def list_(
    what: Annotated[What, typer.Argument(metavar="WHAT", help=f"One of {', '.join(What)}.")],
    as_json: Json = False,
) -> None:
    """
    List methods, policies, solvers, catalogues of node types, sets of instances, or file formats.

    \b
    Example:
      rsjs list methods
      rsjs list catalogues --json

    Methods come with the objectives they serve, their solvers, rules and options, and with the
    command that installs a missing solver. Policies are what decides in `rsjs simulate`.
    """

    kinds: dict[What, tuple[Callable[[], Any], Callable[[Any], None]]] = {
        What.METHODS: (methods, print_methods),
        What.POLICIES: (policies, print_policies),
        What.SOLVERS: (solvers, print_solvers),
        What.CATALOGUES: (catalogues, print_catalogues),
        What.SETS: (sets, print_sets),
        What.SCHEMAS: (schemas, print_schemas),
    }
    collect, show = kinds[what]
    found = collect()
    print_json(found) if as_json else show(found)


SCHEMAS = (  # package, folder
    ("rsjs.instances", "data"),
    ("rsjs.instances.mig", "data"),
    ("rsjs.instances.profiles", "data"),
    ("rsjs.campaigns", "schemas"),
)


def catalogues() -> dict[str, list[dict[str, Any]]]:
    """Catalogue -> its node types: GPUs, price, where the price is from."""
    return {
        name: [
            {
                "node_type": priced["vm_type"],
                "gpu_type": priced["gpu"],
                "gpus": int(priced["gpus"]),
                "cost_per_hour": float(priced["cost_per_hour"]),
                "currency": priced["currency"],
                "source": priced["source"],
                "status": priced["status"],
            }
            for priced in (price(name, member) for member in members)
        ]
        for name, members in MEMBERS.items()
    }


def print_catalogues(found: dict[str, list[dict[str, Any]]]) -> None:
    """One table: a row per node type, a column of prices per catalogue."""
    table = plain_table("Node types and their prices [$/h]")
    for heading in ("node type", "GPUs", *found):
        table.add_column(heading, justify="left" if heading == "node type" else "right")
    entries = [entry for node_types in found.values() for entry in node_types]
    kinds = dict.fromkeys((e["node_type"], e["gpus"], e["gpu_type"]) for e in entries)
    for name, gpus, gpu_type in kinds:
        costs = (
            next((f"{e['cost_per_hour']:g}" for e in members if e["node_type"] == name), MISSING)
            for members in found.values()
        )
        table.add_row(name, f"{gpus} x {gpu_type}", *costs)
    console().print(table)
    print()
    for name, members in found.items():
        for e in members:
            if not e["status"].startswith("printed"):
                what = f"{name}, {e['node_type']}: {e['cost_per_hour']:g} {e['currency']}/h"
                print(f"{what} is {e['status']} ({e['source']})")


def schemas() -> list[dict[str, Any]]:
    """The file formats with their JSON Schemas."""
    folders = (files(package) / folder for package, folder in SCHEMAS)
    return [
        _schema(file)
        for folder in folders
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".schema.json")
    ]


def _schema(file: Traversable) -> dict[str, Any]:
    schema = json.loads(file.read_text("utf-8"))
    told = schema.get("properties", {}).get("format", {})
    name = file.name.removesuffix(".schema.json")
    return {
        "format": told.get("const", told.get("enum", [name])[0]),
        "file": str(file),
        "title": schema["title"],
        "schema": schema,
    }


def print_schemas(found: list[dict[str, Any]]) -> None:
    """Format, meaning and file; `--json` has the schemas themselves."""
    for entry in found:
        print(f"{entry['format']}: {entry['title']}")
        print(f"  {entry['file']}")


def sets() -> list[dict[str, Any]]:
    """Every set: how many members of which sizes, and where they are from."""
    closed = optima(read(shipped()).values())
    return [_described(library_set(name), closed) for name in names()]


def print_sets(found: list[dict[str, Any]]) -> None:
    """A line per set, never broken: for eyes and for grep."""
    rows = [("set", "members", "nodes x jobs", "tier", "summary")]
    for entry in found:
        sizes = " to ".join(dict.fromkeys(entry["sizes"]))
        rows.append((entry["set"], str(entry["members"]), sizes, entry["tier"], entry["summary"]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *cells, summary in rows:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(*padded, summary, sep="  ")
    print(f"\nLicence of the data: {LICENCE}. rsjs fetch-set NAME -o DIR writes a set.")


def _described(chosen: LibrarySet, optima: Mapping[str, float]) -> dict[str, Any]:
    return {
        "set": chosen.name,
        "kind": "MIG jobs" if chosen.of_mig_jobs else "instances",
        "members": len(chosen.members),
        "sizes": chosen.sizes,
        "tier": chosen.tier,
        "optima_known": sum(
            member.optimum is not None or member.sha256 in optima for member in chosen.members
        ),
        "summary": chosen.summary,
        "source": chosen.source,
        "licence": LICENCE,
    }


KINDS = {
    "energy": ENERGY,
    "tardiness_at": TARDINESS_AT,
    "open_nodes": OPEN_NODES,
    "expectation": EXPECTATION,
}
LIMITS = {  # what a method that lacks the flag says
    "sharing": "no shared GPUs",
    "idle_cost": "mu = 0",
    "right_sizing": "nodes of one type",
}
PATIENCE = 60.0  # seconds for a package to be imported


def methods() -> list[dict[str, Any]]:
    """
    List every method with what it serves and whether it can run here; those of `mig` come last.

    A method of another package has `package`; one that cannot be used has only its name, its
    package, and the reason in `broken`.
    """
    return [
        *map(_method, BUILT_IN.values()),
        *_of_packages(),
        *(
            {**_method(method), "families": [MIG], "max_steps": method.max_steps}
            for method in METHODS.values()
        ),
    ]


def _of_packages() -> Iterator[dict[str, Any]]:
    known = all_methods()
    for name, offer in known.offers.items():
        yield {**_asked(name), "package": offer.package}
    for name, offer in known.refused.items():
        told = f"refused: {name} is a name of the suite"
        yield {**_broken(name, told), "package": offer.package}


def _asked(name: str) -> dict[str, Any]:
    """Describe a method of another package, imported in a process of its own."""
    command = [sys.executable, "-m", "rsjs.cli.listing", name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # imports may print, too
        return found
    except subprocess.TimeoutExpired:
        return _broken(name, f"its import did not end within {PATIENCE:g} s")
    except (LookupError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or ["nothing on standard error"]
        return _broken(name, f"its import ended the process with code {done.returncode}: {last[0]}")


def _broken(name: str, reason: str) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(_method(next(iter(BUILT_IN.values()))))
    lists: dict[str, Any] = {key: [] for key in ("families", "solvers", "rules")}
    return {**nothing, **lists, "name": name, "available": False, "broken": reason}


def _method(method: Method) -> dict[str, Any]:
    wanted = [*method.solvers, *([method.needs] if method.needs else [])]
    missing = {
        name: BACKENDS[name].install_command for name in wanted if not BACKENDS[name].available()
    }
    served = {kind: sorted(getattr(method, kind)) for kind in KINDS}
    return {
        "name": method.name,
        "kind": method.kind,
        "summary": method.summary,
        "solvers": list(method.solvers),
        "needs": method.needs,
        "rules": list(method.rules),
        "rule_help": dict(method.rule_help),
        "options": {name: vars(option) for name, option in method.options.items()},
        "objectives": served,
        "sharing": method.sharing,
        "idle_cost": method.idle_cost,
        "right_sizing": method.right_sizing,
        "families": [
            family
            for family, objective in FAMILIES.items()
            if all(getattr(objective, kind) in served[kind] for kind in KINDS)
        ],
        "warm_start": method.warm_start,
        "max_jobs": method.max_jobs,
        "max_nodes": method.max_nodes,
        "available": not wanted or len(missing) < len(wanted),
        "missing_solvers": missing,
        "decides": method.decides,
        "package": None,
        "broken": None,
    }


def print_methods(found: list[dict[str, Any]]) -> None:
    """A matrix of methods and objectives, then the details of each method, family by family."""
    broken = [method for method in found if method["broken"]]
    whole = [method for method in found if not method["broken"]]
    found = [method for method in whole if method["families"] != [MIG]]
    table = plain_table("Who serves the objective of which family")
    for name in ("method", "kind", *FAMILIES):
        table.add_column(name, justify="center" if name in FAMILIES else "left", no_wrap=True)
    for method in found:
        marks = ("yes" if family in method["families"] else "-" for family in FAMILIES)
        table.add_row(method["name"], method["kind"], *marks)
    console().print(table)
    _print_details(found)
    print("\nJobs on MIG instances: `rsjs mig schedule`, [[mig_scheduling]] of campaigns")
    _print_details([method for method in whole if method["families"] == [MIG]])
    for method in broken:
        print(f"\n{method['name']} of {method['package']} is broken: {method['broken']}")
    print(f"\nSpelling: {SPELLING}; the first solver and the first rule are the default.")
    print("A method as a value stands in parentheses if it has options: ?key=(name?key=value),...")
    print(
        "Of several between |, the first that serves the instance runs: ?key=name|(name?key=value)"
    )


def _print_details(found: list[dict[str, Any]]) -> None:
    for method in found:
        print()
        print(f"{method['name']}: {method['summary']}")
        print_facts([(f"  {name}", text) for name, text in _details(method)])


def policies() -> list[dict[str, Any]]:
    """Every policy of `rsjs simulate`: those that are no methods, then methods that decide."""

    return [
        *({**_method(policy), "is_method": False} for policy in POLICIES.values()),
        *({**found, "is_method": True} for found in _general() if found["decides"]),
    ]


def _general() -> list[dict[str, Any]]:
    """List the methods that are not for jobs on MIG instances."""
    return [method for method in methods() if method["families"] != [MIG]]


def print_policies(found: list[dict[str, Any]]) -> None:
    """A line each; `rsjs list methods` has the details of methods."""
    width = max(len(policy["name"]) for policy in found)
    for policy in found:
        kind = "method" if policy["is_method"] else "policy"
        print(policy["name"].ljust(width), kind, policy["summary"], sep="  ")


def _details(method: dict[str, Any]) -> list[tuple[str, str]]:
    served = [
        f"{kind} {'any' if set(names) == KINDS[kind] else ' | '.join(names)}"
        for kind, names in method["objectives"].items()
    ]
    if method["families"] == [MIG]:
        served = ["every reading and objective"]
    limits = [text for flag, text in LIMITS.items() if not method[flag]]
    for what in ("jobs", "nodes", "steps"):
        most = method.get(f"max_{what}")
        limits += [f"at most {most} {what}"] if most else []
    rows = [("package", method["package"])] if method["package"] else []
    rows.append(("serves", "; ".join([*served, *limits])))
    if method["needs"]:
        rows.append(("needs", method["needs"]))
    if method["solvers"]:
        rows.append(("solvers", ", ".join(method["solvers"])))
    if method["rules"]:
        rows.append(("rules", ", ".join(method["rules"])))
    rows += [("rule", f"{name}: {text}") for name, text in method["rule_help"].items()]
    for name, option in method["options"].items():
        choices = f" ({' | '.join(option['choices'])})" if option["choices"] else ""
        rows.append(("option", f"{name}={option['default']}{choices}: {option['help']}"))
    if method["warm_start"]:
        rows.append(("start", "can begin from a solution (--warm-start)"))
    for solver, command in method["missing_solvers"].items():
        rows.append(("missing", f"{solver} is not installed: {command}"))
    return rows


def solvers() -> list[dict[str, Any]]:
    """Every solver backend and whether it is installed."""
    found = _general()
    return [
        {
            "name": backend.name,
            "package": backend.distribution,
            "wanted": backend.versions,
            "version": backend.version(),
            "available": backend.available(),
            "install_command": backend.install_command,
            "features": sorted(backend.features),
            "notes": notes_on(backend),
            "methods": [m["name"] for m in found if backend.name in m["solvers"]],
        }
        for backend in BACKENDS.values()
    ]


def print_solvers(found: list[dict[str, Any]]) -> None:
    """One block per solver."""
    for solver in found:
        version = solver["version"] or "installed, version unknown"
        here = version if solver["available"] else f"not installed: {solver['install_command']}"
        print(f"{solver['name']}: {here}")
        rows = [
            ("  package", f"{solver['package']}{solver['wanted']}"),
            ("  features", ", ".join(solver["features"])),
            *(("  note", note) for note in solver["notes"]),
            ("  methods", ", ".join(solver["methods"])),
        ]
        print_facts(rows)


if __name__ == "__main__":
    try:
        told = _method(all_methods()[sys.argv[1]])
    except InputError as error:
        told = _broken(sys.argv[1], str(error))
    print(json.dumps(told, default=str))
