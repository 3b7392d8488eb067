"""Laws, memory models and fields of another package, by entry point."""

import sys

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.generate import generate

CODE = """
import numpy as np

def steps(u, size=1):
    return np.floor(u * 10) * size

steps.schema = {
    "type": "object",
    "properties": {"size": {"type": "number", "minimum": 0}},
    "additionalProperties": False,
}

def ramp(run_length, u, per_unit):
    begin = np.repeat(np.cumsum(run_length) - run_length, run_length)
    return per_unit * (np.arange(len(u)) - begin + 1)

def tier(jobs, u):
    return ["large" if peak > 1000 else "small" for peak in jobs["peak"]]

def short(u):
    return u[1:]

def few(jobs, u):
    return [1]

def words(u):
    return ["a"] * len(u)

def odd(jobs, u):
    return [object()] * len(u)

def undefined(jobs, u):
    return [float("nan")] * len(u)

def nothing(jobs, u):
    return None

def leave(u):
    raise SystemExit("bye")

def odd_schema(u):
    return u

odd_schema.schema = {"type": {1, 2}}
"""
ENTRY_POINTS = """
[rsjs.mig.distributions]
steps = mig_plugin_test:steps
short = mig_plugin_test:short
words = mig_plugin_test:words
gone = mig_plugin_test:gone
leave = mig_plugin_test:leave
odd_schema = mig_plugin_test:odd_schema
lost = mig_plugin_lost:law
[rsjs.mig.memory_models]
ramp = mig_plugin_test:ramp
[rsjs.mig.fields]
tier = mig_plugin_test:tier
few = mig_plugin_test:few
odd = mig_plugin_test:odd
undefined = mig_plugin_test:undefined
nothing = mig_plugin_test:nothing
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with entry points, on the path."""
    (tmp_path / "mig_plugin_test.py").write_text(CODE)
    info = tmp_path / "mig_plugin_test-3.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mig-plugin-test\nVersion: 3.1\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("mig_plugin_test", None)


@pytest.fixture
def using(day, read, installed):
    """A configuration whose first class uses plug-ins."""

    def make(*, allow_plugins=True, **fields):
        day["classes"][0] |= fields
        return read(day, allow_plugins=allow_plugins)

    return make


def test_plugins_make_laws_memory_and_fields(using):
    config = using(
        priority={"dist": "plugin:steps", "params": {"size": 3}, "clip": [0, 20]},
        memory={"model": "plugin:ramp", "params": {"per_unit": 400}, "clip": [0, 2000]},
        extra_fields={"tier": {"plugin": "tier"}},
    )
    jobs = generate(config, 1)
    own = jobs.job_class == 0
    assert {*jobs.priority[own]} <= {0, 3, 6, 9, 12, 15, 18, 20}
    assert np.array_equal(jobs.peak[own], np.minimum(400 * jobs.run_length[own], 2000))
    expected = ["large" if peak > 1000 else "small" for peak in jobs.peak[own]]
    assert [jobs.extra["tier"][j] for j in np.flatnonzero(own)] == expected


def test_the_set_records_the_package_of_each_plugin(using):
    config = using(priority={"dist": "plugin:steps"})
    recorded = generate(config, 1).generator["parameters"]["plugins"]
    assert recorded == {"rsjs.mig.distributions:steps": "mig-plugin-test 3.1"}


def test_without_permission_no_code_is_loaded(using):
    with pytest.raises(InputError, match="/classes/0/priority/dist: found 'plugin:steps'"):
        using(allow_plugins=False, priority={"dist": "plugin:steps"})
    assert "mig_plugin_test" not in sys.modules


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"priority": {"dist": "plugin:step"}}, "an entry point of rsjs.mig.distributions: steps"),
        (
            {"priority": {"dist": "plugin:steps", "params": {"size": -1}}},
            "/classes/0/priority/params/size: found -1, expected a number >= 0",
        ),
        ({"priority": {"dist": "plugin:short"}}, "/classes/0/priority: found an array of shape"),
        ({"priority": {"dist": "plugin:words"}}, "/classes/0/priority: found could not convert"),
        ({"priority": {"dist": "plugin:gone"}}, "an entry point that loads: AttributeError"),
        ({"priority": {"dist": "plugin:lost"}}, "entry point that loads: ModuleNotFoundError: No"),
        ({"priority": {"dist": "plugin:leave"}}, "SystemExit: bye, expected values from leave"),
        ({"priority": {"dist": "plugin:odd_schema"}}, "plugin-test 3.1, expected a JSON Schema"),
        ({"extra_fields": {"x": {"plugin": "few"}}}, "/classes/0/extra_fields/x: found 1 values"),
        ({"extra_fields": {"x": {"plugin": "odd"}}}, "expected JSON values from the plug-in"),
        ({"extra_fields": {"x": {"plugin": "undefined"}}}, "expected JSON values from the plug"),
        ({"extra_fields": {"x": {"plugin": "nothing"}}}, "expected JSON values from the plug-in"),
    ],
)
def test_what_a_plugin_must_not_do_is_told(using, fields, message):
    with pytest.raises(InputError) as caught:
        generate(using(**fields), 1)
    assert message in str(caught.value)
