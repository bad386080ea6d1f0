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
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from typing import NoReturn

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, merged, without_empty_nodes
from corefine.errors import UsageError, choose
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register
from corefine.formats.tagged.alignment import (
    Aligned,
    Atoms,
    Vocabulary,
    align,
    atoms_of_text,
    atoms_of_words,
    edit_distance,
)
from corefine.formats.tagged.answers import (
    Answer,
    find_answers,
    is_records,
    output_of,
    over_lines,
    without_chatter,
)
from corefine.formats.tagged.copies import Copied, Copies, TagFault
from corefine.formats.tagged.dialects import (
    BY_PLACE,
    DIALECTS,
    ZERO,
    Dialect,
    Marked,
    dialect_named,
    dialect_of,
    full_width,
    write_answers,
    write_prompts,
)

RULES = ("tolerant", "crac")
"""Rules of alignment with the source."""
ANOTHER = 0.2
"""Share of the source's words below which an answer without tags is another text."""
MOST_FAULTS = 1000
"""Maximum number of malformed tags that are kept per document."""

Place = tuple[int, int]
"""Number of words up to a position; for an empty node its number after that word, otherwise 0."""
TaggedSpan = tuple[Place, Place, str]
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
    """Read the mentions that a language model tagged in a text, as spans of the source's words.

    ``words`` are those of the source, or its sentences. The dialect (``"crac-text"``,
    ``"markdown"``, ``"xml-m"``, ``"xml-entity"``, ``"seq2seq"``, ``"brackets"``) is detected unless
    it is given. ``align`` is ``"tolerant"``, or ``"crac"`` for the rule of the shared task's
    cleaner. The corpus's ``copies`` has statistics of copied and lost words and mentions.

    >>> corpus = read_tagged("Sure! [Tom](#1) say [he](#1) left.", "Tom says he left .".split())
    >>> corpus.to_dict()
    {'': [[(0, 0), (2, 2)]]}
    >>> corpus.copies.total.changed
    1
    """
    choose("align", align, RULES)
    if isinstance(words, str):
        raise UsageError("the source words are a string", remedy="Give a list of words.")
    sentences = [[word] if isinstance(word, str) else list(word) for word in words]
    source = Document(document, [word for sentence in sentences for word in sentence])
    if not all(isinstance(word, str) for word in words):
        sizes = [len(sentence) for sentence in sentences if sentence]
        source.sentences = list(accumulate(sizes, initial=0))[:-1]
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
        answer = answers.get(document.name)
        projected = _projected(document, None if answer is None else answer.text, dialect, align)
        response = _response_document(document, projected, align)
        response.source = "" if answer is None else answer.source
        documents.append(response)
    corpus = Corpus.from_documents(documents, None if dialect is None else dialect.name)
    warnings = () if corpus.copies is None else tuple(corpus.copies.warnings())
    return replace(corpus, warnings=warnings)


@dataclass(frozen=True, slots=True)
class Projected:
    """Mentions of an answer in its source."""

    spans: list[TaggedSpan]
    zeros: Counter[int]
    """Number of empty nodes of the answer after each number of words."""
    copied: Copied


def _projected(
    document: Document, text: str | None, dialect: Dialect | None, align: str
) -> Projected:
    """Mentions of one answer; none if it is missing or not a copy of the text."""
    if text is None or not text.strip():
        words = len(document.tokens or ()) - len(document.empty_nodes)
        failure = "no answer" if text is None else "the answer is empty"
        failed = Copied(document.name, words, deleted=words, stopped=0, failure=failure)
        return Projected([], Counter(), failed if words else Copied(document.name, 0))
    literal = align == "crac" and (dialect or dialect_of(text)) is DIALECTS["crac-text"]
    part = text if literal else without_chatter(text, document.tokens or [], dialect)
    chosen = dialect or dialect_of(part) or DIALECTS["markdown"]
    projected = project(part, chosen, document, align)
    copied, before = projected.copied, max(0, text.find(part))
    faults = [replace(fault, character=fault.character + before) for fault in copied.faults]
    copied = replace(copied, faults=tuple(faults))
    untagged = not copied.mentions and not copied.malformed
    if copied.words and (not copied.copied or (untagged and copied.coverage < ANOTHER)):
        copied = replace(copied, failure="the answer is not a copy of the text")
        if align == "tolerant":
            # No word of it is known to correspond to one of the text.
            copied = replace(copied, kept=0, moved=0, lost=copied.mentions)
            return Projected([], Counter(), copied)
    return replace(projected, copied=copied)


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
) -> tuple[Projected, dict[int, tuple[Place, Place]], set[int]]:
    """Project mentions, given as ranges of atoms.

    The other results are the first and last place of each atom that has a partner, and the atoms
    that are copied exactly.
    """
    ours = atoms_of_words(source.tokens or [], vocabulary)
    shown = [atom for atom, code in enumerate(theirs.codes) if code >= 0]
    opens = {bisect_left(ours.word, word) for word in source.sentences or [0]}
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
    places: dict[int, tuple[Place, Place]] = {}
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
    copied = replace(
        _tallied(source.name, ours, theirs, shown, aligned),
        mentions=len(bounds),
        kept=len(spans) - moved,
        moved=moved,
        lost=len(bounds) - len(spans),
    )
    exact = {atom for atom, same in zip(shown, aligned.same, strict=True) if same}
    return Projected(spans, zeros, copied), places, exact


