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
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from corefine.comparing.plan import Plan
from corefine.comparing.standings import Interval
from corefine.corpus.arrays import BoolArray, FloatArray, IntArray
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.corpus.strings import Strings
from corefine.errors import (
    AlignmentError,
    CorefineError,
    FormatError,
    Location,
    UsageError,
    choose,
    code_of,
)
from corefine.formats.input.sources import Source
from corefine.formats.tables import gap
from corefine.formats.tables.gap import Example
from corefine.matching.documents import align_texts, other_names, pair_documents
from corefine.matching.settings import Settings
from corefine.metrics.base import f_measure, ratio
from corefine.output.grid import Column, Grid
from corefine.output.progress import Progress, silent
from corefine.output.result import Result, Tables
from corefine.scoring.resampling import drawn_counts
from corefine.scoring.scores import Score
from corefine.scoring.sides import Side

GROUPS = ("overall", "masculine", "feminine")
OUTCOMES = ("tp", "fp", "fn", "tn")
MATCHES = ("exact", "nested")
BLOCK = 500
"""Replicates that are multiplied at once."""
GENDERS = dict.fromkeys(("he", "him", "his"), "masculine") | dict.fromkeys(
    ("she", "her", "hers"), "feminine"
)
_TRUTH = {"true": True, "false": False}
_ANSWERS = (
    "Each line has three tab-separated fields: example id, and TRUE or FALSE for A and for B."
)

_PENN = {
    "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",),
    "-RCB-": ("}",), "``": ('"', "“", "„", "«", "''"), "''": ('"', "”", "“", "»", "``"),
    "`": ("'", "‘"), "'": ("’", "‘", "`"), "--": ("—", "–"), "...": ("…",),
}  # fmt: skip
LARGEST = 1 << 30
"""The greatest size of an answer file in bytes."""

Answers = dict[str, tuple[bool, bool]]
"""For each example, True for each of A and B if the pronoun refers to it."""
LABELS = ("pronoun", "A", "B")


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
    """Intervals by quantity; none with fewer than two examples."""

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
    """Score a response to GAP's examples; see :func:`corefine.challenge`."""
    choose("match", match, MATCHES)
    if not isinstance(key, str | os.PathLike):
        raise UsageError("the key of GAP must be its TSV file", remedy="Give the path of the file.")
    examples = read_examples(key)
    answers, warnings = _answers(examples, response, response_format, match, progress)
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
    response: Any,
    response_format: str | None,
    match: str,
    progress: Progress,
) -> tuple[Answers, list[str]]:
    """The answers of the response, and warnings."""
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
    key = corpus_of(examples)
    side = Side.of(response, "response", response_format)
    corpus = side.read(frozenset(), progress, against=key)
    if corpus.tokens is None or not corpus.has_places:
        raise UsageError(
            "the response has no text in which to find the names",
            remedy="Give a file with tokens, or answers in GAP's format.",
        )
    return _resolved(examples, key, corpus, match)


def read_examples(path: str | os.PathLike[str]) -> list[Example]:
    """The examples of one of GAP's files."""
    written = os.fspath(path)
    found: dict[str, Example] = {}
    for example in gap.examples(Source(written, Path(written))):
        if example.id in found:
            raise FormatError(f"example {example.id!r} occurs twice", example.where)
        gender_of(example)
        found[example.id] = example
    return list(found.values())


def gender_of(example: Example) -> str:
    """The gender of the pronoun."""
    pronoun = example.text[slice(*example.pronoun)]
    gender = GENDERS.get(pronoun.strip().lower())
    if gender is None:
        raise FormatError(
            f"the gender of the pronoun {pronoun!r} is unknown",
            example.where,
            f"Known: {', '.join(GENDERS)}",
        )
    return gender


def _truth(cell: str, where: Location) -> bool:
    found = _TRUTH.get(cell.strip().lower())
    if found is None:
        raise FormatError(f"{cell!r} is neither TRUE nor FALSE", where, _ANSWERS)
    return found


def is_answers(source: Source, examples: Iterable[str]) -> bool:
    """True if a source has answers and not documents, judged by its first line.

    It has an id and two truth values, or the header of answers, or at most three fields of which
    the first is the id of an example, so that errors are reported for that line.
    """
    try:
        start = source.head().decode("utf-8", "ignore").removeprefix("\ufeff").lstrip("\r\n")
    except CorefineError:
        return False  # the reader reports the error
    line = start.partition("\n")[0].rstrip("\r")
    cells = line.split("\t")
    if len(cells) == 3 and all(cell.strip().lower() in _TRUTH for cell in cells[1:]):
        return True
    fields = [field.strip() for field in re.split(r"[\t,; ]", line)]
    return _is_header(cells) or (len(fields) <= 3 and fields[0] in set(examples))


