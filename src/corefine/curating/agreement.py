"""``corefine.agree``: agreement between two or more annotations of the same text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal, Unpack

import numpy as np

from corefine.corpus.arrays import FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import connected_components
from corefine.curating.questions import Disputes
from corefine.errors import AlignmentError, UsageError, emitting, reworded
from corefine.matching.documents import pair_documents
from corefine.matching.settings import Settings
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.metrics.table import MentionTable
from corefine.output.grid import Column, Grid, Value
from corefine.output.plain_text import counted, shortened
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.count import count_table, tabulate
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.scores import Score, Scores
from corefine.scoring.sides import SideLike, named_sides, read_side, split_metrics


@dataclass(frozen=True, slots=True)
class Reliability:
    """Krippendorff's α, and what it is made of."""

    alpha: float | None
    observed: float | None
    """D_o, the mean disagreement on a mention."""
    expected: float | None
    """D_e, the mean disagreement of any two values."""
    units: int
    """Mentions with two or more values."""
    values: int


def as_singletons(entity: IntArray) -> IntArray:
    """Give each annotator an entity of its own for every mention that he or she lacks."""
    entity = entity.copy()
    for column in entity.T:
        lacking = np.flatnonzero(column < 0)
        column[lacking] = column.max(initial=-1) + 1 + np.arange(len(lacking))
    return entity


def numbered(entity: IntArray) -> tuple[IntArray, int]:
    """The entities of all annotators in one numbering (still -1 for none), and how many."""
    counts = entity.max(axis=0, initial=-1) + 1
    first = np.cumsum(counts) - counts
    return np.where(entity >= 0, entity + first, -1), int(counts.sum())


def marks_of(entity: IntArray) -> IntArray:
    """Number of annotators that have each mention."""
    marks: IntArray = np.count_nonzero(entity >= 0, axis=1)
    return marks


def masi_distance(left: IntArray, right: IntArray, common: IntArray) -> FloatArray:
    """MASI's distance from the sizes of two sets and of what they have in common.

    >>> masi_distance(np.array([3, 3]), np.array([3, 2]), np.array([3, 2])).round(4).tolist()
    [0.0, 0.5556]
    """
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    kind = np.where(common == 0, 0.0, np.where(common < smaller, 1 / 3, 2 / 3))
    kind = np.where((common == larger) & (common > 0), 1.0, kind)
    distance: FloatArray = 1 - kind * common / np.maximum(left + right - common, 1)
    return distance


def masi_alpha(entity: IntArray) -> Reliability:
    r"""Krippendorff's α of annotations of entities, with Passonneau's MASI distance.

    ``entity`` has a row for each mention that at least one annotator has, the *units*, and a column
    for each annotator: a number of his or her entities, or -1 for no mention. The value that an
    annotator gives to a unit is a *set*: all mentions of the entity in which he or she put it
    (Passonneau 2004). Two sets differ by

    .. math:: \delta(A, B) = 1 - \frac{|A \cap B|}{|A \cup B|} \cdot M

    with M = 1 if they are equal, 2/3 if one holds the other, 1/3 if they only overlap, 0 if they do
    not (MASI, Passonneau 2006). With m_u values of unit u and n values of all units that have two
    or more,

    .. math:: D_o = \frac{1}{n} \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta(v_{ui}, v_{uj}), \;
              D_e = \frac{1}{n (n-1)} \sum_{i \ne j} \delta(v_i, v_j), \quad
              \alpha = 1 - D_o / D_e

    the sum of D_e running over all ordered pairs of values (Krippendorff 2004).

    An annotator without a mention has no value for it, and units with one value are not compared.
    This measures linking alone. Where singletons are not annotated it measures little: a link that
    one annotator made and the other did not is then missing, not contested.
    :func:`as_singletons` therefore gives an annotator without the mention the set of that mention
    alone.

    α is None if D_e is 0: no two values, or all of them the same.

    All sums run over pairs of entities that share a mention, of which there are no more than
    mentions for every two annotators; all other pairs of values have the distance 1.
    """
    entity, count = numbered(entity)
    size = np.bincount(entity[entity >= 0], minlength=count)
    marks = marks_of(entity)
    entity, marks = entity[marks >= 2], marks[marks >= 2]
    values = np.bincount(entity[entity >= 0], minlength=count).astype(np.float64)
    total = float(values.sum())
    if total == 0:
        return Reliability(None, None, None, 0, 0)
    disagreement = 0.0
    # Σ over ordered pairs of values of 1 − δ: first the pairs of equal values.
    alike = float((values**2).sum())
    for one, other in combinations(range(entity.shape[1]), 2):
        both = np.flatnonzero((entity[:, one] >= 0) & (entity[:, other] >= 0))
        codes, cell, common = np.unique(
            entity[both, one] * count + entity[both, other],
            return_inverse=True,
            return_counts=True,
        )
        left, right = np.divmod(codes, count)
        distance = masi_distance(size[left], size[right], common)
        disagreement += 2 * float((distance[cell] / (marks[both] - 1)).sum())
        alike += float((2 * values[left] * values[right] * (1 - distance)).sum())
    observed = disagreement / total
    expected = (total**2 - alike) / (total * (total - 1))
    # Without expected disagreement all values are the same, up to rounding.
    alpha = None if expected <= 1e-12 else 1 - observed / expected
    return Reliability(alpha, observed, expected, len(entity), int(total))


