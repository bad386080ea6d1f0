"""The page on three systems: the first screen, right and wrong, buckets, words, audit, details."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import corefine
from corefine.explaining.outcomes import Outcomes
from tests.building.contests import contests
from tests.building.report_corpora import THREE, harbour_key, harbour_split, harbour_wrong
from tests.report.browser.polling import until
from tests.report.browser.test_page import SECTIONS, at, go, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_first_screen_answers_four_questions(page, three, sides):
    at(page, "#overview")
    cards = page.locator(".answer")
    questions = [cards.nth(n).locator("h3").inner_text() for n in range(cards.count())]
    assert set(questions) == {
        "Which system is best, and by how much?", "Where is F1 lost?",
        "What should I look at first?", "What should I distrust?",
    }  # fmt: skip
    f1 = {name: three.scores[name]["conll"].f1 for name in THREE}
    best = max(f1, key=lambda name: f1[name])
    first = cards.filter(has_text="Which system is best").text_content()
    assert best in first
    for name in THREE:
        assert f"{100 * f1[name]:.2f}" in first
    assert re.search(r"leads \w+ by [\d.]+ CoNLL points", first)
    assert re.search(r"leads \w+ by [\d.]+ LEA points", first)
    assert page.locator("#signature").text_content() == str(three.scores[best].signature)
    # Points of each system by error type, as the explanation has them.
    lost = cards.filter(has_text="Where is F1 lost")
    attribution = corefine.explain(sides["key"], sides[best], kinds="guess").attribution
    types = lost.locator("details thead th").all_text_contents()[1:]
    assert len(types) == 7
    row = lost.locator("details tbody tr").filter(has_text=best).locator("td").all_text_contents()
    gains = [100 * attribution.gain_in_sequence(one, "conll") for one in types]
    assert [float(text.replace("−", "-")) for text in row] == pytest.approx(gains, abs=0.006)
    doubts = cards.filter(has_text="What should I distrust").inner_text()
    assert doubts.count("Only 6 documents") == 1
    reasons = cards.filter(has_text="What should I distrust").locator("li").count()
    assert f"{reasons} reason" in doubts
    # All of it is seen without scrolling on a screen of 900 pixels, and its links lead somewhere.
    bottoms = page.eval_on_selector_all(
        ".answer :is(.short, li, tr, svg)", "e => e.map(x => x.getBoundingClientRect().bottom)"
    )
    assert max(bottoms) <= 900
    cards.filter(has_text="What should I look at first").locator("tbody a").first.click()
    page.wait_for_selector("#reading:not([hidden]) .tag")
    at(page, "#overview")
    part = lost.locator("svg:visible a").first
    words = part.get_attribute("aria-label")
    part.click()
    page.wait_for_selector("#errors:not([hidden])")
    settled(page)
    assert chosen(page, "errors", "type").startswith(words.split(", ")[1].split(":")[0])
    assert page.locator("#response option:checked").inner_text() == words.split(", ")[0]


def chosen(page, table, title):
    """The value that is chosen in a table, by the title of its chips."""
    return page.locator(
        f"#{table}-table .chips[data-title='{title}'] [aria-pressed='true']"
    ).inner_text()


def test_one_metric_for_the_whole_page(page, three):
    at(page, "#comparison")
    shown = "#comparison [data-metric]:visible"
    assert "Differences of CoNLL F1" in page.inner_text(shown)
    page.select_option("#metric", "lea")
    assert page.locator(shown).count() == 1
    assert "Differences of LEA F1" in page.inner_text(shown)
    assert "metric=lea" in page.evaluate("location.hash")
    rows = page.locator(f"{shown} .cf-wide .cf-label").all_text_contents()
    assert len(rows) == 3
    assert all(" − " in row for row in rows)
    assert not re.search(r"e-\d|\+0\.00", page.locator("#comparison").text_content())
    at(page, "#overview")
    scores = page.locator("#overview table.sortable").first
    assert scores.locator("th[aria-sort='descending']").inner_text().startswith("LEA")
    at(page, "#documents")
    f1 = [float(x) for x in page.locator("#documents-table td[data-title='mean F1']")
          .all_inner_texts()]  # fmt: skip
    means = [sum(three.scores[name].documents[one]["lea"].f1 for name in THREE) / 3
             for one in three.scores["close"].documents]  # fmt: skip
    assert f1[:-1] == pytest.approx([100 * one for one in sorted(means)], abs=0.006)
    page.select_option("#metric", "conll")


def test_entities_on_a_timeline(page, sides):
    at(page, "#timeline?document=news_2")
    drawing = page.locator("#timeline-drawing svg")
    lanes = drawing.locator(".lane-name")
    assert lanes.count() == 4
    counts = [int(text.split()[-1]) for text in lanes.all_text_contents()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == max(map(len, sides["key"]["news_2"].entities.values()))
    for place in ("together", "apart", "foreign"):
        assert drawing.locator(f".mention.{place}").count() > 0
    with page.expect_download() as waiting:
        page.click("#timeline-save")
    assert "<svg" in Path(waiting.value.path()).read_text("utf-8")
    drawing.locator(".mention.apart").first.click()
    page.wait_for_selector("#reading:not([hidden]) .tag")
    assert page.evaluate("location.hash").startswith("#news_2/")
    assert page.title().startswith("news_2 · ")


def test_every_system_is_in_sight(page):
    for width in (1400, 1000, 390):
        page.set_viewport_size({"width": width, "height": 900})
        at(page, "#overview")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        names = page.locator("#overview table.sortable").first.locator("tbody th")
        assert names.all_inner_texts() == list(THREE)
        for number in range(3):
            assert names.nth(number).bounding_box()["x"] < width - 40
        at(page, "#documents")
        for name in THREE:
            cell = page.locator(f"#documents-table td[data-title='F1, {name}']").first
            box = cell.bounding_box()
            assert box["x"] + box["width"] <= width
        at(page, "#breakdown")
        row = page.locator(".multiples").first
        assert row.locator("h4").all_inner_texts() == list(THREE)
        for number in range(3):
            box = row.locator("svg:visible").nth(number).bounding_box()
            assert box["x"] + box["width"] <= width
            # A drawing for the width, not one that is made smaller.
            drawn = row.locator("svg:visible").nth(number).get_attribute("width")
            assert float(drawn) / box["width"] < 1.3
    page.set_viewport_size({"width": 1400, "height": 900})
    visible = row.locator("svg:visible")
    # Two in a row: the numbers need room.
    tops = [round(visible.nth(n).bounding_box()["y"]) for n in range(3)]
    assert tops[0] == tops[1] < tops[2]


def test_cells_of_right_and_wrong_add_up_to_the_scores(page, three, sides):
    at(page, "#contrast?first=close&second=wild&level=links&cell=first")
    page.wait_for_selector("#contrast-table tbody a")
    explained = {
        name: corefine.explain(sides["key"], sides[name], "muc") for name in ("close", "wild")
    }
    outcomes = [Outcomes.of(one.diagnosis) for one in explained.values()]
    shown = page.eval_on_selector_all(
        "#contrast-counts button", "all => all.map(b => [b.querySelector('b').textContent, "
        "b.querySelector('small').textContent])",
    )  # fmt: skip
    numbers = [int(count.replace(",", "")) for count, _ in shown]
    expected = [
        n
        for one in contests(*outcomes)
        for n in (one.both, one.first_only, one.second_only, one.neither)
    ]
    assert numbers == expected
    points = [[float(n) for n in re.findall(r"([\d.]+) points", text)] for _, text in shown]
    for level, metric in ((0, "mentions"), (1, "muc")):
        both, first, second, _ = points[4 * level : 4 * level + 4]
        for score, total in (("close", both[0] + first[0]), ("wild", both[1] + second[0])):
            assert total == pytest.approx(100 * three.scores[score][metric].f1, abs=0.011)
    assert f"{numbers[5]} links" in page.inner_text("#contrast-title")
    # Chips of errors and mention kinds count the items, and a chosen one has an address.
    chips = page.locator("#contrast-table .chips[data-title='error'] button")
    counts = [int(text) for text in chips.locator("small").all_inner_texts()]
    assert sum(counts) == numbers[5]
    error = chips.first.get_attribute("data-value")
    chips.first.click()
    settled(page)
    assert page.inner_text("#contrast-table .count").startswith(f"{counts[0]} of {numbers[5]} ")
    assert f"error={error}" in page.evaluate("decodeURIComponent(location.hash)")
    assert chosen(page, "contrast", "error").startswith(error)
    assert page.locator("#contrast-table tbody mark").first.inner_text()
    page.locator("#contrast-table tbody a").first.click()
    page.wait_for_selector("#text .tag")
    assert page.evaluate("location.hash").endswith("/close/wild/under")
    # Both responses stand under the words, the key above them.
    labels = page.locator("#text .tag[data-side='response']").all_inner_texts()
    assert {label[0] for label in labels} == {"A", "B"}
    word = page.locator("#text .t:has(.seg.above):has(.seg.under) .w").first.bounding_box()
    assert page.locator("#text .seg.above .tag").first.bounding_box()["y"] < word["y"]


def test_counts_agree_at_both_ends_of_a_link(page, sides):
    at(page, "#buckets")
    titles = page.locator("#buckets h3").all_inner_texts()
    assert set(titles) == {
        f"LEA F1 by {what}"
        for what in ("entity size", "distance to the previous mention", "mention kind", "genre")
    }
    # Buckets, breakdown and the list of errors count the same errors, for each system.
    explained = corefine.explain(sides["key"], sides["far"], kinds="guess").errors
    expected = sum(error.kind == "pronoun" for error in explained)
    link = page.locator("#buckets a[href='#errors?response=far&mention%20kind=pronoun']")
    assert int(link.inner_text().replace(",", "")) == expected
    link.click()
    settled(page)
    assert page.inner_text("#errors-table .count").startswith(f"{expected} of {len(explained):,} ")
    at(page, "#breakdown")
    cells = page.locator(
        "#breakdown .cf-wide a[href^='#errors?response=far'][href$='mention%20kind=pronoun']"
    )
    counts = [int(cell.get_attribute("aria-label").split(": ")[1]) for cell in cells.all()]
    assert sum(counts) == expected


def test_errors_are_told_in_words_with_sentence_and_worth(page, sides):
    at(page, "#errors?response=far")
    page.wait_for_selector("#errors-table tbody a")
    worth = [
        float(text.replace("−", "-"))
        for text in page.locator("#errors-table tbody tr > :nth-child(2)").all_inner_texts()
    ]
    assert worth == sorted(worth, reverse=True)
    explanation = corefine.explain(sides["key"], sides["far"], "lea", kinds="guess")
    best = max(explanation.errors, key=lambda error: round(error.impact, 9))
    assert worth[0] == pytest.approx(100 * best.impact, abs=0.006)
    # The page's quotation marks are the browser's: they are no part of its text.
    told = {re.sub("[“”]", "", explanation.errors.in_words(error)) for error in explanation.errors}
    words = page.locator("#errors-table tbody th").all_inner_texts()
    assert set(words) <= told
    assert not any("key entity" in text for text in words)
    assert page.locator("#errors-table tbody tr").first.locator("mark").inner_text()


def test_the_audit_tells_right_from_wrong_by_sign_and_colour(page):
    at(page, "#audit")
    good, bad = page.locator("td.good").first, page.locator("td.bad").first
    assert good.inner_text() == "0"
    assert int(bad.inner_text()) > 0
    colours = [one.evaluate("e => getComputedStyle(e).color") for one in (good, bad)]
    assert colours[0] != colours[1]
    matrix = page.locator("#audit table").first
    assert matrix.locator("tbody th").all_inner_texts() == list(THREE)
    page.get_by_text("Expected and observed behaviour: far").click()
    assert page.get_by_text("recall stays").locator("visible=true").count() > 0


def test_numbers_of_a_chart_are_a_file(page):
    at(page, "#breakdown")
    with page.expect_download() as waiting:
        page.locator("#breakdown .cf-csv").first.click()
    text = Path(waiting.value.path()).read_text("utf-8")
    assert text.splitlines()[0] == "type,name,nominal,pronoun"
    assert waiting.value.suggested_filename.endswith(".csv")
    charts = page.locator("figure").count()
    assert page.locator("figure .cf-csv").count() == charts


def test_every_view_has_its_address(open_report, three):
    address = "#errors?response=far&type=split%20entity&up=worth"
    page = open_report(three, address)
    settled(page)
    assert page.locator("#response option:checked").inner_text() == "far"
    assert chosen(page, "errors", "type").startswith("split")
    assert page.locator("#errors-table th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator("#errors-table tbody a").first.click()
    page.wait_for_selector("#error-list .current")
    page.go_back()
    until(page, "!document.querySelector('#errors').hidden")
    settled(page)
    assert page.evaluate("location.hash") == address
    assert chosen(page, "errors", "type").startswith("split")


def test_on_a_phone_the_header_is_one_line_that_opens(open_report, three):
    page = open_report(three, viewport={"width": 390, "height": 844})
    header = page.locator("header.top")
    assert header.bounding_box()["height"] < 60
    assert not page.locator("#sections").is_visible()
    page.focus("#open-menu")
    page.keyboard.press("Enter")
    assert page.locator("#sections").is_visible()
    assert page.get_attribute("#open-menu", "aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert not page.locator("#sections").is_visible()


def test_paper_has_all_sections(open_report, three):
    page = open_report(three)
    page.wait_for_selector("html[data-filled]", state="attached")
    page.emulate_media(media="print")
    for section in SECTIONS[:-1]:
        assert page.locator(f"#{section}").is_visible(), section
    assert page.locator("#errors-table tbody tr").count() > 20


@pytest.fixture(scope="module")
def short():
    """Three systems on two short documents: axe-core takes minutes on longer ones."""
    responses = dict(zip(THREE, (harbour_key(), harbour_split(), harbour_wrong()), strict=True))
    return corefine.report(
        harbour_key(), responses, metrics="muc,lea", kinds="guess", replicates=20
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 1000), ("light", 390)])
def test_three_systems_are_accessible(open_report, short, serious_violations, scheme, width):
    page = open_report(short, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert serious_violations(page) == []
    for section in SECTIONS:
        go(page, section)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, section
        assert serious_violations(page, f"#{section}") == [], section
    page.keyboard.press("n")
    page.select_option("#beside", "1")
    assert serious_violations(page, "#reading") == []
    page.keyboard.press("?")
    assert serious_violations(page, "dialog") == []
