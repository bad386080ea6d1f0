"""The text view in a browser: mentions of both sides, light, focus, errors, links, search."""

from __future__ import annotations

from typing import Any

import pytest

import corefine
from tests.building.report_corpora import corpus_of
from tests.report.browser.polling import until

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def tag(page: Any, side: str, text: str) -> Any:
    """The button of a mention, by its side and its words."""
    ending = f": {text}"
    lines = page.locator(f"#text .tag[data-side='{side}']")
    for at in range(lines.count()):
        name = lines.nth(at).get_attribute("aria-label")
        if name.split(";")[0].endswith(ending):
            return lines.nth(at)
    raise AssertionError(f"no {side} mention {text!r}")


def lit(page: Any, side: str, state: str = "lit") -> list[str]:
    """The words of a side that are lit, in the order of the text."""
    cells = page.locator(f"#text .t.{state}-{side} .w")
    return [text.strip() for text in cells.all_inner_texts()]


TOUCHING = """[...document.querySelectorAll('#text .tag')].map((tag) => [tag, tag.getBoundingClientRect()])
.flatMap(([tag, a], at, all) => all.slice(at + 1).filter(([, b]) => a.left < b.right + 0.5
&& b.left < a.right + 0.5 && a.top < b.bottom + 0.5 && b.top < a.bottom + 0.5)
.map(([other]) => `${tag.textContent} ${other.textContent}`))"""  # noqa: E501
"""Labels of the text that touch each other."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_names_arcs_and_legend_of_the_text(open_report, three, scheme):
    page = open_report(three, "#news_0//wild", color_scheme=scheme)
    for width in (1400, 1000, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#text .tag").count() > 100
        assert page.evaluate(TOUCHING) == []
        assert page.locator("#row-0 .names").is_visible() == (width > 640)
    page.set_viewport_size({"width": 1400, "height": 900})
    # Names instead of numbers in the margin: they light up with their entity, and choose it.
    names = page.locator("#row-1 .names span")
    named = names.first.inner_text()
    names.first.hover()
    assert page.locator("#row-1 .names .lit").first.inner_text() == named
    assert len(lit(page, "key")) > 2
    names.first.click()
    assert page.inner_text("#entity h4").startswith(named.split()[0])
    # An arc leads from a mention to the one before it.
    page.locator("#row-1 .tag[data-side='key']").last.hover()
    assert page.locator(".arc path").count() == 1


def test_pointing_at_a_mention_lights_its_entity_on_both_sides(open_report, harbour):
    page = open_report(harbour, "#harbour//wrong")
    tag(page, "key", "the harbour master").hover()
    assert lit(page, "key") == ["the", "harbour", "master", "him", "He"]
    assert lit(page, "response") == ["the", "harbour", "master"]
    # "He" is in the entity of "Ada" in this response.
    tag(page, "response", "He").hover()
    assert lit(page, "response") == ["Ada", "She", "He"]
    assert lit(page, "key") == ["the", "harbour", "master", "him", "He"]
    page.mouse.move(5, 5)
    assert lit(page, "key") == []


def test_mentions_are_reached_and_chosen_by_keyboard(open_report, harbour):
    page = open_report(harbour, "#harbour//wrong")
    page.focus("#errors-only")
    page.keyboard.press("Tab")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "key entity 1, 2 mentions: Ada"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused).startswith("response entity 1, 3 mentions: Ada")
    assert lit(page, "response") == ["Ada", "She", "He"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "key entity 1, 2 mentions: She"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert lit(page, "key", "kept") == ["Ada", "She"]
    assert tag(page, "key", "She").get_attribute("aria-pressed") == "true"
    assert "key entity 1, 2 mentions" in page.inner_text("#status")
    assert page.evaluate("location.hash") == "#harbour/1/wrong"
    # Only one mention at a time is in the order of Tab.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#text')") is None
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(focused) == "key entity 1, 2 mentions: Ada"


def test_the_panel_lists_the_entity_on_both_sides_and_leads_back(open_report, harbour):
    page = open_report(harbour, "#harbour//wrong")
    tag(page, "key", "the harbour master").click()
    panel = page.locator("#entity")
    assert panel.locator("h4").all_inner_texts() == ["2 Key entity", "2 Response entity"]
    items = [" ".join(text.split()) for text in panel.locator("li").all_inner_texts()]
    assert items == [
        "the harbour master response 2",
        "him not found",
        "He response 1",
        "the harbour master key 2",
    ]
    panel.get_by_role("button", name="him").click()
    assert page.evaluate("document.activeElement.dataset.mention") == "3"
    assert panel.locator(".permalink").get_attribute("href") == "#harbour/2/wrong"


def test_a_link_opens_an_entity_of_a_response(open_report, harbour):
    page = open_report(harbour, "#harbour/2/split")
    assert page.locator("#response option:checked").inner_text() == "split"
    assert lit(page, "key", "kept") == ["the", "harbour", "master", "him", "He"]
    assert lit(page, "response", "kept") == ["the", "harbour", "master", "him"]
    assert page.evaluate("document.activeElement.textContent") == "2"
    page = open_report(harbour, "#harbour/a/split")
    assert lit(page, "response", "kept") == ["He"]


def test_errors_are_stepped_through_with_n_and_p(open_report, harbour):
    page = open_report(harbour, "#errors?response=wrong")
    seen = []
    for _ in range(5):
        page.keyboard.press("n")
        until(page, "document.querySelector('#error-list [aria-current=true]')")
        seen.append(page.inner_text("#error-list [aria-current=true] b"))
        assert page.evaluate("document.activeElement.className").startswith("tag")
    assert sorted(seen) == sorted(
        ["missing mention", "span error", "merged entities", "extra mention", "split entity"]
    )
    assert page.evaluate("location.hash") == "#harbour/!5/wrong"
    # The next error stands in the next document.
    page.keyboard.press("n")
    until(page, "document.querySelector('#document').value === '1'")
    until(page, "location.hash === '#mill/!1/wrong'")
    page.keyboard.press("p")
    until(page, "location.hash === '#harbour/!5/wrong'")
    assert page.inner_text("#status").startswith("error 5 of 5")


def test_single_letter_keys_can_be_turned_off(open_report, harbour):
    page = open_report(harbour)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    assert dialog.is_visible()
    page.get_by_label("use the keys made of one letter or sign").uncheck()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.keyboard.press("n")
    assert page.locator("#overview").is_visible()


def test_an_error_of_the_list_scrolls_to_its_place(open_report, harbour):
    page = open_report(harbour, "#harbour//wrong", viewport={"width": 1280, "height": 420})
    page.locator("#error-list button").filter(has_text="extra mention").click()
    chosen = tag(page, "response", "lost")
    assert chosen.evaluate("e => e === document.activeElement")
    box = chosen.bounding_box()
    assert 0 < box["y"] < 420
    assert "+" in chosen.inner_text()
    assert "extra mention" in page.inner_text("#status")


def test_search_finds_words_in_all_documents(open_report, harbour):
    page = open_report(harbour, "#mill//wrong")
    page.fill("#search", "the old")
    page.keyboard.press("Enter")
    results = page.locator("#found button")
    results.first.wait_for()
    assert results.count() == 1
    assert page.inner_text("#search-count") == "1 place in 2 documents"
    assert page.inner_text("#found mark") == "the old"
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#document').value === '0'")
    assert page.locator(".row.found .line").inner_text().count("old") == 1
    page.keyboard.press("Escape")  # wherever the focus is
    assert page.locator("#search-results").is_hidden()
    page.fill("#search", "the")
    page.keyboard.press("Enter")
    page.locator("#found button").first.wait_for()
    page.click("#sections a[href='#overview']")
    assert page.locator("#search-results").is_hidden()
    page.fill("#search", "nothing of the kind")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#search-count').textContent.startsWith('0 ')")


def test_responses_are_switched_and_set_one_under_the_other(open_report, harbour):
    page = open_report(harbour, "#harbour//wrong")
    page.select_option("#beside", label="split")
    assert page.inner_text(".head") == "below the words: A = wrong, then B = split"
    assert page.evaluate("location.hash") == "#harbour//wrong/split"
    labels = page.locator("#text .tag[data-side='response']").all_inner_texts()
    assert {label[0] for label in labels} == {"A", "B"}
    page.locator("#text .tag[aria-label^='B'][aria-label$=' him']").hover()
    assert lit(page, "response") == ["the", "harbour", "master", "him"]
    page.select_option("#response", label="split")
    assert page.locator(".head").count() == 0
    assert "response split" in page.inner_text("#status")
    assert page.locator("#error-list li").count() == 1


def test_only_errors_and_singletons_filter_the_mentions(open_report):
    key = corpus_of(("d", ["a b c d"], [[(0, 0), (1, 1)], [(2, 2)], [(3, 3)]]))
    response = corpus_of(("d", ["a b c d"], [[(0, 0), (1, 1)], [(2, 2)]]))
    page = open_report(corefine.report(key, response, replicates=10), "#d/")
    words = "[...document.querySelectorAll('.t .w')].map(e => e.textContent.trim()).join('')"
    assert page.evaluate(words) == "abcd"
    page.uncheck("#show-singletons")
    assert page.evaluate(words) == "abd"  # the missing singleton is an error and stays
    page.check("#errors-only")
    assert page.evaluate(words) == "d"
    # The address has it, and leads back to it.
    again = open_report(
        corefine.report(key, response, replicates=10), page.evaluate("location.hash")
    )
    assert again.evaluate(words) == "d"
    assert not again.is_checked("#show-singletons")


def test_text_from_right_to_left(open_report):
    text = ["رأى سامي البيت ثم دخل هو إليه"]
    key = corpus_of(("عربي", text, [[(1, 1), (5, 5)], [(2, 2), (6, 6)]]))
    response = corpus_of(("عربي", text, [[(1, 1), (5, 5), (6, 6)], [(2, 2)]]))
    page = open_report(corefine.report(key, response, replicates=10))
    page.click("#sections a[href='#reading']")
    line = page.locator(".line").first
    assert line.evaluate("e => getComputedStyle(e).direction") == "rtl"
    first, second = tag(page, "key", "سامي"), tag(page, "key", "البيت")
    assert first.bounding_box()["x"] > second.bounding_box()["x"]
    first.focus()
    page.keyboard.press("ArrowLeft")
    assert "سامي" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("ArrowLeft")
    assert "البيت" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    tag(page, "key", "هو").click()
    assert page.evaluate("decodeURIComponent(location.hash)") == "#عربي/1"


def test_a_corpus_without_text_lists_its_mentions(open_report):
    made = corefine.report([["Anna", "she"], ["Rome"]], [["Anna"], ["she", "Rome", "Oslo"]])
    page = open_report(made)
    page.click("#sections a[href='#reading']")
    assert page.locator("#no-text").is_visible()
    rows = page.locator(".line")
    words = [rows.nth(at).locator(".w").all_inner_texts() for at in range(rows.count())]
    assert [[word.strip() for word in row] for row in words] == [
        ["Anna", "she"],
        ["Rome"],
        ["Oslo"],
    ]
    assert tag(page, "key", "Rome").is_visible()
    assert "+" in tag(page, "response", "Oslo").inner_text()


def test_a_long_document_is_drawn_as_it_is_read(open_report):
    words = 100_000
    sentence = " ".join(["word"] * 25)
    chains = [[(at, at), (at + 3, at + 3)] for at in range(0, words - 10, 20)]
    found = [*chains[:-1], [(words - 1, words - 1)]]
    document = ("long", [sentence] * (words // 25), chains)
    key = corpus_of(document)
    response = corpus_of((document[0], document[1], found))
    page = open_report(corefine.report(key, response, metrics="lea", replicates=10), "#long/")
    drawn = "document.querySelectorAll('#text .t').length"
    assert 0 < page.evaluate(drawn) < 2_000
    assert page.evaluate("document.querySelector('#text').textContent.length") > 4 * words
    page.keyboard.press("p")
    until(page, "document.querySelector('#error-list [aria-current=true]')")
    assert page.evaluate("document.activeElement.className").startswith("tag")
    box = page.evaluate(
        "(() => { const b = document.activeElement.getBoundingClientRect(); return b.top; })()"
    )
    assert 0 < box < 900
    assert page.evaluate(drawn) < 10_000
