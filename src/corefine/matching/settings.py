"""Settings: the decisions that change a score, with their defaults and what each may be.

They are the same words in Python, on the command line and in a score's signature.
"""

from __future__ import annotations

from dataclasses import dataclass

from corefine.errors import UsageError, choose

CHOICES: dict[str, tuple[str, ...]] = {
    "match": ("exact", "head", "partial", "min"),
    "zeros": ("dependent", "linear"),
    "singletons": ("keep", "drop"),
    "duplicates": ("first", "error"),
    "twinless": ("none", "drop", "add-to-key", "cai-strube"),
    "missing_documents": ("error", "count"),
    "words": ("check", "ignore"),
    "scope": ("document", "topic", "corpus"),
}

HELP: dict[str, str] = {
    "match": "Mention matching: exact span, head, partial, or minimum span (MIN).",
    "zeros": "Match zeros by enhanced dependencies, or by position.",
    "singletons": "Keep singletons, or drop them on both sides.",
    "duplicates": "Duplicate mentions: keep the first, or report an error.",
    "twinless": "Twinless mentions (on one side only): keep, drop, add to the key, or treat as "
    "Cai & Strube (2010).",
    "missing_documents": "Documents missing from the response: report an error, or count their "
    "mentions as missed.",
    "words": "Check that both sides have the same words, or ignore spelling differences.",
    "scope": "Scope of entity ids.",
}

WINDOW_HELP = (
    "Cut documents into windows of so many tokens, at the start of each mention, and score the "
    "windows as documents."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How two corpora are made comparable before anything is counted.

    ``match``
        which key mention is which response mention, one to one. ``exact``: the same words.
        ``head`` (CRAC 2023 and later): the same words and head first, then mentions with the same
        head, so that overlaps are greatest. ``partial`` (CRAC 2022): a response mention inside the
        key's that holds its head. ``min``: one inside the key's that holds its minimum span.
    ``zeros``
        zeros match within a sentence by their enhanced dependencies (``dependent``), or as any
        other mention, by their place (``linear``).
    ``singletons``
        ``keep``, or ``drop`` entities of one mention on both sides before matching.
    ``duplicates``
        a mention given twice: it stays where it is ``first``, with a warning, or is an ``error``.
    ``twinless``
        mentions that one side lacks stay as they are (``none``), are dropped from the other
        (``drop``), become singletons of the key if only the response has them (``add-to-key``,
        Kaczmarek & Marcińczuk 2015), or are treated as Cai & Strube (2010) do for B³ and CEAF
        (``cai-strube``): see :mod:`corefine.matching.twinless`.
    ``missing_documents``
        a document of the key that the response lacks: an ``error``, or ``count`` its mentions as
        missed (documents that only the response has are then left out, with a warning).
    ``words``
        ``check`` that both sides have the same words, or ``ignore`` differences in wording (the
        number of tokens must agree all the same).
    ``scope``
        within what an entity's id names the same entity: a ``document``, the whole ``corpus``
        (cross-document coreference), or a ``topic``, which is a column of the file or the
        beginning of the document's id up to the first ``_`` or ``/``.
    ``window``
        documents are cut into windows of so many tokens, and each is scored as a document; a
        mention belongs to the window in which it starts (:mod:`corefine.matching.token_windows`).
        Duplicates and singletons are dropped before the cut, so an entity of which one mention is
        left in a window stays. None does not cut.
    ``alignment_memory``
        the bytes that CEAF's solver may take for one component of the table, where that is to be
        bounded. Scores that would need more are given by bounds, and their signature says so.
    """

    match: str = "exact"
    zeros: str = "dependent"
    singletons: str = "keep"
    duplicates: str = "first"
    twinless: str = "none"
    missing_documents: str = "error"
    words: str = "check"
    scope: str = "document"
    window: int | None = None
    alignment_memory: int | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            choose(name.replace("_", "-"), getattr(self, name), allowed)
        window: object = self.window
        if window is not None and (
            not isinstance(window, int) or isinstance(window, bool) or window < 1
        ):
            raise UsageError(
                f"window cannot be {window!r}", remedy="Give a number of tokens, such as 1500."
            )
        if window is not None and self.scope != "document":
            raise UsageError(
                f"--window cuts entities, and --scope {self.scope} joins them",
                remedy="Leave out one of the two.",
            )
        memory: object = self.alignment_memory
        if memory is not None and (not isinstance(memory, int) or memory < 1):
            raise UsageError(
                f"alignment-memory cannot be {memory!r}", remedy="Give a number of bytes, or None."
            )

    def signature_parts(self) -> dict[str, str]:
        """Those settings that distinguish one number from another, for the signature."""
        return {
            "match": self.match,
            **({} if self.zeros == "dependent" else {"zeros": self.zeros}),
            "singletons": self.singletons,
            "duplicates": self.duplicates,
            "twinless": self.twinless,
            **({} if self.missing_documents == "error" else {"missing": self.missing_documents}),
            **({} if self.words == "check" else {"words": self.words}),
            **({} if self.scope == "document" else {"scope": self.scope}),
            **({} if self.window is None else {"window": str(self.window)}),
        }
