"""The solver track: files have the digests of their recipes, optima are those of problems."""

import json
from dataclasses import replace

import highspy
import numpy as np
import pytest

from rsjs.campaign_runs import find_campaign
from rsjs.campaigns.run import Run
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult, Stop
from rsjs.formulations.mig import reconfiguration
from rsjs.formulations.mig.placement import solve as fewest_gpus
from rsjs.formulations.mig.scheduling_enumeration import best_schedule
from rsjs.formulations.milp.export import MIG, OTHERS, export, linear
from rsjs.formulations.milp.models import chosen, drawn, fetch, models
from rsjs.formulations.registry import METHODS
from rsjs.instances.mig.problems import draw
from rsjs.instances.mig.scheduling.schedule import stage_values
from rsjs.runs.kinds.base import Claimed, kind_of
from rsjs.runs.kinds.model import read_columns, read_model, write_columns, write_model
from rsjs.runs.verified_run import run
from tests.formulations.agreement import optimum

SIZES = ("rows", "columns", "nonzeros", "integers")
BY_SIZE = sorted(models(), key=lambda model: model.nonzeros)
SMALL = [*{model.method: model for model in reversed(BY_SIZE)}.values()]  # one per formulation
EXACT = Limits(gap=0.0)


@pytest.mark.parametrize("model", SMALL, ids=lambda model: model.method)
def test_a_file_has_the_digest_and_the_size_of_its_recipe(model, tmp_path):
    [(_, written)] = fetch([model], tmp_path)
    assert written.path.name == f"{model.name}.mps.gz"
    assert written.counts == {key: getattr(model, key) for key in SIZES}


def test_another_digest_is_refused_and_leaves_no_file(tmp_path):
    model = replace(SMALL[0], text_sha256="0" * 64)
    with pytest.raises(InputError, match=r"/text_sha256: found the text of .*, expected '?0000"):
        list(fetch([model], tmp_path))
    assert not [*tmp_path.iterdir()]


def test_a_model_of_another_size_is_not_solved():
    model = replace(SMALL[0], rows=SMALL[0].rows + 1)
    with pytest.raises(InputError, match="this version builds another model"):
        _ = model.matrix


def test_another_instance_is_refused(tmp_path):
    model = replace(models()[0], arguments={**models()[0].arguments, "seed": 2})
    with pytest.raises(InputError, match="the digest of"):
        list(fetch([model], tmp_path))
    assert not [*tmp_path.iterdir()]


def test_models_are_chosen_by_patterns_and_unknown_ones_told_with_the_nearest(tmp_path):
    name = models()[0].name
    with pytest.raises(InputError, match=f"a model, e.g. {name}"):
        chosen([name[:-1]])
    assert chosen([]) == chosen(["*"]) == list(models())
    methods = {model.method for model in chosen(["rsjs_*", "mig_placement-*", name])}
    assert methods == {
        "rsjs_gpu",
        "rsjs_nodes",
        "rsjs_classes",
        "mig_placement",
        models()[0].method,
    }
    (tmp_path / "any.json").write_text('{"format": "rsjs-model/1", "name": "*", "sha256": ""}')
    with pytest.raises(InputError, match=r"/sha256: found '', expected [0-9a-f]{64}, the sha256"):
        read_model(tmp_path / "any.json")


def test_the_manifest_lists_the_models_in_the_folder(tmp_path):
    path = tmp_path / "manifest.json"
    for wanted in (SMALL[:2], SMALL[1:3]):
        fetched = list(fetch(wanted, tmp_path))
    entries = {entry["name"]: entry for entry in json.loads(path.read_text("utf-8"))["models"]}
    assert {*entries} == {model.name for model in SMALL[:3]}
    for model, written in fetched:
        entry = entries[model.name]
        assert (entry["file"], entry["sha256"]) == (written.path.name, written.text_sha256)
        assert (entry["objective"], entry["bound"]) == (model.objective, model.bound)
    (tmp_path / entries[SMALL[0].name]["file"]).unlink()
    list(fetch(SMALL[1:2], tmp_path))
    left = {entry["name"] for entry in json.loads(path.read_text("utf-8"))["models"]}
    assert left == {model.name for model in SMALL[1:3]}
    path.write_text('{"format": "rsjs-set/1"}', "utf-8")
    with pytest.raises(InputError, match="expected rsjs-models/1 in the file to replace"):
        next(fetch(SMALL[:1], tmp_path))
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"manifest.json: found a folder"):
        next(fetch(SMALL[:1], tmp_path))


def test_names_are_distinct_and_bounds_are_below_costs():
    assert len({model.name for model in models()}) == len(models())
    for model in models():
        assert model.method in OTHERS or METHODS[model.method].linear
        assert None in (model.bound, model.objective) or model.bound <= model.objective
        assert (model.bound is None) == (not model.bound_by)
    assert sum(model.closed for model in models()) >= 0.9 * len(models())


def test_the_campaign_runs_every_model_with_the_solvers_that_take_it():
    campaign = find_campaign("solver-track")
    assert {source.make().name for source in campaign.sources} == {one.name for one in models()}
    for model in models():
        solvers = {
            choice.request.solver for choice in campaign.choices if choice.is_for(model.name)
        }
        assert solvers == {"highs", "scip", "cpsat", "cbc"} & {*model.solvers}


