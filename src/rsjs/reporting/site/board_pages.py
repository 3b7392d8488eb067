"""The pages of a board: its sets, instances and methods, the opening page, and its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rsjs.bks import storage
from rsjs.reporting.site.board_data import Board, BoardSet, Subject
from rsjs.reporting.site.board_rankings import (
    OF_MODELS,
    RANKS,
    RULE,
    UNTIMED,
    Section,
    numbered,
    results_url,
)
from rsjs.reporting.site.board_status import (
    by,
    closed_plot,
    history_plot,
    history_table,
    submissions_table,
)
from rsjs.reporting.site.pages import Downloads, method_url
from rsjs.reporting.site.report_data import ReportRow, versions
from rsjs.reporting.site.run_table import run_table
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import known

WORDS = ("closed", "confirmed", "open", "unknown")
MOST_NEWS = 40  # latest steps on the opening page


def content(heading: str, sections: Sequence[Section], **more: Any) -> dict[str, Any]:
    """
    Return what the template `board` needs.

    lead: paragraphs; facts: labels and values; pairs: labels, values and their pages or ""; up: the
    page above, label and place; parts: number and place of the parts of a table; dialog: the file
    in data/ with the facts of its runs; has_lookup: whether a run may be looked for.
    """
    empty: dict[str, Any] = {"lead": (), "facts": (), "pairs": (), "up": None, "parts": ()}
    empty |= {"dialog": "", "has_lookup": False}
    return {**empty, "heading": heading, "sections": sections, **more}


def set_page(one: BoardSet, sections: Sequence[Section]) -> dict[str, Any]:
    """Return the page of a set but for the status of its instances; sections are its rankings."""
    words = Counter(member.word for member in one.members)
    words["closed"] += words["confirmed"]
    facts = [("members", len(one.members)), *((word, words[word]) for word in WORDS if words[word])]
    facts.append(("runs", sum(len(ranking.family.rows) for ranking in one.rankings)))
    rule = OF_MODELS if one.kind == "models" else RULE
    lead = [f"{one.summary[:1].upper()}{one.summary[1:].rstrip('.')}."]
    lead.append(rule if one.rankings else "No run on its members is stored.")
    if any(member.submissions for member in one.members):
        sections = [*sections, Section(tables=[submissions_table(one.members)])]
    return content(one.name, sections, lead=lead, facts=facts)


def results_page(one: BoardSet, place: int, tables: Sequence[Table], part: int) -> dict[str, Any]:
    """Return a page with part of the results behind a ranking."""
    ranking = one.rankings[place]
    return content(
        f"{one.name}: {ranking.source}, {ranking.conditions}",
        [Section(tables=[tables[part]])],
        lead=["One line per method and instance, which leads to its runs."],
        up=(one.name, one.url),
        parts=numbered(results_url(one, place), len(tables)),
    )


def instance_page(
    one: Subject, sets: Mapping[str, str], runs: Mapping[str, str], last: str
) -> dict[str, Any]:
    """Return the page of an instance but for its runs; `last` is the last moment of its history."""
    pairs: list[tuple[str, str, str]] = [
        *(("set", name, sets[name]) for name in one.sets if name in sets),
        ("size", f"{one.nodes} nodes, {one.jobs} jobs" if one.nodes else "", ""),
        ("sha256", one.sha256, ""),
        ("status", one.word, ""),
        ("to a gap of 1e-4", effort_text(one), ""),
        ("cost", "" if one.cost is None else f"{one.cost!r}", ""),
        ("bound", "" if one.bound is None else f"{one.bound!r}", ""),
        ("gap", "" if one.gap is None else f"{formats.percent(one.gap)} %", ""),
    ]
    sections = []
    if one.entry is not None:
        plot = history_plot(one.entry, last)
        plots = [plot] if plot else []
        sections.append(Section(tables=[history_table(one.entry, runs)], plots=plots))
        if one.entry.certificate is not None:
            pairs.append(("certificate", "of the bound, evaluated again in exact arithmetic", ""))
    if one.submissions:
        sections.append(Section(tables=[submissions_table([one])]))
    return content(one.name, sections, pairs=pairs)


def effort_text(one: Subject) -> str:
    """Return what single runs prove of an instance, by which of them."""
    found = one.effort
    if found.word == "unknown":
        return ""
    seconds = "" if found.effort is None else f" in {formats.measured(found.effort)} s"
    return f"{found}: {found.method}{'' if found.word == 'open' else seconds}"


def runs_of(one: Subject) -> Table | None:
    """Return all runs on an instance; None without any."""
    more = [Column("source", "source"), Column("time_limit", "limit", "{:g}".format, unit="s")]
    return run_table(one.rows, "method", more) if one.rows else None


def method_page(
    name: str, rows: Sequence[ReportRow], lines: Sequence[Row], downloads: Downloads, slug: str
) -> dict[str, Any]:
    """Return the page of a method: versions, machines, and its place in each ranking."""
    told = {
        **versions(rows),
        "machine": sorted({str(row["cpu_model"]) for row in rows if known(row, "cpu_model")}),
        "commit": sorted({str(row["commit"])[:12] for row in rows if known(row, "commit")}),
    }
    pairs = [("runs", str(len(rows)), "")]
    pairs += [(label, ", ".join(values), "") for label, values in told.items() if values]
    table = downloads.with_files(places_table(lines), slug)
    return content(name, [Section(tables=[table])], pairs=pairs)


def places_table(lines: Sequence[Row]) -> Table:
    """Return the place of a method in each ranking."""
    return Table(
        name="places",
        title="Rankings",
        columns=[
            Column("set", "set"),
            Column("conditions", "runs compared"),
            Column("rank", "rank", formats.count),
            Column("ranked", "of", formats.count),
            RANKS[0],
            RANKS[1],
            Column("solved", "solved", formats.count),
            Column("problems", "problems", formats.count),
            Column("ratio", "cost / best, median", formats.ratio),
            RANKS[2],
            RANKS[3],
            Column("seconds", "running time, median", formats.measured, unit="s"),
        ],
        rows=lines,
        notes=[RULE, "Without a rank: not run on all problems.", UNTIMED],
        link=lambda line, key: str(line["set_url"] if key == "set" else line["url"]),
        shared=frozenset({"seconds"}),
        choices=frozenset({"set", "conditions"}),
    )


def methods_table(
    rows: Mapping[str, Sequence[ReportRow]], lines: Mapping[str, Sequence[Row]]
) -> Table:
    """Return a line per method: its runs, and in how many rankings it leads."""
    found = [
        {
            "method": name,
            "runs": len(own),
            "rankings": len(lines.get(name, ())),
            "ranked": sum(known(line, "rank") is not None for line in lines.get(name, ())),
            "first": sum(known(line, "rank") == 1 for line in lines.get(name, ())),
            "package": ", ".join(versions(own)["rsjs-bench"]),
        }
        for name, own in sorted(rows.items())
    ]
    return Table(
        name="methods",
        title="Methods",
        columns=[
            Column("method", "method"),
            Column("runs", "runs", formats.count),
            Column("rankings", "compared in", formats.count),
            Column("ranked", "ranked in", formats.count),
            Column("first", "of least cost in", formats.count),
            Column("package", "rsjs-bench"),
        ],
        rows=found,
        link=lambda line, key: method_url(line["method"]),
    )


def method_lines(
    one: BoardSet, place: int, table: Table, parts: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Return the line of each method for `places_table`, of a ranking."""
    ranking = one.rankings[place]
    ranked = len(ranking.family.analysis.ranked)
    return {
        line["method"]: {
            **{key: value for key, value in line.items() if key not in ("family", "place")},
            "set": one.name,
            "conditions": f"{ranking.source}, {ranking.conditions}",
            "ranked": ranked if known(line, "rank") is not None else None,
            "set_url": one.url,
            "url": parts[line["method"]],
        }
        for line in table.rows
    }


