"""What kinds are called: by name, by a number, or as other annotations write them."""

from __future__ import annotations

from corefine.corpus.columns import Kind
from corefine.errors import closest

_OTHER_WORDS = {
    Kind.NAME: "nam named prop proper propn",
    Kind.NOMINAL: "noun nom common",
    Kind.PRONOUN: "pro pron prn pronominal",
    Kind.ZERO: "null",
    Kind.UNKNOWN: "verb - _",
}
WORDS: dict[str, Kind] = {"": Kind.UNKNOWN} | {
    word: kind for kind in Kind for word in (kind.name.lower(), *_OTHER_WORDS[kind].split())
}


def kind_of(value: object) -> Kind:
    """The kind that a word, a number or a :class:`~corefine.corpus.corpus.Kind` stands for.

    >>> kind_of("PROP"), kind_of(3)
    (<Kind.NAME: 1>, <Kind.PRONOUN: 3>)
    """
    if value is None:
        return Kind.UNKNOWN
    if isinstance(value, int) and not isinstance(value, bool):
        return Kind(value)
    word = str(value).strip().lower()
    if word not in WORDS:
        raise ValueError(f"{value!r} is not a mention kind.{closest(word, WORDS)}")
    return WORDS[word]


KNOWN = "Mention kinds are name, nominal, pronoun, zero and unknown (or PROP, NOM, PRON, VERB)."
