"""GAP: pronouns and two names each, scored overall and by gender (Webster et al. 2018).

Each example asks for both names if the pronoun refers to it. The answer is yes if an entity of the
response contains the pronoun and the name. An example without an answer is a false negative for
both names, as in GAP's own scorer. The bias is F1 on feminine pronouns divided by F1 on masculine
ones.

Its interval resamples examples. The test of the bias permutes the genders of examples: p is the
share of permutations in which the two F1 differ at least as much as observed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from corefine.comparing.comparison import Interval
from corefine.comparing.plan import Plan
from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError, UsageError, code_of
from corefine.formats import gap
from corefine.formats.gap import Example
from corefine.formats.io.lines import text_lines
from corefine.formats.io.sources import Source
from corefine.matching.documents import align_texts, other_names, pair_documents
from corefine.matching.settings import Settings
from corefine.metrics.base import Statistics
from corefine.metrics.registry import parse
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.resampling import F1, Panel, replicated
from corefine.scoring.sides import read_side

GROUPS = ("overall", "masculine", "feminine")
OUTCOMES = ("tp", "fp", "fn", "tn")
METRIC = parse("mentions")
"""The metric that computes precision, recall and F1 from counts."""
BLOCK = 500
"""Permutations that are multiplied at once."""
FEMININE, MASCULINE = ("she", "her", "hers"), ("he", "him", "his")
_TRUTH = {"true": True, "false": False}
_HEADER = ["ID", "A-coref", "B-coref"]
_ANSWERS = (
    "Each line has three tab-separated fields: example id, and TRUE or FALSE for A and for B."
)
Answers = dict[str, tuple[bool, bool]]
"""For each example, True for each of A and B if the pronoun refers to it."""


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Counts and scores of one group of examples."""

    name: str
    examples: int
    tp: int
    fp: int
    fn: int
    tn: int
    precision: float
    recall: float
    f1: float
    interval: Interval | None = field(kw_only=True)
    """The interval of F1; None with fewer than two examples."""


@dataclass(frozen=True, slots=True, repr=False)
class GapResult(Result):
    """Precision, recall and F1 on GAP, overall and by gender, and the bias."""

    groups: tuple[GapGroup, ...]
    bias: float | None
    """F1 feminine / F1 masculine; None if the latter is 0."""
    bias_interval: Interval | None
    p: float | None
    """The p-value of the difference of the two F1; None if a gender has no example."""
    unanswered: int
    plan: Plan
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        groups = {group.name: plain_values(group) for group in self.groups}
        values = plain_values(self) | {"plan": self.plan.signature(False)}
        return {"challenge": "gap", **groups, **values, "groups": list(groups)}

    def table_functions(self) -> Tables:
        return {"scores": scores_grid, "bias": bias_grid}


def judge_gap(
    key: str | os.PathLike[str],
    response: Any,
    plan: Plan,
    *,
    response_format: str | None = None,
    progress: Progress = silent,
) -> GapResult:
    """Score a response to GAP's examples; see :func:`corefine.challenge`."""
    if not isinstance(key, str | os.PathLike):
        raise UsageError("the key of GAP must be its TSV file", remedy="Give the path of the file.")
    examples = _examples(Source(os.fspath(key), Path(key)))
    answers, warnings = None, list[str]()
    if response_format is None and isinstance(response, str | os.PathLike):
        answers = _given_answers(response, examples)
    if answers is None:
        answers, warnings = _resolved(examples, response, response_format, progress)
    unanswered = len(examples) - len(answers)
    if unanswered:
        warnings.append(
            f"{unanswered:,} examples without an answer: false negatives for both names"
        )
    return _result(examples, answers, plan, progress, warnings)


def _examples(source: Source) -> dict[str, Example]:
    """The examples of one of GAP's files by id."""
    found: dict[str, Example] = {}
    for example in gap.examples(source):
        pronoun, known = _pronoun(example), FEMININE + MASCULINE
        if found.setdefault(example.id, example) is not example:
            message, code = f"example {example.id!r} occurs twice", "repeated-document"
            raise FormatError(message, example.where, code=code)
        if pronoun not in known:
            message = f"the gender of the pronoun {pronoun!r} is unknown"
            raise FormatError(message, example.where, f"Known: {', '.join(known)}")
    return found


