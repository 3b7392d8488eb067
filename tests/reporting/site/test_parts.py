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
from rsjs.reporting.site import pages, plots
from rsjs.reporting.site.pages import breakable
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table


@given(st.text(), st.text())
def test_any_name_is_a_file_name_of_its_own(one, other):
    names = [pages.slug(name) for name in (one, other)]
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{8,73}", name) for name in names)
    assert (names[0].lower() == names[1].lower()) == (one == other)


@given(st.text(), st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_nothing_in_a_cell_or_in_embedded_json_is_taken_for_html(text, value):
    made = Table(columns=[Column("text", "text")], rows=[{"text": text}]).html("../")
    assert not re.search("[<>\"']", re.sub(r"^<tr><td( class=.wide.)?>|</td></tr>$", "", made))
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


def test_blocks_are_coloured_between_the_ends_of_the_scale(decide):
    on = occupancy.shelves(*decide(3, [(0, 4), (1, 1), (2, 1)]))  # 0.25, 2 and 3 h
    ends = occupancy.time_steps(on)
    assert ends == pytest.approx(0.25 * 12 ** (np.arange(1, 6) / 5))  # more than a decade apart
    assert occupancy.time_steps(on[1:]) == pytest.approx([2.2, 2.4, 2.6, 2.8, 3.0])
    assert occupancy.time_steps(on[:1]) == [0.25]
    assert occupancy.time_steps([]) == []


def test_every_job_is_a_box(decide):
    instance, solution = decide(3, [(0, 4), (1, 2), (1, "half"), (1, "quarter"), None], spare=1)
    figure = occupancy.occupancy_figure(instance, solution, columns=1)
    made = {trace["name"]: trace for trace in plots.figure_plot(figure, {}).data if trace["name"]}
    assert made.pop("idle")["x"] == [1]
    widths = {
        label: width
        for trace in made.values()
        for label, width in zip(trace.get("text", ()), trace["x"], strict=True)
    }
    assert widths == {"j0": 4, "j1": 2, "j2": 0.5, "j3": 0.25}
    tips = {tip.split(":")[0]: tip for trace in made.values() for tip in trace.get("hovertext", ())}
    assert {*tips} == {*widths}
    assert all(tip.endswith("due at 5 h") for tip in tips.values())
