"""Checks before the number: reasons not to trust a score.

Each check reads the evidence that was gathered while key and response were matched, and says what
is wrong, with numbers and with the option that would change it. A check never changes a number.
:data:`CHECKS` lists them, the most important first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from corefine.errors import Caution, code_of
from corefine.matching.matching import LONG, Evidence
from corefine.scoring.gathering import FEW

if TYPE_CHECKING:
    from corefine.scoring.count import Counts

MANY = 0.6
"""Mention F1 that another reading of the positions must reach."""
LEAST, TIMES = 0.2, 2.5
"""Mention F1, and its growth, that are enough with at least :data:`LARGE` mentions: systems may
find few mentions, and readings of unrelated texts stay below 0.1."""
SHARE = 0.05
"""Share of mentions in singletons on one side, or in documents without an answer."""
TENTH = 0.1
FEWEST = 2
"""Mentions that another reading must match."""
SOME = 5
"""Singletons that are no accident."""
TOY = 10
"""Mentions below which a corpus is too small for most checks."""
LARGE = 50
"""Mentions that are not all found by chance."""

Finding = str | Caution | None


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its code, what it finds, when it fires, and what to do."""

    code: str
    finds: str
    fires: str
    remedy: str
    find: Callable[[Counts, Evidence], Finding] | None = None
    """None for warnings that are found while key and response are read and matched."""
    hides: tuple[str, ...] = ()
    """Checks that would say the same again."""
    note: bool = False
    """True if nothing is wrong, and the score only compares with some others."""


# --- sides ----------------------------------------------------------------------------------------

_KEY_WORDS = {"key", "keys", "gold", "golden", "reference", "ref", "refs", "truth"}
_RESPONSE_WORDS = {
    "response", "responses", "resp", "pred", "preds", "predicted", "prediction", "predictions",
    "system", "sys", "output", "outputs", "hyp", "hypothesis",
}  # fmt: skip


def _empty_key(_: Counts, found: Evidence) -> Finding:
    return None if found.key else "the key has no mentions"


def _empty_response(_: Counts, found: Evidence) -> Finding:
    return "the response has no mentions" if found.key and not found.response else None


def _is_identical(found: Evidence) -> bool:
    return bool(found.common) and found.equal == found.documents


def _identical(_: Counts, found: Evidence) -> Finding:
    same = found.files is not None and found.files[0] == found.files[1]
    if not _is_identical(found) or not (same or found.key >= LONG):
        return None
    what = "are the same file" if same else "are identical"
    return (
        f"key and response {what}: all {found.key:,} mentions and {found.key_entities:,} entities "
        "are equal; give the output of a system as the response"
    )


def _words(path: str, other: str) -> set[str]:
    """The words of a file's name, or of its folder's if the names are equal."""
    ours, theirs = PurePath(path), PurePath(other)
    while ours.name == theirs.name and ours.name:
        ours, theirs = ours.parent, theirs.parent
    return set(re.split("[^a-z]+", ours.name.lower()))


def _swapped(_: Counts, found: Evidence) -> Finding:
    if found.files is None or found.files[0] == found.files[1]:
        return None
    key, response = _words(*found.files), _words(found.files[1], found.files[0])
    has_key, has_response = bool(key & _KEY_WORDS), bool(response & _RESPONSE_WORDS)
    as_key = response & _KEY_WORDS and not (has_key or has_response or "mentions" in response)
    as_response = key & _RESPONSE_WORDS and not (has_key or has_response)
    if not (as_key or as_response):
        return None
    names = [PurePath(path).name for path in found.files]
    return (
        f"{names[0]!r} was read as the key and {names[1]!r} as the response; if they are swapped, "
        "so are precision and recall: give the key first"
    )


def _has_gold_mentions(found: Evidence) -> bool:
    """True if all mentions of both sides match: some documents are then equal by chance."""
    return found.key == found.response == found.common


def _repeats_key(_: Counts, found: Evidence) -> Finding:
    share = 0.5 if _has_gold_mentions(found) else TENTH
    if found.repeated < max(1, share * found.long) or _is_identical(found):
        return None
    return (
        f"the response repeats the key in {found.repeated:,} of {found.long:,} documents with at "
        f"least {LONG} mentions on both sides: check that it is not made from the key"
    )


