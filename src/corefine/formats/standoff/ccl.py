"""CCL: Polish text in XML with annotations by channel, and relations between them beside it.

The smallest valid document is two files. ``x.xml`` has the tokens::

    <chunkList>
     <chunk id="ch1">
      <sentence id="sent1">
       <tok>
        <orth>Ala</orth>
        <lex disamb="1"><base>Ala</base><ctag>subst:sg:nom:f</ctag></lex>
        <ann chan="nam_liv_person">1</ann>
        <ann chan="anafora_wyznacznik">0</ann>
       </tok>
       <tok>
        <orth>śpi</orth>
        <lex disamb="1"><base>spać</base><ctag>fin:sg:ter:imperf</ctag></lex>
        <ann chan="nam_liv_person">0</ann>
        <ann chan="anafora_wyznacznik">1</ann>
       </tok>
      </sentence>
     </chunk>
    </chunkList>

``x.rel.xml`` has the relations::

    <relations>
     <rel name="coreference" set="Coreference">
      <from sent="sent1" chan="anafora_wyznacznik">1</from>
      <to sent="sent1" chan="nam_liv_person">1</to>
     </rel>
    </relations>

Tokens of a sentence that have the same number in a channel, other than 0, are an annotation.
Mentions are the annotations in channels of names (``nam``…), anaphora (``anafora_``…) and mentions
(``mention``…), and whatever a relation of coreference names. These relations make entities, also
through others. A channel of names makes a name, ``anafora_verb_null`` a zero; elsewhere the tag of
the word decides: a pronoun, a verb for the zero that is its subject, or a nominal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.formats.input.folders import companion, document_name, stem
from corefine.formats.input.joined_lines import batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Format, Holds, register
from corefine.formats.standoff.ccl_annotations import Annotations, Text
from corefine.formats.standoff.ccl_mentions import mentions_of
from corefine.formats.standoff.ccl_writing import RELATIONS, losses, write_files
from corefine.formats.text.xml_tags import XmlTags

LAYERS = ("lemma", "pos")
BATCH = 4 << 20
"""Bytes of files that are taken together: a token of CCL takes hundreds."""
_NO_RELATIONS = Source("no relations", content=b"<relations/>")
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^>]*>\s*)?"
    rb"(?:<!--(?:(?!-->).)*-->\s*|<!DOCTYPE\b[^>\[]*(?:\[[^\]]*\]\s*)?>\s*)*"
    rb"<(?:chunkList|relations|cesAna)\b",
    re.DOTALL,
)


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The one document of a file, with the relations beside it."""
    return read_many([source], layers, window)


def read_many(
    sources: Sequence[Source], layers: frozenset[str] | None, window: int | None
) -> Iterator[Corpus]:
    """The documents of files, with the relations beside them."""
    for batch in batches(sources, BATCH):
        yield _read_batch(batch, layers)


def _read_batch(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    beside = [companion(source, (stem(source, ".xml") + RELATIONS,)) for source in sources]
    tags = XmlTags.of(sources)
    text = Text.of(tags)
    words = text.words()
    places = text.layers()
    relations = XmlTags.of([found or _NO_RELATIONS for found in beside])
    mentions, entities, types = mentions_of(Annotations.of(text), [tags, relations], places["pos"])
    wanted = [name for name in LAYERS if layers is None or name in layers]
    columns = {name: tags.strings(*places[name]) for name in wanted}
    return Corpus(
        tuple(document_name(source, ".xml") for source in sources),
        entities,
        mentions,
        Tokens(
            words,
            text.offsets,
            _first_tokens(text.sentence),
            {name: column for name, column in columns.items() if column.lengths.any()},
            lines=tags.lines(text.token),
        ),
        types,
        sources=tuple(source.name for source in sources),
        format="ccl",
    )


def _first_tokens(sentence: IntArray) -> IntArray:
    opens = np.ones(len(sentence), bool)
    opens[1:] = sentence[1:] != sentence[:-1]
    return np.flatnonzero(opens)


def sniff(head: bytes, name: str) -> float:
    """Sure where the root is one of CCL."""
    return 0.9 if _ROOT.match(head) else 0.0


CCL = register(
    Format(
        name="ccl",
        title="CCL XML with relations (KPWr, Liner2)",
        suffixes=(".xml",),
        sniff=sniff,
        read=read,
        read_many=read_many,
        holds=Holds(
            layers=frozenset(LAYERS),
            entity_names=False,
            kinds=True,
            heads=True,
            types=True,
            discontinuous=True,
        ),
        write_files=write_files,
        losses=losses,
        companions=(RELATIONS, ".ini"),
        documentation="docs/formats/ccl.md",
    )
)
