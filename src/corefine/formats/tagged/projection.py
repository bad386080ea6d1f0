"""Projection: the mentions of one answer as places in its source, and what got lost on the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.copying import Copied, TagFault
from corefine.errors import choose
from corefine.formats.tagged.alignment import Aligned, align
from corefine.formats.tagged.atoms import Atoms, Vocabulary, atoms_of_text, atoms_of_words
from corefine.formats.tagged.crac import clean
from corefine.formats.tagged.dialects import Dialect, Marked, by_place, full_width

RULES = ("tolerant", "crac")
"""The rules by which an answer is aligned with its source."""
MOST_FAULTS = 1000
"""Malformed tags that are kept of one document."""

Span = tuple[int, int, str]
"""First token, last token, label."""


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """The words of one document, some of which may be empty nodes."""

    name: str
    words: Sequence[str]
    empty: BoolArray
    opens: BoolArray
    """Which tokens begin a sentence."""

    @property
    def solid(self) -> IntArray:
        """The tokens that are words."""
        return np.flatnonzero(~self.empty)


def project(
    answer: str, dialect: Dialect, source: SourceText, rule: str = "tolerant"
) -> tuple[list[Span], Copied]:
    """The mentions of an answer as tokens of the source, and how well it was copied."""
    if choose("align", rule, RULES) == "crac":
        return _by_crac(answer, dialect, source)
    marked = dialect.parse(answer)
    vocabulary = Vocabulary()
    tokens = source.solid
    words = [source.words[token] for token in tokens.tolist()]
    ours = atoms_of_words(words, vocabulary)
    theirs = atoms_of_text(marked.text, marked.cuts, vocabulary, bool(source.empty.any()))
    bounds = _atoms_of_spans(theirs, marked)
    tagged = _covered(bounds, len(theirs.codes))
    shown = np.flatnonzero(~theirs.zero)
    opens = np.zeros(len(ours.codes), bool)
    opens[np.searchsorted(ours.word, _sentence_words(source))] = True
    aligned = align(
        ours.codes, theirs.codes[shown], vocabulary.stems(), vocabulary.texts, tagged[shown], opens
    )
    first, last = _token_places(theirs, shown, aligned, ours, source)
    spans, moved, lost = [], 0, 0
    for (start, stop), (_, _, label) in zip(bounds, marked.spans, strict=True):
        inside = first[start:stop]
        known = np.flatnonzero(inside >= 0)
        if not len(known):
            lost += 1
            continue
        ends = theirs.word[[start, start + known[0], start + known[-1], stop - 1]]
        moved += bool(ends[0] != ends[1] or ends[2] != ends[3])
        spans.append((int(inside[known].min()), int(last[start:stop][known].max()), label))
    copied = _tallied(source, ours, theirs, shown, aligned)
    own = set(theirs.begin[shown[aligned.same]].tolist())
    faults = _faults(marked, lambda sign: sign in own)
    return spans, Copied(
        source.name,
        len(words),
        *copied,
        mentions=len(marked.spans),
        kept=len(spans) - moved,
        moved=moved,
        lost=lost,
        malformed=len(faults),
        faults=tuple(faults[:MOST_FAULTS]),
    )


def _faults(marked: Marked, of_source: Callable[[int], bool]) -> list[TagFault]:
    """The malformed tags of an answer; what may be one is, if its sign is not the source's."""
    if not marked.doubts:
        return marked.faults
    found = [fault for sign, fault in marked.doubts if not of_source(sign)]
    return sorted([*marked.faults, *found], key=by_place)


def _sentence_words(source: SourceText) -> IntArray:
    """The first word of each sentence, counted without empty nodes."""
    sentence = np.cumsum(source.opens)[source.solid]
    return np.flatnonzero(np.diff(sentence, prepend=-1) > 0)


def _atoms_of_spans(atoms: Atoms, marked: Marked) -> list[tuple[int, int]]:
    """The atoms, first and behind the last, between the characters of each mention."""
    begins = np.array([begin for begin, _, _ in marked.spans], np.int64)
    ends = np.array([end for _, end, _ in marked.spans], np.int64)
    starts = np.searchsorted(atoms.end, begins, side="right")
    stops = np.searchsorted(atoms.begin, ends, side="left")
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def _covered(bounds: Sequence[tuple[int, int]], count: int) -> BoolArray:
    """Which atoms are inside a mention."""
    depth = np.zeros(count + 1, np.int64)
    for start, stop in bounds:
        depth[start] += 1
        depth[max(start, stop)] -= 1
    inside: BoolArray = np.cumsum(depth[:-1]) > 0
    return inside