# --- positions ------------------------------------------------------------------------------------


def _mention_f1(found: Evidence, matches: float) -> float:
    return 2 * matches / max(found.key + found.response, 1)


def _reading(found: Evidence, name: str) -> float | None:
    """Mention F1 under another reading, if few mentions match and many would under this one."""
    if _mention_f1(found, found.common) >= FEW or name not in found.readings:
        return None
    matches = found.readings[name]
    others = [value for other, value in found.readings.items() if other != "drift"]
    if matches < FEWEST or matches < max(others, default=0.0):
        return None
    f1 = _mention_f1(found, matches)
    grows = f1 >= max(LEAST, TIMES * _mention_f1(found, found.common))
    large = min(found.key, found.response) >= LARGE
    return f1 if f1 >= MANY or (grows and large) else None


def _rises(found: Evidence, f1: float) -> str:
    """The two numbers that a sentence on positions gives."""
    now = _mention_f1(found, found.common)
    return f"mention F1 is {100 * now:.2f} and would be {100 * f1:.2f}"


def _shift(found: Evidence) -> tuple[int, int, str] | None:
    """The shift of start and end that explains why few mentions match."""
    for name in found.readings:
        if name.startswith("shift ") and (f1 := _reading(found, name)) is not None:
            _, start, end = name.split()
            return int(start), int(end), _rises(found, f1)
    return None


def _off_by_one(_: Counts, found: Evidence) -> Finding:
    shift = _shift(found)
    if shift is None or 0 not in shift[:2]:
        return None
    start, end, rises = shift
    edge, by = ("ends", end) if end else ("starts", start)
    side, other = ("response", "key") if by > 0 else ("key", "response")
    why = ": exclusive against inclusive ends" if end else ""
    return (
        f"the {edge} of the {side} are {abs(by)} more than those of the {other}{why}; {rises} with "
        f"the same {edge} (Python returns exclusive ends, e2e JSON has inclusive ones)"
    )


def _shifted(_: Counts, found: Evidence) -> Finding:
    shift = _shift(found)
    if shift is None or 0 in shift[:2]:
        return None
    start, end, rises = shift
    ends = "" if start == end else f" and its ends by {end:+d}"
    return (
        f"the starts of the response are shifted by {start:+d} tokens{ends}, as by [CLS], by "
        f"counting from 1 or by a missing title; {rises} without the shift"
    )


def _document_shift(_: Counts, found: Evidence) -> Finding:
    f1 = _reading(found, "document")
    if f1 is None:
        return None
    return (
        f"the response is shifted by another number of tokens in every document, as if counted "
        f"from the beginning of the file; {_rises(found, f1)} counted from that of the document"
    )


def _reach(found: Evidence) -> float:
    """Ratio of the farthest positions of response and key."""
    if min(found.key, found.response) < FEWEST or not found.key_extent * found.response_extent:
        return 1.0
    return found.response_extent / found.key_extent


def _misread(found: Evidence) -> bool:
    """True if mentions are not found where they are, rather than not found at all."""
    enough = min(found.key, found.response) >= TOY and bool(found.key_length)
    return enough and found.common < FEW * min(found.key, found.response)


def _growth(found: Evidence) -> float:
    """Ratio of the lengths of mentions of response and key."""
    lengths = found.response_length / found.response, found.key_length / found.key
    return lengths[0] / max(lengths[1], 1e-9)


def _farther(found: Evidence) -> str:
    """Say how far the positions of both sides reach."""
    sides = ("response", found.response_extent), ("key", found.key_extent)
    (near, first), (far, last) = sorted(sides, key=lambda side: side[1])
    return f"positions of the {far} reach {last / max(first, 1):.2f} times as far as the {near}'s"


