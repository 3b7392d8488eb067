"""The whole site: built beside its place, then given its name."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.resources import as_file, files
from importlib.util import find_spec
from multiprocessing import get_context
from operator import call
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.reporting.site import audit_pages, comparison_pages, instance_page, method_page
from rsjs.reporting.site.pages import (
    Downloads,
    family_url,
    instance_slug,
    method_url,
    page_writer,
)
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import Material, ReportRow, families, grouped, run_set
from rsjs.reporting.site.run_table import facts_script
from rsjs.runs.provenance import usable_threads

MARK, FORMAT = "rsjs-site.json", "rsjs-site/1"
NEEDED = ("jinja2", "plotly")
LISTS = ("Instances", "Pairwise", "Failures", "Fairness", "Provenance")  # pages of a report
FEW_INSTANCES = 30  # whose figures are drawn as PDF without being asked for: a second each


def refuse(folder: Path) -> None:
    """Raise InputError if a site cannot be built, or not there."""
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking:
        found = described(f"no {' and no '.join(lacking)}")
        raise InputError("", found, "the extra `report`: pip install 'rsjs-bench[report]'")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).exists():
        expected = "a report of `rsjs report`, or no such folder"
        raise InputError("", described("a folder with other files"), expected, folder)


def build(
    material: Material, folder: Path, *, title: str, all_pdf: bool, baseline: str | None = None
) -> dict[str, Any]:
    """
    Write the site of some material; what was there before goes when the new one is complete.

    Methods are compared in pairs, or each with the `baseline` only. `all_pdf` draws the figures of
    every instance as PDF, also of more than `FEW_INSTANCES`. Return the folder, how many pages it
    has, the bytes of the opening page with all that it may load, and of how many instances no
    figure was drawn as PDF; see `placed`.
    """
    return placed(folder, lambda root: _write(material, root, title, all_pdf, baseline))


def placed(folder: Path, write: Callable[[Path], dict[str, Any]]) -> dict[str, Any]:
    """
    Write a site beside its place, then give it its name; one that was there before goes then.

    Return what `write` returns for the folder that it fills, with the folder, how many pages it
    has, the bytes of the largest one, and those of the opening page with all that it may load.
    """
    refuse(folder)
    scratch = folder.absolute().with_name(f".{folder.name}-{os.getpid()}")
    before = scratch.with_name(f"{scratch.name}-before")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        more = write(scratch)
        pages = [path.stat().st_size for path in scratch.rglob("*.html")]
        facts = {
            "folder": folder,
            "pages": len(pages),
            "largest_bytes": max(pages),
            "opening_bytes": sum(
                path.stat().st_size for path in (scratch / "index.html", *scratch.glob("assets/*"))
            ),
            **more,
        }
        if folder.exists():
            folder.rename(before)
        scratch.rename(folder)
        shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return facts


def _write(
    material: Material, root: Path, title: str, all_pdf: bool, baseline: str | None
) -> dict[str, Any]:
    rows = material.rows
    found = families(rows, baseline)
    downloads = Downloads(root)
    links = [(family.name, family_url(family.name)) for family in found]
    links = [
        ("Overview", "index.html"),
        *links,
        *((name, f"{name.lower()}.html") for name in LISTS),
    ]
    write = page_writer(root, title, "rsjs report", links)
    write_assets(root, rows)
    count = len(grouped(rows, "instance"))
    pdf = all_pdf or count <= FEW_INSTANCES
    for family in found:
        write(family_url(family.name), "family", comparison_pages.of_family(family, downloads))
        for group in grouped(family.rows, "instance").values():
            name = instance_slug(group[0])
            content = instance_page.content(group, family.styles, downloads, pdf=pdf)
            write(f"instances/{name}.html", "instance", content)
            (root / "data" / f"{name}.js").write_text(facts_script(name, group), "utf-8")
    for method, group in grouped(rows, "method").items():
        write(method_url(method), "method", method_page.content(method, group, downloads))
    for name, template, content in (
        ("index", "overview", comparison_pages.overview(material, found, downloads)),
        ("instances", "instances", instance_page.list_content(rows, downloads)),
        ("pairwise", "pairwise", comparison_pages.pairwise(found, downloads)),
        ("failures", "failures", audit_pages.failures(material, downloads)),
        ("fairness", "fairness", audit_pages.fairness(found, downloads)),
        ("provenance", "provenance", audit_pages.provenance(material, downloads)),
    ):
        write(f"{name}.html", template, content)
    write_mark(root, title, rows)
    draw(downloads.pictures)
    return {"without_pdf": 0 if pdf else count}


def write_mark(root: Path, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the file that tells a site of this program from other folders."""
    mark = {"format": FORMAT, "title": title, "runs": len(rows), "run_set": run_set(rows)}
    (root / MARK).write_text(json.dumps(mark, indent=1) + "\n", "utf-8")


def draw(pictures: Sequence[Callable[[], object]]) -> None:
    """Draw pictures by processes of their own on the cores there are."""
    with ProcessPoolExecutor(
        usable_threads(),
        # spawned, not forked: a terminal's spinner is a thread of this process
        mp_context=get_context("spawn"),
        # only the process that asked for the pictures hears of Ctrl-C, and ends the others
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        for _ in pool.map(call, pictures):
            pass


def write_assets(root: Path, rows: Sequence[ReportRow]) -> None:
    """Write style, scripts, plotly.js, and which instance a run or a solution file is of."""
    from plotly.offline import get_plotlyjs

    with as_file(files("rsjs.reporting.site") / "assets") as assets:
        shutil.copytree(assets, root / "assets", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "assets" / "plotly.min.js").write_text(get_plotlyjs(), "utf-8")
    (root / "data").mkdir()
    names = [instance_slug(row) for row in rows]
    slugs = list(dict.fromkeys(names))
    place = {slug: i for i, slug in enumerate(slugs)}
    runs = [
        [row["anchor"], place[name], (row["solution_sha256"] or "")[:16]]
        for row, name in zip(rows, names, strict=True)
    ]
    index = f"rsjsIndex({harmless({'slugs': slugs, 'runs': runs})});\n"
    (root / "data" / "index.js").write_text(index, "utf-8")
