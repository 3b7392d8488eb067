"""
`rsjs list`: methods, policies, solvers, catalogues, sets of instances, file formats.

`python -m rsjs.cli.list NAME` prints one method as JSON: methods of other packages are described
in processes of their own, so that their code does not run in the process that lists, whatever
their import may do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from enum import StrEnum
from importlib.resources import files
from typing import Annotated, Any

from rsjs import library
from rsjs.bks.storage import optima
from rsjs.cli.options import Json, argument
from rsjs.cli.output import print_columns, print_facts, print_json, print_table
from rsjs.core.errors import InputError
from rsjs.core.method import OBJECTIVES, Method
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.instances.instance import FAMILIES
from rsjs.instances.library.sets import LICENCE
from rsjs.methods import BUILT_IN, SPECIFICATION, all_methods
from rsjs.reporting.tables.formats import MISSING
from rsjs.rows.select import MIG
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.simulation.policies.registry import POLICIES

What = StrEnum("What", "METHODS POLICIES SOLVERS CATALOGUES SETS SCHEMAS")


def list_(
    what: Annotated[What, argument("WHAT", f"One of {', '.join(What)}.")], as_json: Json = False
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
        What.METHODS: (methods, _print_methods),
        What.POLICIES: (policies, _print_policies),
        What.SOLVERS: (solvers, _print_solvers),
        What.CATALOGUES: (catalogues, _print_catalogues),
        What.SETS: (sets, _print_sets),
        What.SCHEMAS: (schemas, _print_schemas),
    }
    collect, show = kinds[what]
    entries = collect()
    print_json(entries) if as_json else show(entries)


SCHEMAS = (  # package, folder
    ("rsjs.instances", "data"),
    ("rsjs.instances.mig", "data"),
    ("rsjs.instances.profiles", "data"),
    ("rsjs.campaigns", "schemas"),
)


def catalogues() -> dict[str, list[dict[str, Any]]]:
    """Return catalogue -> its node types: GPUs, price, where the price is from."""
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


def _print_catalogues(catalogues: dict[str, list[dict[str, Any]]]) -> None:
    """Print a row per node type with a column of prices per catalogue."""
    listed = [(name, entry) for name, members in catalogues.items() for entry in members]
    kinds = dict.fromkeys((e["node_type"], e["gpus"], e["gpu_type"]) for _, e in listed)
    prices = {(name, e["node_type"]): f"{e['cost_per_hour']:g}" for name, e in listed}
    rows = [
        [kind, f"{gpus} x {gpu_type}", *(prices.get((name, kind), MISSING) for name in catalogues)]
        for kind, gpus, gpu_type in kinds
    ]
    headings = ["type", ">GPUs", *(f">{name}" for name in catalogues)]
    print_table("Node types and their prices [$/h]", headings, rows)
    print()
    for name, e in listed:
        if not e["status"].startswith("printed"):  # a word of the catalogue's file
            what = f"{name}, {e['node_type']}: {e['cost_per_hour']:g} {e['currency']}/h"
            print(f"{what} is {e['status']} ({e['source']})")


def schemas() -> list[dict[str, Any]]:
    """Return the file formats with their JSON Schemas."""
    found = []
    for package, folder in SCHEMAS:
        for file in sorted((files(package) / folder).iterdir(), key=lambda file: file.name):
            if file.name.endswith(".schema.json"):
                schema = json.loads(file.read_text("utf-8"))
                declared = schema.get("properties", {}).get("format", {})
                name = file.name.removesuffix(".schema.json")
                kind = declared.get("const", declared.get("enum", [name])[0])
                title = schema["title"]
                found.append({"format": kind, "file": str(file), "title": title, "schema": schema})
    return found


def _print_schemas(schemas: list[dict[str, Any]]) -> None:
    """Print format, meaning and file; `--json` has the schemas themselves."""
    for entry in schemas:
        print(f"{entry['format']}: {entry['title']}\n  {entry['file']}")


def sets() -> list[dict[str, Any]]:
    """Return every set: how many members of which sizes, and where they are from."""
    closed = optima()
    return [
        {
            "set": known.name,
            "kind": "MIG jobs" if known.of_mig_jobs else "instances",
            "members": len(known.members),
            "sizes": known.sizes,
            "tier": known.tier,
            "optima_known": sum(
                member.optimum is not None or member.sha256 in closed for member in known.members
            ),
            "summary": known.summary,
            "source": known.source,
            "licence": LICENCE,
        }
        for known in library.sets()
    ]


def _print_sets(sets: list[dict[str, Any]]) -> None:
    """Print a line per set."""
    rows = [("set", "members", "nodes x jobs", "tier", "summary")]
    for entry in sets:
        sizes = " to ".join(dict.fromkeys(entry["sizes"]))
        rows.append((entry["set"], str(entry["members"]), sizes, entry["tier"], entry["summary"]))
    print_columns(rows, words=5)
    print(f"\nLicence of the data: {LICENCE}. rsjs fetch-set NAME -o DIR writes a set.")


LIMITS = {  # what a method that lacks the flag says
    "sharing": "no shared GPUs",
    "idle_cost": "mu = 0",
    "right_sizing": "nodes of one type",
}
DECLARED = (  # attributes of a method that are listed as they are
    *("name", "kind", "summary", "solvers", "needs", "rules", "sharing", "idle_cost"),
    *("right_sizing", "warm_start", "max_jobs", "max_nodes", "decides"),
)
PATIENCE = 60.0  # seconds for a package to be imported


def methods() -> list[dict[str, Any]]:
    """
    List every method with what it serves and whether it can run here; those of `mig` come last.

    A method of another package has `package`; one that cannot be used has only its name, its
    package, and the reason in `broken`.
    """
    known = all_methods()
    of_packages = [
        {**_asked(name), "package": offer.package} for name, offer in known.offers.items()
    ]
    for name, offer in known.refused.items():
        broken = _broken(name, f"refused: {name} is a name of the suite")
        of_packages.append({**broken, "package": offer.package})
    return [
        *map(_method, BUILT_IN.values()),
        *of_packages,
        *(
            {**_method(method), "families": [MIG], "max_steps": method.max_steps}
            for method in METHODS.values()
        ),
    ]


def python(*arguments: str, patience: float) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own, for so many seconds at most."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=patience, check=False)


def _asked(name: str) -> dict[str, Any]:
    """Describe a method of another package, imported in a process of its own."""
    try:
        done = python("-m", "rsjs.cli.list", name, patience=PATIENCE)
        description: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # imports may print
        return description
    except subprocess.TimeoutExpired:
        return _broken(name, f"its import did not end within {PATIENCE:g} s")
    except (LookupError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or ["nothing on standard error"]
        return _broken(name, f"its import ended the process with code {done.returncode}: {last[0]}")


def _broken(name: str, reason: str) -> dict[str, Any]:
    nothing = dict.fromkeys(_method(next(iter(BUILT_IN.values()))))
    return {
        **nothing,
        "families": [],
        "solvers": [],
        "rules": [],
        "name": name,
        "available": False,
        "broken": reason,
    }


def _method(method: Method) -> dict[str, Any]:
    wanted = [*method.solvers, *([method.needs] if method.needs else [])]
    missing = {
        name: BACKENDS[name].install_command for name in wanted if not BACKENDS[name].available()
    }
    served = {kind: sorted(getattr(method, kind)) for kind in OBJECTIVES}
    return {
        **{name: getattr(method, name) for name in DECLARED},
        "rule_help": dict(method.rule_help),
        "options": {name: vars(option) for name, option in method.options.items()},
        "objectives": served,
        "families": [
            family
            for family, objective in FAMILIES.items()
            if all(getattr(objective, kind) in served[kind] for kind in OBJECTIVES)
        ],
        "available": not wanted or len(missing) < len(wanted),
        "missing_solvers": missing,
        "package": None,
        "broken": None,
    }


def _print_methods(methods: list[dict[str, Any]]) -> None:
    """Print a matrix of methods and families, then the details of each method."""
    usable = [method for method in methods if not method["broken"]]
    general = [method for method in usable if method["families"] != [MIG]]
    headings = ["method", "kind", *FAMILIES]
    rows = (
        [m["name"], m["kind"], *("yes" if name in m["families"] else "-" for name in FAMILIES)]
        for m in general
    )
    print_table("Who serves the objective of which family", headings, rows)
    _print_details(general)
    print("\nJobs on MIG instances: `rsjs mig schedule`, [[mig_scheduling]] of campaigns")
    _print_details([method for method in usable if method["families"] == [MIG]])
    for method in methods:
        if method["broken"]:
            print(f"\n{method['name']} of {method['package']} is broken: {method['broken']}")
    print(f"\nSpecification: {SPECIFICATION}; the first solver and the first rule are the default.")
    print("An option that takes a method with options of its own: ?key=(name?key=value),...")
    print("Of several methods between |, the first that serves the instance runs: ?key=name|name")


def policies() -> list[dict[str, Any]]:
    """Return every policy of `rsjs simulate`: those that are no methods, then the methods."""
    return [
        *({**_method(policy), "is_method": False} for policy in POLICIES.values()),
        *({**method, "is_method": True} for method in _general() if method["decides"]),
    ]


def _general() -> list[dict[str, Any]]:
    """List the methods that are not for jobs on MIG instances."""
    return [method for method in methods() if method["families"] != [MIG]]


def _print_policies(policies: list[dict[str, Any]]) -> None:
    """Print a line each; `rsjs list methods` has the details of methods."""
    kinds = {True: "method", False: "policy"}
    rows = [(policy["name"], kinds[policy["is_method"]], policy["summary"]) for policy in policies]
    print_columns(rows, words=3)


def _print_details(methods: list[dict[str, Any]]) -> None:
    """Print what each method serves and needs, its solvers, rules and options."""
    for method in methods:
        print(f"\n{method['name']}: {method['summary']}")
        served = [
            f"{kind} {'any' if set(names) == OBJECTIVES[kind] else ' | '.join(names)}"
            for kind, names in method["objectives"].items()
        ]
        if method["families"] == [MIG]:
            served = ["every reading and objective"]
        served += [text for flag, text in LIMITS.items() if not method[flag]]
        for what in ("jobs", "nodes", "steps"):
            if most := method.get(f"max_{what}"):
                served.append(f"at most {most} {what}")
        facts = [
            ("package", method["package"]),
            ("serves", "; ".join(served)),
            ("needs", method["needs"]),
            ("solvers", ", ".join(method["solvers"])),
            ("rules", ", ".join(method["rules"])),
            *(("rule", f"{name}: {text}") for name, text in method["rule_help"].items()),
            *(
                ("option", f"{name}={option['default']}{choices}: {option['help']}")
                for name, option in method["options"].items()
                for choices in [f" ({' | '.join(option['choices'])})" if option["choices"] else ""]
            ),
            ("start", "can start from a solution (--warm-start)" if method["warm_start"] else ""),
            *(
                ("missing", f"{solver} is not installed: {command}")
                for solver, command in method["missing_solvers"].items()
            ),
        ]
        print_facts((f"  {name}", text) for name, text in facts if text)


def backends() -> list[dict[str, Any]]:
    """Return every solver backend and whether it is installed."""
    return [
        {
            "name": backend.name,
            "package": backend.distribution,
            "wanted": backend.versions,
            "version": backend.version(),
            "available": backend.available(),
            "install_command": backend.install_command,
            "features": sorted(backend.features),
            "notes": backend.notes,
        }
        for backend in BACKENDS.values()
    ]


def solvers() -> list[dict[str, Any]]:
    """Return every solver backend with the methods that it serves."""
    users = {method["name"]: method["solvers"] for method in _general()}
    return [
        {**backend, "methods": [name for name, used in users.items() if backend["name"] in used]}
        for backend in backends()
    ]


def _print_solvers(solvers: list[dict[str, Any]]) -> None:
    """Print a block per solver."""
    for solver in solvers:
        version = solver["version"] or "installed, version unknown"
        missing = f"not installed: {solver['install_command']}"
        print(f"{solver['name']}: {version if solver['available'] else missing}")
        print_facts(
            [
                ("  package", f"{solver['package']}{solver['wanted']}"),
                ("  features", ", ".join(solver["features"])),
                *(("  note", note) for note in solver["notes"]),
                ("  methods", ", ".join(solver["methods"])),
            ]
        )


if __name__ == "__main__":
    try:
        described = _method(all_methods()[sys.argv[1]])
    except InputError as error:
        described = _broken(sys.argv[1], str(error))
    print(json.dumps(described, default=str))