def _sentence_offsets(_: Counts, found: Evidence) -> Finding:
    f1, reach = _reading(found, "sentences"), _reach(found)
    if max(reach, 1 / reach) < (2 if f1 else 4):
        return None
    unknown = "sentences" not in found.readings and _misread(found)
    # Positions in characters are as many times as far as mentions are longer.
    if f1 is None and not (unknown and (_growth(found) / reach) ** (1 if reach < 1 else -1) > 2.5):
        return None
    side = "response" if reach < 1 else "key"
    rises = f"; {_rises(found, f1)} counted from that of the document" if f1 else ""
    return (
        f"{_farther(found)}: those of the {side} seem to be counted from the beginning of the "
        f"sentence{rises}"
    )


def _characters(_: Counts, found: Evidence) -> Finding:
    f1, reach = _reading(found, "characters"), _reach(found)
    if f1 is None:
        large = _misread(found) and min(_growth(found), reach) > 2.2
        small = _misread(found) and max(_growth(found), reach) < 1 / 2.2
        if "characters" in found.readings or not (large or small):
            return None
    side = "response" if reach > 1 else "key"
    rises = f"; {_rises(found, f1)} with tokens" if f1 else ""
    return f"{_farther(found)}: those of the {side} seem to be characters instead of tokens{rises}"


def _other_tokens(_: Counts, found: Evidence) -> Finding:
    f1, reach = _reading(found, "drift"), _reach(found)
    if f1 is not None:
        return (
            f"the response drifts away from the key token by token; {_rises(found, f1)} at least "
            "without the drift: the tokens differ ([SEP] after sentences, or another tokenisation)"
        )
    same = found.shared_text and _mention_f1(found, found.common) >= TENTH
    if same or not _misread(found) or 1 / 1.1 < reach < 1.1:
        return None
    return (
        f"{_farther(found)}, and {found.common:,} of {found.key:,} mentions match: the tokens "
        "differ (subwords, or another tokenisation); give both sides with their text, which is "
        "then aligned"
    )


def _truncated(_: Counts, found: Evidence) -> Finding:
    reach = _reach(found)
    if reach > 0.6 or _misread(found) or found.response < TOY:
        return None
    return (
        f"the last mentions of the response are at {100 * reach:.0f}% of the positions of the "
        "key's last ones: the end of the documents seems to be missing, as if the input was cut"
    )


def _document_order(_: Counts, found: Evidence) -> Finding:
    f1 = _reading(found, "order")
    if f1 is None:
        return None
    return (
        f"the documents of the response seem to be in another order than those of the key; "
        f"{_rises(found, f1)} in the right order: give every document an id"
    )


def _no_match(_: Counts, found: Evidence) -> Finding:
    if not (found.key and found.response) or found.common:
        return None
    return "no response mention matches a key mention"


def _few_matches(_: Counts, found: Evidence) -> Finding:
    f1 = _mention_f1(found, found.common)
    answered = found.key - found.silent_mentions
    if not found.common or 2 * found.common >= TENTH * (answered + found.response):
        return None
    if min(found.key, found.response) < LONG:
        return None
    return (
        f"only {found.common:,} of {found.key:,} key mentions match (mention F1 {100 * f1:.2f}): "
        "check that both sides annotate the same text, and how positions are counted"
    )


# --- degenerate responses -------------------------------------------------------------------------


