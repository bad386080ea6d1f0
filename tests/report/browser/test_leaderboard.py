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
    about = {"systems": {"d2": {"link": "https://example.org/", "authors": "D. Two"}}}
    paths = sorted(folder.iterdir())
    return corefine.leaderboard(*paths, title=SCRIPT, about=about, trials=200, replicates=100)


@pytest.fixture
def open_board(board, open_report, tmp_path):
    board.save(tmp_path / "index.html")
    return lambda **options: open_report(tmp_path / "index.html", **options)


def column(page, section, title):
    """The visible cells below a title."""
    table = page.locator(f"#{section} table:visible").first
    heads = table.locator("thead tr:last-child > *").all_inner_texts()
    at = [head.rstrip("▲▼ \n") for head in heads].index(title) + 1
    cells = table.locator(f"tbody tr > :nth-child({at})").all_inner_texts()
    return [cell.strip().split("\n")[0] for cell in cells]


def test_columns_are_sorted_by_their_titles_and_the_address_has_it(open_board, board):
    page = open_board()
    assert column(page, "standings", "system") == list(board.newest)
    ranks = [board.comparison.standing(name, "conll").rank for name in board.newest]
    assert column(page, "standings", "rank") == list(map(str, ranks))
    f1 = page.locator("#standings th:visible").filter(has_text="F1")
    f1.get_by_role("button").click()
    values = [float(text) for text in column(page, "standings", "F1")]
    assert values == sorted(values, reverse=True)
    f1.get_by_role("button").press("Enter")
    assert f1.get_attribute("aria-sort") == "ascending"
    assert page.evaluate("location.hash") == "#standings?up=F1"
    page.reload()
    page.wait_for_selector("html[data-started]")
    values = [float(text) for text in column(page, "standings", "F1")]
    assert values == sorted(values)
    page.locator("#standings:visible").get_by_role("button", name="system").first.click()
    names = column(page, "standings", "system")
    assert names.index("d2") < names.index("d10")
    page.click("#sections a[href='#history']")
    for metric, title in (("muc", "MUC"), ("conll", "CoNLL")):  # the history follows the switch
        page.select_option("#metric", metric)
        assert page.locator("#history h3:visible").inner_text() == f"{title} F1 by date"
    page.locator("#history").get_by_role("button", name="date").click()
    assert column(page, "history", "date") == [f"2026-0{month}-01" for month in (1, 2, 3, 4)]
    assert page.locator("#history svg:visible .cf-tick").all_text_contents()[-1] == "2026-04-01"


def test_the_metric_is_switched_and_systems_that_do_not_differ_are_joined(open_board, board):
    page = open_board()
    assert page.locator("#standings td.bracket:visible").filter(has_text="│").count() >= 2
    assert page.locator("#standings tbody .plot:visible").count() == 4
    assert page.locator("#standings .axis text:visible").count() >= 2
    assert page.locator("#standings a[href='https://example.org/']:visible").count() == 1
    page.select_option("#metric", "muc")
    values = [float(text) for text in column(page, "standings", "F1")]
    expected = sorted((one.scores["muc"].f1 for one in board.newest.values()), reverse=True)
    assert values == pytest.approx([100 * one for one in expected], abs=0.006)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="standings.csv").click()
    assert waiting.value.suggested_filename == "standings.csv"


def test_hostile_names_are_shown_and_never_run(open_board):
    page = open_board()
    assert page.evaluate("window.pwned") is None
    assert page.title() == SCRIPT
    assert HOSTILE_NAME in column(page, "standings", "system")
    assert SCRIPT in column(page, "standings", "system")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_it_is_accessible_and_fits_the_screen(open_board, serious_violations, scheme, width):
    page = open_board(color_scheme=scheme, viewport={"width": width, "height": 844})
    assert serious_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("#standings .sortable:visible").count() == 1


def test_without_scripts_everything_is_there(browser, board, tmp_path):
    board.save(tmp_path / "index.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    for section in ("standings", "history"):
        assert page.locator(f"#{section} .sortable:visible").count() == 1
    context.close()


def test_one_system_has_a_profile_and_two_a_comparison(open_board, board):
    page = open_board()
    boxes = page.locator("#standings [data-system]:visible")
    boxes.nth(0).check()
    assert page.locator("#chosen [data-profile]:visible").count() == 1
    best, second = list(board.newest)[:2]
    score = board.newest[best].scores["muc"]
    row = page.locator("#chosen tr:visible").filter(has_text="MUC").locator("td").all_inner_texts()
    assert row == [f"{100 * (1 - score.recall):.2f}", f"{100 * (1 - score.precision):.2f}"]
    boxes.nth(1).check()
    assert page.locator("#chosen [data-profile]:visible").count() == 2
    found = board.comparison.difference(best, second, "lea")
    row = page.locator("#pair tr").filter(has_text="LEA").locator("td").all_inner_texts()
    assert row[0] == f"{100 * found.difference:+.2f}".replace("-", "−")
    boxes.nth(1).uncheck()
    assert page.locator("#pair table").count() == 0
