"""The profile of a scorer: its conventions by name, so that one after another can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any

from corefine.errors import UsageError, choose
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import resolve
from corefine.scoring.scorers import SCORERS

OVERRIDES = ("match", "zeros", "singletons", "missing_documents", "words", "align", "allow_empty")
"""Settings that can be changed under every profile."""


@dataclass(frozen=True, slots=True)
class ScorerProfile:
    """The conventions of a scorer: settings, and how it counts lists of entities."""

    name: str
    metrics: tuple[str, ...]
    settings: Settings = field(default_factory=Settings)
    layers: tuple[str, ...] = ()
    """Metrics of other annotations than identity; with any, discourse deixis is scored too."""
    duplicates: str = "first"
    """A mention given more than once. ``first``: it counts for its first entity. ``perl``: a
    response mention that is in the key counts for its first entity, all others for each entity.
    ``every``: it counts for each entity, and its last entity is found. ``last``: the same, but in
    the order of a file that lists entities. ``once``: as ``every``, but once per entity, and with
    entities in the order of their ids. ``set``: the same in document order."""
    confuses_zeros: bool = False
    """Matched mentions are looked up by position, which confuses zeros at the same position."""
    ignores_singletons: bool = False
    """B³ skips entities of one mention; CEAFe drops the response's."""
    blanc: str = "v8.01"
    """An empty half of BLANC: it counts if the key has such links (``v8.01``) or if either side
    has (``either``)."""
    truncates: bool = False
    """Percentages are truncated to two decimals, not rounded."""

    def with_settings(self, given: Mapping[str, Any]) -> ScorerProfile:
        """The profile with changed settings; those that it cannot honour are refused."""
        given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in self.allowed:
                option = name.replace("_", "-")
                raise UsageError(
                    f"--{option} cannot be combined with the profile of {self.name}",
                    remedy=f"{self.name} does not have this setting; leave out --{option}.",
                )
        return self.under(replace(self.settings, **given))

    @property
    def allowed(self) -> set[str]:
        """The settings that can be changed."""
        layer = ["layer"] if self.layers else []
        split = ["split_antecedents"] if self.settings.split_antecedents != "ignore" else []
        return {*OVERRIDES, *layer, *split}

    def under(self, settings: Settings) -> ScorerProfile:
        """The profile with these settings."""
        duplicates = self.duplicates
        if duplicates == "set" and settings.split_antecedents == "ignore":
            # This scorer makes sets of mentions only for split antecedents.
            duplicates = "last"
        return replace(self, settings=settings, duplicates=duplicates)

    def knows(self, metric: Metric) -> bool:
        """True if the scorer has a metric, or all parts of an average.

        A scorer of layers has its metrics on discourse deixis too.
        """
        if any(part.layer == "deixis" for part in metric.needs()):
            return bool(self.layers) and self.knows(metric.on_layer("identity"))
        known = {str(one) for one in resolve([*self.metrics, *self.layers]).values()}
        if self.blanc == "either":
            known.add("blanc(rule=corefud)")
        return str(metric) in known or all(
            part != metric and str(part) in known for part in metric.needs()
        )


def profile_named(name: str) -> ScorerProfile:
    """The profile of a scorer, which the scorer's own module defines."""
    module = choose("the scorer", name, SCORERS).partition("-")[0]
    profile: ScorerProfile = import_module(f"{__package__}.{module}").PROFILE
    return profile


def profile_under(name: str, settings: Settings) -> ScorerProfile | None:
    """The profile of a scorer with these settings, or None if it does not have them."""
    profile = profile_named(name)
    changed = {
        one.name
        for one in fields(Settings)
        if getattr(settings, one.name) != getattr(profile.settings, one.name)
    }
    return profile.under(settings) if changed <= profile.allowed else None


def refuse_kinds(kinds: object) -> None:
    """Refuse a source of mention kinds, which no other scorer has."""
    if kinds != "auto":
        raise UsageError(
            "--kinds cannot be combined with --as or --why-differs",
            remedy="Other scorers do not have mention kinds; leave out --kinds.",
        )
