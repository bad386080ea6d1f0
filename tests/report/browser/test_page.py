"""The page in a browser: sections, tables, safety, accessibility, printing, notebooks."""

from __future__ import annotations

import random
from typing import Any

import pytest

import corefine
from tests.building.report_corpora import (
    HOSTILE_NAME,
    HOSTILE_WORDS,
    corpus_of,
    harbour_key,
    harbour_split,
    harbour_wrong,
    hostile_corpus,
)
from tests.report.browser.polling import until

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SECTIONS = ("overview", "compare", "errors", "documents", "reading")


@pytest.fixture(scope="module")
def many_documents():
    """Documents enough for tables of several pages."""
    chance = random.Random(5)
    documents = []
    for number in range(12):
        places = list(range(60))
        chance.shuffle(places)
        chains = [[(at, at) for at in sorted(places[cut : cut + 3])] for cut in range(0, 45, 3)]
        documents.append((f"d{number}", [" ".join(f"w{at}" for at in range(60))], chains))
    mixed = []
    for name, text, chains in documents:
        flat = [span for chain in chains for span in chain]
        if name != "d0":
            chance.shuffle(flat)
        mixed.append((name, text, [flat[cut : cut + 3] for cut in range(0, 45, 3)]))
    return corpus_of(*documents), corpus_of(*mixed)


@pytest.fixture(scope="module")
def many(many_documents):
    key, mixed = many_documents
    return corefine.report(key, {"mixed": mixed}, replicates=50)


def go(page: Any, section: str) -> None:
    """Choose a view in the menu, or go to the address of a part of one."""
    link = page.locator(f"#sections a[href='#{section}']")
    if not link.count():
        at(page, f"#{section}")
        return
    if not link.is_visible():
        page.click("#open-menu")
    link.click()
    page.wait_for_selector(f"#{section}:not([hidden])")
    settled(page)


def at(page: Any, address: str) -> None:
    """Go to an address as a mailed link does."""
    page.evaluate(
        "hash => new Promise((done) => { if (location.hash === hash) return done();"
        "addEventListener('hashchange', () => done(), { once: true }); location.hash = hash; })",
        address,
    )
    settled(page)


def settled(page: Any) -> None:
    """Wait until the page has gone where it was sent, and no table waits for its documents."""
    until(page, "!document.querySelector('[aria-busy]')")


def column(page: Any, table: str, title: str) -> list[str]:
    """The cells of a column, by its title."""
    settled(page)
    heads = page.locator(f"#{table}-table thead tr:last-child th").all_inner_texts()
    titles = [head.rstrip("▲▼\n ").strip() for head in heads]
    at = titles.index(title) + 1
    cells = page.locator(f"#{table}-table tbody tr > :nth-child({at})").all_inner_texts()
    return [cell.strip() for cell in cells]


def sort_by(page: Any, table: str, title: str) -> None:
    page.locator(f"#{table}-table thead").get_by_role("button", name=title, exact=True).click()


def test_sections_are_reached_by_links_and_by_history(open_report, harbour):
    page = open_report(harbour)
    for section in SECTIONS[1:]:
        go(page, section)
        visible = page.locator("[data-section]:visible")
        assert [visible.nth(at).get_attribute("id") for at in range(visible.count())] == [section]
        assert page.get_attribute("#sections [aria-current='page']", "href") == f"#{section}"
        assert page.evaluate("document.activeElement.tagName") == "H2"
        assert page.locator(f"#{section} h2").inner_text() in page.title() or section == "reading"
    page.go_back()
    page.wait_for_selector("#documents:not([hidden])")


