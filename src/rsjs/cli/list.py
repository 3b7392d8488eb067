"""`rsjs list`: methods, policies, solvers, catalogues, sets of instances, models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from rsjs import library
from rsjs.bks.evidence import model_rows, status_of_model, statuses
from rsjs.bks.storage import optima
from rsjs.cli import list_methods
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.output import print_columns, print_json, text_of
from rsjs.core.errors import InputError, described, nearest
from rsjs.instances.catalogue.node_types import MEMBERS, price
from rsjs.instances.library.sets import LICENCE, library_set
from rsjs.rows.status import WORDS
from rsjs.simulation.policies.registry import POLICIES

What = StrEnum("What", "METHODS POLICIES SOLVERS CATALOGUES SETS MODELS")
SIDES = ("bound", "objective")  # of an optimum that is not known


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
        judged = list_methods.judged_methods(file)
        print_json(judged) if as_json else list_methods.print_judged(judged, verbose=verbose)
        return
    kinds: dict[What, tuple[Callable[[], Any], Callable[[Any], None]]] = {
        What.METHODS: (list_methods.methods, list_methods.print_methods),
        What.POLICIES: (list_methods.policies, list_methods.print_policies),
        What.SOLVERS: (list_methods.solvers, list_methods.print_solvers),
        What.CATALOGUES: (catalogues, _print_catalogues),
        What.SETS: (sets, _print_sets),
        What.MODELS: (partial(models, name), _print_models),
    }
    collect, show = kinds[what]
    if name is not None and what is not What.MODELS:
        listed = collect()
        named = [method for method in listed if method["name"] == name]
        if not named:
            near = nearest(name, (method["name"] for method in listed))
            where = f"rsjs list {What.POLICIES} {name}" if name in POLICIES else f"rsjs list {what}"
            raise InputError("NAME", name, f"e.g. {near}; see {where}")
        print_json(named) if as_json else list_methods.print_details(named, alone=True)
        return
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
