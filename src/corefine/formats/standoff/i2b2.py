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
from collections import Counter
from collections.abc import Iterable, Iterator

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError
from corefine.formats.input.lines import (
    TokenLines,
    WrittenLines,
    begins_with,
    files_of,
    text_lines,
)
from corefine.formats.input.sources import Source, companion, document_name, stem
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.standoff.litbank import placed_mention

CHAINS, CONCEPTS = ".chains", ".con"
PRONOUN, UNTYPED = "pronoun", "none"

_DETECT = begins_with(rb'c="[^\n]*?" [0-9]+:[0-9]+ [0-9]+:[0-9]+\|\|[ct]="')
_PART = re.compile(r'(?<=[0-9])\|\|(?=[ct]=")')
_CONCEPT = re.compile(r'c="(.*)" ([0-9]{1,9}):([0-9]{1,9}) ([0-9]{1,9}):([0-9]{1,9})')
_TYPE = re.compile(r't="(.*)"')
_DAMAGED = re.compile(r'" ?[0-9]+:[0-9]+ [0-9]+:[0-9]+(?:\|\||[ct]=")|\|[ct]="')
"""End of a concept, or start of another, inside the words of a concept."""
_NOT_IN_TYPES = re.compile(r'[\x00-\x1f"|]')
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
        document.sentences, document.source = text.sentences, beside.name
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
    yield document


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
            raise FormatError(f"malformed line {content[:60]!r}", source.where(line), _REMEDY)
        yield number, mentions, typed[1]
        number += 1


def _known(type: str) -> str | None:
    return None if type in ("", PRONOUN, UNTYPED) else type


def write_files(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents, in the folders ``docs``, ``concepts`` and ``chains``."""
    for document, name in files_of(documents):
        text = WrittenLines.of(document)
        ordered = sorted(document.mentions, key=lambda mention: mention.spans)
        concepts = dict.fromkeys(
            f'{_concept(mention, text)}||t="{_written_type(mention)}"\n' for mention in ordered
        )
        repeated = Counter(str(mention.spans) for mention in document.mentions)
        chains = []
        for mentions in document.entities.values():
            # Alone in its entity, a mention needs a chain if its concept does not identify it.
            if len(mentions) > 1 or any(
                repeated[str(mention.spans)] > 1
                or (mention.kind == Kind.PRONOUN and mention.type is not None)
                for mention in mentions
            ):
                types = Counter(mention.type for mention in mentions if mention.type)
                type = types.most_common(1)[0][0] if types else None
                parts = [_concept(mention, text) for mention in mentions]
                chains.append(f'{"||".join(parts)}||t="coref {_plain(type)}"\n')
        for folder, suffix, content in (
            ("docs", "", text.text),
            ("concepts", CONCEPTS, "".join(concepts)),
            ("chains", CHAINS, "".join(chains)),
        ):
            yield f"{folder}/{name}.txt{suffix}", content.encode("utf-8", "surrogatepass")


def _concept(mention: Mention, text: WrittenLines) -> str:
    start, stop = mention.spans[0][0], mention.spans[-1][1]
    (line, token), (last_line, last) = text.positions[start], text.positions[stop - 1]
    words = " ".join(text.words[start:stop]).lower()
    return f'c="{words}" {line}:{token} {last_line}:{last}'


def _written_type(mention: Mention) -> str:
    return PRONOUN if mention.kind == Kind.PRONOUN else _plain(mention.type)


def _plain(type: str | None) -> str:
    written = _NOT_IN_TYPES.sub(" ", type or "").strip()
    return UNTYPED if written in ("", PRONOUN) else written


I2B2 = register(
    Format(
        name="i2b2",
        title="i2b2/VA 2011: concepts and chains",
        suffixes=(CHAINS,),
        read=read,
        detect=_DETECT,
        capabilities=Capabilities(entity_names=False, types=True),
        write_files=write_files,
        companions=(CONCEPTS, ".txt", ".pairs"),
        empty_files=True,
        documentation="docs/formats/i2b2.md",
    )
)
