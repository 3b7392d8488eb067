"""The documentation builds without a warning, notebooks run, and its pages fetch nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reporting.site.test_in_browser import ARGUMENTS, BROWSER, LACKING

DOCS = Path(__file__).parents[2] / "docs"
FETCHED = re.compile(r"""<(?:script|img|link|iframe)[^>]+(?:src|href)=["'](?:https?:)?//""")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.solver
def test_the_site_is_complete_and_fetches_nothing(tmp_path):
    # one test, so that it is built once wherever tests are spread over processes
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2", "-b", "html"]
    built = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr

    sources = [page.relative_to(DOCS) for page in DOCS.rglob("*.md")]
    pages = {page: (tmp_path / page.with_suffix(".html")).read_text("utf-8") for page in sources}
    assert not [page for page, text in pages.items() if FETCHED.search(text)]

    notebooks = [page for page in sources if "notebooks" in page.parts]
    assert notebooks
    for page in notebooks:  # each call shows its picture
        calls = (DOCS / page).read_text("utf-8").count(".plot(")
        assert len(re.findall("<img[^>]*_images/", pages[page])) == calls, page

    mathematics = pages[Path("concepts/mathematics/jahani.md")]
    assert mathematics.count('display="block"') == 4
    assert "<math" in mathematics.partition("<table")[2].partition("</table>")[0]  # inline
    assert "$`" not in mathematics
    titles = (tmp_path / "searchindex.js").read_text("utf-8").partition('"alltitles":')[2]
    assert '"Time limit":' in titles  # the search for it finds a page of this title first
    commands = pages[Path("reference/commands.md")]
    assert "rsjs generate jahani" in commands
    assert "--time-limit" in commands
    api = tmp_path / "reference" / "api"
    model = (api / "rsjs.formulations.jahani.patterns.html").read_text("utf-8")
    assert "(slots)   sum_j x_jvg &lt;= sum_u y_vug" in model
    check = (api / "rsjs.instances.check.html").read_text("utf-8")
    signature = check.partition('id="rsjs.instances.check.check"')[2].partition("</dt>")[0]
    assert {"Instance", "Solution", "Verdict"} <= {*re.findall(r"\w+", signature)}  # types

    if not LACKING:  # a browser, and what drives it
        assert not _too_wide([tmp_path / page.with_suffix(".html") for page in sources], 1200)


def _too_wide(pages, width):
    """Pages that a window of so many pixels does not show without scrolling sideways."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        window = browser.new_page(viewport={"width": width, "height": 900})
        found = []
        for page in pages:
            window.goto(page.as_uri())
            if window.evaluate("document.documentElement.scrollWidth") > width:
                found.append(page.name)
        browser.close()
    return found
