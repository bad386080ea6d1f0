"""GAP: does a pronoun refer to one of two names, and is it found as often for women as for men?

Each example asks two questions, one for each name: is it what the pronoun refers to? It is a yes
if an entity of the response has the pronoun and the name. An example that is not answered is a
false negative for both names, whatever the answer should have been, as in GAP's own scorer. The
bias is F1 on feminine pronouns divided by F1 on masculine ones.

Its interval resamples examples. The test of the bias shuffles which examples are feminine: p is the
share of shuffles in which the two F1 differ at least as much as they do.
"""

from __future__ import annotations

import io
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corefine.auditing.challenges.gap_files import (
    Answers,
    corpus_of,
    gender_of,
    is_answers,
    read_answers,
    read_examples,
    with_words_of,
)
from corefine.comparing.plan import Plan
from corefine.comparing.standings import Interval
from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import AlignmentError, UsageError, choose, code_of
from corefine.formats.input.sources import Source
from corefine.formats.tables.gap import Example
from corefine.matching.documents import other_names, pair_documents
from corefine.matching.same_text import align_texts
from corefine.matching.settings import Settings
from corefine.metrics.base import f_measure, ratio
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.resampling.bootstrap import drawn_counts
from corefine.scoring.scores import Score
from corefine.scoring.sides import Side

GROUPS = ("overall", "masculine", "feminine")
OUTCOMES = ("tp", "fp", "fn", "tn")
MATCHES = ("exact", "nested")
BLOCK = 500
"""Replicates that are multiplied at once."""


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Counts and scores of one group of examples."""

    name: str
    examples: int
    tp: int
    fp: int
    fn: int
    tn: int
    score: Score
    intervals: Mapping[str, Interval]
    """By quantity; none where there are fewer than two examples."""

    def to_dict(self) -> dict[str, Any]:
        """The group as plain values."""
        return {
            "examples": self.examples,
            **{name: getattr(self, name) for name in OUTCOMES},
            **self.score.to_dict(),
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
        }


@dataclass(frozen=True, slots=True, repr=False)
class GapResult(Result):
    """Precision, recall and F1 on GAP, overall and by gender, and the bias."""

    groups: tuple[GapGroup, ...]
    bias: float | None
    """F1 feminine / F1 masculine; None where the latter is 0."""
    bias_interval: Interval | None
    p: float | None
    """Of the test that the two F1 do not differ; None where a gender has no example."""
    unanswered: int
    plan: Plan
    warnings: tuple[str, ...] = ()

    default_tables = ("scores", "bias")

    def __getitem__(self, name: str) -> GapGroup:
        return self.groups[GROUPS.index(choose("a group", name, GROUPS))]

    def to_dict(self) -> dict[str, Any]:
        return {
            "challenge": "gap",
            **{group.name: group.to_dict() for group in self.groups},
            "bias": self.bias,
            "bias_interval": None if self.bias_interval is None else list(self.bias_interval),
            "p": self.p,
            "unanswered": self.unanswered,
            "plan": self.plan.signature(False),
            "warnings": list(self.warnings),
        }

    def table_functions(self) -> Tables:
        return {"scores": scores_grid, "bias": bias_grid}


def judge_gap(
    key: str | os.PathLike[str],
    response: Any,
    plan: Plan,
    *,
    match: str = "exact",
    response_format: str | None = None,
    progress: Progress = silent,
) -> GapResult:
    """The result of a response to GAP's examples; see :func:`corefine.challenge`."""
    choose("match", match, MATCHES)
    if not isinstance(key, str | os.PathLike):
        raise UsageError("the key of GAP must be its TSV file", remedy="Give the path of the file.")
    examples = read_examples(key)
    answers, warnings = _answers(
        examples, os.fspath(key), response, response_format, match, progress
    )
    outcomes = np.array([_outcome(example, answers.get(example.id)) for example in examples])
    feminine = np.array([gender_of(example) == "feminine" for example in examples])
    unanswered = sum(example.id not in answers for example in examples)
    if unanswered:
        warnings.append(
            f"{unanswered:,} examples without an answer: false negatives for both names"
        )
    return _result(outcomes, feminine, unanswered, plan, warnings)


