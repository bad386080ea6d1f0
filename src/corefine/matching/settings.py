"""Settings that change a score, declared once: type, default, help and place in the signature.

The command line, the keyword arguments of Python, ``corefine help`` and signatures are generated
from the fields of :class:`Settings`. A new setting is one field and one keyword.
"""

# ruff: noqa: RUF009 - the fields are declared by a function
import operator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, get_args, get_origin

from corefine.errors import UsageError, choose

Match = Literal["exact", "head", "partial", "min"]
Zeros = Literal["dependent", "linear", "drop"]
Singletons = Literal["keep", "drop"]
Duplicates = Literal["first", "error"]
Twinless = Literal["none", "drop", "add-to-key", "cai-strube"]
MissingDocuments = Literal["error", "count"]
Words = Literal["check", "ignore", "align"]
Scope = Literal["document", "topic", "corpus"]
SplitAntecedents = Literal["ignore", "score", "only"]
Layer = Literal["identity", "bridging", "deixis", "all"]
Align = Literal["tolerant", "crac"]
Unfound = Literal["spurious", "ignore"]


class SettingOptions(TypedDict, total=False):
    """The settings as keyword arguments, so that editors complete and check them."""

    match: Match
    zeros: Zeros
    singletons: Singletons
    duplicates: Duplicates
    twinless: Twinless
    missing_documents: MissingDocuments
    words: Words
    scope: Scope
    window: int | None
    split_antecedents: SplitAntecedents
    layer: Layer
    align: Align
    unfound: Unfound
    allow_empty: bool


