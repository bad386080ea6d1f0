"""Formats of tagged text: the mentions of an answer as spans of its source.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import (
    Document,
    Mention,
    Span,
    connected_components,
    without_empty_nodes,
)
from corefine.errors import FormatError, Location, UsageError, choose
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register
from corefine.formats.tagged.alignment import (
    Aligned,
    Atoms,
    Vocabulary,
    align,
    atoms_of_text,
    atoms_of_words,
    edit_distance,
    increasing,
    split_atoms,
)
from corefine.formats.tagged.answers import (
    Answer,
    by_document,
    find_answers,
    is_records,
    is_refusal,
    named_records,
    parts_of,
)
from corefine.formats.tagged.copies import Copied, Copies, TagFault
from corefine.formats.tagged.dialects import (
    BY_PLACE,
    DIALECTS,
    WRITTEN,
    ZERO,
    Dialect,
    Marked,
    dialect_named,
    dialect_of,
    full_width,
    likely_dialects,
    nearest_dialect,
    write_answers,
    write_prompts,
)
from corefine.formats.tagged.grounding import Occurrences, join_listings
from corefine.formats.tagged.listings import (
    Listing,
    json_listing,
    listing_in,
    prose_listing,
    settled,
    with_names,
)
from corefine.formats.tagged.prompts import write_numbered
from corefine.formats.tagged.strings import listed_document, set_heads

RULES = ("tolerant", "crac")
"""Rules of alignment with the source."""
ANOTHER = 0.2
"""Share of the source's words below which an answer without tags is another text."""
WHOLE = 0.9
"""Share of the source's words above which an answer is no chunk."""
RUNS_ON = 0.6
"""Share of its neighbouring atoms that a copy has in common with its source, of which parts may be
missing."""
NEARLY = 0.97
"""Share of the atoms of an answer that are the document's, above which no other way to read it is
tried."""
FEW = 6
"""Number of atoms of a document that is too short to have neighbours in common."""
MARGIN, COMPARED = 100, 1000
"""Characters before the first tag of an answer, and in all, by which its dialect is found."""
MOST_FAULTS = 1000
"""Maximum number of malformed tags that are kept per document."""

WordPlace = tuple[int, int]
"""Number of words up to a position; for an empty node its number after that word, otherwise 0."""
TaggedSpan = tuple[WordPlace, WordPlace, str]
"""First and last place of a mention, and its label."""


# --- reading --------------------------------------------------------------------------------------


def read_tagged(
    text: str,
    words: Sequence[str] | Sequence[Sequence[str]],
    dialect: str | None = None,
    *,
    align: str = "tolerant",
    document: str = "",
) -> Corpus:
    """Read the mentions in the answer of a language model, as spans of the source's words.

    ``words`` are those of the source, or its sentences. The dialect (``"crac-text"``,
    ``"markdown"``, ``"xml-m"``, ``"xml-entity"``, ``"seq2seq"``, ``"brackets"``) is detected unless
    it is given; JSON and lists of strings are read too. ``align`` is ``"tolerant"``, or ``"crac"``
    for the rule of the shared task's cleaner. The corpus's ``copies`` has statistics of copied and
    lost words and mentions.

    >>> words = "Tom says that he left the house .".split()
    >>> corpus = read_tagged("Sure! [Tom](#1) say that [he](#1) left the house.", words)
    >>> corpus.to_dict()
    {'': [[(0, 1), (3, 4)]]}
    >>> corpus.copies.total.changed
    1
    """
    choose("align", align, RULES)
    if isinstance(words, str | Corpus | Document):
        raise UsageError(
            f"the source is a {type(words).__name__}, not a list of words",
            remedy="Give the words: text.split(), document.tokens, or corpus[0].tokens.",
        )
    sentences = [[word] if isinstance(word, str) else list(word) for word in words]
    source = Document(document, [word for sentence in sentences for word in sentence])
    if not all(isinstance(word, str) for word in words):
        sizes = [len(sentence) for sentence in sentences if sentence]
        source.starts = list(accumulate(sizes, initial=0))[:-1]
    chosen = None if dialect is None else dialect_named(dialect)
    corpus = Corpus.from_documents([source])
    return read_answers({document: Answer(text, "")}, corpus, chosen, align)


