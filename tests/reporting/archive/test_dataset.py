"""The data package: its card says what is there, and the same sources give the same bytes."""

import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from rsjs.instances.io.files import read_instance
from rsjs.instances.library.sets import library_set
from rsjs.reporting.archive.dataset import Options, export
from rsjs.rows.csv import read_rows, read_table

RESULTS = Path(__file__).parents[3] / "results"
TINY = library_set("tiny")
RECIPE = {"name": "a-model", "method": "jahani_literal", "rows": 691, "bound": 0.5}


def _write_models(folder):
    folder.mkdir()
    (folder / "a-model.mps.gz").write_bytes(b"NAME a-model")
    yield folder / "a-model.mps.gz"


OPTIONS = Options(
    sets=(TINY, replace(TINY, name="again")),
    recipes=[RECIPE],
    write_models=_write_models,
    url="https://example.org/suite",
)

pytest.importorskip("jinja2")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "results"
    for name in ("best_known/jahani.jsonl", "smoke/rows.csv", "mig/placement.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(RESULTS / name, folder / name)
    shutil.copy(RESULTS / "README.md", folder)
    return folder


@pytest.fixture(scope="module")
def package(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "package"
    told = []
    made = export(results, folder, OPTIONS, told.append)
    assert made["instances"] == len(TINY.members)
    assert {one.name for one in TINY.members} <= set(told)
    return folder


def _files(folder):
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_the_same_sources_give_the_same_bytes(results, package, tmp_path):
    export(results, tmp_path / "twice", OPTIONS, str)
    assert _files(tmp_path / "twice") == _files(package)
    paths = [tmp_path / "twice", *(tmp_path / "twice").rglob("*"), package, *package.rglob("*")]
    assert len({path.stat().st_mtime for path in paths}) == 1  # packed they are the same, too


def test_the_sums_are_those_of_all_other_files(package):
    files = _files(package)
    lines = files.pop("SHA256SUMS").decode().splitlines()
    assert dict(line.split("  ")[::-1] for line in lines) == {
        name: sha256(data).hexdigest() for name, data in files.items()
    }


def test_a_member_of_two_sets_is_one_file(package):
    rows = read_table(package / "instances.csv")
    assert [row["set"] for row in rows] == ["tiny"] * 4 + ["again"] * 4
    assert len({row["file"] for row in rows}) == 4
    for row in rows:
        assert read_instance(package / row["file"]).digest == row["sha256"]


def test_values_are_those_of_the_members_with_their_histories(package):
    [row] = read_table(package / "best_known.csv")
    [line] = (package / "best_known/jahani.jsonl").read_text("utf-8").splitlines()
    entry = json.loads(line)
    assert row["sha256"] == entry["sha256"]
    assert row["sha256"] in {member.sha256 for member in TINY.members}
    assert (row["cost"], row["bound"]) == (entry["upper_bound"], entry["lower_bound"])


def test_models_are_recipes_and_on_request_files(results, package, tmp_path):
    [row] = read_table(package / "models.csv")
    assert row == {"name": "a-model", "file": "models/a-model.mps.gz", **RECIPE}
    assert (package / row["file"]).exists()
    export(results, tmp_path / "recipes", replace(OPTIONS, write_models=None), str)
    [row] = read_table(tmp_path / "recipes/models.csv")
    assert row == {"name": "a-model", "file": None, **RECIPE}
    assert not (tmp_path / "recipes/models").exists()
    assert "rsjs fetch-models" in (tmp_path / "recipes/README.md").read_text("utf-8")


def test_runs_are_in_one_table_and_others_as_they_are(results, package):
    runs = read_rows(package / "runs.parquet")
    assert {row.pop("table") for row in runs} == {"smoke/rows"}
    assert runs == read_rows(results / "smoke/rows.csv")
    files = _files(package)
    assert files["other/mig-placement.csv"] == (results / "mig/placement.csv").read_bytes()
    assert b"](../" not in files["other/README.md"]


def test_the_croissant_card_describes_every_table_and_file(package):
    card = json.loads((package / "croissant.json").read_text("utf-8"))
    assert card["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    needed = {"@context", "@type", "name", "description", "license", "url", "creator"}
    assert card.keys() >= needed | {"datePublished", "version", "distribution", "recordSet"}
    described = {"README.md", "LICENSE", "croissant.json", ".zenodo.json", "SHA256SUMS"}
    described |= {"rsjs_verify.py", "other/README.md"}
    for one in card["distribution"]:
        if one["@type"] == "cr:FileObject":
            data = (package / one["contentUrl"]).read_bytes()
            assert one["sha256"] == sha256(data).hexdigest()
            described.add(one["contentUrl"])
        else:
            found = {path.relative_to(package).as_posix() for path in package.glob(one["includes"])}
            assert found, one["includes"]
            described |= found
    assert described == set(_files(package))
    for one in card["recordSet"]:
        [file] = {field["source"]["fileObject"]["@id"] for field in one["field"]}
        columns = [field["source"]["extract"]["column"] for field in one["field"]]
        assert columns == [*read_table(package / file)[0]]
    ids = [one["@id"] for one in (*card["distribution"], *card["recordSet"])]
    ids += [field["@id"] for one in card["recordSet"] for field in one["field"]]
    assert len(ids) == len(set(ids))


def test_the_record_of_zenodo_is_that_of_data(package):
    record = json.loads((package / ".zenodo.json").read_text("utf-8"))
    assert record["upload_type"] == "dataset"
    assert record["license"] == "cc-by-4.0"
    assert not (package / "CITATION.cff").exists()  # Zenodo would not read it


@pytest.mark.parametrize("ended", [KeyboardInterrupt, OSError])
def test_nothing_is_left_of_a_package_that_is_broken_off(ended, results, tmp_path):
    def tell(name):
        if name == TINY.members[2].name:
            raise ended

    with pytest.raises(ended):
        export(results, tmp_path / "package", OPTIONS, tell)
    assert list(tmp_path.iterdir()) == []
