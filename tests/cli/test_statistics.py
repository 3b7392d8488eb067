"""`rsjs statistics` on what `rsjs compare` stored, and on rows made up."""

import pytest

from rsjs.rows.csv import csv_text, read_rows

pytestmark = pytest.mark.usefixtures("blank")


TITLES = ["Summary", "Runs", "Costs", "Time to solve", "Over time", "Pairs by time"]
TITLES += ["Pairs by cost", "Ranks by time", "Ranks by cost", "Virtual best", "Fairness"]


def made(folder, *, methods=2, **changes):
    """A folder with the rows of a few methods on six instances; the k-th takes k seconds."""
    rows = [
        {
            "instance": f"i{i}",
            "instance_sha256": f"{i:064x}",
            "method": f"m{k}",
            "stop": "optimal",
            "status": "ok",
            "objective": 10.0,
            "bound": 10.0,
            "total_s": float(k),
            "time_limit": 10.0,
            "gap_limit": 1e-4,
            "threads": 1,
            "seed": 0,
        }
        | (changes if k == 1 else {})
        for i in range(6)
        for k in range(1, methods + 1)
    ]
    folder.mkdir()
    (folder / "rows.csv").write_text(csv_text(rows))
    return folder


@pytest.mark.process
def test_a_stored_comparison_is_analysed(rsjs, folder, tmp_path):
    line = ("--methods", "greedy:code,edf:paper", "-o", tmp_path / "stored")
    assert rsjs("compare", folder / "small.json", *line).code == 0
    stored = tmp_path / "stored" / "rows.csv"
    quiet = dict.fromkeys(("load_before", "load_after"))  # however busy this machine is
    stored.write_text(csv_text([row | quiet for row in read_rows(stored)]))
    ended = rsjs("statistics", tmp_path / "stored", "-o", tmp_path / "out")
    assert ended.code == 0
    assert [line.strip() for line in ended.out.splitlines() if line.strip() in TITLES] == TITLES
    assert ": runs 1; " in ended.out
    assert "UNFAIR" not in ended.out
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"statistics.md", "summary.tex", "counts.csv", "targets.png"} <= written


def test_without_events_it_is_told_what_is_missing(rsjs, tmp_path):
    output = rsjs("statistics", made(tmp_path / "rows")).output
    assert "Over time" not in output
    assert "they need events.json beside every rows.csv" in output
    assert [path.name for path in tmp_path.iterdir()] == ["rows"]


@pytest.fixture
def families(tmp_path):
    """Two methods on three instances of jahani; the first of them on three of sts."""
    path = made(tmp_path / "families") / "rows.csv"
    text = path.read_text()
    for i in range(6):
        text = text.replace(f"i{i},", f"{'jahani' if i < 3 else 'sts'}-i{i},")
    lines = [line for line in text.splitlines() if not ("sts-" in line and ",m2," in line)]
    path.write_text("\n".join([*lines, ""]))
    return path.parent


def test_families_are_analysed_one_by_one(rsjs, families, tmp_path):
    ended = rsjs("statistics", families, "-o", tmp_path / "out")
    assert ended.out.startswith("2 families, each by itself: jahani, sts.\n\nFamily jahani\n")
    assert "UNFAIR" not in ended.out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"jahani", "sts"}
    counts = [(tmp_path / "out" / name / "counts.csv").read_text() for name in ("jahani", "sts")]
    told = [[line[:5] for line in text.splitlines()[1:]] for text in counts]
    assert told == [["m1,3,", "m2,3,"], ["m1,3,"]]
    found = rsjs("statistics", families, "--json").json["families"]
    assert [line["primal_mean"] for line in found["jahani"]["costs"]] == [0.0, 0.0]


def test_one_family_is_asked_for(rsjs, families, tmp_path):
    ended = rsjs("statistics", families, "--family", "sts", "--json", "-o", tmp_path / "out")
    assert [line["method"] for line in ended.json["counts"]] == ["m1"]
    assert (tmp_path / "out" / "counts.csv").exists()
    refusal = rsjs("statistics", families, "--family", "kiros").refusal
    assert "--family: found 'kiros', expected one of jahani, sts" in refusal


