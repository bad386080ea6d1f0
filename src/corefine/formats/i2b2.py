"""i2b2/VA 2011: chains of clinical concepts, given by line and token of a text in another file.

The smallest valid document is three files. ``docs/x.txt`` has lines of tokens separated by
blanks::

    Mr. Ito has a cough .
    He takes syrup for it .

``concepts/x.txt.con`` has all mentions with their semantic types::

    c="mr. ito" 1:0 1:1||t="person"
    c="a cough" 1:3 1:4||t="problem"
    c="he" 2:0 2:0||t="person"
    c="syrup" 2:2 2:2||t="treatment"
    c="it" 2:4 2:4||t="pronoun"

``chains/x.txt.chains`` has one entity per line; concepts in no chain are singletons::

    c="mr. ito" 1:0 1:1||c="he" 2:0 2:0||t="coref person"
    c="a cough" 1:3 1:4||c="it" 2:4 2:4||t="coref problem"

Lines count from 1 and tokens from 0, ends inclusive. Only the chains are required: without concepts
there are no singletons, and without the text mentions are identified by their positions. The type
``pronoun`` is a kind: such a mention has the type of its chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, differing_quotes
from corefine.formats.io.lines import (
    TokenLines,
    begins_with,
    text_lines,
)
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.litbank import placed_mention
from corefine.formats.registry import Format, register

CHAINS, CONCEPTS = ".chains", ".con"
PRONOUN, UNTYPED = "pronoun", "none"

_DETECT = begins_with(rb'c="[^\n]*?" [0-9]+:[0-9]+ [0-9]+:[0-9]+\|\|[ct]="', empty=CHAINS)
_PART = re.compile(r'(?<=[0-9])\|\|(?=[ct]=")')
_CONCEPT = re.compile(r'c="(.*)" ([0-9]{1,9}):([0-9]{1,9}) ([0-9]{1,9}):([0-9]{1,9})')
_TYPE = re.compile(r't="(.*)"')
_DAMAGED = re.compile(r'" ?[0-9]+:[0-9]+ [0-9]+:[0-9]+(?:\|\||[ct]=")|\|[ct]="')
"""The end or start of another concept inside the words of a concept."""
_REMEDY = (
    'Chains are written c="text" 1:0 1:2||c="text" 3:0 3:0||t="coref problem", concepts '
    'c="text" 1:0 1:2||t="problem".'
)
_NO_CONCEPTS = "chains without concepts (.con): singletons are unknown"
_NO_CHAINS = "concepts (.con) without chains: each is treated as a singleton"

Position = tuple[int, int, int, int]
"""First line and token, last line and token."""
Placed = tuple[Position, Mention]


def read(source: Source) -> Iterator[Document]:
    """The document of a file of chains, with its concepts and text."""
    name = stem(source, CHAINS, CONCEPTS)
    text_name = name if name.endswith(".txt") else name + ".txt"
    beside = companion(source, (text_name,), ("docs", "doc", "txt", "text"))
    text = None if beside is None else TokenLines.read(beside)
    document = Document(document_name(source, CHAINS, CONCEPTS, ".txt"), source=source.name)
    chains: Source | None = source
    concepts: Source | None = source
    if stem(source).endswith(CONCEPTS):
        chains = None
        document.warnings.append(_NO_CHAINS)
    else:
        names = (name + CONCEPTS, name.removesuffix(".txt") + CONCEPTS)
        concepts = companion(source, names, ("concepts", "concept", "con"))
        if concepts is None:
            document.warnings.append(_NO_CONCEPTS)
    if text is not None and beside is not None:
        document.tokens, document.lines = text.tokens, text.lines
        document.starts, document.source = text.sentences, beside.name
    listed: dict[Position, Mention] = {}
    for _, mentions, type in _lines(concepts, chained=False) if concepts is not None else ():
        for position, mention in mentions:
            kind = Kind.PRONOUN if type == PRONOUN else Kind.UNKNOWN
            mention.kind, mention.type = kind, _known(type)
            listed.setdefault(position, mention)
    chained: set[Position] = set()
    for entity, mentions, type in _lines(chains, chained=True) if chains is not None else ():
        for position, mention in mentions:
            concept = listed.get(position)
            mention.entity = entity
            mention.kind = Kind.UNKNOWN if concept is None else concept.kind
            own = concept is not None and concept.kind != Kind.PRONOUN
            mention.type = concept.type if own and concept else _known(type.removeprefix("coref "))
            document.mentions.append(placed_mention(position, mention, text))
            chained.add(position)
    entities = len({mention.entity for mention in document.mentions})
    single = [(position, one) for position, one in listed.items() if position not in chained]
    for number, (position, mention) in enumerate(single):
        mention.entity = entities + number
        document.mentions.append(placed_mention(position, mention, text))
    _allow_slips(document)
    yield document


def _allow_slips(document: Document) -> None:
    """Warn about words that differ from the text: a few do in the corpus as it is published."""
    differing = differing_quotes(document)
    if differing and 20 * len(differing) <= len(document.mentions):
        first = differing[0]
        document.warnings.append(
            f"{first.where}: {len(differing):,} concepts differ from the text, such as "
            f"{(first.quoted or '')[:60]!r}, where the text has {document.words_of(first)[:60]!r}"
        )
        for mention in differing:
            mention.quoted = None


def _lines(source: Source, *, chained: bool) -> Iterator[tuple[int, list[Placed], str]]:
    """Number, mentions with their positions, and type of each line that is not blank."""
    number = 0
    for line, content in text_lines(source):
        if not content.strip():
            continue
        *concepts, last = _PART.split(content.strip())
        found, typed = [_CONCEPT.fullmatch(one) for one in concepts], _TYPE.fullmatch(last)
        mentions: list[Placed] = []
        for match in found:
            if match is not None and not _DAMAGED.search(match[1]):
                position = (int(match[2]), int(match[3]), int(match[4]), int(match[5]))
                mention = Mention(0, [], quoted=match[1], where=source.where(line))
                mentions.append((position, mention))
        if (
            typed is None
            or not mentions
            or len(mentions) < len(found)
            or (len(found) > 1 and not chained)
        ):
            raise source.error(f"malformed line {content[:60]!r}", line, _REMEDY)
        yield number, mentions, typed[1]
        number += 1


def _known(type: str) -> str | None:
    return None if type in ("", PRONOUN, UNTYPED) else type


register(
    Format(
        "i2b2",
        "i2b2/VA 2011: concepts and chains",
        (CHAINS,),
        read,
        _DETECT,
        companions=(CONCEPTS, ".txt", ".pairs"),
    )
)
