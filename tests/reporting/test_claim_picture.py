"""Pictures of experiments: nothing is cut off, however many cases and however long the names."""

from __future__ import annotations

import pytest

from rsjs.reporting import claim_picture

LONG = "hierarchical?controllers=10,method=first_ending_patterns@highs"


@pytest.mark.parametrize(("cases", "columns"), [(1, 1), (2, 2), (4, 2), (6, 3)])
def test_the_legend_is_whole_and_panels_stand_in_rows(cases: int, columns: int) -> None:
    rows = [
        {"case": f"case {c}", "nodes": n, "method": method, "objective": float(n + c + 1)}
        for c in range(cases)
        for n in (10, 20)
        for method in ("greedy:paper", "edf:code", LONG)
    ]
    made = claim_picture._drawn(rows, {"x": "nodes", "y": "objective", "log": True})
    made.canvas.draw()
    (legend,) = made.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= made.bbox.width
    assert [text.get_text().replace("\n", "") for text in legend.get_texts()][-1] == LONG
    assert [axes.get_title() for axes in made.axes] == [f"case {c}" for c in range(cases)]
    assert len({round(axes.get_position().x0, 2) for axes in made.axes}) == columns