def _pronoun(example: Example) -> str:
    return example.text[slice(*example.pronoun)].strip().lower()


def _given_answers(
    response: str | os.PathLike[str], examples: Mapping[str, Example]
) -> Answers | None:
    """The answers of a file in GAP's format: ID, A-coref, B-coref; None for any other response."""
    if not os.path.isfile(response):
        return None
    answers: Answers = {}
    with closing(Source(os.fspath(response), Path(response))) as source:
        first = source.head().decode("utf-8", "ignore").removeprefix("\ufeff").partition("\t")[0]
        if first != _HEADER[0] and first.strip() not in examples:
            return None
        for number, line in text_lines(source):
            cells = [cell.strip() for cell in line.removeprefix("\ufeff").split("\t")]
            if not line.strip() or cells == _HEADER:
                continue
            name, *given = cells
            where = source.where(number)
            if len(given) != 2 or not all(answer.lower() in _TRUTH for answer in given):
                raise FormatError(f"{line.strip()!r} is not an answer", where, _ANSWERS)
            if name not in examples:
                text = f"{name!r} is answered, which is not one of the examples"
                remedy = "Check that both files belong to the same split of GAP."
                raise FormatError(text, where, remedy)
            if name in answers:
                raise FormatError(f"example {name!r} is answered twice", where, _ANSWERS)
            answers[name] = _TRUTH[given[0].lower()], _TRUTH[given[1].lower()]
    return answers


def _resolved(
    examples: Mapping[str, Example],
    response: Any,
    format: str | None,
    progress: Progress,
) -> tuple[Answers, list[str]]:
    """The answers that follow from the entities of a resolver, and warnings."""
    key = Corpus.from_documents(map(_document, examples.values()), "gap")
    corpus = read_side(response, "response", format, frozenset(), progress, against=key)
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "the response has no text in which to find the names",
            remedy="Give a file with tokens, or answers in GAP's format.",
        )
    given = set(corpus.documents)
    if corpus.copies is not None:
        given -= {one.document for one in corpus.copies.documents if one.failure}
    named = corpus.named or given == set(key.documents) or corpus.copies is not None
    settings = Settings(missing_documents="count", words="align")
    matching = align_texts(pair_documents(key, corpus, settings), settings)
    answers: Answers = {}
    for ours, theirs in zip(matching.key, matching.response, strict=True):
        if named and not given.intersection((ours.name, *other_names(ours.name))):
            continue
        spans = {mention.entity: mention.spans[0] for mention in ours.mentions}
        own = _entities(theirs, spans["pronoun"])
        first, second = (bool(own & _entities(theirs, spans[name])) for name in "AB")
        answers[ours.name] = first, second
    known = ("missing-documents", "failed-documents")
    return answers, [text for text in matching.provenance.warnings if code_of(text) not in known]


def _document(example: Example) -> Document:
    """An example as a document whose entities are the pronoun and each of the two names."""
    spans = zip(("pronoun", "A", "B"), (example.pronoun, *example.names), strict=True)
    mentions = [Mention(label, [span]) for label, span in spans]
    return Document.from_text(example.id, example.text, mentions, sentences=())


def _entities(document: Document, span: tuple[int, int]) -> set[str | int]:
    """The entities with a mention at these tokens."""
    return {mention.entity for mention in document.mentions if tuple(mention.spans) == (span,)}


