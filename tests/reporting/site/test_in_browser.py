"""A site opened from the disk in a real browser: it renders, sorts, draws, and stays silent."""

import re
import shutil
from importlib.util import find_spec

import pytest

from rsjs.instances.library.sets import library_set
from rsjs.reporting.tables.formats import MISSING

PATIENCE = 600_000.0  # ms; a page that never answers is ended
NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
LACKING = [
    *([] if BROWSER else [f"no browser ({', '.join(NAMES)})"]),
    *([] if find_spec("playwright") else ["no playwright"]),
]
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DRAWN = ".js-plotly-plot .main-svg"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(LACKING), reason=f"no browser test: {' and '.join(LACKING)}"),
]


@pytest.fixture(scope="module")
def browser():
    """The browser of this system."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def opened(browser, site):
    """Opens a page by pattern; no page may say anything to the console or load from elsewhere."""
    said: list[str] = []
    contexts = []

    def open_page(pattern, anchor="", of=site, **options):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda request: said.append(f"not loaded: {request.url}"))
        page.on("request", lambda request: said.extend([request.url] * ("http" in request.url)))
        [path] = of.glob(pattern)
        page.goto(path.as_uri() + anchor)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.harmed === undefined")
        context.close()
    assert said == []


def column(page, table, number):
    """The visible texts of a column."""
    cells = page.locator(f"#{table} tbody tr:visible td:nth-child({number})")
    return cells.all_text_contents()


@pytest.mark.parametrize(
    "pattern",
    ["index.html", "families/sts.html", "instances.html", "instances/jahani-N2-*.html",
     "methods/exact-*.html", "pairwise.html", "fairness.html", "provenance.html"],
)  # fmt: skip
def test_every_kind_of_page_renders_at_any_width(opened, pattern):
    page = opened(pattern)
    assert page.locator("h1").is_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "pattern",
    ["index.html", "sets/tiny.html", "sets/of-no-set-plain.html", "sets/solver-track.html",
     "sets/tiny-results1.html", "instances/sts-N2-*.html", "methods/exact-*13*.html",
     "methods/script*.html", "instances.html", "submissions.html", "sources.html"],
)  # fmt: skip
def test_every_kind_of_page_of_a_board_fits_its_window(opened, board, pattern):
    for scheme in ("light", "dark"):
        page = opened(pattern, of=board, color_scheme=scheme)
        assert page.locator("h1").count() == 1
        for width in (1400, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_ranking_of_a_board_leads_to_a_run_and_how_to_repeat_it(opened, board):
    page = opened("sets/tiny.html", of=board)
    page.locator("figure.plot").first.scroll_into_view_if_needed()
    page.locator(DRAWN).first.wait_for()  # its script is loaded before the page is left
    line = page.locator("#ranking1 tbody tr", has_text="rule:x")
    line.locator("td a").nth(1).click()
    page.wait_for_url("**/sets/tiny-results1.html#results=rule%3Ax")
    assert set(column(page, "results", 1)) == {"rule:x"}
    page.locator("#results tbody tr:visible td a").first.press("Enter")
    page.locator("dialog[open]").wait_for()
    told = page.locator("dialog pre").all_text_contents()
    assert any(text.startswith("rsjs fetch-set tiny") for text in told)
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


def test_the_history_of_an_instance_is_drawn_on_a_board(opened, board):
    name = library_set("tiny").members[2].name
    page = opened(f"instances/{name[:20]}*{name[-5:]}-*.html", of=board)
    figure = page.locator("#plot-history-plot")
    figure.scroll_into_view_if_needed()
    figure.locator(DRAWN).first.wait_for()


def test_a_table_is_sorted_by_value_and_back_missing_numbers_last(opened):
    page = opened("families/jahani.html")
    heading = page.locator("#summary th:nth-child(2) button")
    heading.click()
    up = column(page, "summary", 2)
    assert up == ["1", "2", "3"]
    assert page.locator("#summary th[aria-sort=ascending]").count() == 1
    heading.click()
    assert column(page, "summary", 2) == up[::-1]
    page.locator("#costs th:nth-child(3) button").click()
    page.locator("#costs th:nth-child(3) button").press("Enter")
    assert column(page, "costs", 3)[-1] != ""
    # shared seconds cannot be sorted by
    page = opened("families/sts.html")
    heads, shared = (page.locator(f"#summary th{kind}") for kind in ("", ".shared"))
    assert (shared.count(), shared.locator("button").count()) == (1, 0)
    assert heads.locator("button").count() == heads.count() - 1


def test_lines_are_chosen_by_words_by_value_and_by_address(opened):
    page = opened("failures.html")
    assert len(column(page, "runs", 1)) == 4
    page = opened("methods/exact-*.html", "#runs=sts")
    assert set(column(page, "runs", 2)) == {"sts"}
    assert page.locator("#runs .count").text_content() == "6 of 12 lines"
    page.locator("#runs input").fill("n10 jahani")
    assert set(column(page, "runs", 1)) == {"jahani-N10-J100-s1"}
    page.locator("#runs input").fill("")
    assert len(column(page, "runs", 1)) == 12
    page.locator("#runs select").first.select_option("sts")
    assert set(column(page, "runs", 2)) == {"sts"}


def test_figures_are_drawn_once_they_come_into_view_and_respond(opened):
    page = opened("failures.html")
    assert page.evaluate("window.Plotly === undefined")
    page = opened("families/jahani.html")
    figure = page.locator("#plot-costs-jahani")
    figure.scroll_into_view_if_needed()
    figure.locator(DRAWN).first.wait_for()
    entry = figure.locator(".legend-buttons button").first
    shown = figure.locator(".scatterlayer .trace")
    before = shown.count()
    entry.click()
    page.wait_for_function(
        "count => document.querySelectorAll('#plot-costs-jahani .scatterlayer .trace').length"
        " < count", arg=before
    )  # fmt: skip
    assert entry.get_attribute("aria-pressed") == "false"


def test_a_point_leads_to_its_run(opened):
    page = opened("methods/rule-*.html")
    page.locator(f"#plot-costs {DRAWN}").first.wait_for()
    page.evaluate(
        "const canvas = document.querySelector('#plot-costs .canvas');"
        "canvas.emit('plotly_click', {points: [{customdata: canvas.data[0].customdata[0]}]})"
    )
    page.wait_for_url(re.compile(r"/instances/.*#r-[0-9a-f]{16}$"))
    page.locator("dialog[open]").wait_for()


def test_a_run_is_shown_at_its_address_and_closed_by_the_keyboard(opened, rows):
    failed = next(row for row in rows if row["ended"] == "SOLVER_ERROR")
    name = f"instances/{failed['instance']}-*.html"
    page = opened(name, f"#r-{failed['run_id']}")
    dialog = page.locator("dialog[open]")
    dialog.wait_for()
    assert failed["message"] in dialog.text_content()
    assert failed["run_id"] in dialog.text_content()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.wait_for_function("window.location.hash === ''")
    page.locator("#runs tbody tr td:nth-child(5) a").first.click()
    page.locator("dialog[open]").wait_for()


def test_two_methods_are_set_against_each_other(opened):
    page = opened("pairwise.html")
    page.locator("#pair [name=one]").select_option("exact@highs")
    page.locator("#pair [name=other]").select_option("rule:x")
    page.locator("#pair [name=measure]").select_option("time")
    facts = page.locator("#verdict strong")
    assert facts.all_text_contents()[:3] == ["6", "0", "0"]
    assert column(page, "problems", 4) == [MISSING] * 6
    page.locator("#pair [name=one]").select_option("rule:x")
    page.locator("#pair [name=other]").select_option("exact@highs")
    assert facts.all_text_contents()[:3] == ["0", "0", "6"]
    page.locator("#pair [name=measure]").select_option("cost")
    assert column(page, "problems", 4) == ["0.990099"] * 6
    page.locator("#plot-pair .main-svg").first.wait_for()
    assert page.locator("#pair [name=measure] option").all_text_contents() == ["cost", "time"]
    page.locator("#pair [name=family]").select_option("sts")
    assert page.locator("#pair [name=measure] option").all_text_contents() == ["cost"]


def test_a_run_is_found_by_the_beginning_of_its_id(opened, rows):
    page = opened("provenance.html")
    page.locator("#lookup input").fill(rows[0]["run_id"][:8])
    page.locator("#lookup output a").first.click()
    page.locator("dialog[open]").wait_for()
    assert page.url.endswith(f"#r-{rows[0]['run_id']}")


def test_text_contrasts_with_its_paper(opened):
    page = opened("provenance.html")
    names = ("paper", "panel", "mark", "ink", "faint", "link", "bad", "warn", "good")
    pairs = [(text, paper) for text in names[3:] for paper in ("paper", "panel")]
    papers = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        light = {name: _luminance(page, f"--{name}") for name in names}
        papers.add(light["paper"])
        for text, paper in [*pairs, ("ink", "mark")]:
            high, low = sorted((light[text], light[paper]), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (scheme, text, paper)
    assert len(papers) == 2


def _luminance(page, name):
    colour = page.evaluate(f"rsjsColour('{name}')")
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
