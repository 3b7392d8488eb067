"""
`rsjs list`: methods, policies, solvers, catalogues, sets of instances, models.

`python -m rsjs.cli.list NAME [FILE]` prints one method as JSON, and whether it serves a file:
methods of other packages are described in processes of their own, so that their code does not run
in the process that lists, whatever their import may do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rsjs import library
from rsjs.bks.evidence import model_rows, status_of_model, statuses
from rsjs.bks.storage import optima
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.output import print_columns, print_facts, print_json, print_table, text_of
from rsjs.core.entry_points import offers
from rsjs.core.errors import InputError, described, nearest
from rsjs.core.method import OBJECTIVES, Method
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.instances.instance import FAMILIES
from rsjs.instances.library.sets import LICENCE, library_set
from rsjs.methods import BUILT_IN, COMMAND, SPECIFICATION, Request, all_methods
from rsjs.rows.select import MIG
from rsjs.rows.status import WORDS
from rsjs.runs.kinds.base import kind_of, kind_of_file
from rsjs.runs.kinds.mig_methods import METHODS
from rsjs.runs.kinds.simulation import REFERENCES
from rsjs.simulation.policies.registry import POLICIES

What = StrEnum("What", "METHODS POLICIES SOLVERS CATALOGUES SETS MODELS")
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
SIDES = ("bound", "objective")  # of an optimum that is not known
PATIENCE = 60.0  # seconds for a package to be imported


def list_(
    what: Annotated[What, argument("WHAT", f"One of {', '.join(What)}.")],
    name: Annotated[
        str | None,
        argument(
            "NAME",
            "A method or policy: all that is known of it; models whose names it fits, * and ? are "
            "wild; with --status a set: its members.",
        ),
    ] = None,
    file: Annotated[
        Path | None, option("FILE", "Only methods that serve it, recommended first.", "--for")
    ] = None,
    verbose: Annotated[
        bool, option(None, "With --for also those that do not, and why.", "--verbose")
    ] = False,
    status: Annotated[
        bool, option(None, "Of sets: what stored runs prove of their members.", "--status")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    List methods, policies, solvers, catalogues of node types, sets of instances, or model files.

    \b
    Example:
      rsjs list methods
      rsjs list methods ruin_recreate
      rsjs list policies priced_roll
      rsjs list methods --for instance.json --verbose
      rsjs list catalogues --json
      rsjs list sets --status
      rsjs list sets tiny --status
      rsjs list models "mig_*"

    Methods come with the objectives they serve, their solvers, rules and options, and with the
    command that installs a missing solver. Policies are for `rsjs simulate`.
    With --for and --json each method has `recommended`, why it is, and `refusal`, why it does not
    serve the file: an instance, a workload, or a problem of `rsjs mig`.

    A status is toy (a run proves the optimum within 1 min), easy (10 min), medium (1 h), hard
    (longer), closed (several runs together), open after N s, or unknown (no run, no bound, or a
    bound above a cost): rsjs.rows.status. Seconds are those of the fastest proof, of closed members
    of all runs with bounds; the method of these is that of the greatest bound.
    """
    if status:
        if what is not What.SETS or file is not None:
            raise InputError("--status", described(f"--status of {what}"), "it of sets only")
        told = _statuses() if name is None else _members(name)
        print_json(told) if as_json else _print_dicts(told)
        return
    if file is not None and what is not What.METHODS:
        raise InputError("", described(f"--for of {what}"), "it of methods only")
    if name is not None and what not in {What.METHODS, What.POLICIES, What.MODELS}:
        expected = "one of methods, policies or models, or --status of a set"
        raise InputError("", described(f"NAME of {what}"), expected)
    if name is not None and file is not None:
        raise InputError("--for", described(f"{name}, too"), "either NAME or --for FILE")
    if file is not None:
        judged = judged_methods(file)
        print_json(judged) if as_json else _print_judged(judged, verbose=verbose)
        return
    if name is not None and what is not What.MODELS:
        listed = methods() if what is What.METHODS else policies()
        named = [method for method in listed if method["name"] == name]
        if not named:
            near = nearest(name, (method["name"] for method in listed))
            where = f"rsjs list {What.POLICIES} {name}" if name in POLICIES else f"rsjs list {what}"
            raise InputError("NAME", name, f"e.g. {near}; see {where}")
        print_json(named) if as_json else _print_details(named, alone=True)
        return
    kinds: dict[What, tuple[Callable[[], Any], Callable[[Any], None]]] = {
        What.METHODS: (methods, _print_methods),
        What.POLICIES: (policies, _print_policies),
        What.SOLVERS: (solvers, _print_solvers),
        What.CATALOGUES: (catalogues, _print_catalogues),
        What.SETS: (sets, _print_sets),
        What.MODELS: (partial(models, name), _print_models),
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
            "kind": " and ".join(known.kinds),
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


def _statuses() -> list[dict[str, Any]]:
    """Return each set of instances or workloads with the number of members of each status."""
    chosen = [known for known in library.sets() if "MIG jobs" not in known.kinds]
    counts = {known.name: Counter(one.word for one in statuses(known)) for known in chosen}
    return [
        {"set": name, **{word: found[word] for word in WORDS}} for name, found in counts.items()
    ]


def _members(name: str) -> list[dict[str, Any]]:
    """Return each member of a set with its status and what proves it."""
    chosen = library_set(name)
    return [
        {
            "instance": member.name,
            "status": str(found),
            "gap": found.gap,
            "seconds": found.effort,
            "method": found.method,
            "version": found.version,
            "machine": found.machine,
        }
        for member, found in zip(chosen.members, statuses(chosen), strict=True)
    ]


def _print_dicts(listed: list[dict[str, Any]]) -> None:
    """Print a line per document; the keys are the headings."""
    print_columns([(*listed[0],), *((*map(text_of, one.values()),) for one in listed)], words=1)


def models(pattern: str | None = None) -> list[dict[str, Any]]:
    """Return models of the solver track: size, optimum, and what solvers proved of each."""
    from rsjs.formulations.milp.models import chosen

    rows = model_rows()
    with options_named("NAME"):
        fitting = chosen([] if pattern is None else [pattern])
    return [
        {
            **vars(model),
            "closed": model.closed,
            "status": status_of_model(model, rows),
        }
        for model in fitting
    ]


def _print_models(models: list[dict[str, Any]]) -> None:
    """Print a line per model."""
    rows = [("model", "rows", "columns", "integers", "optimum", "status")]
    for model in models:
        low, high = ("?" if model[key] is None else f"{model[key]:.8g}" for key in SIDES)
        optimum = high if model["closed"] else f"{low} to {high}"
        sizes = (str(model[key]) for key in rows[0][1:4])
        rows.append((model["name"], *sizes, optimum, model["status"]))
    print_columns(rows, words=1)
    print(
        "\nOptimum: the lowest checked cost and the highest proved bound; $, of MIG GPUs or "
        "minutes; bound_by of --json\nnames what proved it. Status: what stored runs prove, "
        f"docs/results/solver-track.md. Licence: {LICENCE}.\n"
        "rsjs fetch-models -o DIR writes them, rsjs run solver-track solves."
    )


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


def _print_judged(methods: list[dict[str, Any]], *, verbose: bool) -> None:
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
        done = python("-m", "rsjs.cli.list", name, *file, patience=PATIENCE)
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
    _print_details([method for method in methods if method["broken"]])
    print(f"\nSpecification: {SPECIFICATION}; the first solver and the first rule are the default.")
    print("An option that takes a method with options of its own: ?key=(name?key=value),...")
    print("A function of your own in a file is a method, too: FILE.py:FUNCTION.")
    print("Of several methods between |, the first that serves the instance runs: ?key=name|name")


def _print_details(methods: list[dict[str, Any]], *, alone: bool = False) -> None:
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


def _print_policies(policies: list[dict[str, Any]]) -> None:
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
        method, *files = sys.argv[1:]
        if files:
            kind = kind_of_file(Path(files[0]))
            description = _judged(kind.request(method), kind.read(files[0]))
        else:
            description = _method(all_methods()[method])
    except InputError as error:
        description = _broken(method, str(error))
    print(json.dumps(description, default=str))