def _result(
    examples: Mapping[str, Example],
    answers: Answers,
    plan: Plan,
    progress: Progress,
    warnings: list[str],
) -> GapResult:
    """The scores of all groups, with their resamples."""
    names = sorted(examples)  # so that resamples do not depend on the order of the file
    missed = (True, True)
    truth = np.array([examples[one].truth if one in answers else missed for one in names])
    answer = np.array([answers.get(name, (False, False)) for name in names])
    table = np.array([truth & answer, ~truth & answer, truth & ~answer, ~truth & ~answer])
    outcomes = table.sum(axis=2)
    feminine = np.array([_pronoun(examples[name]) in FEMININE for name in names])
    members = dict(zip(GROUPS, (np.ones(len(names), bool), ~feminine, feminine), strict=True))
    panel = _panel(tuple(names), {name: outcomes * group for name, group in members.items()})
    samples = np.zeros((len(GROUPS), 0))
    if len(names) > 1:
        samples = replicated(panel, plan.resamples, plan.seed, progress=progress)[0, F1]
    groups = tuple(
        GapGroup(
            name,
            int(group.sum()),
            *(outcomes * group).sum(axis=1).tolist(),
            *panel.whole[0, :, number].tolist(),
            interval=interval_of(samples[number], plan),
        )
        for number, (name, group) in enumerate(members.items())
    )
    _, masculine, women = samples
    if no_bias := int(np.count_nonzero(masculine == 0)):
        warnings.append(f"{no_bias:,} bootstrap samples without a bias: masculine F1 is 0")
    return GapResult(
        groups,
        groups[2].f1 / groups[1].f1 if groups[1].f1 else None,
        interval_of(women[masculine > 0] / masculine[masculine > 0], plan),
        _bias_p(panel, feminine, plan) if 0 < feminine.sum() < len(feminine) else None,
        len(examples) - len(answers),
        plan,
        tuple(warnings),
    )


def _panel(examples: tuple[str, ...], outcomes: Mapping[str, IntArray]) -> Panel:
    """The statistics of F1 by example, from the outcomes × examples of each group."""
    statistics: dict[str, dict[str, Statistics]] = {}
    for name, (tp, fp, fn, _) in outcomes.items():
        values = (tp, tp + fp, tp, tp + fn)
        statistics[name] = {str(METRIC): dict(zip(METRIC.statistic_names, values, strict=True))}
    return Panel.of_values(examples, statistics, {str(METRIC): METRIC})


def interval_of(values: FloatArray, plan: Plan) -> Interval | None:
    """The middle 1 − α of replicates; None without any."""
    if not len(values):
        return None
    return Interval(*np.quantile(values, [plan.alpha / 2, 1 - plan.alpha / 2]).tolist())


def _bias_p(panel: Panel, feminine: BoolArray, plan: Plan) -> float:
    """The share of permutations of gender in which F1 differs at least as much."""
    chance = np.random.Generator(np.random.PCG64(plan.seed))

    def differences(chosen: BoolArray) -> FloatArray:
        """|F1 feminine − F1 masculine| where rows of ``chosen`` say who is feminine."""
        women = panel.weighted(chosen.astype(float))[:, 0]
        men = panel.totals[:, :1] - women
        f1 = panel.evaluate(np.stack([women, men], axis=1))[0, F1]
        return np.asarray(np.abs(f1[0] - f1[1]))

    least = float(differences(feminine[np.newaxis])[0]) - 1e-12
    extreme = 0
    for done in range(0, plan.trials, BLOCK):
        copies = np.tile(feminine, (min(BLOCK, plan.trials - done), 1))
        extreme += int(np.sum(differences(chance.permuted(copies, axis=1)) >= least))
    return (extreme + 1) / (plan.trials + 1)


def scores_grid(result: GapResult) -> Grid:
    """One row per group."""
    return Grid.of(
        result.groups,
        {
            Column("group"): "name",
            Column("examples", "integer"): "examples",
            **{Column(name, "integer"): name for name in OUTCOMES},
            Column("P", "percent", "precision"): "precision",
            Column("R", "percent", "recall"): "recall",
            Column("F1", "percent", "f1"): "f1",
            Column("low", "percent", "f1_low"): lambda one: one.interval and one.interval.low,
            Column("high", "percent", "f1_high"): lambda one: one.interval and one.interval.high,
        },
        f"GAP, with {100 * result.plan.confidence:g}% confidence intervals of F1 (bootstrap "
        "over examples)",
    )


def bias_grid(result: GapResult) -> Grid:
    """The bias, its interval and p."""
    low, high = result.bias_interval or (None, None)
    decimals = (Column(name, "decimal") for name in ("bias", "low", "high"))
    return Grid(
        (*decimals, Column("p", "p")),
        [(result.bias, low, high, result.p)],
        "Bias: feminine F1 / masculine F1",
        ("p: share of gender permutations with at least the observed difference in F1.",),
    )
