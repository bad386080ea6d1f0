"""A task for language models: prompts from a key, and answers counted one by one.

Evaluation harnesses score one sample after another and average. The average of F1 over documents is
not the F1 of the corpus. So the result of a sample here is a record of sums, and the reducer makes
scores of all records at once: those, with the same signature, that :func:`corefine.score` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import select_documents
from corefine.errors import UsageError
from corefine.formats.tagged.answers import Answer
from corefine.formats.tagged.dialects import dialect_named
from corefine.formats.tagged.tagged import read_answers
from corefine.formats.tagged.writing import instruction, tagged_text, with_text
from corefine.integrations import flat_scores
from corefine.metrics.registry import MetricSpec
from corefine.scoring.count import count
from corefine.scoring.request import Request
from corefine.scoring.scores import Scores
from corefine.scoring.sides import SideLike, read_side
from corefine.scoring.stored import from_record, joined, to_record


class CoreferenceTask:
    """Prompts for each document of a key, and the counts of the answers.

    ``dialect`` is the markup that the model is asked to use, ``mentions`` marks those of the key in
    the prompt; ``instruction`` replaces the default instruction before the text. The other
    arguments are those of :func:`corefine.score`.

    >>> words = [["Anna", "saw", "her"]]
    >>> key = {"doc_key": "d", "sentences": words, "clusters": [[[0, 0], [2, 2]]]}
    >>> task = CoreferenceTask(key, "muc")
    >>> record = task.count("d", "[Anna](#1) saw [her](#1)")
    >>> corpus_scores([record])["muc"].f1
    1.0
    """

    def __init__(
        self,
        key: SideLike,
        metrics: MetricSpec = "default",
        *,
        dialect: str = "markdown",
        mentions: bool = False,
        instruction: str | None = None,
        key_format: str | None = None,
        **settings: Any,
    ) -> None:
        self.request = Request.of(metrics, **settings)
        self.dialect = dialect_named(dialect)
        self.mentions = mentions
        self.instruction = instruction
        self.key: Corpus = read_side(key, "key", key_format, self.request.source_layers)
        self._numbers = {name: number for number, name in enumerate(self.key.documents)}

    @cached_property
    def prompts(self) -> dict[str, str]:
        """The prompts, by document."""
        asked = self.instruction
        if asked is None:
            asked = instruction(self.dialect, self.mentions)
        before = f"{asked}\n\n" if asked else ""
        return {
            document.name: before + tagged_text(document, self.dialect, self.mentions, labels=False)
            for document in with_text(self.key)
        }

    def count(self, document: str, answer: str | None) -> dict[str, Any]:
        """Count the answer for a document; returns plain values, which can be logged.

        An empty answer, or None, is a failed document: all its mentions are counted as missed.
        """
        if document not in self._numbers:
            raise UsageError(
                f"there is no document {document!r} in the key",
                remedy=f"It has: {', '.join(self.key.documents[:3])}, …",
            )
        key = select_documents(self.key, [self._numbers[document]])
        answers = {document: Answer(answer, "")}
        response = read_answers(answers, key, self.dialect, self.request.settings.align)
        counts = count(key, response, self.request)
        # That a document has no mentions is no news: the corpus may have many.
        warnings = (*counts.provenance.warnings, *self.request.warnings)
        return to_record(replace(counts.scores(), warnings=warnings))


def corpus_scores(records: Iterable[Mapping[str, Any]]) -> Scores:
    """The scores of all answers together, from the records that were counted one by one."""
    return joined(map(from_record, records))


def corpus_numbers(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The scores of all answers by name, such as ``conll_f1``, and the share of copied words."""
    scores = corpus_scores(records)
    return {
        **flat_scores(scores),
        **({} if scores.copies is None else {"coverage": scores.copies.total.coverage}),
    }


def flat_sums(record: Mapping[str, Any]) -> dict[str, float]:
    """The sums of a record by name, such as ``muc/recall_part``."""
    return {
        f"{metric}/{name}": float(sum(column))
        for metric, columns in record["numbers"]["values"].items()
        for name, column in columns.items()
    }