def joint_units(
    tables: Mapping[tuple[str, str], MentionTable], corpora: Mapping[str, Corpus]
) -> tuple[IntArray, IntArray]:
    """The entity and the mention of each annotator that each unit is, from the tables of all pairs.

    Both have a row for each unit and a column for each annotator, with -1 for none. Mentions that
    match are one unit. If inexact matching would make one unit of two mentions of the same
    annotator, this is an error.
    """
    first, total = {}, 0
    for name, corpus in corpora.items():
        first[name], total = total, total + len(corpus.mentions)
    links: list[tuple[int, int]] = []
    for (one, other), table in tables.items():
        ours, theirs = table.matching.key_mention, table.matching.response_mention
        both = (ours >= 0) & (theirs >= 0)
        pairs = zip(first[one] + ours[both], first[other] + theirs[both], strict=True)
        links += ((int(a), int(b)) for a, b in pairs)
    roots, unit_of = np.unique(connected_components(total, links), return_inverse=True)
    entity = np.full((len(roots), len(corpora)), -1)
    mention = np.full((len(roots), len(corpora)), -1)
    for number, (name, corpus) in enumerate(corpora.items()):
        units = unit_of[first[name] : first[name] + len(corpus.mentions)]
        if len(np.unique(units)) < len(units):
            raise UsageError(
                "two annotations match the mentions of a third inconsistently, so identical "
                "mentions cannot be determined",
                remedy="Use --match exact and --zeros linear (match='exact', zeros='linear').",
            )
        entity[units, number] = corpus.mentions.entity
        mention[units, number] = np.arange(len(units))
    return entity, mention


SYMMETRIC = "symmetric"
"""Stands for all metrics that do not ask which side is the key."""
_SYMMETRIC_SETTINGS = {"twinless": ("none",), "match": ("exact", "head")}
"""Settings with the values under which it does not matter which side is the key."""


