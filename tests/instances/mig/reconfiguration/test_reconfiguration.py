"""Jobs for a GPU divided anew, and schedules of them: files, checker, generator."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_document
from rsjs.instances.mig.gpus import document_of, gpu_named
from rsjs.instances.mig.reconfiguration import problem as files
from rsjs.instances.mig.reconfiguration.check import check
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationSchedule, generate, makespan

A100 = gpu_named("A100-40")
NAMES = [profile.name for profile in A100.profiles]


def document(delta=0):
    """Three jobs: 3g for 10; 2g for 4 or 1g for 8; 1g for 5 from 6 on."""
    jobs = [(0, {"3g": 10}), (0, {"2g": 4, "1g": 8}), (6, {"1g": 5})]
    return {
        "format": files.PROBLEM,
        "name": "three",
        "time_unit": "minute",
        "gpu": document_of(A100),
        "delta": delta,
        "jobs": [
            {
                "id": f"j{j}",
                "release": release,
                "options": [{"profile": p, "duration": d} for p, d in options.items()],
            }
            for j, (release, options) in enumerate(jobs)
        ],
    }


def jobs(delta=0):
    return files.to_problem(document(delta))


def scheduled(*rows):
    own = jobs()
    return ReconfigurationSchedule.of(
        own, {j: (NAMES.index(p), q, t) for j, (p, q, t) in enumerate(rows)}
    )


@pytest.mark.parametrize(
    ("delta", "rows", "broken"),
    [
        (0, [("3g", 4, 0), ("2g", 0, 0), ("1g", 0, 6)], []),
        (0, [("3g", 4, 0), ("2g", 0, 0), ("1g", 0, 4)], ["release"]),
        (0, [("3g", 4, 0), ("1g", 0, 0), ("1g", 0, 7)], ["slices"]),
        (0, [("3g", 4, 0), ("1g", 0, 0), ("1g", 0, 8)], []),
        (0, [("3g", 2, 0), ("1g", 0, 0), ("1g", 0, 8)], ["start"]),
        (0, [("4g", 0, 0), ("1g", 4, 0), ("1g", 5, 6)], ["option"]),
        (2, [("3g", 4, 2), ("2g", 0, 2), ("1g", 0, 8)], []),
        (2, [("3g", 4, 2), ("2g", 0, 2), ("1g", 2, 6)], []),  # made from 4 on, released at 6
        (2, [("3g", 4, 1), ("2g", 0, 2), ("1g", 0, 7)], ["release", "slices"]),
    ],
)
def test_each_broken_constraint_is_named(delta, rows, broken):
    verdict = check(jobs(delta), scheduled(*rows))
    assert [violation.constraint for violation in verdict.violations] == broken


def test_wrong_claims_are_told():
    own = scheduled(("3g", 4, 0), ("2g", 0, 0), ("1g", 0, 6))
    assert makespan(jobs(), own) == 11
    verdict = check(jobs(), own, makespan=10, bound=12)
    assert [violation.constraint for violation in verdict.violations] == ["makespan", "bound"]
    assert check(jobs(), own, makespan=11, bound=11).feasible


def test_the_media_profile_is_there_once_at_a_time():
    two = document()
    two["jobs"] = [{**two["jobs"][0], "id": f"j{j}"} for j in range(2)]
    for row in two["jobs"]:
        row["options"] = [{"profile": "1g+me", "duration": 3}]
    made = files.to_problem(two)
    at = {j: (NAMES.index("1g+me"), j, 0) for j in range(2)}
    assert [v.constraint for v in check(made, ReconfigurationSchedule.of(made, at)).violations] == [
        "most",
        "most",
    ]
    at[1] = (NAMES.index("1g+me"), 1, 3)
    assert check(made, ReconfigurationSchedule.of(made, at)).feasible


def test_jobs_and_schedules_survive_their_files(tmp_path):
    drawn = generate(A100, 12, 5, releases=30, delta=2)
    files.write_problem(drawn, tmp_path / "j.json")
    again = files.read_problem(tmp_path / "j.json")
    assert (again.digest, again.generator) == (drawn.digest, drawn.generator)
    own = scheduled(("3g", 4, 0), ("2g", 0, 0), ("1g", 0, 6))
    files.write_schedule(jobs(), own, tmp_path / "s.json", method="m", makespan=11, bound=10)
    found, claims = files.read_schedule(jobs(), tmp_path / "s.json")
    assert claims == {"method": "m", "makespan": 11, "bound": 10}
    for name in ("profile", "start", "begin"):
        np.testing.assert_array_equal(getattr(found, name), getattr(own, name))
    with pytest.raises(InputError, match="/repartition"):
        files.read_schedule(again, tmp_path / "s.json")


def test_the_generator_draws_what_it_says():
    drawn = generate(A100, 400, 1, releases=50)
    assert (drawn.release.min(), drawn.release.max()) == (0, 50)
    assert "1g+me" not in {NAMES[p] for p in drawn.profile.tolist()}
    whole = [j for j in range(400) if len(drawn.options(j)) == 1]
    assert 30 < len(whole) < 90  # a seventh
    assert all(len(own) > 1 for own in map(generate(A100, 400, 1, whole=False).options, range(400)))
    rigid = generate(A100, 400, 1, rigid=True, releases=50)
    assert len(rigid.job) == 400
    for j in range(400):
        ((p, lasts),) = rigid.options(j)
        assert (p, lasts) in drawn.options(j)
    wide = next(own for j in range(400) if len(own := dict(drawn.options(j))) == 6)
    ones, twos = wide[NAMES.index("1g")], wide[NAMES.index("2g")]
    assert abs(twos - ones / 2**0.8) <= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["jobs"][1].update(id="j0"), "/jobs/1/id: found 'j0'"),
        (lambda d: d["jobs"][0]["options"][0].update(profile="5g"), "/jobs/0/options/0/profile"),
        (lambda d: d["jobs"][1]["options"][1].update(profile="2g"), "/jobs/1/options/1/profile"),
        (lambda d: d["jobs"][0]["options"][0].update(duration=0), "/duration: found 0"),
        (lambda d: d["jobs"][0].update(release=-1), "/jobs/0/release: found -1"),
        (lambda d: d.update(jobs=[]), "/jobs"),
        (lambda d: d.update(delta=0.5), "/delta: found 0.5"),
    ],
)
def test_jobs_without_sense_are_refused(tmp_path, change, message):
    wrong = document()
    change(wrong)
    write_document(wrong, tmp_path / "j.json")
    with pytest.raises(InputError, match=message):
        files.read_problem(tmp_path / "j.json")
