"""Reports opened in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.corpus.corpus import Corpus
from corefine.report.report import Report
from tests.building.browsing import Opened
from tests.building.report_corpora import (
    THREE,
    harbour_key,
    harbour_split,
    harbour_wrong,
    three_responses,
)

Open = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open a report from disk; afterwards it has made one request and no complaint."""
    contexts: list[Any] = []
    pages: list[Opened] = []

    def open_report(report: Report | Path, link: str = "", **options: Any) -> Opened:
        if isinstance(report, Report):
            path = tmp_path / f"report{len(pages)}.html"
            report.save(path)
        else:
            path = report
        context = browser.new_context(
            viewport=options.pop("viewport", {"width": 1280, "height": 900}), **options
        )
        contexts.append(context)
        result = Opened(context.new_page())
        pages.append(result)
        result.page.goto(path.as_uri() + link)
        result.page.wait_for_selector("html[data-started]")
        return result

    yield open_report
    for result in pages:
        assert result.complaints == []
        assert len(set(result.requests)) == 1
        assert len([url for url in result.requests if not url.startswith("about:")]) >= 1
    for context in contexts:
        context.close()


@pytest.fixture
def open_report(opened: Callable[..., Opened]) -> Open:
    """Open a report from disk and give its page."""
    return lambda *arguments, **options: opened(*arguments, **options).page


@pytest.fixture(scope="session")
def sides() -> dict[str, Corpus]:
    """A key and three responses."""
    return three_responses()


@pytest.fixture(scope="session")
def three(sides) -> Report:
    responses = {name: sides[name] for name in THREE}
    return corefine.report(sides["key"], responses, kinds="guess", replicates=100)


@pytest.fixture(scope="session")
def harbour() -> Report:
    """Two short documents and two responses."""
    responses = {"wrong": harbour_wrong(), "split": harbour_split()}
    return corefine.report(harbour_key(), responses, replicates=50)


@pytest.fixture(scope="module")
def page(browser, three, tmp_path_factory) -> Iterator[Any]:
    """One page for all tests that only look; it complains of nothing and asks for nothing."""
    path = tmp_path_factory.mktemp("three") / "report.html"
    three.save(path)
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    result = Opened(context.new_page())
    result.page.goto(path.as_uri())
    result.page.wait_for_selector("html[data-started]")
    yield result.page
    assert result.complaints == []
    asked = {url.split("#")[0] for url in result.requests if not url.startswith("data:")}
    assert asked == {path.as_uri()}
    context.close()
