"""What an archive holds of campaigns of simulations: workloads, tables, and logs that hold."""

import gzip
import json
import re
import shutil

import pytest

from rsjs.campaigns.collection import collect
from rsjs.campaigns.store import Store
from rsjs.cli.main import main
from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.instances.io.files import read_workload, write_workload
from rsjs.reporting.archive.ijoc import export

pytestmark = pytest.mark.process

CAMPAIGN = """
format = "rsjs-campaign/1"
name = "{name}"
shows = "a test"
timing = "shared"
[limits]
time_s = 30
memory_mb = 2000
[[workloads]]
{instances}
[[policies]]
run = ["queue:edf", "queue:pedf"]
{methods}
"""


@pytest.fixture(scope="module")
def stores(tmp_path_factory, carried):
    """A campaign whose seeds draw errors of the times, and one that reads its workload."""
    folder = tmp_path_factory.mktemp("simulations")
    write_workload(sts.workload(nodes=2, jobs=5, seed=1), folder / "given.json")
    errors = "seeds = [1, 2]\n[simulation]\ndeviation = 0.2"
    return [
        carried(folder / name, campaign=CAMPAIGN, name=name, instances=workloads, methods=options)
        for name, workloads, options in (
            ("errors", 'generator = "sts"\nsizes = ["2x5"]', errors),
            ("read", 'files = ["given.json"]', ""),
        )
    ]


@pytest.fixture(scope="module")
def simulated(stores, repository, known, tmp_path_factory):
    """An archive that tests read and never write."""
    folder = tmp_path_factory.mktemp("archive") / "made"
    made = export(stores, folder, known, root=repository[0])
    assert (made["instances"], made["solutions"], made["logs"]) == (1, 0, 3)
    return folder


def test_workloads_and_the_log_of_the_cheapest_run_of_each_are_there(simulated, stores):
    (workload,) = (simulated / "data").glob("*.json.gz")
    assert read_workload(workload).name.endswith("N2-J5-s1")
    logs = simulated / "results/best_logs"
    name = workload.name.removesuffix(".json.gz")
    found = sorted(str(path.relative_to(logs)) for path in logs.rglob("*.gz"))
    kept = (f"errors/{name}-seed1", f"errors/{name}-seed2", f"read/{name}")
    assert found == [f"{path}.jsonl.gz" for path in kept]
    for store in stores:
        rows = [row for row in collect([store]).rows if row["objective"] is not None]
        for path in (logs / rows[0]["campaign"]).iterdir():
            end = json.loads(gzip.decompress(path.read_bytes()).splitlines()[-1])
            seed = re.search(r"seed(\d)", path.name)
            told = [row["objective"] for row in rows if not seed or row["seed"] == int(seed[1])]
            assert end["totals"]["cost"] == min(told)


def test_the_pages_tell_of_logs_and_of_no_solutions(simulated):
    readme = (simulated / "README.md").read_text()
    assert readme.count("results/best_logs/") == 3
    assert "best_solutions" not in readme
    assert "### Solutions" not in readme
    assert "rsjs-workload/1" in (simulated / "data/README.md").read_text()
    campaign = (simulated / "scripts/read.toml").read_text()
    assert re.search(r'files = \["../data/sts-.*json.gz"\]', campaign)


def test_a_log_of_the_archive_is_simulated_again(simulated, tmp_path):
    (workload,) = (simulated / "data").glob("*.json.gz")
    for log in (simulated / "results/best_logs").rglob("*.gz"):
        assert main(["simulate", str(workload), "--replay", str(log), "-o", str(tmp_path)]) == 0


def test_a_log_that_refutes_its_row_is_refused(stores, repository, known, sign, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(stores[1], store)
    priced = [row for row in collect([store]).rows if row["objective"] is not None]
    cheapest = min(priced, key=lambda row: (row["objective"], row["run_id"]))
    run = Store(store).path(cheapest["run_id"])
    lines = gzip.decompress((run / "simulation.jsonl.gz").read_bytes()).splitlines()
    end = json.loads(lines[-1])
    end["totals"]["cost"] *= 0.5
    text = b"\n".join([*lines[:-1], json.dumps(end).encode()])
    (run / "simulation.jsonl.gz").write_bytes(gzip.compress(text))
    sign(run, "simulation.jsonl.gz")
    with pytest.raises(InputError, match=r"simulation.jsonl.gz: /totals/cost: found "):
        export([store], tmp_path / "made", known, root=repository[0])