def _token_places(
    theirs: Atoms, shown: IntArray, aligned: Aligned, ours: Atoms, source: SourceText
) -> tuple[IntArray, IntArray]:
    """The first and last token of the source for each atom of the answer, or -1.

    An empty node of the answer is the next one that the source has at the same place.
    """
    first, last = np.full(len(theirs.codes), -1), np.full(len(theirs.codes), -1)
    known = aligned.first >= 0
    tokens = source.solid
    if known.any():
        first[shown[known]] = tokens[ours.word[aligned.first[known]]]
        last[shown[known]] = tokens[ours.word[aligned.last[known]]]
    if theirs.zero.any() and source.empty.any():
        after, taken = -1, -1
        bounds = last.tolist()
        for atom in np.flatnonzero((last >= 0) | theirs.zero).tolist():
            if not theirs.zero[atom]:
                after = max(after, bounds[atom])
                continue
            token = max(after, taken) + 1
            if token < len(source.words) and source.empty[token]:
                first[atom] = last[atom] = taken = token
    return first, last


def _tallied(
    source: SourceText, ours: Atoms, theirs: Atoms, shown: IntArray, aligned: Aligned
) -> tuple[int, int, int, int, int, int | None]:
    """Words copied, changed, deleted, inserted, reordered, and where the answer stops."""
    exact, found = (np.zeros(len(ours.codes) + 1, np.int64) for _ in range(2))
    for marks, rows in ((found, aligned.first >= 0), (exact, aligned.same)):
        np.add.at(marks, aligned.first[rows], 1)
        np.add.at(marks, aligned.last[rows] + 1, -1)
    sizes = np.bincount(ours.word, minlength=ours.words)
    copied = np.bincount(ours.word, np.cumsum(exact)[:-1] > 0, ours.words) == sizes
    present = np.bincount(ours.word, np.cumsum(found)[:-1] > 0, ours.words) > 0
    partner = np.zeros(theirs.words, bool)
    partner[theirs.word[shown[aligned.first >= 0]]] = True
    zeros = np.zeros(theirs.words, bool)
    zeros[theirs.word[theirs.zero]] = True
    moved = np.unique(theirs.word[shown[aligned.reordered]])
    seen = np.flatnonzero(present)
    end = int(seen[-1]) + 1 if len(seen) else 0
    return (
        int(np.count_nonzero(copied)),
        int(np.count_nonzero(present & ~copied)),
        int(np.count_nonzero(~present)),
        int(np.count_nonzero(~partner & ~zeros)),
        len(moved),
        end if end < ours.words else None,
    )


def _by_crac(answer: str, dialect: Dialect, source: SourceText) -> tuple[list[Span], Copied]:
    words, faults = answer.split(), list[TagFault]()
    if not dialect.crosses:
        marked, signs = dialect.parse(answer), set("".join(source.words))
        words, faults = _crac_words(marked), _faults(marked, lambda at: marked.text[at] in signs)
    tokens = source.solid
    sentences = _sentence_words(source).tolist()
    cleaned = clean(words, [source.words[token] for token in tokens.tolist()], sentences)
    faults += cleaned.faults

    def token(place: tuple[int, int]) -> int | None:
        word, zero = place
        at = (int(tokens[word - 1]) if word else -1) + zero
        known = at < len(source.words) and (not zero or source.empty[at - zero + 1 : at + 1].all())
        return at if known else None

    spans: list[Span] = []
    for first, last, label in cleaned.mentions:
        start, stop = token(first), token(last)
        if start is not None and stop is not None:
            spans.append((start, stop, label))
    return spans, Copied(
        source.name,
        len(tokens),
        cleaned.copied,
        cleaned.changed,
        cleaned.deleted,
        cleaned.inserted,
        stopped=cleaned.stopped if cleaned.stopped < len(tokens) else None,
        mentions=cleaned.tagged,
        kept=len(spans),
        lost=max(0, cleaned.tagged - len(spans)),
        malformed=len(faults),
        faults=tuple(faults[:MOST_FAULTS]),
    )


def _crac_words(marked: Marked) -> list[str]:
    """The words of a text in another dialect, tagged as the shared task does."""
    numbers: dict[str, int] = {}
    tags: dict[int, list[str]] = defaultdict(list)
    places: list[tuple[int, int]] = []
    place = 0
    for word in marked.text.split():
        place = marked.text.index(word, place)
        places.append((place, place + len(word)))
        place += len(word)
    begins = np.array([begin for begin, _ in places], np.int64)
    ends = np.array([end for _, end in places], np.int64)
    for begin, end, label in marked.spans:
        number = numbers.setdefault(label, len(numbers) + 1)
        first = int(np.searchsorted(ends, begin, side="right"))
        last = int(np.searchsorted(begins, end, side="left")) - 1
        if first == last:
            tags[first].append(f"[e{number}]")
        else:
            tags[first].append(f"[e{number}")
            tags[last].append(f"e{number}]")
    return [
        full_width(marked.text[begin:end], "|") + ("|" + ",".join(tags[n]) if n in tags else "")
        for n, (begin, end) in enumerate(places)
    ]
