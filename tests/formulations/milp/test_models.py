"""The solver track: files have the digests of their recipes, optima are those of instances."""

from dataclasses import replace

import pytest

from rsjs.comparison import find_campaign
from rsjs.core.errors import InputError
from rsjs.formulations.milp.models import chosen, fetch, models
from rsjs.formulations.registry import METHODS
from tests.formulations.agreement import optimum

SMALL = [model for model in models() if model.nonzeros < 5000]


@pytest.mark.parametrize("model", SMALL, ids=lambda model: model.name)
def test_a_file_has_the_digest_and_the_size_of_its_recipe(model, tmp_path):
    [(_, written)] = fetch([model], tmp_path)
    assert written.path.name == f"{model.name}.mps.gz"
    assert written.counts == {
        key: getattr(model, key) for key in ("rows", "columns", "nonzeros", "integers")
    }


def test_another_digest_is_refused_and_leaves_no_file(tmp_path):
    model = replace(SMALL[0], text_sha256="0" * 64)
    with pytest.raises(InputError, match=r"/text_sha256: found the text of .*, expected '?0000"):
        list(fetch([model], tmp_path))
    assert not [*tmp_path.iterdir()]


def test_another_instance_is_refused(tmp_path):
    model = replace(SMALL[0], arguments={**SMALL[0].arguments, "seed": 2})
    with pytest.raises(InputError, match="the digest of"):
        list(fetch([model], tmp_path))
    assert not [*tmp_path.iterdir()]


def test_unknown_models_are_told_with_the_nearest():
    name = models()[0].name
    with pytest.raises(InputError, match=f"a model, e.g. {name}"):
        chosen([name[:-1]])
    assert chosen([]) == list(models())


def test_names_are_distinct_and_bounds_are_below_costs():
    assert len({model.name for model in models()}) == len(models())
    for model in models():
        assert model.bound <= model.objective
        assert METHODS[model.method].linear
    assert sum(model.closed for model in models()) >= 0.9 * len(models())


def test_the_campaign_runs_every_model_with_several_solvers():
    campaign = find_campaign("solver-track")
    for model in models():
        names = {
            choice.request.spelling
            for choice in campaign.choices
            if choice.request.spelling.startswith(f"{model.method}@")
            and choice.is_for(model.instance().name)
        }
        assert len(names) >= 3, model.name


@pytest.mark.slow
def test_the_optimum_of_a_small_model_is_that_of_its_instance():
    model = min(models(), key=lambda model: model.nonzeros)
    assert optimum(model.instance()) == pytest.approx(model.objective, rel=1e-6)