def _tallied(
    name: str, ours: Atoms, theirs: Atoms, shown: Sequence[int], aligned: Aligned
) -> Copied:
    """Statistics of the words of an answer."""
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
    present = {ours.word[atom] for atom in found}
    copied = sum(equal[word] == size for word, size in sizes.items())
    end = max(present, default=-1) + 1
    return Copied(
        name,
        ours.words,
        copied,
        len(present) - copied,
        ours.words - len(present),
        theirs.words - len(partner),
        len({theirs.word[shown[atom]] for atom in aligned.moved}),
        stopped=end if end < ours.words else None,
    )


def on_words_of(document: Document, source: Document) -> tuple[Document, Copied]:
    """The mentions of a document in the words of another, which differ a little, and statistics.

    A mention extends from its first to its last word that is in the source; mentions without such
    a word, and those of empty nodes, are lost.

    >>> source = Document("d", ["Anna", "saw", "her", "old", "house"])
    >>> other = Document("d", ["Anna", "saw", "the", "house"], [Mention("h", [(2, 4)])])
    >>> found, copied = on_words_of(other, source)
    >>> [found.words(mention) for mention in found.mentions], copied.deleted
    (['old house'], 1)
    """
    size = len(document.mentions)
    document, words = without_empty_nodes(document), without_empty_nodes(source)
    vocabulary = Vocabulary()
    theirs = atoms_of_words(document.tokens or [], vocabulary)

    def atom(word: int) -> int:
        return bisect_left(theirs.word, word)

    bounds = [
        (atom(start), atom(stop), str(number))
        for number, mention in enumerate(document.mentions)
        for start, stop in mention.spans
    ]
    projected, places, _ = _project_atoms(words, theirs, bounds, vocabulary)
    spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for (low, _), (high, _), label in projected.spans:
        spans[label].append((low - 1, high))
    found = replace(
        words,
        name=document.name,
        named=document.named,
        topic=document.topic,
        source=document.source,
        mentions=[],
        relations=document.relations,
        annotations={},
        lines=[],
    )
    for number, mention in enumerate(document.mentions):
        if str(number) in spans:
            head = None if mention.head is None else places.get(atom(mention.head))
            found.mentions.append(
                replace(
                    mention,
                    spans=merged(spans[str(number)]),
                    head=None if head is None else head[0][0] - 1,
                    minimum=None,
                )
            )
    lost = size - len(found.mentions)
    return found, replace(projected.copied, mentions=size, lost=lost)


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
    _set_heads(document)
    document.copied = Copies(align, (projected.copied,))
    return document


def _with_zeros(
    document: Document, zeros: Counter[int], dependent: bool
) -> tuple[Document, dict[Place, int]]:
    """A document with so many empty nodes after each number of words; the token of each place."""
    words, starts = document.tokens or [], document.sentences or [0]
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
        sentences=sorted(sentences),
        layers=layers,
        empty_nodes=[token for token, (_, number) in enumerate(places) if number],
        lines=lines,
        text=None,
        offsets=[],
    )
    return found, token_of


_ROOT = -1
"""Parent of the root of a sentence in enhanced dependencies."""


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
                heads = [one.partition(":")[0] for one in deps[token].split("|")]
                found = [_ROOT if one == "0" else word(one) for one in heads]
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
    for stop in [*(source.sentences or [0])[1:], len(gold)]:
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
) -> tuple[list[tuple[Place, str]], Copied, Counter[int]]:
    """Words of the source and empty nodes of the answer with their tags, and statistics."""
    solid = [row for row, form in enumerate(forms) if not form.startswith(ZERO)]
    codes: dict[str, int] = {}
    left = np.array([codes.setdefault(forms[row], len(codes)) for row in solid], np.int64)
    right = np.array([codes.setdefault(word, len(codes)) for word in gold], np.int64)
    paired = [
        (solid[row], place) for row, place in edit_distance(left, right, np.array(solid, np.int64))
    ]
    kept = {place: words[row] for row, place in paired if forms[row] == gold[place]}
    rows: list[tuple[Place, str]] = [
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
    rows: Sequence[tuple[Place, str]], faults: list[TagFault]
) -> list[TaggedSpan]:
    """Mentions of a sentence; each entity has a stack of its own."""
    opened: dict[str, list[Place]] = defaultdict(list)
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
    sources: Sequence[Source], source: Corpus, align: str, dialect: Dialect
) -> Corpus:
    """The answers of files, aligned with the words of a corpus."""
    return read_answers(find_answers(sources, source.documents), source, dialect, align)


def _refuse(source: Source, layers: frozenset[str] | None, /) -> NoReturn:
    raise UsageError(
        "text tagged by a language model needs its source",
        source.where(),
        "Score it against a key, or give the source with --against KEY (against=key).",
    )


def _detect(head: bytes, name: str, dialect: Dialect) -> bool:
    text = head.decode("utf-8", "replace")
    if is_records(head) and not over_lines(head):
        from corefine.formats.jsonlines.records import decode_object

        records = [decode_object(line) for line in head.split(b"\n")[:50] if line.strip()]
        text = "\n".join(output_of(record) or "" for record in records if record is not None)
    return dialect_of(text) is dialect


for _dialect in DIALECTS.values():
    register(
        Format(
            _dialect.name,
            _dialect.title,
            fallback=partial(_detect, dialect=_dialect),
            read_columns=_refuse,
            capabilities=Capabilities(zeros=True, entity_names=False),
            documentation="docs/formats/tagged.md",
            write=partial(write_answers, dialect=_dialect),
            read_against=partial(_read_against, dialect=_dialect),
            write_prompts=partial(write_prompts, dialect=_dialect),
        )
    )