def read_answers(
    answers: Mapping[str, Answer], source: Corpus, dialect: Dialect | None, align: str
) -> Corpus:
    """A corpus of all documents of the source, with the mentions of the answers.

    The dialect of each answer is detected unless it is given.
    """
    if source.tokens is None:
        raise UsageError(
            "tagged text needs a key with words, but the key has none",
            remedy="Give a key with text, such as CoNLL-U.",
        )
    documents = []
    for document in source:
        answer = answers.get(document.name) or Answer(None, "")
        response = _answered(document, answer, dialect, align)
        response.source = answer.source
        documents.append(response)
    return Corpus.from_documents(documents, None if dialect is None else dialect.name)


def refuse_unreadable(corpus: Corpus) -> Corpus:
    """The corpus; an error if no answer could be read and one is neither missing nor a refusal."""
    documents = corpus.copies.documents
    unread = [number for number, one in enumerate(documents) if one.failure.startswith(UNREADABLE)]
    if unread and all(one.failure for one in documents):
        raise FormatError(
            f"document {documents[unread[0]].document!r}: {documents[unread[0]].failure}",
            corpus.location(unread[0]),
            'Write [Maria](#1) around mentions, or {"clusters": [["Maria", "she"], …]}; or name '
            "the format (see 'corefine formats').",
        )
    return corpus


UNREADABLE = "no mentions were recognised in "


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


@dataclass
class _Reader:
    """The words of a document, with which parts of answers are compared."""

    document: Document
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    wanted: Counter[int] = field(default_factory=Counter)
    pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """Places of pairs of neighbouring atoms."""

    def __post_init__(self) -> None:
        codes = atoms_of_words(self.document.tokens or [], self.vocabulary).codes
        self.wanted.update(codes)
        for place, pair in enumerate(pairwise(codes)):
            self.pairs.setdefault(pair, []).append(place)

    @cached_property
    def occurrences(self) -> Occurrences:
        """Search for strings in the document."""
        return Occurrences(self.document)

    def likeness(self, text: str, cuts: Sequence[int] = ()) -> tuple[float, bool]:
        """Atoms of a text that the document has, less a quarter of the others; true for a copy.

        A copy follows the document: between the first and the last pair of neighbours that both
        texts have in the same order, most pairs of the text are common, and many of the document.
        A list of mentions does not.
        """
        atoms = atoms_of_text(text, cuts, self.vocabulary, True)
        codes = [code for code in atoms.codes if code >= 0]
        shared = (Counter(codes) & self.wanted).total()
        quality = shared - (len(codes) - shared) / 4
        if self.wanted.total() < FEW:
            return quality, 2 * shared >= self.wanted.total() > 0
        both = [
            (place, at)
            for at, pair in enumerate(pairwise(codes))
            for place in reversed(self.pairs.get(pair, ()))
        ]
        run = [both[one] for one in increasing([place for place, _ in both])]
        there, here = (run[-1][side] - run[0][side] + 1 for side in (0, 1)) if run else (1, 1)
        return quality, max(RUNS_ON * here, RUNS_ON / 3 * there) <= len(run)

    def _is_text(self, text: str) -> bool:
        """True if a text runs on as the document does: it is no list."""
        codes = atoms_of_text(text, (), self.vocabulary, False).codes
        known = sum(pair in self.pairs for pair in pairwise(codes))
        shared = (Counter(codes) & self.wanted).total()
        return 10 * known > 7 * len(codes) or 10 * shared > 8 * self.wanted.total() > 80

    def tagged(self, parts: Sequence[str], given: Dialect | None) -> tuple[str, Dialect] | None:
        """The part and the dialect whose text without tags is most like the document.

        Of a long part, the text from its first tag on is compared. A part whose text
        is shorter than the document counts less.
        """
        best: tuple[float, str, Dialect] | None = None
        size = sum(map(len, self.document.tokens or ())) or 1
        for part in parts:
            likely = likely_dialects(part) if given is None else [given]
            start = min(
                (found.start() for one in likely if (found := one.hint.search(part))), default=0
            )
            shown = part if given else part[max(0, start - MARGIN) :][:COMPARED]
            least = self.likeness(shown)[0] if likely else 0
            for dialect in likely:
                marked = dialect.parse(shown)
                quality, is_copy = self.likeness(marked.text, marked.cuts)
                share = min(1, len(part) * len(marked.text) / max(1, len(shown) * size))
                better = best is None or share * quality > best[0]
                if marked.spans and better and (given or (is_copy and quality > least)):
                    best = share * quality, part, dialect
                    if share == 1 and quality >= NEARLY * len(split_atoms(marked.text)):
                        return best[1:]
        return None if best is None else best[1:]

    def is_legend(self, listing: Listing, part: str, dialect: Dialect) -> bool:
        """True if a list only names the entities of tagged text, which is a copy of all."""
        marked = dialect.parse(part)
        codes = Counter(atoms_of_text(marked.text, marked.cuts, self.vocabulary, True).codes)
        whole = 10 * (codes & self.wanted).total() >= 9 * self.wanted.total()
        return whole and listing.size <= len(marked.spans)

    def listed(self, parts: Sequence[str], read: Callable[[str], Listing | None]) -> Listing | None:
        """The longest list of strings most of which are in the document."""
        best: Listing | None = None
        for part in parts:
            listing = read(part)
            if listing is None or (best is not None and listing.size <= best.size):
                continue
            if listing.shape != "JSON" and self._is_text(part):
                continue
            if not listing.clusters:
                return listing
            find = self.occurrences
            kept = [
                one
                for one in listing.clusters
                if not one.doubtful or all(find.of(quote.text).every for quote in one.quotes)
            ]
            listing = settled(with_names(replace(listing, clusters=tuple(kept)), find), find)
            quotes = [quote for cluster in listing.clusters for quote in cluster.quotes]
            found = sum(bool(find.of(quote.text).every) for quote in quotes)
            single = all(len(one.quotes) < 2 for one in listing.clusters)
            if quotes and 2 * found >= len(quotes) and not (single and listing.shape != "JSON"):
                best = listing
        return best


