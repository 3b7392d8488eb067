"""
`rsjs list`: methods, policies, solvers, catalogues, sets of instances.

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
from typing import Annotated, Any

from rsjs import library
from rsjs.bks.storage import optima
from rsjs.cli.options import Json, argument
from rsjs.cli.output import print_columns, print_facts, print_json, print_table, text_of
from rsjs.core.entry_points import offers
from rsjs.core.errors import InputError
from rsjs.core.method import OBJECTIVES, Method
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.instances.instance import FAMILIES
from rsjs.instances.library.sets import LICENCE
from rsjs.methods import BUILT_IN, COMMAND, SPECIFICATION, all_methods
from rsjs.rows.select import MIG
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.simulation.policies.registry import POLICIES

What = StrEnum("What", "METHODS POLICIES SOLVERS CATALOGUES SETS")
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


def list_(
    what: Annotated[What, argument("WHAT", f"One of {', '.join(What)}.")], as_json: Json = False
) -> None:
    """
    List methods, policies, solvers, catalogues of node types, or sets of instances.

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
    }
    collect, show = kinds[what]
    print_json(collect()) if as_json else show(collect())


def catalogues() -> dict[str, list[dict[str, Any]]]:
    """Return catalogue -> its node types: GPUs, price, where the price is from."""
    return {
        name: [
            {
                "node_type": priced["vm_type"],
                "gpu_type": priced["gpu"],
                "gpus": int(priced["gpus"]),
                "cost_per_hour": float(priced["cost_per_hour"]),
                **{key: priced[key] for key in ("currency", "source", "status")},
            }
            for priced in (price(name, member) for member in members)
        ]
        for name, members in MEMBERS.items()
    }


def _print_catalogues(catalogues: dict[str, list[dict[str, Any]]]) -> None:
    """Print a line per node type and catalogue."""
    rows = [("catalogue", "node type", "status", "GPUs", "USD/h")]
    for name, members in catalogues.items():
        for e in members:
            gpus, cost = f"{e['gpus']} x {e['gpu_type']}", f"{e['cost_per_hour']:g}"
            rows.append((name, e["node_type"], e["status"], gpus, cost))
    print_columns(rows, words=3)


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


def methods() -> list[dict[str, Any]]:
    """
    List every method with what it serves and whether it can run here; those of `mig` come last.

    A method of another package has `package`; one that cannot be used has only its name, its
    package, and the reason in `broken`.
    """
    known = all_methods()
    listed = [_method(method) for method in BUILT_IN.values()]
    for name, offer in offers("rsjs.methods").items():
        refused = _broken(name, f"refused: {name} is a name of the suite")
        found = _asked(name) if name in known.offers else refused
        listed.append({**found, "package": offer.package})
    of_mig = METHODS.values()
    more = ({**_method(one), "families": [MIG], "max_steps": one.max_steps} for one in of_mig)
    return [*listed, *more]


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
    return {"name": name, "families": [], "broken": reason}


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


def _general(listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the methods that can be used and are not for jobs on MIG instances."""
    return [one for one in listed if not one["broken"] and one["families"] != [MIG]]


def _print_methods(methods: list[dict[str, Any]]) -> None:
    """Print a matrix of methods and families, then the details of each method."""
    general = _general(methods)
    rows = (
        [m["name"], m["kind"], *("yes" if name in m["families"] else "-" for name in FAMILIES)]
        for m in general
    )
    headings = ["method", "kind", *FAMILIES]
    print_table("Who serves the objective of which family", headings, rows)
    _print_details(general)
    print("\nJobs on MIG instances: `rsjs mig schedule`, [[mig_scheduling]] of campaigns")
    _print_details([method for method in methods if method["families"] == [MIG]])
    for method in methods:
        if method["broken"]:
            print(f"\n{method['name']} of {method['package']} is broken: {method['broken']}")
    print(f"\nSpecification: {SPECIFICATION}; the first solver and the first rule are the default.")
    print("An option that takes a method with options of its own: ?key=(name?key=value),...")
    print("Of several methods between |, the first that serves the instance runs: ?key=name|name")


def _print_details(methods: list[dict[str, Any]]) -> None:
    """Print what each method serves and needs, its solvers, rules and options."""
    for method in methods:
        served = [
            f"{kind} {'any' if {*names} == OBJECTIVES[kind] else ' | '.join(names)}"
            for kind, names in method["objectives"].items()
        ]
        if method["families"] == [MIG]:
            served = ["every reading and objective"]
        served += [text for flag, text in LIMITS.items() if not method[flag]]
        for what in ("jobs", "nodes", "steps"):
            if most := method.get(f"max_{what}"):
                served.append(f"at most {most} {what}")
        facts = {name: method[name] for name in ("package", "needs", "solvers", "rules")}
        rows = [("serves", "; ".join(served)), *facts.items()]
        rows += [("rule", f"{name}: {text}") for name, text in method["rule_help"].items()]
        for name, option in method["options"].items():
            choices = f" ({' | '.join(option['choices'])})" if option["choices"] else ""
            rows.append(("option", f"{name}={option['default']}{choices}: {option['help']}"))
        if method["warm_start"]:
            rows.append(("start", "can start from a solution (--warm-start)"))
        for solver, command in method["missing_solvers"].items():
            rows.append(("missing", f"{solver} is not installed: {command}"))
        print(f"\n{method['name']}: {method['summary']}")
        print_facts((f"  {name}", text_of(value)) for name, value in rows if value)


def policies() -> list[dict[str, Any]]:
    """Return every policy of `rsjs simulate`: those that are no methods, then the methods."""
    deciding = [method for method in _general(methods()) if method["decides"]]
    return [
        *({**_method(policy), "is_method": False} for policy in POLICIES.values()),
        *({**method, "is_method": True} for method in deciding),
    ]


def _print_policies(policies: list[dict[str, Any]]) -> None:
    """Print a line each; `rsjs list methods` has the details of methods."""
    rows = [(p["name"], "method" if p["is_method"] else "policy", p["summary"]) for p in policies]
    print_columns(rows, words=3)


def solvers() -> list[dict[str, Any]]:
    """Return every solver backend, whether it is installed, and the methods that it serves."""
    users = {method["name"]: method["solvers"] for method in _general(methods())}
    return [
        {
            "name": backend.name,
            "package": f"{backend.distribution}{backend.versions}",
            "version": backend.version(),
            "available": backend.available(),
            "install_command": backend.install_command,
            "features": sorted(backend.features),
            "notes": backend.notes,
            "methods": [name for name, used in users.items() if backend.name in used],
        }
        for backend in BACKENDS.values()
    ]


def _print_solvers(solvers: list[dict[str, Any]]) -> None:
    """Print a block per solver."""
    for solver in solvers:
        version = solver["version"] or "installed, version unknown"
        missing = f"not installed: {solver['install_command']}"
        print(f"{solver['name']}: {version if solver['available'] else missing}")
        shown = (key for key in ("package", "features", "notes", "methods") if solver[key])
        print_facts((f"  {key}", text_of(solver[key])) for key in shown)
    print(f"\nAny program that reads MPS is a solver, too: METHOD@'{COMMAND} --time {{seconds}}',")
    print("or [[solvers]] of a campaign; see docs/guides/solver.md.")


if __name__ == "__main__":
    try:
        described = _method(all_methods()[sys.argv[1]])
    except InputError as error:
        described = _broken(sys.argv[1], str(error))
    print(json.dumps(described, default=str))
