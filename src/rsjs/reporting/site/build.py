"""The whole site: built beside its place, then given its name."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.reporting.site import audit_pages, comparison_pages, instance_page, method_page
from rsjs.reporting.site.pages import (
    Downloads,
    Drawing,
    Pages,
    family_url,
    instance_slug,
    method_url,
)
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import Material, families, grouped, run_set
from rsjs.reporting.site.run_table import facts_script

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
    """What was written."""

    folder: Path
    pages: int
    opening_bytes: int  # of the opening page and all that it may load
    without_pdf: int  # instances whose figures were not drawn as PDF


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

    `all_pdf` draws the figures of every instance as PDF, also of more than `FEW_INSTANCES`.
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
    downloads = Downloads(root, drawing)
    pages = Pages(root, title, [family.name for family in found])
    _assets(root, material)
    opening = comparison_pages.overview(material, found, downloads)
    pages.write("index.html", "overview", opening)
    count = len(grouped(rows, "instance"))
    pdf = all_pdf or count <= FEW_INSTANCES
    for family in found:
        content = comparison_pages.of_family(family, downloads)
        pages.write(family_url(family.name), "family", content)
        for group in family.instances.values():
            name = instance_slug(group[0])
            content = instance_page.content(group, material, family.styles, downloads, pdf=pdf)
            pages.write(f"instances/{name}.html", "instance", content)
            facts = facts_script(name, group, material)
            (root / "data" / f"{name}.js").write_text(facts, "utf-8")
    for method, group in grouped(rows, "method").items():
        content = method_page.content(method, group, downloads)
        pages.write(method_url(method), "method", content)
    for name, content in (
        ("instances", instance_page.list_content(rows, downloads)),
        ("pairwise", comparison_pages.pairwise(found, downloads)),
        ("failures", audit_pages.failures(material, downloads)),
        ("fairness", audit_pages.fairness(found, rows, downloads)),
        ("provenance", audit_pages.provenance(material, downloads)),
    ):
        pages.write(f"{name}.html", name, content)
    mark = {"format": FORMAT, "title": title, "runs": len(rows), "run_set": run_set(rows)}
    (root / MARK).write_text(json.dumps(mark, indent=1) + "\n", "utf-8")
    return 0 if pdf else count


def _assets(root: Path, material: Material) -> None:
    """Style and scripts, plotly.js, and which instance each run and each solution file is of."""
    from plotly.offline import get_plotlyjs

    with as_file(files("rsjs.reporting.site") / "assets") as assets:
        shutil.copytree(assets, root / "assets", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "assets" / "plotly.min.js").write_text(get_plotlyjs(), "utf-8")
    (root / "data").mkdir()
    slugs = list(dict.fromkeys(instance_slug(row) for row in material.rows))
    place = {slug: i for i, slug in enumerate(slugs)}
    runs = [
        [row["anchor"], place[instance_slug(row)], (row["solution_sha256"] or "")[:16]]
        for row in material.rows
    ]
    index = f"rsjsIndex({harmless({'slugs': slugs, 'runs': runs})});\n"
    (root / "data" / "index.js").write_text(index, "utf-8")


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
