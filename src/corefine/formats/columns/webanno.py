"""WebAnno TSV 3, as INCEpTION writes it: one token a line, coreference in the columns of chains.

The smallest valid file (columns are separated by tabs, and lines of tokens end in one)::

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation


    #Text=Anna saw her house
    1-1	0-4	Anna	*[1]	*->1-1
    1-2	5-8	saw	_	_
    1-3	9-12	her	*[1]|*[2]	*->1-2|*->2-1
    1-4	13-18	house	*[2]	*->2-1

The header names the columns behind the third. A layer of chains (``T_CH``) has the type of a
mention with the number of its chain, and the relation with chain and number of the mention: the
tokens that tell the same of these are one mention. Lines such as ``1-1.1`` are parts of tokens.
Characters are counted in the 16-bit units of UTF-16, over the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.errors import FormatError
from corefine.formats.building.cut_tokens import cut
from corefine.formats.building.document_rows import DocumentRows
from corefine.formats.building.reference_types import kind_of
from corefine.formats.building.utf16 import code_point_offsets
from corefine.formats.building.written_text import with_text
from corefine.formats.input.folders import document_name, file_names, lost_names
from corefine.formats.input.lines import text_lines
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.text.token_lines import WrittenLines, lost_words

ENDING = ".tsv"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_FORMAT = re.compile(rb"(?:\xef\xbb\xbf)?\s*#FORMAT=WebAnno TSV 3\.[0-9]+")
_VERSION = re.compile(r"#FORMAT=WebAnno TSV 3\.[0-9]+\s*")
_TOKEN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})((?:\.[0-9]{1,9})*)")
_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_LINK = re.compile(r"(?s:.*)->([0-9]{1,9})-([0-9]{1,9})")
_TYPE = re.compile(r"(?s:(.*?))(?:\[([0-9]{1,9})\])?")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_ESCAPE = re.compile(r"\\(->|.)", re.DOTALL)
_SIGNS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_RESERVED = re.compile(r"->|[\\\[\]|_;*\t\n]")
_SAMPLE = (
    "A line has tab-separated cells: 1-1, 0-4, the token, and one cell for each column "
    "of the header."
)


@dataclass(slots=True)
class _Header:
    """The columns of the layers of chains: those of types, and those of relations."""

    columns: int = 0
    chains: list[tuple[int, int]] = field(default_factory=list)

    def take(self, line: str, number: int, source: Source) -> None:
        """A line of the header that names a layer and its columns."""
        sort, _, layer = line.partition("=")
        names = layer.split("|")[1:]
        if sort == "#T_CH":
            if not {"referenceType", "referenceRelation"} <= set(names):
                raise FormatError(
                    "a chain layer without referenceType or referenceRelation",
                    source.where(number),
                    f"Write: #T_CH={LAYER}|referenceType|referenceRelation",
                )
            type, relation = names.index("referenceType"), names.index("referenceRelation")
            self.chains.append((self.columns + type, self.columns + relation))
        self.columns += len(names)


@dataclass(slots=True)
class _Sheet:
    """What the lines of one document say."""

    tokens: list[tuple[int, int]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    mentions: dict[tuple[int, int, int], tuple[int, int, str, int]] = field(default_factory=dict)
    """By layer, chain and number: first and last character, type and line."""


def read(source: Source, layers: frozenset[str] | None) -> Corpus:
    """The one document of a file."""
    return read_many([source], layers)


def read_many(sources: Sequence[Source], layers: frozenset[str] | None) -> Corpus:
    """The documents of files."""
    rows = DocumentRows()
    for source in sources:
        rows.begin(document_name(source, ENDING), source.name)
        _assemble(_read(source, rows.warnings), rows, source)
    return rows.corpus("webanno")


def _read(source: Source, warnings: list[str]) -> _Sheet:
    header, sheet, begun = _Header(), _Sheet(), False
    for number, line in text_lines(source):
        if not begun:
            begun = bool(line.strip())
            if begun and not _VERSION.fullmatch(line):
                raise FormatError(
                    "the first line is not a WebAnno TSV 3 header",
                    source.where(number),
                    "It must be #FORMAT=WebAnno TSV 3.3 (or 3.0 to 3.2).",
                )
        elif line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")) and not sheet.tokens:
            header.take(line, number, source)
        elif line.strip() and not line.startswith("#"):
            _take_token(line, number, header, sheet, source)
    if not begun:
        raise FormatError("the file is empty", source.where(), "Check that this is the right file.")
    if not header.chains:
        warnings.append(f"{source.name}: no chain layer (T_CH), so there are no mentions")
    return sheet


def _take_token(line: str, number: int, header: _Header, sheet: _Sheet, source: Source) -> None:
    cells = line.split("\t")
    id, place = _TOKEN.fullmatch(cells[0]), _PLACE.fullmatch(cells[1] if len(cells) > 1 else "")
    if id is None or place is None or len(cells) < 3 + header.columns:
        raise FormatError(
            f"a line with {len(cells)} cells: {line[:60]!r}", source.where(number), _SAMPLE
        )
    start, stop = int(place[1]), int(place[2])
    word = _unescaped(cells[2])
    if not id[3]:
        size = len(code_point_offsets(word)) - 1
        if stop - start != size or (sheet.tokens and start < sheet.tokens[-1][1]):
            raise FormatError(
                f"token {word[:60]!r} cannot cover characters {start} to {stop}",
                source.where(number),
                "Tokens follow one another; characters are UTF-16 code units.",
            )
        sheet.tokens.append((start, stop))
        sheet.words.append(word)
        sheet.sentence.append(int(id[1]))
        sheet.lines.append(number)
    elif not sheet.tokens or not sheet.tokens[-1][0] <= start <= stop <= sheet.tokens[-1][1]:
        raise FormatError(
            f"{cells[0]} is not a part of the preceding token", source.where(number), _SAMPLE
        )
    for layer, (type, relation) in enumerate(header.chains):
        types, relations = _stacked(cells[3 + type]), _stacked(cells[3 + relation])
        if relations == ["_"] and types == ["_"]:
            continue
        for place_in, link in enumerate(relations):
            found = _LINK.fullmatch(link)
            told = _TYPE.fullmatch(types[place_in]) if place_in < len(types) else None
            if found is None or told is None or (told[2] or found[1]) != found[1]:
                raise FormatError(
                    f"{cells[3 + type][:60]!r} and {cells[3 + relation][:60]!r} are not mentions",
                    source.where(number),
                    "A mention is written pr[1] and coref->1-2: the second mention of chain 1.",
                )
            name = "" if told[1] == "*" else _unescaped(told[1])
            key = (layer, int(found[1]), int(found[2]))
            low, high, type_known, line_known = sheet.mentions.get(key, (start, stop, name, number))
            sheet.mentions[key] = (min(low, start), max(high, stop), type_known, line_known)


def _stacked(cell: str) -> list[str]:
    """The annotations of a cell, which has a bar between them."""
    return _BAR.sub("\\1\0", cell).split("\0")


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _SIGNS.get(found[1], found[1]), text) if "\\" in text else text


def _assemble(sheet: _Sheet, rows: DocumentRows, source: Source) -> None:
    found = cut(sheet.tokens, [(low, high) for low, high, _, _ in sheet.mentions.values()])
    for (low, high), owner in zip(found.pieces, found.owner, strict=True):
        token = max(owner, 0)
        word = "_"
        if low < high:
            offsets, base = code_point_offsets(sheet.words[token]), sheet.tokens[token][0]
            word = sheet.words[token][offsets[low - base] : offsets[high - base]]
        rows.add(word, sheet.sentence[token], sheet.lines[token], empty=low == high)
    for (layer, chain, _), (_, _, type, line), (start, stop) in zip(
        sheet.mentions, sheet.mentions.values(), found.mentions, strict=True
    ):
        if stop <= start:
            raise FormatError("a mention without a token", source.where(line), _SAMPLE)
        entity = str(chain) if not layer else f"{layer}.{chain}"
        rows.mentions.add(rows.document, entity, [(start, stop)], kind_of(type), type)


def _escaped(text: str) -> str:
    """A value of an annotation with a backslash before signs that mean something."""
    names = {"\t": "\\t", "\n": "\\n"}
    return _RESERVED.sub(lambda sign: names.get(sign[0], f"\\{sign[0]}"), text)


def losses(corpus: Corpus) -> list[str]:
    """What these files cannot say of this corpus."""
    types = [name for name in corpus.types if name == "*" or not name.isprintable()]
    lost = lost_names(corpus.documents) + lost_words(corpus)
    return [*lost, f"entity types such as {types[0]!r}"] if types else lost


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents."""
    corpus, tokens = with_text(corpus, "WebAnno TSV")
    mentions = corpus.mentions
    words = WrittenLines.of(tokens).words
    bounds = np.searchsorted(mentions.document, np.arange(len(corpus) + 1)).tolist()
    sentences = np.append(tokens.sentences, len(tokens))
    for document, name in enumerate(file_names(corpus.documents)):
        first, last = tokens.offsets[document : document + 2].tolist()
        cells = _cells(corpus, range(bounds[document], bounds[document + 1]))
        low, high = np.searchsorted(sentences, [first, last])
        starts = sorted({*sentences[low:high].tolist(), first, last})
        lines = ["#FORMAT=WebAnno TSV 3.3", f"#T_CH={LAYER}|referenceType|referenceRelation", ""]
        place = 0
        for number, (start, stop) in enumerate(pairwise(starts), 1):
            text = [_text(word) for word in words[start:stop]]
            lines += ["", f"#Text={' '.join(text)}"]
            for token in range(start, stop):
                end = place + len(code_point_offsets(words[token])) - 1
                types, relations = cells.get(token - first, ("_", "_"))
                lines.append(
                    f"{number}-{token - start + 1}\t{place}-{end}\t{text[token - start]}"
                    f"\t{types}\t{relations}\t"
                )
                place = end + 1
        yield f"{name}{ENDING}", "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def _text(word: str) -> str:
    return word.replace("\\", "\\\\")


