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
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import ByteArray, IntArray, numbered
from corefine.corpus.columns import Entities, Kind, Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import take_mentions
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError
from corefine.formats.building.line_mentions import LineMentions
from corefine.formats.building.written_text import with_text
from corefine.formats.columns.cell_grid import stripped
from corefine.formats.input.folders import (
    all_or_none,
    companion,
    document_name,
    file_names,
    lost_names,
    stem,
)
from corefine.formats.input.joined_lines import JoinedLines, batches
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.text.numerals import whole_numbers
from corefine.formats.text.tab_cells import TabCells, equal_to
from corefine.formats.text.token_lines import TokenLines, WrittenLines, lost_words

ENDING = ".tsv"
KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""The words for kinds; LitBank itself has no zeros."""
UNKNOWN = "-"

_ENDINGS = (ENDING, ".ann")
_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:MENTION|COREF|COP|APPOS)\t[^\t\n]+\t")
_NOT_IN_CELLS = re.compile(r"[\x00-\x1f]")
_SAMPLE = (
    "A line has tab-separated fields: MENTION, id, sentence, token, sentence, token, words, "
    "type, kind; or COREF, id, entity."
)
_BLANKS = b" \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f"
_WITHOUT_IDENTITY = (b"COP", b"APPOS")
_KIND_OF = {name: kind for kind, name in KINDS.items()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines:
    """The lines of several files, by what they say."""

    cells: TabCells
    mention: IntArray
    """The lines of mentions."""
    coreference: IntArray
    """The lines of entities."""

    @classmethod
    def of(cls, lines: JoinedLines) -> Lines:
        cells = TabCells.of(lines)
        row = np.arange(len(lines.stops))
        first = cells.bounds(row, 0)
        mention = equal_to(lines.text, *first, b"MENTION")
        coreference = equal_to(lines.text, *first, b"COREF")
        known = mention | coreference
        for word in _WITHOUT_IDENTITY:
            known |= equal_to(lines.text, *first, word)
        found = cls(cells, np.flatnonzero(mention), np.flatnonzero(coreference))
        for line in np.flatnonzero(~known).tolist():
            if lines.text[lines.starts[line] : lines.stops[line]].tobytes().strip():
                found.refuse(line, "not a LitBank line")
        counts = cells.counts
        wrong = (mention & ((counts < 8) | (counts > 9))) | (coreference & (counts != 3))
        if wrong.any():
            line = int(np.argmax(wrong))
            found.refuse(line, f"a line with {counts[line]} fields")
        return found

    def refuse(self, line: int, what: str) -> NoReturn:
        lines = self.cells.lines
        shown = lines.shown(int(lines.starts[line]), int(lines.stops[line]))
        raise FormatError(f"{what}: {shown!r}", lines.where(line), _SAMPLE)

    @property
    def _text(self) -> ByteArray:
        return self.cells.lines.text

    def mentions(self) -> LineMentions:
        """The mentions with their places and words."""
        rows = self.mention
        counts = self.cells.counts[rows]
        # Some give the sentence once, for both ends.
        once = counts == 8
        columns = (2, 3, np.where(once, 2, 4), np.where(once, 4, 5))
        places = np.stack(
            [whole_numbers(self._text, *self.cells.bounds(rows, column)) for column in columns],
            axis=1,
        )
        if (places < 0).any():
            line = int(rows[np.argmax((places < 0).any(axis=1))])
            self.refuse(line, "sentences and tokens must be integers")
        # Sentences are lines of the text, which count from 1.
        places[:, 0] += 1
        places[:, 2] += 1
        begins, ends = self.cells.bounds(rows, counts - 3)
        return LineMentions(
            self.cells.lines.file[rows],
            places,
            self._text,
            begins,
            ends,
            lambda mention: self.cells.lines.where(int(rows[mention])),
        )

    def types(self) -> tuple[tuple[str, ...], IntArray, NDArray[np.uint8]]:
        """The names of types, and type and kind of each mention."""
        rows = self.mention
        last = self.cells.counts[rows] - 1
        starts, stops = (
            np.concatenate(column)
            for column in zip(
                self.cells.bounds(rows, last - 1), self.cells.bounds(rows, last), strict=True
            )
        )
        first, codes = numbered_bytes(self._text, starts, stops - starts)
        words = Strings.cut(self._text, starts[first], stops[first]).tolist()
        pair_first, pair = numbered(codes[: len(rows)] * max(len(words), 1) + codes[len(rows) :])
        types: dict[str, int] = {}
        understood = []
        for mention in pair_first.tolist():
            one, other = words[codes[mention]], words[codes[mention + len(rows)]]
            name, kind = self._type_and_kind(one, other, int(rows[mention]))
            understood.append((types.setdefault(name, len(types)) if name else -1, kind))
        table = np.array(understood, np.int64).reshape(-1, 2)
        return tuple(types), table[pair, 0], table[pair, 1].astype(np.uint8)

    def _type_and_kind(self, one: str, other: str, line: int) -> tuple[str, Kind]:
        """Which of the last two cells is the type, and which the kind: the last, as a rule."""
        for type, kind in ((one, other), (other, one)):
            if kind in _KIND_OF:
                return "" if type == UNKNOWN else type, _KIND_OF[kind]
        if UNKNOWN in (one, other):
            type = one if other == UNKNOWN else other
            return "" if type == UNKNOWN else type, Kind.UNKNOWN
        self.refuse(
            line, f"neither {one!r} nor {other!r} is a mention kind ({', '.join(_KIND_OF)})"
        )

    def entities(self, names: Sequence[str]) -> tuple[IntArray, IntArray, Entities]:
        """Mentions by their row, the entity of each, and the entities.

        A mention of two entities is there twice; one of none is an entity of its own.
        """
        file = self.cells.lines.file
        mention_ids, coreference_ids = self._ids()
        row_of = np.full(int(mention_ids.max(initial=-1)) + 1, -1)
        row_of[mention_ids[::-1]] = np.arange(len(mention_ids))[::-1]
        again = row_of[mention_ids] != np.arange(len(mention_ids))
        if again.any():
            self.refuse(int(self.mention[np.argmax(again)]), "duplicate mention id")
        known = coreference_ids < len(row_of)
        if not known.all():
            line = int(self.coreference[np.argmin(known)])
            self.refuse(line, "an entity of an unknown mention")
        row = row_of[coreference_ids]
        starts, stops = self._stripped(self.coreference, 2)
        labels = numbered_bytes(self._text, starts, stops - starts)[1]
        label = labels * len(names) + file[self.coreference]
        alone = np.ones(len(self.mention), bool)
        alone[row] = False
        single = np.flatnonzero(alone)
        rows = np.concatenate([row, single])
        groups = np.concatenate([label, int(label.max(initial=0)) + 1 + np.arange(len(single))])
        order = np.argsort(rows, kind="stable")
        first, entity = numbered(groups[order])
        given = Strings.concatenate(
            [Strings.cut(self._text, starts, stops), self._names_of(single, names)]
        )
        document = file[self.mention[rows[order[first]]]]
        return rows[order], entity, Entities(document, given.take(order[first]))

    def _ids(self) -> tuple[IntArray, IntArray]:
        """Numbers for the ids of mentions, and for those that lines of entities name.

        Ids that are not a mention's have numbers behind all others.
        """
        rows = np.concatenate([self.mention, self.coreference])
        starts, stops = self._stripped(rows, 1)
        codes = numbered_bytes(self._text, starts, stops - starts)[1]
        files = len(self.cells.lines.sources)
        codes = numbered(codes * files + self.cells.lines.file[rows])[1]
        return codes[: len(self.mention)], codes[len(self.mention) :]

    def _stripped(self, rows: IntArray, column: int) -> tuple[IntArray, IntArray]:
        """Where ids lie: blanks at their ends make no other ones."""
        before, behind = self.cells.bounds(rows, column)
        starts, stops = stripped(self._text, before, behind)
        if (starts == stops).any():
            self.refuse(int(rows[np.argmax(starts == stops)]), "an empty id")
        for row in np.flatnonzero((before != starts) | (behind != stops)).tolist():
            written = self._text[before[row] : behind[row]].tobytes()
            if len(written.strip(_BLANKS)) > stops[row] - starts[row]:
                self.refuse(int(rows[row]), "a control character at the end of an id")
        return starts, stops

    def _names_of(self, mentions: IntArray, names: Sequence[str]) -> Strings:
        """Names for entities that have none: document and id of their only mention."""
        ids = Strings.cut(self._text, *self._stripped(self.mention[mentions], 1))
        documents = self.cells.lines.file[self.mention[mentions]].tolist()
        return Strings.from_list(
            f"{names[document]}:{id}" for document, id in zip(documents, ids, strict=True)
        )


def losses(corpus: Corpus) -> list[str]:
    """What LitBank's files cannot say of this corpus, besides what no such files say."""
    lost = lost_names(corpus.documents) + lost_words(corpus)
    types = [name for name in corpus.types if _written_type(name) != name]
    if types:
        lost.append(f"entity types such as {types[0]!r}")
    names = corpus.entities.names
    if names is not None:
        given = names.tolist()
        per_document = set(zip(corpus.entities.document.tolist(), given, strict=True))
        if len(per_document) < len(given) or any(_cell(name) != name for name in given):
            lost.append("entity names that are not unique, or contain tabs or newlines")
    return lost


