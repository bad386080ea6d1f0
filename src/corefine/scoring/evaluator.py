"""Evaluator: scores of documents that are added one by one, for training loops and streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from threading import RLock
from typing import TYPE_CHECKING, Any, Unpack

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError, emitting, missing_attribute
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.plain_text import counted
from corefine.scoring.count import Counts, count
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.score import read_sides
from corefine.scoring.scores import Scores
from corefine.scoring.sides import SideLike, plain_entities

if TYPE_CHECKING:
    from corefine.kinds.kind_plan import KindSpec

_Document = tuple[str, list[tuple[Any, ...]], list[tuple[Any, ...]]]
"""The id of a document (empty if it has none), and its entities in key and response."""


_ELSEWHERE = {
    **dict.fromkeys(("add", "add_batch", "append", "fit"), "update(key, response)"),
    **dict.fromkeys(("result", "results", "score", "scores", "get_metric", "get_f1"), "compute()"),
}
"""Advice for method names that other packages use."""


class Evaluator:
    """Collects documents and scores them on request.

    It keeps counts instead of documents: plain lists wait in a buffer of at most ``window``
    documents, to be counted together. Evaluators of several processes can be merged; the result is
    identical to the bit with that of one evaluator that saw everything. A call that fails leaves
    the evaluator unchanged. Threads may share an evaluator. Documents keep the order in which they
    were added.

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
        """Everything but the lock, which belongs to the threads of this process."""
        with self._lock:
            own = {"_parts": [*self._parts], "_waiting": [*self._waiting], "_seen": {*self._seen}}
            return {name: value for name, value in vars(self).items() if name != "_lock"} | own

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

    def __repr__(self) -> str:
        documents = sum(len(part.documents) for part in self._parts) + len(self._waiting)
        return f"<Evaluator: {counted(documents, 'document')}, {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        return self.counts().scores()._repr_html_()

    if not TYPE_CHECKING:  # so that type checkers find names that are missing

        def __getattr__(self, name):
            raise missing_attribute(self, name, _ELSEWHERE)

    @property
    def settings(self) -> Settings:
        """The settings under which documents are scored."""
        return self.request.settings

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by the names that were requested."""
        return self.request.metrics

    def reset(self) -> None:
        """Forget all documents."""
        with self._lock:
            self._parts: list[Counts] = []
            self._waiting: list[_Document] = []
            self._seen: set[str] = set()

    def update(self, key: SideLike, response: SideLike, document: str = "") -> None:
        """Add one document (two lists of entities), or all documents of two corpora.

        ``document`` is the id of a single document; documents without an id are numbered. Spans in
        lists are compared as they are: give both sides the same ends, exclusive as in slices.
        """
        ours, theirs = plain_entities(key, "key"), plain_entities(response, "response")
        if ours is None or theirs is None:
            self._add_corpora(key, response, document)
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

    def _add_corpora(self, key: SideLike, response: SideLike, document: str) -> None:
        layers = self.request.source_layers
        source, found = read_sides(key, response, self.request, (None, None), layers)
        if document:
            if len(source) != 1 or len(found) != 1:
                raise UsageError(
                    f"document={document!r} is the id of one document, but the key has "
                    f"{len(source):,} and the response {len(found):,}",
                    remedy="Leave it out: the documents have their own ids.",
                )
            source, found = (
                replace(side, documents=(document,), named=True) for side in (source, found)
            )
        part = count(source, found, self.request)
        with self._lock:
            self._refuse_seen(source.documents)
            self._flush()
            self._parts.append(part)
            self._seen.update(filter(None, source.documents))

    @emitting
    def compute(self) -> Scores:
        """The scores of all documents so far."""
        return self.counts().scores()

    def counts(self) -> Counts:
        """The counts of all documents so far, from which scores are computed."""
        with self._lock:
            self._flush()
            if not self._parts:
                return self._counted([])
            if len(self._parts) > 1:
                self._parts = [Counts.sum(self._parts)]
            whole = self._parts[0]
            return whole.with_documents(tuple(self._named(whole.documents)))

    def _named(self, documents: Sequence[str]) -> Iterator[str]:
        """Ids of all documents: those without one get a number that no other document has as id."""
        sign = "#" if self._seen else ""
        while any(f"{sign}{number}" in self._seen for number in range(1, len(documents) + 1)):
            sign += "#"
        for number, name in enumerate(documents, 1):
            yield name or f"{sign}{number}"

    def merge(self, other: Evaluator) -> Evaluator:
        """Add the documents of another evaluator, and return this one."""
        if other is self:
            raise UsageError(
                "an evaluator cannot be merged with itself",
                remedy="Merge evaluators that have seen different documents.",
            )
        if self.request != other.request:
            raise UsageError(
                "cannot merge evaluators with different metrics or settings",
                remedy="Create them with the same arguments.",
            )
        # Always in the same order, so that two threads never wait for each other.
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            self._refuse_seen(other._seen)
            self._flush()
            other._flush()
            self._parts += other._parts
            self._seen |= other._seen
        return self

    def _flush(self) -> None:
        """Count the waiting documents together; they keep waiting if that fails."""
        # Documents with and without an id are different in the fingerprint of the key.
        runs = groupby(self._waiting, key=lambda document: bool(document[0]))
        self._parts += [self._counted(list(run)) for _, run in runs]
        self._waiting = []

    def _counted(self, documents: Sequence[_Document]) -> Counts:
        before = 1 + sum(len(part.documents) for part in self._parts)
        names = [name for name, _, _ in documents]
        ids = [name or f"#{number}" for number, name in enumerate(names, before)]
        key = Corpus.from_lists(ids, [entities for _, entities, _ in documents])
        response = Corpus.from_lists(ids, [entities for _, _, entities in documents])
        counts = count(replace(key, named=any(names)), response, self.request)
        return counts.with_documents(tuple(names))

    def _refuse_seen(self, documents: Iterable[str]) -> None:
        """Raise an error if a document was added before; documents without an id are new."""
        repeated = self._seen.intersection(documents)
        if repeated:
            raise UsageError(
                f"document {min(repeated)!r} has already been evaluated",
                remedy="Each document counts once; call reset() before the next epoch.",
            )
