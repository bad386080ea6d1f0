"""Checks before the number: reasons not to trust a score.

:func:`gather` collects evidence while key and response are matched. Each check reads it, and says
what is wrong, with numbers and with the option that would change it. A check never changes a
number. The checks stand in the order of their importance; their docstrings are the table of the
documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from corefine.corpus.arrays import IntArray
from corefine.corpus.corpus import Corpus
from corefine.errors import Caution, code_of
from corefine.matching.matching import LONG, Evidence
from corefine.metrics.table import EntityColumns, Table

if TYPE_CHECKING:
    from corefine.scoring.count import Counts

FEW = 0.3
"""Mention F1 below which other readings of the positions are tried."""
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
FARTHEST = 1e15
"""Numbers beyond are no positions in a text."""


# --- evidence -------------------------------------------------------------------------------------


def gather(table: Table, key: Corpus, response: Corpus) -> Evidence:
    """The evidence in the table of two corpora; most of it costs a few sums over entities."""
    sides, count = (table.key, table.response), len(table.documents)
    ours, theirs = (np.bincount(side.document, side.size, count) for side in sides)
    common = np.bincount(table.cells.document, table.cells.count, count)
    cells, *entities = (
        np.bincount(part.document, minlength=count) for part in (table.cells, *sides)
    )
    equal = (ours == common) & (theirs == common)
    equal &= (entities[0] == cells) & (entities[1] == cells)
    long, some = np.minimum(ours, theirs) >= LONG, (ours > 0) | (theirs > 0)
    silent = (ours > 0) & (theirs == 0)
    evidence = Evidence(
        key=int(ours.sum()),
        response=int(theirs.sum()),
        common=int(common.sum()),
        key_entities=len(table.key.size),
        response_entities=len(table.response.size),
        key_singletons=int(np.count_nonzero(table.key.size == 1)),
        response_singletons=int(np.count_nonzero(table.response.size == 1)),
        key_largest=_largest(table.key, count),
        response_largest=_largest(table.response, count),
        documents=int(np.count_nonzero(some)),
        equal=int(np.count_nonzero(equal & some)),
        long=int(np.count_nonzero(long)),
        repeated=int(np.count_nonzero(equal & long)),
        silent_mentions=int(ours[silent].sum()),
        silent=tuple(table.documents[row] for row in np.flatnonzero(silent).tolist()),
        files=(key.sources[0], response.sources[0]) if key.sources and response.sources else None,
    )
    if response.format == "string-clusters":
        evidence = _with_strings(evidence, key, response)
    if key.format == response.format == "labels" and key.mentions.names is not None:
        evidence = replace(evidence, records=evidence.response)
    elif key.tokens is not None and response.tokens is not None:
        evidence = replace(evidence, shared_text=evidence.key)
    return _with_positions(evidence, key, response)


def _largest(side: EntityColumns, documents: int) -> int:
    """The sum over documents of the mentions of the largest entity."""
    largest = np.zeros(documents, np.int64)
    np.maximum.at(largest, side.document, side.size)
    return int(largest.sum())


def _with_strings(evidence: Evidence, key: Corpus, response: Corpus) -> Evidence:
    """Add what is known about mentions that a language model listed as strings."""

    def repeats(corpus: Corpus) -> int:
        seen = {
            (document, corpus.text_of(row))
            for row, document in enumerate(corpus.mentions.document.tolist())
        }
        return len(corpus.mentions) - len(seen)

    mentions = response.mentions
    follows = mentions.entity[1:] == mentions.entity[:-1]
    return replace(
        evidence,
        strings=len(mentions),
        repeated_strings=repeats(response),
        key_repeats=repeats(key),
        reversed_strings=int(
            np.count_nonzero(follows & (mentions.start[1:] < mentions.start[:-1]))
        ),
    )


def _with_positions(evidence: Evidence, key: Corpus, response: Corpus) -> Evidence:
    """Add how far the positions of both sides reach and, if few match, other readings of them.

    Positions that are in no text are looked at only if few mentions match or are found.
    """
    few = _mention_f1(evidence, evidence.common) < FEW
    in_text = key.has_places and response.has_places
    if not (few or in_text) and evidence.response >= evidence.key * 3 // 4:
        return evidence
    ours, theirs = _positions(key), _positions(response)
    if ours is None or theirs is None:
        return evidence
    documents = 1 + max(int(side[:, 0].max(initial=0)) for side in (ours, theirs))
    last = np.full((2, documents), -1, np.int64)
    for row, side in zip(last, (ours, theirs), strict=True):
        np.maximum.at(row, side[:, 0], side[:, 2])
    reached = last[:, (last >= 0).all(axis=0)].sum(axis=1).tolist()
    evidence = replace(evidence, key_extent=reached[0], response_extent=reached[1])
    if not few:
        return evidence
    from corefine.scoring.positions import readings

    mentions = evidence.key + evidence.response
    found: dict[str, float] = {}
    for name, f1 in readings(key, response, ours, theirs):
        found[name] = max(f1 * mentions / 2, found.get(name, 0.0))
    lengths = [int((side[:, 2] - side[:, 1] + 1).sum()) for side in (ours, theirs)]
    return replace(evidence, readings=found, key_length=lengths[0], response_length=lengths[1])


def _positions(corpus: Corpus) -> IntArray | None:
    """Document, start and end of each mention; None if mentions are not pairs of numbers."""
    mentions, names = corpus.mentions, corpus.mentions.names
    if names is None:
        return np.stack([mentions.document, mentions.start, mentions.stop], axis=1)
    from corefine.corpus.words import named_spans

    spans = named_spans(names)
    if spans is None or (len(spans) and np.abs(spans.astype(np.float64)).max() > FARTHEST):
        return None
    pairs = spans.astype(np.int64) + np.array([0, 1])
    return np.column_stack([mentions.document, pairs])


# --- checks ---------------------------------------------------------------------------------------

Finding = str | Caution | None
Find = Callable[["Counts", Evidence], Finding]


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its code, what it finds, when it fires and what to do."""

    code: str
    text: str
    find: Find | None = None
    """None for warnings that are found while key and response are read and matched."""
    hides: tuple[str, ...] = ()
    """Checks that would say the same again."""
    note: bool = False
    """True if nothing is wrong, and the score only compares with some others."""


