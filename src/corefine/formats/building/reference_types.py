"""Types of references in annotation tools, where they say what sort of expression a mention is."""

from __future__ import annotations

from corefine.corpus.columns import Kind

_WORDS = {
    Kind.NAME: "nam name named prop proper propn ne",
    Kind.NOMINAL: "nom nominal noun np common",
    Kind.PRONOUN: "pr pro pron prn pronoun pronominal",
    Kind.ZERO: "zero null",
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def kind_of(type: str) -> Kind:
    """The kind of mentions whose type is called so; unknown where it is something else.

    >>> kind_of("PRO").name, kind_of("ORG").name
    ('PRONOUN', 'UNKNOWN')
    """
    return _KIND_OF.get(type.lower(), Kind.UNKNOWN)
