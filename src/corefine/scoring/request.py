"""Request: what is asked of a key and a response, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, UsageError, closest
from corefine.matching.settings import SettingOptions, Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import GROUPS, MetricSpec, on_layer, resolve, scores_deixis

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindPlan, KindSpec
    from corefine.scoring.breakdowns import Breakdown
    from corefine.scoring.scorers.profile import ScorerProfile

BREAKDOWNS = {
    "kind": "mention kind",
    "type": "semantic type",
    "overlap": "token overlap of pairs",
    "size": "entity size",
    "spread": "entity spread",
    "distance": "distance to the previous mention",
    "genre": "genre",
    "length": "document length",
    "topic": "topic",
    "level": "links within documents, subtopics, topics and across topics",
}
"""The property that each breakdown breaks down by, in the order of the help."""


class RequestOptions(SettingOptions, total=False):
    """Keyword arguments that all functions that score have in common."""

    preset: str | None
    genres: str | PathLike[str] | Mapping[str, str] | None


class PartOptions(RequestOptions, total=False):
    """Keyword arguments of functions that score, with scores by part."""

    by: str | Sequence[str] | None


@dataclass(frozen=True)
class Request:
    """Metrics, settings, source of mention kinds, breakdowns: all that a number depends on.

    Requests that ask for the same are equal. They can be pickled, so that workers get them whole.

    >>> Request.of("muc,lea", singletons="drop").settings.singletons
    'drop'
    """

    metrics: Mapping[str, Metric]
    """The metrics by the names they were asked for."""
    settings: Settings
    kinds: KindPlan | None = None
    """The sources of mention kinds; None if nothing that is requested depends on them."""
    by: tuple[Breakdown, ...] = ()
    """The requested breakdowns."""
    shows_kinds: bool = False
    """True if mention kinds are looked up for display, although no number depends on them."""
    preset: str = field(default="", compare=False)
    """The preset that settings and metrics come from, and what was given otherwise."""
    scorer: ScorerProfile | None = None
    """The scorer whose conventions the counts follow, if not corefine's own."""
    remark: str = field(default="", compare=False)
    """Names the metrics that the scorer of the preset does not have and corefine counts."""

    @classmethod
    def of(
        cls,
        metrics: MetricSpec = "default",
        *,
        kinds: KindSpec | KindPlan = "auto",
        by: str | Breakdown | Sequence[str | Breakdown] | None = None,
        genres: str | PathLike[str] | Mapping[str, str] | None = None,
        shows_kinds: bool = False,
        preset: str | None = None,
        **settings: Any,
    ) -> Request:
        """Build the request for these arguments of :func:`corefine.score`.

        Without metrics, ``()``, the two sides are only matched. ``genres`` are those of the
        breakdown by genre: a file, a pattern or a mapping. A ``preset`` supplies the settings that
        are not given here, and the metrics if they are ``"default"``.
        """
        label, usual = "", metrics == "default"
        if preset is not None:
            from corefine.scoring.presets import preset_named

            chosen_preset = preset_named(preset)
            label = chosen_preset.label(settings)
            settings = {**chosen_preset.settings, **settings}
            metrics = chosen_preset.metrics if usual else metrics
        chosen = settings_from(settings)
        if chosen.split_antecedents == "only" and metrics == "default":
            metrics = [name for name in GROUPS["default"] if name != "mentions"]
        divisions: tuple[Breakdown, ...] = ()
        if by or genres is not None:
            from corefine.scoring.breakdowns import breakdowns_from

            divisions = breakdowns_from(by, genres)
        for division in divisions:
            division.check(chosen)
        asked = resolve(metrics) if metrics != () or not shows_kinds else {}
        if asked and chosen.scope != "document":
            # Entities across documents: links within and across documents are reported.
            asked = {**asked, **resolve("links")}
        asked = metrics_of_layer(asked, chosen.layer, usual)
        request = cls(asked, chosen, None, divisions, shows_kinds, label)
        request._refuse_combinations()
        needed = shows_kinds or request.depends_on_kinds
        if needed or not isinstance(kinds, str) or kinds != "auto":
            from corefine.kinds.kind_plan import plan_of

            plan = plan_of(kinds)
            request = replace(request, kinds=plan) if needed else request
        return _under_preset(request, preset)

    def _refuse_combinations(self) -> None:
        """Refuse metrics and breakdowns that are not defined under the settings."""
        split = self.settings.split_antecedents
        scored = [] if split == "ignore" else [f"--split-antecedents {split}"]
        others = [name for name, one in self.needed.items() if one.layer != "identity"]
        if scored and self.by:
            raise UsageError(
                f"{scored[0]} cannot be combined with --by {','.join(map(str, self.by))}",
                remedy="Split antecedents have neither a mention kind nor a position.",
            )
        if split == "only" and self._without_sets:
            raise UsageError(
                f"split antecedents are not defined for {', '.join(self._without_sets)}",
                remedy="Use muc, b3, ceafm, ceafe, blanc, lea or averages of them.",
            )
        if self.settings.window is not None and others:
            raise UsageError(
                f"--window cannot be combined with {', '.join(others)}",
                remedy="Leave out --window: other layers than identity are scored per document.",
            )
        if self.shows_kinds and (others or scored):
            raise UsageError(
                f"error analysis covers identity only, not {', '.join([*others, *scored])}",
                remedy="Use 'corefine score' for these.",
            )

    @property
    def _without_sets(self) -> list[str]:
        """The metrics that are asked for and do not know split antecedents."""
        return [
            name
            for name, one in self.needed.items()
            if one.layer != "identity" or not one.scores_sets
        ]

    def annotation_used(self, key: Corpus) -> frozenset[str]:
        """Annotation of the key, other than spans and entities, that numbers depend on."""
        settings = self.settings
        used = {one.layer for one in self.needed.values()} - {"identity"}
        if "bridging" in used:
            used.add("bridge")
        for metric in self.needed.values():
            used |= metric.needs_attributes
        if settings.split_antecedents != "ignore":
            used.add("split")
        if settings.match in ("head", "partial"):
            used.add("head")
        if settings.match == "min":
            used |= {"minimum", "parse"}
        tokens = key.tokens
        if tokens is not None and tokens.empty is not None:
            used |= {"zeros", "sentences"} if settings.zeros == "dependent" else {"sentences"}
        return frozenset(used)

    def with_settings(self, **settings: Any) -> Request:
        """Return the request with other settings."""
        return replace(self, settings=replace(self.settings, **settings))

    @cached_property
    def needed(self) -> dict[str, Metric]:
        """The metrics whose statistics are counted, by canonical name; averages have parts."""
        return {str(part): part for metric in self.metrics.values() for part in metric.needs()}

    @cached_property
    def canonical(self) -> dict[str, Metric]:
        """The metrics that are asked for by canonical name."""
        return {str(metric): metric for metric in self.metrics.values()}

    @cached_property
    def counted_by_scorer(self) -> frozenset[str]:
        """The needed metrics, by canonical name, that the scorer of the request counts."""
        if self.scorer is None:
            return frozenset()
        scorer = self.scorer
        return frozenset(name for name, part in self.needed.items() if scorer.knows(part))

    def follows_scorer(self, metric: Metric) -> bool:
        """True if the scorer of the request counts a metric."""
        return all(str(part) in self.counted_by_scorer for part in metric.needs())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical names of the metrics asked for, each once."""
        return tuple(self.canonical)

    @property
    def weighs_kinds(self) -> bool:
        """True if a requested metric depends on mention kinds; breakdowns show unknown ones."""
        return any(part.needs_kinds for part in self.needed.values())

    @cached_property
    def depends_on_kinds(self) -> bool:
        """True if a requested number depends on mention kinds or semantic types."""
        divisions = [division.needs_kinds for division in self.by]
        return any(divisions + [part.needs_kinds for part in self.needed.values()])

    @property
    def layers(self) -> frozenset[str]:
        """The columns of tokens that are needed in addition to the words."""
        trees = frozenset({"parse", "pos"}) if self.settings.match == "min" else frozenset()
        return trees if self.kinds is None else trees | self.kinds.layers

    @property
    def source_layers(self) -> frozenset[str]:
        """The columns needed if responses may be text that a language model tagged.

        The heads of its mentions are found in the dependency trees of the key.
        """
        return self.layers | {"head", "deps"}

    @property
    def warnings(self) -> list[str]:
        """Settings without effect on some metrics, and metrics that a breakdown leaves out."""
        settings, needed, canonical = self.settings, self.needed, self.canonical
        left_out: dict[str, list[str]] = {}
        if settings.twinless == "cai-strube":
            left_out["twinless cai-strube is defined for B³ and CEAF only; no effect on"] = [
                name
                for name, one in needed.items()
                if one.layer != "identity" or not one.splits_twinless
            ]
        if settings.split_antecedents == "score":
            left_out["split antecedents have no effect on"] = [
                name
                for name in self._without_sets
                if name != "mentions" and needed[name].layer == "identity"
            ]
        if settings.layer == "all":
            left_out["discourse deixis is not scored with"] = [
                name
                for name, one in canonical.items()
                if {part.layer for part in one.needs()} == {"identity"} and not scores_deixis(one)
            ]
        for division in self.by:
            if not division.way.usual_metrics:
                left_out[f"not broken down by {division.summary}:"] = [
                    name for name, one in canonical.items() if not division.can_divide(one)
                ]
        found = [f"{text} {', '.join(names)}" for text, names in left_out.items() if names]
        if self.remark:
            found.append(Caution(self.remark, "preset-scorer"))
        return found

    @property
    def may_refuse(self) -> bool:
        """True if counting can raise an error for a document."""
        settings = self.settings
        return (
            settings.duplicates == "error"
            or settings.match != "exact"
            or settings.window is not None
            or any(division.way.needs_text or division.name == "genre" for division in self.by)
            or (self.kinds is not None and not self.kinds.is_built_in)
        )


def metrics_of_layer(asked: Mapping[str, Metric], layer: str, usual: bool) -> dict[str, Metric]:
    """The metrics that are meant when these are asked for in a layer.

    ``usual`` says that they were not named one by one.
    """
    if layer == "identity" or not asked:
        return dict(asked)
    if layer == "bridging":
        if not usual and any(one.layer != "bridging" for one in asked.values()):
            raise UsageError(
                f"--layer bridging has no metric {next(iter(asked))}",
                remedy=f"It has: {', '.join(GROUPS['bridging'])}.",
            )
        return resolve("bridging") if usual else dict(asked)
    own = [one for one in asked.values() if one.layer == "identity"]
    if layer == "all":
        own = [one for one in own if scores_deixis(one)]
    deixis = {str(one): one for one in (on_layer(one, "deixis") for one in own)}
    if layer == "deixis":
        return deixis
    return {**asked, **resolve(["bridging", "nonreferring"]), **deixis}


def settings_from(settings: Mapping[str, Any]) -> Settings:
    """Settings from keyword arguments, with an error that names the one that does not exist."""
    known = [field.name for field in fields(Settings)]
    for name in settings:
        if name not in known:
            others = ("metrics", "kinds", "by", "preset", "genres", "key_format", "response_format")
            raise UsageError(
                f"unknown setting {name!r}",
                remedy=f"Use: {', '.join(known)}.{closest(name, [*known, *others])}",
            )
    return Settings(**settings)


def _under_preset(request: Request, preset: str | None) -> Request:
    """The request under the profile of the preset's official scorer, if that applies."""
    if preset is None or not request.metrics:
        return request
    from corefine.scoring.presets import PRESETS

    scorer = PRESETS[preset].scorer
    if scorer is None:
        return request
    from corefine.scoring.scorers.emulation import request_under_preset

    return request_under_preset(request, scorer)