def _answers(
    examples: list[Example],
    source: str,
    response: Any,
    response_format: str | None,
    match: str,
    progress: Progress,
) -> tuple[Answers, list[str]]:
    """What the response says of each example that it answers, and what there is to warn of."""
    if isinstance(response, Mapping) and response and all(map(_is_answer, response.values())):
        answers = {str(name): (bool(a), bool(b)) for name, (a, b) in response.items()}
        return _known(answers, examples, "the response", match), []
    if response_format is None:
        given = _answer_source(response)
        if given is not None:
            if is_answers(given, [example.id for example in examples]):
                return _known(read_answers(given), examples, given.name, match), []
            if given.path is None:
                response = io.BytesIO(given.read_all())
            given.close()
    key = corpus_of(examples, source)
    side = Side.of(response, "response", response_format)
    corpus = side.read(frozenset(), progress, against=key)
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "the response has no text in which to find the names",
            remedy="Give a file with tokens, or answers in GAP's format.",
        )
    return _resolved(examples, key, corpus, match)


def _is_answer(value: object) -> bool:
    """Whether a value says of both names whether they are meant."""
    return isinstance(value, tuple | list) and list(map(type, value)) == [bool, bool]


def _answer_source(response: Any) -> Source | None:
    """The file, the standard input or the open file that may have answers; None for all else."""
    if isinstance(response, str | os.PathLike):
        path = os.fspath(response)
        if path == "-":
            return Source("<stdin>")
        return Source(path, Path(path)) if os.path.isfile(path) else None
    if hasattr(response, "read") and not isinstance(response, type):
        name, data = Side.of(response, "response").content or ("", b"")
        return Source(name, content=data)
    return None


def _known(answers: Answers, examples: list[Example], source: str, match: str) -> Answers:
    """The answers, if all of them are to examples."""
    unknown = answers.keys() - {example.id for example in examples}
    if unknown:
        raise UsageError(
            f"{source} answers {min(unknown)!r}, which is not one of the examples",
            remedy="Check that both files belong to the same split of GAP.",
        )
    if match != "exact":
        raise UsageError(f"--match {match} does not apply to a file of answers")
    return answers


def _resolved(
    examples: list[Example], key: Corpus, response: Corpus, match: str
) -> tuple[Answers, list[str]]:
    """The answers that the entities of a resolver give."""
    settings = Settings(missing_documents="count")
    given = set(response.documents)
    if response.copies is not None:
        given -= {one.document for one in response.copies.documents if one.failure}
    named = response.named or given == set(key.documents) or response.copies is not None
    absent = {
        example.id
        for example in examples
        if named and not given.intersection((example.id, *other_names(example.id)))
    }
    pair = pair_documents(key, response, settings)
    try:
        pair = pair.with_corpora(pair.key, with_words_of(examples, pair.response))
        pair = align_texts(pair, settings)
    except AlignmentError as error:
        raise AlignmentError(
            error.message,
            error.where,
            "Resolve the texts of the examples as they are, in any tokenisation.",
        ) from None
    key, response = pair.key, pair.response
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    mentions = response.mentions
    whole = np.ones(len(mentions), bool)
    if mentions.pieces is not None:
        whole[mentions.pieces.mention] = False
    columns = (mentions.document, mentions.start, mentions.stop, mentions.entity)
    for document, start, stop, entity in zip(*(c[whole].tolist() for c in columns), strict=True):
        found[document].append((start, stop, entity))
    spans = list(zip(key.mentions.start.tolist(), key.mentions.stop.tolist(), strict=True))
    answers: Answers = {}
    for number, example in enumerate(examples):
        if example.id in absent:
            continue
        pronoun, first, second = spans[3 * number : 3 * number + 3]
        held = _entities(found[number], pronoun, "exact")
        answers[example.id] = (
            bool(held & _entities(found[number], first, match)),
            bool(held & _entities(found[number], second, match)),
        )
    known = ("missing-documents", "failed-documents")
    return answers, [text for text in pair.warnings if code_of(text) not in known]


def _entities(mentions: list[tuple[int, int, int]], span: tuple[int, int], match: str) -> set[int]:
    """The entities that have a mention at these tokens."""
    first, last = span
    if match == "exact":
        return {entity for start, stop, entity in mentions if (start, stop) == span}
    return {
        entity
        for start, stop, entity in mentions
        if (start <= first and last <= stop) or (first <= start and stop <= last)
    }


def _outcome(example: Example, answer: tuple[bool, bool] | None) -> list[int]:
    """True and false positives, false and true negatives of one example."""
    if answer is None:
        return [0, 0, 2, 0]
    pairs = list(zip(example.truth, answer, strict=True))
    wanted = ((True, True), (False, True), (True, False), (False, False))
    return [pairs.count(pair) for pair in wanted]


