"""The leaderboard in a browser: sorting, hostile names, small and dark screens."""

from __future__ import annotations

import pytest

import corefine
from tests.building.report_corpora import HOSTILE_NAME
from tests.comparing.test_systems import many_documents

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KEY, SYSTEMS = many_documents()
SCRIPT = "</script><script>window.pwned=1</script>"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    for number, (name, system) in enumerate(
        (("d10", "poor"), ("d2", "good"), (HOSTILE_NAME, "middling"), (SCRIPT, "same"))
    ):
        scores = corefine.score(KEY, SYSTEMS[system], "muc,lea,conll")
        scores.save(folder / f"{number}.json", name=name, date=f"2026-0{number + 1}-01")
    return corefine.leaderboard(*sorted(folder.iterdir()), title=SCRIPT, trials=200, replicates=100)


@pytest.fixture
def open_board(board, open_report, tmp_path):
    board.save(tmp_path / "index.html")
    return lambda **options: open_report(tmp_path / "index.html", **options)


def column(page, section, number):
    cells = page.locator(f"#{section} .sortable tbody tr > :nth-child({number})").all_inner_texts()
    return [cell.strip() for cell in cells]


def test_columns_are_sorted_by_their_titles(open_board, board):
    page = open_board()
    assert column(page, "standings", 1) == list(board.newest)
    f1 = page.locator("#standings thead tr:last-child th").nth(2)
    f1.get_by_role("button").click()
    values = [float(text.rstrip("abcd")) for text in column(page, "standings", 3)]
    assert values == sorted(values, reverse=True)
    assert f1.get_attribute("aria-sort") == "descending"
    f1.get_by_role("button").press("Enter")
    assert f1.get_attribute("aria-sort") == "ascending"
    values = [float(text.rstrip("abcd")) for text in column(page, "standings", 3)]
    assert values == sorted(values)
    page.locator("#standings").get_by_role("button", name="system").click()
    names = column(page, "standings", 1)
    assert names.index("d2") < names.index("d10")
    assert page.locator("#standings [aria-sort]").count() == 1
    page.locator("#history").get_by_role("button", name="date").click()
    assert column(page, "history", 1) == [f"2026-0{month}-01" for month in (1, 2, 3, 4)]


def test_hostile_names_are_shown_and_never_run(open_board):
    page = open_board()
    assert page.evaluate("window.pwned") is None
    assert page.title() == SCRIPT
    assert HOSTILE_NAME in column(page, "standings", 1)
    assert SCRIPT in column(page, "standings", 1)
    assert page.locator("img").count() == 0


SCREENS = pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 390)]
)


@SCREENS
def test_no_serious_violation_of_accessibility(open_board, serious_violations, scheme, width):
    page = open_board(color_scheme=scheme, viewport={"width": width, "height": 844})
    assert serious_violations(page) == []


@SCREENS
def test_it_fits_the_screen(open_board, scheme, width):
    page = open_board(color_scheme=scheme, viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("#standings .sortable").is_visible()


def test_dark_mode_can_be_chosen(open_board):
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_board(color_scheme="dark")
    dark = page.evaluate(ground)
    page.select_option("#scheme", "light")
    assert page.evaluate(ground) != dark


def test_without_scripts_everything_is_there(browser, board, tmp_path):
    board.save(tmp_path / "index.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    for section in ("standings", "groups", "history"):
        assert page.locator(f"#{section} .sortable").is_visible()
    context.close()
