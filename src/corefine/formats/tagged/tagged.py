"""Formats of answers of language models: tagged text, and mentions listed as strings.

The dialect of each answer is found by comparison with its document: the text without the tags is a
copy of the document, or a list has strings that the document has.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, NoReturn

from corefine.corpus.copies import Copied
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, without_empty_nodes
from corefine.errors import FormatError, Location, UsageError, choose
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register
from corefine.formats.tagged.alignment import (
    Vocabulary,
    atoms_of_text,
    atoms_of_words,
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
from corefine.formats.tagged.dialects import (
    DIALECTS,
    WRITTEN,
    Dialect,
    dialect_named,
    dialect_of,
    likely_dialects,
    nearest_dialect,
)
from corefine.formats.tagged.documents import listed_document, tagged_document
from corefine.formats.tagged.grounding import Occurrences
from corefine.formats.tagged.listings import (
    Listing,
    joined,
    json_listing,
    listing_in,
    prose_listing,
    settled,
)
from corefine.formats.tagged.projection import RULES, Projected, join_chunks, project
from corefine.formats.tagged.writing import write_answers, write_numbered, write_prompts

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
        response = _Reader(document, dialect, align).document_of(answer)
        response.source = answer.source
        documents.append(response)
    return Corpus.from_documents(documents, None if dialect is None else dialect.name)


def refuse_unreadable(corpus: Corpus) -> Corpus:
    """The corpus; an error if no answer could be read and one is neither missing nor a refusal."""
    documents = () if corpus.copies is None else corpus.copies.documents
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
_POSITIONS = re.compile(r"[\[(]\s*\d+\s*,\s*\d+\s*[\])]")


class _Reader:
    """The words of a document, with which parts of its answers are compared.

    The dialect of each answer is found unless it is given.
    """

    def __init__(self, document: Document, dialect: Dialect | None, align: str) -> None:
        self.document, self.dialect, self.align = document, dialect, align
        self.words = without_empty_nodes(document)
        self.vocabulary = Vocabulary()
        codes = atoms_of_words(self.words.tokens or [], self.vocabulary).codes
        self.wanted = Counter(codes)
        self.pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
        """Places of pairs of neighbouring atoms."""
        for place, pair in enumerate(pairwise(codes)):
            self.pairs[pair].append(place)

    @cached_property
    def occurrences(self) -> Occurrences:
        """Search for strings in the document."""
        return Occurrences(self.words)

    def document_of(self, answer: Answer) -> Document:
        """The document with the mentions of an answer, or of the answers to its chunks."""
        read = [self.read(text) for text in (answer.text, *answer.more)]
        listings = [one for one in read if isinstance(one, Listing)]
        projected = [one for one in read if isinstance(one, Projected)]
        if answer.repeated and (listings or any(one.copied.coverage > WHOLE for one in projected)):
            raise answer.twice(self.document.name)
        if not listings:
            whole = projected[0] if len(read) == 1 else join_chunks(self.words, projected)
            return tagged_document(self.document, whole, self.align)
        listing = listings[0]
        if len(listings) > 1:
            every = [cluster for one in listings for cluster in one.clusters]
            listing = replace(listing, clusters=joined(every, self.occurrences, by_name=True))
        failed = [one.copied.failure for one in projected if one.copied.failure]
        if len(failed) < len(projected):
            failed = ["the chunks have several dialects; those with tags are left out", *failed]
        return listed_document(self.words, listing, "; ".join(failed), len(read))

    def read(self, text: str | None) -> Projected | Listing:
        """The mentions of one answer: tagged text, or a list of strings."""
        size, is_crac = len(self.words.tokens or ()), self.align == "crac"
        failed = Copied(self.words.name, size, deleted=size, stopped=0 if size else None)
        if text is None or not text.strip():
            return _failure(failed, "no answer" if text is None else "the answer is empty")
        if is_crac and (self.dialect or dialect_of(text)) is DIALECTS["crac-text"]:
            return project(text, DIALECTS["crac-text"], self.document, self.align)
        parts = parts_of(text)
        listing, tagged = self._listed(parts, json_listing), self._tagged(parts)
        if listing is not None and (tagged is None or not self._is_legend(listing, *tagged)):
            return listing
        if tagged is not None:
            projected = self._project(text, *tagged)
            copied = projected.copied
            if copied.copied or is_crac:
                return projected
            failed = replace(copied, kept=0, moved=0, lost=copied.mentions)
        listing = self._listed(parts, prose_listing)
        if listing is not None:
            return listing
        if any(map(is_refusal, parts)):
            return _failure(failed, "the model refused to answer")
        plain = project(parts[0], self.dialect or DIALECTS["markdown"], self.document, self.align)
        known = self.dialect is not None or not self._has_unknown_tags(parts[0])
        least = 0.5 if self.dialect is None else ANOTHER
        if is_crac or (plain.copied.coverage >= least and known):
            return plain
        if self.dialect is not None:
            return _failure(failed, "the answer is not a copy of the text")
        beginning = " ".join(text.split())
        beginning = beginning if len(beginning) <= 80 else f"{beginning[:80]}…"
        reason = (
            "which is neither tagged text, nor JSON, nor a list of mentions; the nearest dialect "
            f"is {nearest_dialect(parts[0]).name}"
        )
        if _POSITIONS.search(parts[0]):
            reason = (
                "which has positions instead of words; ask for the words of mentions, or write "
                "positions of tokens as 'clusters' in JSON lines (format e2e)"
            )
        return _failure(failed, f"{UNREADABLE}{beginning!r}, {reason}")

    def _tagged(self, parts: Sequence[str]) -> tuple[str, Dialect] | None:
        """The part and the dialect whose text without tags is most like the document.

        Of a long part, the text from its first tag on is compared. A part whose text
        is shorter than the document counts less.
        """
        best: tuple[float, str, Dialect] | None = None
        size = sum(map(len, self.words.tokens or ())) or 1
        for part in parts:
            likely = [self.dialect] if self.dialect else likely_dialects(part)
            starts = (found.start() for one in likely if (found := one.hint.search(part)))
            start = 0 if self.dialect else max(0, min(starts, default=0) - MARGIN)
            shown = part if self.dialect else part[start : start + COMPARED]
            least = self._likeness(shown)[0] if likely else 0
            for dialect in likely:
                marked = dialect.parse(shown)
                quality, is_copy = self._likeness(marked.text, marked.cuts)
                share = min(1, len(part) * len(marked.text) / max(1, len(shown) * size))
                better = best is None or share * quality > best[0]
                fits = self.dialect is not None or (is_copy and quality > least)
                if marked.spans and better and fits:
                    best = share * quality, part, dialect
                    if share == 1 and quality >= NEARLY * len(split_atoms(marked.text)):
                        return best[1:]
        return None if best is None else best[1:]

    def _project(self, text: str, part: str, dialect: Dialect) -> Projected:
        """The mentions of a part of an answer; faults have their place in the answer."""
        projected = project(part, dialect, self.document, self.align)
        before = max(0, text.find(part))
        faults = tuple(
            replace(fault, character=fault.character + before) for fault in projected.copied.faults
        )
        copied = replace(projected.copied, faults=faults, dialect=dialect.name)
        return replace(projected, copied=copied)

    def _likeness(self, text: str, cuts: Sequence[int] = ()) -> tuple[float, bool]:
        """Atoms of a text that the document has, less a quarter of the rest; true for a copy.

        A copy follows the document: between the first and the last pair of neighbours that both
        texts have in the same order, most pairs of the text are common, and many of the document.
        A list of mentions does not.
        """
        codes = self._codes(text, cuts, zeros=True)
        shared = self._known(codes)
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

    def _codes(self, text: str, cuts: Sequence[int] = (), zeros: bool = False) -> list[int]:
        """Codes of the atoms of a text, without empty nodes."""
        codes = atoms_of_text(text, cuts, self.vocabulary, zeros).codes
        return [code for code in codes if code >= 0]

    def _known(self, codes: Sequence[int]) -> int:
        """Number of atoms that the document has, each counted as often as there."""
        return (Counter(codes) & self.wanted).total()

    def _listed(
        self, parts: Sequence[str], read: Callable[[str], Listing | None]
    ) -> Listing | None:
        """The longest list of strings most of which are in the document, if no dialect is given."""
        best: Listing | None = None
        for part in parts if self.dialect is None else ():
            listing = read(part)
            if listing is None or (best is not None and listing.size <= best.size):
                continue
            is_json = listing.shape == "JSON"
            if not is_json and self._is_text(part):
                continue
            if not listing.clusters:
                return listing
            listing = settled(listing, self.occurrences)
            quotes = [quote for cluster in listing.clusters for quote in cluster.quotes]
            found = sum(bool(self.occurrences.of(quote.text).every) for quote in quotes)
            several = any(len(cluster.quotes) > 1 for cluster in listing.clusters)
            if quotes and 2 * found >= len(quotes) and (several or is_json):
                best = listing
        return best

    def _is_text(self, text: str) -> bool:
        """True if a text runs on as the document does: it is no list."""
        codes = self._codes(text)
        known = sum(pair in self.pairs for pair in pairwise(codes))
        return 10 * known > 7 * len(codes) or 10 * self._known(codes) > 8 * self.wanted.total() > 80

    def _is_legend(self, listing: Listing, part: str, dialect: Dialect) -> bool:
        """True if a list only names the entities of tagged text, which is a copy of all."""
        marked = dialect.parse(part)
        known = self._known(self._codes(marked.text, marked.cuts, zeros=True))
        return 10 * known >= 9 * self.wanted.total() and listing.size <= len(marked.spans)

    def _has_unknown_tags(self, text: str) -> bool:
        """True if a text has signs of tags that the document lacks."""
        counts = Counter(self._codes(text)) - self.wanted
        return sum(counts[self.vocabulary.code(sign)] for sign in "[]{}<>|#@^*\\_") > 1


def _failure(copied: Copied, reason: str) -> Projected:
    """An answer without mentions; a document without words lacks none."""
    return Projected([], Counter(), replace(copied, failure=reason if copied.words else ""))


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
