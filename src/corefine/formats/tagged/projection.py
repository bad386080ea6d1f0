"""Projection: the mentions of an answer as spans of its source, and what is lost on the way.

Two rules align an answer with its source. ``tolerant`` aligns atoms (see :mod:`.atoms`). ``crac``
is the rule of the shared task's own cleaner: words are aligned by edit distance over the whole
document, and only words that are copied exactly keep their tags. Within a sentence, a tag that
closes what was not opened becomes a mention of one word, and one that is never closed is lost.

Empty nodes (``##``) of an answer become empty nodes after the word that they follow, which is their
parent in the shared task's data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import BoolArray, IntArray
from corefine.corpus.document import Document, Mention, without_empty_nodes
from corefine.errors import choose
from corefine.formats.tagged.alignment import Aligned, align
from corefine.formats.tagged.atoms import Atoms, Vocabulary, atoms_of_text, atoms_of_words
from corefine.formats.tagged.copies import Copied, Copies, TagFault
from corefine.formats.tagged.dialects import ZERO, Dialect, Marked, by_place, full_width
from corefine.formats.tagged.edits import edit_distance

RULES = ("tolerant", "crac")
"""Rules by which an answer is aligned with its source."""
MOST_FAULTS = 1000
"""Malformed tags that are kept of one document."""
_TAG = re.compile(r"(\[?)e(\d+)(]?)")
_STRAY = re.compile(r"\[e\d+\]?|e\d+\]")

Place = tuple[int, int]
"""Number of words up to a position; for an empty node its number after that word, otherwise 0."""
Span = tuple[Place, Place, str]
"""First and last place of a mention, and its label."""


@dataclass(frozen=True, slots=True)
class Projected:
    """Mentions of an answer in its source."""

    spans: list[Span]
    zeros: list[int]
    """Number of words before each empty node of the answer."""
    copied: Copied


def project(answer: str, dialect: Dialect, source: Document, rule: str = "tolerant") -> Projected:
    """Mentions of an answer as spans of the source, and how well it was copied."""
    if choose("align", rule, RULES) == "crac":
        return _by_crac(answer, dialect, source)
    marked = dialect.parse(answer)
    vocabulary = Vocabulary()
    words = without_empty_nodes(source)
    ours = atoms_of_words(words.tokens or [], vocabulary)
    theirs = atoms_of_text(marked.text, marked.cuts, vocabulary, bool(source.empty_nodes))
    bounds = _atoms_of_spans(theirs, marked)
    tagged = _covered(bounds, len(theirs.codes))
    shown = np.flatnonzero(~theirs.zero)
    opens = np.zeros(len(ours.codes), bool)
    opens[np.searchsorted(ours.word, words.sentences or [0][: len(ours.word)])] = True
    aligned = align(
        ours.codes, theirs.codes[shown], vocabulary.stems(), vocabulary.texts, tagged[shown], opens
    )
    first, last, zeros = _places(theirs, shown, aligned, ours)
    spans: list[Span] = []
    moved = lost = 0
    for (start, stop), (_, _, label) in zip(bounds, marked.spans, strict=True):
        known = [atom for atom in range(start, stop) if first[atom] is not None]
        if not known:
            lost += 1
            continue
        ends = theirs.word[[start, known[0], known[-1], stop - 1]]
        moved += bool(ends[0] != ends[1] or ends[2] != ends[3])
        low, high = (min(first[a] or (0, 0) for a in known), max(last[a] or (0, 0) for a in known))
        spans.append((low, high, label))
    own = set(theirs.begin[shown[aligned.same]].tolist())
    faults = _faults(marked, lambda sign: sign in own)
    copied = Copied(
        source.name,
        ours.words,
        *_tallied(ours, theirs, shown, aligned),
        mentions=len(marked.spans),
        kept=len(spans) - moved,
        moved=moved,
        lost=lost,
        malformed=len(faults),
        faults=tuple(faults[:MOST_FAULTS]),
    )
    return Projected(spans, zeros, copied)


def response_document(source: Document, projected: Projected, align: str) -> Document:
    """The source with the mentions and empty nodes of an answer instead of its own."""
    # Ids of sentences and nodes may be those of empty nodes, which the answer need not have.
    layers = {name: v for name, v in source.layers.items() if name not in ("sent_id", "node")}
    plain = replace(source, mentions=[], relations=[], annotations={}, layers=layers)
    words = without_empty_nodes(plain)
    document, token_of = _with_zeros(words, projected.zeros, "deps" in source.layers)
    for low, high, label in sorted(projected.spans, key=lambda s: (s[0], (-s[1][0], -s[1][1]))):
        document.mentions.append(Mention(label, [(token_of[low], token_of[high] + 1)]))
    _set_heads(document)
    document.copied = Copies(align, (projected.copied,))
    return document


def _set_heads(document: Document) -> None:
    """Set heads by the dependency tree, as the shared task's tools do.

    A head is the highest word of its mention: the only one whose parent is outside or, if there are
    several, the only one without an enhanced dependency inside, then the one that governs the
    others. Otherwise it is the first word or the first candidate.
    """
    numbers = document.layers.get("head")
    if numbers is None:
        return
    deps = document.layers.get("deps") or ["_"] * len(numbers)
    empty = set(document.empty_nodes)
    starts = document.sentences or [0]
    parents: dict[int, int] = {}
    enhanced: dict[int, list[int]] = {}
    for start, stop in pairwise([*starts, len(numbers)]):
        words = [token for token in range(start, stop) if token not in empty]

        def word(number: str, words: list[int] = words) -> int | None:
            known = number.isdecimal() and len(number) < 10 and 0 < int(number) <= len(words)
            return words[int(number) - 1] if known else None

        for token in range(start, stop):
            parent = None if token in empty else word(numbers[token])
            if parent is not None:
                parents[token] = parent
            if deps[token] in ("", "_"):
                enhanced[token] = [] if parent is None else [parent]
            else:
                found = [word(one.partition(":")[0]) for one in deps[token].split("|")]
                enhanced[token] = [other for other in found if other is not None]
    for mention in document.mentions:
        inside = [token for start, stop in mention.spans for token in range(start, stop)]
        mention.head = _highest(inside, parents, enhanced, empty)


def _highest(
    inside: Sequence[int],
    parents: Mapping[int, int],
    enhanced: Mapping[int, Sequence[int]],
    empty: set[int],
) -> int:
    """The highest of the tokens of a mention."""
    tokens = set(inside)
    tops = [token for token in inside if parents.get(token) not in tokens]
    if len(tops) == 1:
        return tops[0]
    heads = [token for token in tops if tokens.isdisjoint(enhanced[token])]
    heads = heads or [token for token in tops if not tokens.issuperset(enhanced[token])]
    if len(heads) < 2:
        return heads[0] if heads else inside[0]
    words = {token for token in heads if token not in empty}
    words |= {enhanced[token][0] for token in heads if token in empty and enhanced[token]}
    common: list[int] | None = None
    for token in words:
        path = [token]
        while path[-1] in parents and parents[path[-1]] not in path:
            path.append(parents[path[-1]])
        common = path if common is None else [one for one in common if one in path]
    if common and common[0] in heads:
        return common[0]
    return inside[0] if inside[0] in heads else heads[0]


def _with_zeros(
    document: Document, zeros: Sequence[int], dependent: bool
) -> tuple[Document, dict[Place, int]]:
    """A document with empty nodes after these numbers of words, and the token of each place."""
    words = document.tokens or []
    rows: list[int | None] = []
    token_of: dict[Place, int] = {}
    empty: list[int] = []
    counts = defaultdict[int, int](int)
    for place in zeros:
        counts[place] += 1
    for place in range(len(words) + 1):
        if place:
            token_of[place, 0] = len(rows)
            rows.append(place - 1)
        for number in range(1, counts[place] + 1):
            token_of[place, number] = len(rows)
            empty.append(len(rows))
            rows.append(None)
    if not empty:
        return document, token_of
    first = document.sentences or [0]
    starts = {token_of[start + 1, 0] - (counts[0] if start == 0 else 0) for start in first}
    layers = {
        name: ["_" if row is None else values[row] for row in rows]
        for name, values in document.layers.items()
    }
    if dependent:
        layers.setdefault("deps", ["_"] * len(rows))
        for (place, number), token in token_of.items():
            if number:
                sentence = max((start for start in first if start < place), default=0)
                layers["deps"][token] = f"{place - sentence}:_" if place else "0:_"
    lines = document.lines
    if lines:
        places = np.maximum(np.cumsum([row is not None for row in rows]) - 1, 0).tolist()
        lines = [lines[place] for place in places]
    tokens = ["_" if row is None else words[row] for row in rows]
    found = replace(
        document,
        tokens=tokens,
        sentences=sorted(starts),
        layers=layers,
        empty_nodes=empty,
        lines=lines,
        text=None,
        offsets=[],
    )
    return found, token_of


def _faults(marked: Marked, of_source: Callable[[int], bool]) -> list[TagFault]:
    """Malformed tags of an answer; doubtful ones unless their character is the source's."""
    found = [fault for sign, fault in marked.doubts if not of_source(sign)]
    return sorted([*marked.faults, *found], key=by_place)


