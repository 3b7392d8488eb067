"""What the commands of `rsjs bks` say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.cli.console import number, percent, print_facts, print_json
from rsjs.reporting.tables.formats import counted

if TYPE_CHECKING:
    from rsjs.best_known.entries import BestKnown, Step
    from rsjs.best_known.merge import Updated
    from rsjs.best_known.verify import Verified

DIGITS = 10


def print_list(known: Sequence[BestKnown], *, as_json: bool) -> None:
    """One line per instance."""
    if as_json:
        print_json([entry.as_document() for entry in known])
        return
    rows: list[tuple[str, ...]] = [
        ("instance", "status", "bound [$]", "cost [$]", "gap", "confirmed by")
    ]
    rows += [_row(entry) for entry in known]
    print_columns(rows, words=2)
    print(_summary(known))


def print_columns(rows: Sequence[Sequence[str]], *, words: int) -> None:
    """Lines of cells, never broken: the first columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)][:words]
        padded += [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)][words:]
        print(*padded, sep="  ")


def _row(entry: BestKnown) -> tuple[str, ...]:
    document = entry.as_document()
    return (
        entry.instance,
        document["status"],
        number(document["lower_bound"], DIGITS),
        number(document["upper_bound"], DIGITS),
        percent(document["gap"]),
        str(len(entry.bound.confirmed_by) if entry.bound else 0),
    )


def print_entry(entry: BestKnown, folder: Path, output: Path | None, *, as_json: bool) -> None:
    """The histories of an instance, the newest first."""
    from rsjs.best_known.storage import solution_path

    if as_json:
        print_json(entry.as_document())
        return
    document = entry.as_document()
    recipe = entry.made_by
    facts = [
        ("instance", entry.instance),
        ("sha256", entry.sha256),
        ("size", f"{entry.nodes} nodes, {entry.jobs} jobs"),
        ("made by", "a file that is kept" if recipe is None else _recipe(document["made_by"])),
        ("status", f"{document['status']}, gap {percent(document['gap'])}"),
    ]
    facts += [("cost", line) for step in reversed(entry.ub_data) for line in _step(step)]
    facts += [("bound", line) for step in reversed(entry.lb_data) for line in _step(step)]
    if entry.cost is not None:
        facts.append(("solution", str(solution_path(folder, entry.instance))))
    if output is not None:
        facts.append(("written", str(output)))
    print_facts(facts)


def print_verified(found: Verified, *, as_json: bool) -> None:
    """The findings, or what was checked."""
    if as_json:
        counts = {"instances": len(found.known), "solutions": found.solutions}
        print_json({**counts, "findings": found.findings})
        return
    for line in found.findings:
        print(line)
    if not found.findings:
        exact = counted(found.solutions, "solution")
        print(f"{_summary(found.known)}; {exact} passed the exact check")


def print_updated(done: Updated, left_out: Sequence[str], folder: Path, *, as_json: bool) -> None:
    """What changed; what was left out; contradictions."""
    changed = [one for sha256, one in done.after.items() if one != done.before.get(sha256)]
    changed = [] if done.contradictions else sorted(changed, key=lambda one: one.instance)
    if as_json:
        print_json(
            {
                "folder": folder,
                "instances": len(done.after),
                "changed": [one.as_document() for one in changed],
                "contradictions": [
                    {
                        "instance": found.instance,
                        "bound": vars(found.bound.alone()),
                        "cost": vars(found.cost.alone()),
                    }
                    for found in done.contradictions
                ],
                "refused": done.refused,
                "left_out": left_out,
            }
        )
        return
    for line in [*left_out, *done.refused]:
        print(f"left out: {line}")
    if done.contradictions:
        for found in done.contradictions:
            print(f"contradiction: {found}")
        print("Nothing was written.")
        return
    for one in changed:
        print(_change(one, done.before.get(one.sha256)))
    total = counted(len(done.after), "instance")
    print(f"{folder}: {len(changed)} of {total} with claims changed")


def _change(now: BestKnown, before: BestKnown | None) -> str:
    parts = _better("cost", now.ub_data, before.ub_data if before else ())
    parts += _better("bound", now.lb_data, before.lb_data if before else ())
    status = "closed" if now.closed else "open"
    agree = len(now.bound.confirmed_by) if now.bound else 0
    return f"{now.instance}: {', '.join([*parts, status])}, bound confirmed by {agree}"


def _better(what: str, now: Sequence[Step], before: Sequence[Step]) -> list[str]:
    if len(now) == len(before):
        return []
    then = f", before {number(before[-1].value, DIGITS)}" if before else ""
    return [f"{what} {number(now[-1].value, DIGITS)} ${then}"]


def _step(step: Step) -> list[str]:
    version = f" {step.solver_version}" if step.solver_version else ""
    run = "" if step.run_id is None else f"{step.name}{version}, "
    first = f"{step.value!r} $, {run}{step.source}, {step.date}"
    return [
        first,
        *(f"confirmed by {other.name}: {other.value!r} $" for other in step.confirmed_by),
    ]


def _recipe(recipe: dict[str, object]) -> str:
    parameters = recipe["parameters"]
    assert isinstance(parameters, dict)
    options = ", ".join(f"{name} {value}" for name, value in parameters.items())
    return f"{recipe['generator']} of rsjs-bench {recipe['version']}: {options}"


def _summary(known: Sequence[BestKnown]) -> str:
    closed = sum(entry.closed for entry in known)
    confirmed = sum(entry.closed and entry.confirmed for entry in known)
    return f"{counted(len(known), 'instance')}: {closed} closed, {confirmed} of them confirmed"
