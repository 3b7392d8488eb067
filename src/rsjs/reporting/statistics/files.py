"""All tables and pictures of an analysis, written to a folder."""

from __future__ import annotations

from pathlib import Path

from rsjs.instances.io.files import write_bytes
from rsjs.reporting.figures.methods import pictures
from rsjs.reporting.statistics import sheet_text
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import sheets


def write_all(analysis: Analysis, folder: str | Path) -> list[Path]:
    """
    Write statistics.md, statistics.tex, one CSV for each table, and the pictures.

    Returns
    -------
    list of Path
        The files.
    """
    folder, told = Path(folder), analysis.conditions()
    made = sheets(analysis)
    texts = {
        "statistics.md": sheet_text.markdown(made, told),
        "statistics.tex": sheet_text.latex(made, told),
        **{f"{sheet.name}.csv": sheet_text.csv(sheet) for sheet in made},
    }
    for name, text in texts.items():
        write_bytes(text.encode(), folder / name)
    drawn = {folder / f"{picture.name}.png": picture.draw for picture in pictures(analysis)}
    for path, draw in drawn.items():
        draw(path)
    return [*(folder / name for name in texts), *drawn]
