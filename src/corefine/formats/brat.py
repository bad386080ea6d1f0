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
If nothing else groups mentions, types such as ``Cluster1`` are entities, with a warning.
In addition, LitBank names entities by further annotations of the same characters with
types such as ``ANNA-0``. Triggers of events are no mentions; attributes, notes and other relations
are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from corefine.corpus.columns import Kind
from corefine.corpus.document import (
    Document,
    Mention,
    Span,
    connected_components,
)
from corefine.formats.io.lines import begins_with, files_of, read_text, text_lines, text_of
from corefine.formats.io.relations import KIND_OF_NAME, KINDS, is_coreference
from corefine.formats.io.sources import Source, companion, document_name, stem
from corefine.formats.registry import Format, register

ANNOTATIONS, TEXT = ".ann", ".txt"
UNTYPED = "Mention"

_DETECT = begins_with(
    rb"(?:T[0-9]+\t\S+ [0-9]+ [0-9]+|R[0-9]+\t\S+ \S+:[TE][0-9]"
    rb"|\*\t\S+ [TE][0-9]|E[0-9]+\t\S+:T[0-9]|[AM][0-9]+\t\S+ [TER][0-9]"
    rb"|N[0-9]+\tReference |#[0-9]*\t)",
    empty=ANNOTATIONS,
)
_PATTERNS = {
    "T": re.compile(r"(\S+)\t(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)(?:\t(.*))?"),
    "R": re.compile(r"(\S+)\t(\S+) [^\s:]+:(\S+) [^\s:]+:(\S+)\s*"),
    "E": re.compile(r"(\S+)\t[^\s:]+:(\S+)(?: .*)?"),
    "*": re.compile(r"(\*)\t(\S+) (\S+(?: +\S+)*) *"),
}
"""Lines by their first letter; lines of other letters are not used."""
_REMEDY = (
    "Write, with tabs: T1, Person 0 4, Anna for mentions; R1, Coref Arg1:T2 Arg2:T1 for relations; "
    "E1, Type:T1 for events; *, Equiv T1 T2 for classes."
)
_UNUSED = ("A", "M", "N", "#")
_WITH_KIND = re.compile(rf"({'|'.join(KINDS.values())})(?:_(.+))?")
_ENTITY = re.compile(r".+-[0-9]+")
"""Types that name entities in LitBank."""
_CLUSTER = re.compile(r"(?:c|e|chain|cluster|coref|entity|group|set)[-_]?[0-9]+", re.IGNORECASE)
"""Types that number entities, such as ``Cluster1``."""


