"""The profiles of all scorers, and the conventions that separate them from corefine."""

from __future__ import annotations

from dataclasses import fields, replace

from corefine.errors import UsageError, choose
from corefine.matching.settings import Settings
from corefine.scoring.scorers import SCORERS, corefud, coval, e2e, perl, ua
from corefine.scoring.scorers.profile import ScorerProfile

COREFINE = ScorerProfile(
    "corefine", ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "conll")
)
PROFILES: dict[str, ScorerProfile] = {
    name: module.PROFILE
    for name, module in zip(SCORERS, (perl, coval, corefud, e2e, ua), strict=True)
}

STEPS = {
    "match": "mention matching: {value}",
    "singletons": "singletons: {value}",
    "missing_documents": "documents missing from the response: {value}",
    "duplicates": "duplicate mentions: {value}",
    "confuses_zeros": "zeros at the same position are confused",
    "ignores_singletons": "B³ and CEAFe ignore singletons",
    "split_antecedents": "split antecedents: {value}",
    "blanc": "an empty half of BLANC counts by rule {value}",
    "truncates": "percentages are truncated to two decimals",
}
"""The conventions in the order in which a comparison changes them, in words."""
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


def refuse_kinds(kinds: object) -> None:
    """Refuse a source of mention kinds, which no other scorer has."""
    if kinds != "auto":
        raise UsageError(
            "--kinds cannot be combined with --as or --why-differs",
            remedy="Other scorers do not have mention kinds; leave out --kinds.",
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
        layer=target.layer,
        missing_documents=target.missing_documents,
    )
    current = replace(COREFINE, name=profile.name, metrics=profile.metrics, settings=start)
    steps = [("corefine", current)]
    for name, words in STEPS.items():
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