def _setting(default: Any, help: str, signature: str | None = None, always: bool = False) -> Any:
    """A field with its help and its name in signatures (None: it is in none).

    Signatures omit a setting that has its default value, unless it is ``always`` given.
    """
    described = {"help": help, "signature": signature, "always": always}
    return field(default=default, metadata=described)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for matching mentions and documents.

    >>> Settings(match="head", singletons="drop").match
    'head'

    ``match``
        One-to-one matching of mentions. ``exact``: the same words. ``head`` (CRAC 2023 and later):
        the same words and head first, then mentions with the same head so that the overlap is
        greatest. ``partial`` (CRAC 2022): a response mention inside the key mention that contains
        its head. ``min``: one inside the key mention that contains its minimum span or, in
        documents with parse trees and without annotated minimum spans, one with the same minimum
        span
        (MINA: :mod:`corefine.matching.minimum_spans`).
    ``zeros``
        Zeros match within a sentence by their enhanced dependencies (``dependent``), or by position
        like other mentions (``linear``). ``drop`` removes zeros from both sides before anything
        else: mentions of empty nodes only, and what the format marks as zero subjects (the NonZero
        setting of Kaczmarek & Marcińczuk 2015).
    ``singletons``
        ``keep``, or ``drop`` entities of one mention on both sides before matching.
    ``duplicates``
        A mention given twice: keep the ``first``, with a warning, or raise an ``error``.
    ``twinless``
        Mentions on one side only are kept (``none``), dropped (``drop``), added to the key as
        singletons if only the response has them (``add-to-key``, Kaczmarek & Marcińczuk 2015), or
        treated as in Cai & Strube (2010) for B³ and CEAF (``cai-strube``): see
        :mod:`corefine.matching.twinless`.
    ``missing_documents``
        Documents of the key that the response lacks: an ``error``, or ``count`` their mentions as
        missed (documents that only the response has are then ignored, with a warning).
    ``words``
        ``check`` that both sides have the same words, ``ignore`` differences in spelling (the
        number of tokens must still be the same), or ``align`` texts that differ by a few words:
        mentions of the response are moved to the words of the key, and the differences reported.
    ``scope``
        The range in which an entity id names the same entity: a ``document``, the whole ``corpus``
        (cross-document coreference), or a ``topic``, which is a column of the file or the
        beginning of the document id up to the first ``_`` or ``/``.
    ``window``
        Cut documents into windows of this many tokens and score each like a document; a mention
        belongs to the window in which it starts (:mod:`corefine.matching.units`).
        Duplicates and singletons are dropped before the cut, so an entity with one mention in a
        window is kept. None: no windows.
    ``split_antecedents``
        Entities that consist of others ("they": Anna and Ben) count like any other (``ignore``),
        with their sets of antecedents as mentions that may be found in part (``score``), or by
        these sets alone (``only``): see :mod:`corefine.metrics.split_antecedents`.
    ``layer``
        The anaphoric relations to score. ``identity``: the metrics as requested. ``bridging``:
        recognition of bridging anaphors, and their antecedents. ``deixis``: the metrics on
        discourse deixis, whose singletons and split antecedents count; ``muc`` becomes
        ``muc(layer=deixis)``. ``all``: all of these, and non-referring expressions. A layer selects
        metrics, so it is not in signatures.
    ``align``
        Alignment of text tagged by a language model with the words of the key: ``tolerant``, or
        ``crac`` like the cleaner of the shared task. It is in the signature of scores of such
        text, and an error for other responses.
    ``unfound``
        Strings listed by a language model that are not in the text, or more often than they occur
        there: a ``spurious`` mention each, which matches nothing, or ``ignore`` them. It is in the
        signature of scores of such answers.
    ``allow_empty``
        Accept a file without any mention; by default it is an error, since most such files were
        read by the wrong format.
    """

    match: Match = _setting(
        "exact",
        "Mention matching: exact span (with its empty nodes), head, partial, or minimum span "
        "(MIN).",
        "match",
        always=True,
    )
    zeros: Zeros = _setting(
        "dependent",
        "Match zeros by enhanced dependencies or by position, or drop them from both sides.",
        "zeros",
    )
    singletons: Singletons = _setting(
        "keep", "Keep singletons, or drop them from both sides.", "singletons", always=True
    )
    duplicates: Duplicates = _setting(
        "first",
        "Duplicate mentions: keep the first, or report an error.",
        "duplicates",
        always=True,
    )
    twinless: Twinless = _setting(
        "none",
        "Twinless mentions (present on one side only): keep, drop, add to the key, or treat as in "
        "Cai & Strube (2010).",
        "twinless",
        always=True,
    )
    missing_documents: MissingDocuments = _setting(
        "error",
        "Documents missing from the response: report an error, or count their mentions as missed.",
        "missing",
    )
    words: Words = _setting(
        "check",
        "Require the same words on both sides, ignore spelling differences, or align texts that "
        "differ by a few words.",
        "words",
    )
    scope: Scope = _setting("document", "Scope of entity ids.", "scope")
    window: int | None = _setting(
        None,
        "Score windows of N tokens instead of whole documents; a mention belongs to the window "
        "that it starts in.",
        "window",
    )
    split_antecedents: SplitAntecedents = _setting(
        "ignore", "Split antecedents: ignore, score along with the rest, or score alone.", "split"
    )
    layer: Layer = _setting(
        "identity",
        "Annotation layer: identity, bridging, discourse deixis, or all of these and "
        "non-referring expressions.",
    )
    align: Align = _setting(
        "tolerant",
        "Align text tagged by a language model with its source: tolerantly, or as the cleaner of "
        "the CRAC shared task does.",
    )
    unfound: Unfound = _setting(
        "spurious",
        "Strings listed by a language model that are not in the text: count as spurious mentions, "
        "or ignore.",
    )
    allow_empty: bool = _setting(False, "Accept files without any mention.")

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            choose(name.replace("_", "-"), getattr(self, name), allowed)
        if self.window is not None:
            object.__setattr__(self, "window", _window(self.window))
            if self.scope != "document":
                raise UsageError(
                    f"--window splits entities, but --scope {self.scope} links them across "
                    "documents",
                    remedy="Use only one of the two.",
                )
        # Split antecedents refer to all entities of a document.
        needed = {"singletons": "keep", "twinless": "none", "scope": "document", "window": None}
        for name, value in needed.items() if self.split_antecedents != "ignore" else ():
            if getattr(self, name) != value:
                raise UsageError(
                    f"--split-antecedents {self.split_antecedents} cannot be combined with "
                    f"--{name} {getattr(self, name)}",
                    remedy=f"Leave out --{name}.",
                )

    def signature_parts(self) -> dict[str, str]:
        """The settings that distinguish numbers, by their names in signatures."""
        parts = {}
        for one in fields(self):
            value, name = getattr(self, one.name), one.metadata.get("signature")
            if name is not None and (one.metadata["always"] or value != one.default):
                parts[name] = str(value)
        return parts


def _window(given: object) -> int:
    """A number of tokens as a plain integer."""
    try:
        window = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        window = 0
    if isinstance(given, bool) or not 0 < window < 1 << 32:
        raise UsageError(
            f"window cannot be {given!r}", remedy="Give a number of tokens, such as 1500."
        )
    return window


CHOICES: dict[str, tuple[str, ...]] = {
    one.name: get_args(one.type) for one in fields(Settings) if get_origin(one.type) is Literal
}
"""The allowed values of settings that are words, by name."""
HELP: dict[str, str] = {one.name: one.metadata["help"] for one in fields(Settings)}
"""The help of each setting, by name."""
