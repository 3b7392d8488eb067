"""The pages on claims and workloads say what the stored rows say."""

from itertools import product

import pytest

from benchmarks import claims as page
from benchmarks import online, online_page, sts_campaign, sts_campaign_page
from benchmarks.online_rows import Runs
from rsjs.paper_claims import files
from rsjs.paper_claims.sts import DP, MEAN_DP
from rsjs.rows.csv import read_rows


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("claims", page.page),
        ("online", lambda: online_page.page(Runs.of(read_rows(online.ROWS)))),
        ("sts-campaign", lambda: sts_campaign_page.page(Runs.of(read_rows(sts_campaign.ROWS)))),
    ],
)
def test_a_page_is_what_the_stored_rows_make_of_it(name, made):
    assert (page.DOCS / f"{name}.md").read_text("utf-8") == made()


def test_every_claim_with_an_experiment_has_a_value_from_stored_rows():
    missing = {name for name, values in page.our_values().items() if not values}
    assert missing == {name for name, claim in files.claims().items() if not claim.experiment}


def test_no_stored_run_failed():
    for name in files.experiments():
        rows = page.rows_of(name)
        assert {row.get("status", "ok") for row in rows} <= {"ok", "complete", "no_solution"}, name


@pytest.mark.parametrize("name", ["sts-policies", "sts-sharing"])
def test_where_a_campaign_is_the_evidence_it_ran_the_experiment_of_the_paper(name):
    wanted = files.experiments()[name].of_size("paper")
    sizes = (int(size.split("x")[0]) for size in wanted["sizes"])
    runs = product(wanted["cases"], wanted["policies"], sizes, wanted["seeds"])
    found = [
        (row["case"], row["method"], row["nodes"], int(row["instance"].rpartition("-s")[2]))
        for row in page.rows_of(name)
    ]
    assert sorted(found) == sorted(runs)


def test_a_policy_that_costs_what_another_one_does_tests_no_claim():
    rows = page.rows_of("sts-policies")
    dp, mean_dp = ([row["objective"] for row in rows if row["method"] == m] for m in (DP, MEAN_DP))
    assert dp == mean_dp
    assert files.claims()["sts-fig5-avgdp"].no_verdict == "not tested"
