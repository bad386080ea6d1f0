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
from corefine.errors import AlignmentError
from corefine.matching.line_places import share_text
from corefine.matching.settings import Settings

_PART = re.compile(r"(.+); part ([0-9]{1,18})", re.DOTALL)
_JOINED_PART = re.compile(r"(.+)_([0-9]{1,18})", re.DOTALL)


def pair_documents(
    key: Corpus, response: Corpus, settings: Settings
) -> tuple[Corpus, Corpus, list[str]]:
    """Both corpora with the same documents in the key's order, and what there is to warn of.

    Where only one has the text, and the other places by line and token, both have it afterwards.
    """
    key, response, warnings = _pair(key, response, settings)
    return *share_text(key, response, settings), warnings


def _pair(key: Corpus, response: Corpus, settings: Settings) -> tuple[Corpus, Corpus, list[str]]:
    if key.documents == response.documents:
        return key, response, []
    if len(key) == len(response) == 1 and (_has_no_id(key) or _has_no_id(response)):
        # One document a side, of which one has no id: there is nothing else it could belong to.
        return key, replace(response, documents=key.documents), []
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
        return _in_order(key, response)
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
    if missing:
        warnings.append(f"{_listed(missing)} missing from the response: mentions count as missed")
    if extra:
        warnings.append(f"{_listed(extra)} of the response not in the key: ignored")
    if missing:
        response = concatenate([response, _without_mentions(key, missing, response)])
        place = {name: number for number, name in enumerate(response.documents)}
    order = [place[name] for name in key.documents]
    return key, select_documents(response, order), warnings


def _in_order(key: Corpus, response: Corpus) -> tuple[Corpus, Corpus, list[str]]:
    """The documents paired by their order, since one side does not name them."""
    nameless = "response" if key.named else "key"
    if len(key) != len(response):
        raise AlignmentError(
            f"the {nameless} has no document ids, so documents are paired in order, but the key "
            f"has {len(key):,} and the response {len(response):,}",
            response.location(0) if len(response) else None,
            "Give every document an id (doc_key in JSON lines).",
        )
    warning = f"the {nameless} has no document ids; documents are paired in order"
    return key, replace(response, documents=key.documents), [warning]


def _named_by_parts(response: Corpus, names: set[str]) -> tuple[Corpus, list[str]]:
    """The response with the names of the key where only the number of a part is written otherwise.

    What CoNLL calls ``x``, part 0, and ``x; part 1`` is ``x_0`` and ``x_1`` in files made from it.
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
    warning = f"documents are paired by name and part, such as {renamed[first]!r} and {first!r}"
    return replace(response, documents=documents), [warning]


def other_names(name: str) -> list[str]:
    """How another format writes the name of a part of a document."""
    others = []
    if found := _JOINED_PART.fullmatch(name):
        plain, part = found.group(1), int(found.group(2))
        others.append(f"{plain}; part {part}" if part else plain)
    found = _PART.fullmatch(name)
    plain, part = (found.group(1), int(found.group(2))) if found else (name, 0)
    return [*others, f"{plain}_{part}"]


def _has_no_id(corpus: Corpus) -> bool:
    """Whether the only document is called nothing, or after its file for want of an id."""
    name = corpus.documents[0]
    file = PurePath(corpus.sources[0]).name if corpus.sources else ""
    return name in ("", file.split(".")[0])


def _without_mentions(key: Corpus, documents: list[str], response: Corpus) -> Corpus:
    """These documents of the key as part of a response that found nothing in them."""
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