CHECKS: list[Check] = []
"""All checks, the most important first."""
_POSITIONS = (
    "shifted", "document-offsets", "sentence-offsets", "characters", "document-order",
    "other-tokens", "no-match", "few-matches", "truncated", "duplicate-mention",
)  # fmt: skip
"""Codes that say no more once one reading of the positions explains why few mentions match."""


def check(code: str, *hides: str, note: bool = False) -> Callable[[Find], Find]:
    """Add a function to the checks."""

    def add(find: Find) -> Find:
        CHECKS.append(Check(code, find.__doc__ or "", find, hides, note))
        return find

    return add


def _found_elsewhere(checks: Mapping[str, str]) -> None:
    """Add warnings, by code, that are found while key and response are read and matched."""
    CHECKS.extend(Check(code, text) for code, text in checks.items())


@check("empty-key", "not-applicable", "singletons")
def _empty_key(_: Counts, found: Evidence) -> Finding:
    """A key without mentions.

    Fires: the key has none.
    Remedy: read another file or layer.
    """
    return None if found.key else "the key has no mentions"


@check("empty-response", "silent-documents", "not-applicable", "singletons")
def _empty_response(_: Counts, found: Evidence) -> Finding:
    """A response without mentions.

    Fires: the response has none.
    Remedy: read another file or layer.
    """
    return "the response has no mentions" if found.key and not found.response else None


def _is_identical(found: Evidence) -> bool:
    return bool(found.common) and found.equal == found.documents


@check("identical")
def _identical(_: Counts, found: Evidence) -> Finding:
    """The same file twice.

    Fires: all entities are equal, and the files are the same or have at least 20 mentions.
    Remedy: give the output of a system.
    """
    same = found.files is not None and found.files[0] == found.files[1]
    if not _is_identical(found) or not (same or found.key >= LONG):
        return None
    what = "are the same file" if same else "are identical"
    return (
        f"key and response {what}: all {found.key:,} mentions and {found.key_entities:,} entities "
        "are equal; give the output of a system as the response"
    )


_KEY_WORDS = {"key", "keys", "gold", "golden", "reference", "ref", "refs", "truth"}
_RESPONSE_WORDS = {
    "response", "responses", "resp", "pred", "preds", "predicted", "prediction", "predictions",
    "system", "sys", "output", "outputs", "hyp", "hypothesis",
}  # fmt: skip


