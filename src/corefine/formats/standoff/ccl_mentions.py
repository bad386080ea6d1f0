"""From the annotations and relations of CCL to mentions and entities."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corefine.corpus.arrays import BoolArray, IntArray, numbered
from corefine.corpus.columns import Entities, Kind, Mentions, Pieces
from corefine.corpus.strings import Strings, numbered_bytes
from corefine.errors import FormatError
from corefine.formats.building.closure import linked
from corefine.formats.standoff.ccl_annotations import Annotations, numbers_in
from corefine.formats.text.xml_tags import XmlTags, lies_in

NAMES, ZEROS, REFERRING = "nam", "anafora_verb_null", "anafora_wyznacznik"
_OF_MENTIONS = re.compile(r"(?:nam|anafora_|mention)")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
_BY_TAG = -1
_KINDS = {kind.name.lower(): kind for kind in Kind}


def mentions_of(
    found: Annotations, files: Sequence[XmlTags], pos: tuple[IntArray, IntArray]
) -> tuple[Mentions, Entities, tuple[str, ...]]:
    """Mentions, entities and the names of types; ``files`` have the relations.

    ``pos`` says where the tag of each token lies.
    """
    left, right = _relations(found, files)
    of_mentions = np.array([bool(_OF_MENTIONS.match(name)) for name in found.channels], bool)
    related = np.zeros(len(found), bool)
    related[left] = related[right] = True
    wanted = related | of_mentions[found.channel] if len(found) else related
    start, stop, gaps = found.spans()
    wanted &= ~_repeats(found, wanted, related, start, stop, gaps)
    rows = np.flatnonzero(wanted)
    rows = rows[np.lexsort((-stop[rows], start[rows]))]
    document = found.text.sentence_files[found.sentence[rows]]
    base = found.text.offsets[document]
    label = linked(len(found), left, right)
    first, entity = numbered(label[rows])
    types, type = _types(found, rows)
    owner, begins, ends = found.pieces(np.flatnonzero(wanted & gaps))
    place = np.full(len(found), -1)
    place[rows] = np.arange(len(rows))
    order = np.argsort(place[owner], kind="stable")
    head = np.where(found.head[rows] < 0, -1, found.head[rows] - base)
    before = found.text.offsets[found.text.sentence_files[found.sentence[owner]]]
    begins, ends = begins - before, ends - before
    return (
        Mentions(
            document,
            entity,
            start[rows] - base,
            stop[rows] - base,
            None,
            _kinds(found, rows, (start, stop), pos),
            head if (head >= 0).any() else None,
            type,
            Pieces(place[owner][order], begins[order], ends[order]) if len(owner) else None,
        ),
        Entities(document[first]),
        types,
    )


def _repeats(
    found: Annotations,
    wanted: BoolArray,
    related: BoolArray,
    start: IntArray,
    stop: IntArray,
    gaps: BoolArray,
) -> BoolArray:
    """Annotations outside of relations of which another mention has the same words.

    One expression is often annotated in several channels, and related by one of them.
    """
    rows = np.concatenate([np.flatnonzero(related), np.flatnonzero(wanted & ~related)])
    whole = rows[~gaps[rows]]
    first, codes = numbered(start[whole] * (int(stop.max(initial=0)) + 1) + stop[whole])
    repeated = np.zeros(len(found), bool)
    repeated[whole] = first[codes] != np.arange(len(whole))
    words = found.words_of(np.flatnonzero(gaps))
    seen: set[tuple[int, ...]] = set()
    for row in rows[gaps[rows]].tolist():
        repeated[row] = words[row] in seen
        seen.add(words[row])
    return repeated & ~related


def _relations(found: Annotations, files: Sequence[XmlTags]) -> tuple[IntArray, IntArray]:
    """The annotations that relations of coreference lead from, and those that they lead to."""
    ends = [_ends(found, tags, name) for name in (b"from", b"to") for tags in files]
    left, right = ends[: len(files)], ends[len(files) :]
    return np.concatenate(left), np.concatenate(right)


def _ends(found: Annotations, tags: XmlTags, name: bytes) -> IntArray:
    """The annotations at one end of the relations of coreference in files."""
    opened, closed = tags.elements(b"rel")
    if not len(opened):
        return opened
    wanted = np.zeros(len(opened), bool)
    for attribute in (b"name", b"set"):
        column = tags.values(opened, attribute)
        leading, codes = numbered(column.codes())
        names = column.take(leading)
        wanted |= np.array([bool(_COREFERENCE.match(name)) for name in names], bool)[codes]
    ends = tags.named(name)
    owner, inside = lies_in(ends, opened, closed)
    ends, owner = ends[inside], owner[inside]
    lacking = wanted & (np.bincount(owner, minlength=len(opened)) != 1)
    if lacking.any():
        raise FormatError(
            f"a relation that has not one <{name.decode()}>",
            tags.where(int(opened[np.argmax(lacking)])),
            "It leads <from> one annotation <to> another.",
        )
    ends = ends[wanted[owner]]
    annotations = found.at(*_references(found, tags, ends))
    if (annotations < 0).any():
        end = int(ends[np.argmax(annotations < 0)])
        start, stop = int(tags.starts[end]), int(tags.starts[end + 1])
        shown = tags.text[start:stop].tobytes().decode("utf-8", "replace")[:100]
        raise FormatError(
            f"a relation to an annotation that there is not: {shown!r}",
            tags.where(end),
            "Sentence, channel and number must be those of an <ann> in the text.",
        )
    return annotations


def _references(
    found: Annotations, tags: XmlTags, ends: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Sentence, channel and number that ends of relations name, -1 where there is no such."""
    ids, files = found.text.sentence_ids, found.text.sentence_files
    wanted = tags.values(ends, b"sent")
    sentence = _places_of(wanted, ids, np.concatenate([files, tags.file_of(ends)]))
    channel = _places_of(tags.values(ends, b"chan"), Strings.from_list(found.channels))
    return sentence, channel, numbers_in(tags, *tags.contents(ends))