@dataclass(frozen=True, slots=True)
class Named:
    """A mention as its corpus names it (its first and last token, or a name), and its words."""

    id: Hashable
    text: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Mentions that all annotators keep together, and on which they differ.

    ``kind`` is ``mention`` if not all annotators have them, and ``link`` if all do and put them
    into different entities. ``views`` are the opinions in words, with their annotators.
    """

    document: str
    kind: Literal["mention", "link"]
    text: str
    mentions: tuple[Named, ...]
    views: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement between annotators, as returned by :func:`corefine.agree`.

    ``scores`` holds the scores of every pair of annotators, with the first as key. F1 does not
    depend on which is the key; under ``match="head"`` the content of the annotations decides.
    ``linking`` is Krippendorff's α with absent mentions treated as missing values;
    ``linking_or_not`` is α with absent mentions treated as singletons. Tables: ``pairs``,
    ``differences``, ``alpha`` and ``mentions``.

    >>> agreement = agree([["Anna", "she"], ["Rome"]], [["Anna", "she", "Rome"]], metrics="b3")
    >>> agreement.annotators
    ('annotation', 'annotation 2')
    """

    default_tables = ("pairs", "differences")
    default_rows: ClassVar[Mapping[str, int]] = {"pairs": 6, "differences": 10}

    annotators: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Mapping[tuple[str, str], Scores]
    entities: IntArray
    """Number of the entity of each annotator (columns) for each mention (rows); -1 for none."""
    mentions: IntArray
    """Number of the mention in the annotation of each annotator; -1 for none."""
    corpora: tuple[Corpus, ...]
    """Annotations with the same documents, without duplicate mentions."""
    warnings: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        return self.corpora[0].documents

    @property
    def signature(self) -> str:
        return str(next(iter(self.scores.values())).signature)

    @cached_property
    def linking(self) -> Reliability:
        return masi_alpha(self.entities)

    @cached_property
    def linking_or_not(self) -> Reliability:
        return masi_alpha(as_singletons(self.entities))

    def score(self, one: str, other: str, metric: str) -> Score:
        """The score of two annotators, the first of them as key."""
        for name in (one, other):
            if name not in self.annotators:
                raise UsageError(
                    f"there is no annotator {name!r}",
                    remedy=f"The annotators are: {', '.join(self.annotators)}.",
                )
        if (one, other) in self.scores:
            return self.scores[one, other][metric]
        turned = self.scores[other, one][metric]
        return Score(turned.f1, turned.recall, turned.precision)

    def mean(self, metric: str) -> float:
        """The mean F1 over every two annotators."""
        return sum(scores[metric].f1 for scores in self.scores.values()) / len(self.scores)

    @property
    def marked_by(self) -> tuple[int, ...]:
        """Number of mentions that one annotator has, two have, and so on."""
        counts = np.bincount(marks_of(self.entities), minlength=len(self.annotators) + 1)
        return tuple(counts[1:].tolist())

    @cached_property
    def pieces(self) -> Disputes:
        """The mentions of all annotators in text order, with annotators by name."""
        columns = np.argsort(self.annotators)
        order = [unit for unit, _, _ in self._sources]
        rows = numbered(self.entities)[0][order][:, columns]
        names = [self.annotators[column] for column in columns]
        return Disputes(names, list(map(tuple, rows.tolist())), lambda n: self._named(n).text)

    @cached_property
    def _sources(self) -> list[tuple[int, Corpus, int]]:
        """Each unit in text order, with the corpus and number of its mention.

        Of several annotators, the first by name gives the mention.
        """
        found = []
        for unit, numbers in enumerate(self.mentions.tolist()):
            name = min(name for name, n in zip(self.annotators, numbers, strict=True) if n >= 0)
            column = self.annotators.index(name)
            corpus, mention = self.corpora[column], numbers[column]
            id = corpus.mention_id(mention)
            place = id if isinstance(id, tuple) else (id,)
            span = place if all(isinstance(one, int) for one in place) else ()
            order = _document_of(corpus, mention), span, str(id), name
            found.append((order, (unit, corpus, mention)))
        return [source for _, source in sorted(found, key=lambda one: one[0])]

    def _named(self, number: int) -> Named:
        """A mention by its place in text order."""
        _, corpus, mention = self._sources[number]
        return Named(corpus.mention_id(mention), corpus.text_of(mention))

    @cached_property
    def differences(self) -> tuple[Disagreement, ...]:
        """Mentions and links on which annotators differ, in reading order."""
        pieces, found = self.pieces, []
        for piece in filter(pieces.asked, range(len(pieces.members))):
            views, mentions = pieces.views(piece), pieces.members[piece]
            found.append(
                Disagreement(
                    _document_of(*self._sources[mentions[0]][1:]),
                    "mention" if -1 in pieces.owners[piece] else "link",
                    pieces.difference(piece, views),
                    tuple(map(self._named, mentions)),
                    tuple((view.said, view.by) for view in views),
                )
            )
        return tuple(found)

    @property
    def alpha(self) -> float | None:
        """Krippendorff's α of linking; the same as ``linking.alpha``."""
        return self.linking.alpha

    def alpha_of(self, one: str, other: str) -> float | None:
        """Krippendorff's α of linking between two annotators."""
        columns = [self.annotators.index(one), self.annotators.index(other)]
        return masi_alpha(self.entities[:, columns]).alpha

    @property
    def verdict(self) -> str:
        """Agreement on mentions and links, and the number of differences."""
        shown = {"mentions": "mentions", "conll": "the CoNLL average"}
        parts = [
            f"F1 {100 * self.mean(metric):.2f} on {title}"
            for metric, title in shown.items()
            if metric in self.metrics
        ]
        if not parts:
            parts.append(f"{self.metrics[0]} F1 {100 * self.mean(self.metrics[0]):.2f}")
        if self.alpha is not None:
            parts.append(f"Krippendorff's α {self.alpha:.3f}".replace("-", "−"))
        who = " and ".join(self.annotators)
        if len(self.annotators) > 2:
            who = f"{len(self.annotators)} annotators (mean of all pairs)"
        count = Counter[str]()
        for one in self.differences:
            count[one.kind] += len(one.mentions)
        return (
            f"Agreement of {who}: {', '.join(parts)}. Mentions that not all have: "
            f"{count['mention']:,} of {len(self.entities):,}; linked differently: "
            f"{count['link']:,}."
        )

    def table_functions(self) -> Tables:
        return TABLES

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "signature": self.signature,
            "annotators": list(self.annotators),
            "documents": len(self.documents),
            "pairs": [
                {
                    "first": one,
                    "second": other,
                    "scores": {name: score.to_dict() for name, score in scores.items()},
                }
                for (one, other), scores in self.scores.items()
            ],
            "mean_f1": {metric: self.mean(metric) for metric in self.metrics},
            "alpha": {
                "linking": asdict(self.linking),
                "linking_or_not": asdict(self.linking_or_not),
            },
            "mentions": {"all": len(self.entities), "marked_by": list(self.marked_by)},
            "differences": [asdict(one) for one in self.differences],
            "warnings": list(self.warnings),
        }


