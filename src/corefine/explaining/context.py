"""Context: a mention with the words around it."""

from __future__ import annotations

from dataclasses import dataclass

from corefine.corpus.corpus import Corpus
from corefine.explaining.errors import Error
from corefine.matching.matched import Matched


@dataclass(frozen=True, slots=True)
class Context:
    """The words before a mention, its own from the first to the last, and those after it."""

    before: str
    text: str
    after: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.before, f"[{self.text}]", self.after)))


def context_of(matched: Matched, error: Error, width: int) -> Context:
    """The first mention of an error in its document, with up to so many words on either side.

    Dots stand for words that are left out. Without a text there is only the mention.
    """
    corpus, mention = (
        (matched.key, error.key_mentions[0])
        if error.key_mentions
        else (matched.response, error.response_mentions[0])
    )
    if corpus.tokens is None or not corpus.has_places:
        return Context("", error.text, "")
    first, last = corpus.tokens.offsets[error.document_number : error.document_number + 2].tolist()
    start = first + int(corpus.mentions.start[mention])
    stop = first + int(corpus.mentions.stop[mention])
    low, high = max(first, start - width), min(last, stop + width)
    return Context(
        " ".join([*["…"][: low > first], *_words(corpus, low, start)]),
        " ".join(_words(corpus, start, stop)),
        " ".join([*_words(corpus, stop, high), *["…"][: high < last]]),
    )


def _words(corpus: Corpus, start: int, stop: int) -> list[str]:
    assert corpus.tokens is not None
    words: list[str] = corpus.tokens.words[start:stop].tolist()
    return words
