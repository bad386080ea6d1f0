"""LitBank TSV: mentions by sentence and token, with type and kind, and their entities.

The smallest valid document is two files. ``x.txt`` has one sentence per line, with blanks between
tokens::

    Mary Lennox was a child .
    She had no ayah .

``x.tsv`` (``x.ann`` in LitBank itself) has tab-separated lines of mentions and of their entities::

    MENTION	T1	0	0	0	1	Mary Lennox	PER	PROP
    MENTION	T2	0	3	0	4	a child	PER	NOM
    MENTION	T3	1	0	1	0	She	PER	PRON
    COREF	T1	MARY_LENNOX-0
    COREF	T3	MARY_LENNOX-0
    COP	T2	T1

A mention has an id, the sentence and token of its first and of its last word (all counted from 0),
its words, its type and its kind. A mention without a ``COREF`` line is a singleton. Copulae
(``COP``) and appositions (``APPOS``) are not coreference and are skipped. Without the text,
mentions are identified by their positions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError
from corefine.formats.io.lines import (
    TokenLines,
    begins_with,
    files_of,
    text_lines,
)
from corefine.formats.io.relations import KIND_OF_NAME, KINDS
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.registry import Format, register

UNKNOWN = "-"

_ENDINGS = (".tsv", ".ann")
_DETECT = begins_with(
    rb"(?:MENTION\t[^\t\n]+\t[0-9]|(?:COREF|COP|APPOS)\t[^\t\n]+\t[^\t\n]+(?:\n|$))"
)
_POSITION = re.compile("[0-9]{1,9}")
_CONTROL = re.compile(r"[\x00-\x1f]")
_BLANKS = re.compile(r"[\x00-\x20]+")
_KIND_OF = {**KIND_OF_NAME, UNKNOWN: Kind.UNKNOWN}
_NO_ENTITIES = "mentions without COREF lines: each is treated as a singleton"
_REMEDY = (
    "A line has tab-separated fields: MENTION, id, sentence, token, sentence, token, words, type, "
    f"kind ({', '.join(_KIND_OF)}); or COREF, id, entity. Ids are unique and not empty."
)


def read(source: Source) -> Iterator[Document]:
    """The document of a file, with its text."""
    beside = companion(source, (stem(source, *_ENDINGS) + ".txt",))
    text = None if beside is None else TokenLines.read(beside)
    document = Document(document_name(source, *_ENDINGS), source=source.name)
    if text is not None and beside is not None:
        document.tokens, document.lines = text.tokens, text.lines
        document.starts, document.source = text.sentences, beside.name
    mentions: dict[str, Mention] = {}
    entities: dict[str, dict[str, int]] = {}
    for number, line in text_lines(source):
        tag, *cells = line.split("\t")
        cells[:1] = [cell.strip() for cell in cells[:1]]
        if tag == "MENTION" and len(cells) == 8 and cells[0] and cells[0] not in mentions:
            mentions[cells[0]] = _mention(cells, text, source, number)
        elif tag == "COREF" and len(cells) == 2 and cells[1].strip():
            entities.setdefault(cells[0], {}).setdefault(cells[1].strip(), number)
        elif tag not in ("COP", "APPOS") and line.strip():
            message = f"not a LitBank line, or a duplicate id: {line[:60]!r}"
            raise source.error(message, number, _REMEDY)
    for id, named in entities.items():
        if id not in mentions:
            where = source.where(min(named.values()))
            raise FormatError(f"an entity of the unknown mention {id[:60]!r}", where, _REMEDY)
    for id, mention in mentions.items():
        for entity in entities.get(id) or [f"{document.name}:{id}"]:
            document.mentions.append(replace(mention, entity=entity))
    if mentions and not entities:
        document.warnings.append(_NO_ENTITIES)
    yield document


def _mention(cells: list[str], text: TokenLines | None, source: Source, line: int) -> Mention:
    *position, words, type, kind = cells[1:]
    where = source.where(line)
    if kind not in _KIND_OF or not all(map(_POSITION.fullmatch, position)):
        raise FormatError(f"a malformed mention {words[:60]!r}", where, _REMEDY)
    mention = Mention("", [], kind=_KIND_OF[kind], quoted=words, where=where)
    mention.type = None if type == UNKNOWN else type
    first, token, last, last_token = map(int, position)
    return placed_mention((first + 1, token, last + 1, last_token), mention, text)


def placed_mention(
    position: tuple[int, int, int, int], mention: Mention, text: TokenLines | None
) -> Mention:
    """A mention with its span in the text; with its position as name if there is no text."""
    line, token, last_line, last_token = position
    if text is None:
        mention.name = f"{line}:{token} {last_line}:{last_token}"
        mention.attributes = {"text": mention.quoted or ""}
        return mention
    span = text.span(position)
    if span is None:
        raise FormatError(
            f"the text has no mention {(mention.quoted or '')[:60]!r} from line {line}, token "
            f"{token} to line {last_line}, token {last_token}",
            mention.where,
            "Lines and tokens must refer to the text; check that it is the right one.",
        )
    mention.spans = [span]
    return mention


def write(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.tsv``."""
    for document, name in files_of(documents):
        words = [_BLANKS.sub("_", word) or "_" for word in document.words]
        lines = list(pairwise(sorted({0, *document.starts, len(words)})))
        places = [f"{n}\t{token}" for n, (a, b) in enumerate(lines) for token in range(b - a)]
        labels = _labels(document)
        mentions, entities = [], []
        for number, mention in enumerate(document.mentions, 1):
            said = " ".join(words[mention.start : mention.end])
            mentions.append(
                f"MENTION\tT{number}\t{places[mention.start]}\t{places[mention.end - 1]}\t{said}"
                f"\t{_type(mention)}\t{KINDS.get(mention.kind, UNKNOWN)}\n"
            )
            entities.append(f"COREF\tT{number}\t{labels[mention.entity]}\n")
        text = "".join(" ".join(words[start:stop]) + "\n" for start, stop in lines)
        yield f"{name}.txt", text.encode("utf-8", "surrogatepass")
        yield f"{name}.tsv", "".join(mentions + entities).encode("utf-8", "surrogatepass")


def _type(mention: Mention) -> str:
    type = _CONTROL.sub(" ", mention.type or "").strip() or UNKNOWN
    return f"{type}_" if type in _KIND_OF and type != UNKNOWN else type


def _labels(document: Document) -> dict[str | int, str]:
    """Names of entities without control characters, all different."""
    labels: dict[str | int, str] = {}
    taken: set[str] = set()
    count: Counter[str] = Counter()
    for entity in document.entities:
        label = plain = _CONTROL.sub(" ", str(entity)).strip() or UNKNOWN
        while label in taken:
            count[plain] += 1
            label = f"{plain}-{count[plain] + 1}"
        taken.add(label)
        labels[entity] = label
    return labels


LITBANK = register(
    Format(
        name="litbank",
        title="LitBank TSV",
        suffixes=(".tsv",),
        read=read,
        detect=_DETECT,
        write=write,
        files=True,
        companions=(".txt",),
    )
)
