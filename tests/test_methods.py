"""Spellings of methods, of options, of methods as values; and methods of other packages."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from rsjs.cli.options import requests, split
from rsjs.core.call import Call, Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import Report, Stop
from rsjs.heuristics.registry import DECIDERS
from rsjs.instances.generators import jahani, kiros
from rsjs.instances.instance import FAMILIES
from rsjs.methods import BUILT_IN, all_methods, parse
from rsjs.runs.kinds.base import kind

PRINTED = "jahani_literal@scip?printed=overdue"
NESTED = "randomized_queue?epochs=mean,iterations=7"


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("greedy", "greedy:code"),
        (" greedy:paper ", "greedy:paper"),
        ("jahani_patterns", "jahani_patterns@highs"),
        ("jahani_literal@scip?printed=corrected", "jahani_literal@scip"),
        (PRINTED, PRINTED),
        # a method as a value: the default is left out, options stand in parentheses
        ("hierarchical", "hierarchical"),
        ("hierarchical?method=greedy:paper,controllers=4", "hierarchical"),
        ("hierarchical?method=(greedy:paper),split=round_robin", "hierarchical"),
        ("hierarchical?method=greedy", "hierarchical?method=greedy:code"),
        ("hierarchical?method=(edf),controllers=7", "hierarchical?controllers=7,method=edf:code"),
        (f"hierarchical?method=({PRINTED})", f"hierarchical?method=({PRINTED})"),
        (
            f"hierarchical?split=demand,method=({NESTED}),controllers=2",
            f"hierarchical?controllers=2,method=({NESTED}),split=demand",
        ),
        # several methods as a value
        ("hierarchical?method=edf|greedy", "hierarchical?method=edf:code|greedy:code"),
        (
            f"hierarchical?method=edf|({PRINTED})|(greedy),controllers=2",
            f"hierarchical?controllers=2,method=edf:code|({PRINTED})|greedy:code",
        ),
        (
            "fix_and_optimise?method=jahani_patterns",
            "fix_and_optimise?method=jahani_patterns@highs",
        ),
        (f"fix_and_optimise?method={DECIDERS}", "fix_and_optimise"),
    ],
)
def test_a_spelling_is_completed_and_its_canonical_form_is_read_as_the_same(spelling, canonical):
    request = parse(spelling)
    assert request.spelling == canonical
    assert parse(canonical) == request


def test_every_method_is_spelled_by_its_name():
    for name in all_methods():
        request = parse(name)
        assert request.method.name == name
        assert parse(request.spelling) == request


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("hierarchical?method=nope", "method 'nope'"),
        ("hierarchical?method=", "no method"),
        ("hierarchical?method=greedy@highs", "no solver for greedy"),
        ("hierarchical?method=jahani_patterns@nobody", "solver of jahani_patterns 'nobody'"),
        ("hierarchical?method=(jahani_literal?road=x)", "option of jahani_literal 'road'"),
        # options of the inner method without parentheses, or half of them
        ("hierarchical?method=jahani_literal?printed=overdue", "(jahani_literal?printed=overdue)"),
        ("hierarchical?method=(greedy,controllers=2", "closing"),
        ("hierarchical?method=greedy),controllers=2", "closing"),
        ("hierarchical?method=edf|(greedy", "closing"),
        # one of several
        ("hierarchical?method=edf|nope", "method 'nope'"),
        ("hierarchical?method=edf|", "no method"),
        ("hierarchical?method=edf|sts?spacing=5", "method=(sts?spacing=5)"),
        ("hierarchical?method=edf|hierarchical", "runs no other method"),
        ("hierarchical?method=edf|rsjs_bound", "returns solutions"),
        # methods of methods of methods
        ("hierarchical?method=hierarchical", "runs no other method"),
        ("hierarchical?method=(hierarchical?controllers=2)", "runs no other method"),
        # values
        ("hierarchical?controllers=0", "controllers >= 1"),
        ("hierarchical?controllers=two", "controllers as int"),
        ("hierarchical?split=none", "demand, pressure, round_robin"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(spelling, told):
    with pytest.raises(InputError) as error:
        parse(spelling)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_commas_within_parentheses_do_not_end_a_spelling_in_a_list():
    found = requests(f"greedy,hierarchical?method=({NESTED}),split=demand,edf:paper")
    nested = f"hierarchical?method=({NESTED}),split=demand"
    assert [request.spelling for request in found] == ["greedy:code", nested, "edf:paper"]


def test_a_method_on_parts_serves_what_the_other_one_serves_whatever_the_size():
    jahanis, kiross = (module.generate(nodes=2, jobs=12, seed=1) for module in (jahani, kiros))
    patterns = parse("hierarchical?method=jahani_patterns").method
    assert patterns.refusal(jahanis) is None
    assert (
        patterns.refusal(kiross) == "jahani_patterns serves energy proportional, not first_ending"
    )
    tiny = parse("hierarchical?method=enumeration").method
    assert tiny.runs["method"].method.max_jobs == 10
    assert tiny.refusal(jahanis) is None


@pytest.mark.parametrize("spelling", ["local_search?start=", "path_relinking?start="])
def test_a_method_on_the_whole_is_refused_what_is_too_large_for_it(spelling):
    large = jahani.generate(nodes=2, jobs=12, seed=1)
    told = "enumeration serves up to 10 jobs, not 12"
    assert parse(f"{spelling}enumeration").method.refusal(large) == told
    assert parse(f"{spelling}enumeration|fifo").method.refusal(large) is None


EITHER = "jahani_patterns@highs|(rsjs_classes@highs?packing=splits)"


def test_of_several_methods_the_first_that_serves_runs():
    request = parse(f"hierarchical?controllers=1,method={EITHER}")
    both = request.options["method"]
    for module, name in ((jahani, "jahani_patterns"), (kiros, "rsjs_classes")):
        instance = module.generate(nodes=2, jobs=6, seed=1)
        assert request.method.refusal(instance) is None
        assert both.declared(instance).name == name
        alone = next(one for one in (both, *both.otherwise) if one.method.name == name)
        wanted = replace(alone, otherwise=())(instance, Call(), Report())
        found = both(instance, Call(), Report())
        assert (found.objective, found.counts) == (wanted.objective, wanted.counts)


def test_what_none_of_several_methods_serves_is_told_of_each():
    request = parse(f"hierarchical?method={EITHER}")
    instance = kiros.generate(nodes=2, jobs=6, seed=1)
    next_event = replace(instance, objective=FAMILIES["gpuscheduler"])
    told = (
        "jahani_patterns serves energy proportional, not next_event; "
        "rsjs_classes serves energy first_ending, not next_event"
    )
    assert request.method.refusal(next_event) == told
    with pytest.raises(InputError) as error:
        request.options["method"](next_event, Call(), Report())
    assert EITHER in str(error.value)
    assert told in str(error.value)


def test_the_size_that_a_method_accepts_counts_when_it_runs_and_not_in_parts():
    both = parse("hierarchical?method=enumeration|greedy").options["method"]
    instance = kiros.generate(nodes=2, jobs=12, seed=1)
    assert both.declared(instance).name == "enumeration"
    assert both(instance, Call(), Report()).stop is Stop.ITERATIONS  # greedy
    small = kiros.generate(nodes=2, jobs=3, seed=1)
    assert both(small, Call(), Report()).stop is Stop.OPTIMAL


def test_a_solver_that_is_missing_is_missing_to_both(monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    assert "scip is not installed" in parse("jahani_patterns@scip").missing()
    assert "scip is not installed" in parse("hierarchical?method=jahani_patterns@scip").missing()
    assert (
        "scip is not installed" in parse("hierarchical?method=edf|jahani_patterns@scip").missing()
    )
    assert parse("hierarchical").missing() is None


def test_a_minimum_holds_for_numbers_of_every_kind(monkeypatch):
    methods = dict(all_methods())
    options = {"alpha": Option(default=0.5, minimum=0.0, help="a number")}
    methods["greedy"] = replace(methods["greedy"], options=options)
    monkeypatch.setattr("rsjs.methods.all_methods", lambda: methods)
    assert parse("greedy?alpha=0").options == {"alpha": 0.0}
    for bad in ("-0.1", "nan"):
        with pytest.raises(InputError, match="alpha >= 0"):
            parse(f"greedy?alpha={bad}")


@pytest.mark.parametrize("inner", ["rsjs_bound", "jahani_patterns@relaxation"])
def test_a_method_without_decisions_is_no_value(inner):
    with pytest.raises(InputError, match="a method that returns solutions, not bounds only"):
        parse(f"hierarchical?method={inner}")


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("sts?spacing=inf", "'spacing=inf', expected a finite number"),
        ("sts?spacing=nan", "'spacing=nan', expected spacing >= 0.001"),
        ("queue?fit=all,fit=open", "'fit=open', expected fit once"),
        ("randomized_greedy?iterations=9999999999999", "expected iterations <= 1000000000000"),
        ("jahani_patterns@", "expected a solver after @"),
        ("sts:", "a rule after :"),
    ],
)
def test_an_option_out_of_range_or_given_twice_is_refused(spelling, told):
    with pytest.raises(InputError) as caught:
        parse(spelling)
    assert told in str(caught.value)


OFFERED = Method(name="offered", summary="a test", kind="heuristic", run="nowhere:run")


@pytest.mark.parametrize(
    ("name", "offered", "told"),
    [
        ("offered", OFFERED, None),
        ("else", OFFERED, "found a method of the name offered at pack:x of pack 1, expected"),
        ("offered", replace(OFFERED, needs="nobody"), "found solver nobody at pack:x of pack 1"),
        ("offered", "offered", "found str object at pack:x of pack 1, expected rsjs."),
    ],
)
def test_a_package_offers_a_method_by_its_name(monkeypatch, name, offered, told):
    def offers(group):
        point = SimpleNamespace(value="pack:x")
        offer = SimpleNamespace(name=name, load=lambda: offered, package="pack 1", points=[point])
        return dict.fromkeys((name, *taken), offer)

    taken = [*kind("workload").methods()]
    monkeypatch.setattr("rsjs.methods.offers", offers)
    monkeypatch.setattr("rsjs.methods.all_methods", all_methods.__wrapped__)
    if told is None:
        assert parse(name).method == offered
    else:
        with pytest.raises(InputError) as caught:
            parse(name)
        assert str(caught.value).startswith(told)
    assert parse("greedy").method == BUILT_IN["greedy"]  # a name of the suite is refused
    assert all_methods.__wrapped__().offers.keys() == {name}


PREPARED = """
import sys
from dataclasses import replace
from rsjs.instances import generators
from rsjs.instances.generators import sts
from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.methods import all_methods, parse
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy

