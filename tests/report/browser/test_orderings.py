"""Choices that follow each other faster than the page unpacks what they ask for: the last counts.

``delayed`` holds back what the page unpacks until it is released, so that the orderings which a
fast reader or a slow machine brings about are brought about on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.report.browser.polling import until
from tests.report.browser.test_page import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# What the page unpacks passes through a Response: its text is held back while ``held`` is a list.
HOLD = """
window.held = null;
const json = Response.prototype.json;
Response.prototype.json = function () {
  const own = json.call(this);
  return window.held ? new Promise((go) => window.held.push(go)).then(() => own) : own;
};
window.hold = () => { window.held = []; };
window.release = (last) => {
  const waiting = last ? window.held.reverse() : window.held;
  window.held = null;
  for (const go of waiting) go();
};
"""


@pytest.fixture(scope="module")
def path(three, tmp_path_factory) -> Any:
    path = tmp_path_factory.mktemp("orderings") / "report.html"
    three.save(path)
    return path


@pytest.fixture
def fresh(browser, path) -> Iterator[Any]:
    """The page as it opens, nothing unpacked but the overview, and what it unpacks held back."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script("window.requestIdleCallback = () => 0;" + HOLD)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-started]")
    page.evaluate("hold()")
    yield page
    assert errors == []
    assert not page.locator("#failure").is_visible()
    context.close()


def follow(page: Any, *links: str) -> None:
    """Follow links one right after the other."""
    page.evaluate(
        """links => { for (const href of links) {
          const link = document.createElement("a");
          link.setAttribute("href", href);
          document.body.append(link);
          link.click();
          link.remove();
        } }""",
        list(links),
    )


def release(page: Any, *, last: bool = False) -> None:
    """Let what is held back go, in the order in which it was asked for or the last one first."""
    page.evaluate("last => release(last)", last)
    settled(page)


@pytest.mark.parametrize("last", [False, True])
def test_the_last_document_that_was_asked_for_is_shown(fresh, last):
    follow(fresh, "#news_0/", "#talk_4/1/far", "#news_2/")
    release(fresh, last=last)
    assert fresh.inner_text("#reading-title") == "Text of news_2"
    assert fresh.locator("#document option:checked").inner_text() == "news_2"
    assert fresh.evaluate("location.hash") == "#news_2/"


@pytest.mark.parametrize("last", [False, True])
def test_a_section_that_was_left_does_not_take_the_focus_or_the_address(fresh, last):
    contrast, errors = "#contrast?first=far&second=wild", "#errors?type=split%20entity"
    follow(fresh, "#talk_4/!1/far", contrast, errors)
    release(fresh, last=last)
    assert fresh.locator("[data-section]:visible").evaluate_all("all => all.map(s => s.id)") == [
        "errors"
    ]
    assert fresh.evaluate("location.hash") == errors
    assert fresh.evaluate("document.activeElement.id") == "errors-title"
    told = fresh.locator("#errors-table tbody td[data-title='type']").all_inner_texts()
    assert {text[2:] for text in told} == {"split entity"}


def test_a_choice_outlives_a_response_chosen_before_the_table_is_there(fresh):
    follow(fresh, "#errors?mention%20kind=pronoun")
    fresh.select_option("#response", "1")
    fresh.select_option("#response", "2")
    release(fresh)
    until(fresh, "location.hash.includes('mention%20kind=pronoun')")
    chosen = fresh.locator("#errors-table .chips[data-title='mention kind'] [aria-pressed='true']")
    assert chosen.inner_text().startswith("pronoun")
    assert "response=wild" in fresh.evaluate("location.hash")


def test_what_was_just_typed_outlives_a_response(fresh):
    follow(fresh, "#errors")
    release(fresh)
    fresh.evaluate(
        """() => {
          const box = document.querySelector("#errors-table-query");
          box.value = "split off";
          box.dispatchEvent(new Event("input"));
          const response = document.querySelector("#response");
          response.value = "2";
          response.dispatchEvent(new Event("change"));
        }"""
    )
    settled(fresh)
    assert fresh.input_value("#errors-table-query") == "split off"
    until(fresh, "location.hash.includes('find=split%20off')")
    told = fresh.locator("#errors-table tbody th").all_inner_texts()
    assert told
    assert all("split off" in text for text in told)


def test_right_and_wrong_is_made_once_and_as_asked_last(fresh):
    follow(fresh, "#contrast", "#contrast?first=wild&second=far&level=mentions&cell=second")
    release(fresh)
    assert fresh.locator("#contrast-first option:checked").inner_text() == "wild"
    assert fresh.inner_text("#contrast-title").startswith("only far right: ")
    # One listener each: a change of B is one change, and keeps what is chosen in the table.
    chip = fresh.locator("#contrast-table .chips[data-title='mention kind'] button").first
    chip.dispatch_event("click")
    kind = chip.get_attribute("data-value")
    fresh.select_option("#contrast-second", "0")
    settled(fresh)
    assert fresh.inner_text("#contrast-title").startswith("only close right: ")
    assert fresh.locator("#contrast-first option:checked").inner_text() == "wild"
    assert f"mention%20kind={kind}" in fresh.evaluate("location.hash")


def test_a_cell_chosen_before_leaving_does_not_change_the_address(fresh):
    follow(fresh, "#contrast")
    release(fresh)
    fresh.evaluate(
        """() => {
          document.querySelector("#contrast-counts button[data-cell='second']").click();
          document.querySelector("#sections a[href='#documents']").click();
        }"""
    )
    settled(fresh)
    assert fresh.evaluate("location.hash") == "#documents"


def test_pages_turned_faster_than_they_are_drawn(fresh):
    follow(fresh, "#errors?response=wild")
    release(fresh)
    pages = "Number(document.querySelector('#errors-table .pager span').textContent.split(' ')[3])"
    assert fresh.evaluate(pages) > 2
    fresh.evaluate(
        """() => {
          const [, next] = document.querySelectorAll("#errors-table .pager button");
          next.click();
          next.click();
          const box = document.querySelector("#errors-table-query");
          box.value = "no such words";
          box.dispatchEvent(new Event("input"));
        }"""
    )
    fresh.wait_for_selector("#errors-table .nothing")
    assert fresh.locator("#errors-table .pager button").count() == 0


def test_errors_stepped_through_faster_than_their_document_is_unpacked(fresh):
    follow(fresh, "#news_0/")
    fresh.keyboard.press("n")
    fresh.keyboard.press("n")
    release(fresh)
    until(fresh, "document.querySelector('#error-list .current')")
    assert fresh.inner_text("#error-place").startswith("2 of ")


@pytest.mark.parametrize("last", [False, True])
def test_a_search_gives_way_to_the_next_and_to_a_section(fresh, last):
    fresh.fill("#search", "Ada")
    fresh.keyboard.press("Enter")
    fresh.fill("#search", "Byron")
    fresh.keyboard.press("Enter")
    release(fresh, last=last)
    until(fresh, "document.querySelector('#search-count').textContent.endsWith('in 6 documents')")
    assert set(fresh.locator("#found mark").all_inner_texts()) == {"Byron"}
    fresh.evaluate(
        """() => {
          document.querySelector("#found li:last-child button").click();
          document.querySelector("#sections a[href='#overview']").click();
        }"""
    )
    settled(fresh)
    assert fresh.locator("#overview").is_visible()
    assert fresh.evaluate("location.hash") == "#overview"