@check("swapped-sides")
def _swapped(_: Counts, found: Evidence) -> Finding:
    """Key and response swapped.

    Fires: a file's name says that it is the other side, as gold.conll or predictions.jsonl.
    Remedy: give the key first.
    """
    if found.files is None:
        return None
    ours, theirs = map(PurePath, found.files)
    while ours.name == theirs.name and ours.name:  # the names of their folders may differ
        ours, theirs = ours.parent, theirs.parent
    key, response = (set(re.split("[^a-z]+", path.name.lower())) for path in (ours, theirs))
    as_key = response & _KEY_WORDS and "mentions" not in response
    if key & _KEY_WORDS or response & _RESPONSE_WORDS or not (as_key or key & _RESPONSE_WORDS):
        return None
    names = [PurePath(path).name for path in found.files]
    return (
        f"{names[0]!r} was read as the key and {names[1]!r} as the response; if they are swapped, "
        "so are precision and recall: give the key first"
    )


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


def _if_read(found: Evidence, name: str, text: str) -> Finding:
    """The text, with the two numbers, if another reading explains why few mentions match."""
    f1 = _reading(found, name)
    return None if f1 is None else text.format(_rises(found, f1))


def _shift(found: Evidence) -> tuple[int, int, str] | None:
    """The shift of start and end that explains why few mentions match."""
    for name in found.readings:
        if name.startswith("shift ") and (f1 := _reading(found, name)) is not None:
            _, start, end = name.split()
            return int(start), int(end), _rises(found, f1)
    return None


@check("off-by-one", *_POSITIONS)
def _off_by_one(_: Counts, found: Evidence) -> Finding:
    """Exclusive ends against inclusive ones, or starts counted from 0 and 1.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much: one more or
    less at the start or the end.
    Remedy: write the same ends on both sides.
    """
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


@check("shifted", *_POSITIONS)
def _shifted(_: Counts, found: Evidence) -> Finding:
    """Tokens shifted by a constant number.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much: the same shift
    everywhere.
    Remedy: count tokens from 0, without special tokens.
    """
    shift = _shift(found)
    if shift is None or 0 in shift[:2]:
        return None
    start, end, rises = shift
    ends = "" if start == end else f" and its ends by {end:+d}"
    return (
        f"the starts of the response are shifted by {start:+d} tokens{ends}, as by [CLS], by "
        f"counting from 1 or by a missing title; {rises} without the shift"
    )


