"""Laws read from files: histograms and observed runs."""

from __future__ import annotations

import pytest

from rsjs.instances.errors import InputError
from rsjs.instances.law_files import read_law


@pytest.fixture
def law(tmp_path):
    """Read a law from a text."""

    def read(text):
        path = tmp_path / "law.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_law(path)

    return read


def pairs(law):
    return list(zip(law.epochs.tolist(), law.weights.tolist(), strict=True))


def test_a_histogram_is_read_in_any_order(law):
    assert pairs(law("epoch,weight\n40,3\n12,1\n13,0\n")) == [(12, 1), (13, 0), (40, 3)]


def test_observed_runs_are_counted(law):
    assert pairs(law("12\n40\n12\n")) == [(12, 2), (40, 1)]


def test_the_first_run_may_have_a_header_and_is_not_lost_without_one(law):
    assert pairs(law("epoch\n12\n")) == [(12, 1)]
    assert pairs(law("12\n")) == [(12, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffepoch,weight\n12,1\n",  # a byte order mark
        "epoch, weight\r\n\r\n 12 , 1 \r\n",  # Windows, blanks
        "epoch,weight\n\n12,1",  # no line end
    ],
)
def test_marks_blanks_and_empty_lines_are_harmless(law, text):
    assert pairs(law(text)) == [(12, 1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # histograms
        ("epoch,weight\n12,1\n12,2\n", "/3/epoch: found 12, expected an epoch that no line"),
        ("epoch,weight\n12,-1\n", "/2/weight: found '-1'"),
        ("epoch,weight\n12,0.5\n", "/2/weight: found '0.5', expected a whole number"),
        ("epoch,weight\n12,many\n", "/2/weight: found 'many'"),
        ("epoch,weight\n12,1e13\n", "/2/weight: found '1e13'"),  # above what a file may hold
        ("epoch,weight\n0,1\n", "/2/epoch: found '0', expected a whole number 1 to"),
        ("epoch,weight\n2.5,1\n", "/2/epoch: found '2.5'"),
        ("epoch,weight\n\n12\n", "/3: found '12', expected epoch,weight"),
        ("epoch,weight\n12,1,1\n", "/2: found '12,1,1'"),
        ("epoch,weight\n12,0\n", "no epoch with a positive weight"),
        ("epoch,weight\n", "no epoch with a positive weight"),
        # runs
        ("12\nmany\n", "/2/epoch: found 'many'"),
        ("12\n0\n", "/2/epoch: found '0'"),
        ("12.5\n", "/1/epoch: found '12.5'"),
        ("nan\n", "/1/epoch: found 'nan'"),
        ("epochs,weights\n12,1\n", "/1/epoch: found 'epochs,weights'"),  # another header
        ("epoch\n", "no epoch with a positive weight"),
        ("", "no epoch with a positive weight"),
        (b"12\n\xff\n", "byte 0xff at offset 3, expected UTF-8 text"),
    ],
)
def test_bad_lines_are_refused_with_file_line_and_value(law, tmp_path, text, told):
    with pytest.raises(InputError) as caught:
        law(text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'law.csv'}: ")
    assert told in message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: found No such file"):
        read_law(tmp_path / "none.csv")
