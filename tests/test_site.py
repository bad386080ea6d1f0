"""The documentation as a site: built without a warning, and read in a browser without a network."""

from __future__ import annotations

import fcntl
import html
import inspect
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

import corefine
from corefine.cli import cli
from corefine.metrics import registered
from tests.building.browsing import Opened

ROOT = Path(__file__).resolve().parents[1]
SPELLED = (
    "docs",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "src/corefine/cli",
    "src/corefine/report",
)
WORDS = ("mor", "sie", "nam", "amalgum", "te", "ser", "fo", "ore")
"""Words that codespell takes for misspelt ones."""
PAGES = (
    "index", "comparing", "reference/metrics/lea", "reference/commands/score",
    "reference/python/score",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The site, built as scripts/docs builds it, once for all workers of pytest-xdist."""
    pytest.importorskip("sphinx", reason="sphinx is not installed (extra docs)")
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            build(folder)
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, str]:
    """The text of every page."""
    return {path: path.read_text("utf-8") for path in site.rglob("*.html")}


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning", "--quiet"]
    done = subprocess.run(
        [*command, "--keep-going", "--doctree-dir", str(folder / "trees"), "docs", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_every_metric_has_a_page_with_its_definition(site):
    for metric in registered():
        if not metric.__module__.startswith("corefine."):
            continue  # one that another test registered
        page = (site / "reference" / "metrics" / f"{metric.name}.html").read_text("utf-8")
        assert metric.citation.replace("&", "&amp;").split(",")[0] in page
        assert "Definition and use" in page
    page = (site / "reference" / "metrics" / "b3.html").read_text("utf-8")
    assert page.count('<mo form="prefix" stretchy="false">|') >= 2, "formulas are not drawn"


def test_every_page_is_in_the_table_of_contents():
    docs = ROOT / "docs"
    listed = (docs / "index.md").read_text("utf-8").splitlines()
    for page in (*docs.glob("*.md"), *docs.glob("how-to/*.md")):
        name = page.relative_to(docs).with_suffix("").as_posix()
        assert name in listed or name == "index", f"list {name} in docs/index.md"


@pytest.mark.slow
def test_every_command_and_public_object_has_a_page_with_all_its_options(site):
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        page = (site / "reference" / "commands" / f"{name}.html").read_text("utf-8")
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert param.opts[-1] in page, (name, param.opts)
    for name in corefine.__all__:
        value = getattr(corefine, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            stem = f"class-{name.lower()}" if inspect.isclass(value) else name
            page = (site / "reference" / "python" / f"{stem}.html").read_text("utf-8")
            assert "Unpack" not in page, name
    scored = (site / "reference" / "python" / "score.html").read_text("utf-8")
    assert all(field.name in scored for field in fields(corefine.Settings))


@pytest.mark.slow
def test_links_lead_somewhere(site, pages):
    """Links between pages, to their headings and to files; those to other sites are not tried."""
    anchors = {path: set(re.findall(r'\sid="([^"]*)"', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        if path.name in ("sample-report.html", "genindex.html", "search.html"):
            continue
        for address in re.findall(r'<a [^>]*href="([^"]*)"', text):
            if re.match(r"[a-z]+:", address):
                continue
            file, _, anchor = html.unescape(address).partition("#")
            target = (path.parent / file).resolve() if file else path
            known = anchors.get(target)
            if not target.exists() or (anchor and known is not None and anchor not in known):
                broken.append(f"{path.relative_to(site)}: {address}")
    assert broken == []


@pytest.mark.slow
def test_every_page_is_whole(site, pages):
    """No empty table, nothing from a network, sources that are files, names of any file system."""
    for path, text in pages.items():
        for body in re.findall(r"<tbody>(.*?)</tbody>", text, re.DOTALL):
            assert re.sub(r"<[^>]*>|\s", "", body), path
        for attribute in ('src="http', 'src="//', 'stylesheet" href="http'):
            assert attribute not in text, path
        source = r'href="https://github\.com/corefine/corefine/(?:edit|blob)/main/([^"?]*)'
        for file in re.findall(source, text):
            assert (ROOT / file).is_file(), (path.name, file)
    names = [path.relative_to(site).as_posix().lower() for path in site.rglob("*")]
    assert len(names) == len(set(names))


@pytest.mark.slow
def test_spelling():
    codespell = shutil.which("codespell", path=Path(sys.executable).parent)
    if codespell is None:
        pytest.skip("codespell is not installed (extra dev)")
    words = ",".join(WORDS)
    command = [codespell, "--quiet-level", "3", "--ignore-words-list", words, *SPELLED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == ""


@pytest.mark.slow
def test_the_landing_page_leads_to_a_report_and_machines_to_all_pages(site):
    index = (site / "index.html").read_text("utf-8")
    assert '<meta content="corefine evaluates' in index
    assert "sample-report.html" in index
    assert (site / "sample-report.html").read_text("utf-8").startswith("<!doctype html>")
    listed = (site / "llms.txt").read_text("utf-8")
    for name in ("comparing.html", "reference/commands/score.html", "changelog.html"):
        assert f"({name})" in listed


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 390)])
def test_pages_read_well_at_any_width(site, browser, serious_violations, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    for name in PAGES:
        opened = Opened(context.new_page())
        opened.page.goto((site / f"{name}.html").as_uri())
        beyond = opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, name
        assert opened.complaints == [], name
        assert all(url.startswith(("file:", "data:")) for url in opened.requests)
        # Last, since axe-core asks for style sheets, which a page from disk may not.
        assert serious_violations(opened.page) == [], name
    context.close()


@pytest.mark.slow
def test_the_search_finds_a_metric(site, browser):
    page = browser.new_page()
    page.goto((site / "search.html").as_uri() + "?q=PARENT")
    page.wait_for_selector("ul.search li a")
    found = page.locator("ul.search li a").all_text_contents()
    assert any("PARENT" in text for text in found)
    # Pages before names of options and attributes, which many pages have.
    page.goto((site / "search.html").as_uri() + "?q=metrics")
    page.wait_for_selector("ul.search li.kind-object")
    kinds = page.locator("ul.search > li").evaluate_all("all => all.map(one => one.className)")
    assert "kind-title" in kinds[0]
    objects = [at for at, kind in enumerate(kinds) if "kind-object" in kind]
    assert objects
    assert all("kind-object" in kind or "kind-index" in kind for kind in kinds[objects[0] :])
    assert page.locator("h1").all_text_contents() == ["Search"]
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "paper"), [("light", "#ffffff"), ("dark", "#171a1f")])
def test_figures_follow_the_colour_scheme(site, browser, scheme, paper):
    page = browser.new_page(color_scheme=scheme)
    page.goto((site / "reference" / "metrics" / "lea.html").as_uri())
    shown = [one for one in page.locator("article img").all() if one.is_visible()]
    assert len(shown) == 1
    figure = (site / "reference" / "metrics" / shown[0].get_attribute("src")).resolve()
    assert f'fill="{paper}"' in figure.read_text("utf-8")
    page.close()