def test_a_campaign_that_names_no_model_is_told_the_place_and_the_nearest(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(
        """
        format = "rsjs-campaign/1"
        name = "own"
        shows = "own"
        timing = "shared"
        limits.time_s = 1
        [[models]]
        names = ["rsjs_gpu-*", "rsjs"]
        [[methods]]
        run = ["solve@highs"]
        """,
        "utf-8",
    )
    with pytest.raises(InputError, match="names/1: found 'rsjs', expected a model, e"):
        _ = find_campaign(str(path)).sources


@pytest.mark.slow
def test_the_optimum_of_a_small_model_is_that_of_its_instance():
    model = models()[0]
    assert optimum(model.problem()) == pytest.approx(model.objective, rel=1e-6)


# Models of MIG.

TINY = {
    "mig_placement": {"gpu": "A100-40", "mix": "elastic", "n": 12, "seed": 1},
    "mig_reconfiguration": {"gpu": "A100-40", "n": 5, "seed": 1, "delta": 2},
    "mig_scheduling": {
        "config": "section4.json",
        "jobs": 3,
        "seed": 7,
        "reading": "B",
        "objective": "completion+waste",
    },
}
METHOD = {  # the method's own optimum
    "mig_placement": lambda problem: fewest_gpus(problem, EXACT).gpus_bound,
    "mig_reconfiguration": lambda problem: reconfiguration.solve(problem, EXACT).bound,
    "mig_scheduling": lambda problem: stage_values(problem, best_schedule(problem))[0],
}


@pytest.mark.parametrize("kind", MIG)
def test_the_file_of_a_problem_of_mig_has_the_optimum_of_its_method(kind, tmp_path):
    problem = drawn(kind, TINY[kind])
    export(kind, problem, {}, tmp_path / "m.mps")
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.readModel(str(tmp_path / "m.mps"))
    highs.run()
    assert highs.getInfo().objective_function_value == pytest.approx(METHOD[kind](problem))


def test_jobs_with_releases_have_no_linear_model():
    problem = drawn("mig_reconfiguration", TINY["mig_reconfiguration"] | {"releases": 9})
    with pytest.raises(InputError, match="expected jobs released together"):
        linear("mig_reconfiguration").data_of(problem)


def test_problems_of_mig_are_drawn_by_names_only():
    with pytest.raises(InputError, match="A100-40"):
        draw("mig_placement", TINY["mig_placement"] | {"gpu": "A100-41"}, None)


# Runs of solvers on models.


@pytest.fixture(scope="module")
def found():
    """A model and the verified run of HiGHS on it."""
    [model] = [one for one in SMALL if one.method == "mig_placement"]
    return model, run(model, kind_of(model).request("solve@highs"), EXACT)


def test_a_solver_runs_on_a_model_and_the_checker_prices_its_vector(found):
    model, one = found
    assert one.objective == pytest.approx(model.objective)
    assert one.result.bound == pytest.approx(model.objective)
    assert one.result.counts["nonzeros"] == model.nonzeros


def test_wrong_vectors_costs_and_bounds_are_refused(found):
    model, one = found
    kind, x = kind_of(model), one.solution

    def verdict(vector, objective=None, bound=None):
        claimed = Claimed(vector, objective=objective, bound=bound)
        return [str(violation) for violation in kind.check(model, claimed).violations]

    cost = model.objective
    assert not verdict(x, cost, cost)
    assert "claimed_objective" in verdict(x, cost - 1)[0]
    assert "claimed_bound" in verdict(x, cost, cost + 1)[0]
    assert verdict(np.zeros_like(x))[0].startswith("row")
    assert any(line.startswith("objective") for line in verdict(np.zeros_like(x)))
    assert any(line.startswith("integer") for line in verdict(np.where(x, x - 0.1, x)))


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ({"stop": Stop.TIME_LIMIT, "bound": 1e6}, "claimed_bound"),
        ({"stop": Stop.INFEASIBLE}, "claimed_infeasible"),
        ({"stop": Stop.TIME_LIMIT, "bound": 1.0}, None),
    ],
)
def test_a_claim_without_a_vector_is_wrong_where_a_cost_refutes_it(found, claim, told, tmp_path):
    model, _ = found
    result = SolveResult(bound_variant="instance", **claim)
    verdict = kind_of(model).verify(model, "solve@highs", {}, result, tmp_path).verdict
    assert (verdict and [one.constraint for one in verdict.violations]) == (told and [told])


def test_files_of_models_and_vectors_are_read_back_and_others_refused(found, tmp_path):
    model, one = found
    write_model(model, tmp_path / "model.json")
    assert read_model(tmp_path / "model.json") == model
    write_columns(model, one.solution, tmp_path / "x.json.gz", method="solve@highs")
    x, claims = read_columns(model, tmp_path / "x.json.gz")
    assert (x == one.solution).all()
    assert claims["method"] == "solve@highs"
    other = next(known for known in models() if known is not model)
    with pytest.raises(InputError, match="model_sha256"):
        read_columns(other, tmp_path / "x.json.gz")
    write_model(replace(model, text_sha256="0" * 64), tmp_path / "model.json")
    with pytest.raises(InputError, match="/sha256"):
        read_model(tmp_path / "model.json")


def test_a_solver_that_takes_integers_only_is_refused_where_there_are_others():
    kind = kind_of(models()[0])
    [model] = [one for one in SMALL if one.method == "jahani_literal"]
    assert "integer columns only" in kind.refusal(kind.request("solve@cpsat"), model)
    assert kind.refusal(kind.request("solve@scip"), model) is None


def test_a_run_on_a_model_is_read_back():
    asked = Run(
        instance="m",
        instance_sha256="0" * 64,
        solved_sha256="0" * 64,
        permutation=0,
        nodes=1,
        jobs=1,
        method="solve@highs",
        solver="highs",
        environment="",
        limits=Limits(),
        output_limit_mb=1.0,
        timing="exclusive",
        repetition=1,
        kind="model",
    )
    assert Run.of_document(asked.as_document()) == asked