def _answered(document: Document, answer: Answer, dialect: Dialect | None, align: str) -> Document:
    """The document with the mentions of an answer, or of the answers to its chunks."""
    source = without_empty_nodes(document)
    reader = _Reader(source)
    read = [_read(reader, document, text, dialect, align) for text in (answer.text, *answer.more)]
    listings = [one for one in read if isinstance(one, Listing)]
    projected = [one for one in read if isinstance(one, Projected)]
    if answer.repeated and (listings or any(one.copied.coverage > WHOLE for one in projected)):
        raise answer.twice(document.name)
    if not listings:
        joined = projected[0] if len(projected) == 1 else join_chunks(source, projected)
        return _response_document(document, joined, align)
    clusters = listings[0].clusters
    if len(listings) > 1:
        clusters = join_listings([one.clusters for one in listings], Occurrences(source))
    failed = [one.copied.failure for one in projected if one.copied.failure]
    if len(failed) < len(projected):
        failed = ["the chunks have several dialects; those with tags are left out", *failed]
    return listed_document(
        source, replace(listings[0], clusters=clusters), "; ".join(failed), len(read)
    )


def _read(
    reader: _Reader, document: Document, text: str | None, dialect: Dialect | None, align: str
) -> Projected | Listing:
    """The mentions of one answer: tagged text, or a list of strings."""
    source = reader.document
    words = len(source.tokens or ())
    failed = Copied(source.name, words, deleted=words, stopped=0)
    if text is None or not text.strip():
        failure = "no answer" if text is None else "the answer is empty"
        return Projected(
            [], Counter(), replace(failed, failure=failure) if words else Copied(source.name, 0)
        )
    parts = parts_of(text)
    if align == "crac" and (dialect or dialect_of(text)) is DIALECTS["crac-text"]:
        return project(text, DIALECTS["crac-text"], document, align)
    listing = reader.listed(parts, json_listing) if dialect is None else None
    tagged = reader.tagged(parts, dialect)
    if listing is not None and (tagged is None or not reader.is_legend(listing, *tagged)):
        return listing
    if tagged is not None:
        part, chosen = tagged
        projected = project(part, chosen, document, align)
        before = max(0, text.find(part))
        faults = [
            replace(fault, character=fault.character + before) for fault in projected.copied.faults
        ]
        copied = replace(projected.copied, faults=tuple(faults), dialect=chosen.name)
        if copied.copied or align == "crac":
            return replace(projected, copied=copied)
        failed = replace(copied, kept=0, moved=0, lost=copied.mentions)
    listing = reader.listed(parts, prose_listing) if dialect is None else None
    if listing is not None:
        return listing
    if any(map(is_refusal, parts)):
        return Projected([], Counter(), replace(failed, failure="the model refused to answer"))
    plain = project(parts[0], dialect or DIALECTS["markdown"], document, align)
    known = dialect is not None or not _unknown_tags(reader, parts[0])
    least = 0.5 if dialect is None else ANOTHER
    if align == "crac" or (plain.copied.coverage >= least and known):
        return plain
    if dialect is not None or not words:
        failure = "the answer is not a copy of the text" if words else ""
        return Projected([], Counter(), replace(failed, failure=failure))
    beginning = " ".join(text.split())
    beginning = beginning if len(beginning) <= 80 else f"{beginning[:80]}…"
    failure = (
        f"{UNREADABLE}{beginning!r}, which is neither tagged text, nor JSON, nor a list of "
        f"mentions; the nearest dialect is {nearest_dialect(parts[0]).name}"
    )
    return Projected([], Counter(), replace(failed, failure=failure))


