"""Laws read from files: histograms and observed runs."""

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.catalogue.epoch_models import read_distribution


@pytest.fixture
def law(tmp_path):
    """Read a law from a text."""

    def read(text):
        path = tmp_path / "law.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_distribution(path)

    return read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("epoch,weight\n40,3\n12,1\n13,0\n", [(12, 1), (13, 0), (40, 3)]),  # in any order
        ("12\n40\n12\n", [(12, 2), (40, 1)]),  # runs are counted
        ("epoch\n12\n", [(12, 1)]),  # a header
        ("\ufeffepoch,weight\n12,1\n", [(12, 1)]),  # a byte order mark
        ("epoch, weight\r\n\r\n 12 , 1 \r\n", [(12, 1)]),  # Windows, blanks
        ("epoch,weight\n\n12,1", [(12, 1)]),  # no line end
    ],
)
def test_histograms_and_observed_runs_are_read(law, text, expected):
    found = law(text)
    assert list(zip(found.epochs.tolist(), found.weights.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # histograms
        ("epoch,weight\n12,1\n12,2\n", "/3/epoch: found 12, expected an epoch that no line"),
        ("epoch,weight\n12,-1\n", "/2/weight: found '-1'"),
        ("epoch,weight\n12,0.5\n", "/2/weight: found '0.5', expected a whole number"),
        ("epoch,weight\n12,1e13\n", "/2/weight: found '1e13'"),  # above what a file may hold
        ("epoch,weight\n0,1\n", "/2/epoch: found '0', expected a whole number 1 to"),
        ("epoch,weight\n\n12\n", "/3: found '12', expected epoch,weight"),
        ("epoch,weight\n12,1,1\n", "/2: found '12,1,1'"),
        ("epoch,weight\n12,0\n", "no epoch with a positive weight"),
        ("epoch,weight\n", "no epoch with a positive weight"),
        # runs
        ("12\nmany\n", "/2/epoch: found 'many'"),
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
        read_distribution(tmp_path / "none.csv")
