"""What `rsjs report` says."""

from __future__ import annotations

from typing import Any

from rsjs.cli.console import print_text
from rsjs.reporting.site.build import Built
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.tables.formats import counted


def print_built(material: Material, built: Built, *, found: bool) -> None:
    """
    What was reported, what is missing from it, and what to open.

    Parameters
    ----------
    found : bool
        Whether the store was found, not given.
    """
    names = ", ".join(map(str, material.sources))
    told = f"{names} (the store in ./runs that was worked on last)" if found else names
    print_text(f"Reported: {told}: {counted(len(material.rows), 'run')}.")
    if material.missing:
        print_text(f"Not carried out yet: {counted(len(material.missing), 'run')} of the plan.")
    for path, reason in material.corrupt:
        print_text(f"Left out, as its record cannot be read: {path}: {reason}")
    for session, reason in material.lost:
        print_text(f"Without commit and machine, as session {session} cannot be read: {reason}")
    if built.without_pdf:
        left = counted(built.without_pdf, "instance")
        print_text(f"No PDF of the figures of {left}: --all-pdf draws them.")
    pages, size = counted(built.pages, "page"), built.opening_bytes / 1e6
    print_text(f"{pages}; the opening page loads {size:.1f} MB at most. Open:")
    print(built.folder / "index.html")


def as_document(material: Material, built: Built) -> dict[str, Any]:
    """The same as a JSON object."""
    return {
        "sources": [*material.sources],
        "runs": len(material.rows),
        "missing": material.missing,
        "corrupt": [{"record": path, "reason": reason} for path, reason in material.corrupt],
        "sessions_lost": [{"session": name, "reason": reason} for name, reason in material.lost],
        "folder": built.folder,
        "pages": built.pages,
        "opening_bytes": built.opening_bytes,
        "without_pdf": built.without_pdf,
    }
