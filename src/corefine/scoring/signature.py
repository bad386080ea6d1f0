"""Signatures: all that a number depends on, so that two numbers compare if theirs are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corefine._version import __version__


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that a number depends on: metric, settings, key and version.

    >>> print(Signature("lea", {"match": "exact"}, "1d.3m.0a1b2c", "1.0"))
    lea|match:exact|average:micro|key:1d.3m.0a1b2c|corefine:1.0
    """

    metric: str | None = None
    """The metric's canonical name; None for what several metrics have in common."""
    settings: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    version: str = __version__
    preset: str = ""
    """The preset that the settings come from; numbers compare without it."""
    average: str = "micro"
    """Over documents, over data sets: ``macro(27)``, or over ``topics``."""
    copied: str = ""
    """The share of words that a language model copied; not used for comparability."""

    def __str__(self) -> str:
        named = [] if self.metric is None else [self.metric]
        copied = [f"copied:{self.copied}"] if self.copied else []
        return "|".join([*named, *self._from_preset, *self._parts(copied)])

    @property
    def _from_preset(self) -> list[str]:
        return [f"preset:{self.preset}"] if self.preset else []

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def conventions(self) -> str:
        """The signature without the metric, the name of the preset and what was copied."""
        return "|".join(self._parts([]))

    def _parts(self, copied: list[str]) -> list[str]:
        settings = [f"{name}:{value}" for name, value in self.settings.items()]
        key = [f"key:{self.key}"] if self.key else []
        average, version = f"average:{self.average}", f"corefine:{self.version}"
        return [*settings, *copied, average, *key, version]
