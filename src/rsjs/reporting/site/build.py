"""The whole site: built beside its place, then given its name."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.reporting.site import (
    failures_page,
    fairness_page,
    family_page,
    instance_list_page,
    instance_page,
    method_page,
    overview_page,
    pairwise_page,
    provenance_page,
)
from rsjs.reporting.site.downloads import Downloads, Drawing
from rsjs.reporting.site.families import families, grouped
from rsjs.reporting.site.footer import run_set
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.site.run_facts import facts_script
from rsjs.reporting.site.templates import Pages
from rsjs.reporting.site.urls import family_page as page_of_family
from rsjs.reporting.site.urls import instance_slug, slug
from rsjs.reporting.site.urls import method_page as page_of_method

MARK, FORMAT = "rsjs-site.json", "rsjs-site/1"
NEEDED = ("jinja2", "plotly")
FEW_INSTANCES = 30  # whose figures are drawn as PDF without being asked for: a second each
OPENING = (
    "index.html",
    "assets/site.css",
    "assets/tables.js",
    "assets/plots.js",
    "assets/runs.js",
    "assets/plotly.min.js",
)


@dataclass(frozen=True, kw_only=True)
class Built:
    """
    Attributes
    ----------
    folder : Path
    pages : int
    opening_bytes : int
        Of the opening page and all that it may load.
    without_pdf : int
        Instances whose figures were not drawn as PDF.
    """

    folder: Path
    pages: int
    opening_bytes: int
    without_pdf: int


def refuse(folder: Path) -> None:
    """Raise InputError if a site cannot be built, or not there."""
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking:
        found = described(f"no {' and no '.join(lacking)}")
        raise InputError("", found, "the extra `report`: pip install 'rsjs-bench[report]'")
    if folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
        expected = "a report of `rsjs report`, or no such folder"
        raise InputError("", described("a folder with other files"), expected, folder)


def build(material: Material, folder: Path, *, title: str, all_pdf: bool) -> Built:
    """
    Write the site of some material; what was there before goes when the new one is complete.

    Parameters
    ----------
    title : str
    all_pdf : bool
        Draw the figures of every instance as PDF, also of more than `FEW_INSTANCES`.
    """
    refuse(folder)
    scratch = folder.absolute().with_name(f".{folder.name}-{os.getpid()}")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        with Drawing() as drawing:
            without_pdf = _write(material, scratch, title, all_pdf, drawing)
        built = Built(
            folder=folder,
            pages=sum(1 for _ in scratch.rglob("*.html")),
            opening_bytes=sum((scratch / name).stat().st_size for name in OPENING),
            without_pdf=without_pdf,
        )
        _put(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return built


def _write(material: Material, root: Path, title: str, all_pdf: bool, drawing: Drawing) -> int:
    rows = material.rows
    found = families(rows)
    downloads, pages = Downloads(root, drawing), Pages(root, title, found)
    _assets(root, material)
    pages.write("index.html", "overview", overview_page.content(material, found, downloads))
    count = len(grouped(rows, "instance"))
    pdf = all_pdf or count <= FEW_INSTANCES
    for family in found:
        content = family_page.content(family, downloads)
        pages.write(page_of_family(family.name), "family", content)
        for group in family.instances.values():
            name = instance_slug(group[0])
            content = instance_page.content(group, material, family.styles, downloads, pdf=pdf)
            pages.write(f"instances/{name}.html", "instance", content)
            facts = facts_script(name, group, material)
            (root / "data" / f"{name}.js").write_text(facts, "utf-8")
    pages.write("instances.html", "instances", instance_list_page.content(rows, downloads))
    for method, group in grouped(rows, "method").items():
        content = method_page.content(method, group, slug(method), downloads)
        pages.write(page_of_method(method), "method", content)
    pages.write("pairwise.html", "pairwise", pairwise_page.content(found, downloads))
    pages.write("failures.html", "failures", failures_page.content(material, downloads))
    pages.write("fairness.html", "fairness", fairness_page.content(found, rows, downloads))
    pages.write("provenance.html", "provenance", provenance_page.content(material, downloads))
    mark = {"format": FORMAT, "title": title, "runs": len(rows), "run_set": run_set(rows)}
    (root / MARK).write_text(json.dumps(mark, indent=1) + "\n", "utf-8")
    return 0 if pdf else count


def _assets(root: Path, material: Material) -> None:
    """Style and scripts, plotly.js of the installed package, and the index of runs."""
    from plotly.offline import get_plotlyjs

    with as_file(files("rsjs.reporting.site") / "assets") as assets:
        shutil.copytree(assets, root / "assets", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "assets" / "plotly.min.js").write_text(get_plotlyjs(), "utf-8")
    (root / "data").mkdir()
    (root / "data" / "index.js").write_text(provenance_page.index_script(material), "utf-8")


def _is_ours(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / MARK).read_text("utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _put(scratch: Path, folder: Path) -> None:
    """Give the new site its name; an earlier one is moved away first and removed last."""
    before = scratch.with_name(f"{scratch.name}-before")
    if folder.exists():
        folder.rename(before)
    try:
        scratch.rename(folder)
    except OSError:
        if before.exists():
            before.rename(folder)
        raise
    shutil.rmtree(before, ignore_errors=True)


def titled(sources: Sequence[Path]) -> str:
    """
    The names of what is reported.

    >>> titled([Path("runs/smoke"), Path("tables/rows.csv")])
    'smoke, tables'
    """
    folders = [path.parent if path.suffix == ".csv" else path for path in sources]
    return ", ".join(folder.absolute().name for folder in folders)
