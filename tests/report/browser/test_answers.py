"""The page on three systems: the first screen, right and wrong, buckets, words, audit, details."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import corefine
from corefine.explaining.flow import Flow
from corefine.explaining.outcomes import Outcomes
from tests.building.contests import contests
from tests.building.report_corpora import THREE, harbour_key, harbour_split, harbour_wrong
from tests.report.browser.polling import until
from tests.report.browser.test_page import SECTIONS, at, go, settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def cards_of(page):
    """The four answers in view."""
    return page.locator(".answer:visible")


def test_the_first_screen_answers_four_questions(page, three, sides):
    at(page, "#overview")
    cards = cards_of(page)
    questions = [cards.nth(n).locator("h3").inner_text() for n in range(cards.count())]
    assert questions == [
        "Which system is best, and by how much?", "Where is F1 lost?",
        "What should I look at first?", "What should I distrust?",
    ]  # fmt: skip
    explained = corefine.explain(sides["key"], sides["close"], kinds="guess")
    compared = corefine.compare(
        sides["key"], {name: sides[name] for name in THREE}, kinds="guess", replicates=100
    )
    for metric, title in (("conll", "CoNLL"), ("lea", "LEA"), ("muc", "MUC")):
        page.select_option("#metric", metric)
        ranked = sorted(THREE, key=lambda name: -three.scores[name][metric].f1)
        first = cards.nth(0).inner_text()
        for name in THREE:
            assert f"{100 * three.scores[name][metric].f1:.2f}" in first
        found = compared.difference(ranked[0], ranked[1], metric)
        assert found.interval is not None
        gap, low, high = (f"{100 * value:.1f}" for value in (found.difference, *found.interval))
        assert f"+{gap} {title} [{low}, {high}]".replace("-", "−") in first
        verdict = f"{ranked[0]} wins" if found.significant else "No clear winner: "
        assert verdict in first
        assert "(Holm)" in first
        lost = cards.nth(1)
        types = [text.replace("\n", " ") for text in lost.locator("thead th").all_inner_texts()[1:]]
        row = lost.locator("tbody tr").filter(has_text="close").locator("td").all_inner_texts()
        gains = [100 * explained.attribution.gains[metric][one] for one in types]
        assert [float(text.replace("−", "-")) for text in row] == pytest.approx(gains, abs=0.006)
        worst = min(three.scores["close"].documents, key=lambda document: sum(
            three.scores[name].documents[document][metric].f1 for name in THREE))  # fmt: skip
        assert f"Document {worst}" in cards.nth(2).inner_text()
    page.select_option("#metric", "conll")
    assert page.locator("#signature").text_content() == str(three.scores["close"].signature)
    doubts = cards.nth(3).inner_text()
    assert doubts.count("Only 6 documents") == 1
    assert f"{cards.nth(3).locator('li').count()} reason" in doubts
    cards.nth(2).locator("tbody a").first.click()
    page.wait_for_selector("#reading:not([hidden]) .tag")
    at(page, "#overview")
    cards.nth(1).locator("tbody tr").filter(has_text="far").locator("a").first.click()
    page.wait_for_selector("#errors:not([hidden])")
    settled(page)
    assert chosen(page, "errors", "type")
    assert page.locator("#response option:checked").inner_text() == "far"


def chosen(page, table, title):
    """The value that is chosen in a table, by the title of its chips."""
    return page.locator(
        f"#{table}-table .chips[data-title='{title}'] [aria-pressed='true']"
    ).inner_text()


def test_one_metric_for_the_whole_page(page, three):
    at(page, "#compare")
    page.select_option("#metric", "lea")
    assert page.evaluate("location.hash") == "#compare?metric=lea"
    for kept in ("#errors?type=split%20entity&response=far", "#news_2/1/far"):
        at(page, kept)
        page.select_option("#metric", "muc")
        address = page.evaluate("location.hash")
        assert set(kept.split("?")[-1].split("&")) <= set(address.split("?")[-1].split("&"))
        page.select_option("#metric", "lea")
    at(page, "#compare?metric=lea")
    assert page.get_by_text("Differences of LEA F1").is_visible()
    assert page.get_by_text("LEA F1 of the system in the row").is_visible()
    forest = page.locator("#compare .estimates:visible tbody th").all_inner_texts()
    assert len(forest) == 3
    assert all(" − " in row for row in forest)
    go(page, "overview")
    scores = page.locator("#overview > .card table.sortable").first
    assert scores.locator("th[aria-sort='descending']").inner_text().startswith("LEA")
    go(page, "documents")
    f1 = [float(x) for x in page.locator("#documents-table td[data-title='mean F1']")
          .all_inner_texts()]  # fmt: skip
    means = [sum(three.scores[name].documents[one]["lea"].f1 for name in THREE) / 3
             for one in three.scores["close"].documents]  # fmt: skip
    assert f1[:-1] == pytest.approx([100 * one for one in sorted(means)], abs=0.006)
    # A metric that cannot be divided says so, and what is shown instead.
    go(page, "errors")
    page.select_option("#metric", "conll")
    said = page.locator("#buckets .note:visible").filter(has_text="cannot be divided")
    assert "CoNLL cannot be divided by mention kind: this is LEA." in said.all_inner_texts()
    page.select_option("#metric", "muc")
    assert said.count() == 0
    titles = page.locator("#buckets caption:visible").all_inner_texts()
    assert all(title.startswith("MUC F1 by ") for title in titles)
    page.select_option("#metric", "conll")


def test_the_flow_of_a_document(page, sides):
    at(page, "#news_2/")
    explained = {name: corefine.explain(sides["key"], sides[name], kinds="guess") for name in THREE}
    unit = explained["far"].table.documents.index("news_2")
    flow = Flow.of(explained["far"], unit)
    drawing = page.locator(".flow")
    assert drawing.locator(".flow-row").count() == 1
    for name in THREE:  # systems share the axis
        page.locator("#flow-systems").get_by_label(name).check()
    assert drawing.locator(".flow-row").count() == 3
    row = drawing.locator(".flow-row").nth(1)
    assert row.locator(".flow-title").all_text_contents() == ["key", "far"]
    # What the page draws is what explain --plots draws.
    dots = len(flow.missed) + sum(len(one.dots) for one in (*flow.keys, *flow.lanes))
    assert row.locator("circle").count() == dots
    assert row.locator("circle.hollow").count() == len(flow.missed)
    threads = [one for lane in flow.lanes for one in lane.dots if one.key >= 0]
    assert row.locator(".flow-thread").count() == len(threads) + len(flow.missed)
    assert row.locator("circle.h-none").count() == sum(
        one.key < 0 for lane in flow.lanes for one in lane.dots
    )
    # A thread goes straight down, from a dot to a dot.
    line = row.locator(".flow-thread").first
    assert line.get_attribute("x1") == line.get_attribute("x2")
    for format, start in (("svg", "<svg"), ("png", "\x89PNG")):
        with page.expect_download() as waiting:
            page.click(f"#flow-{format}")
        content = Path(waiting.value.path()).read_bytes().decode("latin-1")
        assert content.startswith(start)
        assert waiting.value.suggested_filename == f"flow-news_2.{format}"
        if format == "svg":
            assert "|corefine:" in content
            assert "key entities above" in content
    row.locator("circle[data-side='key']").first.hover()
    assert page.locator(".flow-tip mark").is_visible()
    row.locator("circle[data-side='response']").first.click()
    assert page.locator("#response option:checked").inner_text() == "far"
    assert page.locator("#entity h4").count() >= 1
    # Drawing over a stretch opens it in the text.
    box = drawing.bounding_box()
    page.evaluate("document.querySelector('.flow').scrollIntoView({block: 'center'})")
    box = drawing.bounding_box()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 4)
    page.mouse.up()
    assert page.locator(".row.found").count() >= 1


def test_every_card_has_a_link_and_a_picture(open_report, three):
    page = open_report(three)
    for view in SECTIONS:
        go(page, view)
        cards = page.locator(f"#{view} .card:visible:has(> .card-tools)")
        assert cards.count() >= 1, view
        assert cards.count() == page.locator(f"#{view} .card-tools:visible").count()
    go(page, "compare")
    card = page.locator("#compare .card:visible").nth(1)
    page.evaluate("navigator.clipboard.write = () => Promise.reject(); true")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; }; true")
    card.get_by_role("button", name="Copy link").click()
    until(page, "window.copied")
    link = page.evaluate("window.copied")
    with page.expect_download() as waiting:
        card.get_by_role("button", name="Copy as figure").click()
    picture = Path(waiting.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5_000
    again = open_report(three, "#" + link.split("#")[1])
    assert again.locator("#compare").is_visible()


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
    assert page.evaluate("location.hash").endswith("/close/wild")
    # Both responses stand under the words, the key above them.
    labels = page.locator("#text .tag[data-side='response']").all_inner_texts()
    assert {label[0] for label in labels} == {"A", "B"}
    word = page.locator("#text .t:has(.seg.above):has(.seg.under) .w").first.bounding_box()
    assert page.locator("#text .seg.above .tag").first.bounding_box()["y"] < word["y"]


def test_counts_agree_at_both_ends_of_a_link(page, sides):
    at(page, "#buckets")
    page.select_option("#metric", "lea")
    titles = page.locator("#buckets caption:visible").all_inner_texts()
    assert set(titles) == {
        f"LEA F1 by {what}"
        for what in ("entity size", "distance to the previous mention", "mention kind", "genre")
    }
    # Buckets, breakdown and the list of errors count the same errors, for each system.
    explained = corefine.explain(sides["key"], sides["far"], kinds="guess").errors
    expected = sum(error.kind == "pronoun" for error in explained)
    link = page.locator("#buckets a[href='#errors?response=far&mention%20kind=pronoun']:visible")
    assert int(link.inner_text().replace(",", "")) == expected
    link.click()
    settled(page)
    assert page.inner_text("#errors-table .count").startswith(f"{expected} of {len(explained):,} ")
    at(page, "#breakdown")
    cells = page.locator(
        "#breakdown a[href^='#errors?response=far'][href$='mention%20kind=pronoun']"
    )
    assert sum(map(int, cells.all_inner_texts())) == expected


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


def test_every_view_has_its_address(open_report, three):
    address = "#errors?response=far&type=split%20entity&up=worth"
    page = open_report(three, address)
    settled(page)
    assert page.locator("#response option:checked").inner_text() == "far"
    assert chosen(page, "errors", "type").startswith("split")
    assert page.locator("#errors-table th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator("#errors-table tbody a").first.click()
    page.wait_for_selector("#error-list [aria-current=true]")
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
