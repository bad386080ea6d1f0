"""Plain readers of CoNLL and CoNLL-U, with which the columnar readers are compared.

A reading gives the entities of each document as the sorted spans of their mentions. It raises
``UnclearError`` for files that have more than it knows, and ``RefusedError`` or a common error for
files that should not have been read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from corefine.corpus.corpus import Corpus
from corefine.formats.registry import BEGIN
from tests.building import conll_reference, conllu_reference

Files = Mapping[str, bytes]


class UnclearError(Exception):
    """The plain reader does not know what this file says."""


@dataclass(frozen=True)
class Reading:
    """Functions that bring a corpus and its files to the same form."""

    of_corpus: Callable[[Corpus], object]
    of_files: Callable[[Files], object]


def _conll(files: Files) -> object:
    (content,) = files.values()
    if BEGIN.search(content) is None:
        raise UnclearError("no line that begins a document")
    return conll_reference.plainly_read(content)


def _conllu(files: Files) -> object:
    (content,) = files.values()
    return conllu_reference.plainly_read(content, "x")


READINGS: dict[str, Reading] = {
    "conll": Reading(conll_reference.as_plain, _conll),
    "conllu": Reading(conllu_reference.as_plain, _conllu),
}