def _unknown_tags(reader: _Reader, text: str) -> bool:
    """True if a text has signs of tags that the document has not."""
    counts = Counter(atoms_of_text(text, (), reader.vocabulary, False).codes) - reader.wanted
    signs = {reader.vocabulary.code(sign) for sign in "[]{}<>|#@^*\\_"}
    return sum(counts[sign] for sign in signs) > 1


# --- chunks ---------------------------------------------------------------------------------------


def join_chunks(source: Document, chunks: Sequence[Projected]) -> Projected:
    """The mentions of all chunks of a document.

    Chunks that share no mention share their entity ids. The ids of overlapping chunks are shared if
    those of all common mentions are, and two entities show it; otherwise entities are linked by
    their common mentions.
    """
    at: dict[tuple[WordPlace, WordPlace], dict[int, str]] = defaultdict(dict)
    for number, chunk in enumerate(chunks):
        for low, high, label in chunk.spans:
            at[low, high][number] = label
    common = [labels for labels in at.values() if len(labels) > 1]
    agreeing = {label for labels in common for label in labels.values()}
    shared = not common or (
        len(agreeing) > 1 and all(len(set(one.values())) == 1 for one in common)
    )
    ids = {(n, label): row for row, (n, label) in enumerate(
        dict.fromkeys((n, label) for labels in at.values() for n, label in labels.items())
    )}  # fmt: skip
    if shared:
        first: dict[str, tuple[int, str]] = {}
        pairs = [(ids[one], ids[first.setdefault(one[1], one)]) for one in ids]
    else:
        pairs = [
            (ids[one], ids[other]) for labels in common for one, other in pairwise(labels.items())
        ]
    roots = connected_components(len(ids), pairs)
    spans = [
        (low, high, str(roots[ids[next(iter(labels.items()))]]))
        for (low, high), labels in at.items()
    ]
    exact, present = (
        frozenset[int]().union(*(getattr(chunk, name) for chunk in chunks))
        for name in ("exact", "present")
    )
    words = len(source.tokens or ())
    counted = ("inserted", "reordered", "mentions", "kept", "moved", "lost", "malformed")
    failures = dict.fromkeys(filter(None, (chunk.copied.failure for chunk in chunks)))
    stop = max(present, default=-1) + 1
    copied = Copied(
        source.name,
        words,
        len(exact),
        len(present - exact),
        words - len(present | exact),
        **{name: sum(getattr(chunk.copied, name) for chunk in chunks) for name in counted},
        stopped=stop if stop < words else None,
        faults=tuple(fault for chunk in chunks for fault in chunk.copied.faults)[:MOST_FAULTS],
        failure="; ".join(failures) if not present else "",
        dialect="+".join(dict.fromkeys(filter(None, (chunk.copied.dialect for chunk in chunks)))),
        chunks="shared-ids" if shared else "overlap",
    )
    zeros = Counter[int]()
    for chunk in chunks:
        zeros |= chunk.zeros
    return Projected(spans, zeros, copied)


