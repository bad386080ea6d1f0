"""Losses of a conversion, found by reading back what was written.

Both corpora are reduced to facts about each document: its mentions, the kind of a mention, the
mentions of an entity, and so on. A fact of the original that is missing afterwards is a loss. Token
layers and sentence boundaries are not compared. What a format can represent is found in the same
way, from small documents.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate, zip_longest
from pathlib import Path

from corefine.corpus.columns import Kind, Relation
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, visible, without_empty_nodes
from corefine.corpus.selection import select_documents
from corefine.errors import FormatError
from corefine.formats.io.sources import Source, find_sources
from corefine.formats.reading import choose_sources
from corefine.formats.registry import Format

Facts = dict[str, Counter[Hashable]]
"""Facts by the category that messages name."""


def losses(corpus: Corpus, format: Format) -> list[str]:
    """Losses of a corpus when it is written in a format, as phrases with counts.

    >>> from corefine.formats import format_named
    >>> from corefine import Document, Kind, Mention
    >>> document = Document("d", ["Anna"], [Mention("a", [(0, 1)], kind=Kind.NAME)])
    >>> losses(Corpus.from_documents([document]), format_named("conll"))
    ['mention kinds (1)']
    """
    return losses_and_layers(corpus, format)[0]


def losses_and_layers(
    corpus: Corpus, format: Format, content: bytes | None = None
) -> tuple[list[str], list[str]]:
    """The losses of :func:`losses`, and the token layers that are left out.

    ``content`` is the corpus as it will be written, if not by the writer of the format.
    """
    try:
        if content is None:
            again = read_back(corpus, format)
        else:
            source = replace(
                Source.of_content(corpus.sources[0], content), name=f"{format.name} output"
            )
            again = format.corpus(source)
    except FormatError as error:
        return [f"documents that can be read again ({error})"], []
    return differences(corpus, again), lost_layers(corpus, again)


def lost_layers(before: Corpus, after: Corpus) -> list[str]:
    """Token layers of a corpus that another one with the same words lacks or has otherwise."""
    one, other = before.tokens, after.tokens
    if one is None or other is None:
        return []
    kept = {
        name
        for name, column in one.layers.items()
        if name in other.layers and column.tolist() == other.layers[name].tolist()
    }
    return [f"the layer {name}" for name in one.layers if name not in kept]


def read_back(corpus: Corpus, format: Format) -> Corpus:
    """Write a corpus and read the result."""
    format.refuse_missing(corpus)
    return round_trip(corpus, format)


def round_trip(corpus: Corpus, format: Format) -> Corpus:
    """Like :func:`read_back`, for a corpus that may lack what the format needs."""
    if format.files:
        with tempfile.TemporaryDirectory(prefix=".corefine-") as folder:
            for name, content in format.written(corpus):
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            sources = find_sources(folder)
            chosen, *_ = choose_sources(sources, sources[0].where(), format.name, None)
            return format.corpus(chosen)
    source = Source(f"{format.name} output", content=b"".join(format.written(corpus)))
    if format.read_against is not None:
        return format.read_against([source], corpus, "tolerant")
    return format.corpus(source)


def differences(before: Corpus, after: Corpus) -> list[str]:
    """Categories of facts that are in the first corpus and not in the second, with counts."""
    lost: Facts = defaultdict(Counter)
    if len(before) != len(after):
        lost["documents"][f"{len(before)} written, {len(after)} read"] = abs(
            len(before) - len(after)
        )
    else:
        for one, other in _paired(before, after):
            _compare(one, other, lost)
        _compare_names(before, after, lost)
    return [_phrase(category, facts) for category, facts in lost.items() if facts.total()]


def _paired(before: Corpus, after: Corpus) -> Iterator[tuple[Document, Document]]:
    """Documents of the same name, then those whose names have changed in their order."""
    position = {name: number for number, name in enumerate(after.documents)}
    known = set(before.documents)
    renamed = (number for name, number in position.items() if name not in known)
    numbers = [position[name] if name in position else next(renamed) for name in before.documents]
    others = select_documents(after, numbers)
    return zip(before, others, strict=True)


def _phrase(category: str, facts: Counter[Hashable]) -> str:
    example = next((fact for fact in facts if isinstance(fact, str)), None)
    shown = "" if not example else f", such as {example[:60]!r}"
    return f"{category} ({facts.total():,}{shown})"


def _compare(before: Document, after: Document, lost: Facts) -> None:
    """Add the facts that a document loses."""
    if before.named and before.name != after.name:
        lost["document names"][before.name] += 1
    if before.topic is not None and before.topic != after.topic:
        lost["topics"][before.topic] += 1
    by_character = after.running_text is not None
    if before.tokens is not None and after.tokens is None:
        lost["the text"][""] += 1
    if before.empty_nodes and not after.empty_nodes:
        lost["empty nodes (zeros)"][""] += len(before.empty_nodes)
        before = without_empty_nodes(before)
    if before.tokens is not None and after.tokens is not None:
        _compare_words(before, after, lost, by_character=by_character)
    _compare_mentions(before, after, lost, by_character=by_character)
    for name, annotation in before.annotations.items():
        other = after.annotations.get(name) or Document(before.name)
        one = replace(annotation, tokens=before.tokens, empty_nodes=before.empty_nodes)
        other = replace(other, tokens=after.tokens, empty_nodes=after.empty_nodes)
        inner: Facts = defaultdict(Counter)
        _compare_mentions(one, other, inner, by_character=by_character)
        count = sum(facts.total() for facts in inner.values())
        lost[f"the annotation of {name}"][0] += count


def _compare_words(before: Document, after: Document, lost: Facts, *, by_character: bool) -> None:
    words, others = _words(before), _words(after)
    # In running text, words may be split otherwise, but all of them need visible characters.
    if by_character and all(visible(word) for word in words):
        words, others = [visible("".join(words))], [visible("".join(others))]
    if words != others:
        differing = [one for one, other in zip_longest(words, others) if one != other]
        lost["words"].update("" if one is None else one for one in differing)
    if len(before.empty_nodes) > len(after.empty_nodes):
        count = len(before.empty_nodes) - len(after.empty_nodes)
        lost["empty nodes (zeros)"][""] += count


def _words(document: Document) -> list[str]:
    empty = set(document.empty_nodes)
    return [word for token, word in enumerate(document.tokens or ()) if token not in empty]


def _compare_mentions(
    before: Document, after: Document, lost: Facts, *, by_character: bool
) -> None:
    named = any(not mention.spans for mention in after.mentions)
    find, find_other = _positions(before, by_character), _positions(after, by_character)
    key: Callable[[Mention], Hashable] = _by_name if named else find
    other_key: Callable[[Mention], Hashable] = _by_name if named else find_other
    ours = [(key(mention), mention) for mention in before.mentions]
    theirs = [(other_key(mention), mention) for mention in after.mentions]
    kept, gone = _divided(ours, Counter(identity for identity, _ in theirs))
    others, added = _divided(theirs, Counter(identity for identity, _ in kept))
    for _, mention in added if not gone else ():
        lost["mentions that are read otherwise"][after.words_of(mention)] += 1
    for _, mention in gone:
        category = "mentions" if len(mention.spans) < 2 else "discontinuous mentions"
        lost[category][before.words_of(mention)] += 1
    facts, found = _facts(kept, before, find), _facts(others, after, find_other)
    for category, counts in facts.items():
        lost[category].update(counts - found.get(category, Counter()))


Identified = list[tuple[Hashable, Mention]]
"""Mentions with what identifies them in both documents."""


def _divided(mentions: Identified, known: Counter[Hashable]) -> tuple[Identified, Identified]:
    """Known mentions, each as often as it is known, and the remaining ones."""
    kept: Identified = []
    gone: Identified = []
    for identity, mention in mentions:
        (kept if known[identity] else gone).append((identity, mention))
        known[identity] -= known[identity] > 0
    return kept, gone


def _by_name(mention: Mention) -> Hashable:
    """Name of a mention as formats without text write it: first and last token."""
    if not mention.spans:
        return str(mention.name)
    ends = tuple((start, stop - 1) for start, stop in mention.spans)
    return str(ends if len(ends) > 1 else ends[0])


def _positions(document: Document, by_character: bool) -> Callable[[Mention], Hashable]:
    """A function from mentions to positions that count words, or visible characters.

    The position of an empty node is that of the preceding word with the number of the node.
    """
    if document.tokens is None:
        # Token positions are known even if the words are not.
        return lambda mention: tuple((start, 0, stop, 0) for start, stop in mention.spans)
    empty = set(document.empty_nodes)
    sizes = [
        0 if token in empty else len(visible(word)) if by_character else 1
        for token, word in enumerate(document.tokens)
    ]
    before = list(accumulate(sizes, initial=0))
    rank: list[int] = []
    for token in range(len(sizes)):
        follows = token - 1 in empty
        rank.append(0 if token not in empty else rank[-1] + 1 if follows else 1)

    def position(mention: Mention) -> Hashable:
        return tuple(
            (before[start], rank[start], before[stop], rank[stop - 1])
            for start, stop in mention.spans
        )

    return position


def _facts(
    mentions: Identified,
    document: Document,
    position: Callable[[Mention], Hashable],
) -> Facts:
    facts: Facts = defaultdict(Counter)
    entities: dict[str | int, list[Hashable]] = {}
    first_of: dict[Hashable, str | int] = {}

    def place(start: int, stop: int) -> Hashable:
        return position(Mention(0, [(start, stop)]))

    for identity, mention in mentions:
        entities.setdefault(mention.entity, []).append(identity)
        first_of.setdefault(identity, mention.entity)
        if mention.kind != Kind.UNKNOWN:
            facts["mention kinds"][identity, mention.kind] += 1
        if mention.head is not None:
            facts["heads"][identity, place(mention.head, mention.head + 1)] += 1
        if mention.type is not None:
            facts["types"][identity, mention.type] += 1
        if mention.minimum is not None:
            facts["minimum spans"][identity, place(*mention.minimum)] += 1
        for name, value in mention.attributes.items():
            facts[f"the mention attribute {name}"][identity, value] += 1
    names: dict[str, Hashable] = {}
    for entity, members in entities.items():
        members.sort(key=repr)
        names[str(entity)] = members[0]
        facts["entities"][tuple(members)] += 1
    times = Counter(identity for members in entities.values() for identity in members)
    for identity, entity in first_of.items():
        if times[identity] > 1:  # scoring keeps the first
            facts["the order of a mention's entities"][identity, tuple(entities[entity])] += 1
    for relation in document.relations:
        source = names.get(relation.source, relation.source)
        target = names.get(relation.target, relation.target)
        facts[f"{relation.kind} relations"][source, target, relation.label] += 1
    return facts


def _compare_names(before: Corpus, after: Corpus, lost: Facts) -> None:
    """Add the names of entities that several documents share, if they are not kept.

    Numbers are not compared: most formats number the entities of each document from the start.
    """
    if before.entities.names is None:
        return
    shared = Counter(
        name for name in before.entities.names if before.topics is not None or not name.isdecimal()
    )
    kept = Counter(after.entities.names or ())
    for name, times in shared.items():
        if times > 1 and kept[name] < times:
            lost["names of entities that documents share"][name] += 1


# --- capabilities ---------------------------------------------------------------------------------


@cache
def capabilities_of(format: Format) -> frozenset[str]:
    """Annotations of :data:`ANNOTATED` that survive a round trip, and ``text``.

    Of a format that is only read, only ``text`` is known.
    """
    if format.write is None:
        return frozenset(("text",))
    plain = _lost_of(_document(), format)
    kept = {name for name, document in ANNOTATED.items() if _lost_of(document(), format) == plain}
    kept.discard("names")
    if _lost_of(ANNOTATED["names"](), format) == []:
        kept.add("names")
    if format.read_against is not None:
        kept.discard("topics")  # an answer has the topic of its source
    if "the text (1)" not in plain:
        kept.add("text")
    return frozenset(kept)


def _lost_of(document: Document, format: Format) -> list[str]:
    """Losses of a small document, or the message of a writer that does not expect it."""
    corpus = Corpus.from_documents([document])
    try:
        return differences(corpus, round_trip(corpus, format))
    except Exception as error:  # a writer may not expect what its format cannot represent
        return [str(error) or "an error"]


def _document(**mention: object) -> Document:
    """A document whose mentions have these attributes."""
    words = ["Anna", "saw", "her", "old", "house"]
    mentions = [Mention("a", [(0, 1)]), Mention("a", [(2, 3)]), Mention("b", [(2, 5)])]
    for name, value in mention.items():
        setattr(mentions[2], name, value)
    return Document("d", words, mentions, [0])


def _having(**annotation: object) -> Document:
    """A document with other values of its own."""
    document = _document()
    for name, value in annotation.items():
        setattr(document, name, value)
    return document


_SPLIT = [Mention("a", [(0, 1)]), Mention("a", [(3, 4)]), Mention("b", [(2, 3), (4, 5)])]
_BRIDGE = Relation("bridge", 0, "b", "a", "", (2, 5), (0, 1))
ANNOTATED: dict[str, Callable[[], Document]] = {
    "names": lambda: Document("d", mentions=[Mention("a", [], name=name) for name in "mn"]),
    "kinds": lambda: _document(kind=Kind.NOMINAL),
    "heads": lambda: _document(head=4),
    "types": lambda: _document(type="PER"),
    "minimum_spans": lambda: _document(minimum=(4, 5)),
    "discontinuous": lambda: _having(mentions=_SPLIT),
    "zeros": lambda: _having(
        tokens=["Anna", "saw", "_", "old", "house"], empty_nodes=[2], mentions=_SPLIT[:1]
    ),
    "relations": lambda: _having(relations=[_BRIDGE]),
    "annotations": lambda: _having(
        annotations={"deixis": Document("d", mentions=[Mention("x", [(0, 2)])])}
    ),
    "attributes": lambda: _document(attributes={"other": "z"}),
    "topics": lambda: _having(topic="t"),
}
"""A document with each annotation; ``names`` are mentions without a position in a text."""
