"""GAP: pronouns and two names each, scored overall and by gender (Webster et al. 2018).

Each example asks for both names if the pronoun refers to it. The answer is yes if an entity of the
response contains the pronoun and the name. An example without an answer is a false negative for
both names, as in GAP's own scorer. The bias is F1 on feminine pronouns divided by F1 on masculine
ones.

Its interval resamples examples. The test of the bias permutes the genders of examples: p is the
share of permutations in which the two F1 differ at least as much as observed.
"""

from __future__ import annotations

import io
import os
import re
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
from corefine.errors import FormatError, UsageError, choose, code_of
from corefine.formats import gap
from corefine.formats.gap import Example
from corefine.formats.io.lines import text_lines
from corefine.formats.io.sources import Source
from corefine.matching.documents import align_texts, other_names, pair_documents
from corefine.matching.settings import Settings
from corefine.metrics.base import f_measure, ratio
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables, plain_values
from corefine.scoring.resampling import drawn_counts
from corefine.scoring.sides import file_content, read_side

GROUPS = ("overall", "masculine", "feminine")
OUTCOMES = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}
"""Truth and answer of each outcome."""
BLOCK = 500
"""Resamples that are multiplied at once."""
FEMININE, MASCULINE = ("she", "her", "hers"), ("he", "him", "his")
_TRUTH = {"true": True, "false": False}
_HEADER = ["id", "a-coref", "b-coref"]
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

    def __getitem__(self, name: str) -> GapGroup:
        return self.groups[GROUPS.index(choose("a group", name, GROUPS))]

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
    if response == "-":
        response = io.BytesIO(Source("<stdin>").read_all())
    elif hasattr(response, "read"):
        response = io.BytesIO(file_content(response, "response")[1])
    answers, warnings = _given_answers(examples, response, response_format), list[str]()
    if answers is None:
        answers, warnings = _resolved(examples, response, response_format, progress)
    elif unknown := answers.keys() - examples.keys():
        raise UsageError(
            f"{min(unknown)!r} is answered, which is not one of the examples",
            remedy="Check that both files belong to the same split of GAP.",
        )
    unanswered = len(examples) - len(answers)
    if unanswered:
        warnings.append(
            f"{unanswered:,} examples without an answer: false negatives for both names"
        )
    # Sorted, so that resamples do not depend on the order of the file.
    names = sorted(examples)
    outcomes = np.array([_outcome(examples[name], answers.get(name)) for name in names]).T
    feminine = np.array([_pronoun(examples[name]) in FEMININE for name in names])
    return _result(outcomes, feminine, unanswered, plan, warnings)


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
    examples: Mapping[str, Example], response: Any, format: str | None
) -> Answers | None:
    """The answers of a dict or a file of answers; None for other responses."""
    if isinstance(response, Mapping) and response and all(map(_is_answer, response.values())):
        return {str(name): (a, b) for name, (a, b) in response.items()}
    if isinstance(response, io.BytesIO):
        source = Source("<stream>", content=response.getvalue())
    elif isinstance(response, str | os.PathLike) and os.path.isfile(response):
        source = Source(os.fspath(response), Path(response))
    else:
        return None
    with closing(source):
        if format is None and _has_answers(source, examples):
            return _read_answers(source)
    return None


def _is_answer(value: object) -> bool:
    """True for a pair of booleans."""
    return isinstance(value, tuple | list) and list(map(type, value)) == [bool, bool]


def _has_answers(source: Source, examples: Mapping[str, Example]) -> bool:
    """True if the first line of a source has an example id or truth values, or is a header."""
    start = source.head().decode("utf-8", "ignore").removeprefix("\ufeff").lstrip("\r\n")
    fields = re.split(r"[\t,; ]", start.partition("\n")[0].strip().lower())
    known = fields[0] in map(str.lower, examples) or _TRUTH.keys() >= set(fields[1:])
    return fields == _HEADER or (known and 1 < len(fields) <= 3)


