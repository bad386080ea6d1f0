"""Settings: the decisions that change a score, with their defaults and what each may be.

They are the same words in Python, on the command line and in a score's signature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

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
    "split_antecedents": ("ignore", "score", "only"),
    "layer": ("identity", "bridging", "deixis", "all"),
    "align": ("tolerant", "crac"),
}

HELP: dict[str, str] = {
    "match": "Mention matching: exact span (with its empty nodes), head, partial, or minimum span "
    "(MIN).",
    "zeros": "Match zeros by enhanced dependencies, or by position.",
    "singletons": "Keep singletons, or drop them from both sides.",
    "duplicates": "Duplicate mentions: keep the first, or report an error.",
    "twinless": "Twinless mentions (present on one side only): keep, drop, add to the key, or "
    "treat as in Cai & Strube (2010).",
    "missing_documents": "Documents missing from the response: report an error, or count their "
    "mentions as missed.",
    "words": "Require the same words on both sides, or ignore spelling differences.",
    "scope": "Scope of entity ids.",
    "split_antecedents": "Split antecedents: ignore, score along with the rest, or score alone.",
    "layer": "Annotation layer: identity, bridging, discourse deixis, or all of these and "
    "non-referring expressions.",
    "align": "Align text tagged by a language model with its source: tolerantly, or as the cleaner "
    "of the CRAC shared task does.",
}


class SettingOptions(TypedDict, total=False):
    """The settings as keyword arguments, so that editors complete and check them."""

    match: Literal["exact", "head", "partial", "min"]
    zeros: Literal["dependent", "linear"]
    singletons: Literal["keep", "drop"]
    duplicates: Literal["first", "error"]
    twinless: Literal["none", "drop", "add-to-key", "cai-strube"]
    missing_documents: Literal["error", "count"]
    words: Literal["check", "ignore"]
    scope: Literal["document", "topic", "corpus"]
    window: int | None
    split_antecedents: Literal["ignore", "score", "only"]
    layer: Literal["identity", "bridging", "deixis", "all"]
    align: Literal["tolerant", "crac"]


WINDOW_HELP = (
    "Score windows of N tokens instead of whole documents; a mention belongs to the window that "
    "it starts in."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How mentions and documents of key and response are matched; see ``corefine help matching``.

    >>> Settings(match="head", singletons="drop").match
    'head'

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
    ``split_antecedents``
        entities that are made of others ("they": Anna and Ben) are counted as any other
        (``ignore``), with their sets of antecedents as mentions that may be shared in part
        (``score``), or by these sets alone (``only``): see
        :mod:`corefine.metrics.split_antecedents`.
    ``layer``
        the anaphoric relations that are scored. ``identity``: the metrics as they are asked for.
        ``bridging``: recognition of bridging anaphors, and their antecedents. ``deixis``: the
        metrics on discourse deixis, ``muc`` becoming ``deixis(of=muc)``. ``all``: all of these,
        and non-referring expressions. A layer only stands for metrics, so it is in no signature.
    ``align``
        the rule by which text that a language model tagged is aligned with the key's words:
        ``tolerant``, or ``crac`` as the cleaner of the shared task does. It is in the signature
        of scores of such text, and refused where there is none.
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
    split_antecedents: str = "ignore"
    layer: str = "identity"
    align: str = "tolerant"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            choose(name.replace("_", "-"), getattr(self, name), allowed)
        window: object = self.window
        if window is not None and (
            not isinstance(window, int) or isinstance(window, bool) or not 0 < window < 1 << 32
        ):
            raise UsageError(
                f"window cannot be {window!r}", remedy="Give a number of tokens, such as 1500."
            )
        if window is not None and self.scope != "document":
            raise UsageError(
                f"--window splits entities, but --scope {self.scope} links them across documents",
                remedy="Use only one of the two.",
            )
        if self.split_antecedents != "ignore":
            self._require_whole_documents()

    def _require_whole_documents(self) -> None:
        """Refuse what would take away or join the entities that others are made of."""
        needed = {"singletons": "keep", "twinless": "none", "scope": "document"}
        for name, value in needed.items():
            if getattr(self, name) != value:
                raise UsageError(
                    f"--split-antecedents {self.split_antecedents} cannot be combined with "
                    f"--{name} {getattr(self, name)}",
                    remedy=f"Use --{name} {value}: split antecedents refer to all entities of a "
                    "document.",
                )

        if self.window is not None:
            raise UsageError(
                f"--split-antecedents {self.split_antecedents} cannot be combined with --window",
                remedy="Leave out --window: split antecedents refer to all entities of a document.",
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
            **({} if self.split_antecedents == "ignore" else {"split": self.split_antecedents}),
        }