def test_tables_are_sorted_filtered_and_turned(open_report, many):
    page = open_report(many)
    go(page, "entities")
    assert "180 entities" in page.inner_text("#entities-table .count")
    sort_by(page, "entities", "B³ F1")
    values = [float(text) for text in column(page, "entities", "B³ F1")]
    assert values == sorted(values, reverse=True)
    assert len(values) == 50
    head = page.locator("#entities-table th[aria-sort]")
    assert head.get_attribute("aria-sort") == "descending"
    assert page.evaluate("document.activeElement.closest('th').getAttribute('aria-sort')")
    sort_by(page, "entities", "B³ F1")
    assert head.get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Show 50 of 130 more rows").click()
    assert page.locator("#entities-table tbody tr").count() == 100
    chip = page.locator("#entities-table .chips[data-title='category'] button").first
    chip.click()
    assert " of 180 entities" in page.inner_text("#entities-table .count")
    assert len(set(column(page, "entities", "category"))) == 1
    assert chip.get_attribute("aria-pressed") == "true"
    chip.click()
    page.fill("#entities-table-query", "d7")
    until(page, "document.querySelector('#entities-table .count').textContent.startsWith('15 of')")
    assert set(column(page, "entities", "document")) == {"d7"}
    page.fill("#entities-table-query", "no such thing")
    page.wait_for_selector("#entities-table .absent")


def test_documents_are_opened_from_the_table(open_report, many):
    page = open_report(many)
    go(page, "documents")
    page.select_option("#metric", "lea")
    f1 = [float(text) for text in column(page, "documents", "F1")]
    expected = sorted(d["lea"].f1 for d in many.scores["mixed"].documents.values())
    assert f1 == pytest.approx([100 * one for one in expected], abs=0.006)
    assert "metric=lea" in page.evaluate("location.hash")
    first = page.locator("#documents-table tbody a").first
    name = first.inner_text()
    first.click()
    until(page, "document.querySelector('#reading-title').textContent !== 'Read'")
    assert page.inner_text("#reading-title") == f"Read {name}"
    shown = int(page.input_value("#document"))
    page.keyboard.press("]")
    until(page, f"document.querySelector('#document').value === '{shown + 1}'")
    page.click("#previous-document")
    until(page, f"document.querySelector('#document').value === '{shown}'")


def test_the_file_makes_one_request_and_allows_no_other(opened, harbour):
    result = opened(harbour)
    assert len(result.requests) == 1
    policy = result.page.get_attribute("meta[http-equiv]", "content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    refused = result.page.evaluate(
        "fetch('https://example.org/').then(() => 'allowed', () => 'refused')"
    )
    assert refused == "refused"
    result.page.evaluate("document.body.append(Object.assign(document.createElement('script'), "
                         "{textContent: 'window.pwned = 1'}))")  # fmt: skip
    assert result.page.evaluate("window.pwned") is None
    # The browser reports both refusals, which is what was to be shown.
    assert all("Content Security Policy" in text for text in result.complaints)
    result.complaints.clear()


def test_a_hostile_corpus_runs_nothing(opened):
    made = corefine.report(
        hostile_corpus(),
        {
            "<img src=x onerror=window.pwned=1>": hostile_corpus(response=True),
            HOSTILE_NAME: hostile_corpus(),
        },
        title="</title><script>window.pwned=1</script>",
        replicates=20,
    )
    result = opened(made)
    page = result.page
    assert page.title() == "</title><script>window.pwned=1</script>"
    for section in SECTIONS:
        go(page, section)
    shown = page.inner_text("#text")
    for word in HOSTILE_WORDS[:7]:
        assert word in shown
    assert page.locator("#document option").first.inner_text() == HOSTILE_NAME
    tags = page.locator(".tag")
    for at in range(tags.count()):
        tags.nth(at).click()
    for _ in range(4):
        page.keyboard.press("n")
    page.fill("#search", "<img")
    page.keyboard.press("Enter")
    page.locator("#found button").first.click()
    page.select_option("#beside", "1")
    page.select_option("#response", "1")
    go(page, "errors")
    page.locator("#errors-table tbody a").first.click()
    page.wait_for_selector("#error-list [aria-current=true]")
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, body > script:not([type]) ~ script").count() == 0
    # The address that the page writes leads back to the same place.
    link = page.evaluate("location.hash")
    again = opened(made, link).page
    assert again.locator("#error-list [aria-current=true]").count() == 1


