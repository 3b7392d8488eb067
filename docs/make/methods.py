"""Tables of docs/reference/methods.md from the declarations of the methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from docs.make.tables import stored
from rsjs.core.method import OBJECTIVES, Method
from rsjs.instances.instance import FAMILIES
from rsjs.methods import BUILT_IN
from rsjs.recommendation import RECOMMENDED
from rsjs.reporting.tables.formats import measured
from rsjs.reporting.tables.table import Column, Table, code, escaped
from rsjs.runs.kinds.mig_methods import METHODS

STORED = ("small", "formulations", "heuristics")  # folders of results
PROVED, NEAR = 1e-4, 0.01
FLAGS = {  # what a method that lacks the flag is limited to
    "sharing": "whole GPUs",
    "idle_cost": "instances with mu = 0",
    "right_sizing": "nodes of one type",
    "migration": "instances without a cost of migrations",
    "start": "instances without a cost of starts",
}


def matrix() -> str:
    """Return which method serves the objective of which family."""
    heads = [Column("method", "method"), Column("kind", "kind"), *(Column(f, f) for f in FAMILIES)]
    rows = [
        {"method": name, "kind": method.kind}
        | {family: "yes" if _serves(method, family) else "-" for family in FAMILIES}
        for name, method in BUILT_IN.items()
    ]
    return Table(columns=heads, rows=rows).markdown()


def _serves(method: Method, family: str) -> bool:
    objective = FAMILIES[family]
    return all(getattr(objective, kind) in getattr(method, kind) for kind in OBJECTIVES)


def details() -> str:
    """Return a section for each method: what it serves, its solvers, rules and options."""
    return "\n".join(line for method in BUILT_IN.values() for line in _section(method))


def _section(method: Method) -> Iterator[str]:
    solvers = [code(name) for name in method.solvers]
    rules = [code(name) for name in method.rules]
    facts = {
        "Serves": "; ".join(_objectives(method)),
        "Only for": ", ".join(_limits(method)),
        "Solvers": ", ".join(solvers),
        "Rules": "" if method.rule_help else ", ".join(rules),
        "Warm start": "yes" if method.warm_start else "",
    }
    yield from (f"### {code(method.name)}", "", f"{escaped(_sentence(method.summary))}", "")
    yield from (f"- {fact}: {text}" for fact, text in facts.items() if text)
    yield from (f"- Rule {code(k)}: {escaped(text)}" for k, text in method.rule_help.items())
    yield ""
    if method.options:
        yield _table(["option", "values", "meaning"], _options(method))


def _objectives(method: Method) -> Iterator[str]:
    """What the objective may be, where not everything is served."""
    for kind, known in OBJECTIVES.items():
        served = getattr(method, kind)
        if served < known:
            yield f"{code(kind)} {', '.join(code(name) for name in sorted(served))}"
    if all(getattr(method, kind) == known for kind, known in OBJECTIVES.items()):
        yield "every objective"


def _limits(method: Method) -> Iterator[str]:
    yield from (text for flag, text in FLAGS.items() if not getattr(method, flag))
    for what in ("jobs", "nodes", "steps"):
        if most := getattr(method, f"max_{what}", None):
            yield f"at most {most} {what}"


def _options(method: Method) -> Iterator[list[str]]:
    """Name, values with the default first, and meaning of each option."""
    for name, option in method.options.items():
        others = [choice for choice in option.choices if choice != option.default]
        yield [name, ", ".join([str(option.default), *others]), option.help]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def schedules() -> str:
    """Return the methods for schedules on MIG instances, a row each."""
    rows = (
        [
            method.name,
            _sentence(", ".join([method.summary, *_limits(method)])),
            ", ".join([f"@{s}" for s in method.solvers] + [f":{rule}" for rule in method.rules]),
            ", ".join(f"{name}={option.default}" for name, option in method.options.items()),
        ]
        for method in METHODS.values()
    )
    return _table(["method", "what it does", "solvers, rules", "options"], rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts whose first column is code."""
    columns = [Column("method", heads[0], missing="")]
    columns += [Column(head, head, missing="") for head in heads[1:]]
    keys = [column.key for column in columns]
    return Table(
        columns=columns, rows=[dict(zip(keys, row, strict=True)) for row in rows]
    ).markdown()


def _energy(instance: str) -> str:
    """Return the kind of energy of an instance by its name; some generators draw two kinds."""
    family, _, rest = instance.partition("-")
    if family in FAMILIES:
        return str(FAMILIES[family].energy)
    return "proportional" if rest.startswith("proportional") else "first_ending"


def recommendations() -> str:
    """Return the recommended methods by energy, why, and counts of the stored runs behind it."""
    runs = pd.concat(stored(f"{name}/rows.csv") for name in STORED)
    energy = runs["instance"].map(_energy)
    lines = []
    for name, reasons in RECOMMENDED.items():
        lines += ["", f"Energy {code(name)}:", ""]
        for place, (method, reason) in enumerate(reasons.items(), 1):
            own = runs[(energy == name) & (runs["method"].str.partition("?")[0] == method)]
            proved, near = (own["own_gap"] <= PROVED).sum(), (own["gap_to_best"] <= NEAR).sum()
            counts = f"{len(own)} runs, {proved} proved, {near} within 1 %, median"
            told = f" ({counts} {measured(own['total_s'].median())} s)" if len(own) else ""
            lines.append(f"{place}. {code(method)}: {escaped(reason)}{told}")
    return "\n".join(lines[1:])


TABLES = {
    "recommended": recommendations,
    "methods": matrix,
    "details": details,
    "schedules": schedules,
}