@dataclass(slots=True)
class _Annotations:
    """The annotations of a file."""

    mentions: dict[str, Mention] = field(default_factory=dict)
    """Mentions by id, with spans of characters and types as written."""
    links: list[tuple[int, str, str]] = field(default_factory=list)
    """Line and ids of two mentions or events that corefer."""
    triggers: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Line and trigger of each event."""
    other_relations: set[str] = field(default_factory=set)


def read(source: Source, *, label: str = "") -> Iterator[Document]:
    """The document of a file of annotations, with its text.

    ``label`` is the type of coreference relations; by default usual names.
    """
    name = stem(source, ANNOTATIONS) + TEXT
    beside = companion(source, (name,))
    if beside is None or beside.path == source.path:
        remedy = f"Give the path of a file that ends in {ANNOTATIONS}, with the text next to it."
        raise source.error(f"the text file {name} is missing", None, remedy)
    name = document_name(source, ANNOTATIONS)
    found = _parse(source, label)
    text = read_text(beside)
    if text.startswith("\ufeff"):
        text = " " + text[1:]  # which counts as a character
    mentions, warnings = _mentions(found, source, name)
    document = Document.from_text(name, text, mentions, source=beside.name)
    newlines = [match.start() for match in re.finditer("\n", text)]
    document.lines = [1 + bisect_right(newlines, start) for start, _ in document.offsets]
    document.warnings += warnings
    yield document


def _parse(source: Source, label: str) -> _Annotations:
    found = _Annotations()
    ids = {"*": 0}
    for number, line in text_lines(source):
        if not line.strip() or line.startswith(_UNUSED):
            continue
        pattern = _PATTERNS.get(line[0])
        match = None if pattern is None else pattern.fullmatch(line)
        if match is None or (match[1] != "*" and ids.setdefault(match[1], number) != number):
            what = "not a brat annotation" if match is None else "duplicate id"
            raise source.error(f"{what}: {line[:60]!r}", number, _REMEDY)
        if line[0] == "T":
            spans = [(int(a), int(b)) for a, b in (p.split() for p in match[3].split(";"))]
            if any(start >= stop for start, stop in spans):
                raise source.error("a mention without characters", number, _REMEDY)
            found.mentions[match[1]] = Mention(
                "", sorted(spans), type=match[2], quoted=match[4], where=source.where(number)
            )
        elif line[0] == "E":
            found.triggers[match[1]] = (number, match[2])
        elif is_coreference(match[2], label) or (line[0] == "*" and match[2].lower() == "equiv"):
            first, *others = match[3].split() if line[0] == "*" else match.group(3, 4)
            found.links += [(number, first, other) for other in others or [first]]
        elif line[0] == "R":
            found.other_relations.add(match[2])
    return found


def _mentions(found: _Annotations, source: Source, name: str) -> tuple[list[Mention], list[str]]:
    """Mentions with their entities, kinds and types, and warnings."""
    mentions = found.mentions
    labels: set[str] = set()
    if any(_WITH_KIND.fullmatch(one.type or "") for one in mentions.values()):
        labels = {id for id, one in mentions.items() if _ENTITY.fullmatch(one.type or "")}
        labels -= {id for id in labels if _kind(mentions[id].type)[0]}
    # A label names the entity of the mention of the same characters, or is a mention itself.
    at_span: dict[tuple[Span, ...], str] = {}
    for id in sorted(mentions, key=labels.__contains__):
        at_span.setdefault(tuple(mentions[id].spans), id)
    owner = {id: at_span[tuple(mentions[id].spans)] for id in mentions if id in labels}
    names: dict[str, str] = {}
    warnings = []
    repeated = 0
    for id, of in owner.items():
        entity = mentions[id].type or ""
        repeated += names.setdefault(of, entity) != entity
    if _types_are_entities(found):
        names = {id: one.type or "" for id, one in mentions.items()}
        labels = set(mentions)
        first = next(iter(mentions.values()))
        warnings.append(f"{first.where}: types such as {first.type!r} are read as entities")

    def target(id: str, line: int) -> str:
        line, id = found.triggers.get(id, (line, id))
        if id not in mentions:
            raise source.error(f"unknown id {id[:60]!r}", line, _REMEDY)
        return owner.get(id, id)

    links = [(target(left, line), target(right, line)) for line, left, right in found.links]
    first_of: dict[str, str] = {}
    links += [(first_of.setdefault(entity, id), id) for id, entity in names.items()]
    used = {id for link in links for id in link}
    unused = {target(id, line) for line, id in found.triggers.values()} - used
    kept = [id for id in mentions if owner.get(id, id) == id and id not in unused]
    row = {id: number for number, id in enumerate(kept)}
    roots = connected_components(len(kept), [(row[left], row[right]) for left, right in links])
    named = {roots[row[id]]: names[id] for id in reversed(names)}
    for id, root in zip(kept, roots, strict=True):
        mention = mentions[id]
        mention.entity = named.get(root, f"{name}:{kept[root]}") if names else root
        mention.kind, mention.type = (Kind.UNKNOWN, None) if id in labels else _kind(mention.type)
    if repeated:
        warnings.append(f"{repeated} annotations assign a mention to a second entity: ignored")
    if found.other_relations and not links:
        relations = ", ".join(sorted(found.other_relations))
        warnings.append(
            f"no coreference relations, only: {relations[:60]!r}; name the one of coreference in "
            "the format, brat:LABEL"
        )
    return [mentions[id] for id in kept], warnings


def _types_are_entities(found: _Annotations) -> bool:
    """True if types such as ``Cluster1`` group mentions, and nothing else does."""
    types = [mention.type or "" for mention in found.mentions.values()]
    numbered = all(map(_CLUSTER.fullmatch, types)) and len(set(types)) < len(types)
    return numbered and not found.links and not found.triggers


def _kind(type: str | None) -> tuple[Kind, str | None]:
    """Kind and semantic type of an annotation type."""
    match = _WITH_KIND.fullmatch(type or "")
    if match is None:
        return Kind.UNKNOWN, None if type == UNTYPED else type
    return KIND_OF_NAME[match[1]], match[2]


def write(documents: Iterable[Document]) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.txt`` and ``x.ann``."""
    for document, name in files_of(documents):
        text, offsets = text_of(document, lines=True)
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


register(
    Format(
        "brat",
        "brat standoff",
        (ANNOTATIONS,),
        read,
        _DETECT,
        write,
        files=True,
        companions=(TEXT, ".conf"),
    )
)
