"""The catalogue: tables as collected, the step-time law, node catalogues."""

import csv
import subprocess
import sys

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.catalogue import gpu_shares, gpus, node_types
from rsjs.instances.catalogue import gpus as tables
from rsjs.instances.generators import job_times


def test_the_law_gives_the_times_that_were_tabulated_from_it(shared):
    rows = list(csv.DictReader((shared / "data/catalogue/epoch_times.csv").open()))
    compared = 0
    for row in rows:
        if row["scaling"] == "strong_dp":  # another program (one process for all GPUs)
            continue
        job = row["network"], row["gpu"]
        times = [
            gpus.seconds_per_epoch(
                *job, k, int(row["batch"]), 13_000, row["scaling"], row["framework"]
            )
            for k in range(1, 9)
        ]
        printed = [float(row[f"epoch_s_13k_k{k}"]) for k in range(1, 9)]
        # Table and coefficients are both printed to 4 digits: half a unit each, at most 5e-4.
        assert times == pytest.approx(printed, rel=1e-3), row
        memory = gpus.memory_gb(row["network"], int(row["batch"]))
        assert memory == pytest.approx(float(row["mem_gb"]), rel=5e-3), row
        fits = memory <= gpus.gpu_type(row["gpu"]).memory_gb
        assert fits == (row["fits_one_gpu"] == "1"), row
        compared += 1
    assert compared == 528


def test_tables_are_shipped_as_collected(shared):
    for name in tables.TABLES:
        with (shared / f"data/catalogue/{name}.csv").open(newline="", encoding="utf-8") as file:
            assert [dict(row) for row in tables.table(name)] == list(csv.DictReader(file))


def test_every_number_has_a_status():
    words = ("measured", "interpolated", "estimated", "invented", "printed", "derived", "fp32")
    for name in ("step_time_model", "memory", "vm_costs", "gpu_types", "power_training"):
        for row in tables.table(name):
            status = row.get("status") or row["beta_status"]
            assert status.startswith(words), (name, row)
    assert {gpus.step_time(n, "P600").status for n in tables.networks()} == {"estimated"}


def test_a_gpu_type_or_network_named_in_one_table_is_in_all_that_need_it():
    known = set(gpus.gpu_names())
    pairs = {(network, gpu) for network in gpus.networks() for gpu in known}
    for name in ("step_time_model", "power_training"):
        assert {(row["network"], row["gpu"]) for row in tables.table(name)} == pairs
    assert {row["network"] for row in tables.table("memory")} == set(gpus.networks())
    # not every GPU type has a price: P100, T4 and V100 are on nodes priced by power only
    assert {row["gpu"] for row in tables.table("vm_costs")} <= known
    assert gpu_shares.TABLE_IV.keys() == gpu_shares.UNITS.keys() <= known
    assert job_times.SPEED.keys() <= known


def test_a_missing_row_is_named_with_its_table():
    with pytest.raises(InputError, match="/power_training: found no row with gpu = H100"):
        tables.row("power_training", gpu="H100")


def test_prefix_minimum_never_grows_with_the_number_of_gpus():
    raw = [gpus.seconds_per_epoch("AlexNet", "GTX1080Ti", k, 16) for k in range(1, 9)]
    least = [
        gpus.seconds_per_epoch("AlexNet", "GTX1080Ti", k, 16, prefix_minimum=True)
        for k in range(1, 9)
    ]
    assert raw[1] > raw[0]  # communication over PCIe costs more than the second GPU gives
    assert least == [min(raw[: k + 1]) for k in range(8)]


def test_time_per_epoch_follows_samples_framework_and_scaling():
    job = ("VGG16", "K80", 4, 32)
    half = gpus.seconds_per_epoch(*job, 65_000)
    assert gpus.seconds_per_epoch(*job) == pytest.approx(2 * half, rel=1e-15)
    slower = gpus.seconds_per_epoch(*job, framework="PyTorch")
    assert slower == pytest.approx(1.15 * 2 * half, rel=1e-15)
    one = ("ResNet-50", "V100", 1, 64)  # on one GPU strong scaling is weak scaling
    assert gpus.seconds_per_epoch(*one, scaling="strong") == gpus.seconds_per_epoch(*one)


def test_no_rate_exceeds_what_the_input_pipeline_delivers():
    capped = [
        gpus.seconds_per_epoch("AlexNet", "A100", 8, 256, framework=framework)
        for framework in gpus.FRAMEWORKS
    ]
    assert capped == [130_000 / 7000] * 2


def test_boards_have_the_memory_that_sts_counts():
    memory = {n: gpus.gpu_type(n, board=True).memory_gb for n in ("K80", "M60", "A100")}
    assert memory == {"K80": 24, "M60": 16, "A100": 80}
    assert gpus.gpu_type("K80").memory_gb == 12
    assert gpus.gpu_type("V100", board=True).memory_gb == 32  # not in that paper


@pytest.mark.parametrize(
    ("call", "known"),
    [
        (lambda: gpus.gpu_type("H100"), "K80"),  # a GPU type we have no data for
        (lambda: gpus.seconds_per_epoch("BERT", "K80", 1, 32), "VGG16"),  # a network likewise
        (lambda: gpus.seconds_per_epoch("VGG16", "k80", 1, 32), "K80"),  # names are exact
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 0, 32), ">= 1"),  # no GPU
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 1, 0), ">= 1"),  # no sample
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 1.5, 32), "integer"),  # half a GPU
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 1, 32, 0), ">= 1"),  # an empty epoch
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 1, 32, scaling="none"), "strong"),
        (lambda: gpus.seconds_per_epoch("VGG16", "K80", 1, 32, framework="JAX"), "PyTorch"),
        (lambda: gpus.memory_gb("BERT", 32), "VGG16"),
        (lambda: gpus.batches("BERT"), "VGG16"),
        (lambda: node_types.node_types("aws"), "no-server2"),
        (lambda: node_types.gpu_types("aws"), "no-server2"),
        (lambda: node_types.price("azure", "In-house server 1"), "Standard NC6"),
        (lambda: tables.table("epoch_times"), "vm_costs"),  # a check, not shipped
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(call, known):
    with pytest.raises(InputError, match=known):
        call()


@pytest.mark.process
def test_catalogue_and_laws_import_neither_pandas_nor_scipy():
    code = (
        "import sys; from rsjs.instances.catalogue import epoch_models, node_types; "
        "epoch_models.epoch_distribution('VGG16', 'mild'); "
        "node_types.node_types('kiros'); print({'pandas', 'scipy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