def _is_header(cells: list[str]) -> bool:
    return tuple(cell.strip().lower() for cell in cells) == ("id", "a-coref", "b-coref")


def read_answers(source: Source) -> Answers:
    """Read answers in GAP's format: ID, A-coref, B-coref, with or without a header."""
    answers: Answers = {}
    for number, line in _lines(source):
        where = source.where(number)
        cells = line.split("\t")
        if len(cells) != 3:
            raise FormatError(f"{len(cells)} columns instead of 3", where, _ANSWERS)
        if not answers and _is_header(cells):
            continue
        name = cells[0].strip()
        if name in answers:
            raise FormatError(f"example {name!r} is answered twice", where, _ANSWERS)
        answers[name] = _truth(cells[1], where), _truth(cells[2], where)
    if not answers:
        raise FormatError("no answers", source.where(), _ANSWERS)
    return answers


def _lines(source: Source) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    try:
        content = source.read_all(LARGEST, "Give one split of GAP.").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("invalid UTF-8", source.where(), "Convert the file to UTF-8.") from None
    # Not splitlines: texts may contain other line separators.
    lines = content.replace("\r\n", "\n").split("\n")
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def with_words_of(examples: list[Example], response: Corpus) -> Corpus:
    """The response with the characters of the examples instead of Penn Treebank escapes.

    Tokenizers write ``-LRB-`` for a bracket and two accents for a quotation mark.
    """
    tokens = response.tokens
    assert tokens is not None
    words = tokens.words.tolist()
    if not any(_escapes(word) for word in set(words)):
        return response
    texts = {example.id: "".join(example.text.split()) for example in examples}
    changed = list(words)
    for number, name in enumerate(response.documents):
        at, text = 0, texts.get(name, "")
        for token in range(*tokens.offsets[number : number + 2].tolist()):
            word = "".join(words[token].split())
            written = (word, *_escapes(word))
            found = next((one for one in written if text.startswith(one, at)), None)
            if found is None:
                break  # another text: the aligner reports it
            if found != word:
                changed[token] = found
            at += len(found)
    return replace(response, tokens=replace(tokens, words=Strings.from_list(changed)))


def _escapes(word: str) -> tuple[str, ...]:
    """The characters that a Penn Treebank token may represent."""
    return _PENN.get(word) or ((word.replace("\\/", "/"),) if "\\/" in word else ())


def corpus_of(examples: list[Example]) -> Corpus:
    """The examples as documents whose entities are the pronoun and each of the two names."""
    return Corpus.from_documents(
        (
            Document.from_text(
                example.id,
                example.text,
                [
                    Mention(label, [span])
                    for label, span in zip(LABELS, (example.pronoun, *example.names), strict=True)
                ],
                sentences=(),
            )
            for example in examples
        ),
        "gap",
    )


def _is_answer(value: object) -> bool:
    """True for a pair of booleans."""
    return isinstance(value, tuple | list) and list(map(type, value)) == [bool, bool]


def _answer_source(response: Any) -> Source | None:
    """The file or stream that may have answers; None for other responses."""
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
    """The answers; an error if one of them is not to an example."""
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
    """The answers that follow from the entities of a resolver."""
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
    names = key.entities.names
    assert names is not None
    labels = names.take(key.mentions.entity).tolist()
    spans = {
        (document, label): (start, stop)
        for document, label, start, stop in zip(
            key.mentions.document.tolist(),
            labels,
            key.mentions.start.tolist(),
            key.mentions.stop.tolist(),
            strict=True,
        )
    }
    answers: Answers = {}
    for number, example in enumerate(examples):
        if example.id in absent:
            continue
        pronoun, first, second = (spans[number, label] for label in LABELS)
        own = _entities(found[number], pronoun, "exact")
        answers[example.id] = (
            bool(own & _entities(found[number], first, match)),
            bool(own & _entities(found[number], second, match)),
        )
    known = ("missing-documents", "failed-documents")
    return answers, [text for text in pair.warnings if code_of(text) not in known]


def _entities(mentions: list[tuple[int, int, int]], span: tuple[int, int], match: str) -> set[int]:
    """The entities with a mention at these tokens."""
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
    """One row per group."""

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
