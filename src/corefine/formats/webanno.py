"""WebAnno TSV 3, as INCEpTION writes it: one token per line, with a column for each feature.

The smallest valid file (columns are separated by tabs, and token lines end in one)::

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation


    #Text=Anna saw her house
    1-1	0-4	Anna	*[1]	*->1-1
    1-2	5-8	saw	_	_
    1-3	9-12	her	*[1]|*[2]	*->1-2|*->2-1
    1-4	13-18	house	*[2]	*->2-1

The header names the layers and their columns. In a chain layer (``T_CH``), cells have the type of a
mention with its chain, and the chain with the number of the mention. In a relation layer
(``T_RL``), cells have a label and the other end of the relation, ``1-3[2_1]``: annotation 2 at
token 1-3 and annotation 1 at this token, of the span layer (``T_SP``) that the header names. Lines
such as ``1-1.1`` are parts of tokens. Characters are UTF-16 code units of the whole text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple, NoReturn

from corefine.corpus.columns import Relation
from corefine.corpus.document import Document, Mention, Span
from corefine.corpus.words import refuse_nests
from corefine.formats.io.lines import code_point_offsets, files_of, text_lines
from corefine.formats.io.relations import is_coreference, kind_of
from corefine.formats.io.sources import Source, document_name
from corefine.formats.registry import Format, register

ENDING = ".tsv"
CHAINS = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_FORMAT = re.compile(rb"(?:\xef\xbb\xbf)?\s*#FORMAT=WebAnno TSV 3\.[0-9]+\s*?(?:\n|$)")
_TOKEN = re.compile(r"([0-9]{1,9})-[0-9]{1,9}(\.[0-9]{1,9})*\t([0-9]{1,9})-([0-9]{1,9})\t")
_LINK = re.compile(r"->([0-9]{1,9})-([0-9]{1,9})\Z")
_NUMBER = re.compile(r"\[([0-9]{1,9})\]\Z")
_END = re.compile(r"([0-9]{1,9}-[0-9]{1,9}(?:\.[0-9]{1,9})*)(?:\[([0-9]{1,9})_([0-9]{1,9})\])?")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_ESCAPE = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_RESERVED = re.compile(r"->|[\\\[\]|_;*\t\n]")
_REMEDY = (
    "A line has tab-separated cells: 1-1, 0-4 (UTF-16 code units), the token, and one for each "
    "column of the header. The second mention of chain 1 is pr[1] and coref->1-2; a relation of "
    "annotation 2 at token 1-3 with annotation 1 at this token is 1-3[2_1]."
)

Key = tuple[str, str]
"""The layer of an annotation and its id in the file, or its token if it has no id."""


class ChainLink(NamedTuple):
    """A relation between two annotations of a span layer, from the anaphor to the antecedent."""

    layer: str
    label: str
    anaphor: Key
    antecedent: Key
    line: int


@dataclass(slots=True)
class Sheet:
    """The content of a file."""

    source: Source
    layers: list[tuple[str, str, dict[str, int]]] = field(default_factory=list)
    """Kind, name, and features with their columns."""
    width: int = 3
    """Number of columns."""
    tokens: list[tuple[int, int, str, str, int]] = field(default_factory=list)
    """Start, stop, word, sentence and line."""
    mentions: dict[Key, Mention] = field(default_factory=dict)
    """Annotations, with spans in UTF-16 code units, and features as attributes."""
    last: dict[Key, int] = field(default_factory=dict)
    """The last token of each annotation."""
    links: list[ChainLink] = field(default_factory=list)

    def refuse(self, message: str, line: int | None) -> NoReturn:
        raise self.source.error(message, line, _REMEDY)

    def add_layer(self, line: str, number: int) -> None:
        """Add a layer of the header."""
        kind, _, description = line.partition("=")
        name, *features = description.rstrip().split("|")
        if kind == "#T_CH" and not {"referenceType", "referenceRelation"} <= set(features):
            self.refuse("a chain layer without referenceType or referenceRelation", number)
        columns = {feature: self.width + place for place, feature in enumerate(features)}
        self.layers.append((kind, name, columns))
        self.width += len(features)

    def add_line(self, line: str, number: int) -> None:
        """Add a line, which is a token or a part of one, with its annotations."""
        cells = line.split("\t")
        match = _TOKEN.match(line)
        if match is None or len(cells) < self.width:
            self.refuse(f"a line with {len(cells)} cells: {line[:60]!r}", number)
        start, stop, word = int(match[3]), int(match[4]), _unescaped(cells[2])
        before = self.tokens[-1] if self.tokens else (0, 0)
        if match[2] is None:
            fits = before[1] <= start and stop - start == _units(word)
            self.tokens.append((start, stop, word, match[1], number))
        else:
            fits = before[0] <= start <= stop <= before[1]
        if not fits:
            message = f"{cells[0]}, {word[:60]!r}, cannot cover characters {start} to {stop}"
            self.refuse(message, number)
        if cells[3 : self.width].count("_") < self.width - 3:
            self.annotate(cells, (start, stop), number)

    def annotate(self, cells: list[str], span: Span, line: int) -> None:
        """Add the annotations of a token, or of a part of one."""
        for kind, layer, features in self.layers:
            columns = {name: _stacked(cells[column]) for name, column in features.items()}
            if all(values == ["_"] for values in columns.values()):
                continue
            if kind == "#T_RL":
                self.add_links(layer, columns, cells[0], line)
                continue
            found = self.chained(columns, line) if kind == "#T_CH" else _spans(columns, cells[0])
            for id, attributes in found.items():
                mention = self.mentions.setdefault(
                    (layer, id), Mention("", [span], attributes=attributes)
                )
                place = len(self.tokens)
                if place - self.last.get((layer, id), place) > 1:
                    self.refuse(f"annotation {id} of the layer {layer} is at two places", line)
                self.last[layer, id] = place
                mention.spans = [(mention.spans[0][0], max(mention.spans[0][1], span[1]))]

    def chained(self, columns: dict[str, list[str]], line: int) -> dict[str, dict[str, str]]:
        """Mentions of chains at a token: ``chain-number``, and their features."""
        types, relations = columns["referenceType"], columns["referenceRelation"]
        found: dict[str, dict[str, str]] = {}
        for value, relation in zip_longest(types, relations, fillvalue="_"):
            link, number = _LINK.search(relation), _NUMBER.search(value)
            id = f"{link[1]}-{link[2]}" if link else ""
            if link is None or value == "_" or (number and number[1] != link[1]) or id in found:
                written = f"{'|'.join(types)[:60]!r} and {'|'.join(relations)[:60]!r}"
                self.refuse(f"{written} are not mentions", line)
            type = _NUMBER.sub("", value)
            found[id] = {} if type in ("*", "") else {"referenceType": _unescaped(type)}
        return found

    def add_links(self, layer: str, columns: dict[str, list[str]], address: str, line: int) -> None:
        """Add the relations of a relation layer at a token."""
        *features, base = columns
        target, ends = base.removeprefix("BT_"), columns[base]
        labels = columns[features[0]] if features else ["_"] * len(ends)
        for label, cell in zip_longest(labels, ends, fillvalue=""):
            end = _END.fullmatch(cell)
            if end is None or not label:
                self.refuse(f"{cell[:60]!r} is not the end of a relation", line)
            other, own = (number if number and number != "0" else "" for number in end.group(2, 3))
            plain = "" if label in ("_", "*") else _unescaped(label)
            anaphor, antecedent = (target, other or end[1]), (target, own or address)
            self.links.append(ChainLink(layer, plain, anaphor, antecedent, line))

    def document(self, label: str) -> Document:
        """The document: its chains or, without a chain layer, its relations."""
        chains = [name for kind, name, _ in self.layers if kind == "#T_CH"]
        layers = chains or {key[0] for link in self.links for key in link[2:4]}
        mentions = {key: mention for key, mention in self.mentions.items() if key[0] in layers}
        for (layer, id), mention in mentions.items():
            mention.type = mention.attributes.pop(next(iter(mention.attributes), ""), None)
            mention.kind = kind_of(mention.type or "")
            if chains:
                entity = id.partition("-")[0]
                mention.entity = entity if layer == chains[0] else f"{chains.index(layer)}.{entity}"
        document = self.with_tokens(list(mentions.values()))
        if self.links and not chains:
            self.link(document, list(mentions), label)
        if not mentions:
            message = "no chain layer (T_CH) and no relations (T_RL), so there are no mentions"
            document.warnings.append(f"{self.source.name}: {message}")
        return document

    def with_tokens(self, mentions: list[Mention]) -> Document:
        """The document of tokens and mentions whose spans count UTF-16 code units."""
        pieces: list[str] = []
        firsts: list[int] = []
        behind, before = 0, ""
        for start, stop, word, sentence, _ in self.tokens:
            pieces += [" " * (start - behind), word]
            firsts += [start] if sentence != before else []
            behind, before = stop, sentence
        text = "".join(pieces)
        offsets = code_point_offsets(text)
        for mention in mentions:
            mention.spans = [(offsets[start], offsets[stop]) for start, stop in mention.spans]
        spans = [(offsets[token[0]], offsets[token[1]]) for token in self.tokens]
        document = Document.from_text(
            document_name(self.source, ENDING), text, mentions, tokens=spans,
            sentences=[offsets[first] for first in firsts], source=self.source.name,
        )  # fmt: skip
        firsts_of_tokens = [start for start, _ in spans]
        document.lines = [
            self.tokens[bisect_right(firsts_of_tokens, start) - 1][4]
            for start, _ in document.offsets
        ]
        for node in document.empty_nodes:
            (document.tokens or [])[node] = "_"
        document.running_text, document.offsets = None, []
        return document

    def link(self, document: Document, keys: Sequence[Key], label: str) -> None:
        """Set entities by coreference relations, and add bridging relations.

        In a layer that is called coreference, all labels but those of bridging mean coreference.
        """
        place = {key: number for number, key in enumerate(keys)}
        pairs: list[tuple[int, int]] = []
        bridging: list[ChainLink] = []
        lost: list[int] = []
        others: set[str] = set()
        for link in self.links:
            whole = not label and "coref" in link.layer.rpartition(".")[2].lower()
            if link.anaphor not in place or link.antecedent not in place:
                lost.append(link.line)
            elif link.label.lower().startswith("bridg"):
                bridging.append(link)
            elif whole or not link.label or is_coreference(link.label, label):
                pairs.append((place[link.anaphor], place[link.antecedent]))
            else:
                others.add(link.label)
        if others and not pairs:
            raise self.source.error(
                f"no coreference relations, only {', '.join(sorted(others))[:60]}",
                None,
                f"Name the label of coreference with the format: webanno:{min(others)}.",
            )
        if lost:
            message = f"{len(lost):,} relations with annotations that do not exist are ignored"
            document.warnings.append(f"{self.source.where(lost[0])}: {message}")
        document.link(pairs)
        for mention in document.mentions:
            mention.entity = str(mention.entity)
        for link in bridging:
            one = document.mentions[place[link.anaphor]]
            other = document.mentions[place[link.antecedent]]
            kind = "split" if link.label.endswith(":aggr") else "bridge"
            ends = (str(one.entity), str(other.entity), link.label, one.spans[0], other.spans[0])
            document.relations.append(Relation(kind, 0, *ends))


def read(source: Source, label: str = "") -> Iterator[Document]:
    """Read the document of a file; ``label`` marks coreference relations."""
    sheet = Sheet(source)
    if not _FORMAT.match(source.head()):
        sheet.refuse("the first line is not #FORMAT=WebAnno TSV 3.0 to 3.9", 1)
    for number, line in text_lines(source):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            sheet.add_layer(line, number)
        elif line.strip() and not line.startswith("#"):
            sheet.add_line(line, number)
    yield sheet.document(label)


def _spans(columns: dict[str, list[str]], address: str) -> dict[str, dict[str, str]]:
    """Ids and features of the annotations of a span layer at a token."""
    found: dict[str, dict[str, str]] = {}
    for name, values in columns.items():
        for value in values:
            if value != "_":
                number = _NUMBER.search(value)
                features = found.setdefault(number[1] if number else address, {})
                value = _NUMBER.sub("", value)
                if value not in ("_", "*", ""):
                    features[name] = _unescaped(value)
    return found


def _stacked(cell: str) -> list[str]:
    """The values of a cell, which are separated by bars."""
    return _BAR.sub("\\1\0", cell).split("\0") if "|" in cell else [cell]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _CONTROLS.get(found[1], found[1]), text)


def _units(text: str) -> int:
    """Number of UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


