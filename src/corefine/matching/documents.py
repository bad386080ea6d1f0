"""Pairing the documents of key and response, and giving both the same text.

Formats with the text in a separate file give positions such as ``3:0 3:2``: from the first to the
third token of the third line. If only the other side has the text, they are looked up in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import visible
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import select_documents
from corefine.errors import AlignmentError, Caution, Location
from corefine.matching.matching import Matching, Provenance
from corefine.matching.settings import Settings

if TYPE_CHECKING:
    from corefine.matching.characters import Solid


_PLACE = re.compile("([0-9]{1,9}):([0-9]{1,9}) ([0-9]{1,9}):([0-9]{1,9})")
_FORMATS_OF_LINES = frozenset({"i2b2", "litbank"})
"""Formats whose tokens have line numbers; in others a sentence is a line."""

_COUNTED_IN_WORDS = frozenset({"clusters", "booknlp"})
"""Formats whose mentions are word numbers, without empty nodes, in a text that may be missing."""


def share_text(key: Corpus, response: Corpus, settings: Settings) -> tuple[Corpus, Corpus]:
    """Both sides with the text that only one of them has, if the other has positions in it.

    The sides have the same documents.
    """
    if response.tokens is None and response.format in _COUNTED_IN_WORDS:
        return key, _counted_in(response, key)
    if key.tokens is None and key.format in _COUNTED_IN_WORDS:
        return _counted_in(key, response), response
    if key.has_places and not response.has_places:
        return key, _put_into(response, key, settings)
    if response.has_places and not key.has_places:
        return _put_into(key, response, settings), response
    return key, response


def _counted_in(corpus: Corpus, other: Corpus) -> Corpus:
    """The corpus with the words of the other side, to which its word numbers refer."""
    if other.tokens is None:
        return corpus
    tokens = words_alone(other.tokens)
    mentions = corpus.mentions
    lengths = np.diff(tokens.offsets)[mentions.document]
    beyond = mentions.stop > lengths
    if beyond.any():
        mention = int(np.argmax(beyond))
        first, last = int(mentions.start[mention]), int(mentions.stop[mention]) - 1
        document = int(mentions.document[mention])
        raise AlignmentError(
            f"mention with tokens {first} to {last} in document {corpus.documents[document]!r}, "
            f"which has {lengths[mention]:,} on the other side ({other.location(document)})",
            corpus.location(document),
            "Tokens are counted from 0 within a document, without empty nodes; check whether "
            "the end is inclusive.",
        )
    return replace(corpus, tokens=tokens)


def _put_into(corpus: Corpus, other: Corpus, settings: Settings) -> Corpus:
    """The corpus with the text of the other side, if its mentions are lines and tokens of it."""
    names, tokens, mentions = corpus.mentions.names, other.tokens, corpus.mentions
    if tokens is None or not isinstance(names, Strings):
        return corpus
    written = [_PLACE.fullmatch(name) for name in names]
    lines = _lines(tokens, other)
    first, last = np.zeros(len(mentions), np.int64), np.zeros(len(mentions), np.int64)
    for mention, found in enumerate(written):
        if found is None:
            return corpus
        document = int(mentions.document[mention])
        line, start, last_line, end = map(int, found.groups())
        try:
            first[mention] = lines[document, line][start]
            last[mention] = lines[document, last_line][end]
        except (KeyError, IndexError):
            _refuse_place(corpus, other, mention, f"no mention at {names[mention]}")
        if last[mention] < first[mention]:
            _refuse_place(corpus, other, mention, f"no mention at {names[mention]}")
    base = tokens.offsets[mentions.document]
    attributes = {name: column for name, column in mentions.attributes.items() if name != "text"}
    placed = replace(
        mentions, start=first - base, stop=last + 1 - base, names=None, attributes=attributes
    )
    result = replace(corpus, mentions=placed, tokens=tokens)
    if settings.words == "check" and "text" in mentions.attributes:
        _check_words(result, other, mentions.attributes["text"])
    return result


def _lines(tokens: Tokens, corpus: Corpus) -> dict[tuple[int, int], range]:
    """The tokens of each line, by document and number of the line from 1."""
    documents = tokens.document_of_token
    if corpus.format in _FORMATS_OF_LINES and tokens.lines is not None:
        numbers = tokens.lines
    else:
        sentence = tokens.sentence_of(np.arange(len(tokens)))
        numbers = sentence + 1 - sentence[tokens.offsets[documents]]
    lines: dict[tuple[int, int], range] = {}
    keys = zip(documents.tolist(), numbers.tolist(), strict=True)
    for token, line in enumerate(keys):
        first = lines[line].start if line in lines else token
        lines[line] = range(first, token + 1)
    return lines


def _check_words(corpus: Corpus, other: Corpus, texts: Strings) -> None:
    """Raise an error if most mentions have other words than the text."""
    from corefine.corpus.words import wording_of

    words = wording_of(corpus).texts
    differing = [
        mention
        for mention, (text, read) in enumerate(zip(texts, words, strict=True))
        if visible(text.casefold()) != visible(read.casefold())
    ]
    if 2 * len(differing) > len(words):
        mention = differing[0]
        text, read = texts[mention][:60], words[mention][:60]
        _refuse_place(corpus, other, mention, f"the mention text is {text!r}, not {read!r}")


def _refuse_place(corpus: Corpus, other: Corpus, mention: int, message: str) -> None:
    document = int(corpus.mentions.document[mention])
    raise AlignmentError(
        f"{message} in the text of the other side ({other.location(document)})",
        corpus.location(document),
        "Give both sides the text, and check that it is the same.",
    )


def align_texts(matching: Matching, settings: Settings) -> Matching:
    """Give both sides the same tokens.

    Documents with the same words are not changed. If the words differ but have the same characters
    apart from white space, both sides are cut into finer tokens; other differences are errors.
    Empty nodes may differ. Sentence ids must be equal if both sides have them.
    """
    key, response = matching.key, matching.response
    if key.tokens is None or response.tokens is None:
        return matching
    ours, theirs = words_alone(key.tokens), words_alone(response.tokens)
    known = _has_words(ours) and _has_words(theirs)
    compared = known and settings.words == "check"
    differing = _differing_documents(ours, theirs, compared)
    if len(differing):
        from corefine.matching.characters import Solid, first_difference, refine

        solid = Solid.of(key.tokens, differing), Solid.of(response.tokens, differing)
        different = first_difference(*solid)
        if different is not None or not known:
            _refuse(key, response, differing, solid, different if compared else None)
        key, response = refine(key, response, *solid)
        text = "key and response are tokenised differently in some documents; aligned by character"
        matching = replace(matching, key=key, response=response)
        matching = matching.warn(Caution(text, "tokenisation"))
    assert key.tokens is not None
    assert response.tokens is not None
    _check_sentence_ids(key.tokens, response.tokens, key)
    return matching


def words_alone(tokens: Tokens) -> Tokens:
    """The tokens without empty nodes, and without layers."""
    if tokens.empty is None:
        return tokens
    from corefine.corpus.renumbering import words_of

    return words_of(replace(tokens, layers={}, text=None))


def _has_words(tokens: Tokens) -> bool:
    words: Strings = tokens.words
    return bool(words.offsets[-1] > words.offsets[0])


def _differing_documents(key: Tokens, response: Tokens, compared: bool) -> IntArray:
    """The documents with different numbers of words or, if ``compared``, different words."""
    lengths = np.diff(key.offsets)
    unequal = lengths != np.diff(response.offsets)
    if not compared:
        return np.flatnonzero(unequal)
    ours, theirs = key.words, response.words
    if not unequal.any() and ours.differs_from(theirs) is None:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(~unequal[key.document_of_token])
    ours = ours.take(rows)
    theirs = theirs.take(np.flatnonzero(~unequal[response.document_of_token]))
    codes = Strings.concatenate([ours, theirs]).codes()
    unequal[key.document_of_token[rows[codes[: len(ours)] != codes[len(ours) :]]]] = True
    return np.flatnonzero(unequal)


def _refuse(
    key: Corpus,
    response: Corpus,
    differing: IntArray,
    solid: tuple[Solid, Solid],
    different: tuple[int, int] | None,
) -> NoReturn:
    """Raise the error for the first document that cannot be aligned.

    ``different`` is the first differing document with other characters, and the position of the
    difference; None if words are not compared.
    """
    lengths, others = (
        np.diff(words_alone(corpus.tokens).offsets)
        for corpus in (key, response)
        if corpus.tokens is not None
    )
    number, character = different or (0, 0)
    document = int(differing[number])
    name, ours, theirs = key.documents[document], int(lengths[document]), int(others[document])
    if different is None:
        where = response.location(document)
        raise AlignmentError(
            f"document {name!r} has {ours:,} tokens in the key and {theirs:,} in the response"
            + ("" if where is None else f" ({where})"),
            key.location(document),
            "Both sides must annotate the same text.",
        )
    at = [sum(map(len, side.texts[:number])) + character for side in solid]
    token, our_word, place = _at(key, solid[0], document, at[0])
    _, their_word, other = _at(response, solid[1], document, at[1])
    first, second = (unicodedata.normalize("NFC", side.texts[number]) for side in solid)
    only = " only in Unicode normalisation," if first == second else ""
    counts = f" ({ours:,} tokens in the key, {theirs:,} in the response)" if ours != theirs else ""
    raise AlignmentError(
        f"the texts differ{only} in document {name!r} at token {token}: the key has {our_word}, "
        f"the response{'' if other is None else f' ({other})'} has {their_word}{counts}",
        place,
        "Normalise both sides to NFC."
        if only
        else "Both sides must annotate the same text, with any tokenisation. If only the "
        "spelling differs, use --words ignore (words='ignore'); if a few words differ, --words "
        "align (words='align').",
        code="different-text",
    )


def _at(
    corpus: Corpus, side: Solid, document: int, character: int
) -> tuple[int, str, Location | None]:
    """The number (from 1), text and location of the word that contains a character."""
    tokens = corpus.tokens
    assert tokens is not None
    base = int(tokens.offsets[document])
    first, last = np.searchsorted(side.tokens, tokens.offsets[document : document + 2]).tolist()
    row = first + int(np.searchsorted(side.ends[first:last], character, side="right"))
    if row == last:
        return row - first + 1, "no more words", corpus.location(document, last - first)
    token = int(side.tokens[row])
    return row - first + 1, repr(tokens.words[token]), corpus.location(document, token - base)


def _check_sentence_ids(key: Tokens, response: Tokens, corpus: Corpus) -> None:
    """Raise an error if a sentence that starts at the same word has different ids."""
    ours, theirs = key.layers.get("sent_id"), response.layers.get("sent_id")
    if ours is None or theirs is None:
        return
    rows, other_rows = np.flatnonzero(ours.lengths), np.flatnonzero(theirs.lengths)
    _, first, second = np.intersect1d(
        key.words_before[rows], response.words_before[other_rows], return_indices=True
    )
    rows, other_rows = rows[first], other_rows[second]
    at = ours.take(rows).differs_from(theirs.take(other_rows))
    if at is None:
        return
    document = int(key.document_of_token[rows[at]])
    raise AlignmentError(
        f"a sentence of document {corpus.documents[document]!r} is {ours[int(rows[at])]!r} "
        f"in the key and {theirs[int(other_rows[at])]!r} in the response",
        corpus.location(document, int(rows[at] - key.offsets[document])),
        "Both sides must have the same sentences. If only the sentence ids differ, remove them "
        "from one side.",
    )


_PART = re.compile(r"(.+); part ([0-9]{1,18})", re.DOTALL)
_JOINED_PART = re.compile(r"(.+)_([0-9]{1,18})", re.DOTALL)


def pair_documents(key: Corpus, response: Corpus, settings: Settings) -> Matching:
    """Both corpora with the same documents in the order of the key.

    If only one side has the text, and the mentions of the other are positions in it, both have the
    text afterwards.
    """
    response, cautions = _in_order_of(key, response, settings)
    warnings = (*key.warnings, *response.warnings, *cautions)
    provenance = Provenance(warnings=warnings, copies=response.copies)
    matching = Matching(*share_text(key, response, settings), provenance=provenance)
    if settings.words != "align":
        return matching
    from corefine.matching.words import align_words

    return align_words(matching)


def _in_order_of(key: Corpus, response: Corpus, settings: Settings) -> tuple[Corpus, list[Caution]]:
    """The response with the documents of the key, and warnings."""
    if key.documents == response.documents:
        return response, []
    if len(key) == len(response) == 1 and (_has_no_id(key) or _has_no_id(response)):
        # One document per side, and one of them has no id: they belong together.
        return replace(response, documents=key.documents), []
    for corpus in (key, response):
        if corpus.documents.count("") > 1:
            raise AlignmentError(
                "several documents have no id and cannot be paired",
                corpus.location(corpus.documents.index("")),
                "Give every document an id, or give both sides the same documents in the same "
                "order.",
            )
    names = set(key.documents)
    if not (key.named and response.named) and names != set(response.documents):
        return _paired_by_order(key, response)
    response, warnings = _named_by_parts(response, names)
    place = {name: number for number, name in enumerate(response.documents)}

    def location(name: str) -> Location | None:
        if name in names:
            return key.location(key.documents.index(name))
        return response.location(place[name])

    files = key.sources[:1], response.sources[:1]
    warnings += missing_documents(dict.fromkeys(key.documents), place, settings, location, files)
    missing = [name for name in key.documents if name not in place]
    if missing:
        response = concatenate([response, _without_mentions(key, missing, response)])
        place = {name: number for number, name in enumerate(response.documents)}
    order = [place[name] for name in key.documents]
    return select_documents(response, order), warnings


def missing_documents(
    key: Collection[str],
    response: Collection[str],
    settings: Settings,
    location: Callable[[str], Location | None],
    files: tuple[Sequence[str], Sequence[str]],
) -> list[Caution]:
    """Warn about documents that only one side has, or refuse them.

    ``location`` is the place of a document in its file; ``files`` are those of key and response.
    """
    missing = [name for name in key if name not in response]
    extra = [name for name in response if name not in key]
    if (missing or extra) and settings.missing_documents == "error":
        alone, one, other = (missing, "key", "response") if missing else (extra, "response", "key")
        where = ", ".join(filter(None, files[other == "response"][:1]))
        other = f"{other} ({where})" if where else other
        raise AlignmentError(
            f"{listed(alone)} of the {one} {'are' if len(alone) > 1 else 'is'} not in the {other}",
            location(alone[0]),
            "Both sides need the same documents. To score all documents of the key and no "
            "others, use --missing-documents count (missing_documents='count').",
        )
    if len(missing) == len(key):
        raise AlignmentError(
            f"key and response have no documents in common: the key has {listed(missing)}, the "
            f"response {listed(extra)}",
            location(missing[0]) if missing else None,
            "Check that both belong to the same corpus.",
        )
    cautions = []
    if missing:
        text = f"{listed(missing)} missing from the response: mentions count as missed"
        cautions.append(Caution(text, "missing-documents", documents=missing))
    if extra:
        text = f"{listed(extra)} of the response not in the key: ignored"
        cautions.append(Caution(text, "extra-documents", documents=extra))
    return cautions


def _paired_by_order(key: Corpus, response: Corpus) -> tuple[Corpus, list[Caution]]:
    """The response with the document ids of the key in order, since one side has no ids."""
    nameless = "response" if key.named else "key"
    if len(key) != len(response):
        raise AlignmentError(
            f"the {nameless} has no document ids, so documents are paired in order, but the key "
            f"has {len(key):,} and the response {len(response):,}",
            response.location(0) if len(response) else None,
            "Give every document an id (doc_key in JSON lines).",
        )
    text = f"the {nameless} has no document ids; documents are paired in order"
    caution = Caution(text, "paired-in-order")
    return replace(response, documents=key.documents), [caution]


def _named_by_parts(response: Corpus, names: set[str]) -> tuple[Corpus, list[Caution]]:
    """The response with the document ids of the key, if they write part numbers differently.

    ``x`` (part 0) and ``x; part 1`` of CoNLL are ``x_0`` and ``x_1`` in files made from it.
    """
    free = names.difference(response.documents)
    renamed: dict[str, str] = {}
    for name in response.documents if free else ():
        others = [] if name in names else [other for other in other_names(name) if other in free]
        if others:
            renamed[name] = others[0]
            free.remove(others[0])
    if not renamed:
        return response, []
    first = next(iter(renamed))
    documents = tuple(renamed.get(name, name) for name in response.documents)
    text = f"documents are paired by name and part, such as {renamed[first]!r} and {first!r}"
    return replace(response, documents=documents), [Caution(text, "paired-by-part")]


def other_names(name: str) -> list[str]:
    """The ids that other formats give to a part of a document."""
    others = []
    if found := _JOINED_PART.fullmatch(name):
        plain, part = found.group(1), int(found.group(2))
        others.append(f"{plain}; part {part}" if part else plain)
    found = _PART.fullmatch(name)
    plain, part = (found.group(1), int(found.group(2))) if found else (name, 0)
    return [*others, f"{plain}_{part}"]


def _has_no_id(corpus: Corpus) -> bool:
    """True if the only document has no id, or the name of its file."""
    name = corpus.documents[0]
    file = PurePath(corpus.sources[0]).name if corpus.sources else ""
    return name in ("", file.split(".")[0])


def _without_mentions(key: Corpus, documents: list[str], response: Corpus) -> Corpus:
    """Copy documents of the key without their mentions, as part of a response."""
    tokens = key.tokens
    if response.tokens is None:
        tokens = None
    elif tokens is None:
        none = np.zeros(0, np.int64)
        tokens = Tokens(Strings.blank(0), np.zeros(len(key) + 1, np.int64), none)
    blank = replace(key.annotation(""), tokens=tokens, copies=None)
    if not response.has_places:
        blank = replace(blank, mentions=replace(blank.mentions, names=Strings.blank(0)))
    return select_documents(blank, [key.documents.index(name) for name in documents])


def listed(names: list[str]) -> str:
    """The names of at most three documents, and the number of further ones."""
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"document{'s' if len(names) > 1 else ''} {shown}{more}"
