"""What cannot be meant is refused before anything runs."""

import pytest

import rsjs
from rsjs.core.errors import InputError
from rsjs.instances.generators.jahani import generate
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from rsjs.runs import verified_run


def test_what_cannot_be_meant_is_refused_before_anything_runs(tiny):
    nobody = Solution.of([0, 0, 0], [4, 4, 4], [0, 0])
    with pytest.raises(InputError, match="feasible solution"):
        verified_run.refuse(tiny, parse("jahani_patterns"), nobody)
    with pytest.raises(InputError, match="uses a warm start"):
        verified_run.refuse(tiny, parse("greedy"), Solution.empty(3, 2))
    with pytest.raises(InputError, match="serves up to 10 jobs"):
        verified_run.refuse(generate(nodes=2, jobs=11, seed=1), parse("enumeration"))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda tiny: rsjs.solve(tiny, "greedy", time_limit=-1), "/time_limit: found -1, expected"),
        (lambda tiny: rsjs.solve(tiny, "greedy", time_limit="60"), "/time_limit: found '60'"),
        (lambda tiny: rsjs.solve(tiny, "greedy", gap=2), "/gap: found 2, expected"),
        (lambda tiny: rsjs.solve(tiny, "greedy", threads=True), "/threads: found True"),
        (
            lambda tiny: rsjs.solve(tiny, "greedy", timelimit=9),
            "/timelimit: found 9, .* time_limit",
        ),
        (lambda _: rsjs.solve("tiny.json", "greedy"), "type str, expected an instance"),
        (lambda tiny: rsjs.check(tiny, None), "type NoneType, expected a solution"),
        (lambda tiny: rsjs.save(None, "s.json", instance=tiny), "type NoneType, expected an inst"),
        (lambda _: rsjs.save(Solution.empty(3, 2), "s.json"), "expected instance=INSTANCE"),
        (lambda tiny: rsjs.save(tiny, "mistyped/tiny.json"), "no folder .*mistyped"),
        (lambda tiny: rsjs.export_model(tiny, "mistyped/m.mps"), "no folder .*mistyped"),
    ],
)
def test_the_library_refuses_what_makes_no_sense(call, told, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verified_run.Supervisor, "run", lambda _: pytest.fail("it ran"))
    with pytest.raises(InputError, match=told):
        call(tiny)
    assert [*tmp_path.iterdir()] == []
