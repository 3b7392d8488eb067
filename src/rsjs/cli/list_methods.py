"""
Listings of methods, policies and solvers, and of the methods that serve a file, for `rsjs list`.

`python -m rsjs.cli.list_methods NAME [FILE]` prints one method as JSON, and whether it serves a
file: methods of other packages are described in processes of their own, so that their code does not
run in the process that lists, whatever their import may do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from rsjs.cli.output import print_columns, print_facts, print_table, text_of
from rsjs.core.entry_points import offers
from rsjs.core.errors import InputError
from rsjs.core.method import OBJECTIVES, Method
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.instance import FAMILIES
from rsjs.methods import BUILT_IN, COMMAND, SPECIFICATION, Request, all_methods
from rsjs.rows.select import MIG
from rsjs.runs.kinds.base import kind_of, kind_of_file
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.runs.kinds.simulation import REFERENCES
from rsjs.simulation.policies.registry import POLICIES

LIMITS = {  # what a method that lacks the flag says
    "sharing": "no shared GPUs",
    "idle_cost": "mu = 0",
    "right_sizing": "nodes of one type",
    "migration": "migration = 0",
    "start": "start = 0",
}
DECLARED = (  # attributes of a method that are listed as they are
    *("name", "kind", "summary", "solvers", "needs", "rules", "sharing", "idle_cost"),
    *("right_sizing", "migration", "start", "warm_start", "max_jobs", "max_nodes", "decides"),
)
PROVES = {  # by kind, and whether there are solutions among the results
    ("exact", True): "a lower bound; stops when the gap asked for is proved",
    ("exact", False): "a lower bound; it finds no solution",
    ("heuristic", True): "no gap; a lower bound where its summary says so",
}
PATIENCE = 60.0  # seconds for a package to be imported


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


def judged_methods(file: Path) -> list[dict[str, Any]]:
    """
    List methods with what they say of a file: recommended ones first, then others that serve it.

    `recommended` is the reason, else None; `refusal` why the method does not serve, else None.
    """
    kind = kind_of_file(file)
    problem = kind.read(file)
    reasons = {
        label.partition("@")[0]: reason for label, reason in kind.recommended(problem).items()
    }
    found = []
    for name in kind.methods():
        if name in offers("rsjs.methods"):
            found.append(_asked(name, str(file)))
        elif name != REFERENCES.name:
            found.append(_judged(kind.request(name), problem))
    listed = [{**one, "recommended": reasons.get(one["name"])} for one in found]
    order = {name: place for place, name in enumerate(reasons)}

    def place(one: dict[str, Any]) -> tuple[bool, int]:
        return bool(one["broken"] or one["refusal"]), order.get(one["name"], len(order))

    return sorted(listed, key=place)


def _judged(request: Request, problem: Any) -> dict[str, Any]:
    """Describe a method, with why it does not serve a problem."""
    return {**_method(request.method), "refusal": kind_of(problem).refusal(request, problem)}


def print_judged(methods: list[dict[str, Any]], *, verbose: bool) -> None:
    """Print the methods that serve a file, and with `verbose` why others do not."""
    serving = [one for one in methods if not (one["broken"] or one["refusal"])]
    rows = []
    for place, one in enumerate(serving, 1):
        named = one["name"] if one["available"] else f"{one['name']} (no solver installed)"
        first = f"{place}. {one['recommended']}" if one["recommended"] else one["summary"]
        rows.append((named, one["kind"], first))
    print_table(
        "Methods that serve the file", ("method", "kind", "recommended since; else summary"), rows
    )
    others = [(one["name"], one["broken"] or one["refusal"]) for one in methods[len(serving) :]]
    if verbose and others:
        print()
        print_table("Methods that do not serve it", ("method", "why"), others)


def _asked(name: str, *file: str) -> dict[str, Any]:
    """Describe a method of another package, imported in a process of its own."""
    try:
        done = python("-m", "rsjs.cli.list_methods", name, *file, patience=PATIENCE)
        description: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])  # imports may print
        return description
    except subprocess.TimeoutExpired:
        return _broken(name, f"its import did not end within {PATIENCE:g} s")
    except (LookupError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or ["nothing on standard error"]
        return _broken(name, f"its import ended the process with code {done.returncode}: {last[0]}")


def _broken(name: str, reason: str) -> dict[str, Any]:
    return {"name": name, "families": [], "broken": reason, "refusal": None}


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


def print_methods(methods: list[dict[str, Any]]) -> None:
    """Print a matrix of methods and families, then the details of each method."""
    general = _general(methods)
    rows = (
        [m["name"], m["kind"], *("yes" if name in m["families"] else "-" for name in FAMILIES)]
        for m in general
    )
    headings = ["method", "kind", *FAMILIES]
    print_table("Who serves the objective of which family", headings, rows)
    print_details(general)
    print("\nJobs on MIG instances: `rsjs mig schedule`, [[mig_scheduling]] of campaigns")
    print_details([method for method in methods if method["families"] == [MIG]])
    print_details([method for method in methods if method["broken"]])
    print(f"\nSpecification: {SPECIFICATION}; the first solver and the first rule are the default.")
    print("An option that takes a method with options of its own: ?key=(name?key=value),...")
    print("A function of your own in a file is a method, too: FILE.py:FUNCTION.")
    print("Of several methods between |, the first that serves the instance runs: ?key=name|name")


def print_details(methods: list[dict[str, Any]], *, alone: bool = False) -> None:
    """Print what each method serves and needs, its solvers, rules and options."""
    for method in methods:
        if method["broken"]:
            print(f"\n{method['name']} of {method['package']} is broken: {method['broken']}")
            continue
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
        for name, known in method["options"].items():
            choices = f" ({' | '.join(known['choices'])})" if known["choices"] else ""
            rows.append(("option", f"{name}={known['default']}{choices}: {known['help']}"))
        if method["warm_start"]:
            rows.append(("start", "can start from a solution (--warm-start)"))
        for solver, command in method["missing_solvers"].items():
            rows.append(("missing", f"{solver} is not installed: {command}"))
        if alone:
            if "is_method" not in method:  # of policies
                rows += [("proves", PROVES[method["kind"], method["decides"]])]
            rows += [("example", _example(method))]
        print(f"\n{method['name']}: {method['summary']}")
        print_facts((f"  {name}", text_of(value)) for name, value in rows if value)


def _example(method: dict[str, Any]) -> str:
    """Return a command that runs a method, with its first solver, rule and option named."""
    text = method["name"]
    text += "".join(f"@{solver}" for solver in method["solvers"][:1])
    text += "".join(f":{rule}" for rule in method["rules"][:1])
    plain = [(key, o["default"]) for key, o in method["options"].items() if o["kind"] == "value"]
    text += "".join(f"?{key}={value}" for key, value in plain[:1])
    if "is_method" in method:
        return f"rsjs simulate workload.json --policy '{text}'"
    command = "mig schedule jobs.json" if method["families"] == [MIG] else "solve instance.json"
    return f"rsjs {command} --method '{text}'"


def policies() -> list[dict[str, Any]]:
    """Return every policy of `rsjs simulate`: those that are no methods, then the methods."""
    deciding = [method for method in _general(methods()) if method["decides"]]
    return [
        *({**_method(policy), "is_method": False} for policy in POLICIES.values()),
        *({**method, "is_method": True} for method in deciding),
    ]


def print_policies(policies: list[dict[str, Any]]) -> None:
    """Print a line each."""
    rows = [(p["name"], "method" if p["is_method"] else "policy", p["summary"]) for p in policies]
    print_columns(rows, words=3)
    print("\nrsjs list policies NAME has the options of one.")


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


def print_solvers(solvers: list[dict[str, Any]]) -> None:
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
        method, *files = sys.argv[1:]
        if files:
            kind = kind_of_file(Path(files[0]))
            description = _judged(kind.request(method), kind.read(files[0]))
        else:
            description = _method(all_methods()[method])
    except InputError as error:
        description = _broken(method, str(error))
    print(json.dumps(description, default=str))
