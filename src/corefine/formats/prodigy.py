"""Prodigy: JSON lines with a text, its tokens, spans of characters, and relations; only read."""

from __future__ import annotations

from typing import Any

import msgspec

from corefine.corpus.document import Document
from corefine.formats.io.records import Record, Span, dialect, invalid
from corefine.formats.io.regions import DATA_NAMES, document_of


class ProdigyToken(msgspec.Struct, omit_defaults=True):
    """A token of Prodigy."""

    text: str
    start: int
    end: int
    id: int = 0


class ProdigySpan(msgspec.Struct, omit_defaults=True):
    """A span of Prodigy; tokens from 0, ``token_end`` inclusive."""

    start: int
    end: int
    token_start: int | None = None
    token_end: int | None = None
    label: str | None = None
    text: str | None = None


class ProdigyRelation(msgspec.Struct, omit_defaults=True):
    """A relation of Prodigy between two spans; ``head`` and ``child`` are their last tokens."""

    head: int
    child: int
    label: str | None = None
    head_span: ProdigySpan | None = None
    child_span: ProdigySpan | None = None


@dialect(
    "prodigy",
    "Prodigy: JSON lines, character spans and relations",
    lambda shapes: (
        "text" in shapes
        and "spans" in shapes
        and ("relations" in shapes or "_input_hash" in shapes)
    ),
    streamed=False,
    writable=False,
    labelled=True,
)
class Prodigy(Record):
    """Prodigy: a text, tokens, spans and relations; rejected and skipped tasks are left out.

    ::

        {"text": "Anna saw her.", "spans": [{"start": 0, "end": 4}, {"start": 9, "end": 12}],
         "relations": [{"head": 2, "child": 0, "label": "COREF",
                        "head_span": {"start": 9, "end": 12},
                        "child_span": {"start": 0, "end": 4}}], "answer": "accept"}
    """

    text: str
    spans: list[ProdigySpan] = msgspec.field(default_factory=list)
    tokens: list[ProdigyToken] = msgspec.field(default_factory=list)
    relations: list[ProdigyRelation] = msgspec.field(default_factory=list)
    answer: str = "accept"
    meta: dict[str, Any] = msgspec.field(default_factory=dict)

    def to_documents(self, number: int, label: str) -> list[Document]:
        if self.answer not in ("accept", "reject", "ignore"):
            raise invalid(f"the answer {self.answer[:60]!r}", "It is accept, reject or ignore.")
        if self.answer != "accept":
            return []
        for token in self.tokens:
            if self.text[token.start : token.end] != token.text:
                raise invalid(
                    f"token {token.id} is {token.text[:60]!r}, but the text has "
                    f"{self.text[token.start : token.end][:60]!r}"
                )
        regions = {(one.start, one.end): (one.label, one.text) for one in self.spans}
        relations: list[tuple[Span, Span, list[str]]] = []
        for relation in self.relations:
            ends = (
                self._span(relation.head_span, relation.head),
                self._span(relation.child_span, relation.child),
            )
            relations.append((*ends, [relation.label or ""]))
            for span in ends:
                regions.setdefault(span, (None, None))
        return [
            document_of(
                next((str(self.meta[key]) for key in DATA_NAMES if key in self.meta), ""),
                self.text,
                {span: (span, *region) for span, region in regions.items()},
                relations,
                label,
                [(token.start, token.end) for token in self.tokens] or None,
            )
        ]

    def _span(self, span: ProdigySpan | None, token: int) -> Span:
        """The span of a relation: as given, else the token that it connects."""
        if span is not None:
            return span.start, span.end
        if not 0 <= token < len(self.tokens):
            raise invalid(f"a relation with token {token} of {len(self.tokens)}")
        return self.tokens[token].start, self.tokens[token].end