def opening_page(board: Board, downloads: Downloads) -> dict[str, Any]:
    """Return the opening page: what is ranked, how much is known, each set, the latest steps."""
    entries = [one.entry for one in board.subjects if one.entry is not None]
    facts = [
        ("sets", len(board.sets)),
        ("instances, workloads, models", len(board.subjects)),
        ("closed", sum(entry.closed for entry in entries)),
        ("confirmed", sum(entry.closed and entry.confirmed for entry in entries)),
        ("open", sum(not entry.closed for entry in entries)),
        ("runs", len(board.rows)),
        ("methods and versions", len({row["method"] for row in board.rows})),
        ("submissions", len({row.submission for one in board.subjects for row in one.submissions})),
    ]
    sections = [Section(tables=[downloads.with_files(sets_table(board), "board")])]
    if entries:
        plot = closed_plot(entries, board.last)
        sections.append(Section(tables=[news_table(board)], plots=[plot]))
    return content("Board", sections, lead=[RULE], facts=facts)


def sets_table(board: Board) -> Table:
    """Return a line per set: how much is known, and who leads its largest ranking."""
    entries = [one.entry for one in board.subjects if one.entry is not None]
    covered = {row.name: row for row in storage.coverage(entries)} if entries else {}
    lines = []
    for one in board.sets:
        line: dict[str, Any] = {"set": one.name, "kind": one.kind, "members": len(one.members)}
        line["url"] = one.url
        if (row := covered.get(one.name)) is not None:
            line |= {"closed": row.closed, "confirmed": row.confirmed, "open": row.open}
            line |= {"two_solvers": row.two_solvers, "gap": row.gap}
            line["certificates"] = row.certified or None
        if one.rankings:
            largest = max(one.rankings, key=lambda one: len(one.family.analysis.ranked))
            ranked = largest.family.analysis.best_first
            line["runs"] = sum(len(ranking.family.rows) for ranking in one.rankings)
            line["ranked"] = len(ranked) or None
            line["conditions"] = f"{largest.source}, {largest.conditions}"
            summary = largest.family.summary
            if len(ranked) > 1:
                leaders = [*summary.index[summary["rank"] == 1]]
                more = f" and {len(leaders) - 2} more" if len(leaders) > 2 else ""
                line["leaders"] = ", ".join(leaders[:2]) + more
                line["leader_url"] = f"{one.url}#conditions{one.rankings.index(largest) + 1}"
        lines.append(line)
    lines.sort(key=lambda line: (line["kind"] == "others", -line.get("runs", 0)))
    return Table(
        name="sets",
        title="Sets",
        columns=[
            Column("set", "set"),
            Column("kind", "kind"),
            Column("members", "members", formats.count),
            Column("closed", "closed", formats.count),
            Column("open", "open", formats.count),
            Column("gap", "largest gap", formats.percent, unit="%"),
            Column("leaders", "least cost"),
            Column("ranked", "ranked", formats.count),
            Column("runs", "runs", formats.count),
            Column("confirmed", "confirmed", formats.count),
            Column("two_solvers", "by two solvers", formats.count),
            Column("certificates", "certificates", formats.count),
            Column("conditions", "of these runs"),
        ],
        rows=lines,
        notes=[
            "Closed, confirmed, by two solvers, open: instances of at most"
            f" {storage.MOST_JOBS} jobs with best-known values. Least cost: who leads the ranking"
            " of most methods; a set has others for other limits."
        ],
        link=lambda line, key: str(
            line.get("leader_url", line["url"]) if key in ("leaders", "conditions") else line["url"]
        ),
        choices=frozenset({"kind"}),
    )


