"""Request: what is asked of a key and a response, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corefine.errors import UsageError
from corefine.kinds.kind_plan import KindPlan, KindSpec, plan_of
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import GROUPS, MetricSpec, resolve
from corefine.scoring.breakdowns import breakdowns_asked, can_divide

if TYPE_CHECKING:
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
    kinds: KindPlan
    """Where mention types come from, for metrics and breakdowns that need them."""
    by: tuple[str, ...] = ()
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
        by: str | Sequence[str] | None = None,
        shows_kinds: bool = False,
        **settings: Any,
    ) -> Request:
        """The request that these arguments of :func:`corefine.score` stand for.

        Without any metric, ``()``, the two sides are only matched.
        """
        chosen = settings_from(settings)
        if chosen.split_antecedents == "only" and metrics == "default":
            metrics = [name for name in GROUPS["default"] if name != "mentions"]
        asked = resolve(metrics) if metrics != () else {}
        if asked and chosen.scope != "document":
            # Where entities reach beyond documents, links within and across them are told apart.
            asked = {**asked, **resolve("links")}
        asked = in_layer(asked, chosen.layer, metrics == "default")
        request = cls(asked, chosen, plan_of(kinds), breakdowns_asked(by), shows_kinds)
        if chosen.split_antecedents != "ignore":
            request._require_sets()
        if shows_kinds:
            request._require_identity()
        return request

    def _require_identity(self) -> None:
        """Refuse what cannot be asked of a response that is changed to see what changes."""
        others = [name for name, one in self.needed.items() if one.properties.layer != "identity"]
        if others or self.settings.split_antecedents != "ignore":
            what = ", ".join(others) or f"--split-antecedents {self.settings.split_antecedents}"
            raise UsageError(
                f"errors are analysed for identity alone, without {what}",
                remedy="Use 'corefine score' for these; explain lists wrong split antecedents.",
            )

    def _require_sets(self) -> None:
        """Refuse what split antecedents are not defined for."""
        mode = self.settings.split_antecedents
        if self.by:
            raise UsageError(
                f"--split-antecedents {mode} cannot be combined with --by {','.join(self.by)}",
                remedy="A set of entities has neither mention type nor place; leave one out.",
            )
        if mode == "only" and self._without_sets:
            raise UsageError(
                f"split antecedents are not defined for {', '.join(self._without_sets)}",
                remedy="Use muc, b3, ceafm, ceafe, blanc, lea or averages of them.",
            )

    @property
    def _without_sets(self) -> list[str]:
        """The metrics that are asked for and do not know split antecedents."""
        return [name for name, one in self.needed.items() if not one.counts_split_antecedents]

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
        return bool({"kind", "type"}.intersection(self.by)) or any(
            part.needs_kinds for part in self.needed.values()
        )

    @property
    def plan(self) -> KindPlan | None:
        """Where mention types are looked up; None where nobody asks for them."""
        return self.kinds if self.depends_on_kinds or self.shows_kinds else None

    @property
    def layers(self) -> frozenset[str]:
        """The columns of a file's tokens that are needed beside the words."""
        return frozenset() if self.plan is None else self.plan.layers

    @property
    def warnings(self) -> list[str]:
        """Settings without effect on some metrics, and metrics that a breakdown leaves out."""
        warnings = []
        others = [name for name in self.needed if not self.needed[name].properties.splits_twinless]
        if self.settings.twinless == "cai-strube" and others:
            warnings.append(
                f"twinless cai-strube is defined for B³ and CEAF; no effect on {', '.join(others)}"
            )
        others = [
            name
            for name in self._without_sets
            if name != "mentions" and self.needed[name].properties.layer == "identity"
        ]
        if self.settings.split_antecedents == "score" and others:
            warnings.append(f"split antecedents have no effect on {', '.join(others)}")
        whole = [str(m) for m in self.metrics.values() if not can_divide(m, "kind")]
        if "kind" in self.by and whole:
            warnings.append(f"by kind: {', '.join(whole)} cannot be divided by mention type")
        return warnings

    def _identity(self) -> tuple[Any, ...]:
        asked = tuple(self.metrics.items())
        return asked, self.settings, self.by, self.shows_kinds, self.tool, self.kinds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.names, self.settings, self.by, self.kinds.asked))


def in_layer(asked: Mapping[str, Metric], layer: str, usual: bool) -> dict[str, Metric]:
    """The metrics that are meant when these are asked for in a layer.

    ``usual`` says that they were not named one by one.
    """
    if layer == "identity" or not asked:
        return dict(asked)
    if layer == "bridging":
        if not usual and any(one.properties.layer != "bridging" for one in asked.values()):
            raise UsageError(
                f"--layer bridging has no metric {next(iter(asked))}",
                remedy=f"It has: {', '.join(GROUPS['bridging'])}.",
            )
        return resolve("bridging") if usual else dict(asked)
    own = [one for one in asked.values() if one.properties.layer == "identity"]
    deixis = resolve([f"deixis(of={one})" for one in own]) if own else {}
    if layer == "deixis":
        return deixis
    return {**asked, **resolve(["bridging", "nonreferring"]), **deixis}


def settings_from(settings: Mapping[str, Any]) -> Settings:
    """Settings from keyword arguments, with an error that names the one that does not exist."""
    known = [field.name for field in fields(Settings)]
    for name in settings:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}", remedy=f"Use: {', '.join(known)}.")
    return Settings(**settings)
