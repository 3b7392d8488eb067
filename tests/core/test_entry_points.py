"""What other packages offer: broken offers told with the reason, and the digest of their source."""

import sys
from importlib import invalidate_caches

import pytest

from rsjs.core.entry_points import offers, source_of
from rsjs.core.errors import InputError

FILES = {  # offered_pack.method imports near and, relatively, the module far of a package
    "offered_pack/__init__.py": "VALUE = 1\n",
    "offered_pack/method.py": "import near, json\nfrom .deep import far\nfrom numpy import no\n",
    "offered_pack/deep/__init__.py": "",
    "offered_pack/deep/far.py": "def late():\n    from offered_pack import run\n",
    "offered_pack/run.py": "from .... import beyond\n",
    "offered_pack/unused.py": "",
    "near.py": "import offered_pack\n",
    "leaves.py": "raise SystemExit('bye')\n",
    "fails.py": "1 / 0\n",
    "garbled.py": "def\n",
}
BROKEN = {
    "gone": ("nowhere:thing", "ModuleNotFoundError: No module named 'nowhere'"),
    "lost": ("offered_pack:nothing", "AttributeError: module 'offered_pack' has no attribute"),
    "leaves": ("leaves:thing", "SystemExit: bye"),
    "fails": ("fails:thing", "ZeroDivisionError: division by zero"),
    "garbled": ("garbled:thing", "SyntaxError: "),
}


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """The offers of a package on the path, a name of which a second package has too."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    points = {"fine": "offered_pack:VALUE", "twice": "offered_pack:VALUE"}
    points |= {name: value for name, (value, _) in BROKEN.items()}
    for package, names in (("one", [*points]), ("two", ["twice"])):
        info = tmp_path / f"{package}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
        lines = ["[rsjs.test]", *(f"{name} = {points[name]}" for name in names)]
        (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    yield offers("rsjs.test")
    for name in [name for name in sys.modules if name.partition(".")[0] == "offered_pack"]:
        del sys.modules[name]


@pytest.mark.parametrize(("name", "told"), [(name, told) for name, (_, told) in BROKEN.items()])
def test_an_offer_that_cannot_be_imported_is_told_with_its_package(offered, name, told):
    assert offered["fine"].load() == 1
    with pytest.raises(InputError) as caught:
        offered[name].load()
    found = f"found {BROKEN[name][0]} of one 1, expected an entry point that loads: {told}"
    assert str(caught.value).startswith(found)


def test_a_name_that_two_packages_offer_is_refused(offered):
    with pytest.raises(InputError, match="of one package, not of one 1 and two 1"):
        offered["twice"].load()


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("offered_pack/method.py", True),
        ("offered_pack/deep/far.py", True),  # imported within a function, by a relative import
        ("offered_pack/run.py", True),  # by the name of a module in a package
        ("near.py", True),  # another module of the distribution
        ("offered_pack/unused.py", False),
        ("leaves.py", False),
    ],
)
def test_the_digest_is_of_what_a_method_imports_of_its_package(offered, tmp_path, file, counts):
    before = source_of(offered["fine"], "offered_pack.method")
    assert (before["distribution"], before["version"]) == ("one", "1")
    (tmp_path / file).write_text(FILES[file] + "# changed\n")
    assert (source_of(offered["fine"], "offered_pack.method") != before) == counts
    assert "offered_pack" not in sys.modules  # nothing was imported