@check("document-offsets", *_POSITIONS)
def _document_shift(_: Counts, found: Evidence) -> Finding:
    """Positions counted from the beginning of the file.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much: one shift for
    each document.
    Remedy: count from the beginning of the document.
    """
    return _if_read(
        found,
        "document",
        "the response is shifted by another number of tokens in every document, as if counted "
        "from the beginning of the file; {} counted from that of the document",
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


@check("sentence-offsets", *_POSITIONS, "singletons")
def _sentence_offsets(_: Counts, found: Evidence) -> Finding:
    """Positions counted from the beginning of the sentence.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much; without a
    text: they reach a quarter as far, and mentions are as long.
    Remedy: count from the beginning of the document.
    """
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


@check("characters", *_POSITIONS)
def _characters(_: Counts, found: Evidence) -> Finding:
    """Characters instead of tokens.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much; without a
    text: they reach 2.2 times as far, and mentions are as much longer.
    Remedy: give tokens, or the text with the characters (fastcoref's format).
    """
    f1, reach = _reading(found, "characters"), _reach(found)
    if f1 is None:
        large = _misread(found) and min(_growth(found), reach) > 2.2
        small = _misread(found) and max(_growth(found), reach) < 1 / 2.2
        if "characters" in found.readings or not (large or small):
            return None
    side = "response" if reach > 1 else "key"
    rises = f"; {_rises(found, f1)} with tokens" if f1 else ""
    return f"{_farther(found)}: those of the {side} seem to be characters instead of tokens{rises}"


@check("document-order", *_POSITIONS)
def _document_order(_: Counts, found: Evidence) -> Finding:
    """Documents in another order.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much: documents
    paired by content.
    Remedy: give documents ids.
    """
    return _if_read(
        found,
        "order",
        "the documents of the response seem to be in another order than those of the key; {} in "
        "the right order: give every document an id",
    )


@check("other-tokens", *_POSITIONS)
def _other_tokens(_: Counts, found: Evidence) -> Finding:
    """Drifting positions, subwords or another tokenisation.

    Fires: mention F1 is below 0.3 and rises to 0.6, or to 0.2 and 2.5 times as much: a token more
    or less from time to time; or one side reaches more than 1.1 times as far.
    Remedy: give both sides with their text.
    """
    drifts = _if_read(
        found,
        "drift",
        "the response drifts away from the key token by token; {} at least without the drift: the "
        "tokens differ ([SEP] after sentences, or another tokenisation)",
    )
    reach = _reach(found)
    same = found.shared_text and _mention_f1(found, found.common) >= TENTH
    if drifts or same or not _misread(found) or 1 / 1.1 < reach < 1.1:
        return drifts
    return (
        f"{_farther(found)}, and {found.common:,} of {found.key:,} mentions match: the tokens "
        "differ (subwords, or another tokenisation); give both sides with their text, which is "
        "then aligned"
    )


@check("no-match", "few-matches", "not-applicable")
def _no_match(_: Counts, found: Evidence) -> Finding:
    """Nothing in common.

    Fires: no mention matches.
    Remedy: check texts and positions.
    """
    if not (found.key and found.response) or found.common:
        return None
    return "no response mention matches a key mention"


@check("few-matches")
def _few_matches(_: Counts, found: Evidence) -> Finding:
    """Next to nothing in common.

    Fires: mention F1 is below 0.1 with at least 20 mentions on both sides.
    Remedy: check texts and positions.
    """
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


@check("truncated", "singletons")
def _truncated(_: Counts, found: Evidence) -> Finding:
    """Documents that the response does not cover to the end.

    Fires: its last mentions are at less than 60% of the positions of the key's last ones.
    Remedy: process whole documents.
    """
    reach = _reach(found)
    if reach > 0.6 or _misread(found) or found.response < TOY:
        return None
    return (
        f"the last mentions of the response are at {100 * reach:.0f}% of the positions of the "
        "key's last ones: the end of the documents seems to be missing, as if the input was cut"
    )


@check("nothing-linked", "singletons", "gold-mentions")
def _nothing_linked(_: Counts, found: Evidence) -> Finding:
    """One entity per mention.

    Fires: all response entities are singletons, and the key has links.
    Remedy: check how the response's entities are named.
    """
    alone = found.response_singletons == found.response >= min(TOY, max(found.key // 2, FEWEST))
    if not alone or found.key_entities == found.key:
        return None
    return (
        f"the response links nothing: each of its {found.response:,} mentions is an entity; the "
        f"key has {found.key:,} mentions in {found.key_entities:,} entities"
    )


@check("one-entity", "singletons", "gold-mentions")
def _one_entity(_: Counts, found: Evidence) -> Finding:
    """One giant entity.

    Fires: the largest entity of each document has at least 80% of the response's mentions and less
    than half of the key's.
    Remedy: check how the response's entities are named.
    """
    if found.response < TOY or found.response_largest < 0.8 * found.response:
        return None
    if found.key_largest >= 0.5 * found.key:
        return None
    theirs, ours = found.response_largest / found.response, found.key_largest / found.key
    return (
        f"the largest entity of each document has {100 * theirs:.0f}% of the response's mentions, "
        f"and {100 * ours:.0f}% of the key's: the response puts (nearly) everything in one entity"
    )


@check("sampled-key", "singletons")
def _sampled_key(counts: Counts, found: Evidence) -> Finding:
    """Labels for some of the records only.

    Fires: 95% of the key's records are in the response, which has 1.2 times as many.
    Remedy: --twinless drop.
    """
    sampled = found.common >= 0.95 * found.key and found.records > 1.2 * found.key
    if counts.request.settings.twinless != "none" or not found.key or not sampled:
        return None
    return (
        f"the key has {found.key:,} records, nearly all of them in the response, which has "
        f"{found.response:,}: if the key is a sample, --twinless drop (twinless='drop') compares "
        "only the records that both have"
    )


def singletons_on_one_side(found: Evidence) -> bool:
    """True if one side has singletons and the other has next to none."""
    ours = found.key_singletons / max(found.key, 1)
    theirs = found.response_singletons / max(found.response, 1)
    most = max(found.key_singletons, found.response_singletons)
    return min(ours, theirs) < TENTH * max(ours, theirs) >= TENTH * SHARE and most >= SOME


def _share_of_singletons(number: int, mentions: int) -> str:
    if not number:
        return "none"
    share = 100 * number / mentions
    return f"{number:,} singleton{'s' * (number > 1)} ({share:.0f}% of its mentions)"


@check("singletons")
def _singletons(counts: Counts, found: Evidence) -> Finding:
    """Singletons on one side only.

    Fires: one side has at least 5% of its mentions in singletons, the other less than a tenth of
    that share.
    Remedy: --singletons drop.
    """
    settings, needed = counts.request.settings, counts.request.needed.values()
    if settings.singletons != "keep" or not singletons_on_one_side(found):
        return None
    if not any(metric.counts_singletons for metric in needed):
        return None
    if found.records and settings.twinless == "drop":
        return None  # records of one side only, which are dropped, are often singletons
    ours = _share_of_singletons(found.key_singletons, found.key)
    theirs = _share_of_singletons(found.response_singletons, found.response)
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


_found_elsewhere(
    {
        "missing-documents": "Documents that the response lacks. Fires: any. "
        "Remedy: --missing-documents error.",
        "failed-documents": "Documents without an answer of a language model. Fires: any. "
        "Remedy: ask again.",
    }
)


@check("silent-documents")
def _silent(counts: Counts, found: Evidence) -> Finding:
    """Documents in which the response has no mentions.

    Fires: they have 5% of the key's mentions, or are half of the documents.
    Remedy: complete the response.
    """
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


def _has_gold_mentions(found: Evidence) -> bool:
    """True if all mentions of both sides match: some documents are then equal by chance."""
    return found.key == found.response == found.common


@check("repeats-key")
def _repeats_key(_: Counts, found: Evidence) -> Finding:
    """A response that was made from the key, or that belongs to another split.

    Fires: it equals the key in a tenth of the documents with at least 20 mentions, or in half of
    them if all mentions match.
    Remedy: check the file.
    """
    share = 0.5 if _has_gold_mentions(found) else TENTH
    if found.repeated < max(1, share * found.long) or _is_identical(found):
        return None
    return (
        f"the response repeats the key in {found.repeated:,} of {found.long:,} documents with at "
        f"least {LONG} mentions on both sides: check that it is not made from the key"
    )


_found_elsewhere(
    {
        "extra-documents": "Documents that the key lacks. Fires: any. "
        "Remedy: --missing-documents error.",
        "paired-in-order": "Documents paired in order. Fires: one side has no ids. "
        "Remedy: give documents ids.",
        "duplicate-mention": "A mention in two entities, or twice in one. Fires: any. "
        "Remedy: --duplicates error.",
    }
)


@check("strings-once")
def _strings_once(_: Counts, found: Evidence) -> Finding:
    """Each string listed once.

    Fires: less than 5% of the strings and a fifth of the key's mentions repeat a string.
    Remedy: list every mention.
    """
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


@check("strings-order")
def _strings_order(_: Counts, found: Evidence) -> Finding:
    """Strings in another order than the text.

    Fires: a fifth of the strings precede the string before them.
    Remedy: list mentions in text order.
    """
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


@check("not-applicable")
def _not_applicable(counts: Counts, found: Evidence) -> Finding:
    """Metrics that do not apply, as MUC without links.

    Fires: a metric has nothing to count.
    Remedy: another metric.
    """
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


@check("unknown-kinds")
def _unknown_kinds(counts: Counts, found: Evidence) -> Finding:
    """Metrics by mention kind without kinds.

    Fires: any mention of unknown kind.
    Remedy: --kinds.
    """
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


@check("gold-mentions", note=True)
def _gold_mentions(counts: Counts, found: Evidence) -> Finding:
    """Gold mentions.

    Fires: all mentions match, at least 50.
    Remedy: compare with other scores on gold mentions.
    """
    if not _has_gold_mentions(found) or found.key < LARGE or _is_identical(found):
        return None
    return (
        f"all {found.key:,} mentions match, as with gold mentions: the numbers do not compare with "
        "those of systems that find mentions themselves"
    )


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
