"""The metrics by name: registration, names with parameters that parse and print back, BibTeX.

>>> str(parse("blanc(rule=luo2014)"))
'blanc(rule=luo2014)'
>>> str(parse("BLANC( rule = v8.01 )"))
'blanc'
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import TypeVar

from corefine._version import __version__
from corefine.errors import UsageError, closest
from corefine.metrics.base import Metric, default

GROUPS: dict[str, tuple[str, ...]] = {
    "default": ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll"),
    "linguistic": ("lmuc", "lb3", "lceafm", "lceafe", "parent"),
    "links": ("links.within", "links.across"),
    "bridging": ("bridging.recognition", "bridging.mention", "bridging.entity"),
    "pairs": ("pairs.coreferent", "pairs.non_coreferent"),
}
"""Names of groups of metrics; ``all`` is every registered identity metric."""
ENTRY_POINTS = "corefine.metrics"
"""The group under which other packages name the modules or classes of their metrics."""

_ORDER = (
    *GROUPS["default"],
    *("mcores", "mean", "mor", "anaphors", "arcs"),
    *GROUPS["linguistic"],
    *GROUPS["pairs"],
    *GROUPS["links"],
)
"""Order of metrics in listings; all others follow by name."""
_CLASSIC = ("classic", "ceaf", "blanc", "lea", "averages")
"""The modules of the default metrics: most runs need none of the others."""

MOST_BRACKETS = 50
"""In the name of one metric: means of means."""

MetricSpec = str | Metric | Sequence[str | Metric]
AnyMetric = TypeVar("AnyMetric", bound=type[Metric])

_METRICS: dict[str, type[Metric]] = {}
_ALIASES: dict[str, str] = {}
_loaded: set[str] = set()


def register(metric: AnyMetric) -> AnyMetric:
    """Make a metric known by its name and its aliases; also a decorator."""
    for field in ("name", "title", "summary"):
        if not isinstance(getattr(metric, field, None), str) or not getattr(metric, field):
            raise UsageError(
                f"the metric {metric.__module__}.{metric.__qualname__} has no {field}",
                remedy=f"Give its class a {field}.",
            )
    for name in (metric.name, *metric.aliases, *metric.shorthands):
        taken = _METRICS.get(_ALIASES.get(name, name))
        if taken is metric:
            return metric
        if taken is not None or name in GROUPS or name == "all":
            owner = name if taken is None else f"{taken.__module__}.{taken.__qualname__}"
            raise UsageError(
                f"the metric name {name!r} is already used by {owner}",
                remedy="Rename the new metric, or uninstall the package that provides it.",
            )
    _METRICS[metric.name] = metric
    _ALIASES.update(dict.fromkeys((*metric.aliases, *metric.shorthands), metric.name))
    return metric


def registered() -> tuple[type[Metric], ...]:
    """All metrics, including those of other installed packages, in the order of listings."""
    _load_all()
    place = {name: number for number, name in enumerate(_ORDER)}
    names = sorted(_METRICS, key=lambda name: (place.get(name, len(place)), name))
    return tuple(_METRICS[name] for name in names)


def leading(metrics: Iterable[str], first: str = "conll") -> list[str]:
    """Metrics, the first one, CoNLL and LEA before all others."""
    return sorted(metrics, key=lambda name: (name != first, name != "conll", name != "lea"))


def _load(modules: Iterable[str]) -> None:
    """Import modules of this package, and register their metrics: the classes with a name."""
    new = [module for module in modules if module not in _loaded]
    _loaded.update(new)
    for imported in [import_module(f"{__package__}.{module}") for module in new]:
        for found in vars(imported).values():
            own = isinstance(found, type) and found.__module__ == imported.__name__
            if own and issubclass(found, Metric) and hasattr(found, "name"):
                register(found)


def _load_all() -> None:
    """Import every module of this package, and the metrics of plug-ins."""
    if ENTRY_POINTS in _loaded:
        return
    _load(_CLASSIC)
    _load(module.name for module in iter_modules([os.path.dirname(__file__)]))
    _loaded.add(ENTRY_POINTS)
    from corefine.plugins import load

    load(ENTRY_POINTS, "metric", lambda found: isinstance(found, type), register)


def _metric_named(name: str) -> type[Metric] | None:
    """The metric of a name or an alias; rare metrics are imported only if it is not a usual one."""
    _load(_CLASSIC)
    if name not in _METRICS and name not in _ALIASES:
        _load_all()
    return _METRICS.get(_ALIASES.get(name, name))


_WRITTEN = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def title_of(text: str) -> str:
    """A metric as papers write it, with its parameters: ``BLANC (rule=luo2014)``."""
    metric = parse(text)
    _, bracket, parameters = str(metric).partition("(")
    return f"{metric.title} ({parameters}" if bracket else metric.title


def parse(text: str) -> Metric:
    """Parse a metric name with optional parameters."""
    match = _WRITTEN.fullmatch(text)
    if match is None or text.count("(") > MOST_BRACKETS:
        raise UsageError(
            f"{text!r} is not a metric",
            remedy="Write a name, or a name with parameters: blanc(rule=luo2014).",
            code="unknown-metric",
        )
    written, inside = match.groups()
    name = written.lower()
    metric = _metric_named(name)
    if metric is None:
        known = [*_METRICS, *_ALIASES, *GROUPS, "all"]
        raise UsageError(
            f"there is no metric {written!r}",
            remedy=f"'corefine metrics' lists them.{closest(name, known)}",
            code="unknown-metric",
        )
    if name in metric.shorthands:
        if inside is not None:
            raise UsageError(
                f"{name} takes no parameters",
                remedy=f"It is short for {metric.shorthands[name]}.",
            )
        return parse(metric.shorthands[name])
    if inside is None:
        return default(metric)
    items = list(_parts(inside))
    if metric.takes_metrics:
        weighed = [_weighed(item) for item in items]
        chosen = [parse(item) for item, _ in weighed]
        return metric.from_metrics(chosen, [weight for _, weight in weighed])
    parameters: dict[str, str] = {}
    for item in items:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            raise UsageError(
                f"{item!r} in {text!r} is not a parameter",
                remedy="Write parameters as name=value, separated by commas.",
            )
        if key in parameters:
            raise UsageError(f"parameter {key!r} is given twice in {text!r}")
        parameters[key] = value
    layer = parameters.pop("layer", None)
    found = metric.from_parameters(parameters)
    return found if layer is None else on_layer(found, layer)


def scores_deixis(metric: Metric) -> bool:
    """True if a metric is defined for discourse deixis, which has split antecedents."""
    return all(part.scores_sets or part.name == "mentions" for part in metric.needs())


def on_layer(metric: Metric, layer: str) -> Metric:
    """A metric of identity for discourse deixis, ``layer="deixis"``.

    >>> str(on_layer(parse("muc"), "deixis"))
    'muc(layer=deixis)'
    """
    if layer != "deixis" or metric.layer not in ("identity", "deixis"):
        raise UsageError(
            f"{metric} has no layer {layer!r}",
            remedy="Metrics of identity take layer=deixis; see --layer for other annotations.",
        )
    if not scores_deixis(metric):
        raise UsageError(
            f"discourse deixis cannot be scored with {metric}",
            remedy="Use mentions, muc, b3, ceafm, ceafe, blanc, lea or averages of them.",
        )
    return metric.on_layer(layer)


def _weighed(item: str) -> tuple[str, float]:
    """A metric and the weight written before it: ``2*muc``."""
    weight, star, name = item.partition("*")
    try:
        return (name.strip(), float(weight)) if star and "(" not in weight else (item, 1.0)
    except ValueError:
        raise UsageError(
            f"{weight.strip()!r} in {item.strip()!r} is not a weight", remedy="Write 2*muc."
        ) from None


def resolve(spec: MetricSpec) -> dict[str, Metric]:
    """The metrics asked for, by the names they were asked for, without repetition.

    A specification is ``default``, ``all``, a group, a name, several of these with commas between
    them, a :class:`Metric`, or a sequence of any of them.
    """
    asked: dict[str, Metric] = {}
    for item in _items(spec):
        if isinstance(item, Metric):
            asked.setdefault(str(item), item)
        elif item.lower() == "all":
            for metric in (one() for one in registered()):
                if not metric.needs_scope and metric.layer == "identity":
                    asked.setdefault(metric.name, metric)
        elif item.lower() in GROUPS:
            for name in GROUPS[item.lower()]:
                asked.setdefault(name, parse(name))
        else:
            asked.setdefault(item, parse(item))
    if not asked:
        raise UsageError(
            "no metric was requested", remedy="'corefine metrics' lists them.", code="no-metric"
        )
    return asked


def _items(spec: MetricSpec) -> Iterator[str | Metric]:
    """The names and metrics of a specification one by one."""
    if isinstance(spec, Metric):
        yield spec
    elif isinstance(spec, str):
        yield from _parts(spec)
    elif not isinstance(spec, Iterable):
        raise UsageError(f"metrics cannot be {spec!r}", remedy="'corefine metrics' lists them.")
    else:
        for part in spec:
            if not isinstance(part, str | Metric):
                raise UsageError(f"{part!r} is neither a metric nor a metric name")
            yield from _items(part)


def _parts(text: str) -> Iterator[str]:
    """Split at the commas between metrics, but not at those in parentheses.

    >>> list(_parts("muc, mean(b3,lea(importance=uniform))"))
    ['muc', 'mean(b3,lea(importance=uniform))']
    """
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            yield from filter(None, [text[start:place].strip()])
            start = place + 1
    yield from filter(None, [text[start:].strip()])


@cache
def bibliography() -> dict[str, str]:
    """The BibTeX entries of ``references.bib`` by their keys."""
    text = files("corefine.metrics").joinpath("references.bib").read_text("utf-8")
    entries = text.replace("VERSION", __version__).strip().split("\n\n")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}


def cite(metrics: MetricSpec | None = None) -> str:
    """BibTeX of corefine and of the papers that define the metrics.

    >>> print(cite().splitlines()[0])
    @software{corefine,
    """
    entries = [bibliography()["corefine"]]
    for metric in [] if metrics is None else resolve(metrics).values():
        entries += _references(metric)
    return "\n\n".join(dict.fromkeys(entries)) + "\n"


def _references(metric: Metric) -> list[str]:
    """The entries of a metric and its parts; without references, its citation as a note."""
    if not metric.references:
        note = f"  title = {{{metric.title}}},\n  note = {{{metric.citation}}},"
        return [f"@misc{{{metric.name},\n{note}\n}}"]
    parts = [part for part in metric.needs() if part != metric]
    own = [bibliography().get(reference, reference) for reference in metric.references]
    return [*own, *(entry for part in parts for entry in _references(part))]
