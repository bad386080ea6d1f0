"""brat standoff: running text, and annotations of its characters in a file beside it.

The smallest valid document is two files. ``x.txt`` has the text::

    Anna saw her house.

``x.ann`` has the annotations, with a tab behind each id and before the words::

    T1	PROP_PER 0 4	Anna
    T2	PRON_PER 9 12	her
    R1	Coref Arg1:T2 Arg2:T1

``T`` lines are mentions: type, first character, the one behind the last (``0 4;9 12`` where there
is a gap), words. Relations ``R`` whose type speaks of coreference, and classes such as
``* Equiv T1 T2``, make entities, also through others; mentions in none are singletons. A type that
begins with ``PROP``, ``NOM`` or ``PRON``, as LitBank's do, tells the kind. Beside such mentions
LitBank gives entities by further annotations of the same characters, with types such as
``ANNA-0``. Triggers of events are no mentions; attributes, notes and other relations are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefine.corpus.corpus import Corpus
from corefine.formats.input.folders import document_name
from corefine.formats.input.joined_lines import batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Format, Holds, register
from corefine.formats.standoff.brat_lines import read_annotations
from corefine.formats.standoff.brat_mentions import corpus_of
from corefine.formats.standoff.brat_texts import (
    as_counted,
    read_texts,
    text_beside,
    without_annotations,
)
from corefine.formats.standoff.brat_writing import ANNOTATIONS, TEXT, losses, write_files
from corefine.formats.text.tokens import Texts

_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:T[0-9]+\t\S+ [0-9]+ [0-9]+|R[0-9]+\t\S+ \S+:[TE][0-9]"
    rb"|\*\t\S+ [TE][0-9]|E[0-9]+\t\S+:T[0-9]|[AM][0-9]+\t\S+ [TER][0-9]"
    rb"|N[0-9]+\tReference |#[0-9]*\t)"
)


def read(source: Source, layers: frozenset[str] | None, window: int | None) -> Iterator[Corpus]:
    """The one document of a file of annotations, with the text beside it."""
    return read_many([source], layers, window)


def read_many(
    sources: Sequence[Source], layers: frozenset[str] | None, window: int | None
) -> Iterator[Corpus]:
    """The documents of files of annotations, with the texts beside them."""
    warnings = without_annotations(sources) if len(sources) > 1 else []
    for batch in batches(sources):
        yield _read_batch(batch, layers, warnings)
        warnings = []


def _read_batch(
    sources: Sequence[Source], layers: frozenset[str] | None, warnings: Sequence[str]
) -> Corpus:
    texts = [text_beside(source) for source in sources]
    found = read_annotations(sources)
    return corpus_of(
        [document_name(source, ANNOTATIONS) for source in sources],
        [text.name for text in texts],
        Texts.of_bytes(as_counted(read_texts(texts), found)),
        found,
        warnings,
        with_places=layers is None or "text" in layers,
    )


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line is one of brat's."""
    return 0.9 if _LINE.match(head) else 0.0


BRAT = register(
    Format(
        name="brat",
        title="brat standoff",
        suffixes=(ANNOTATIONS,),
        sniff=sniff,
        read=read,
        read_many=read_many,
        holds=Holds(entity_names=False, kinds=True, types=True, discontinuous=True),
        write_files=write_files,
        losses=losses,
        companions=(TEXT, ".conf"),
        empty_files=True,
        documentation="docs/formats/brat.md",
    )
)
