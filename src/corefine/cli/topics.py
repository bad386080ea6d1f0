"""Help topics that several commands share, generated from registered metrics and formats."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

from corefine.matching.settings import CHOICES, HELP, Settings

WIDEST = 88


def topic_text(topic: str) -> str:
    """The text of a topic, filled to the width of the terminal."""
    return TOPICS[topic]().rstrip("\n")


def _metrics() -> str:
    from corefine.metrics import GROUPS, registered

    names = _rows((metric.name, metric.summary) for metric in registered())
    groups = _rows((name, ", ".join(members)) for name, members in GROUPS.items())
    return _page(
        "Choose metrics with --metrics (Python: metrics=): a comma-separated list of names and "
        "groups. A metric may have parameters: blanc(rule=luo2014), mean(muc,b3,lea).",
        "Metrics:",
        names,
        "Groups:",
        groups + _rows([("all", "every metric of identity coreference")]),
        "All scores are micro-averaged: statistics are summed over documents before precision, "
        "recall and F1 are computed. 'corefine metrics NAME' gives definition, use and reference; "
        "'corefine cite NAME' gives BibTeX.",
    )


def _formats() -> str:
    from corefine.formats import all_formats

    rows = [
        (format.name, f"{format.title} ({' '.join(format.suffixes)})")
        if format.suffixes
        else (format.name, format.title)
        for format in all_formats()
    ]
    return _page(
        "Formats are detected from the content of a file. To override this, use --key-format and "
        "--response-format (Python: key_format=, response_format=). Key and response may have "
        "different formats: if they are tokenised differently, they are aligned by character.",
        "A path may be a file, a directory, a quoted glob pattern such as 'gold/*.conll', a gzip "
        "file, or '-' for standard input.",
        "Formats:",
        _rows(rows),
        "'corefine formats' shows which annotations each format represents; 'corefine convert' "
        "converts between them.",
    )


def _matching() -> str:
    default = Settings()
    rows = [
        (
            f"--{name.replace('_', '-')}",
            f"{HELP[name]} [{', '.join(CHOICES[name])}; default {getattr(default, name)}]",
        )
        for name in CHOICES
    ]
    return _page(
        "These settings decide which key and response mentions are the same, and therefore every "
        "score. In Python they are keyword arguments with the same names (missing_documents=).",
        _rows(rows),
    )


def _signature() -> str:
    from corefine.cli.samples import sample_path
    from corefine.scoring.score import score

    example = score(sample_path("key"), sample_path("careful"), "lea").lea.signature
    return _page(
        "A signature records everything a score depends on. Two scores are comparable only if "
        "their signatures are equal; report it with the score. An example:",
        f"    {example}",
        _rows(
            [
                ("lea", "the metric with its parameters; the line below a table leaves it out"),
                ("match", "mention matching: exact, head, partial or min"),
                ("singletons", "whether singletons were kept or dropped"),
                ("duplicates", "what happens to duplicate mentions: first kept, or error"),
                ("twinless", "treatment of mentions present on one side only"),
                ("average", "micro: statistics are summed over documents"),
                ("key", "fingerprint of the key: documents, mentions, hash of its entities"),
                ("corefine", "the version"),
            ]
        ),
        "Other settings appear only where they differ from the default: zeros, missing, words, "
        "scope, window, split, kinds, as (another scorer's conventions). The fingerprint does not "
        "depend on the file format, the order of documents or the entity ids.",
    )


def _presets() -> str:
    from corefine.resolving.recipes import RECIPES
    from corefine.resolving.rules import RULES
    from corefine.scoring.presets import PRESETS as SCORING

    return _page(
        "--preset (Python: preset=) applies the settings and metrics of a shared task; options "
        "given explicitly take precedence. 'corefine presets' lists them in full.",
        _rows((preset.name, preset.meaning) for preset in SCORING.values()),
        "'corefine resolve' has these baseline resolvers.",
        f"Trained (pip install 'corefine[resolve]'): {', '.join(RECIPES)}.",
        f"Rule-based, applied by name: {', '.join(RULES)}.",
        "'corefine resolve cross-validate KEY' compares them; see docs/resolving.md for their "
        "definitions.",
    )


TOPICS = {
    "metrics": _metrics,
    "formats": _formats,
    "matching": _matching,
    "signature": _signature,
    "presets": _presets,
}
"""The topics of ``corefine help``."""


def _width() -> int:
    return max(30, min(shutil.get_terminal_size().columns, WIDEST))


def _page(*paragraphs: str) -> str:
    """Paragraphs, filled unless they are tables or examples."""
    shown = []
    for paragraph in paragraphs:
        table = paragraph.startswith(" ")
        shown.append(paragraph.rstrip("\n") if table else textwrap.fill(paragraph, _width()))
    return "\n\n".join(shown) + "\n"


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    """Names and meanings in two columns."""
    lines = []
    for name, meaning in rows:
        lines.append(
            textwrap.fill(
                meaning,
                _width(),
                initial_indent=f"  {name:<20} ",
                subsequent_indent=" " * 23,
                break_long_words=False,
            )
        )
    return "\n".join(lines) + "\n"
