"""The documentation: `make docs`, or `sphinx-build -W -b html docs build/docs`."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "RSJS-Bench"
author = "The RSJS-Bench developers"
copyright = author
version = release = installed("rsjs-bench")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "mathematics",
    "commands",
    "docstrings",
]
root_doc = "index"
exclude_patterns = ["extensions", "templates"]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}  # of generated pages first
templates_path = ["templates"]

nb_execution_in_temp = True
nb_execution_timeout = -1  # none: runs have limits of their own, and a cell may have to compile
nb_execution_raise_on_error = True
nb_merge_streams = True

myst_fence_as_directive = ["math"]  # GitHub shows these too; $ is the currency of the pages
myst_heading_anchors = 3

autosummary_generate = True  # a page per module in docs/reference/api
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Floats", "Ints", "Bools")}  # of rsjs.core.types
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
numpydoc_show_class_members = False
smartquotes = False  # options begin with two hyphens
default_role = "code"  # backticks in docstrings

html_theme = "furo"
html_title = f"{project} {version}"
html_static_path = ["style"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
