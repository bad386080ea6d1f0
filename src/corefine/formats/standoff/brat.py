"""brat standoff: running text, and annotations of its characters in a second file.

The smallest valid document is two files. ``x.txt`` has the text::

    Anna saw her house.

``x.ann`` has the annotations, with a tab after each id and before the words::

    T1	PROP_PER 0 4	Anna
    T2	PRON_PER 9 12	her
    R1	Coref Arg1:T2 Arg2:T1

``T`` lines are mentions: type, start and end in characters (``0 4;9 12`` if discontinuous), words.
Relations ``R`` of coreference, and classes such as ``* Equiv T1 T2``, form entities as connected
components; other mentions are singletons. Relations whose type is a usual name of coreference
(``Coref``, ``Identity``, ``Same_as``, …) are used; the format ``brat:LABEL`` uses those of the type
LABEL instead. A type that begins with ``PROP``, ``NOM`` or ``PRON``, as in LitBank, is the kind.
In addition, LitBank names entities by further annotations of the same characters with
types such as ``ANNA-0``. Triggers of events are no mentions; attributes, notes and other relations
are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from corefine.corpus.columns import Kind
from corefine.corpus.document import Document, Mention, Span, without_empty_nodes
from corefine.errors import FormatError
from corefine.formats.input.lines import read_text, text_lines, written_text
from corefine.formats.input.sources import Source, companion, document_name, file_names, stem
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.relations import is_coreference

ANNOTATIONS, TEXT = ".ann", ".txt"
KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""Names of kinds; LitBank itself has no zeros."""
UNTYPED = "Mention"

_LINE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:T[0-9]+\t\S+ [0-9]+ [0-9]+|R[0-9]+\t\S+ \S+:[TE][0-9]"
    rb"|\*\t\S+ [TE][0-9]|E[0-9]+\t\S+:T[0-9]|[AM][0-9]+\t\S+ [TER][0-9]"
    rb"|N[0-9]+\tReference |#[0-9]*\t)"
)
_MENTION = re.compile(r"(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)")
_RELATION = re.compile(r"(\S+) [^\s:]+:(\S+) [^\s:]+:(\S+) *")
_EVENT = re.compile(r"[^\s:]+:(\S+)(?: .*)?")
_WITH_KIND = re.compile(rf"({'|'.join(KINDS.values())})(?:_(.+))?")
_KIND_OF = {name: kind for kind, name in KINDS.items()}
_ENTITY = re.compile(r".+-[0-9]+")
"""Types that name entities in LitBank."""
_SAMPLES = {
    "T": "A mention is written, with tabs after the id and before the words: T1, Person 0 4, Anna.",
    "R": "A relation is written, with a tab after the id: R1, Coref Arg1:T2 Arg2:T1.",
    "E": "An event is written, with a tab after the id: E1, Type:T1 Role:T2.",
    "*": "An equivalence class is written, with a tab after the asterisk: *, Equiv T1 T2.",
    "C": "An entity name is written, with tabs in between: COREF, T1, ANNA-0.",
}


