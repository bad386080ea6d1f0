"""How other scorers count: the conventions in which they differ from corefine and one another.

Facts seen by running the tools. Each convention is one field, so that the way from one scorer's
number to another's can be walked step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from corefine.errors import choose
from corefine.matching.settings import (
    Match,
    MissingDocuments,
    Singletons,
    SplitAntecedents,
    Words,
    Zeros,
)


@dataclass(frozen=True, slots=True)
class ScorerProfile:
    """One way of counting."""

    name: str
    metrics: tuple[str, ...]
    """The metrics that the tool has."""
    layers: tuple[str, ...] = ()
    """The metrics of other annotations than identity, if they are asked for; where there are any,
    discourse deixis is scored by the metrics of identity."""
    match: Match = "exact"
    zeros: Zeros = "dependent"
    """Zeros match by their dependencies, or by their place (``linear``)."""
    heads: str = "the highest word"
    """The head of a mention where the file does not give heads, as GUM's own: ``the highest word``
    of the mention in the dependency tree, or ``the first word``."""
    singletons: Singletons = "keep"
    missing_documents: MissingDocuments = "error"
    brackets: str = "in order"
    """Brackets of CoNLL cells. ``in order``: as they stand. ``opening first``: at one token those
    that open come before those that close, which matters for the cell ``1)|(1``. ``last opened``: a
    bracket closes the mention of any entity that opened last, so that mentions cannot cross."""
    overlooks_unbarred: bool = False
    """An opening bracket right before another is overlooked, as the first of ``(1(2``; so is a
    closing bracket for which none is left."""
    words: Words = "check"
    """Words that differ between the sides: an error (``check``), or not looked at (``ignore``)."""
    repeats: str = "first"
    """A mention given twice. ``first``: it stays in the first entity. ``perl``: a response mention
    that the key has stays where it is first, all others stay everywhere. ``every``: it stays in all
    its entities and counts as one of the last. ``last``: the same, the last being that of the file
    where this lists entities. ``once``: as ``every``, but once inside an entity, and entities are
    in the order of their ids in the whole file. ``set``: the same in the order of the document."""
    looks_up_places: bool = False
    """Matched mentions are looked up by their words and head alone. Zeros match by dependencies,
    and those of both sides may stand at one another's places: they are then mixed up."""
    ignores_singletons: bool = False
    """B³ skips entities of one mention; CEAFe drops those of the response."""
    blanc: str = "v8.01"
    """``v8.01``: a half counts if the key has such links. ``either``: if one of the sides has."""
    split_antecedents: SplitAntecedents = "ignore"
    """Entities that are made of others: ``ignore`` their sets of antecedents, or ``score`` them."""
    windows: bool = False
    """Whether long documents can be cut into windows."""
    drops_first_tokens: bool = False
    """Mentions at the first token of a window are dropped."""
    last_window_overlaps: bool = False
    """The last window is as long as the others, and counts again what these have had of it."""
    cuts: bool = False
    """Percentages are cut to two decimals instead of rounded."""

    @property
    def counts(self) -> tuple[str, ...]:
        """The metrics that lists of entities are enough for; an average is made of them."""
        return tuple(name for name in self.metrics if name not in ("conll", "mor", "zero"))


_AGNOSTIC = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
COREFINE = ScorerProfile("corefine", _AGNOSTIC, windows=True)

TOOLS: dict[str, ScorerProfile] = {
    tool.name: tool
    for tool in (
        ScorerProfile(
            "perl-8.01",
            ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "conll"),
            missing_documents="count",
            brackets="opening first",
            words="ignore",
            repeats="perl",
            cuts=True,
        ),
        ScorerProfile(
            "coval",
            ("mentions", "muc", "b3", "ceafe", "lea", "conll"),
            brackets="opening first",
            overlooks_unbarred=True,
            repeats="every",
        ),
        ScorerProfile(
            "corefud",
            ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll", "mor", "zero"),
            match="head",
            heads="the first word",
            singletons="drop",
            repeats="once",
            looks_up_places=True,
            blanc="either",
        ),
        ScorerProfile(
            "e2e", ("muc", "b3", "ceafe", "conll"), repeats="last", ignores_singletons=True
        ),
        ScorerProfile(
            "ua",
            ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll"),
            layers=("bridging", "nonreferring"),
            zeros="linear",
            brackets="last opened",
            words="ignore",
            repeats="set",
            blanc="either",
            split_antecedents="score",
        ),
        ScorerProfile(
            "bookcoref",
            ("muc", "b3", "ceafe", "conll"),
            repeats="last",
            windows=True,
            drops_first_tokens=True,
            last_window_overlaps=True,
        ),
    )
}

STEPS = {
    "match": "mention matching: {value}",
    "heads": "head, where the file has none: {value}",
    "singletons": "singletons: {value}",
    "missing_documents": "documents missing from the response: {value}",
    "brackets": "brackets at the same token: {value}",
    "overlooks_unbarred": "a bracket that opens right before another is overlooked",
    "repeats": "duplicate mentions: {value}",
    "looks_up_places": "zeros at the same position are confused",
    "ignores_singletons": "B³ and CEAFe ignore singletons",
    "split_antecedents": "split antecedents: {value}",
    "blanc": "an empty half of BLANC is dropped by rule {value}",
    "drops_first_tokens": "mentions at the first token of a window are dropped",
    "last_window_overlaps": "the last window reaches back over the one before it",
    "cuts": "percentages are truncated to two decimals",
}
"""The conventions in the order in which they are changed one by one, in words."""


def tool_named(name: str) -> ScorerProfile:
    """The conventions of a tool."""
    return TOOLS[choose("the scorer", name, tuple(TOOLS))]


WINDOW_STEPS = ("drops_first_tokens", "last_window_overlaps")
"""Those that change nothing where documents are not cut into windows."""


def way_to(tool: ScorerProfile, cut: bool = False) -> list[tuple[str, ScorerProfile]]:
    """From corefine's conventions to the tool's, one change after another, each in words.

    ``cut`` says whether documents are cut into windows.
    """
    steps = []
    # Whether words are compared changes no number: there are numbers or there is an error. Zeros
    # are matched alike from the start: by dependencies they cannot be in files without these.
    current = replace(
        COREFINE, name=tool.name, metrics=tool.metrics, words=tool.words, zeros=tool.zeros
    )
    for field, words in STEPS.items():
        value = getattr(tool, field)
        if value != getattr(current, field) and (cut or field not in WINDOW_STEPS):
            current = replace(current, **{field: value})
            steps.append((words.format(value=value), current))
    return steps
