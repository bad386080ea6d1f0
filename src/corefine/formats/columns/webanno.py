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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

from corefine.corpus.columns import Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import FormatError, Location
from corefine.formats.input.lines import text_lines, tokens_of
from corefine.formats.input.sources import Source, document_name, file_names
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.relations import is_coreference, kind_of

ENDING = ".tsv"
CHAINS = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_FORMAT = re.compile(rb"(?:\xef\xbb\xbf)?\s*#FORMAT=WebAnno TSV 3\.[0-9]")
_VERSION = re.compile(r"#FORMAT=WebAnno TSV 3\.[0-9]+\s*")
_TOKEN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})((?:\.[0-9]{1,9})*)")
_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_LINK = re.compile(r"->([0-9]{1,9})-([0-9]{1,9})\Z")
_NUMBER = re.compile(r"\[([0-9]{1,9})\]\Z")
_END = re.compile(r"([0-9]{1,9}-[0-9]{1,9}(?:\.[0-9]{1,9})*)(?:\[([0-9]{1,9})_([0-9]{1,9})\])?")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_ESCAPE = re.compile(r"\\(->|.)", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_RESERVED = re.compile(r"->|[\\\[\]|_;*\t\n]")
_REMEDY = (
    "A line has tab-separated cells: 1-1, 0-4, the token, and one cell for each column of the "
    "header."
)


@dataclass(slots=True)
class Layer:
    """A layer of the header: its kind, its name, and its features with their columns."""

    kind: str
    name: str
    features: dict[str, int]


@dataclass(slots=True)
class Annotation:
    """An annotation of consecutive tokens: its span in UTF-16 code units, and its features."""

    start: int
    stop: int
    where: Location
    token: int
    """The last of its tokens so far."""
    features: dict[str, str]


@dataclass(slots=True)
class Link:
    """A relation between two annotations of a span layer, from the anaphor to the antecedent."""

    label: str
    anaphor: tuple[str, str]
    antecedent: tuple[str, str]
    where: Location


@dataclass(slots=True)
class Sheet:
    """The content of a file."""

    tokens: list[tuple[int, int, str, int, int]] = field(default_factory=list)
    """Start, stop, word, sentence and line."""
    annotations: dict[tuple[str, str], Annotation] = field(default_factory=dict)
    """Annotations by layer and id: that of the file, or the token of one without id."""
    links: dict[str, list[Link]] = field(default_factory=dict)
    """Relations by the name of their layer."""


def read(source: Source, label: str = "") -> Iterator[Document]:
    """Read the document of a file; ``label`` is that of coreference relations."""
    layers: list[Layer] = []
    sheet = Sheet()
    first = True
    for number, line in text_lines(source):
        if first and line.strip():
            first = False
            if not _VERSION.fullmatch(line):
                raise FormatError(
                    "the first line is not a WebAnno TSV 3 header",
                    source.where(number),
                    "It must be #FORMAT=WebAnno TSV 3.3 (or 3.0 to 3.2).",
                )
        elif line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")) and not sheet.tokens:
            layers.append(_layer(line, layers, source.where(number)))
        elif line.strip() and not line.startswith("#"):
            _add_line(sheet, line.split("\t"), number, layers, source.where(number))
    if first:
        raise FormatError("the file is empty", source.where(), "Check that this is the right file.")
    yield _document(sheet, layers, document_name(source, ENDING), source, label)


def _layer(line: str, layers: Sequence[Layer], where: Location) -> Layer:
    kind, _, description = line.partition("=")
    name, *features = description.rstrip().split("|")
    if kind == "#T_CH" and not {"referenceType", "referenceRelation"} <= set(features):
        raise FormatError(
            "a chain layer without referenceType or referenceRelation",
            where,
            f"Write: #T_CH={CHAINS}|referenceType|referenceRelation",
        )
    column = 3 + sum(len(layer.features) for layer in layers)
    return Layer(kind, name, {name: column + place for place, name in enumerate(features)})


def _add_line(
    sheet: Sheet, cells: list[str], number: int, layers: Sequence[Layer], where: Location
) -> None:
    """Add a line, which is a token or a part of one, with its annotations."""
    width = 3 + sum(len(layer.features) for layer in layers)
    id, place = _TOKEN.fullmatch(cells[0]), _PLACE.fullmatch("".join(cells[1:2]))
    if id is None or place is None or len(cells) < width:
        text = "\t".join(cells)
        raise FormatError(f"a line with {len(cells)} cells: {text[:60]!r}", where, _REMEDY)
    start, stop = int(place[1]), int(place[2])
    before = sheet.tokens[-1] if sheet.tokens else (0, 0, "", 0, 0)
    if not id[3]:
        word = _unescaped(cells[2])
        if stop - start != _units(word) or start < before[1]:
            raise FormatError(
                f"token {word[:60]!r} cannot cover characters {start} to {stop}",
                where,
                "Tokens follow one another; characters are UTF-16 code units.",
            )
        sheet.tokens.append((start, stop, word, int(id[1]), number))
    elif not sheet.tokens or not before[0] <= start <= stop <= before[1]:
        raise FormatError(f"{cells[0]} is not a part of the preceding token", where, _REMEDY)
    for layer in layers:
        columns = {name: _stacked(cells[column]) for name, column in layer.features.items()}
        if all(values == ["_"] for values in columns.values()):
            continue
        if layer.kind == "#T_RL":
            _add_links(sheet, layer, columns, cells[0], where)
        else:
            token = Annotation(start, stop, where, len(sheet.tokens), {})
            _add_annotations(sheet, layer, columns, cells[0], token)


def _add_annotations(
    sheet: Sheet,
    layer: Layer,
    columns: dict[str, list[str]],
    address: str,
    token: Annotation,
) -> None:
    """Add the annotations of a span or chain layer at a token."""
    if layer.kind == "#T_CH":
        here = _chain_links(columns, token.where)
    else:
        here = {}
        for name, values in columns.items():
            for value in values:
                if value == "_":
                    continue
                number = _NUMBER.search(value)
                id = number[1] if number else address
                here.setdefault(id, {})[name] = _NUMBER.sub("", value)
    for id, features in here.items():
        known = sheet.annotations.get((layer.name, id))
        if known is None:
            kept = {
                name: _unescaped(value)
                for name, value in features.items()
                if value not in ("_", "*", "")
            }
            sheet.annotations[layer.name, id] = Annotation(
                token.start, token.stop, token.where, token.token, kept
            )
        elif token.token - known.token > 1:
            raise FormatError(
                f"annotation {id} of the layer {layer.name} is at two places, first at "
                f"{known.where}",
                token.where,
                "The tokens of an annotation follow one another; number annotations once.",
            )
        else:
            known.start, known.stop = min(known.start, token.start), max(known.stop, token.stop)
            known.token = token.token


def _chain_links(columns: dict[str, list[str]], where: Location) -> dict[str, dict[str, str]]:
    """The mentions of chains at a token: ``chain-number``, and their features."""
    types, relations = columns["referenceType"], columns["referenceRelation"]
    found: dict[str, dict[str, str]] = {}
    for type, relation in zip_longest(types, relations, fillvalue="_"):
        link, number = _LINK.search(relation), _NUMBER.search(type)
        id = f"{link[1]}-{link[2]}" if link else ""
        if link is None or type == "_" or (number and number[1] != link[1]) or id in found:
            raise FormatError(
                f"{'|'.join(types)[:60]!r} and {'|'.join(relations)[:60]!r} are not mentions",
                where,
                "A mention is written pr[1] and coref->1-2: the second mention of chain 1.",
            )
        found[id] = {"referenceType": _NUMBER.sub("", type)}
    return found


def _add_links(
    sheet: Sheet,
    layer: Layer,
    columns: dict[str, list[str]],
    address: str,
    where: Location,
) -> None:
    """Add the relations of a relation layer at a token."""
    *features, base = columns
    target = base.removeprefix("BT_")
    for place, cell in enumerate(columns[base]):
        end = _END.fullmatch(cell)
        if end is None:
            raise FormatError(
                f"{cell[:60]!r} is not the end of a relation",
                where,
                "A relation is written 1-3[2_1]: annotations 2 at token 1-3 and 1 at this token.",
            )
        other, own = (end[2] or "0"), (end[3] or "0")
        labels = columns[features[0]] if features else []
        if features and len(labels) != len(columns[base]):
            raise FormatError(
                f"{len(labels)} labels for {len(columns[base])} relations", where, _REMEDY
            )
        label = labels[place] if features else "_"
        sheet.links.setdefault(layer.name, []).append(
            Link(
                "" if label in ("_", "*") else _unescaped(label),
                (target, other if other != "0" else end[1]),
                (target, own if own != "0" else address),
                where,
            )
        )


def _document(
    sheet: Sheet, layers: Sequence[Layer], name: str, source: Source, label: str
) -> Document:
    chains = [layer.name for layer in layers if layer.kind == "#T_CH"]
    kept = [key for key in sheet.annotations if key[0] in chains]
    mentions = []
    for layer, id in kept:
        entity = id.partition("-")[0]
        entity = entity if layer == chains[0] else f"{chains.index(layer)}.{entity}"
        mentions.append(_mention(sheet.annotations[layer, id], entity))
    relations: list[Link] = []
    if not chains:
        relations = [link for links in sheet.links.values() for link in links]
        bases = {end[0] for link in relations for end in (link.anaphor, link.antecedent)}
        kept = [key for key in sheet.annotations if key[0] in bases]
        mentions = [_mention(sheet.annotations[key], 0) for key in kept]
    document = _with_tokens(sheet, mentions, name, source)
    if relations:
        _link(document, kept, sheet.links, source, label)
    if not mentions:
        document.warnings.append(
            f"{source.name}: no chain layer (T_CH) and no relations (T_RL), so there are no "
            "mentions"
        )
    return document


def _mention(annotation: Annotation, entity: str | int) -> Mention:
    """The mention of an annotation, in UTF-16 code units; its first feature is its type."""
    features = dict(annotation.features)
    type = features.pop(next(iter(features))) if features else None
    return Mention(
        entity,
        [(annotation.start, annotation.stop)],
        kind=kind_of(type or ""),
        type=type,
        attributes=features,
        where=annotation.where,
    )


def _with_tokens(sheet: Sheet, mentions: list[Mention], name: str, source: Source) -> Document:
    """The document of tokens and mentions whose spans count UTF-16 code units."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    points = {0: 0}
    units = characters = 0
    for start, _, word, _, _ in sheet.tokens:
        pieces.append(" " * (start - units))
        characters += start - units
        units = start
        points[units] = characters
        spans.append((characters, characters + len(word)))
        for character in word:
            units += _units(character)
            characters += 1
            points[units] = characters
        pieces.append(word)
    for mention in mentions:
        ((start, stop),) = mention.spans
        if start not in points or stop not in points:
            raise FormatError(
                f"a mention at characters {start} to {stop}, inside of a character",
                mention.where,
                "Characters are UTF-16 code units.",
            )
        mention.spans = [(points[start], points[stop])]
    firsts = [
        span[0]
        for number, span in enumerate(spans)
        if number == 0 or sheet.tokens[number][3] != sheet.tokens[number - 1][3]
    ]
    lines = [str(line) for *_, line in sheet.tokens]
    document = Document.from_text(
        name, "".join(pieces), mentions, tokens=spans, sentences=firsts, layers={"line": lines},
        source=source.name,
    )  # fmt: skip
    line = 1
    for text in document.layers.pop("line"):
        line = int(text or line)
        document.lines.append(line)
    for node in document.empty_nodes:
        (document.tokens or [])[node] = "_"
    document.text, document.offsets = None, []
    return document


def _link(
    document: Document,
    keys: Sequence[tuple[str, str]],
    links: dict[str, list[Link]],
    source: Source,
    label: str,
) -> None:
    """Set entities by coreference relations, and add bridging relations.

    In a layer that is called coreference, every label but those of bridging is one of coreference.
    """
    place = {key: number for number, key in enumerate(keys)}
    pairs: list[tuple[int, int]] = []
    bridging: list[tuple[Link, int, int]] = []
    others: set[str] = set()
    for name, found in links.items():
        whole = not label and "coref" in name.rpartition(".")[2].lower()
        for link in found:
            if link.anaphor not in place or link.antecedent not in place:
                raise FormatError(
                    "a relation with an annotation that does not exist",
                    link.where,
                    "A relation is written 1-3[2_1]: annotations 2 at token 1-3 and 1 at this "
                    "token.",
                )
            pair = (place[link.anaphor], place[link.antecedent])
            if link.label.lower().startswith("bridg"):
                bridging.append((link, *pair))
            elif whole or not link.label or is_coreference(link.label, label):
                pairs.append(pair)
            else:
                others.add(link.label)
    if others and not pairs:
        raise FormatError(
            f"no coreference relations, only {', '.join(sorted(others))[:60]}",
            source.where(),
            f"Name the label of coreference with the format: webanno:{min(others)}.",
        )
    document.link(pairs)
    for mention in document.mentions:
        mention.entity = str(mention.entity)
    for link, anaphor, antecedent in bridging:
        first, second = document.mentions[anaphor], document.mentions[antecedent]
        document.relations.append(
            Relation(
                "split" if link.label.endswith(":aggr") else "bridge",
                0,
                str(first.entity),
                str(second.entity),
                link.label,
                first.spans[0],
                second.spans[0],
            )
        )


def _stacked(cell: str) -> list[str]:
    """The values of a cell, which are separated by bars."""
    return _BAR.sub("\\1\0", cell).split("\0")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _CONTROLS.get(found[1], found[1]), text)


def _units(text: str) -> int:
    """Number of UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


# --- writing --------------------------------------------------------------------------------------


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Write a file per document, with a chain layer."""
    for name, document in zip(file_names(corpus.documents), corpus, strict=True):
        lines = _lines(without_empty_nodes(document))
        yield f"{name}{ENDING}", "\n".join(lines).encode("utf-8", "surrogatepass")


def _lines(document: Document) -> Iterator[str]:
    yield "#FORMAT=WebAnno TSV 3.3"
    yield f"#T_CH={CHAINS}|referenceType|referenceRelation"
    yield ""
    tokens = [re.sub(r"[\x00-\x1f]", " ", token) or "_" for token in tokens_of(document)]
    cells = _cells(document)
    place = 0
    starts = document.sentences or ([0] if tokens else [])
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
        capabilities=Capabilities(entity_names=False, types=True),
        documentation="docs/formats/webanno.md",
        write_files=write_files,
        read_labelled=read,
    )
)
