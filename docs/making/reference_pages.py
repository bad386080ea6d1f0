"""One page per command and per public object, tables of metrics and formats, and a sample report.

All of it is taken from the package when the pages are built.
"""

from __future__ import annotations

import inspect
import sys
import typing
from pathlib import Path
from typing import Any

from command_objects import COMMANDS

import corefine
from corefine.formats import all_formats, capabilities_of
from corefine.metrics import registered

DOCS = Path(__file__).parents[1]
REFERENCE = DOCS / "reference"
NOVELS = DOCS / "examples" / "novels"


def write(path: Path, lines: list[str]) -> None:
    """Write a page, if it has changed: Sphinx reads it again only then."""
    text = "\n".join(lines) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def table(heads: list[str], rows: list[list[str]], widths: str) -> list[str]:
    """A list-table."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in (heads, *rows):
        lines += [f"   {'*' if at == 0 else ' '} - {cell}" for at, cell in enumerate(row)]
    return [*lines, ""]


def listed(names: list[str]) -> list[str]:
    return [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), ""]


def command_pages() -> None:
    """A page for each command, and a table of them."""
    rows = []
    for name, command in COMMANDS.items():
        rows.append([f":doc:`commands/{name}`", command.get_short_help_str(200)])
        where = f"command_objects:{name.replace('-', '_')}"
        # The directive makes the title.
        page = [f".. click:: {where}", f"   :prog: corefine {name}", "   :nested: full"]
        write(REFERENCE / "commands" / f"{name}.rst", page)
    lead = "``corefine metrics``, ``formats`` and ``presets`` describe what there is. "
    lead += "Nearly every option has a Python argument of the same name."
    page = [*title("Commands"), lead, "", *table(["command", ""], rows, "25 75")]
    names = [f"commands/{name}" for name in COMMANDS]
    write(REFERENCE / "commands.rst", [*page, *listed(names)])


OBJECTS: dict[str, tuple[str, ...]] = {
    "Read and write": ("read", "write", "convert", "read_tagged", "sample"),
    "Documents": ("Corpus", "Document", "Mention", "Kind", "Relation"),
    "Score": (
        "score", "Scores", "Score", "Signature", "Evaluator", "load_scores", "why_differs",
        "score_table", "Table", "Settings", "cite",
    ),
    "Compare": (
        "compare", "Comparison", "score_suite", "SuiteScores", "compare_suite", "SuiteComparison",
        "gate", "Gate",
    ),
    "Explain": ("explain", "entities", "audit", "Audit", "challenge"),
    "Show": ("report", "report_suite", "leaderboard", "Leaderboard"),
    "Check and annotate": (
        "check", "repair", "describe", "agree", "Agreement", "adjudicate", "Adjudication",
        "suspects",
    ),
    "Build on": ("count", "Counts", "Request", "CorefineError", "CorefineWarning"),
}  # fmt: skip
"""Public names by what people do with them, in the order in which they need them."""


def page_of(name: str) -> str:
    """The page of a public name: no two files may differ only by case (``gate``, ``Gate``)."""
    return f"class-{name.lower()}" if inspect.isclass(getattr(corefine, name)) else name


def object_pages() -> None:
    """A page for each public function and class, and a table of them by task."""
    page = [*title("Python"), "The public names of the package, by task.", ""]
    for task, names in OBJECTS.items():
        rows = []
        for name in names:
            value = getattr(corefine, name)
            kind = "autoclass" if inspect.isclass(value) else "autofunction"
            first = (inspect.getdoc(value) or "").strip().partition("\n")[0]
            rows.append([f":doc:`{name} <python/{page_of(name)}>`", first])
            own = [*title(f"corefine.{name}"), f".. {kind}:: corefine.{name}"]
            write(REFERENCE / "python" / f"{page_of(name)}.rst", own)
        page += [task, "-" * len(task), "", *table(["name", ""], rows, "30 70")]
    pages = [f"python/{page_of(name)}" for names in OBJECTS.values() for name in names]
    for found in (REFERENCE / "python").glob("*.rst"):  # left by an earlier build
        if f"python/{found.stem}" not in pages:
            found.unlink()
    write(REFERENCE / "python.rst", [*page, *listed(pages)])


def metric_table() -> None:
    """The index of metrics: family, what each rewards, and what it is sensitive to."""
    rows = []
    for metric in registered():
        has = metric()
        traits = [
            "singletons count" if has.counts_singletons else "singletons do not count",
            *(["mention kinds"] if has.needs_kinds else []),
            *(["entities across documents"] if has.needs_scope else []),
            *([] if has.symmetric else ["key and response are not symmetric"]),
        ]
        family = "mention detection" if metric.name == "mentions" else has.layer
        rows.append([f":doc:`{metric.name}`", family, metric.summary, ", ".join(traits)])
    heads = ["metric", "annotation", "rewards", "sensitive to"]
    lead = "One page per metric. All numbers on them are computed when the pages are built."
    page = [*title("Metrics"), lead, "", *table(heads, rows, "18 14 40 28")]
    names = [metric.name for metric in registered()]
    write(REFERENCE / "metrics" / "index.rst", [*page, *listed(names)])


def format_table() -> None:
    """The index of formats: what is read and written, and their annotations."""
    rows = []
    for one in all_formats():
        has = capabilities_of(one)
        held = [
            name.replace("_", " ")
            for name in ("heads", "kinds", "types", "discontinuous", "zeros", "minimum_spans",
                         "relations", "annotations", "topics")
            if name in has
        ]  # fmt: skip
        marks = ["yes" if one.read or one.read_columns else "–", "yes" if one.write else "–"]
        rows.append([f"``{one.name}``", one.title, *marks, ", ".join(held) or "mentions"])
    heads = ["name", "format", "read", "written", "represents"]
    lead = (
        "Names as in ``--key-format``. Annotations that a format cannot represent are listed "
        "before they are lost in a conversion."
    )
    page = [*title("Index of formats"), lead, "", *table(heads, rows, "20 35 8 10 27")]
    write(REFERENCE / "format-index.rst", page)


def changelog() -> None:
    """The changelog as a page."""
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    write(DOCS / "changelog.md", text.rstrip("\n").split("\n"))


def expanded(
    app: Any, what: str, name: str, value: Any, options: Any, signature: Any, result: Any
) -> Any:
    """A signature with every setting in place of ``**settings: Unpack[...]``."""
    if signature is None or "Unpack" not in signature:
        return None
    shown = []
    for parameter in inspect.signature(value).parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            # Annotations are strings, which would be shown in quotes.
            plain = parameter.replace(annotation=inspect.Parameter.empty)
            words, _, default = str(plain).partition("=")
            shown.append(f"{words}: {parameter.annotation}" + (f" = {default}" if default else ""))
            continue
        wanted = str(parameter.annotation).partition("[")[2].rstrip("]")
        modules = [one for name, one in sys.modules.items() if name.startswith("corefine.")]
        packed = next(vars(one)[wanted] for one in modules if wanted in vars(one))
        for key, hint in typing.get_type_hints(packed).items():
            words = hint.__name__ if isinstance(hint, type) else str(hint)
            shown.append(f"{key}: {words.replace('typing.', '')} = ...")
    return f"({', '.join(shown)})", result


def finish(app: Any, failure: Exception | None) -> None:
    """Write the sample report and llms.txt beside the pages."""
    if failure is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    paths = [NOVELS / f"{name}.conll" for name in ("key", "sieve", "soon", "headmatch")]
    corefine.report(*paths, metrics="conll,lea", title="Passages of ten novels").save(
        out / "sample-report.html"
    )
    pages = sorted(name for name in app.env.found_docs if name != "index")
    titles = {name: app.env.titles[name].astext() for name in pages}
    lines = ["# corefine", "", f"> {DESCRIPTION}", "", "## Pages", ""]
    lines += [f"- [{titles[name]}]({name}.html)" for name in pages]
    (out / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


DESCRIPTION = (
    "corefine evaluates coreference resolution: metrics, significance tests, error analysis and "
    "an HTML report, on the command line and in Python."
)


def make(app: Any) -> None:
    """Write all pages."""
    command_pages()
    object_pages()
    metric_table()
    format_table()
    changelog()


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", make, priority=600)
    app.connect("build-finished", finish)
    app.connect("autodoc-process-signature", expanded)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
