"""Request: what is asked of a key and a response, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, resolve
from corefine.scoring.divisions import Division, divisions_asked

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindPlan, KindSpec
    from corefine.scoring.conventions.tools import Conventions


@dataclass(frozen=True, eq=False)
class Request:
    """Metrics, settings, source of mention types, breakdowns: all that a number depends on.

    Requests that ask for the same are equal. They can be pickled, so that workers get them whole.

    >>> Request.of("muc,lea", singletons="drop").settings.singletons
    'drop'
    """

    metrics: Mapping[str, Metric]
    """The metrics by the names they were asked for."""
    settings: Settings
    kinds: KindPlan | None = None
    """Where mention types come from; None where nothing that is asked for depends on them."""
    by: tuple[Division, ...] = ()
    """How scores are broken down."""
    shows_kinds: bool = False
    """Whether mention types are looked up although no number depends on them, to be shown."""
    tool: Conventions | None = None
    """The scorer whose conventions the counts follow, if not corefine's own."""

    @classmethod
    def of(
        cls,
        metrics: MetricSpec = "default",
        *,
        kinds: KindSpec | KindPlan = "auto",
        by: str | Division | Sequence[str | Division] | None = None,
        genres: str | PathLike[str] | Mapping[str, str] | None = None,
        shows_kinds: bool = False,
        **settings: Any,
    ) -> Request:
        """The request that these arguments of :func:`corefine.score` stand for.

        Without any metric, ``()``, the two sides are only matched. ``genres`` are those of the
        division by genre: a file, a pattern or a mapping.
        """
        chosen = settings_from(settings)
        divisions = divisions_asked(by, genres)
        for division in divisions:
            if (refusal := division.refusal(chosen)) is not None:
                raise refusal
        asked = resolve(metrics) if metrics != () else {}
        if asked and chosen.scope != "document":
            # Where entities reach beyond documents, links within and across them are told apart.
            asked = {**asked, **resolve("links")}
        request = cls(asked, chosen, None, divisions, shows_kinds)
        needed = shows_kinds or request.depends_on_kinds
        if not needed and isinstance(kinds, str) and kinds == "auto":
            return request  # most runs need nothing of mention types
        from corefine.kinds.kind_plan import plan_of

        plan = plan_of(kinds)
        return replace(request, kinds=plan) if needed else request

    def with_settings(self, **settings: Any) -> Request:
        """The same request under other settings."""
        return replace(self, settings=replace(self.settings, **settings))

    @cached_property
    def needed(self) -> dict[str, Metric]:
        """The metrics whose statistics are counted, by canonical name; averages have parts."""
        return {str(part): part for metric in self.metrics.values() for part in metric.needs()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the metrics asked for, each once."""
        return tuple(dict.fromkeys(map(str, self.metrics.values())))

    @cached_property
    def depends_on_kinds(self) -> bool:
        """Whether a number that is asked for depends on mention types or semantic types."""
        return any(division.needs_kinds for division in self.by) or any(
            part.needs_kinds for part in self.needed.values()
        )

    @property
    def layers(self) -> frozenset[str]:
        """The columns of a file's tokens that are needed beside the words."""
        return frozenset() if self.kinds is None else self.kinds.layers

    @property
    def warnings(self) -> list[str]:
        """Settings without effect on some metrics, and metrics that a breakdown leaves out."""
        warnings = []
        others = [name for name in self.needed if not self.needed[name].properties.splits_twinless]
        if self.settings.twinless == "cai-strube" and others:
            warnings.append(
                f"twinless cai-strube is defined for B³ and CEAF; no effect on {', '.join(others)}"
            )
        for division in self.by:
            whole = [str(m) for m in self.metrics.values() if not division.can_divide(m)]
            if whole and division.name != "overlap":
                warnings.append(
                    f"by {division.name}: {', '.join(whole)} cannot be divided by "
                    f"{division.summary}"
                )
        return warnings

    @property
    def may_refuse(self) -> bool:
        """Whether counting can refuse a document for what it is."""
        settings = self.settings
        return (
            settings.duplicates == "error"
            or settings.match != "exact"
            or settings.window is not None
            or any(division.needs_text or division.name == "genre" for division in self.by)
            or (self.kinds is not None and not self.kinds.told_by_words)
        )

    def _identity(self) -> tuple[Any, ...]:
        asked = tuple(self.metrics.items())
        return asked, self.settings, self.by, self.shows_kinds, self.tool, self.kinds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.names, self.settings, self.by))


def settings_from(settings: Mapping[str, Any]) -> Settings:
    """Settings from keyword arguments, with an error that names the one that does not exist."""
    known = [field.name for field in fields(Settings)]
    for name in settings:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}", remedy=f"Use: {', '.join(known)}.")
    return Settings(**settings)
