"""Evaluator: scores that grow document by document, for training loops and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.kinds import KindSpec
from corefine.metrics.registry import MetricSpec, resolve
from corefine.scoring.breakdowns import Breakdown, breakdowns_asked, joined
from corefine.scoring.score import EntityList, Side, as_corpus, settings_from
from corefine.scoring.scores import Scores
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.tabulating import Tally, convention_warnings, kinds_needed, tabulate

_Entities = list[tuple[Any, ...]]


class Evaluator:
    """Collects documents and scores them when asked.

    It keeps statistics, not documents: plain lists wait in a buffer of at most ``window`` documents
    so that they are counted together, in columns. Evaluators of several processes are merged, and
    the result is the same to the last bit as that of one evaluator that saw everything.

    >>> evaluator = Evaluator(metrics="muc,lea")
    >>> evaluator.update([["a", "b", "c"]], [["a", "b"], ["c"]])
    >>> evaluator.update([["x", "y"]], [["x", "y"]])
    >>> evaluator.compute()["muc"].recall == 2 / 3
    True
    """

    window = 128
    kept_warnings = 20

    def __init__(
        self,
        metrics: MetricSpec = "default",
        *,
        kinds: KindSpec = "auto",
        by: str | Sequence[str] | None = None,
        **settings: Any,
    ) -> None:
        self.metrics = resolve(metrics)
        self.settings = settings_from(settings)
        if self.settings.scope != "document":
            raise UsageError(
                f"documents that come one by one cannot be scored with scope={self.settings.scope}",
                remedy="Use corefine.score on the whole corpus.",
            )
        self.by = breakdowns_asked(by)
        self.kinds = kinds_needed(kinds, self.metrics.values(), self.by)
        self.reset()

    def reset(self) -> None:
        """Forget everything that was evaluated."""
        self._parts: list[CorpusStatistics] = []
        self._breakdowns: list[tuple[Breakdown, ...]] = []
        self._warnings: list[str] = []
        self._silenced = 0
        self._tally = Tally()
        self._waiting: list[tuple[str, _Entities, _Entities]] = []
        self._seen: set[str] = set()

    def update(self, key: Side, response: Side, document: str = "") -> None:
        """Add one document (two lists of entities), or all documents of two corpora.

        ``document`` names a document given as lists; without it documents are numbered.
        """
        if _is_plain(key) and _is_plain(response):
            self._wait(key, response, document)  # type: ignore[arg-type]
        else:
            layers = frozenset() if self.kinds is None else self.kinds.layers
            self._count(as_corpus(key, "key", layers), as_corpus(response, "response", layers))

    def compute(self) -> Scores:
        """The scores of everything so far."""
        self._flush()
        nothing = Corpus.from_documents({})
        if self._parts:
            parts, breakdowns = self._parts, self._breakdowns
        else:
            part, divided, *_ = self._counted(nothing, nothing)
            parts, breakdowns = [part], [divided]
        statistics = CorpusStatistics.concatenate(parts)
        divided = joined(breakdowns)
        if self._parts:
            self._parts, self._breakdowns = [statistics], [divided]
        more = [f"{self._silenced:,} more warnings"] if self._silenced else []
        return Scores(
            self.metrics,
            CorpusStatistics(self._numbered(statistics.documents), statistics.values),
            self.settings,
            self._tally.notes,
            (
                *self._warnings,
                *more,
                *self._tally.warnings,
                *convention_warnings([*self.metrics.values()], self.settings, self.by),
            ),
            breakdowns=divided,
        )

    def merge(self, other: Evaluator) -> Evaluator:
        """Add what another evaluator has seen, and return this one."""
        mine = [str(metric) for metric in self.metrics.values()]
        theirs = [str(metric) for metric in other.metrics.values()]
        sources = [plan.asked if plan else None for plan in (self.kinds, other.kinds)]
        if (mine, self.settings, self.by, sources[0]) != (
            theirs,
            other.settings,
            other.by,
            sources[1],
        ):
            raise UsageError(
                "evaluators with different metrics or settings cannot be merged",
                remedy="Make them with the same arguments.",
            )
        self._flush()
        other._flush()
        for part in other._parts:
            self._claim(part.documents)
        self._parts += other._parts
        self._breakdowns += other._breakdowns
        self._tally += other._tally
        self._warn(other._warnings)
        self._silenced += other._silenced
        return self

    def _wait(self, key: EntityList, response: EntityList, document: str) -> None:
        entities: _Entities = [tuple(entity) for entity in key]
        found: _Entities = [tuple(entity) for entity in response]
        try:
            hash((*entities, *found))
        except TypeError as error:
            raise UsageError(
                f"a mention must be hashable: {error}",
                remedy="Give mentions as strings, numbers or tuples.",
            ) from None
        self._claim([document])
        self._waiting.append((document, entities, found))
        if len(self._waiting) >= self.window:
            self._flush()

    def _flush(self) -> None:
        """Count the waiting documents, all at once."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        names, keys, responses = zip(*waiting, strict=True)
        key, response = Corpus.from_lists(names, keys), Corpus.from_lists(names, responses)
        self._add(*self._counted(key, response))

    def _count(self, key: Corpus, response: Corpus) -> None:
        counted = self._counted(key, response)
        self._claim(counted[0].documents)
        self._add(*counted)

    def _counted(
        self, key: Corpus, response: Corpus
    ) -> tuple[CorpusStatistics, tuple[Breakdown, ...], Tally, tuple[str, ...]]:
        table, tally, warnings = tabulate(key, response, self.settings, self.kinds)
        metrics = self.metrics.values()
        divided = tuple(Breakdown.of(way, table, metrics) for way in self.by)
        return CorpusStatistics.of(table, metrics), divided, tally, warnings

    def _add(
        self,
        part: CorpusStatistics,
        divided: tuple[Breakdown, ...],
        tally: Tally,
        warnings: Iterable[str],
    ) -> None:
        self._parts.append(part)
        self._breakdowns.append(divided)
        self._tally += tally
        self._warn(warnings)

    def _warn(self, warnings: Iterable[str]) -> None:
        """Keep the first few warnings and count the others: a long run must not hoard them."""
        for warning in warnings:
            if len(self._warnings) < self.kept_warnings:
                self._warnings.append(warning)
            else:
                self._silenced += 1

    def _claim(self, documents: Sequence[str]) -> None:
        """Refuse a document that was evaluated before; documents without an id are all new."""
        repeated = self._seen.intersection(documents)
        if repeated:
            raise UsageError(
                f"document {min(repeated)!r} has been evaluated already",
                remedy="Each document counts once; call reset() before a new round.",
            )
        self._seen.update(name for name in documents if name)

    def _numbered(self, documents: tuple[str, ...]) -> tuple[str, ...]:
        """Ids for the documents that came without one: the place at which they came."""
        if not self._seen:
            return tuple(map(str, range(1, len(documents) + 1)))
        return tuple(name or f"#{place}" for place, name in enumerate(documents, 1))


def _is_plain(side: Side) -> bool:
    """Whether a side is one document as a list of entities."""
    return not isinstance(side, str | PathLike | Corpus | Mapping)
