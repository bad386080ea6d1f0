"""BibTeX of corefine and of the papers that define its metrics.

>>> print(cite("lea").split("\\n\\n")[1].splitlines()[0])
@inproceedings{moosavi-strube-2016-lea,
"""

from __future__ import annotations

from corefine._version import __version__
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, resolve

COREFINE = f"""\
@software{{corefine,
  author = {{{{The corefine authors}}}},
  title = {{corefine: Evaluation of Coreference Resolution}},
  year = {{2026}},
  version = {{{__version__}}},
}}"""


def cite(metrics: MetricSpec | None = None) -> str:
    """BibTeX of corefine and of the papers that define the metrics.

    >>> print(cite().splitlines()[0])
    @software{corefine,
    """
    entries = [COREFINE]
    for metric in [] if metrics is None else resolve(metrics).values():
        entries += _references(metric)
    return "\n\n".join(dict.fromkeys(entries)) + "\n"


def _references(metric: Metric) -> list[str]:
    """The entries of a metric and its parts; without references, its citation as a note."""
    if not metric.references:
        note = f"  title = {{{metric.title}}},\n  note = {{{metric.citation}}},"
        return [f"@misc{{{metric.name},\n{note}\n}}"]
    parts = [part for part in metric.needs() if part != metric]
    return [*metric.references, *(entry for part in parts for entry in _references(part))]
