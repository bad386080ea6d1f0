"""Projection: the mentions of tagged text as spans of its source.

Two rules align an answer with its source. ``tolerant`` aligns atoms (see :mod:`.alignment`).
``crac`` is the rule of the shared task's own cleaner: words are aligned by edit distance over the
whole document, and only words that are copied exactly keep their tags. Within a sentence, a tag
that closes an unopened mention becomes a mention of one word, and a mention that is never closed is
lost.

Empty nodes (``##``) of an answer become empty nodes after the word that they follow, which is their
parent in the shared task's data.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from corefine.corpus.copies import Copied, Copies, TagFault
from corefine.corpus.document import Document, Span, connected_components, without_empty_nodes
from corefine.errors import choose
from corefine.formats.tagged.alignment import (
    Atoms,
    Vocabulary,
    align,
    atoms_of_text,
    atoms_of_words,
    edit_distance,
)
from corefine.formats.tagged.dialects import ZERO, Dialect, Marked, full_width

RULES = ("tolerant", "crac")
"""Rules of alignment with the source."""
MOST_FAULTS = 1000
"""Maximum number of malformed tags that are kept per document."""

WordPlace = tuple[int, int]
"""Number of words up to a position; for an empty node its number after that word, otherwise 0."""
TaggedSpan = tuple[WordPlace, WordPlace, str]
"""First and last place of a mention, and its label."""


@dataclass(frozen=True, slots=True)
class Projected:
    """Mentions of an answer in its source."""

    spans: list[TaggedSpan]
    zeros: Counter[int]
    """Number of empty nodes of the answer after each number of words."""
    copied: Copied
    exact: frozenset[int] = frozenset()
    """Words of the source that are copied exactly."""
    present: frozenset[int] = frozenset()
    """Words of the source with a partner in the answer."""


def project(answer: str, dialect: Dialect, source: Document, rule: str = "tolerant") -> Projected:
    """Mentions of an answer as spans of the source, and statistics of the copy."""
    words = without_empty_nodes(source)
    if choose("align", rule, RULES) == "crac":
        return _project_words(answer, dialect, words)
    marked = dialect.parse(answer)
    vocabulary = Vocabulary()
    theirs = atoms_of_text(marked.text, marked.cuts, vocabulary, bool(source.empty_nodes))
    bounds = [
        (bisect_right(theirs.end, begin), bisect_left(theirs.begin, end), label)
        for begin, end, label in marked.spans
    ]
    projected, _, exact = _project_atoms(words, theirs, bounds, vocabulary)
    own = {theirs.begin[atom] for atom in exact}
    faults = marked.malformed(own.__contains__)
    return replace(projected, copied=_with_faults(projected.copied, faults))


def _with_faults(copied: Copied, faults: Sequence[TagFault]) -> Copied:
    return replace(copied, malformed=len(faults), faults=tuple(faults[:MOST_FAULTS]))


def _project_atoms(
    source: Document, theirs: Atoms, bounds: Sequence[tuple[int, int, str]], vocabulary: Vocabulary
) -> tuple[Projected, dict[int, tuple[WordPlace, WordPlace]], set[int]]:
    """Project mentions, given as ranges of atoms.

    The other results are the first and last place of each atom that has a partner, and the atoms
    that are copied exactly.
    """
    ours = atoms_of_words(source.tokens or [], vocabulary)
    shown = [atom for atom, code in enumerate(theirs.codes) if code >= 0]
    opens = {bisect_left(ours.word, word) for word in source.starts or [0]}
    tagged = [False] * len(theirs.codes)
    for start, stop, _ in bounds:
        tagged[start:stop] = [True] * max(0, stop - start)
    aligned = align(
        ours.codes,
        [theirs.codes[atom] for atom in shown],
        vocabulary,
        [tagged[atom] for atom in shown],
        opens,
    )
    paired = {
        atom: (range(first, last + 1), same)
        for atom, first, last, same in zip(
            shown, aligned.first, aligned.last, aligned.same, strict=True
        )
        if first >= 0
    }
    places: dict[int, tuple[WordPlace, WordPlace]] = {
        atom: ((ours.word[run[0]] + 1, 0), (ours.word[run[-1]] + 1, 0))
        for atom, (run, _) in paired.items()
    }
    zeros = Counter[int]()
    before = 0
    for atom, code in enumerate(theirs.codes):
        if atom in places:
            before = max(before, places[atom][1][0])
        elif code < 0:
            zeros[before] += 1
            places[atom] = ((before, zeros[before]), (before, zeros[before]))

    spans: list[TaggedSpan] = []
    moved, word = 0, theirs.word
    for start, stop, label in bounds:
        known = [atom for atom in range(start, stop) if atom in places]
        if known:
            moved += word[start] != word[known[0]] or word[stop - 1] != word[known[-1]]
            low = min(places[atom][0] for atom in known)
            spans.append((low, max(places[atom][1] for atom in known), label))

    equal = {here for run, same in paired.values() if same for here in run}
    present = frozenset(ours.word[here] for run, _ in paired.values() for here in run)
    exact = present - {ours.word[here] for here in range(len(ours.word)) if here not in equal}
    stop = max(present, default=-1) + 1
    copied = Copied(
        source.name,
        ours.words,
        len(exact),
        len(present) - len(exact),
        ours.words - len(present),
        theirs.words - len({word[atom] for atom in places}),
        len({word[shown[atom]] for atom in aligned.moved}),
        stopped=stop if stop < ours.words else None,
        mentions=len(bounds),
        kept=len(spans) - moved,
        moved=moved,
        lost=len(bounds) - len(spans),
    )
    same_atoms = {atom for atom, (_, same) in paired.items() if same}
    return Projected(spans, zeros, copied, exact, present), places, same_atoms


def words_in_source(document: Document, source: Document) -> tuple[list[Span | None], Copied]:
    """The words of the source that each word of a document is, which differs a little from it.

    Empty nodes do not count as words. Words of mentions are preferred where several alignments are
    equally good.

    >>> from corefine.corpus.document import Mention
    >>> source = Document("d", ["Anna", "saw", "her", "old", "house"])
    >>> other = Document("d", ["Anna", "saw", "the", "house"], [Mention("h", [(2, 4)])])
    >>> found, copied = words_in_source(other, source)
    >>> found, copied.deleted
    ([(0, 1), (1, 2), (3, 4), (4, 5)], 1)
    """
    document, words = without_empty_nodes(document), without_empty_nodes(source)
    vocabulary = Vocabulary()
    theirs = atoms_of_words(document.tokens or [], vocabulary)
    bounds = [
        (bisect_left(theirs.word, start), bisect_left(theirs.word, stop), "")
        for mention in document.mentions
        for start, stop in mention.spans
    ]
    projected, places, _ = _project_atoms(words, theirs, bounds, vocabulary)
    spans: list[Span | None] = [None] * len(document.tokens or ())
    for atom, ((low, _), (high, _)) in places.items():
        start, stop = spans[theirs.word[atom]] or (low - 1, high)
        spans[theirs.word[atom]] = (min(start, low - 1), max(stop, high))
    return spans, projected.copied


# --- chunks ---------------------------------------------------------------------------------------


def join_chunks(source: Document, chunks: Sequence[Projected]) -> Projected:
    """The mentions of all chunks of a document.

    Chunks that share no mention share their entity ids. The ids of overlapping chunks are shared if
    those of all common mentions are, and two entities show it; otherwise entities are linked by
    their common mentions.
    """
    at: dict[tuple[WordPlace, WordPlace], list[tuple[int, str]]] = defaultdict(list)
    for number, chunk in enumerate(chunks):
        for low, high, label in chunk.spans:
            at[low, high].append((number, label))
    common = [set(labels) for labels in at.values() if len({n for n, _ in labels}) > 1]
    named = [{label for _, label in labels} for labels in common]
    shared = not common or (len(set().union(*named)) > 1 and all(len(one) == 1 for one in named))
    distinct = dict.fromkeys(one for labels in at.values() for one in labels)
    ids = {one: row for row, one in enumerate(distinct)}
    first: dict[object, int] = {}
    pairs = [
        (ids[one], first.setdefault(one[1] if shared else place, ids[one]))
        for place, labels in at.items()
        for one in labels
    ]
    roots = connected_components(len(ids), pairs)
    entity = {one: str(root) for one, root in zip(ids, roots, strict=True)}
    exact = frozenset[int]().union(*(chunk.exact for chunk in chunks))
    present = frozenset[int]().union(*(chunk.present for chunk in chunks))
    words, stop = len(source.tokens or ()), max(present, default=-1) + 1
    total = Copies("", tuple(chunk.copied for chunk in chunks)).total
    failures = dict.fromkeys(filter(None, (chunk.copied.failure for chunk in chunks)))
    dialects = dict.fromkeys(filter(None, (chunk.copied.dialect for chunk in chunks)))
    copied = replace(
        total,
        document=source.name,
        words=words,
        copied=len(exact),
        changed=len(present - exact),
        deleted=words - len(present | exact),
        stopped=stop if stop < words else None,
        faults=total.faults[:MOST_FAULTS],
        failure="" if present else "; ".join(failures),
        dialect="+".join(dialects),
        chunks="shared-ids" if shared else "overlap",
    )
    zeros = Counter[int]()
    for chunk in chunks:
        zeros |= chunk.zeros
    spans = [(low, high, entity[labels[0]]) for (low, high), labels in at.items()]
    return Projected(spans, zeros, copied)


# --- the shared task's rule -----------------------------------------------------------------------

_TAG = re.compile(r"(\[?)e(\d+)(]?)")
_STRAY = re.compile(r"\[e\d+\]?|e\d+\]")


def _project_words(answer: str, dialect: Dialect, source: Document) -> Projected:
    """Project mentions as the shared task's cleaner does."""
    words, faults = answer.split(), list[TagFault]()
    if not dialect.crosses:
        marked, signs = dialect.parse(answer), set("".join(source.tokens or ()))
        words = _crac_words(marked)
        faults = marked.malformed(lambda place: marked.text[place] in signs)
    gold = [word.replace(" ", "_") for word in source.tokens or ()]
    forms = [word.split("|")[0] for word in words]
    known = set(gold)
    stray = [form for form in forms if _STRAY.fullmatch(form) and form not in known]
    faults += [TagFault(form, 0, "not attached to a word: dropped") for form in stray]
    rows, copied, zeros = _aligned_words(words, forms, gold)
    starts = (source.starts or [0])[1:]
    spans: list[TaggedSpan] = []
    # A sentence ends with its last word; empty nodes after that belong to the next one.
    for _, sentence in groupby(rows, lambda row: bisect_right(starts, row[0][0] - (not row[0][1]))):
        spans += _closed_in_sentence(sentence, faults)
    tagged = sum(tag.startswith("[") for word in words for tag in _tags_of(word))
    lost = max(0, tagged - len(spans))
    copied = replace(copied, document=source.name, mentions=tagged, kept=len(spans), lost=lost)
    return Projected(spans, zeros, _with_faults(copied, faults))


