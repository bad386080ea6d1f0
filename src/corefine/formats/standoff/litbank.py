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
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NoReturn

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import FormatError
from corefine.formats.input.lines import TokenLines, WrittenLines, text_lines
from corefine.formats.input.sources import Source, companion, document_name, file_names, stem
from corefine.formats.registry import Capabilities, Format, register

KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""Names of kinds; LitBank itself has no zeros."""
UNKNOWN = "-"

_ENDINGS = (".tsv", ".ann")
_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:MENTION\t[^\t\n]+\t[0-9]|(?:COREF|COP|APPOS)\t[^\t\n]+\t[^\t\n]+(?:\n|$))"
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_BLANKS = " \t"
_KIND_OF = {name: kind for kind, name in KINDS.items()}
_NO_ENTITIES = "mentions without COREF lines: each is treated as a singleton"


def read(source: Source) -> Iterator[Document]:
    """The document of a file, with its text."""
    beside = companion(source, (stem(source, *_ENDINGS) + ".txt",))
    text = None if beside is None else TokenLines.read(beside)
    name = document_name(source, *_ENDINGS)
    mentions: dict[str, Mention] = {}
    entities: list[tuple[int, list[str]]] = []
    for number, line in text_lines(source):
        cells = line.split("\t")
        if cells[0] == "MENTION":
            id = _id(cells[1] if len(cells) > 1 else "", source, number)
            if id in mentions:
                _refuse(f"duplicate mention id {id[:60]!r}", source, number)
            mentions[id] = _mention(cells, text, source, number)
        elif cells[0] == "COREF":
            if len(cells) != 3:
                _refuse(f"a line with {len(cells)} fields", source, number)
            entities.append((number, cells))
        elif cells[0] not in ("COP", "APPOS") and line.strip():
            _refuse(f"not a LitBank line: {line[:60]!r}", source, number)
    named: dict[str, list[str]] = {id: [] for id in mentions}
    for number, (_, cell, entity) in entities:
        id = _id(cell, source, number)
        if id not in named:
            _refuse(f"an entity of the unknown mention {id[:60]!r}", source, number)
        named[id].append(_id(entity, source, number))
    document = Document(name, source=source.name)
    if text is not None and beside is not None:
        document.tokens, document.lines = text.tokens, text.lines
        document.sentences, document.source = text.sentences, beside.name
    for id, mention in mentions.items():
        for entity in dict.fromkeys(named[id]) or [f"{name}:{id}"]:
            document.mentions.append(replace(mention, entity=entity))
    if mentions and not entities:
        document.warnings.append(_NO_ENTITIES)
    yield document


def _mention(cells: list[str], text: TokenLines | None, source: Source, line: int) -> Mention:
    if not 8 <= len(cells) <= 9:
        _refuse(f"a line with {len(cells)} fields", source, line)
    # Some files give the sentence once, for both ends.
    numbers = [*cells[2:4], cells[2], cells[4]] if len(cells) == 8 else cells[2:6]
    if not all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in numbers):
        _refuse("sentences and tokens must be integers", source, line)
    first_line, token, last_line, last_token = map(int, numbers)
    type, kind = _type_and_kind(cells[-2], cells[-1], source, line)
    return placed_mention(
        (first_line + 1, token, last_line + 1, last_token),
        Mention("", [], kind=kind, type=type, quoted=cells[-3], where=source.where(line)),
        text,
    )


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


def _type_and_kind(one: str, other: str, source: Source, line: int) -> tuple[str | None, Kind]:
    """Type and kind of a mention; the kind is the last cell in most files."""
    for type, kind in ((one, other), (other, one)):
        if kind in _KIND_OF or (kind == UNKNOWN and type not in _KIND_OF):
            return None if type == UNKNOWN else type, _KIND_OF.get(kind, Kind.UNKNOWN)
    _refuse(f"neither {one[:60]!r} nor {other[:60]!r} is a mention kind", source, line)


def _id(cell: str, source: Source, line: int) -> str:
    id = cell.strip(_BLANKS)
    if not id or _CONTROL.search(id):
        _refuse("an id that is empty or has control characters", source, line)
    return id


def _refuse(message: str, source: Source, line: int) -> NoReturn:
    raise FormatError(
        message,
        source.where(line),
        "A line has tab-separated fields: MENTION, id, sentence, token, sentence, token, words, "
        f"type, kind ({', '.join(_KIND_OF)}); or COREF, id, entity.",
    )


def write_files(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.tsv``."""
    listed = [without_empty_nodes(document) for document in documents]
    for document, name in zip(listed, file_names([one.name for one in listed]), strict=True):
        text = WrittenLines.of(document)
        labels = _labels(document)
        mentions, entities = [], []
        for number, mention in enumerate(document.mentions, 1):
            start, stop = mention.spans[0][0], mention.spans[-1][1]
            (line, token), (last_line, last) = text.positions[start], text.positions[stop - 1]
            words = " ".join(text.words[start:stop])
            mentions.append(
                f"MENTION\tT{number}\t{line - 1}\t{token}\t{last_line - 1}\t{last}\t{words}"
                f"\t{_type(mention)}\t{KINDS.get(mention.kind, UNKNOWN)}\n"
            )
            entities.append(f"COREF\tT{number}\t{labels[mention.entity]}\n")
        yield f"{name}.txt", text.text.encode("utf-8", "surrogatepass")
        yield f"{name}.tsv", "".join(mentions + entities).encode("utf-8", "surrogatepass")


def _type(mention: Mention) -> str:
    type = _CONTROL.sub(" ", mention.type or "").strip() or UNKNOWN
    return f"{type}_" if type in _KIND_OF else type


def _labels(document: Document) -> dict[str | int, str]:
    """Names of entities without control characters, all different."""
    labels: dict[str | int, str] = {}
    for entity in document.entities:
        plain = _CONTROL.sub(" ", str(entity)).strip() or UNKNOWN
        label, count = plain, 1
        while label in labels.values():
            count += 1
            label = f"{plain}-{count}"
        labels[entity] = label
    return labels


def detect(head: bytes, name: str) -> bool:
    """True if the first line is a mention or an entity."""
    return _LINE.match(head) is not None


LITBANK = register(
    Format(
        name="litbank",
        title="LitBank TSV",
        suffixes=(".tsv",),
        read=read,
        detect=detect,
        capabilities=Capabilities(kinds=True, types=True),
        write_files=write_files,
        companions=(".txt",),
        documentation="docs/formats/litbank.md",
    )
)