OPTIONS = {"fix_and_optimise": "?rounds=1,iterations=100", "ruin_recreate": "?iterations=100"}


def loaded():
    ours = {name: module for name, module in sys.modules.items() if name.startswith("rsjs.")}
    found = [value for module in ours.values() for value in vars(module).values()]
    kernels = {f"{one}": len(one.signatures) for one in found if hasattr(one, "py_func")}
    return {*ours, *kernels.items(), *({"pyomo.core", "highspy"} & {*sys.modules})}


def methods():
    instance = sts.generate(nodes=2, jobs=4, seed=1, mix="km", sharing="paper")
    spellings = ["hierarchical?controllers=2,method=rsjs_classes@highs"]
    for name, method in all_methods().items():
        spellings += [f"{name}{OPTIONS.get(name, '')}"] * (method.kind == "heuristic")
    for spelling in spellings:
        asked = parse(spelling)
        call = Call(rule=asked.rule, options=asked.options, limits=Limits(gap=0.5))
        ready = asked.serving(instance).prepare(call, len(instance.jobs))
        call, run = replace(call, ready=ready), asked.method.load()
        yield spelling, lambda: run(instance, call, Report(60.0))


def policies():
    workload = generators.sts.workload(nodes=2, jobs=4, seed=1, law="exp")
    for spelling in ("priced_roll", "roll", "randomized_queue", "greedy", "local_search", "sts"):
        decides = policy(spelling, workload)
        yield spelling, lambda: simulate(workload, decides)