def _atoms_of_spans(atoms: Atoms, marked: Marked) -> list[tuple[int, int]]:
    """Atoms, first and after the last, between the characters of each mention."""
    begins = np.array([begin for begin, _, _ in marked.spans], np.int64)
    ends = np.array([end for _, end, _ in marked.spans], np.int64)
    starts = np.searchsorted(atoms.end, begins, side="right")
    stops = np.searchsorted(atoms.begin, ends, side="left")
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def _covered(bounds: Sequence[tuple[int, int]], count: int) -> BoolArray:
    """Atoms that are inside a mention."""
    depth = np.zeros(count + 1, np.int64)
    for start, stop in bounds:
        depth[start] += 1
        depth[max(start, stop)] -= 1
    inside: BoolArray = np.cumsum(depth[:-1]) > 0
    return inside


def _places(
    theirs: Atoms, shown: IntArray, aligned: Aligned, ours: Atoms
) -> tuple[list[Place | None], list[Place | None], list[int]]:
    """First and last place of each atom of the answer, and the words before each empty node."""
    first: list[Place | None] = [None] * len(theirs.codes)
    last: list[Place | None] = [None] * len(theirs.codes)
    for atom, low, high in zip(
        shown.tolist(), aligned.first.tolist(), aligned.last.tolist(), strict=True
    ):
        if low >= 0:
            first[atom] = (int(ours.word[low]) + 1, 0)
            last[atom] = (int(ours.word[high]) + 1, 0)
    zeros: list[int] = []
    counts = defaultdict[int, int](int)
    words = 0
    for atom, place in enumerate(last):
        if place is not None:
            words = max(words, place[0])
        elif theirs.zero[atom]:
            counts[words] += 1
            zeros.append(words)
            first[atom] = last[atom] = (words, counts[words])
    return first, last, zeros


