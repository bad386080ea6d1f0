"""What may stand under the keys of a line, as types that msgspec checks.

Imported only when lines are read: msgspec is not loaded before.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Index = Annotated[int, Meta(ge=0, lt=1 << 31)]
Indices = list[Index]
Part = Index | Indices
Name = str | int
SubtokenMap = list[Index | None]
Triples = list[tuple[Index, Index, Index]]
CLUSTERS = {2: list[list[tuple[Index, Index]]], 3: list[Triples]}
"""Clusters by how many numbers a mention has."""


class CoreToken(Struct):
    """A token of CoreNLP; what it was in the text where its word is written otherwise."""

    word: str = ""
    originalText: str = ""  # noqa: N815
    lemma: str | None = None
    pos: str | None = None
    ner: str | None = None
    speaker: str | None = None


class CoreSentence(Struct):
    """A sentence of CoreNLP."""

    tokens: list[CoreToken]


class CoreMention(Struct):
    """A mention of CoreNLP: sentence and words counted from 1, the end behind the last word."""

    sentNum: Index  # noqa: N815
    startIndex: Index  # noqa: N815
    endIndex: Index  # noqa: N815
    headIndex: Index = 0  # noqa: N815
    type: str = ""


class CorefToken(Struct):
    """A token of coref-data: the columns of CoNLL-U."""

    text: str
    id: int | float | str | None = None
    lemma: str | None = None
    upos: str | None = None
    xpos: str | None = None


class CorefSentence(Struct):
    """A sentence of coref-data."""

    tokens: list[CorefToken]
    speaker: str | None = None


class StudioValue(Struct):
    """The place of a span of Label Studio; of other regions there is none."""

    start: int | float | str | None = None
    end: int | float | str | None = None
    text: str | list[str] | None = None
    labels: list[str] = []
    hypertextlabels: list[str] = []


class StudioResult(Struct):
    """A span of Label Studio, or a relation between two."""

    type: str = ""
    id: str = ""
    value: StudioValue | None = None
    from_id: str = ""
    to_id: str = ""
    labels: list[str] | None = None


class StudioAnnotation(Struct):
    """What one annotator said of a task."""

    result: list[StudioResult]
    was_cancelled: bool | None = False
    ground_truth: bool | None = False