def _document_of(corpus: Corpus, mention: int) -> str:
    return corpus.documents[int(corpus.mentions.document[mention])]


@emitting
def agree(
    *annotations: SideLike,
    metrics: MetricSpec = SYMMETRIC,
    format: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> Agreement:
    """Measure agreement between two or more annotations of the same text; none of them is the key.

    The annotations are given as in :func:`corefine.score`: as separate arguments, in a list, or in
    a dict by annotator. ``metrics`` must be symmetric (the default is all symmetric metrics); the
    settings are those of :func:`corefine.score`.

    >>> anna = [["Anna", "she", "her"], ["Rome"]]
    >>> ben = [["Anna", "she"], ["her"], ["Rome"]]
    >>> agreement = agree({"anna": anna, "ben": ben})
    >>> round(agreement.score("anna", "ben", "b3").f1, 4)
    0.8
    >>> round(agreement.linking.alpha, 4)
    0.3277
    """
    annotations, metrics = split_metrics(annotations, metrics)
    request = Request.of(list(symmetric_metrics(metrics).values()), **settings)
    for name, fitting in _SYMMETRIC_SETTINGS.items():
        if (value := getattr(request.settings, name)) not in fitting:
            raise UsageError(
                f"--{name} {value} depends on which side is the key, but agreement has none",
                remedy=f"Use --{name} {f' or --{name} '.join(fitting)}.",
            )
    if request.settings.align != "tolerant" or request.settings.window is not None:
        raise UsageError("agreement is measured on whole documents: leave out --align and --window")
    corpora = read_annotations(annotations, "agreement", format, request, progress)
    names = tuple(corpora)
    aligned, warnings = _aligned(corpora, request.settings)
    ranked = list(names)
    if request.settings.match == "head":
        # Matching by heads may depend on the sides: the content of the annotations decides which
        # is which, never the order in which they are given.
        ranked.sort(key=lambda name: _content(aligned[name]))
    tables: dict[tuple[str, str], MentionTable] = {}
    prepared: dict[str, Corpus] = {}
    for one, other in combinations(ranked, 2):
        try:
            tables[one, other] = table = tabulate(aligned[one], aligned[other], request)
        except AlignmentError as error:
            raise _named(error, one, other) from None
        prepared[one], prepared[other] = table.matching.key, table.matching.response
    pairs = sorted(tables, key=lambda pair: sorted(map(names.index, pair)))
    scores = {pair: count_table(tables[pair], request).scores() for pair in pairs}
    for pair in pairs:
        warnings += [_about(warning, *pair) for warning in scores[pair].warnings]
    prepared = {name: prepared[name] for name in names}
    return Agreement(
        names,
        tuple(scores[pairs[0]].by_name),
        scores,
        *joint_units(tables, prepared),
        tuple(prepared.values()),
        tuple(dict.fromkeys(warnings)),
    )


def read_annotations(
    annotations: tuple[SideLike, ...],
    purpose: str,
    format: str | None,
    request: Request | None,
    progress: Progress,
) -> dict[str, Corpus]:
    """Read two or more annotations by annotator: what a request needs of them, or everything."""
    sides = named_sides(annotations, what="annotation")
    if len(sides) < 2:
        raise UsageError(f"{purpose} needs at least two annotations")
    layers = None if request is None else request.layers
    may_be_empty = request is None or request.settings.allow_empty
    return {
        name: read_side(
            side, f"annotation {name!r}", format, layers, progress, allow_empty=may_be_empty
        )
        for name, side in sides.items()
    }


def symmetric_metrics(spec: MetricSpec) -> dict[str, Metric]:
    """The metrics asked for, which must not ask which side is the key."""
    if isinstance(spec, str) and spec.lower() == SYMMETRIC:
        known = {name: metric for name, metric in resolve("all").items() if metric.symmetric}
        blanc = parse("blanc(rule=luo2014)")
        return known | {str(blanc): blanc}
    asked = resolve(spec)
    for metric in asked.values():
        if not all(part.symmetric for part in (metric, *metric.needs())):
            raise UsageError(
                f"{metric} depends on which side is the key, but agreement has none",
                remedy=f"Symmetric metrics: {', '.join(symmetric_metrics(SYMMETRIC))}.",
            )
    return asked


def _aligned(
    corpora: Mapping[str, Corpus], settings: Settings
) -> tuple[dict[str, Corpus], list[str]]:
    """The annotations with the same documents, in the order of the first one's."""
    (first, key), *others = corpora.items()
    aligned, warnings = {first: key}, []
    for name, corpus in others:
        try:
            pair = pair_documents(key, corpus, settings)
        except AlignmentError as error:
            raise _named(error, first, name) from None
        key, aligned[name] = pair.key, pair.response
        warnings += [_about(warning, first, name) for warning in pair.provenance.warnings]
    return aligned, warnings


def _content(corpus: Corpus) -> list[tuple[str, list[list[str]]]]:
    """Documents, entities and mentions of a corpus in an order of their own."""
    return sorted(
        (name, sorted(sorted(map(repr, entity)) for entity in entities))
        for name, entities in corpus.to_dict().items()
    )


def _named(error: AlignmentError, key: str, response: str) -> AlignmentError:
    """The error of a pair, saying who is called key and response in it."""
    return AlignmentError(
        f"{key} (as key) and {response} (as response): {error.message}", error.where, error.remedy
    )


def _about(warning: str, key: str, response: str) -> str:
    """A warning on key or response, by the names of the annotators."""
    for side, name in (("key: ", key), ("response: ", response)):
        if warning.startswith(side):
            return reworded(warning, f"{name}: {warning.removeprefix(side)}")
    text = warning.replace("the key", key).replace("the response", response)
    return reworded(warning, text)


WIDEST = 120
"""Characters of a difference in a table that is not complete."""


def pairs_grid(agreement: Agreement) -> Grid:
    """One row per pair of annotators: F1 of each metric, and Krippendorff's α."""
    metrics = sorted(agreement.metrics, key=lambda name: name not in ("mentions", "conll"))
    rows: list[tuple[Value, ...]] = [
        (*pair, agreement.alpha_of(*pair), *(scores.by_name[metric].f1 for metric in metrics))
        for pair, scores in agreement.scores.items()
    ]
    columns = [Column("first"), Column("second"), Column("α", "decimal", "alpha")]
    columns += [Column(name, "percent", name, priority=n) for n, name in enumerate(metrics)]
    title = f"F1 between annotators, on {counted(len(agreement.documents), 'document')}"
    return Grid(tuple(columns), rows, title, (agreement.signature,))


def differences_grid(agreement: Agreement, *, complete: bool = True) -> Grid:
    """One row per difference; its words are shortened unless the table is complete."""

    def text(one: Disagreement) -> str:
        return one.text if complete else shortened(one.text, WIDEST)

    return Grid.of(
        agreement.differences,
        {
            Column("document", priority=1): "document",
            Column("kind"): "kind",
            Column("difference", shortest=30): text,
            Column("mentions", "integer", priority=1): lambda one: len(one.mentions),
            Column("positions", priority=2): lambda one: " ".join(str(m.id) for m in one.mentions),
        },
        "Mentions and links on which annotators differ",
    )


def alpha_grid(agreement: Agreement) -> Grid:
    """Krippendorff's α with the MASI distance, for both treatments of missing mentions."""
    lacking = {"excluded": agreement.linking, "as singletons": agreement.linking_or_not}
    return Grid.of(
        list(lacking.items()),
        {
            Column("mentions that an annotator lacks", name="lacking"): lambda one: one[0],
            Column("α", "decimal", "alpha"): lambda one: one[1].alpha,
            Column("observed", "decimal"): lambda one: one[1].observed,
            Column("expected", "decimal"): lambda one: one[1].expected,
            Column("mentions", "integer"): lambda one: one[1].units,
        },
        "Krippendorff's α over entities (MASI distance)",
    )


def mentions_grid(agreement: Agreement) -> Grid:
    """One row per number of annotators: mentions that so many have."""
    total = max(len(agreement.entities), 1)
    rows = [(number, count, count / total) for number, count in enumerate(agreement.marked_by, 1)]
    columns = (Column("annotators", "integer"), Column("mentions", "integer"))
    title = "Mentions by number of annotators"
    return Grid((*columns, Column("share", "percent")), rows, title)


TABLES: Tables = {
    "pairs": pairs_grid,
    "differences": differences_grid,
    "alpha": alpha_grid,
    "mentions": mentions_grid,
}
"""Functions from an agreement to a table, by name."""