# --- projection -----------------------------------------------------------------------------------


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
    copied = _with_faults(projected.copied, _faults(marked, lambda sign: sign in own))
    return replace(projected, copied=copied)


def _with_faults(copied: Copied, faults: Sequence[TagFault]) -> Copied:
    return replace(copied, malformed=len(faults), faults=tuple(faults[:MOST_FAULTS]))


def _faults(marked: Marked, of_source: Callable[[int], bool]) -> list[TagFault]:
    """Malformed tags of an answer; doubtful ones unless their character is the source's."""
    found = [fault for sign, fault in marked.doubts if not of_source(sign)]
    return sorted([*marked.faults, *found], key=BY_PLACE)


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
    places: dict[int, tuple[WordPlace, WordPlace]] = {}
    for atom, first, last in zip(shown, aligned.first, aligned.last, strict=True):
        if first >= 0:
            places[atom] = ((ours.word[first] + 1, 0), (ours.word[last] + 1, 0))
    zeros = Counter[int]()
    before = 0
    for atom, code in enumerate(theirs.codes):
        if atom in places:
            before = max(before, places[atom][1][0])
        elif code < 0:
            zeros[before] += 1
            places[atom] = ((before, zeros[before]), (before, zeros[before]))
    spans: list[TaggedSpan] = []
    moved = 0
    for start, stop, label in bounds:
        known = [atom for atom in range(start, stop) if atom in places]
        if known:
            word = theirs.word
            moved += word[start] != word[known[0]] or word[stop - 1] != word[known[-1]]
            low = min(places[atom][0] for atom in known)
            spans.append((low, max(places[atom][1] for atom in known), label))
    copied, copies, present = _tallied(source.name, ours, theirs, shown, aligned)
    copied = replace(
        copied,
        mentions=len(bounds),
        kept=len(spans) - moved,
        moved=moved,
        lost=len(bounds) - len(spans),
    )
    exact = {atom for atom, same in zip(shown, aligned.same, strict=True) if same}
    return Projected(spans, zeros, copied, copies, present), places, exact


def _tallied(
    name: str, ours: Atoms, theirs: Atoms, shown: Sequence[int], aligned: Aligned
) -> tuple[Copied, frozenset[int], frozenset[int]]:
    """Statistics of the words of an answer; the words that are copied, and those present."""
    exact, found = set[int](), set[int]()
    partner = {word for word, code in zip(theirs.word, theirs.codes, strict=True) if code < 0}
    for atom, first, last, same in zip(
        shown, aligned.first, aligned.last, aligned.same, strict=True
    ):
        if first >= 0:
            found.update(range(first, last + 1))
            partner.add(theirs.word[atom])
        if same:
            exact.update(range(first, last + 1))
    sizes, equal = Counter(ours.word), Counter(ours.word[atom] for atom in exact)
    present = frozenset(ours.word[atom] for atom in found)
    copies = frozenset(word for word, size in sizes.items() if equal[word] == size)
    end = max(present, default=-1) + 1
    copied = Copied(
        name,
        ours.words,
        len(copies),
        len(present) - len(copies),
        ours.words - len(present),
        theirs.words - len(partner),
        len({theirs.word[shown[atom]] for atom in aligned.moved}),
        stopped=end if end < ours.words else None,
    )
    return copied, copies, present