def _nothing_linked(_: Counts, found: Evidence) -> Finding:
    alone = found.response_singletons == found.response >= min(TOY, max(found.key // 2, FEWEST))
    if not alone or found.key_entities == found.key:
        return None
    return (
        f"the response links nothing: each of its {found.response:,} mentions is an entity; the "
        f"key has {found.key:,} mentions in {found.key_entities:,} entities"
    )


def _one_entity(_: Counts, found: Evidence) -> Finding:
    if found.response < TOY or found.response_largest < 0.8 * found.response:
        return None
    if found.key_largest >= 0.5 * found.key:
        return None
    shares = (
        100 * found.response_largest / found.response,
        100 * found.key_largest / found.key,
    )
    return (
        f"the largest entity of each document has {shares[0]:.0f}% of the response's mentions, and "
        f"{shares[1]:.0f}% of the key's: the response puts (nearly) everything in one entity"
    )


def singletons_on_one_side(found: Evidence) -> bool:
    """True if one side has singletons and the other has next to none."""
    ours = found.key_singletons / max(found.key, 1)
    theirs = found.response_singletons / max(found.response, 1)
    most = max(found.key_singletons, found.response_singletons)
    return min(ours, theirs) < TENTH * max(ours, theirs) >= TENTH * SHARE and most >= SOME


def _singletons(counts: Counts, found: Evidence) -> Finding:
    settings, needed = counts.request.settings, counts.request.needed.values()
    counted = any(metric.counts_singletons for metric in needed)
    if settings.singletons != "keep" or not counted or not singletons_on_one_side(found):
        return None
    if found.records and settings.twinless == "drop":
        return None  # records of one side only, which are dropped, are often singletons
    ours, theirs = (
        f"{number:,} singleton{'s' * (number > 1)} ({100 * number / of:.0f}% of its mentions)"
        if number
        else "none"
        for number, of in (
            (found.key_singletons, max(found.key, 1)),
            (found.response_singletons, max(found.response, 1)),
        )
    )
    text = f"the key has {ours}, the response {theirs}"
    if found.without_singletons is None:
        return f"{text}; --singletons drop (singletons='drop') scores both without"
    name, then = found.without_singletons
    metric = counts.request.canonical[name]
    now = float(metric.score_from(counts.totals()).f1)
    return (
        f"{text}; {metric.title} is {100 * now:.2f}, with --singletons drop (singletons='drop') "
        f"{100 * then:.2f}"
    )


def _sampled_key(counts: Counts, found: Evidence) -> Finding:
    sampled = found.common >= 0.95 * found.key and found.records > 1.2 * found.key
    if counts.request.settings.twinless != "none" or not found.key or not sampled:
        return None
    return (
        f"the key has {found.key:,} records, nearly all of them in the response, which has "
        f"{found.response:,}: if the key is a sample, --twinless drop (twinless='drop') compares "
        "only the records that both have"
    )


def _silent(counts: Counts, found: Evidence) -> Finding:
    copies = counts.provenance.copies
    missing = {one.document for one in copies.documents if one.failure} if copies else set()
    for warning in counts.provenance.warnings:
        if isinstance(warning, Caution) and warning.code == "missing-documents":
            missing.update(warning.data.get("documents", ()))
    silent = sorted(name for name in found.silent if name not in missing)
    enough = found.silent_mentions >= SHARE * found.key or 2 * len(silent) >= found.documents
    if not silent or not found.response or not enough:
        return None
    more = f" and {len(silent) - 3:,} more" if len(silent) > 3 else ""
    text = (
        f"the response has no mentions in {len(silent):,} of {found.documents:,} documents: "
        f"{', '.join(map(repr, silent[:3]))}{more}"
    )
    return Caution(text, "silent-documents", documents=silent)


# --- strings, metrics, gold mentions --------------------------------------------------------------


def _strings_once(_: Counts, found: Evidence) -> Finding:
    repeats = found.repeated_strings
    if found.strings < TOY or repeats > SHARE * found.strings:
        return None
    if found.key_repeats < 0.2 * found.key:
        return None
    but = f" but {repeats:,}" if repeats else ""
    return (
        f"the response lists all{but} of its {found.strings:,} strings once, and "
        f"{found.key_repeats:,} of the key's {found.key:,} mentions repeat a string: list every "
        "mention, in text order"
    )


def _strings_order(_: Counts, found: Evidence) -> Finding:
    links = found.response - found.response_entities
    if found.strings < TOY or found.reversed_strings < 0.2 * links:
        return None
    return (
        f"{found.reversed_strings:,} of {links:,} strings of the response precede the string "
        "before them in the text: strings that occur several times are placed by this order"
    )


def _idle(counts: Counts) -> set[str]:
    """The metrics without anything to count, by canonical name; averages are never idle."""
    values = counts.values.items()
    return {name for name, columns in values if not any(one.any() for one in columns.values())}


def _not_applicable(counts: Counts, found: Evidence) -> Finding:
    request, unknown = counts.request, bool(counts.provenance.unknown)
    idle = {name for name in _idle(counts) if not (unknown and request.needed[name].needs_kinds)}
    if not (found.key and found.response and idle):
        return None
    linked = found.key > found.key_entities or found.response > found.response_entities
    why = "" if linked else ", since there are no links"
    text = f"{', '.join(sorted(idle))} has nothing to count{why}: 0/0, shown as –"
    means = [
        name
        for name, metric in request.canonical.items()
        if name not in idle and any(str(part) in idle for part in metric.needs())
    ]
    if means:
        text += f", and 0 in the mean of {', '.join(means)}"
    return Caution(text, "not-applicable", metrics=sorted(idle))


def _unknown_kinds(counts: Counts, found: Evidence) -> Finding:
    tally = counts.provenance
    if not tally.unknown or not counts.request.weighs_kinds:
        return None
    idle = sorted(
        _idle(counts) & {str(one) for one in counts.request.needed.values() if one.needs_kinds}
    )
    counted = f" ({', '.join(idle)}: nothing to count, shown as –)" if idle else ""
    text = (
        f"{tally.unknown:,} of {tally.judged:,} mentions have no known kind: treated as pronouns, "
        f"ignored by PARENT{counted}; give kinds with --kinds FILE, or try --kinds guess"
    )
    return Caution(text, "unknown-kinds", unknown=tally.unknown, mentions=tally.judged)


def _gold_mentions(counts: Counts, found: Evidence) -> Finding:
    if not _has_gold_mentions(found) or found.key < LARGE or _is_identical(found):
        return None
    return (
        f"all {found.key:,} mentions match, as with gold mentions: the numbers do not compare with "
        "those of systems that find mentions themselves"
    )


_POSITIONS = (
    "shifted", "document-offsets", "sentence-offsets", "characters", "document-order",
    "other-tokens", "no-match", "few-matches", "truncated", "duplicate-mention",
)  # fmt: skip
"""Codes that say no more once one reading of the positions explains why few mentions match."""
_LOW = f"mention F1 is below {FEW} and rises to {MANY}, or to {LEAST} and {TIMES} times as much"

CHECKS = (
    Check("empty-key", "a key without mentions", "the key has none", "read another file or layer",
          _empty_key, ("not-applicable", "singletons")),
    Check("empty-response", "a response without mentions", "the response has none",
          "read another file or layer", _empty_response,
          ("silent-documents", "not-applicable", "singletons")),
    Check("identical", "the same file twice", "all entities are equal, and the files are the same "
          f"or have at least {LONG} mentions", "give the output of a system", _identical),
    Check("swapped-sides", "key and response swapped",
          "a file's name says that it is the other side, as gold.conll or predictions.jsonl",
          "give the key first", _swapped),
    Check("off-by-one", "exclusive ends against inclusive ones, or starts counted from 0 and 1",
          f"{_LOW}: one more or less at the start or the end", "write the same ends on both sides",
          _off_by_one, _POSITIONS),
    Check("shifted", "tokens shifted by a constant number", f"{_LOW}: the same shift everywhere",
          "count tokens from 0, without special tokens", _shifted, _POSITIONS),
    Check("document-offsets", "positions counted from the beginning of the file",
          f"{_LOW}: one shift for each document", "count from the beginning of the document",
          _document_shift, _POSITIONS),
    Check("sentence-offsets", "positions counted from the beginning of the sentence",
          f"{_LOW}; without a text: they reach a quarter as far, and mentions are as long",
          "count from the beginning of the document", _sentence_offsets,
          (*_POSITIONS, "singletons")),
    Check("characters", "characters instead of tokens",
          f"{_LOW}; without a text: they reach 2.2 times as far, and mentions are as much longer",
          "give tokens, or the text with the characters (fastcoref's format)", _characters,
          _POSITIONS),
    Check("document-order", "documents in another order", f"{_LOW}: documents paired by content",
          "give documents ids", _document_order, _POSITIONS),
    Check("other-tokens", "drifting positions, subwords or another tokenisation",
          f"{_LOW}: a token more or less from time to time; or one side reaches more than 1.1 "
          "times as far",
          "give both sides with their text", _other_tokens, _POSITIONS),
    Check("no-match", "nothing in common", "no mention matches", "check texts and positions",
          _no_match, ("few-matches", "not-applicable")),
    Check("few-matches", "next to nothing in common",
          f"mention F1 is below {TENTH} with at least {LONG} mentions on both sides",
          "check texts and positions", _few_matches),
    Check("truncated", "documents that the response does not cover to the end",
          "its last mentions are at less than 60% of the positions of the key's last ones",
          "process whole documents", _truncated, ("singletons",)),
    Check("nothing-linked", "one entity per mention",
          "all response entities are singletons, and the key has links",
          "check how the response's entities are named", _nothing_linked,
          ("singletons", "gold-mentions")),
    Check("one-entity", "one giant entity", "the largest entity of each document has at least 80% "
          "of the response's mentions and less than half of the key's",
          "check how the response's entities are named", _one_entity,
          ("singletons", "gold-mentions")),
    Check("sampled-key", "labels for some of the records only", "95% of the key's records are in "
          "the response, which has 1.2 times as many", "--twinless drop", _sampled_key,
          ("singletons",)),
    Check("singletons", "singletons on one side only",
          f"one side has at least {SHARE:.0%} of its mentions in singletons, the other less than a "
          "tenth of that share", "--singletons drop", _singletons),
    Check("missing-documents", "documents that the response lacks", "any",
          "--missing-documents error"),
    Check("failed-documents", "documents without an answer of a language model", "any",
          "ask again"),
    Check("silent-documents", "documents in which the response has no mentions",
          f"they have {SHARE:.0%} of the key's mentions, or are half of the documents",
          "complete the response", _silent),
    Check("repeats-key", "a response made from the key, or of another split",
          f"it equals the key in a tenth of the documents with at least {LONG} mentions, or in "
          "half of them if all mentions match", "check the file", _repeats_key),
    Check("extra-documents", "documents that the key lacks", "any", "--missing-documents error"),
    Check("paired-in-order", "documents paired in order", "one side has no ids of documents",
          "give documents ids"),
    Check("duplicate-mention", "a mention in two entities, or twice in one", "any",
          "--duplicates error"),
    Check("strings-once", "each string listed once",
          f"less than {SHARE:.0%} of the strings and a fifth of the key's mentions repeat a string",
          "list every mention", _strings_once),
    Check("strings-order", "strings in another order than the text",
          "a fifth of the strings precede the string before them", "list mentions in text order",
          _strings_order),
    Check("not-applicable", "metrics that do not apply, as MUC without links",
          "a metric has nothing to count", "another metric", _not_applicable),
    Check("unknown-kinds", "metrics by mention kind without kinds", "any mention of unknown kind",
          "--kinds", _unknown_kinds),
    Check("gold-mentions", "gold mentions", f"all mentions match, at least {LARGE}",
          "compare with other scores on gold mentions", _gold_mentions, note=True),
)  # fmt: skip
"""All checks, the most important first."""
_RANK = {check.code: rank for rank, check in enumerate(CHECKS)}


def findings(counts: Counts, others: Iterable[str] = ()) -> tuple[str, ...]:
    """The findings of all checks and other warnings, the most important first, each once."""
    found: list[str] = []
    hidden: set[str] = set()
    evidence = counts.provenance.evidence
    for one in CHECKS:
        text = None if one.find is None or one.code in hidden else one.find(counts, evidence)
        if text:
            hidden.update(one.hides)
            found.append(text if isinstance(text, Caution) else Caution(text, one.code))
    found += (text for text in others if code_of(text) not in hidden)
    return tuple(by_importance(found))


def by_importance(warnings: Iterable[str]) -> list[str]:
    """The warnings, the most important first, each once."""
    return sorted(dict.fromkeys(warnings), key=lambda text: _RANK.get(code_of(text), len(_RANK)))


def joint_findings(counts: Counts) -> tuple[str, ...]:
    """The warnings of counts that were stored in parts, each of which may carry findings.

    Parts that were stored without evidence keep what was found in each.
    """
    warnings = counts.provenance.warnings
    if counts.provenance.evidence == Evidence():
        return tuple(warnings)
    checked = {one.code for one in CHECKS if one.find is not None}
    return findings(counts, (text for text in warnings if code_of(text) not in checked))