def _tags_of(word: str) -> list[str]:
    parts = word.split("|")
    return parts[1].split(",") if len(parts) == 2 else []


def _aligned_words(
    words: Sequence[str], forms: Sequence[str], gold: Sequence[str]
) -> tuple[list[tuple[WordPlace, str]], Copied, Counter[int]]:
    """Words of the source and empty nodes of the answer with their tags, and statistics."""
    solid = [row for row, form in enumerate(forms) if not form.startswith(ZERO)]
    codes: dict[str, int] = {}
    left = np.array([codes.setdefault(forms[row], len(codes)) for row in solid], np.int64)
    right = np.array([codes.setdefault(word, len(codes)) for word in gold], np.int64)
    paired = [
        (solid[row], place) for row, place in edit_distance(left, right, np.array(solid, np.int64))
    ]
    kept = {place: words[row] for row, place in paired if forms[row] == gold[place]}
    rows = [((place + 1, 0), kept.get(place, "")) for place in range(len(gold))]
    zeros = Counter[int]()
    for row, form in enumerate(forms):
        if form.startswith(ZERO):
            # An empty node goes before the next word that has a partner.
            following = bisect_left(paired, (row, 0))
            before = paired[following][1] if following < len(paired) else len(gold)
            if 0 < before < len(gold):  # the cleaner drops those at either end
                zeros[before] += 1
                rows.append(((before, zeros[before]), words[row]))
    stop = max((place for _, place in paired), default=-1) + 1
    copied = Copied(
        "",
        len(gold),
        len(kept),
        len(paired) - len(kept),
        len(gold) - len(paired),
        len(solid) - len(paired),
        stopped=stop if stop < len(gold) else None,
    )
    return sorted(rows), copied, zeros


