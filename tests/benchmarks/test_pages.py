"""The pages say what the stored rows say."""

from itertools import product
from math import nan

import pytest

from docs.make import claims as page
from docs.make import readme
from docs.make.formulations import cell
from docs.make.pages import DOCS, PAGES, filled
from docs.make.pages import page as made
from rsjs.paper_claims.claim import claims, experiments


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_stored_rows_make_of_it(name):
    assert (DOCS / f"{name}.md").read_text("utf-8") == made(name)


@pytest.mark.usefixtures("sources")
def test_the_table_of_readme_is_what_the_stored_rows_make_of_it():
    assert readme.README.read_text("utf-8") == readme.text()


def test_a_page_without_the_block_of_a_table_is_an_error():
    assert filled("<!-- a -->\nold\n<!-- /a -->.", {"a": lambda: "new\n"}) == (
        "<!-- a -->\nnew\n<!-- /a -->."
    )
    with pytest.raises(ValueError, match="found no block <!-- a -->"):
        filled("<!-- b -->", {"a": str})


PROVED = {"status": "ok", "stop": "optimal", "own_gap": 1e-5, "gap_limit": 1e-4, "s": 12.5}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "12.5"),
        # the best cost, as another method's bound tells, and no proof
        ({"stop": "time_limit", "own_gap": 0.029}, "limit (2.9 %)"),
        ({"stop": "time_limit", "own_gap": 0.93}, "limit (93 %)"),
        ({"stop": "time_limit", "own_gap": nan}, "limit (no bound)"),
        ({"stop": "time_limit", "status": "no_solution", "own_gap": nan}, "limit (no)"),
        ({"stop": "memory_limit", "status": "no_solution", "own_gap": nan}, "memory limit (no)"),
        ({"status": "wrong"}, "optimal (wrong)"),
    ],
)
def test_a_limit_of_formulations_is_no_time(changes, text):
    assert cell(PROVED | changes) == text


def test_every_claim_with_an_experiment_has_a_value_from_stored_rows():
    missing = {name for name, values in page.our_values().items() if not values}
    assert missing == {name for name, claim in claims().items() if not claim.experiment}


def test_no_stored_run_failed():
    for name in experiments():
        rows = page.rows_of(name)
        assert {row.get("status", "ok") for row in rows} <= {"ok", "complete", "no_solution"}, name


@pytest.mark.parametrize("name", ["sts-policies", "sts-sharing"])
def test_where_a_campaign_is_the_evidence_it_ran_the_experiment_of_the_paper(name):
    wanted = experiments()[name].of_size("paper")
    sizes = (int(size.split("x")[0]) for size in wanted["sizes"])
    runs = product(wanted["cases"], wanted["methods"], sizes, wanted["seeds"])
    found = [
        (row["case"], row["method"], row["nodes"], int(row["instance"].rpartition("-s")[2]))
        for row in page.rows_of(name)
    ]
    assert sorted(found) == sorted(runs)


def test_a_policy_that_costs_what_another_one_does_tests_no_claim():
    rows = page.rows_of("sts-policies")
    dp, mean_dp = (
        [row["objective"] for row in rows if row["method"] == name]
        for name in ("dp:fastest", "dp:fastest?epochs=mean")
    )
    assert dp == mean_dp
    assert claims()["sts-fig5-avgdp"].no_verdict == "not tested"