# --- writing --------------------------------------------------------------------------------------


def write(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """Write a file per document, with a chain layer."""
    for document, name in files_of(documents):
        # Every word of a mention repeats it.
        words = sum(mention.end - mention.start for mention in document.mentions)
        refuse_nests(words, len(document.tokens or ()), len(document.mentions))
        yield f"{name}{ENDING}", "\n".join(_lines(document)).encode("utf-8", "surrogatepass")


def _lines(document: Document) -> Iterator[str]:
    yield "#FORMAT=WebAnno TSV 3.3"
    yield f"#T_CH={CHAINS}|referenceType|referenceRelation"
    yield ""
    tokens = [re.sub(r"[\x00-\x1f]", " ", token) or "_" for token in document.tokens or ()]
    cells = _cells(document)
    place = 0
    starts = document.starts or ([0] if tokens else [])
    for number, (start, stop) in enumerate(pairwise([*starts, len(tokens)]), 1):
        escaped = [token.replace("\\", "\\\\") for token in tokens[start:stop]]
        yield ""
        yield f"#Text={' '.join(escaped)}"
        for token in range(start, stop):
            end = place + _units(tokens[token])
            types, links = zip(*cells.get(token, [("_", "_")]), strict=True)
            yield (
                f"{number}-{token - start + 1}\t{place}-{end}\t{escaped[token - start]}"
                f"\t{'|'.join(types)}\t{'|'.join(links)}\t"
            )
            place = end + 1
    yield ""


def _cells(document: Document) -> dict[int, list[tuple[str, str]]]:
    """Types and links of the mentions at each token."""
    ordered = sorted(document.mentions, key=lambda one: (one.spans[0][0], one.spans[-1][1]))
    chains: dict[str | int, list[Mention]] = {}
    for mention in ordered:
        chains.setdefault(mention.entity, []).append(mention)
    cells: dict[int, list[tuple[str, str]]] = {}
    for chain, mentions in enumerate(chains.values(), 1):
        for number, mention in enumerate(mentions, 1):
            type = "*" if mention.type is None else _escaped(mention.type)
            for token in range(mention.spans[0][0], mention.spans[-1][1]):
                cells.setdefault(token, []).append((f"{type}[{chain}]", f"*->{chain}-{number}"))
    return cells


def _escaped(text: str) -> str:
    controls = {"\t": "\\t", "\n": "\\n"}
    return _RESERVED.sub(lambda found: controls.get(found[0], f"\\{found[0]}"), text)


def detect(head: bytes, name: str) -> bool:
    """True if the first line names the format."""
    return _FORMAT.match(head) is not None


WEBANNO = register(
    Format(
        "webanno",
        "WebAnno TSV 3, INCEpTION: chains and relations",
        (ENDING,),
        read,
        detect,
        write=write,
        files=True,
    )
)
