"""Choices that follow each other faster than the page unpacks what they ask for: the last counts.

``delayed`` holds back what the page unpacks until it is released, so that the orderings which a
fast reader or a slow machine brings about are brought about on purpose.
"""

from __future__ import annotations

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
def path(three, tmp_path_factory):
    path = tmp_path_factory.mktemp("orderings") / "report.html"
    three.save(path)
    return path


@pytest.fixture
def fresh(browser, path):
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
    assert fresh.inner_text("#reading-title") == "Read news_2"
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
    focused = "document.activeElement.closest('[data-section]').id"
    assert fresh.evaluate(focused) == "errors"
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
