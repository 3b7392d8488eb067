"""The verifier accepts what the suite accepts, and tells anything else in one line, exit code 2."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import read_instance
from rsjs.instances.io.serialization import canonical_text, of_instance, of_solution
from rsjs.instances.solution import Solution

INSTANCE = jahani.generate(nodes=1, jobs=2, seed=1)
TEXT = canonical_text(of_instance(INSTANCE))
DECISION = of_solution(Solution.of([-1, -1], [0, 0], [0]), INSTANCE.digest, method="by hand")
SOLUTION = json.dumps(DECISION)
ODD = [
    *[None, True, -1, 0, 1, 2, 10**9, 2**63, 10**400, 0.5, -0.0, 1e-320, 1e16, 1e22],
    *[float("nan"), float("inf"), "", "a", "fixed", "v0", "law 0", "\ud800", "two\nlines"],
    *[[], {}, [1], [None], [0], [[1, 2]], [1.5, None], [1, 2, 3], {"a": 1}],
]


@pytest.fixture
def told(tmp_path, capsys):
    """The exit code and both streams for an instance and a solution of these bytes."""

    def run(instance, solution=SOLUTION, suffix=".json"):
        paths = [tmp_path / f"instance{suffix}", tmp_path / "solution.json"]
        for path, data in zip(paths, (instance, solution), strict=True):
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        code = rsjs_verify.main([str(path) for path in paths])
        out, err = capsys.readouterr()
        assert len(err.splitlines()) == (code == 2)
        assert not (out and err)
        return code, out, err

    return run


@given(rng=st.randoms(use_true_random=False))
def test_it_accepts_the_instances_that_the_suite_accepts(
    random_document, damage, tmp_path_factory, rng
):
    document = random_document(rng)
    for _ in range(rng.randint(0, 2)):
        damage(document, rng, rng.choice(ODD))
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_text(json.dumps(document))
    try:
        expected = read_instance(path).digest
    except InputError:
        expected = None
    report = rsjs_verify.Report()
    report.attempt(path, report.read, rsjs_verify.INSTANCE)
    assert [*report.instances] == ([expected] if expected else [])
    assert len(report.refused) == (expected is None)


def test_whole_numbers_may_be_written_with_a_point(told):
    assert told(TEXT, SOLUTION.replace("-1", "-1.0"))[0] == 0
    almost = SOLUTION.replace("-1", "-1.00000000000000000001", 1)
    assert "expected a number from -1" in told(TEXT, almost)[2]
    almost = SOLUTION.replace('"job_gpus": [0', '"job_gpus": [0.99999999999999999999')
    assert "/job_gpus/0: found 99999999999999999999/10" in told(TEXT, almost)[2]


def test_a_sound_pair_is_no_bad_input(told):
    assert told(TEXT)[0] == told(gzip.compress(TEXT.encode()), suffix=".json.gz")[0] == 0
    # nor is a zero of many digits, here of another instance, at once
    code, _, err = told(TEXT.replace('"H":1', '"H":0e999999999'))
    assert (code, "found " + INSTANCE.digest in err) == (2, True)


NUMBER = "expected a finite number that a double can hold"
BAD = [  # (text, other text in its place), what is told
    (('"H":1', '"H":NaN'), f"found NaN, {NUMBER}"),
    (('"H":1', '"H":-Infinity'), f"found -Infinity, {NUMBER}"),
    (('"H":1', '"H":1e999'), f"found 1e999, {NUMBER}"),
    (('"H":1', '"H":1e-999999999'), f"found 1e-999999999, {NUMBER}"),
    (('"H":1', '"H":' + "9" * 5000), f"{'9' * 100}, {NUMBER}"),
    (('"H":1', '"H":0.' + "1" * 5000), NUMBER),
    (('"H":1', '"H":1e16'), "/H: found 1e+16, expected a number from 0 to 1e+15"),
    (('"H":1', '"H":true'), "/H: found True, expected a number"),
    (('"H":1', '"H":"1"'), "/H: found 1, expected a number"),
    (('"H":1,', ""), "found no key 'H', expected this key"),
    (('"H":1', '"H":1,"h":1'), "/h: found an unknown key, expected known keys only"),
    (('"H":1', '"H":1,"H":1'), "found the key H 2 times in an object, expected it once"),
    (('"H":1', '"H":01'), "expected a whole JSON document"),
    (("rsjs-instance/1", "rsjs-instance/2"), "/format: found rsjs-instance/2, expected rsjs-inst"),
    (("rsjs-instance/1", "rsjs-workload/1"), "/format: found rsjs-workload/1, expected rsjs-inst"),
    (("worst_case", "best_case"), "found best_case, expected worst_case or mean or expected"),
    (('"epochs_done":0', '"epochs_done":1e9'), "/jobs/0/epochs_done: found 1000000000, expe"),
    (('"name":"jahani', '"name":"\\ud800'), "/name: found '\\ud800"),
    (('"H":1', '"H":1,"generator":' + '{"x":' * 60 + "0" + "}" * 60), "the key generator 2 times"),
    (("{", "[" * 100_000), "found brackets nested too deeply, expected a JSON document"),
    ((TEXT, ""), "expected a whole JSON document"),
    ((TEXT, "[]"), "/format: found None, expected rsjs-instance/1"),
    ((TEXT, TEXT[: len(TEXT) // 2]), "expected a whole JSON document"),
]


@pytest.mark.parametrize(("change", "message"), BAD, ids=[change[1][:24] for change, _ in BAD])
def test_bad_input_is_told_in_one_line(told, change, message):
    assert change[0] in TEXT
    code, _, err = told(TEXT.replace(*change, 1))
    assert code == 2
    assert err.startswith("rsjs_verify: error: ")
    assert message in err


def test_damaged_compressed_data_is_told(told):
    whole = gzip.compress(TEXT.encode())
    for data in (whole[: len(whole) // 2], whole[:-4], b"no gzip", b"", whole[:40] + b"\0" * 9):
        code, _, err = told(data, suffix=".json.gz")
        assert code == 2
        assert "expected a whole " in err


def test_text_that_is_no_unicode_is_told(told):
    assert "found a bad byte at offset 9, expected UTF-8 text" in told(b'{"name":"\xff"}')[2]
    inside = TEXT.replace('"laws":{}', r'"laws":{"\ud800":[[1,1]]}')
    assert "expected Unicode text" in told(inside)[2]
    (document := json.loads(TEXT))["jobs"][0]["meta"] = {"deep": [{"er": "\ud800"}]}
    assert "/jobs/0/meta: found a lone surrogate" in told(json.dumps(document))[2]


SOLUTIONS = [
    ({"instance": "0" * 64}, "/instance: found 000"),
    ({"instance": "c0ffee"}, "/instance: found c0ffee"),
    ({"job_node": [0.5, -1]}, "/job_node/0: found 0.5, expected an integer"),
    ({"job_node": [-2, -1]}, "/job_node/0: found -2, expected a number from -1"),
    ({"job_gpus": 3}, "/job_gpus: found 3, expected an array"),
    ({"job_gpus": [1e-30, 0]}, "/job_gpus/0: found 1e-30, expected an integer"),
    (json.loads(TEXT), "expected rsjs-solution/1"),
    ({"objective": "1"}, "/objective: found 1, expected a number"),
    ({"method": 1}, "/method: found 1, expected a text"),
    ({"format": "rsjs-solution/9"}, "/format: found rsjs-solution/9, expected rsjs-solution/1"),
    ({"more": 1}, "/more: found an unknown key"),
]


@pytest.mark.parametrize(("change", "message"), SOLUTIONS)
def test_a_bad_solution_is_told_in_one_line(told, change, message):
    code, _, err = told(TEXT, json.dumps(DECISION | change))
    assert code == 2
    assert message in err
