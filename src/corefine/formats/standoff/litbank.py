"""LitBank's TSV: mentions by sentence and token, with type and kind, and their entities.

The smallest valid document is two files. ``x.txt`` has a sentence a line, tokens with blanks
between::

    Mary Lennox was a child .
    She had no ayah .

``x.tsv`` (``x.ann`` in LitBank itself) has lines of mentions and of their entities, with tabs
between the cells::

    MENTION	T1	0	0	0	1	Mary Lennox	PER	PROP
    MENTION	T2	0	3	0	4	a child	PER	NOM
    MENTION	T3	1	0	1	0	She	PER	PRON
    COREF	T1	MARY_LENNOX-0
    COREF	T3	MARY_LENNOX-0
    COP	T2	T1

A mention has an id, the sentence and token of its first and of its last word (all counted from 0),
its words, its type and its kind. A mention without a ``COREF`` line is a singleton. Lines of
copulae (``COP``) and appositions (``APPOS``) say nothing of identity and are left out. Without the
text mentions are known by their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import take_mentions
from corefine.formats.input.folders import all_or_none, companion, document_name, stem
from corefine.formats.input.joined_lines import JoinedLines, batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Format, Holds, register
from corefine.formats.standoff.litbank_lines import Lines
from corefine.formats.standoff.litbank_writing import ENDING, losses, write_files
from corefine.formats.text.token_lines import TokenLines

_ENDINGS = (ENDING, ".ann")
_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:MENTION|COREF|COP|APPOS)\t[^\t\n]+\t")


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The one document of a file, with the text beside it."""
    return read_many([source], layers, window)


def read_many(
    sources: Sequence[Source], layers: frozenset[str] | None, window: int | None
) -> Iterator[Corpus]:
    """The documents of files, with the texts beside them."""
    for batch in batches(sources):
        yield _read_batch(batch)


def _read_batch(sources: Sequence[Source]) -> Corpus:
    names = [document_name(source, *_ENDINGS) for source in sources]
    texts = [companion(source, (stem(source, *_ENDINGS) + ".txt",)) for source in sources]
    known = all_or_none(sources, texts, "the text")
    files = [source.name for source in known or sources]
    lines = Lines.of(JoinedLines.of(sources))
    found = lines.mentions()
    types, type, kind = lines.types()
    row = np.arange(len(found.document))
    mentions = Mentions(found.document, row, row, row, None, kind, None, type)
    text, warnings = None, list[str]()
    if known is None:
        mentions = found.named(mentions)
    else:
        text = TokenLines.of(known)
        start, stop, warnings = found.find(text, files)
        mentions = replace(mentions, start=start, stop=stop)
    row, entity, entities = lines.entities(names)
    return Corpus(
        tuple(names),
        entities,
        replace(take_mentions(mentions, row), entity=entity),
        None if text is None else text.tokens(),
        types,
        sources=tuple(files),
        format="litbank",
        warnings=tuple(warnings),
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line is one of a mention or of its entity."""
    return 0.9 if _LINE.match(head) else 0.0


LITBANK = register(
    Format(
        name="litbank",
        title="LitBank TSV",
        suffixes=(ENDING,),
        sniff=sniff,
        read=read,
        read_many=read_many,
        holds=Holds(kinds=True, types=True),
        write_files=write_files,
        losses=losses,
        companions=(".txt",),
        documentation="docs/formats/litbank.md",
    )
)
