"""Profiles in CSV files: what is read, and what is refused by line and column."""

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.profiles.measurements import read_measurements

HEADER = "application,gpu,gpus,batch,seconds\n"


def test_a_row_is_a_measurement(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(f"\ufeff{HEADER}\nBERT, T4,2,16,0.25\n", "utf-8")
    (row,) = read_measurements(path)
    assert (row.line, row.application, row.gpu) == (3, "BERT", "T4")
    assert (row.gpus, row.batch, row.milliseconds) == (2, 16, 250.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found no line after the first"),
        (HEADER, "found no line after the first"),
        ("application,gpu,batch,gpus,seconds\na,T4,1,1,1\n", r"/1/3: found 'batch', .*'gpus'"),
        ("a,T4,1,8,0.1\na,T4,1,8,0.1\n", "/1/1: found 'a', expected the column 'application'"),
        (f"{HEADER}a,T4,1,8\n", "/2: found 4 columns, expected 5"),
        (f"{HEADER}a,T4,1,8,1\n,T4,1,8,1\n", "/3/application: found ''"),
        (f"{HEADER}a,,1,8,1\n", "/2/gpu: found ''"),
        (f"{HEADER}a,T4,0,8,1\n", "/2/gpus: found '0', expected a whole number 1 to 1024"),
        (f"{HEADER}a,T4,1.5,8,1\n", "/2/gpus: found '1.5'"),
        (f"{HEADER}a,T4,two,8,1\n", "/2/gpus: found 'two'"),
        (f"{HEADER}a,T4,1,-8,1\n", "/2/batch: found '-8'"),
        (f"{HEADER}a,T4,1,8,0\n", "/2/seconds: found '0', expected a finite number > 0"),
        (f"{HEADER}a,T4,1,8,nan\n", "/2/seconds: found 'nan'"),
        (f"{HEADER}a,T4,1,8,1e999\n", "/2/seconds: found '1e999'"),
        (f"{HEADER}a,T4,1,8,1e305\n", "/2/seconds: found '1e305', expected 1e-09 to 1e"),
        (f"{HEADER}a,T4,1,8,1e-320\n", "/2/seconds: found '1e-320', expected 1e-09 to 1e"),
        (f"{HEADER}a\x1b[31m,T4,1,8,1\n", "/2/application: found .*a name that can be printed"),
    ],
)
def test_bad_rows_are_refused_by_line_and_column(text, told, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=told) as error:
        read_measurements(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_measurements(tmp_path / "none.csv")