def _closed_in_sentence(
    rows: Iterable[tuple[WordPlace, str]], faults: list[TagFault]
) -> list[TaggedSpan]:
    """Mentions of a sentence; each entity has a stack of its own."""
    opened: dict[str, list[WordPlace]] = defaultdict(list)
    mentions: list[TaggedSpan] = []
    for place, word in rows:
        if word.count("|") > 1:
            faults.append(TagFault(word[:80], 0, "several bars: all tags of the word dropped"))
        for tag in _tags_of(word):
            found = _TAG.match(tag)
            opens, label, closes = found.groups() if found else ("", "", "")
            if opens and not closes:
                opened[label].append(place)
            elif not closes:
                faults.append(TagFault(word[:80], 0, "invalid tag: dropped"))
            elif opens:
                mentions.append((place, place, label))
            elif opened[label]:
                mentions.append((opened[label].pop(), place, label))
            else:
                mentions.append((place, place, label))
                outcome = "closes an unopened mention: read as a mention of one word"
                faults.append(TagFault(word[:80], 0, outcome))
    for label, places in opened.items():
        faults += [TagFault(f"[e{label}", 0, "not closed in its sentence: dropped")] * len(places)
    return mentions


def _crac_words(marked: Marked) -> list[str]:
    """The words of a text in another dialect, tagged as in the shared task."""
    numbers: dict[str, int] = {}
    tags: dict[int, list[str]] = defaultdict(list)
    places = [found.span() for found in re.finditer(r"\S+", marked.text)]
    for begin, end, label in marked.spans:
        number = numbers.setdefault(label, len(numbers) + 1)
        first = bisect_right(places, begin, key=lambda span: span[1])
        last = bisect_left(places, end, key=lambda span: span[0]) - 1
        tags[first].append(f"[e{number}]" if first == last else f"[e{number}")
        if first != last:
            tags[last].append(f"e{number}]")
    return [
        full_width(marked.text[begin:end], "|") + ("|" + ",".join(tags[n]) if n in tags else "")
        for n, (begin, end) in enumerate(places)
    ]
