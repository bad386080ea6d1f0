"""From the annotations and relations of CCL to mentions and entities."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corefine.columns import BoolArray, IntArray, Strings, numbered
from corefine.corpus import Entities, Kind, Mentions, Pieces
from corefine.errors import FormatError
from corefine.formats.ccl_annotations import Annotations, numbers_in
from corefine.formats.closure import linked
from corefine.formats.xml_tags import XmlTags, lies_in

NAMES, ZEROS, REFERRING = "nam", "anafora_verb_null", "anafora_wyznacznik"
_OF_MENTIONS = re.compile(r"(?:nam|anafora_|mention)")
_COREFERENCE = re.compile(r"coref", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:ppron12|ppron3|siebie)(?::|$)")
_VERB = re.compile(r"(?:fin|bedzie|praet|impt|imps|inf|winien|aglt|pcon|pant|pred)(?::|$)")
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
    repeated = np.zeros(len(found), bool)
    words = found.words_of(np.flatnonzero(gaps))
    seen: set[Sequence[int]] = set()
    for rows, keep in ((np.flatnonzero(related), True), (np.flatnonzero(wanted & ~related), False)):
        places = zip(rows.tolist(), start[rows].tolist(), stop[rows].tolist(), strict=True)
        for row, first, last in places:
            span = words.get(row, range(first, last))
            repeated[row] = span in seen and not keep
            seen.add(span)
    return repeated


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
    said = found.properties("type")
    types: dict[str, int] = {}
    numbers = np.full(len(rows), -1)
    for place, (row, channel) in enumerate(
        zip(rows.tolist(), found.channel[rows].tolist(), strict=True)
    ):
        name = found.channels[channel]
        given = said.get(row, name if name.startswith(f"{NAMES}_") else "")
        if given:
            numbers[place] = types.setdefault(given, len(types))
    return tuple(types), numbers


def _kinds(
    found: Annotations,
    rows: IntArray,
    spans: tuple[IntArray, IntArray],
    pos: tuple[IntArray, IntArray],
) -> NDArray[np.uint8]:
    """The kinds of these annotations."""
    start, stop = spans
    head = np.where(found.head >= 0, found.head, start)[rows]
    tags = Strings.cut(found.text.tags.text, pos[0][head], pos[1][head]).tolist()
    of_zeros = np.array([name.startswith(ZEROS) for name in found.channels], bool)
    # The verb of a zero is often annotated as an anaphor as well.
    zeros = set(start[of_zeros[found.channel] & (stop - start == 1)].tolist())
    said = found.properties("kind")
    kinds = []
    columns = (rows, start[rows], stop[rows], found.channel[rows], found.head[rows])
    for tag, row, first, last, channel, headed in zip(
        tags, *(column.tolist() for column in columns), strict=True
    ):
        name = found.channels[channel]
        if row in said:
            kinds.append(_KINDS.get(said[row], Kind.UNKNOWN))
        elif name.startswith(NAMES):
            kinds.append(Kind.NAME)
        elif name.startswith(ZEROS):
            kinds.append(Kind.ZERO)
        elif name.startswith("anafora_"):
            single = last - first == 1
            is_zero = single and first in zeros
            kinds.append(Kind.ZERO if is_zero else _kind_by_tag(tag, headed >= 0 or single))
        else:
            kinds.append(Kind.UNKNOWN)
    return np.array(kinds, np.uint8)


def _kind_by_tag(tag: str, of_head: bool) -> Kind:
    """The kind of an anaphor by a tag of its head, or of its first word: phrases are nominals."""
    if not of_head:
        return Kind.NOMINAL
    if not tag:
        return Kind.UNKNOWN
    if _PRONOUN.match(tag):
        return Kind.PRONOUN
    return Kind.ZERO if _VERB.match(tag) else Kind.NOMINAL
