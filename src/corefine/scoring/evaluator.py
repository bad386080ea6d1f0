"""Evaluator: scores that grow document by document, for training loops and streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Unpack

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.scoring.count import count
from corefine.scoring.counts import Counts
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import require_tagged
from corefine.scoring.scores import Scores
from corefine.scoring.sides import Side, SideLike, plain_entities

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindSpec

_Entities = list[tuple[Any, ...]]
UNNAMED = "\0"
"""How the ids of documents begin that came without one."""


class Evaluator:
    """Collects documents and scores them when asked.

    It keeps counts, not documents: plain lists wait in a buffer of at most ``window`` documents
    so that they are counted together, in columns. Evaluators of several processes are merged, and
    the result is the same to the last bit as that of one evaluator that saw everything. A call
    that fails leaves the evaluator as it was. Threads may share an evaluator: each call sees whole
    documents, in the order in which they came.

    >>> evaluator = Evaluator(metrics="muc,lea")
    >>> evaluator.update([["a", "b", "c"]], [["a", "b"], ["c"]])
    >>> evaluator.update([["x", "y"]], [["x", "y"]])
    >>> evaluator.compute()["muc"].recall == 2 / 3
    True
    """

    window = 128

    def __init__(
        self,
        metrics: MetricSpec = "default",
        *,
        kinds: KindSpec = "auto",
        by: str | Sequence[str] | None = None,
        **settings: Unpack[RequestOptions],
    ) -> None:
        self.request = Request.of(metrics, kinds=kinds, by=by, **settings)
        scope = self.request.settings.scope
        if scope != "document":
            raise UsageError(
                f"documents added one by one cannot be scored with scope={scope}",
                remedy="Use corefine.score on the whole corpus.",
            )
        self._lock = RLock()
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, which belongs to the threads of this process."""
        with self._lock:
            own = {"_parts": [*self._parts], "_waiting": [*self._waiting], "_seen": {*self._seen}}
            return {name: value for name, value in vars(self).items() if name != "_lock"} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

    @property
    def settings(self) -> Settings:
        """The settings under which documents are scored."""
        return self.request.settings

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by the names they were asked for."""
        return self.request.metrics

    def reset(self) -> None:
        """Forget everything that was evaluated."""
        with self._lock:
            self._parts: list[Counts] = []
            self._waiting: list[tuple[str, _Entities, _Entities]] = []
            self._seen: set[str] = set()

    def update(self, key: SideLike, response: SideLike, document: str = "") -> None:
        """Add one document (two lists of entities), or all documents of two corpora.

        ``document`` names a document given as lists; without it documents are numbered.
        """
        ours, theirs = plain_entities(key, "key"), plain_entities(response, "response")
        if ours is None or theirs is None:
            layers, align = self.request.source_layers, self.settings.align
            source = Side.of(key, "key").read(layers)
            found = Side.of(response, "response").read(layers, against=source, align=align)
            require_tagged(align, [found.copies])
            part = count(source, found, self.request)
            with self._lock:
                self._refuse_seen(source.documents)
                self._parts.append(part)
                self._seen.update(filter(None, source.documents))
            return
        with self._lock:
            self._refuse_seen([document])
            self._waiting.append((document, ours, theirs))
            try:
                if len(self._waiting) >= self.window or self.request.may_refuse:
                    self._flush()
            except BaseException:
                self._waiting.pop()
                raise
            if document:
                self._seen.add(document)

    def compute(self) -> Scores:
        """The scores of everything so far."""
        return self.counts().scores()

    def counts(self) -> Counts:
        """The counts of everything so far, from which scores are made."""
        with self._lock:
            self._flush()
            if not self._parts:
                return self._counted([])
            if len(self._parts) > 1:
                self._parts = [Counts.sum(self._parts)]
            whole = self._parts[0]
            return whole.with_documents(self._numbered(whole.documents))

    def merge(self, other: Evaluator) -> Evaluator:
        """Add what another evaluator has seen, and return this one."""
        if self.request != other.request:
            raise UsageError(
                "cannot merge evaluators with different metrics or settings",
                remedy="Create them with the same arguments.",
            )
        # In one order whichever is merged into which: two threads never wait for each other.
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            self._refuse_seen(other._seen)
            self._flush()
            other._flush()
            self._parts += other._parts
            self._seen |= other._seen
        return self

    def _flush(self) -> None:
        """Count the waiting documents, all at once; they wait on if that fails."""
        if self._waiting:
            # Documents with and without an id are apart in the key's fingerprint.
            named = [one for one in self._waiting if one[0]]
            unnamed = [one for one in self._waiting if not one[0]]
            if named and unnamed:
                parts = [self._counted([one]) for one in self._waiting]
            else:
                parts = [self._counted(self._waiting)]
            self._parts += parts
            self._waiting = []

    def _counted(self, documents: Sequence[tuple[str, _Entities, _Entities]]) -> Counts:
        before = 1 + sum(len(part.documents) for part in self._parts)
        names = [
            name or f"{UNNAMED}{number}" for number, (name, _, _) in enumerate(documents, before)
        ]
        named = any(name for name, _, _ in documents)
        key = Corpus.from_lists(names, [entities for _, entities, _ in documents])
        response = Corpus.from_lists(names, [entities for _, _, entities in documents])
        counts = count(replace(key, named=named), response, self.request)
        said = tuple(warning.replace(repr(UNNAMED)[1:-1], "#") for warning in counts.warnings)
        return replace(counts, warnings=said)

    def _refuse_seen(self, documents: Sequence[str] | set[str]) -> None:
        """Refuse a document that was evaluated before; documents without an id are all new."""
        repeated = self._seen.intersection(documents)
        if repeated:
            raise UsageError(
                f"document {min(repeated)!r} has already been evaluated",
                remedy="Each document counts once; call reset() before the next epoch.",
            )

    def _numbered(self, documents: tuple[str, ...]) -> tuple[str, ...]:
        """Ids for the documents that came without one: the place at which they came."""
        sign = "#" if self._seen else ""
        return tuple(
            f"{sign}{place}" if not name or name.startswith(UNNAMED) else name
            for place, name in enumerate(documents, 1)
        )
