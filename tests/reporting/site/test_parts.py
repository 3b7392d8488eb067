"""Addresses, cells and figures: harmless for any name, true to their numbers."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting.figures import figure_style, occupancy
from rsjs.reporting.figures.methods import gaps
from rsjs.reporting.site import instance_page, pages, plots
from rsjs.reporting.site.pages import breakable
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table, html_cell


@given(st.text(), st.text())
def test_any_name_is_a_file_name_of_its_own(one, other):
    names = [pages.slug(name) for name in (one, other)]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{8,73}", name) for name in names)
    assert (names[0].lower() == names[1].lower()) == (one == other)


@given(st.text(), st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_nothing_in_a_cell_or_in_embedded_json_is_taken_for_html(text, value):
    made = html_cell(text, "", "", "", False, "../")
    assert not re.search("[<>\"']", made.removeprefix("<td>").removesuffix("</td>"))
    assert "<" not in str(breakable(text)).replace("<wbr>", "")
    embedded = plots.harmless(value)
    assert not re.search("[<>&]", embedded)
    assert json.loads(embedded) == value


def test_coordinates_are_short_and_never_nan():
    made = plots.embedded({"x": [1 / 3, np.float64("nan"), np.inf, np.int64(7)]})
    assert made == '{"x":[0.333333,null,null,7]}'


def test_numbers_are_sorted_by_value_where_their_text_is_none():
    columns = [Column("name", "name"), Column("gap", "gap", formats.percent)]
    rows = [{"name": "a", "gap": 4e-7}, {"name": "b", "gap": 0.5}, {"name": "c", "gap": None}]
    assert Table(columns=columns, rows=rows).html().splitlines() == [
        '<tr><td>a</td><td data-k="4e-07" class="n">&lt;0.001</td></tr>',
        '<tr><td>b</td><td class="n">50</td></tr>',
        f'<tr><td>c</td><td class="n">{formats.MISSING}</td></tr>',
    ]


def test_a_long_text_may_break_and_one_link_of_a_line_is_reached_by_keyboard():
    columns = [Column("method", "method"), Column("message", "message")]
    rows = [{"method": "m", "message": "word " * 30}]
    html = Table(columns=columns, rows=rows, link=lambda line, key: "x.html").html("../")
    assert '<a href="../x.html">m</a>' in html
    assert html.count('tabindex="-1"') == 1
    assert 'class="wide"' in html


@pytest.mark.parametrize("count", [1, 120, 121, 5000])
def test_a_thinned_curve_keeps_its_ends(count):
    kept = plots.places(count)
    assert len(kept) == min(count, 120)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert kept == sorted(kept)


def test_a_distribution_ends_at_the_share_that_is_there():
    values = pd.DataFrame({"a": [0.01, 0.02, np.nan, 0.08], "b": [np.nan] * 4})
    made = plots.figure_plot(gaps(values), figure_style.styles(["a", "b"])).data
    assert made[0]["x"] == [0.001, 1.0, 2.0, 8.0, 100.0]
    assert (made[0]["y"], made[1]["y"]) == ([0.0, 0.25, 0.5, 0.75, 0.75], [0.0, 0.0])


def test_blocks_are_coloured_between_the_ends_of_the_scale():
    place = occupancy.scale([1.0, 10.0, 1000.0])
    assert [place(value) for value in (1.0, 1000.0)] == [0.0, 1.0]
    assert place(10.0) == pytest.approx(1 / 3)
    assert occupancy.scale([2.0, 4.0])(3.0) == 0.5
    assert occupancy.colour(0.0) == ("#440154", "#fff")
    assert occupancy.colour(1.0) == ("#fde725", "#000")


def test_every_job_is_a_box_and_a_bar(decide):
    from rsjs.reporting.figures.occupancy import shelves

    instance, solution = decide(3, [(0, 4), (1, 2), (1, "half"), (1, "quarter"), None], spare=1)
    on = shelves(instance, solution)
    picture = occupancy.scene(instance, on)
    jobs = [box for box in picture.boxes if box.kind == "job"]
    assert sorted(box.label for box in jobs) == ["j0", "j1", "j2", "j3"]
    widths = {box.label: box.width for box in jobs}
    assert widths["j0"] == pytest.approx(2 * widths["j1"]) == pytest.approx(8 * widths["j2"])
    assert sum(box.kind == "idle" for box in picture.boxes) == 1
    assert all(box.x >= 0 and box.x + box.width <= picture.width + 1 for box in jobs)
    bars = plots.figure_plot(instance_page.gantt(instance, on), {}).data
    assert sum(len(trace["x"]) for trace in bars) == 4
    jobs = {told.split()[0] for trace in bars for told in trace["hovertext"]}
    assert jobs == {"j0", "j1", "j2", "j3"}
    assert {(t["name"], end > 5.0) for t in bars for end in t["x"]} == {
        *[("late", True), ("in time", False)]  # due at 5
    }