def _tallied(
    ours: Atoms, theirs: Atoms, shown: IntArray, aligned: Aligned
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
    partner[theirs.word[theirs.zero]] = True
    moved = np.unique(theirs.word[shown[aligned.reordered]])
    seen = np.flatnonzero(present)
    end = int(seen[-1]) + 1 if len(seen) else 0
    return (
        int(np.count_nonzero(copied)),
        int(np.count_nonzero(present & ~copied)),
        int(np.count_nonzero(~present)),
        int(np.count_nonzero(~partner)),
        len(moved),
        end if end < ours.words else None,
    )


def _by_crac(answer: str, dialect: Dialect, source: Document) -> Projected:
    words, faults = answer.split(), list[TagFault]()
    if not dialect.crosses:
        marked, signs = dialect.parse(answer), set("".join(source.tokens or ()))
        words, faults = _crac_words(marked), _faults(marked, lambda at: marked.text[at] in signs)
    plain = without_empty_nodes(source)
    gold = [word.replace(" ", "_") for word in plain.tokens or ()]
    forms = [word.split("|")[0] for word in words]
    for form in forms:
        if _STRAY.fullmatch(form) and form not in gold:
            faults.append(TagFault(form, 0, "not attached to a word: dropped"))
    rows, copied, zeros = _aligned(words, forms, gold)
    spans: list[Span] = []
    read = 0
    for stop in [*(plain.sentences or [0])[1:], len(gold)]:
        inside = []
        # A sentence ends with its last word; empty nodes after that belong to the next one.
        while read < len(rows) and rows[read][0] < (stop, 1):
            inside.append(rows[read])
            read += 1
        spans += _closed_in_sentence(inside, faults)
    tagged = sum(tag.startswith("[") for word in words for tag in _tags_of(word))
    return Projected(
        spans,
        zeros,
        replace(
            copied,
            document=source.name,
            mentions=tagged,
            kept=len(spans),
            lost=max(0, tagged - len(spans)),
            malformed=len(faults),
            faults=tuple(faults[:MOST_FAULTS]),
        ),
    )


def _tags_of(word: str) -> list[str]:
    parts = word.split("|")
    return parts[1].split(",") if len(parts) == 2 else []


def _aligned(
    words: Sequence[str], forms: Sequence[str], gold: Sequence[str]
) -> tuple[list[tuple[Place, str]], Copied, list[int]]:
    """Words of the source and empty nodes of the answer with their tags; what was copied."""
    solid = [row for row, form in enumerate(forms) if not form.startswith(ZERO)]
    codes: dict[str, int] = {}
    left = np.array([codes.setdefault(forms[row], len(codes)) for row in solid], np.int64)
    right = np.array([codes.setdefault(word, len(codes)) for word in gold], np.int64)
    lefts, rights = edit_distance(left, right, np.array(solid, np.int64))
    partner = dict(zip(rights.tolist(), [solid[row] for row in lefts.tolist()], strict=True))
    kept = {place: words[row] for place, row in partner.items() if forms[row] == gold[place]}
    rows: list[tuple[Place, str]] = [
        ((place + 1, 0), kept.get(place, "")) for place in range(len(gold))
    ]
    # An empty node stands before the next word that has a partner.
    paired = sorted((row, place) for place, row in partner.items())
    places = np.array([row for row, _ in paired], np.int64)
    counts = defaultdict[int, int](int)
    zeros = []
    for row, form in enumerate(forms):
        if form.startswith(ZERO):
            following = int(np.searchsorted(places, row))
            before = paired[following][1] if following < len(paired) else len(gold)
            if 0 < before < len(gold):  # the cleaner drops those at either end
                counts[before] += 1
                zeros.append(before)
                rows.append(((before, counts[before]), words[row]))
    copied = Copied(
        "",
        len(gold),
        len(kept),
        len(partner) - len(kept),
        len(gold) - len(partner),
        len(solid) - len(partner),
        stopped=max(partner, default=-1) + 1 if len(gold) - 1 not in partner and gold else None,
    )
    return sorted(rows, key=lambda row: row[0]), copied, zeros


def _closed_in_sentence(rows: Sequence[tuple[Place, str]], faults: list[TagFault]) -> list[Span]:
    """Mentions of a sentence; each entity has a stack of its own."""
    opened: dict[str, list[Place]] = defaultdict(list)
    mentions: list[Span] = []
    for place, word in rows:
        if word.count("|") > 1:
            faults.append(TagFault(word[:80], 0, "several bars: all tags of the word dropped"))
        for tag in _tags_of(word):
            found = _TAG.match(tag)
            opens, label, closes = found.groups() if found else ("", "", "")
            if opens and closes:
                mentions.append((place, place, label))
            elif opens:
                opened[label].append(place)
            elif closes and opened[label]:
                mentions.append((opened[label].pop(), place, label))
            elif closes:
                mentions.append((place, place, label))
                outcome = "closes an unopened mention: read as a mention of one word"
                faults.append(TagFault(word[:80], 0, outcome))
            else:
                faults.append(TagFault(word[:80], 0, "invalid tag: dropped"))
    for label, places in opened.items():
        faults += [TagFault(f"[e{label}", 0, "not closed in its sentence: dropped")] * len(places)
    return mentions


def _crac_words(marked: Marked) -> list[str]:
    """The words of a text in another dialect, tagged as in the shared task."""
    numbers: dict[str, int] = {}
    tags: dict[int, list[str]] = defaultdict(list)
    places = [found.span() for found in re.finditer(r"\S+", marked.text)]
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
