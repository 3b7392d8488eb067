"""What the demonstration's table shows, in a few sentences made from its rows."""

from __future__ import annotations

from collections.abc import Sequence

from rsjs.cli.console import number, percent
from rsjs.core.report import Stop
from rsjs.runs.compare import Row


def story(rows: Sequence[Row]) -> str:
    """
    One sentence on the exact models, one on the rules; only what the rows say.

    A run that failed says nothing of its method: it is named apart.
    """
    failed = [row for row in rows if row["stop"] == Stop.ERROR]
    ended = [row for row in rows if row["stop"] != Stop.ERROR]
    sentences = _exact(ended), _rules(ended), *map(_failure, failed)
    return " ".join(sentence for sentence in sentences if sentence)


def _failure(row: Row) -> str:
    return f"{row['method']} on {row['nodes']} nodes failed: {row['message']}."


def _exact(rows: Sequence[Row]) -> str:
    patterns = [row["gap_to_best"] for row in rows if row["method"].startswith("jahani_patterns")]
    known = [gap for gap in patterns if gap is not None]
    if not known:
        return ""
    text = f"The pattern model comes within {percent(max(known))} of the best bound in every run"
    if len(known) < len(patterns):
        text = f"The pattern model has a solution in {len(known)} of {len(patterns)} runs"
    literal = [row for row in rows if row["method"].startswith("jahani_literal")]
    ends = " and ".join(
        f"{percent(row['gap'])} ({row['method'].partition('@')[2]})" for row in literal
    )
    nodes = max((row["nodes"] for row in literal), default=0)
    return (
        f"{text}; the model as printed ends with a gap of {ends} on {nodes} nodes."
        if ends
        else f"{text}."
    )


def _rules(rows: Sequence[Row]) -> str:
    most = max((row["nodes"] for row in rows), default=0)
    priced = [row for row in rows if row["nodes"] == most and row["objective"] is not None]
    exact = [row["objective"] for row in priced if row["bound"] is not None]
    rules = sorted(
        (row for row in priced if row["bound"] is None), key=lambda row: float(row["objective"])
    )
    if not exact or not rules or min(exact) <= 0:
        return ""
    best, *others = rules
    ratio = number(best["objective"] / min(exact), 3)
    text = f"On {most} nodes the best rule, {best['method']}, costs {ratio} times the best schedule"
    shares = [row["postponement"] / row["objective"] for row in others if row["objective"] > 0]
    if not shares:
        return f"{text}."
    return f"{text}; of the others' cost, {percent(min(shares))} or more is for postponed jobs."
