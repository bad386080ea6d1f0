"""The metrics by name: registration, and names with parameters that parse and print back.

>>> str(parse("blanc(rule=luo2014)"))
'blanc(rule=luo2014)'
>>> str(parse("BLANC( rule = v8.01 )"))
'blanc'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from corefine.errors import UsageError, closest
from corefine.metrics.base import Metric

_METRICS: dict[str, type[Metric]] = {}
_ALIASES: dict[str, str] = {}
GROUPS: dict[str, tuple[str, ...]] = {}
"""Names that stand for several metrics; ``all`` is every registered one."""

MetricSpec = str | Metric | Sequence[str | Metric]
AnyMetric = TypeVar("AnyMetric", bound=type[Metric])


def register(metric: AnyMetric) -> AnyMetric:
    """Make a metric known by its name and its aliases; used as a decorator."""
    for name in (metric.name, *metric.aliases):
        if name in _METRICS or name in _ALIASES or name in GROUPS:
            raise ValueError(f"the metric name {name!r} is taken")
    _METRICS[metric.name] = metric
    for alias in metric.aliases:
        _ALIASES[alias] = metric.name
    return metric


def registered() -> tuple[type[Metric], ...]:
    """All registered metrics, in the order of their registration."""
    return tuple(_METRICS.values())


_WRITTEN = re.compile(r"\s*([^\s(),=]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse(text: str) -> Metric:
    """The metric that a name with optional parameters stands for."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text!r} is not the name of a metric",
            remedy="Write a name, or a name with parameters: blanc(rule=luo2014).",
        )
    written, inside = match.groups()
    name = written.lower()
    metric = _METRICS.get(_ALIASES.get(name, name))
    if metric is None:
        known = [*_METRICS, *_ALIASES, *GROUPS, "all"]
        raise UsageError(
            f"there is no metric {written!r}",
            remedy=f"'corefine metrics' lists them.{closest(name, known)}",
        )
    parameters: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in (inside or "").split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not key or not value:
            raise UsageError(
                f"{item!r} in {text!r} is not a parameter",
                remedy="Parameters are written name=value, with commas between them.",
            )
        if key in parameters:
            raise UsageError(f"the parameter {key!r} is given twice in {text!r}")
        parameters[key] = value
    return metric.from_parameters(parameters)


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
            asked.update(
                {
                    name: metric()
                    for name, metric in _METRICS.items()
                    if name not in asked and not metric.properties.needs_scope
                }
            )
        elif item.lower() in GROUPS:
            asked.update({name: parse(name) for name in GROUPS[item.lower()] if name not in asked})
        else:
            asked.setdefault(item, parse(item))
    if not asked:
        raise UsageError("no metric is asked for", remedy="'corefine metrics' lists them.")
    return asked


def _items(spec: MetricSpec) -> Iterable[str | Metric]:
    if isinstance(spec, Metric):
        return [spec]
    if isinstance(spec, str):
        # Commas between metrics, not those between the parameters of one.
        return [part.strip() for part in re.split(r",(?![^(]*\))", spec) if part.strip()]
    items: list[str | Metric] = []
    for part in spec:
        if not isinstance(part, str | Metric):
            raise UsageError(f"{part!r} is neither a metric nor the name of one")
        items.extend(_items(part))
    return items
