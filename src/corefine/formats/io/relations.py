"""Labels of annotation tools: kinds of mentions, and relations of coreference."""

from __future__ import annotations

from corefine.corpus.columns import Kind

_WORDS = {
    Kind.NAME: "nam name named prop proper propn ne",
    Kind.NOMINAL: "nom nominal noun np common list",
    Kind.PRONOUN: "pr pro pron prn pronoun pronominal",
    Kind.ZERO: "zero null",
}
_KIND_OF = {word: kind for kind, words in _WORDS.items() for word in words.split()}
KINDS = {Kind.NAME: "PROP", Kind.NOMINAL: "NOM", Kind.PRONOUN: "PRON", Kind.ZERO: "ZERO"}
"""Names of kinds in LitBank and BookNLP, which have no zeros themselves."""
KIND_OF_NAME = {name: kind for kind, name in KINDS.items()}


def kind_of(type: str) -> Kind:
    """The kind of mentions with this type; unknown if the type is not a kind.

    >>> kind_of("PRO").name, kind_of("ORG").name
    ('PRONOUN', 'UNKNOWN')
    """
    return _KIND_OF.get(type.lower(), Kind.UNKNOWN)


_COREFERENCE = frozenset(
    ("coref", "coreference", "coreferent", "coreferential", "corefers", "corefers with",
     "same", "same as", "sameas", "same entity", "ident", "identity", "identical", "is same as",
     "anaphora", "anaphoric", "ana", "equal", "equals")
)  # fmt: skip


def is_coreference(label: str, wanted: str = "") -> bool:
    """True if relations with this label are coreference: those ``wanted``, else usual names.

    >>> is_coreference("Same_as"), is_coreference("incident"), is_coreference("alias", "alias")
    (True, False, True)
    """
    if wanted:
        return label == wanted
    words = label.replace("_", " ").replace("-", " ").lower().split()
    return " ".join(words) in _COREFERENCE
