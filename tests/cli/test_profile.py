"""`rsjs profile`: from measurements to instances."""

import pytest

HEADER = "application,gpu,gpus,batch,seconds\n"
ROWS = "".join(
    f"net,T4,{k},{b},{(4 + 2 * b + 3 * (k - 1)) / 1000}\n" for k in (1, 2, 4, 8) for b in (8, 16)
)


@pytest.fixture
def measured(tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text(HEADER + ROWS)
    return path


def test_every_row_and_every_law_are_told(measured, rsjs):
    ended = rsjs("profile", measured, "--json")
    assert (ended.code, ended.err) == (0, "")
    (fit,) = ended.json["fits"]
    assert fit["coefficients_ms"]["beta"] == pytest.approx(2, rel=1e-3)
    assert fit["coefficients_ms"]["c1"] == pytest.approx(3, rel=1e-2)
    assert [row["line"] for row in fit["rows"]] == [*range(2, 10)]
    assert fit["largest_error"] < 1e-4
    assert fit["spare_rows"] == 2
    text = rsjs("profile", measured).out
    assert "net on T4: alpha 4, beta 2" in text
    assert "+0.0 %" in text
    assert "Written" not in text


def test_a_catalogue_is_written_extended_and_drawn_from(measured, rsjs, tmp_path):
    catalogue, more = tmp_path / "c.json", tmp_path / "more.csv"
    assert rsjs("profile", measured, "-o", catalogue).code == 0
    more.write_text(f"{HEADER}other,V100,1,4,0.5\nother,V100,2,4,0.6\n")
    output = rsjs("profile", more, "-o", catalogue).output
    assert "not determined by these rows, set to 0: alpha, c1, c0, rho" in output
    assert "no more rows than coefficients" in output
    arguments = ("-N", 4, "-J", 12, "--profiles", catalogue)
    made = rsjs("generate", "andreas", *arguments, "-o", tmp_path / "i.json", "--json")
    assert (made.code, made.json["name"]) == (0, "andreas-c-at0-N4-J12-s1")
    shown = rsjs("show", tmp_path / "i.json", "--json").json
    assert {*shown["applications"]} == {"net", "other"}
    assert (
        rsjs(
            "generate", "andreas", "--arrivals", "mixed", *arguments, "-o", tmp_path / "w.json"
        ).code
        == 0
    )


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("net,T5,1,8,0.1\n", "/2/gpu: found 'T5', expected one of K80"),
        ("net,T4,1,8,fast\n", "/2/seconds: found 'fast'"),
        ("net,T4,1,8,-1\n", "/2/seconds: found '-1'"),
    ],
)
def test_bad_rows_are_refused_and_nothing_is_written(rows, told, rsjs, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(HEADER + rows)
    assert told in rsjs("profile", path, "-o", tmp_path / "c.json").refusal
    assert not (tmp_path / "c.json").exists()


def test_a_gpu_type_of_the_catalogue_may_be_measured(rsjs, tmp_path):
    path, catalogue = tmp_path / "m.csv", tmp_path / "c.json"
    path.write_text(f"{HEADER}net,H100,1,8,0.1\n")
    gpu = '{"memory_gb": 80, "node_base_w": 300, "train_w": 600}'
    catalogue.write_text(
        f'{{"format": "rsjs-catalogue/1", "gpu_types": {{"H100": {gpu}}}, "applications": {{}}}}'
    )
    assert "measured on one GPU only" in rsjs("profile", path, "-o", catalogue).output
    made = rsjs("generate", "andreas", "-N", 2, "--profiles", catalogue, "-o", tmp_path / "i.json")
    assert made.code == 0


def test_a_missing_catalogue_is_told_by_the_generator(rsjs, tmp_path):
    arguments = ("--profiles", tmp_path / "none.json", "-o", tmp_path / "i.json")
    refusal = rsjs("generate", "andreas", "-N", 2, *arguments).refusal
    assert "none.json: found No such file" in refusal