def words_in_source(document: Document, source: Document) -> tuple[list[Span | None], Copied]:
    """The words of the source that each word of a document is, which differs a little from it.

    Empty nodes do not count as words. Words of mentions are preferred where several alignments are
    equally good.

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
        span, word = spans[theirs.word[atom]], theirs.word[atom]
        spans[word] = (
            (low - 1, high) if span is None else (min(span[0], low - 1), max(span[1], high))
        )
    return spans, projected.copied


# --- documents with the mentions of an answer -----------------------------------------------------


def _response_document(source: Document, projected: Projected, align: str) -> Document:
    """The source with the mentions and empty nodes of an answer instead of its own."""
    # Ids of sentences and nodes may be those of empty nodes, which the answer need not have.
    layers = {name: v for name, v in source.layers.items() if name not in ("sent_id", "node")}
    plain = replace(source, mentions=[], relations=[], annotations={}, layers=layers)
    words = without_empty_nodes(plain)
    document, token_of = _with_zeros(words, projected.zeros, "deps" in source.layers)
    for low, high, label in sorted(projected.spans, key=lambda s: (s[0], (-s[1][0], -s[1][1]))):
        document.mentions.append(Mention(label, [(token_of[low], token_of[high] + 1)]))
    set_heads(document)
    document.copied = Copies(align, (projected.copied,))
    return document


def _with_zeros(
    document: Document, zeros: Counter[int], dependent: bool
) -> tuple[Document, dict[WordPlace, int]]:
    """A document with so many empty nodes after each number of words; the token of each place."""
    words, starts = document.tokens or [], document.starts or [0]
    places = sorted(
        [
            *((place, 0) for place in range(1, len(words) + 1)),
            *((place, number + 1) for place in zeros for number in range(zeros[place])),
        ]
    )
    token_of = {place: token for token, place in enumerate(places)}
    if not zeros:
        return document, token_of
    # Nodes before the first word belong to its sentence.
    sentences = [token_of[start + 1, 0] - (zeros[0] if start == 0 else 0) for start in starts]

    def column(values: Sequence[str]) -> list[str]:
        return ["_" if number else values[place - 1] for place, number in places]

    layers = {name: column(values) for name, values in document.layers.items()}
    if dependent:
        layers.setdefault("deps", ["_"] * len(places))
        for (place, number), token in token_of.items():
            if number:
                sentence = starts[max(bisect_left(starts, place) - 1, 0)]
                layers["deps"][token] = f"{place - sentence}:_" if place else "0:_"
    lines = [document.lines[max(place - 1, 0)] for place, _ in places] if document.lines else []
    found = replace(
        document,
        tokens=column(words),
        starts=sorted(sentences),
        layers=layers,
        empty_nodes=[token for token, (_, number) in enumerate(places) if number],
        lines=lines,
        running_text=None,
        offsets=[],
    )
    return found, token_of


# --- the shared task's rule -----------------------------------------------------------------------

_TAG = re.compile(r"(\[?)e(\d+)(]?)")
_STRAY = re.compile(r"\[e\d+\]?|e\d+\]")


def _project_words(answer: str, dialect: Dialect, source: Document) -> Projected:
    """Project mentions as the shared task's cleaner does."""
    words, faults = answer.split(), list[TagFault]()
    if not dialect.crosses:
        marked, signs = dialect.parse(answer), set("".join(source.tokens or ()))
        words, faults = _crac_words(marked), _faults(marked, lambda at: marked.text[at] in signs)
    gold = [word.replace(" ", "_") for word in source.tokens or ()]
    forms = [word.split("|")[0] for word in words]
    known = set(gold)
    for form in forms:
        if _STRAY.fullmatch(form) and form not in known:
            faults.append(TagFault(form, 0, "not attached to a word: dropped"))
    rows, copied, zeros = _aligned_words(words, forms, gold)
    spans: list[TaggedSpan] = []
    read = 0
    for stop in [*(source.starts or [0])[1:], len(gold)]:
        first = read
        # A sentence ends with its last word; empty nodes after that belong to the next one.
        while read < len(rows) and rows[read][0] < (stop, 1):
            read += 1
        spans += _closed_in_sentence(rows[first:read], faults)
    tagged = sum(tag.startswith("[") for word in words for tag in _tags_of(word))
    copied = replace(
        copied,
        document=source.name,
        mentions=tagged,
        kept=len(spans),
        lost=max(0, tagged - len(spans)),
    )
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
    rows: list[tuple[WordPlace, str]] = [
        ((place + 1, 0), kept.get(place, "")) for place in range(len(gold))
    ]
    zeros = Counter[int]()
    for row, form in enumerate(forms):
        if form.startswith(ZERO):
            # An empty node stands before the next word that has a partner.
            following = bisect_left(paired, (row, 0))
            before = paired[following][1] if following < len(paired) else len(gold)
            if 0 < before < len(gold):  # the cleaner drops those at either end
                zeros[before] += 1
                rows.append(((before, zeros[before]), words[row]))
    stopped = max((place for _, place in paired), default=-1) + 1
    copied = Copied(
        "",
        len(gold),
        len(kept),
        len(paired) - len(kept),
        len(gold) - len(paired),
        len(solid) - len(paired),
        stopped=stopped if stopped < len(gold) else None,
    )
    return sorted(rows, key=lambda row: row[0]), copied, zeros


