"""Pictures of an analysis: each is drawn, what it draws, the same bytes twice."""

import re

import numpy as np
import pandas as pd
import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.methods import gaps, pairwise_times, profiles, rank_bars, targets
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import write_all

pytestmark = pytest.mark.slow

PICTURES = ["costs.png", "gaps.png", "targets.png", "ranking.png", "ranks-by-cost.png"]
PICTURES += ["profiles.png", "times.png", "ranks-by-time.png"]
NAN = float("nan")


def words(picture):
    """The text of an SVG, in its order."""
    return re.findall(r">([^<>\n]+)</text>", picture.read_text())


def test_all_files_are_written_and_the_same_twice(rows, tmp_path):
    one, again = (write_all(Analysis(rows=rows), tmp_path / name) for name in "ab")
    assert [path.name for path in one if path.suffix == ".png"] == PICTURES
    assert {path.suffix for path in one} == {".md", ".tex", ".csv", ".png", ".pdf"}
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in again]
    alone = [row | {"events": None} for row in rows if row["method"] == "exact"]
    written = write_all(Analysis(rows=alone), tmp_path / "alone")
    assert [path.name for path in written if path.suffix == ".png"] == ["costs.png", "gaps.png"]


@pytest.fixture
def times(table):
    """Eight methods; the last one fails everywhere."""
    rng = np.random.default_rng(0)
    return table({f"m{i}": rng.lognormal(i / 4, 1.0, 10) for i in range(8)}).assign(m7=NAN)


def test_profiles_pair_the_best_with_the_five_that_follow(times, tmp_path):
    found = words(write(profiles(times[times.columns[::-1]]), tmp_path / "profiles.svg"))
    pairs = [text for text in found if text.startswith("and ")]
    assert pairs == ["and m6", "and m5", "and m4", "and m3", "and m2"]
    assert [text for text in found if re.fullmatch(r"m\d", text)][-8:] == [*times.columns[::-1]]


def test_the_legend_and_title_hold_names_with_signs_of_mathematics(table, tmp_path):
    found = table({"a$b_c": [0.1, 0.0], "d^e": [NAN, NAN]})
    found = words(write(gaps(found), tmp_path / "gaps.svg"))
    assert {"a$b_c", "d^e", "gap to the best bound [%]", "≤ 0.001"} <= {*found}


def test_targets_end_at_the_limit(rows, tmp_path):
    hits = Analysis(rows=rows).hits
    found = words(write(targets(hits, 10.0), tmp_path / "targets.svg"))
    assert {"0.001", "10", "share of targets"} <= {*found}


def test_the_best_is_set_against_the_six_that_follow(times, tmp_path):
    limits = pd.Series(60.0, index=times.index)
    found = words(write(pairwise_times(times, limits), tmp_path / "times.svg"))
    assert [text for text in found if re.fullmatch(r"m\d", text)] == [f"m{i}" for i in range(1, 7)]
    assert "m0 [s]" in found


def test_bars_tell_the_ranks_that_are_wide_enough(tmp_path):
    shares = pd.DataFrame([[0.97, 0.03], [0.03, 0.97]], index=["a", "b"], columns=[1, 2])
    found = words(write(rank_bars(shares, "cost"), tmp_path / "ranks.svg"))
    assert [text for text in found if text in "12"] == ["1", "2"]


def test_methods_that_solve_nothing_are_drawn(table, tmp_path):
    times = table({"a": [NAN, NAN], "b": [NAN, NAN]})
    limits = pd.Series(10.0, index=times.index)
    for picture in (
        write(profiles(times), tmp_path / "profiles.png"),
        write(pairwise_times(times, limits), tmp_path / "times.png"),
    ):
        assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"a picture's suffix"):
        write(profiles(times), tmp_path / "profiles.bmp")