def _cells(corpus: Corpus, rows: range) -> dict[int, tuple[str, str]]:
    """Types and relations of the mentions of a document, by the tokens that they are at."""
    mentions = corpus.mentions
    chains: dict[int, list[int]] = {}
    for row in sorted(rows, key=lambda row: (mentions.start[row], mentions.stop[row])):
        chains.setdefault(int(mentions.entity[row]), []).append(row)
    told: dict[int, list[tuple[str, str]]] = {}
    for chain, members in enumerate(chains.values(), 1):
        for link, row in enumerate(members, 1):
            type = -1 if mentions.type is None else int(mentions.type[row])
            name = _escaped(corpus.types[type]) if type >= 0 else "*"
            for token in range(int(mentions.start[row]), int(mentions.stop[row])):
                told.setdefault(token, []).append((f"{name}[{chain}]", f"*->{chain}-{link}"))
    return {
        token: ("|".join(type for type, _ in found), "|".join(link for _, link in found))
        for token, found in told.items()
    }


def sniff(head: bytes, name: str) -> float:
    """Sure where the first line names the format, though the columns may look like CoNLL-U."""
    return 1.0 if _FORMAT.match(head) else 0.0


WEBANNO = register(
    Format(
        name="webanno",
        title="WebAnno TSV 3, INCEpTION: chains",
        suffixes=(ENDING,),
        sniff=sniff,
        read_columns=read,
        read_many=read_many,
        capabilities=Capabilities(entity_names=False, types=True),
        write_files=write_files,
        losses=losses,
        documentation="docs/formats/webanno.md",
    )
)