def _closed_in_sentence(
    rows: Sequence[tuple[WordPlace, str]], faults: list[TagFault]
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
            elif closes and (opens or not opened[label]):
                mentions.append((place, place, label))
                if not opens:
                    outcome = "closes an unopened mention: read as a mention of one word"
                    faults.append(TagFault(word[:80], 0, outcome))
            elif closes:
                mentions.append((opened[label].pop(), place, label))
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
    for begin, end, label in marked.spans:
        number = numbers.setdefault(label, len(numbers) + 1)
        first = bisect_right(places, begin, key=lambda span: span[1])
        last = bisect_left(places, end, key=lambda span: span[0]) - 1
        if first == last:
            tags[first].append(f"[e{number}]")
        else:
            tags[first].append(f"[e{number}")
            tags[last].append(f"e{number}]")
    return [
        full_width(marked.text[begin:end], "|") + ("|" + ",".join(tags[n]) if n in tags else "")
        for n, (begin, end) in enumerate(places)
    ]


# --- registration ---------------------------------------------------------------------------------


def _read_against(
    sources: Sequence[Source], source: Corpus, align: str, dialect: Dialect | None = None
) -> Corpus:
    """The answers of files, aligned with the words of a corpus."""
    answers = find_answers(sources, source.documents)
    return refuse_unreadable(read_answers(answers, source, dialect, align))


def read_answer_records(
    records: Sequence[Mapping[str, Any]],
    source: Corpus | None,
    align: str,
    format: str | None,
    where: str,
) -> Corpus:
    """The answers of records in Python, aligned with the words of a corpus."""
    if source is None:
        raise UsageError(
            "answers of a language model need a key", remedy="Score them as a response."
        )
    dialect = None if format in (None, "answers") else dialect_named(str(format))
    rows = [(record, number) for number, record in enumerate(records, 1)]
    named = named_records(rows, source.documents, partial(Location, where))
    placed = ((one, Location(where, one.line)) for one in named)
    answers = by_document(placed, source.documents)
    return refuse_unreadable(read_answers(answers, source, dialect, align))


def _refuse(source: Source, layers: frozenset[str] | None, /) -> NoReturn:
    raise UsageError(
        "text tagged by a language model needs its source",
        source.where(),
        "Score it against a key, or give the source with --against KEY (against=key).",
    )


def is_meant(head: bytes, name: str) -> bool:
    """True for records of answers, and for text in a dialect that is written too."""
    text = head.decode("utf-8", "replace")
    return is_records(head) or any(one.hint.search(text) for one in WRITTEN.values())


def may_be_answer(head: bytes, name: str) -> bool:
    """True if a response that begins like this may be the answer of a language model."""
    text = head.decode("utf-8", "replace")
    if "\ufffd" in text[:-4] or "\t" in text.partition("\n")[0] or "\0" in text:
        return False
    if name.removesuffix(".gz").endswith((".txt", ".md")) or is_refusal(text):
        return True
    listing = listing_in(text)
    listed = listing is not None and any(len(one.quotes) > 1 for one in listing.clusters)
    return listed or bool(likely_dialects(text))


register(
    Format(
        "answers",
        "Answers of language models: tagged text, JSON or lists, found for each answer",
        read_columns=_refuse,
        write=write_numbered,
        read_against=_read_against,
    )
)
for _dialect in WRITTEN.values():
    register(
        Format(
            _dialect.name,
            _dialect.title,
            read_columns=_refuse,
            write=partial(write_answers, dialect=_dialect),
            read_against=partial(_read_against, dialect=_dialect),
            write_prompts=partial(write_prompts, dialect=_dialect),
        )
    )