def test_an_unfair_comparison_is_marked(rsjs, tmp_path):
    ended = rsjs("statistics", made(tmp_path / "rows", threads=8))
    assert "UNFAIR" in ended.out
    assert "threads differs on 6 instances: 8 (m1), 1 (m2)" in " ".join(ended.out.split())


def test_json_holds_every_table_at_full_precision(rsjs, tmp_path):
    ended = rsjs("statistics", made(tmp_path / "rows"), "--json", "--shift", "3")
    first, second = ended.json["times"]
    assert (first["method"], first["solved"]) == ("m1", 6)
    assert first["penalised"] == pytest.approx(1.0)
    assert second["ratio"] == pytest.approx(2.0)
    [pair] = ended.json["pairs-by-time"]
    assert (pair["wins"], pair["p"], pair["holm"]) == (6, 0.03125, 0.03125)
    assert (ended.json["fairness"][0]["weight"], ended.json["files"]) == ("note", [])


def test_own_proof_is_asked_for(rsjs, tmp_path):
    rows = made(tmp_path / "rows", bound=9.0)
    for line, solved in ((), 6), (("--proved",), 0), (("--proved", "--target", "0.2"), 6):
        first = rsjs("statistics", rows, "--json", *line).json["times"][0]
        assert first["solved"] == solved


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("--target", "2"), "--target: found 2.0, expected a relative gap in [0, 1]"),
        (("--shift", "0.99"), "--shift: found 0.99, expected a number of seconds >= 1"),
    ],
)
def test_bad_options_are_told_in_one_line(rsjs, tmp_path, line, told):
    assert told in rsjs("statistics", made(tmp_path / "rows"), *line).refusal


def test_seconds_that_are_all_0_are_analysed(rsjs, tmp_path):
    ended = rsjs("statistics", made(tmp_path / "rows", total_s=0.0), "--json")
    assert ended.code == 0
    assert [line["ratio"] for line in ended.json["times"]] == [1.0, None]
    assert rsjs("statistics", tmp_path / "rows", "-o", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"options": "{"}, "rows.csv: row 1, options: found '{', expected a JSON object"),
        ({"total_s": -1.0}, "rows.csv: row 1, total_s: found -1.0, expected a number >= 0"),
        ({"time_limit": 0.0}, "row 1, time_limit: found 0.0, expected a number > 0"),
        ({"status": "fine"}, "row 1, status: found 'fine', expected one of ok, no_solution, "),
        ({"stop": "bored"}, "row 1, stop: found 'bored', expected one of optimal, gap, "),
        ({"total_s": "long"}, "rows.csv: row 1, total_s: found 'long', expected a number"),
        ({"time_limit": "x"}, "rows.csv: row 1, time_limit: found 'x', expected a number"),
        ({"objective": "dear"}, "rows.csv: row 1, objective: found 'dear', expected a number"),
    ],
)
def test_rows_that_make_no_sense_are_told_in_one_line(rsjs, tmp_path, changes, told):
    assert told in rsjs("statistics", made(tmp_path / "rows", **changes)).refusal


def test_rows_that_are_given_twice_are_refused(rsjs, tmp_path):
    rows = made(tmp_path / "rows")
    assert "found m1 on i0 with seed 0 as in row 1" in rsjs("statistics", rows, rows).refusal


def test_a_folder_without_rows_is_told(rsjs, tmp_path):
    assert "rows.csv: found No such file" in rsjs("statistics", tmp_path).refusal


def test_a_baseline_leaves_the_pairs_with_it_only(rsjs, tmp_path):
    stored = made(tmp_path / "rows", methods=3)
    found = rsjs("statistics", stored, "--baseline", "m2", "--json").json
    for name in ("pairs-by-time", "pairs-by-cost"):
        assert [(line["one"], line["other"]) for line in found[name]] == [
            ("m1", "m2"),
            ("m3", "m2"),
        ]
    refusal = rsjs("statistics", stored, "--baseline", "m9").refusal
    assert "--baseline: found 'm9', expected one of m1, m2, m3" in refusal
