"""Readers take in no more than memory bears, and wait for nobody; small files ask for little."""

import gzip
import json
import os
import tracemalloc
from collections import Counter

import pytest

from rsjs import rsjs_verify
from rsjs.campaigns.spec import read_toml
from rsjs.core.errors import InputError
from rsjs.instances import bin_packing, costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.catalogue.epoch_models import read_distribution
from rsjs.instances.check import check
from rsjs.instances.io import bounded_files, deserialization
from rsjs.instances.io.bounded_files import MOST_BYTES, read_bytes, unpacked
from rsjs.instances.io.csv_tables import read_rows
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.files import read_any, read_instance
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.instances.profiles.fitting import read_measurements
from rsjs.instances.solution import Solution
from rsjs.instances.traces.io.streams import list_sources
from rsjs.rows.csv import read_rows as read_results

READERS = {
    "instance": read_any,
    "lines": read_json_lines,
    "table": lambda path: read_rows(path, ["a"]),
    "results": read_results,
    "law": read_distribution,
    "profile": read_measurements,
    "campaign": read_toml,
    "trace": lambda path: list(list_sources(path)),
    "verifier": rsjs_verify.text_of,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_pipe_and_a_device_are_refused_at_once(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link", "none"):
        with pytest.raises((InputError, rsjs_verify.Refused)) as error:
            read(tmp_path / name)
        assert ("No such file" if name == "none" else "regular file") in str(error.value)


def test_more_bytes_than_memory_bears_are_refused(tmp_path):
    with (path := tmp_path / "i.json").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError, match="found more than that, expected at most 256 MiB"):
        read_instance(path)
    with pytest.raises(InputError, match=r"i\.json: found more than that"):
        read_bytes(path, 1000)
    bomb = gzip.compress(bytes(10**7))
    with pytest.raises(InputError, match="found more than that unpacked, expected at most 1 MiB"):
        unpacked(bomb, path, 2**20)
    assert len(unpacked(bomb, path)) == 10**7


def test_more_values_than_memory_bears_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rsjs.instances.io.strict_json.MOST_VALUES", 100)
    monkeypatch.setattr(bounded_files, "MOST_VALUES", 100)
    monkeypatch.setattr(rsjs_verify, "MOST_VALUES", 100)
    (path := tmp_path / "i.json").write_text(json.dumps([0] * 101))
    with pytest.raises(InputError, match="expected at most 100 values"):
        read_instance(path)
    with pytest.raises(rsjs_verify.Refused, match="expected at most 100"):
        rsjs_verify.parsed(path.read_text())
    path.write_text("a\n" * 12)
    with pytest.raises(InputError, match="found more than 10 lines"):
        read_rows(path, ["a"])
    with pytest.raises(InputError, match="found more than 10 rows"):
        read_results(path)


def _many_nodes(document):
    document["cluster"]["nodes"] = [
        {"count": 999_999, "types": ["box"]},
        {"count": 1, "types": ["box"], "names": ["n999999"]},
    ]
    return "'n999999', expected node names that differ"


def _many_types(document):
    cluster = document["cluster"]
    cluster["gpu_types"] += [{**cluster["gpu_types"][1], "name": f"G{i}"} for i in range(3000)]
    gpus = {"name": "big", "gpu_type": "P", "gpus": 1024, "cost": [0, *[1] * 1024]}
    cluster["node_types"].append(gpus)
    document["jobs"] += [{**document["jobs"][0], "id": f"j{i}"} for i in range(997)]
    return "/cluster: found 1000 jobs x 3002 types x 1025 modes, expected at most 20000000"


def _many_groups(document):
    cluster = document["cluster"]
    cluster["node_types"] += [{**cluster["node_types"][1], "name": f"t{i}"} for i in range(7998)]
    cluster["nodes"] += [{"count": 1, "types": [f"t{i}"]} for i in range(7998)]
    return "groups of nodes x 8000 types"


@pytest.mark.parametrize("enlarge", [_many_nodes, _many_types, _many_groups])
def test_counts_times_each_other_are_bounded(example, enlarge):
    document = example()
    told = enlarge(document)
    with pytest.raises(InputError) as error:
        deserialization.to_instance(document)
    assert told in str(error.value)


def test_work_that_grows_with_jobs_times_epochs_is_bounded(example, monkeypatch):
    instance = to_instance(example(expectation="expected"))
    solution = Solution.of([2, -1, -1], [1, 0, 0], [-1, -1, 1])
    assert check(instance, solution).wait_and_see_energy > 0
    monkeypatch.setattr(costs, "MOST_STEPS", 0)
    assert check(instance, solution).wait_and_see_energy is None


def test_a_long_key_above_a_wide_list_costs_no_memory(tmp_path):
    wide = {"format": "rsjs-instance/1", "k" * 20_000: [0] * 500_000}
    (tmp_path / "i.json").write_text(json.dumps(wide))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"found no key .name."):
        read_any(tmp_path / "i.json")
    assert tracemalloc.get_traced_memory()[1] < 10**8
    tracemalloc.stop()


def test_a_key_that_stands_twice_among_many_is_found(tmp_path):
    keys = ", ".join(f'"k{i}": {i}' for i in [*range(400_000), 7])
    (path := tmp_path / "i.json").write_text(f"{{{keys}}}")
    with pytest.raises(InputError, match="/k7: found the key twice"):
        read_instance(path)


def test_shares_that_are_hard_to_pack_are_refused(monkeypatch):
    shares = [*range(15, 25)] * 15
    for module in (bin_packing, rsjs_verify):
        monkeypatch.setattr(module, "MOST_STEPS", 2000)
    with pytest.raises(InputError, match="found 150 shares of 10 sizes on one node, expected"):
        gpus_for_shares(shares, 60)
    with pytest.raises(rsjs_verify.Refused, match="150 shares of 10 sizes"):
        rsjs_verify.fewest_bins(Counter(shares), 60)
    large = [31] * 1000  # no two of them on a GPU
    assert gpus_for_shares(large, 60) == rsjs_verify.fewest_bins(Counter(large), 60) == 1000