def test_dark_mode_follows_the_system_and_can_be_chosen(open_report, harbour):
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_report(harbour, color_scheme="dark")
    dark = page.evaluate(ground)
    page.select_option("#scheme", "light")
    light = page.evaluate(ground)
    assert dark != light
    assert open_report(harbour, color_scheme="light").evaluate(ground) == light


def test_printing_leaves_out_what_paper_cannot_do(open_report, harbour):
    page = open_report(harbour, "#harbour/", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    for gone in ("nav", "#search-form", "aside", ".tools", "footer"):
        assert page.locator(gone).is_hidden()
    assert page.locator("#text").is_visible()
    assert page.locator(".flow").is_visible()
    assert page.locator("[data-section]:visible").count() == 1  # the view that is open
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_everything_is_drawn_before_printing(open_report):
    key = corpus_of(
        ("d", ["a b c d"] * 900, [[(at, at), (at + 2, at + 2)] for at in range(0, 3500, 4)])
    )
    page = open_report(corefine.report(key, key, metrics="lea", replicates=10), "#d/")
    drawn = "document.querySelectorAll('#text .t').length"
    before = page.evaluate(drawn)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(drawn) == 1750 > before


def test_a_notebook_shows_the_report_in_a_frame(browser, harbour, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>notebook</title>{harbour._repr_html_()}", "utf-8")
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("html[data-started]").wait_for(state="attached")
    frame.locator("#sections a[href='#errors']").click()
    frame.locator("#errors-table tbody a").first.click()
    frame.locator("#error-list [aria-current=true]").wait_for()
    frame.locator("body").press("n")
    assert frame.locator("#reading").is_visible()
    assert complaints == []
    context.close()


def test_a_document_that_is_shown_alone_has_its_own_name_and_links(open_report):
    responses = {"wrong": harbour_wrong(), "split": harbour_split()}
    made = corefine.report(harbour_key(), responses, documents=["mill"], replicates=20)
    page = open_report(made)
    go(page, "reading")
    assert page.inner_text("#reading-title") == "Read mill"
    assert page.locator("#document option:checked").inner_text() == "mill"
    page.locator("#text .tag").first.click()
    link = page.get_attribute("#entity .permalink", "href")
    assert link == page.evaluate("location.hash")
    assert link.startswith("#mill/")
    again = open_report(made, link)
    assert again.inner_text("#reading-title") == "Read mill"
    assert again.inner_text("#entity h4 .chip") == "1"
    for table in ("entities", "errors"):
        at(page, f"#{table}?response=wrong")
        assert set(column(page, table, "document")) == {"mill"}
        page.locator(f"#{table}-table tbody a").first.click()
        page.wait_for_selector("#entity h4")
        assert page.inner_text("#reading-title") == "Read mill"
        assert page.evaluate("location.hash").startswith("#mill/")


def test_a_link_to_a_document_without_text_leads_to_the_table(open_report):
    made = corefine.report(harbour_key(), harbour_wrong(), documents=["mill"], replicates=20)
    for link, told in (
        ("#harbour/", "The text of document harbour is not in this report."),
        ("#nowhere/3", "There is no document nowhere in this report."),
    ):
        page = open_report(made, link)
        assert page.locator("#documents").is_visible()
        assert page.inner_text("#notice") == told


def test_nothing_is_wider_than_a_phone(open_report, many_documents):
    name = "a_document_with_a_name_that_is_wider_than_any_phone"
    key, response = (
        corpus_of((name, [" ".join(f"w{at}" for at in range(40))], [[(0, 30), (35, 35)], last]))
        for last in ([(1, 9), (31, 31)], [(1, 9)])
    )
    page = open_report(
        corefine.report(key, response, replicates=20), viewport={"width": 390, "height": 844}
    )
    for section in SECTIONS:
        if section != "compare":
            go(page, section)
            assert page.evaluate("document.documentElement.scrollWidth") == 390, section
    # Rows of a table are read without scrolling sideways: cells stand below each other.
    for section in ("documents", "entities", "errors"):
        go(page, section)
        right = page.eval_on_selector_all(
            f"#{section}-table tbody :is(th, td)",
            "all => Math.max(...all.map(cell => cell.getBoundingClientRect().right))",
        )
        assert right <= 390, section