for spelling, run in methods() if sys.argv[1] == "methods" else policies():
    before = loaded()
    run()
    assert loaded() == before, (spelling, loaded() - before)
"""


@pytest.mark.parametrize("what", ["methods", "policies"])
def test_what_is_imported_and_compiled_comes_before_the_clock(what):
    done = subprocess.run([sys.executable, "-c", PREPARED, what], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


COMMAND = "mysolver {mps} {solution} --time {seconds}"
TABLE = '{"command":"mysolver {mps} {solution} --time {seconds}","name":"mysolver"}'


@pytest.mark.parametrize(
    ("text", "spelling", "label"),
    [
        (f"rsjs_nodes@{COMMAND}", f"rsjs_nodes@{TABLE}", "rsjs_nodes@mysolver"),
        (
            f"rsjs_classes?packing=splits@{COMMAND}",
            f"rsjs_classes@{TABLE}?packing=splits",
            "rsjs_classes@mysolver?packing=splits",
        ),
        (f"jahani_dual@{TABLE}", f"jahani_dual@{TABLE}", "jahani_dual@mysolver"),
        (
            f"hierarchical?method=(rsjs_nodes@{COMMAND})",
            f"hierarchical?method=(rsjs_nodes@{TABLE})",
            "hierarchical?method=(rsjs_nodes@mysolver)",
        ),
        (
            "rsjs_nodes@/no/highs {mps} {solution} 'a,b: c?d'",
            """rsjs_nodes@{"command":"/no/highs {mps} {solution} 'a,b: c?d'","name":"own-highs"}""",
            "rsjs_nodes@own-highs",
        ),
    ],
)
def test_a_program_is_a_solver_and_its_specification_is_read_back(text, spelling, label):
    request = parse(text)
    assert (request.spelling, request.label) == (spelling, label)
    assert parse(spelling).spelling == spelling
    assert len(request.programs) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rsjs_bound@s {mps} {solution}", "expected highs alone"),
        ("fifo@s {mps} {solution}", "expected no solver for fifo"),
        ("rsjs_nodes@s {mps}", "expected {solution} in the command"),
        ("rsjs_nodes@s {mps} {solution} {time}", "found '{time}', expected one of {mps}"),
        ("rsjs_nodes@{x", "the table of a solver as JSON"),
        (
            'rsjs_nodes@{"name":"a","command":"s {mps} {solution}","bound":3}',
            "found 3, expected text",
        ),
        (
            'rsjs_nodes@{"name":"a","command":"s {mps} {solution}","status":"x"}',
            "expected a table of patterns",
        ),
        (
            'rsjs_nodes@{"name":"a","command":"s {mps} {solution}","bound":"(x{99999999999})"}',
            "a regular expression",
        ),
        ('rsjs_nodes@{"name":"cbc","command":"cbc {mps} {solution}"}', "that no other solver has"),
        ("rsjs_nodes@glpk", "or a program, mysolver {mps} {solution}"),
    ],
)
def test_a_program_that_cannot_serve_is_refused(text, said):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert said in str(caught.value)


def test_commas_in_quotation_marks_do_not_divide_a_list():
    text = "edf,rsjs_nodes@s {mps} {solution} 'a,b',sts?iterations=5,seed=2"
    assert split(text) == [
        "edf",
        "rsjs_nodes@s {mps} {solution} 'a,b'",
        "sts?iterations=5,seed=2",
    ]
    with pytest.raises(InputError, match="words with commas in quotes"):
        split("rsjs_nodes@s {mps} {solution} -x a, -y b")
