"""i2b2/VA 2011: chains of clinical concepts, given by line and token of a text beside them.

The smallest valid document is three files. ``docs/x.txt``, lines of tokens with blanks between::

    Mr. Ito has a cough .
    He takes syrup for it .

``concepts/x.txt.con``, all mentions with their semantic types::

    c="mr. ito" 1:0 1:1||t="person"
    c="a cough" 1:3 1:4||t="problem"
    c="he" 2:0 2:0||t="person"
    c="syrup" 2:2 2:2||t="treatment"
    c="it" 2:4 2:4||t="pronoun"

``chains/x.txt.chains``, one entity a line; concepts in no chain are singletons::

    c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"
    c="a cough" 1:3 1:4||c="it" 2:4 2:4||t="coref problem"

Lines count from 1 and tokens from 0, ends included. Only the chains are needed: without concepts
there are no singletons, and without the text mentions are known by their places, ``1:0 1:1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefine.corpus.corpus import Corpus
from corefine.formats.input.folders import all_or_none, companion, document_name, nothing, stem
from corefine.formats.input.joined_lines import batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Format, Holds, register
from corefine.formats.standoff.i2b2_lines import read_concepts
from corefine.formats.standoff.i2b2_mentions import corpus_of
from corefine.formats.standoff.i2b2_writing import CHAINS, CONCEPTS, losses, write_files
from corefine.formats.text.token_lines import TokenLines

_LINE = re.compile(rb'(?:\xef\xbb\xbf)?\s*c="[^\n]*?" [0-9]+:[0-9]+ [0-9]+:[0-9]+\|\|[ct]="')
_NO_CONCEPTS = "there are no concepts (.con) beside chains, so that there are no singletons"
_NO_CHAINS = "there are concepts (.con) without chains: each is taken to be a singleton"


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The one document of a file of chains, with the concepts and the text beside it."""
    return read_many([source], layers, window)


def read_many(
    sources: Sequence[Source], layers: frozenset[str] | None, window: int | None
) -> Iterator[Corpus]:
    """The documents of files of chains, with the concepts and the texts beside them."""
    for batch in batches(sources):
        yield _read_batch(batch)


def _read_batch(sources: Sequence[Source]) -> Corpus:
    chains, concepts, texts, warnings = [], [], [], []
    for source in sources:
        name = stem(source, CHAINS, CONCEPTS)
        text = name if name.endswith(".txt") else name + ".txt"
        texts.append(companion(source, (text,), ("docs", "doc", "txt", "text")))
        if stem(source).endswith(CONCEPTS):
            chains.append(nothing(source))
            concepts.append(source)
            warnings.append(_NO_CHAINS)
            continue
        names = (name + CONCEPTS, name.removesuffix(".txt") + CONCEPTS)
        beside = companion(source, names, ("concepts", "concept", "con"))
        chains.append(source)
        concepts.append(beside or nothing(source))
        if beside is None:
            warnings.append(_NO_CONCEPTS)
    known = all_or_none(sources, texts, "the text")
    return corpus_of(
        [document_name(source, CHAINS, CONCEPTS, ".txt") for source in sources],
        [source.name for source in known or sources],
        read_concepts(chains, chained=True),
        read_concepts(concepts, chained=False),
        None if known is None else TokenLines.of(known),
        warnings,
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line is a chain or a concept."""
    return 0.9 if _LINE.match(head) else 0.0


I2B2 = register(
    Format(
        name="i2b2",
        title="i2b2/VA 2011: concepts and chains",
        suffixes=(CHAINS,),
        sniff=sniff,
        read=read,
        read_many=read_many,
        holds=Holds(entity_names=False, kinds=True, types=True),
        write_files=write_files,
        losses=losses,
        companions=(CONCEPTS, ".txt", ".pairs"),
        empty_files=True,
        documentation="docs/formats/i2b2.md",
    )
)