def _places_of(wanted: Strings, known: Strings, files: IntArray | None = None) -> IntArray:
    """Where each of the wanted strings stands among the known ones, -1 if it is not there.

    With ``files``, those of the known ones and then of the wanted, it must stand in the same.
    """
    codes = Strings.concatenate([known, wanted]).codes()
    if files is not None:
        codes = numbered(codes * (int(files.max(initial=0)) + 1) + files)[1]
    place = np.full(int(codes.max(initial=-1)) + 1, -1)
    place[codes[: len(known)][::-1]] = np.arange(len(known))[::-1]
    found = place[codes[len(known) :]]
    found[wanted.lengths == 0] = -1
    return found


def _types(found: Annotations, rows: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """The types of these annotations: what a property says, or else their channel of names."""
    known = {name: number for number, name in enumerate(found.channels)}
    is_type = np.array([name.startswith(f"{NAMES}_") for name in known], bool)
    given = np.where(is_type[found.channel], found.channel, -1) if len(found) else found.channel
    for row, name in found.properties("type").items():
        given[row] = known.setdefault(name, len(known)) if name else -1
    given = given[rows]
    typed = np.flatnonzero(given >= 0)
    first, codes = numbered(given[typed])
    names = list(known)
    numbers = np.full(len(rows), -1)
    numbers[typed] = codes
    return tuple(names[number] for number in given[typed[first]].tolist()), numbers


def _kinds(
    found: Annotations,
    rows: IntArray,
    spans: tuple[IntArray, IntArray],
    pos: tuple[IntArray, IntArray],
) -> NDArray[np.uint8]:
    """The kinds of these annotations."""
    start, stop = spans
    of_channel = np.array([_kind_by_channel(name) for name in found.channels], np.int64)
    kinds = of_channel[found.channel] if len(found) else found.channel
    anaphors = np.flatnonzero(kinds == _BY_TAG)
    single = stop[anaphors] - start[anaphors] == 1
    head = found.head[anaphors]
    known = single | (head >= 0)
    # The verb of a zero is often annotated as an anaphor as well.
    zeros = start[(kinds == Kind.ZERO) & (stop - start == 1)]
    of_verbs = single & np.isin(start[anaphors], zeros)
    head = np.where(head >= 0, head, start[anaphors])
    first, codes = numbered_bytes(found.text.tags.text, pos[0][head], pos[1][head] - pos[0][head])
    tags = Strings.cut(found.text.tags.text, pos[0][head[first]], pos[1][head[first]])
    by_tag = np.array([_kind_by_tag(tag) for tag in tags], np.int64)
    # A phrase of which nothing tells the head is a nominal.
    kinds[anaphors] = np.where(
        of_verbs, Kind.ZERO, np.where(known, by_tag[codes], Kind.NOMINAL) if len(first) else 0
    )
    for row, name in found.properties("kind").items():
        kinds[row] = _KINDS.get(name, Kind.UNKNOWN)
    return kinds[rows].astype(np.uint8)


def _kind_by_channel(name: str) -> int:
    """The kind of all annotations in a channel, or that their tags tell it."""
    if name.startswith(NAMES):
        return Kind.NAME
    if name.startswith(ZEROS):
        return Kind.ZERO
    return _BY_TAG if name.startswith("anafora_") else Kind.UNKNOWN


def _kind_by_tag(tag: str) -> Kind:
    """The kind of an anaphor by the tag of its head."""
    if not tag:
        return Kind.UNKNOWN
    if _PRONOUN.match(tag):
        return Kind.PRONOUN
    return Kind.ZERO if _VERB.match(tag) else Kind.NOMINAL
