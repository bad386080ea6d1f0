"""The annotations of CCL files: tokens that have the same number in a channel of a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray, numbered, offsets_of
from corefine.corpus.strings import Strings
from corefine.errors import FormatError, Location
from corefine.formats.text.numerals import whole_numbers
from corefine.formats.text.xml_tags import XmlTags, equal_to, lies_in

_ZERO = b"0"[0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Text:
    """The sentences and tokens of CCL files, by their tags."""

    tags: XmlTags
    token: IntArray
    """The tag that opens each token."""
    closed: IntArray
    """The tag that closes it."""
    sentence: IntArray
    """The sentence of each token."""
    sentence_ids: Strings
    """The id of each sentence; empty where it has none."""
    sentence_files: IntArray
    """The file of each sentence."""
    offsets: IntArray
    """How many tokens stand before each file; one entry more than there are files."""

    @classmethod
    def of(cls, tags: XmlTags) -> Text:
        token, closed = tags.elements(b"tok")
        opened, ends, ids = _sentences(tags)
        sentence, inside = lies_in(token, opened, ends)
        if not inside.all():
            where = tags.where(int(token[np.argmin(inside)]))
            raise FormatError("a token outside of any sentence", where, "Put it into one.")
        nested = closed[:-1] > token[1:]
        if nested.any():
            where = tags.where(int(token[np.argmax(nested) + 1]))
            raise FormatError("a token inside a token", where, "Put it behind it.")
        offsets = np.searchsorted(token, np.searchsorted(tags.starts, tags.offsets))
        return cls(tags, token, closed, sentence, ids, tags.file_of(opened), offsets)

    def words(self) -> Strings:
        """The words as they stand in the text: the ``orth`` of each token."""
        orth, owner = self.inside(b"orth")
        counts = np.bincount(owner, minlength=len(self.token))
        if (counts != 1).any():
            token = int(np.argmax(counts != 1))
            what = "without <orth>" if counts[token] == 0 else "with several <orth>"
            where = self.tags.where(int(self.token[token]))
            raise FormatError(f"a token {what}", where, "A token has one <orth>word</orth>.")
        return self.tags.strings(*self.tags.contents(orth))

    def inside(self, name: bytes) -> tuple[IntArray, IntArray]:
        """The tags of this name that lie in tokens, and the token of each."""
        found = self.tags.named(name)
        owner, there = lies_in(found, self.token, self.closed)
        return (found, owner) if there.all() else (found[there], owner[there])

    def layers(self) -> dict[str, tuple[IntArray, IntArray]]:
        """Where lemma and tag of each token lie: those of the lexeme that was chosen, or first."""
        lexeme, closed = self.tags.elements(b"lex")
        owner, there = lies_in(lexeme, self.token, self.closed)
        lexeme, closed, owner = lexeme[there], closed[there], owner[there]
        chosen = equal_to(self.tags.values(lexeme, b"disamb"), b"1")
        of_token = np.full(len(self.token), -1)
        for rows in (np.flatnonzero(~chosen)[::-1], np.flatnonzero(chosen)[::-1]):
            of_token[owner[rows]] = rows
        layers = {}
        for layer, name in (("lemma", b"base"), ("pos", b"ctag")):
            found = self.tags.named(name)
            lies, there = lies_in(found, lexeme, closed)
            found, lies = found[there], lies[there]
            tag = np.full(len(lexeme) + 1, -1)
            tag[lies[::-1]] = found[::-1]
            wanted = tag[of_token]
            starts, stops = self.tags.contents(np.maximum(wanted, 0))
            layers[layer] = (np.where(wanted < 0, 0, starts), np.where(wanted < 0, 0, stops))
        return layers


def _sentences(tags: XmlTags) -> tuple[IntArray, IntArray, Strings]:
    """The tags that open and close sentences, and their ids."""
    opened, closed = tags.elements(b"sentence")
    if not len(opened):
        # Older files have chunks of the type "s".
        opened, closed = tags.elements(b"chunk")
        wanted = equal_to(tags.values(opened, b"type"), b"s")
        opened, closed = opened[wanted], closed[wanted]
    return opened, closed, tags.values(opened, b"id")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Annotations:
    """The annotations of files, in the order of their first tokens."""

    text: Text
    sentence: IntArray
    channel: IntArray
    """The channel of each, as an index of ``channels``."""
    number: IntArray
    """Its number in its channel and sentence."""
    channels: list[str]
    tag: IntArray
    """The tag that says so of its first token."""
    owner: IntArray
    """For each token that is annotated, the annotation; in order."""
    token: IntArray
    """And that token."""
    head: IntArray
    """The token that is marked as head, -1 if none is."""

    @classmethod
    def of(cls, text: Text) -> Annotations:
        tags = text.tags
        found, token = text.inside(b"ann")
        starts, stops = tags.contents(found)
        zero = (stops - starts == 1) & (tags.text[starts] == _ZERO)
        rows = np.flatnonzero(~zero)
        found, token = found[rows], token[rows]
        number = numbers_in(tags, starts[rows], stops[rows])
        if (number < 0).any():
            row = rows[np.argmin(number)]
            written = tags.text[starts[row] : stops[row]].tobytes().decode("utf-8")[:60]
            raise FormatError(
                f"an annotation that is no whole number: {written!r}",
                tags.where(int(found[np.argmin(number)])),
                "0 is a token outside; those of an annotation have its number.",
            )
        rows = np.flatnonzero(number)
        found, token, number = found[rows], token[rows], number[rows]
        named = tags.values(found, b"chan")
        if (named.lengths == 0).any():
            where = tags.where(int(found[np.argmin(named.lengths)]))
            raise FormatError("an <ann> without a channel", where, 'Give it: <ann chan="…">')
        leading, channel = numbered(named.codes())
        channels = named.take(leading).tolist()
        sentence = text.sentence[token]
        place = sentence * max(len(channels), 1) + channel
        first, annotation = numbered((place << 30) + number)
        head = np.full(len(first), -1)
        rows = np.flatnonzero(equal_to(tags.values(found, b"head"), b"1"))[::-1]
        head[annotation[rows]] = token[rows]
        order = np.lexsort((token, annotation))
        # A token may say the same twice.
        again = np.zeros(len(order), bool)
        again[1:] = (np.diff(annotation[order]) == 0) & (np.diff(token[order]) == 0)
        order = order[~again]
        return cls(
            text,
            sentence[first],
            channel[first],
            number[first],
            channels,
            found[first],
            annotation[order],
            token[order],
            head,
        )

    def __len__(self) -> int:
        return len(self.tag)

    def where(self, annotation: int) -> Location:
        return self.text.tags.where(int(self.tag[annotation]))

    def spans(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Start and stop of each, and which of them have gaps."""
        bounds = offsets_of(np.bincount(self.owner, minlength=len(self)))
        start, stop = self.token[bounds[:-1]], self.token[bounds[1:] - 1] + 1
        return start, stop, stop - start > np.diff(bounds)

    def pieces(self, wanted: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The parts without gaps of these annotations: the annotation, start and stop of each."""
        chosen = np.zeros(len(self), bool)
        chosen[wanted] = True
        rows = np.flatnonzero(chosen[self.owner])
        owner, token = self.owner[rows], self.token[rows]
        breaks = np.ones(len(rows) + 1, bool)
        breaks[1:-1] = (np.diff(owner) != 0) | (np.diff(token) != 1)
        first, last = np.flatnonzero(breaks[:-1]), np.flatnonzero(breaks[1:])
        return owner[first], token[first], token[last] + 1

    def at(self, sentence: IntArray, channel: IntArray, number: IntArray) -> IntArray:
        """The annotation of this number in a channel of a sentence; -1 where there is none."""
        if not len(self):
            return np.full(len(sentence), -1)
        codes = self._codes(self.sentence, self.channel, self.number)
        order = np.argsort(codes)
        wanted = self._codes(sentence, channel, number)
        place = order[np.minimum(np.searchsorted(codes, wanted, sorter=order), len(order) - 1)]
        known = (sentence >= 0) & (channel >= 0) & (number >= 0)
        return np.where(known & (codes[place] == wanted), place, -1)

    def _codes(self, sentence: IntArray, channel: IntArray, number: IntArray) -> IntArray:
        return ((sentence * len(self.channels) + channel) << 30) + number

    def words_of(self, annotations: IntArray) -> dict[int, tuple[int, ...]]:
        """The tokens of these annotations."""
        bounds = offsets_of(np.bincount(self.owner, minlength=len(self)))
        return {
            row: tuple(self.token[bounds[row] : bounds[row + 1]].tolist())
            for row in annotations.tolist()
        }

    def properties(self, name: str) -> dict[int, str]:
        """What properties such as ``channel:name`` say of annotations, by their first tokens."""
        found, token = self.text.inside(b"prop")
        if not len(found):
            return {}
        tags = self.text.tags
        keys = tags.values(found, b"key").tolist()
        rows = [row for row, key in enumerate(keys) if key.endswith(f":{name}")]
        start = self.spans()[0]
        at = {
            (int(first), self.channels[channel]): annotation
            for annotation, (first, channel) in enumerate(
                zip(start.tolist(), self.channel.tolist(), strict=True)
            )
        }
        values = tags.strings(*tags.contents(found[rows]))
        said = {}
        for row, value in zip(rows, values, strict=True):
            place = (int(token[row]), keys[row].removesuffix(f":{name}"))
            if place in at:
                said[at[place]] = value
        return said


def numbers_in(tags: XmlTags, starts: IntArray, stops: IntArray) -> IntArray:
    """Parts of the text as whole numbers, with or without blanks around; -1 where there is none."""
    numbers = whole_numbers(tags.text, starts, stops)
    for row in np.flatnonzero(numbers < 0).tolist():
        written = tags.text[starts[row] : stops[row]].tobytes().strip()
        if written.isdigit() and len(written) <= 9:
            numbers[row] = int(written)
    return numbers
