"""Pairing the documents of key and response."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.corpus.selection import keep_mentions, select_documents
from corefine.corpus.strings import Strings
from corefine.errors import AlignmentError, Caution
from corefine.matching.line_places import share_text
from corefine.matching.matched import Pair
from corefine.matching.settings import Settings

_PART = re.compile(r"(.+); part ([0-9]{1,18})", re.DOTALL)
_JOINED_PART = re.compile(r"(.+)_([0-9]{1,18})", re.DOTALL)


def pair_documents(key: Corpus, response: Corpus, settings: Settings) -> Pair:
    """Both corpora with the same documents in the order of the key.

    If only one side has the text, and the mentions of the other are positions in it, both have the
    text afterwards.
    """
    response, cautions = _in_order_of(key, response, settings)
    warnings = (*key.warnings, *response.warnings, *cautions)
    return Pair(*share_text(key, response, settings), warnings)


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
    missing = [name for name in key.documents if name not in place]
    extra = [name for name in response.documents if name not in names]
    if (missing or extra) and settings.missing_documents == "error":
        alone, one, other = (missing, key, response) if missing else (extra, response, key)
        side, lacking = ("key", "response") if missing else ("response", "key")
        file = f" {other.sources[0]}" if len(set(other.sources)) == 1 else ""
        raise AlignmentError(
            f"{_listed(alone)} of the {side} {'are' if len(alone) > 1 else 'is'} not in the "
            f"{lacking}{file}",
            one.location(one.documents.index(alone[0])),
            "Both sides need the same documents. To score all documents of the key and no "
            "others, use --missing-documents count (missing_documents='count').",
        )
    if len(missing) == len(key.documents):
        raise AlignmentError(
            f"key and response have no documents in common: the key has {_listed(missing)}, the "
            f"response {_listed(extra)}",
            key.location(0) if len(key) else None,
            "Check that both belong to the same corpus.",
        )
    warnings += missing_cautions(missing, extra)
    if missing:
        response = concatenate([response, _without_mentions(key, missing, response)])
        place = {name: number for number, name in enumerate(response.documents)}
    order = [place[name] for name in key.documents]
    return select_documents(response, order), warnings


def missing_cautions(missing: list[str], extra: list[str]) -> list[Caution]:
    """Warnings about documents that the response lacks, and that only the response has."""
    cautions = []
    if missing:
        text = f"{_listed(missing)} missing from the response: mentions count as missed"
        cautions.append(Caution(text, "missing-documents", documents=missing))
    if extra:
        text = f"{_listed(extra)} of the response not in the key: ignored"
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
    """True if the only document has no id, or that of its file."""
    name = corpus.documents[0]
    file = PurePath(corpus.sources[0]).name if corpus.sources else ""
    return name in ("", file.split(".")[0])


def _without_mentions(key: Corpus, documents: list[str], response: Corpus) -> Corpus:
    """These documents of the key without mentions, as part of a response."""
    numbers = [key.documents.index(name) for name in documents]
    blank = keep_mentions(key, np.zeros(len(key.mentions), bool))
    if not response.has_places:
        nameless = replace(blank.mentions, names=Strings.from_list(()))
        blank = replace(blank, tokens=None, mentions=nameless)
    blank = replace(blank, warnings=(), relations=(), annotations={})
    return select_documents(blank, numbers)


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"document{'s' if len(names) > 1 else ''} {shown}{more}"
