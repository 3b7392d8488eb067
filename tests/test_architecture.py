"""Which way imports go, read from the import statements; CONTRIBUTING.md gives the reasons."""

import ast
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = {"instances", "formulations", "heuristics"}
ONE_NAME = ("rsjs.core", *(f"rsjs.{folder}" for folder in sorted(FOLDERS)))
LEVEL = {  # a room imports itself and rooms of a lower level; a new room is added here
    "rsjs.commit": 0,
    "rsjs.core": 0,
    "rsjs.rsjs_verify": 0,  # a program of its own: it imports nothing of the suite
    "rsjs.instances": 1,
    "rsjs.formulations": 2,
    "rsjs.heuristics": 2,
    "rsjs.methods": 3,
    "rsjs.recommendation": 4,
    "rsjs.simulation": 4,
    "rsjs.runs": 5,
    "rsjs.rows": 6,
    "rsjs.campaigns": 7,
    "rsjs.bks": 8,
    "rsjs.paper_claims": 8,
    "rsjs.submissions": 9,
    "rsjs.reporting": 10,
    "rsjs.comparison": 11,
    "rsjs.library": 11,
    "rsjs.campaign_runs": 12,
    "rsjs.api": 13,
    "rsjs.cli": 14,
    "rsjs.__main__": 15,
}
ONLY_IN = {  # package: the one place that imports it
    **dict.fromkeys(["highspy", "pyscipopt", "ortools", "pyomo"], "rsjs.formulations"),
    **dict.fromkeys(["dask", "distributed"], "rsjs.campaigns"),
    "numba": "rsjs.heuristics.common.jit",
    "jsonschema_rs": "rsjs.instances.io.json_schema",
}


@cache
def _imports(file):
    names = []
    for node in _statements(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def _statements(node):
    """Statements below a node, at any depth, without imports that only types need."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from _statements(child)


def _allowed(module, name):
    if place := ONLY_IN.get(name.split(".")[0]):
        return f"{module}.".startswith(f"{place}.")
    own, other = (".".join(dotted.split(".")[:2]) for dotted in (module, name))
    if own in ("rsjs", other) or other == "rsjs.__version__" or not name.startswith("rsjs"):
        return True  # rsjs itself offers everything, lazily
    if (own, other) == ("rsjs.reporting", "rsjs.formulations"):
        return False  # a table can be made again without a solver
    return own in LEVEL and other in LEVEL and LEVEL[other] < LEVEL[own]


def circles(imports):
    """Sets of modules that import each other, directly or not, each as a sorted list."""
    reached = {module: {module} for module in imports}
    changed = True
    while changed:
        changed = False
        for module, names in imports.items():
            more = set().union(*(reached[name] for name in names)) - reached[module]
            reached[module] |= more
            changed |= bool(more)
    others = {
        module: sorted(name for name in reached[module] if module in reached[name])
        for module in imports
    }
    return sorted({tuple(circle) for circle in others.values() if len(circle) > 1})


def _modules(file, code):
    """Modules of the tree that a file imports, without those that only types need."""
    names = (name for name in _imports(file) if name.startswith("rsjs"))
    return {name if name in code else name.rpartition(".")[0] for name in names} & {*code}


def _names_twice(code):
    """Classes of one name in several modules of the folders where names are unique."""
    modules = {}
    for module, file in code.items():
        if module.startswith(ONE_NAME):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    modules.setdefault(node.name, []).append(module)
    return {name: sorted(places) for name, places in modules.items() if len(places) > 1}


def violations(root):
    """What in a source tree breaks the rules: imports, names, packages that pyproject lacks."""
    setup = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    code = {
        ".".join((package, *file.relative_to(root / folder).with_suffix("").parts)): file
        for package, folder in setup["package-dir"].items()
        for file in sorted((root / folder).rglob("*.py"))
    }
    packages = {module.rpartition(".")[0] for module in code}
    found = [f"{package} is not in pyproject" for package in packages - {*setup["packages"]}]
    found += [f"{package} is only in pyproject" for package in {*setup["packages"]} - packages]
    for module, file in code.items():
        module = module.removesuffix(".__init__")
        found += [f"{module}: {name}" for name in _imports(file) if not _allowed(module, name)]
    others = [file for folder in ("tests", "benchmarks") for file in (root / folder).rglob("*.py")]
    for file in [*code.values(), *others]:
        stray = [name for name in _imports(file) if name.split(".")[0] in FOLDERS]
        found += [f"{file.relative_to(root)}: {name}, not rsjs.{name}" for name in stray]
    plain = {module.removesuffix(".__init__"): file for module, file in code.items()}
    imports = {module: _modules(file, plain) - {module, "rsjs"} for module, file in plain.items()}
    found += [f"{' and '.join(circle)} import each other" for circle in circles(imports)]
    twice = _names_twice(plain).items()
    found += [f"class {name} is in {' and '.join(places)}" for name, places in twice]
    return found


def test_imports_go_one_way_and_every_folder_is_packaged():
    assert violations(ROOT) == []


def test_each_kind_of_violation_is_found(tmp_path):
    files = {
        "pyproject.toml": (
            '[tool.setuptools]\npackages = ["rsjs", "rsjs.instances", "rsjs.instances.io",'
            ' "rsjs.gone"]\n'
            '[tool.setuptools.package-dir]\nrsjs = "src/rsjs"\n"rsjs.instances" = "instances"\n'
        ),
        "src/rsjs/__init__.py": "from rsjs.cli.main import main\n",
        "src/rsjs/reporting/tables/comparison.py": (
            "from rsjs.formulations import bounds\nfrom rsjs.runs.store import Row\n"
        ),
        "src/rsjs/wing/new.py": "import rsjs.instances.instance\n",
        "instances/instance.py": (
            "import numpy\nimport highspy\nimport jsonschema_rs\n"
            "def late():\n    from rsjs.methods import METHODS\n"
        ),
        "instances/io/json_schema.py": "import jsonschema_rs\nfrom rsjs.instances import schema\n",
        "instances/io/first.py": (
            "class Rows: ...\ndef late():\n    import rsjs.instances.io.second\n"
        ),
        "instances/io/second.py": (
            "from rsjs.instances.io.third import Rows\n"
            "if TYPE_CHECKING:\n    from rsjs.instances.io.first import Rows\n"
        ),
        "instances/io/third.py": "from rsjs.instances.io import first\n\nclass Rows: ...\n",
        "tests/test_schema.py": "from instances.schema import Instance\nimport pyomo.environ\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(violations(tmp_path)) == [
        "class Rows is in rsjs.instances.io.first and rsjs.instances.io.third",
        "rsjs.gone is only in pyproject",
        "rsjs.instances.instance: highspy",
        "rsjs.instances.instance: jsonschema_rs",
        "rsjs.instances.instance: rsjs.methods.METHODS",
        "rsjs.instances.io.first and rsjs.instances.io.second and rsjs.instances.io.third"
        " import each other",
        "rsjs.reporting.tables is not in pyproject",
        "rsjs.reporting.tables.comparison: rsjs.formulations.bounds",
        "rsjs.wing is not in pyproject",
        "rsjs.wing.new: rsjs.instances.instance",
        "tests/test_schema.py: instances.schema.Instance, not rsjs.instances.schema.Instance",
    ]