def _cell(text: str) -> str:
    return _NOT_IN_CELLS.sub(" ", text).strip() or UNKNOWN


def _written_type(name: str) -> str:
    written = _cell(name)
    return f"{written}_" if written in KINDS.values() or written == UNKNOWN else written


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.tsv``."""
    corpus, tokens = with_text(corpus, "LitBank's TSV")
    mentions = corpus.mentions
    lines = WrittenLines.of(tokens)
    bounds = np.searchsorted(mentions.document, np.arange(len(corpus) + 1)).tolist()
    places, labels = _mention_cells(corpus, lines), _entity_names(corpus)
    for document, name in enumerate(file_names(corpus.documents)):
        rows = range(bounds[document], bounds[document + 1])
        written = [f"MENTION\tT{number}\t{places[row]}\n" for number, row in enumerate(rows, 1)]
        written += [f"COREF\tT{number}\t{labels[row]}\n" for number, row in enumerate(rows, 1)]
        yield f"{name}.txt", lines.text(document)
        yield f"{name}{ENDING}", "".join(written).encode("utf-8", "surrogatepass")


def _mention_cells(corpus: Corpus, lines: WrittenLines) -> list[str]:
    """What a line says of each mention behind its id."""
    assert corpus.tokens is not None
    mentions = corpus.mentions
    base = corpus.tokens.offsets[mentions.document]
    first, last = base + mentions.start, base + mentions.stop - 1
    types = [*map(_written_type, corpus.types), UNKNOWN]
    type = np.full(len(mentions), -1) if mentions.type is None else mentions.type
    kind = np.zeros(len(mentions), np.uint8) if mentions.kind is None else mentions.kind
    columns = (first, last, lines.line[first] - 1, lines.token[first], lines.line[last] - 1,
               lines.token[last], type, kind)  # fmt: skip
    return [
        f"{line}\t{token}\t{last_line}\t{last_token}\t{' '.join(lines.words[start : end + 1])}"
        f"\t{types[number]}\t{KINDS.get(Kind(sort), UNKNOWN)}"
        for start, end, line, token, last_line, last_token, number, sort in zip(
            *(column.tolist() for column in columns), strict=True
        )
    ]


def _entity_names(corpus: Corpus) -> list[str]:
    """For each mention the name of its entity, different for the entities of a document."""
    document = corpus.entities.document.tolist()
    names = corpus.entities.names
    given = map(str, range(len(document))) if names is None else map(_cell, names)
    written: list[str] = []
    used: set[tuple[int, str]] = set()
    for number, name in zip(document, given, strict=True):
        unused, count = name, 1
        while (number, unused) in used:
            count += 1
            unused = f"{name}-{count}"
        used.add((number, unused))
        written.append(unused)
    return [written[entity] for entity in corpus.mentions.entity.tolist()]


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file, with the text beside it."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files, with the texts beside them."""
    return concatenate([_read_batch(batch) for batch in batches(sources)])


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
    alone = np.setdiff1d(
        lines.cells.lines.file[lines.mention], lines.cells.lines.file[lines.coreference]
    )
    if len(alone):
        more = f" (so do {len(alone) - 1:,} other files)" if len(alone) > 1 else ""
        warnings.append(
            f"{sources[int(alone[0])].name}: mentions without COREF lines, so that each is an "
            f"entity of its own{more}"
        )
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
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(kinds=True, types=True),
        write_files=write_files,
        losses=losses,
        companions=(".txt",),
        documentation="docs/formats/litbank.md",
    )
)