def news_table(board: Board) -> Table:
    """Return the latest steps of best-known values."""
    lines = []
    for one in board.subjects:
        if one.entry is None:
            continue
        for what, history in (("cost", one.entry.ub_data), ("bound", one.entry.lb_data)):
            for before, step in zip((None, *history), history, strict=False):
                better = None if before is None else abs(step.value - before.value)
                lines.append(
                    {
                        "date": step.date[:10],
                        "when": step.date,
                        "instance": one.name,
                        "what": what,
                        "value": step.value,
                        "better": better and better / max(abs(step.value), abs(before.value)),
                        "by": by(step),
                        "source": step.source,
                        "url": one.url,
                    }
                )
    lines.sort(key=lambda line: (line["when"], line["instance"]), reverse=True)
    return Table(
        name="news",
        title="Latest best-known values",
        columns=[
            Column("instance", "instance"),
            Column("date", "date"),
            Column("what", "value of"),
            Column("value", "value", formats.cost, unit="$"),
            Column("better", "better by", formats.percent, unit="%"),
            Column("by", "by"),
            Column("source", "source"),
        ],
        rows=lines[:MOST_NEWS],
        notes=[f"The last of {counted(len(lines), 'step')}; the pages of instances have all."],
        link=lambda line, key: f"{line['url']}#history" if key == "instance" else "",
    )


def sources_page(board: Board) -> dict[str, Any]:
    """Return the page that tells where all of it comes from."""
    table = Table(
        name="sources",
        title="Folders of rows",
        columns=[
            Column("source", "folder"),
            Column("runs", "runs", formats.count),
            Column("reason", "left out"),
        ],
        rows=board.sources,
        notes=["Rows of single runs only: means over runs, and other tables, rank nothing here."],
    )
    lead = (
        "The rows of runs and the best-known values of a folder of results. Find a run by its id:"
    )
    return content("Sources", [Section(tables=[table])], lead=[lead], has_lookup=True)
