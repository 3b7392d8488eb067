"""docs/claims.md says what the stored rows say."""

from benchmarks import claims as page
from rsjs.experiments.claims import files
from rsjs.reporting.claim_table import shown
from rsjs.reporting.markdown_table import escaped


def test_the_page_is_what_the_stored_rows_make_of_it() -> None:
    assert (page.DOCS / "claims.md").read_text("utf-8") == page.page()


def test_values_and_verdicts_on_the_page_are_those_of_the_rows() -> None:
    lines = (page.DOCS / "claims.md").read_text("utf-8").splitlines()
    found = page.our_values()
    for name, claim in files.claims().items():
        (line,) = [line for line in lines if line.startswith(f"| `{name}` |")]
        assert f"| {escaped(shown(claim, found[name]))} |" in line
        assert f"| **{claim.verdict(found[name])}** |" in line


def test_every_claim_with_an_experiment_has_a_value_from_stored_rows() -> None:
    missing = {name for name, values in page.our_values().items() if not values}
    assert missing == {name for name, claim in files.claims().items() if not claim.experiment}


def test_no_stored_run_failed() -> None:
    for name in files.experiments():
        rows = page.rows_of(name)
        assert {row.get("status", "ok") for row in rows} <= {"ok", "complete", "no_solution"}, name
