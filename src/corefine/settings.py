"""Settings: the decisions that change a score, with their defaults and what each may be.

They are the same words in Python, on the command line and in a score's signature.
"""

from __future__ import annotations

from dataclasses import dataclass

from corefine.choices import choose

CHOICES: dict[str, tuple[str, ...]] = {
    "match": ("exact",),
    "singletons": ("keep", "drop"),
    "duplicates": ("first", "error"),
    "missing_documents": ("error", "count"),
    "words": ("check", "ignore"),
}

HELP: dict[str, str] = {
    "match": "Which key mention is which response mention.",
    "singletons": "Keep entities of one mention, or drop them on both sides.",
    "duplicates": "A mention given twice: it stays where it is first, or is an error.",
    "missing_documents": "A document that the response lacks: an error, or count it as missed.",
    "words": "Check that both sides have the same words, or ignore how they are spelt.",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How two corpora are made comparable before anything is counted.

    ``match``
        which key mention is which response mention; ``exact``: the same tokens.
    ``singletons``
        ``keep``, or ``drop`` entities of one mention on both sides before matching.
    ``duplicates``
        a mention given twice: it stays where it is ``first``, with a warning, or is an ``error``.
    ``missing_documents``
        a document of the key that the response lacks: an ``error``, or ``count`` its mentions as
        missed (documents that only the response has are then left out, with a warning).
    ``words``
        ``check`` that both sides have the same words, or ``ignore`` differences in wording (the
        number of tokens must agree all the same).
    """

    match: str = "exact"
    singletons: str = "keep"
    duplicates: str = "first"
    missing_documents: str = "error"
    words: str = "check"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            choose(name.replace("_", "-"), getattr(self, name), allowed)

    def signature_parts(self) -> dict[str, str]:
        """Those settings that distinguish one number from another, for the signature."""
        return {
            "match": self.match,
            "singletons": self.singletons,
            "duplicates": self.duplicates,
            **({} if self.missing_documents == "error" else {"missing": self.missing_documents}),
            **({} if self.words == "check" else {"words": self.words}),
        }
