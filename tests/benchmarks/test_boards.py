"""The board of made-up runs that is measured."""

import pytest

from benchmarks.suites.boards import made_results
from rsjs.reporting.site.board import write_board
from rsjs.reporting.site.board_rankings import MOST_BYTES


@pytest.mark.usefixtures("sources")
def test_a_board_of_made_up_runs_has_them_all_on_small_pages(tmp_path):
    made_results(tmp_path / "results", instances=12, methods=2, runs=100)
    made = write_board(tmp_path / "results", tmp_path / "site")
    assert (made["runs"], made["instances"]) == (100, 12)
    assert made["largest_bytes"] < MOST_BYTES < 3_000_000
    assert len([*(tmp_path / "site" / "methods").iterdir()]) == 6