@dataclass(slots=True)
class _Annotations:
    """The annotations of a file."""

    mentions: dict[str, Mention] = field(default_factory=dict)
    """Mentions by id, with spans of characters and types as written."""
    links: list[tuple[int, str, str]] = field(default_factory=list)
    """Line and ids of two mentions that corefer."""
    names: list[tuple[int, str, str]] = field(default_factory=list)
    """Line, id of a mention, name of its entity."""
    triggers: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Line and trigger of each event."""
    other_relations: set[str] = field(default_factory=set)


def read(source: Source, *, label: str = "") -> Iterator[Document]:
    """The document of a file of annotations, with its text.

    ``label`` is the type of coreference relations; by default usual names.
    """
    beside = _text_beside(source)
    found = _parse(source, label)
    text = _as_counted(read_text(beside), found.mentions.values())
    mentions = _mentions(found, source, document_name(source, ANNOTATIONS))
    document = Document.from_text(
        document_name(source, ANNOTATIONS), text, mentions.listed, source=beside.name
    )
    newlines = [match.start() for match in re.finditer("\n", text)]
    document.lines = [1 + bisect_right(newlines, start) for start, _ in document.offsets]
    document.warnings = mentions.warnings
    yield document


def _text_beside(source: Source) -> Source:
    """The text file of a file of annotations."""
    if source.path is None:
        raise FormatError(
            "annotations need a path, so that the text file can be found",
            source.where(),
            f"Give the path of a file that ends in {ANNOTATIONS}.",
        )
    own = source.path.name.removesuffix(".gz")
    if own.endswith(TEXT):
        raise FormatError(
            "this is a text file; the annotations are in another file",
            source.where(),
            f"Give {own.removesuffix(TEXT) + ANNOTATIONS} instead.",
        )
    name = stem(source, ANNOTATIONS) + TEXT
    found = companion(source, (name,))
    if found is None:
        raise FormatError(
            f"the text file {name} is missing",
            source.where(),
            "Put it next to the annotations, which refer to it.",
        )
    return found


def _parse(source: Source, label: str) -> _Annotations:
    found = _Annotations()
    for number, line in text_lines(source):
        initial = line[:1]
        id, *cells = line.split("\t", 2)
        if initial in ("A", "M", "N", "#") or not line.strip():
            continue
        if initial not in _SAMPLES:
            _refuse("not a brat annotation", line, source, number, "T")
        if not cells:
            _refuse("no second field", line, source, number)
        if initial == "T":
            match = _MENTION.fullmatch(cells[0])
            if match is None:
                _refuse("a malformed mention", line, source, number)
            if id in found.mentions:
                _refuse("duplicate id", line, source, number)
            spans = [_span(part) for part in match[2].split(";")]
            if any(start >= stop for start, stop in spans):
                _refuse("a mention without characters", line, source, number)
            quoted = cells[1] if len(cells) > 1 else None
            found.mentions[id] = Mention(
                "", sorted(spans), type=match[1], quoted=quoted, where=source.where(number)
            )
        elif initial == "R":
            match = _RELATION.fullmatch(cells[0])
            if match is None:
                _refuse("a malformed relation", line, source, number)
            if is_coreference(match[1], label):
                found.links.append((number, match[2], match[3]))
            else:
                found.other_relations.add(match[1])
        elif initial == "E":
            match = _EVENT.fullmatch(cells[0])
            if match is None:
                _refuse("a malformed event", line, source, number)
            found.triggers[id] = (number, match[1])
        elif initial == "*":
            type, *members = cells[0].split() or [""]
            if not members:
                _refuse("an equivalence class without members", line, source, number)
            if type.lower() == "equiv" or is_coreference(type, label):
                found.links += [(number, members[0], member) for member in members]
        else:
            if id != "COREF" or len(cells) != 2:
                _refuse("not a brat annotation", line, source, number)
            found.names.append((number, cells[0], cells[1]))
    return found


def _span(part: str) -> Span:
    start, _, stop = part.partition(" ")
    return int(start), int(stop)


def _refuse(
    what: str, line: str, source: Source, number: int, sample: str | None = None
) -> NoReturn:
    raise FormatError(f"{what}: {line[:60]!r}", source.where(number), _SAMPLES[sample or line[:1]])


@dataclass(slots=True)
class _Mentions:
    """Mentions of a document, and warnings about their entities."""

    listed: list[Mention]
    warnings: list[str]


def _mentions(found: _Annotations, source: Source, name: str) -> _Mentions:
    """Mentions with their entities, kinds and types."""
    with_kinds = any(_WITH_KIND.fullmatch(one.type or "") for one in found.mentions.values())
    labels = {
        id: one
        for id, one in found.mentions.items()
        if with_kinds and _ENTITY.fullmatch(one.type or "") and not _kind(one.type)[0]
    }
    # A label names the entity of the mention of the same characters, or is a mention itself.
    at_span: dict[object, str] = {}
    for id, one in [*found.mentions.items(), *labels.items()]:
        if id not in labels or tuple(one.spans) not in at_span:
            at_span.setdefault(tuple(one.spans), id)
    stands_for = {id: at_span[tuple(one.spans)] for id, one in labels.items()}
    names = [(stands_for[id], one.type or "") for id, one in labels.items()]
    for number, id, entity in found.names:
        names.append((_target(id, found, source, number, stands_for), entity))
    links = [
        (_target(left, found, source, number, stands_for),
         _target(right, found, source, number, stands_for))
        for number, left, right in found.links
    ]  # fmt: skip
    entity_names: dict[str, str] = {}
    repeated = 0
    for id, entity in names:
        repeated += entity_names.setdefault(id, entity) != entity
    first: dict[str, str] = {}
    for id, entity in entity_names.items():
        links.append((first.setdefault(entity, id), id))
    used = {id for link in links for id in link}
    triggers = {_target(id, found, source, number, {}) for number, id in found.triggers.values()}
    kept = [
        id
        for id in found.mentions
        if stands_for.get(id, id) == id and (id not in triggers or id in used)
    ]
    document = Document(name, mentions=[found.mentions[id] for id in kept])
    row = {id: number for number, id in enumerate(kept)}
    document.link((row[left], row[right]) for left, right in links)
    if entity_names:
        given = {
            document.mentions[row[id]].entity: entity_names[id] for id in reversed(entity_names)
        }
        for mention in document.mentions:
            root = mention.entity
            mention.entity = given.get(root, f"{name}:{kept[int(root)]}")
    for id, mention in zip(kept, document.mentions, strict=True):
        mention.kind, mention.type = _kind(mention.type)
        if id in labels:
            mention.type = None
    warnings = []
    if repeated:
        warnings.append(f"{repeated} annotations assign a mention to a second entity: ignored")
    if found.other_relations and not found.links and not entity_names:
        relations = ", ".join(sorted(found.other_relations))
        warnings.append(
            f"no coreference relations, only: {relations[:60]!r}; name the one of coreference in "
            "the format, brat:LABEL"
        )
    return _Mentions(document.mentions, warnings)


def _target(
    id: str, found: _Annotations, source: Source, number: int, stands_for: dict[str, str]
) -> str:
    """The mention with an id, or that of the trigger of the event with this id."""
    if id not in found.mentions and id in found.triggers:
        number, id = found.triggers[id]
    if id not in found.mentions:
        raise FormatError(
            f"unknown id {id[:60]!r}", source.where(number), "It must be the id of a mention."
        )
    return stands_for.get(id, id)


def _kind(type: str | None) -> tuple[Kind, str | None]:
    """Kind and semantic type of an annotation type."""
    match = _WITH_KIND.fullmatch(type or "")
    if match is None:
        return Kind.UNKNOWN, None if type == UNTYPED else type
    return _KIND_OF[match[1]], match[2]


def _as_counted(text: str, mentions: Iterable[Mention]) -> str:
    """The text with line ends as the annotations count them.

    brat counts a carriage return and a newline as two characters, tools that read text in lines as
    one. The quoted words decide; brat's way is the default.
    """
    if text.startswith("\ufeff"):
        text = " " + text[1:]  # which counts as a character
    if "\r" not in text:
        return text
    shorter = text.replace("\r\n", "\n")
    listed = [one for one in mentions if len(one.spans) == 1 and one.quoted]

    def agreeing(content: str) -> int:
        return sum(
            (one.quoted or "").split() == content[one.spans[0][0] : one.spans[0][1]].split()
            for one in listed
        )

    return shorter if agreeing(shorter) > agreeing(text) else text


def write_files(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.ann``."""
    listed = [without_empty_nodes(document) for document in documents]
    for document, name in zip(listed, file_names([one.name for one in listed]), strict=True):
        text, offsets = written_text(document)
        lines: list[str] = []
        last: dict[str | int, int] = {}
        for number, mention in enumerate(document.mentions, 1):
            spans = [(offsets[start][0], offsets[stop - 1][1]) for start, stop in mention.spans]
            places = ";".join(f"{start} {stop}" for start, stop in spans)
            words = " ".join(re.sub(r"[\r\n\t]", " ", text[slice(*span)]) for span in spans)
            lines.append(f"T{number}\t{_written_type(mention)} {places}\t{words}\n")
            if mention.entity in last:
                lines.append(f"R{number}\tCoref Arg1:T{number} Arg2:T{last[mention.entity]}\n")
            last[mention.entity] = number
        yield f"{name}{TEXT}", text.encode("utf-8", "surrogatepass")
        yield f"{name}{ANNOTATIONS}", "".join(lines).encode("utf-8", "surrogatepass")


def _written_type(mention: Mention) -> str:
    """Kind and type in one word, which is not mistaken for another kind or for an entity."""
    type = re.sub(r"[\x00-\x20]+", "_", mention.type or "")
    type = re.sub(r"-([0-9]+)$", r"_\1", type)
    if type and (type == UNTYPED or _WITH_KIND.fullmatch(type)):
        type = f"_{type}"
    return "_".join(filter(None, (KINDS.get(mention.kind, ""), type))) or UNTYPED


def detect(head: bytes, name: str) -> bool:
    """True if the first line is an annotation of brat."""
    return _LINE.match(head) is not None


BRAT = register(
    Format(
        name="brat",
        title="brat standoff",
        suffixes=(ANNOTATIONS,),
        read=read,
        read_labelled=read,
        detect=detect,
        capabilities=Capabilities(entity_names=False, kinds=True, types=True, discontinuous=True),
        write_files=write_files,
        companions=(TEXT, ".conf"),
        empty_files=True,
        documentation="docs/formats/brat.md",
    )
)