def _result(
    outcomes: IntArray, feminine: BoolArray, unanswered: int, plan: Plan, warnings: list[str]
) -> GapResult:
    members = np.stack([np.ones(len(feminine), bool), ~feminine, feminine])
    # Groups × outcomes × examples: what each example adds to each group.
    columns = members[:, np.newaxis, :] * outcomes.T[np.newaxis]
    totals = columns.sum(axis=2)
    scores = _scores(totals.astype(float))
    drawn = [
        _scores(columns @ counts.T)
        for counts in drawn_counts(len(feminine), plan.resamples, BLOCK, plan.seed)
        if len(feminine) > 1
    ]
    replicates = np.concatenate(drawn, axis=2) if drawn else np.zeros((3, 3, 0))
    groups = tuple(
        GapGroup(
            name,
            int(members[row].sum()),
            int(totals[row, 0]),
            int(totals[row, 1]),
            int(totals[row, 2]),
            int(totals[row, 3]),
            Score(float(scores[row, 2]), float(scores[row, 0]), float(scores[row, 1])),
            {
                quantity: _interval(replicates[row, place], plan)
                for place, quantity in enumerate(("precision", "recall", "f1"))
                if drawn
            },
        )
        for row, name in enumerate(GROUPS)
    )
    masculine_f1, feminine_f1 = float(scores[1, 2]), float(scores[2, 2])
    known = replicates[1, 2] > 0
    if len(known) and not known.all():
        warnings.append(
            f"{int((~known).sum()):,} bootstrap samples without a bias: masculine F1 is 0"
        )
    return GapResult(
        groups,
        feminine_f1 / masculine_f1 if masculine_f1 else None,
        _interval(replicates[2, 2][known] / replicates[1, 2][known], plan) if known.any() else None,
        _bias_p(outcomes, feminine, plan) if 0 < feminine.sum() < len(feminine) else None,
        unanswered,
        plan,
        tuple(warnings),
    )


def _scores(totals: FloatArray) -> FloatArray:
    """Precision, recall and F1 from outcomes: (groups, outcomes, …) → (groups, 3, …)."""
    tp, fp, fn = totals[:, 0], totals[:, 1], totals[:, 2]
    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    return np.stack([precision, recall, f_measure(precision, recall)], axis=1)


def _interval(values: FloatArray, plan: Plan) -> Interval:
    low, high = np.quantile(values, [plan.alpha / 2, 1 - plan.alpha / 2])
    return Interval(float(low), float(high))


def _bias_p(outcomes: IntArray, feminine: BoolArray, plan: Plan) -> float:
    """The share of shuffles of gender in which F1 differs at least as much."""
    chance = np.random.Generator(np.random.PCG64(plan.seed))
    whole = outcomes.sum(axis=0).astype(float)

    def differences(chosen: FloatArray) -> FloatArray:
        """|F1 feminine − F1 masculine| where rows of ``chosen`` say who is feminine."""
        women = (chosen @ outcomes).T.astype(float)
        f1 = [_scores(part[np.newaxis])[0, 2] for part in (women, whole[:, np.newaxis] - women)]
        return np.asarray(np.abs(f1[0] - f1[1]))

    observed = float(differences(feminine[np.newaxis].astype(float))[0])
    extreme, done = 0, 0
    while done < plan.trials:
        size = min(BLOCK, plan.trials - done)
        shuffled = chance.permuted(np.tile(feminine, (size, 1)), axis=1).astype(float)
        extreme += int(np.count_nonzero(differences(shuffled) >= observed - 1e-12))
        done += size
    return (extreme + 1) / (plan.trials + 1)


def scores_grid(result: GapResult) -> Grid:
    """One row a group."""

    def end(side: int) -> Any:
        return lambda one: one.intervals["f1"][side] if one.intervals else None

    return Grid.of(
        result.groups,
        {
            Column("group"): "name",
            Column("examples", "integer"): "examples",
            **{Column(name, "integer"): name for name in OUTCOMES},
            Column("P", "percent", "precision"): "score.precision",
            Column("R", "percent", "recall"): "score.recall",
            Column("F1", "percent", "f1"): "score.f1",
            Column("low", "percent", "f1_low"): end(0),
            Column("high", "percent", "f1_high"): end(1),
        },
        f"GAP, with {100 * result.plan.confidence:g}% confidence intervals of F1 (bootstrap "
        "over examples)",
    )


def bias_grid(result: GapResult) -> Grid:
    """The bias, its interval and p."""
    low, high = result.bias_interval or (None, None)
    return Grid(
        (
            Column("bias", "decimal"),
            Column("low", "decimal"),
            Column("high", "decimal"),
            Column("p", "number"),
        ),
        [(result.bias, low, high, result.p)],
        "Bias: feminine F1 / masculine F1",
        ("p: share of gender permutations with at least the observed difference in F1.",),
    )