def _read_answers(source: Source) -> Answers:
    """Read answers in GAP's format: ID, A-coref, B-coref, with or without a header."""
    answers: Answers = {}
    for number, line in text_lines(source):
        cells = [cell.strip() for cell in line.removeprefix("\ufeff").split("\t")]
        if not line.strip() or (not answers and [cell.lower() for cell in cells] == _HEADER):
            continue
        where = source.where(number)
        if len(cells) != 3:
            raise FormatError(f"{len(cells)} columns instead of 3", where, _ANSWERS)
        wrong = [cell for cell in cells[1:] if cell.lower() not in _TRUTH]
        if wrong:
            raise FormatError(f"{wrong[0]!r} is neither TRUE nor FALSE", where, _ANSWERS)
        if cells[0] in answers:
            raise FormatError(f"example {cells[0]!r} is answered twice", where, _ANSWERS)
        answers[cells[0]] = _TRUTH[cells[1].lower()], _TRUTH[cells[2].lower()]
    if not answers:
        raise FormatError("no answers", source.where(), _ANSWERS)
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


def _outcome(example: Example, answer: tuple[bool, bool] | None) -> list[int]:
    """The number of each outcome of one example."""
    if answer is None:
        return [0, 0, 2, 0]
    pairs = list(zip(example.truth, answer, strict=True))
    return [pairs.count(pair) for pair in OUTCOMES.values()]


def _result(
    outcomes: IntArray, feminine: BoolArray, unanswered: int, plan: Plan, warnings: list[str]
) -> GapResult:
    """The scores of all groups from outcomes × examples, with their resamples."""
    members = (np.ones(len(feminine), bool), ~feminine, feminine)
    samples = np.zeros((len(GROUPS), 0))
    if len(feminine) > 1:
        draws = drawn_counts(len(feminine), plan.resamples, BLOCK, plan.seed)
        blocks = [[_scores(outcomes * group @ one.T)[2] for group in members] for one in draws]
        samples = np.concatenate(blocks, axis=1)
    groups = []
    for name, group, sample in zip(GROUPS, members, samples, strict=True):
        totals = (outcomes * group).sum(axis=1)
        counts, score = totals.tolist(), _scores(totals).tolist()
        interval = interval_of(sample, plan)
        groups.append(GapGroup(name, int(group.sum()), *counts, *score, interval=interval))
    _, masculine, women = samples
    if no_bias := int(np.count_nonzero(masculine == 0)):
        warnings.append(f"{no_bias:,} bootstrap samples without a bias: masculine F1 is 0")
    return GapResult(
        tuple(groups),
        groups[2].f1 / groups[1].f1 if groups[1].f1 else None,
        interval_of(women[masculine > 0] / masculine[masculine > 0], plan),
        _bias_p(outcomes, feminine, plan) if 0 < feminine.sum() < len(feminine) else None,
        unanswered,
        plan,
        tuple(warnings),
    )


def _scores(totals: FloatArray | IntArray) -> FloatArray:
    """Precision, recall and F1, on the first axis, from summed outcomes on the first axis."""
    tp, fp, fn, _ = totals
    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    return np.stack([precision, recall, f_measure(precision, recall)])


def interval_of(values: FloatArray, plan: Plan) -> Interval | None:
    """The middle 1 − α of replicates; None without any."""
    if not len(values):
        return None
    return Interval(*np.quantile(values, [plan.alpha / 2, 1 - plan.alpha / 2]).tolist())


def _bias_p(outcomes: IntArray, feminine: BoolArray, plan: Plan) -> float:
    """The share of permutations of gender in which F1 differs at least as much."""
    chance = np.random.Generator(np.random.PCG64(plan.seed))

    def differences(chosen: BoolArray) -> FloatArray:
        """|F1 feminine − F1 masculine| where rows of ``chosen`` say who is feminine."""
        women = outcomes.astype(float) @ chosen.T
        men = outcomes.sum(axis=1, keepdims=True) - women
        return np.asarray(np.abs(_scores(women)[2] - _scores(men)[2]))

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
