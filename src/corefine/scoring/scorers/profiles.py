"""Profiles of other scorers: the conventions in which they differ from corefine and each other.

The facts were found by running the scorers. Each convention is one field, so that the difference
between two scorers can be explained field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from corefine.errors import UsageError, choose
from corefine.matching.settings import Settings

OVERRIDES = ("match", "zeros", "singletons", "missing_documents", "words", "align", "allow_empty")
"""Settings that can be changed under every profile."""


@dataclass(frozen=True, slots=True)
class ScorerProfile:
    """The conventions of a scorer: settings, readings of the file, and counters."""

    name: str
    metrics: tuple[str, ...]
    settings: Settings = field(default_factory=Settings)
    layers: tuple[str, ...] = ()
    """Metrics of other annotations than identity; with any, discourse deixis is scored too."""
    heads: str = "highest word"
    """The head if the file gives none: the ``highest word`` of the mention in the dependency tree,
    or its ``first word``."""
    brackets: str = "in order"
    """Brackets of CoNLL cells. ``in order``: as written. ``opening first``: opening before closing
    brackets of a token, which matters for ``1)|(1``. ``last opened``: a bracket closes the mention
    opened last, of any entity, so that mentions cannot cross."""
    skips_adjacent_brackets: bool = False
    """An opening bracket right before another is skipped, as the first of ``(1(2``, and so is a
    closing bracket without an opening one."""
    duplicates: str = "first"
    """A mention given more than once. ``first``: it counts for its first entity. ``perl``: a
    response mention that is in the key counts for its first entity, all others for each entity.
    ``every``: it counts for each entity, and its last entity is found. ``last``: the same, but in
    the order of a file that lists entities. ``once``: as ``every``, but once per entity, and with
    entities in the order of their ids. ``set``: the same in document order."""
    confuses_zeros: bool = False
    """Matched mentions are looked up by position, which confuses zeros at the same position."""
    ignores_singletons: bool = False
    """B³ skips entities of one mention; CEAFe drops those of the response."""
    blanc: str = "v8.01"
    """An empty half of BLANC: it counts if the key has such links (``v8.01``) or if either side
    has (``either``)."""
    windows: bool = False
    """True if documents can be divided into windows."""
    drops_first_tokens: bool = False
    """Mentions at the first token of a window are dropped."""
    last_window_overlaps: bool = False
    """The last window is as long as the others, and overlaps with the one before it."""
    truncates: bool = False
    """Percentages are truncated to two decimals, not rounded."""

    def with_settings(self, given: Mapping[str, Any]) -> ScorerProfile:
        """The profile with changed settings; those that it cannot honour are refused."""
        allowed = {*OVERRIDES, *(["layer"] if self.layers else [])}
        if self.settings.split_antecedents != "ignore":
            allowed.add("split_antecedents")
        if self.windows:
            allowed.add("window")
        for name, value in given.items():
            if name not in allowed and value is not None:
                option = name.replace("_", "-")
                raise UsageError(
                    f"--{option} cannot be combined with the profile of {self.name}",
                    remedy=f"{self.name} does not have this setting; leave out --{option}.",
                )
        given = {name: value for name, value in given.items() if value is not None}
        return self.under(replace(self.settings, **given))

    def under(self, settings: Settings) -> ScorerProfile:
        """The profile with these settings."""
        duplicates = self.duplicates
        if duplicates == "set" and settings.split_antecedents == "ignore":
            # This scorer makes sets of mentions only for split antecedents.
            duplicates = "last"
        return replace(self, settings=settings, duplicates=duplicates)


_METRICS = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
COREFINE = ScorerProfile("corefine", _METRICS, windows=True)

PROFILES: dict[str, ScorerProfile] = {
    profile.name: profile
    for profile in (
        ScorerProfile(
            "perl-8.01",
            ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "conll"),
            Settings(missing_documents="count", words="ignore"),
            brackets="opening first",
            duplicates="perl",
            truncates=True,
        ),
        ScorerProfile(
            "coval",
            ("mentions", "muc", "b3", "ceafe", "lea", "conll"),
            brackets="opening first",
            skips_adjacent_brackets=True,
            duplicates="every",
        ),
        ScorerProfile(
            "corefud",
            ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll", "mor", "zero"),
            Settings(match="head", singletons="drop"),
            heads="first word",
            duplicates="once",
            confuses_zeros=True,
            blanc="either",
        ),
        ScorerProfile(
            "e2e", ("muc", "b3", "ceafe", "conll"), duplicates="last", ignores_singletons=True
        ),
        ScorerProfile(
            "ua",
            ("muc", "b3", "ceafe", "ceafm", "blanc", "lea", "conll"),
            Settings(zeros="linear", words="ignore", split_antecedents="score"),
            layers=("bridging", "nonreferring"),
            brackets="last opened",
            duplicates="set",
            blanc="either",
        ),
        ScorerProfile(
            "bookcoref",
            ("muc", "b3", "ceafe", "conll"),
            duplicates="last",
            windows=True,
            drops_first_tokens=True,
            last_window_overlaps=True,
        ),
    )
}

STEPS = {
    "match": "mention matching: {value}",
    "heads": "head, if the file has none: {value}",
    "singletons": "singletons: {value}",
    "missing_documents": "documents missing from the response: {value}",
    "brackets": "brackets at the same token: {value}",
    "skips_adjacent_brackets": "an opening bracket right before another is skipped",
    "duplicates": "duplicate mentions: {value}",
    "confuses_zeros": "zeros at the same position are confused",
    "ignores_singletons": "B³ and CEAFe ignore singletons",
    "split_antecedents": "split antecedents: {value}",
    "blanc": "an empty half of BLANC counts by rule {value}",
    "drops_first_tokens": "mentions at the first token of a window are dropped",
    "last_window_overlaps": "the last window overlaps with the one before it",
    "truncates": "percentages are truncated to two decimals",
}
"""The conventions in the order in which a comparison changes them, in words."""
_WINDOW_STEPS = ("drops_first_tokens", "last_window_overlaps")
_SETTINGS = ("match", "singletons", "missing_documents", "split_antecedents")


def profile_under(name: str, settings: Settings) -> ScorerProfile | None:
    """The profile of a scorer with these settings, or None if it does not have them."""
    profile = PROFILES[name]
    names = [each.name for each in fields(Settings)]
    changed = {
        name: getattr(settings, name)
        for name in names
        if getattr(settings, name) != getattr(profile.settings, name)
    }
    try:
        return profile.with_settings(changed)
    except UsageError:
        return None


def profile_named(name: str) -> ScorerProfile:
    """The profile of a scorer."""
    return PROFILES[choose("the scorer", name, tuple(PROFILES))]


UNSUPPORTED = {
    "kinds": "auto",
    "jobs": None,
    "memory": None,
    "engine": "local",
    "scheduler": None,
    "timeout": None,
}
"""Options of scoring that no profile supports, with their defaults."""


def refuse_options(options: Mapping[str, Any]) -> None:
    """Refuse options that no profile supports, unless they have their default values."""
    for name, default in UNSUPPORTED.items():
        if name in options and options[name] != default:
            raise UsageError(
                f"--{name} cannot be combined with --as or --why-differs",
                remedy=f"Other scorers do not have it; leave out --{name}.",
            )


def steps_to(profile: ScorerProfile) -> list[tuple[str, ScorerProfile]]:
    """The profiles from corefine's to this one, changed by one convention each.

    The first is corefine's own. Settings that decide about errors (words, missing documents) and
    the matching of zeros are those of the profile from the start.
    """
    target = profile.settings
    start = replace(
        COREFINE.settings,
        words=target.words,
        zeros=target.zeros,
        window=target.window,
        layer=target.layer,
        missing_documents=target.missing_documents,
    )
    current = replace(COREFINE, name=profile.name, metrics=profile.metrics, settings=start)
    steps = [("corefine", current)]
    for name, words in STEPS.items():
        if name in _WINDOW_STEPS and target.window is None:
            continue
        in_settings = name in _SETTINGS
        value = getattr(target if in_settings else profile, name)
        if value == getattr(current.settings if in_settings else current, name):
            continue
        if in_settings:
            current = replace(current, settings=replace(current.settings, **{name: value}))
        else:
            current = replace(current, **{name: value})
        steps.append((words.format(value=value), current))
    return steps
