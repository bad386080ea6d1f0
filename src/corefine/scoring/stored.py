"""Saved results: statistics per document, with everything that scores depend on.

A saved result replaces the response if only numbers are needed: for intervals, tests and gates.
Numbers are restored to the last bit. A file is one JSON object, a :class:`StoredForm`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from corefine._version import __version__
from corefine.errors import Caution, CorefineError, FormatError, Location, UsageError, code_of
from corefine.formats.io.sources import Source
from corefine.formats.tagged.copies import Copies
from corefine.kinds.kind_plan import KindPlan
from corefine.matching.matching import Evidence, Fingerprint, Provenance
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.output.saving import write_atomically
from corefine.scoring.breakdowns import Breakdown, BreakdownCounts, Genres
from corefine.scoring.breakdowns import parse as parse_breakdown
from corefine.scoring.count import Counts
from corefine.scoring.request import Request, settings_from
from corefine.scoring.sanity import joint_findings
from corefine.scoring.scores import Scores

FORMAT = 1
"""The version of the file: increased when older versions of corefine could not read what is
written."""
HOLDS = "corefine scores"
HELD = re.compile(rb'"holds"\s*:\s*"(corefine (?:scores|suite))"')
"""The mark of a saved result and its kind."""
SUFFIXES = (".json", ".json.gz")
"""Suffixes of saved results."""
REORDERED = 1 << 24
"""Bytes up to which a file with other keys first is searched for the mark of a saved result."""

Columns = dict[str, list[float]]
"""Numbers per document, by the name of the statistic."""


class StoredBreakdown(Struct):
    """The statistics of the groups of a breakdown."""

    by: str
    metrics: list[str]
    parts: dict[str, dict[str, Columns]]
    genres: str | None
    """The source of genres: a pattern, or the name of a file."""
    rows: dict[str, list[int]]
    """The numbers of the documents of each group, whose statistics ``parts`` has."""


class StoredHead(Struct):
    """The fields that distinguish a saved result from other files."""

    format: int
    holds: str


class StoredKey(Struct):
    """The fingerprint of the key; the code has 16 hexadecimal digits."""

    documents: int
    mentions: int
    code: str


class StoredForm(Struct):
    """A saved result; ``format`` and ``holds`` come first, so that the first bytes identify it."""

    format: int
    holds: str
    corefine: str
    signature: str
    name: str | None
    date: str | None
    metrics: dict[str, str]
    """Canonical names by the names that were requested."""
    settings: dict[str, Any]
    kinds: str
    kind_sources: list[str]
    by: list[str]
    scorer: str | None
    """The scorer whose conventions the counts follow."""
    key: StoredKey
    documents: list[str]
    statistics: dict[str, Columns]
    breakdowns: list[StoredBreakdown]
    warnings: list[str]
    digest: str
    """A hash of the documents and their numbers, to detect changed and damaged files."""
    preset: str
    copies: Copies | None
    kind_code: str
    """The code of the mention kinds of the key."""
    warning_codes: list[str]
    evidence: Evidence | None
    """Input of the checks before the number, which are repeated for several parts together."""
    placements: dict[str, Columns] = {}
    """Sums of the headline metric's statistics over placements of repeated strings."""


LARGEST = 1 << 30
"""Bytes, decompressed, above which a file is not a saved result."""
ROUNDING = 1e-9
"""Tolerance for scores outside their range."""


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A saved result: scores, date and name of the system."""

    scores: Scores
    date: datetime
    """The stored date, or that of the file."""
    name: str | None = None


def store(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    date: str | datetime | None = None,
) -> None:
    """Write scores to a JSON file, compressed if its name ends in ``.gz``."""
    where = Location(os.fspath(path))
    when = datetime.now(UTC) if date is None else _date(date, where)
    form = _form(scores, name, when)
    if str(_scores(form, where).signature) != str(scores.signature):
        raise UsageError("these scores depend on something that cannot be saved")
    try:
        data = msgspec.json.encode(form) + b"\n"
    except UnicodeEncodeError:
        raise CorefineError("a document id cannot be encoded in UTF-8", where) from None
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_atomically(path, data)


def held_by(thing: object) -> str | None:
    """Return what a saved result holds, judged by suffix and content; None for anything else."""
    if not isinstance(thing, str | os.PathLike):
        return None
    name = os.fspath(thing)
    if not name.endswith(SUFFIXES) or not os.path.isfile(name):
        return None
    source = Source(name, Path(name))
    try:
        head = source.head()
        if not head.lstrip().startswith(b"{"):
            return None
        # Tools that sort the keys of JSON put others first.
        found = HELD.search(head) or HELD.search(source.read_all(REORDERED, ""))
    except CorefineError:
        return None  # reported when the file is read
    finally:
        source.close()
    return None if found is None else found[1].decode()


def load_scores(path: str | os.PathLike[str]) -> Scores:
    """Load scores saved with :meth:`corefine.Scores.save` or ``corefine score --save``.

    The signature names the version of corefine that computed them.

    >>> import os, tempfile
    >>> from corefine import score
    >>> path = os.path.join(tempfile.mkdtemp(), "baseline.json")
    >>> score([["a", "b"]], [["a", "b"]], "lea").save(path)
    >>> load_scores(path)["lea"].f1
    1.0
    """
    return read_stored(path).scores


def read_stored(path: str | os.PathLike[str]) -> Stored:
    """Read a saved result; other files and damaged ones are errors."""
    name = os.fspath(path)
    where = Location(name)
    source = Source(name, Path(name))
    try:
        data = source.read_all(LARGEST, "This is not a file of saved scores.")
    finally:
        source.close()
    try:
        head = msgspec.json.decode(data, type=StoredHead)
        if head.holds != HOLDS:
            raise msgspec.ValidationError(f"it contains {head.holds!r}")
        if head.format != FORMAT:
            raise FormatError(
                f"saved scores of format {head.format}; this version of corefine reads format "
                f"{FORMAT}",
                where,
                "Use the version that wrote it, or score the response again with --save.",
            )
        form = msgspec.json.decode(data, type=StoredForm)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        corrupt = HELD.search(data) is not None
        raise FormatError(
            f"{'a corrupt' if corrupt else 'not a'} file of saved scores: {error}",
            where,
            "Create one with: corefine score KEY RESPONSE --save FILE.",
        ) from None
    scores = _scores(form, where)
    if str(scores.signature) != form.signature:
        raise _damaged(f"its signature is {form.signature!r}, not {str(scores.signature)!r}", where)
    _check_scores(scores, where)
    if form.date is not None:
        return Stored(scores, _date(form.date, where), form.name)
    return Stored(scores, datetime.fromtimestamp(os.stat(name).st_mtime, UTC), form.name)


def to_record(scores: Scores) -> dict[str, Any]:
    """Scores as plain values for JSON, YAML or pickle: the content of a file, without a date."""
    record: dict[str, Any] = msgspec.to_builtins(_form(scores, None, None))
    return record


def from_record(record: Mapping[str, Any]) -> Scores:
    """The scores of a record made by :func:`to_record`."""
    where = Location("<record of scores>")
    try:
        form = msgspec.convert(record, type=StoredForm)
    except msgspec.ValidationError as error:
        raise FormatError(
            f"not a record of scores: {error}", where, code="corrupt-result"
        ) from None
    return _scores(form, where)


def with_metrics(scores: Scores, metrics: MetricSpec) -> Scores:
    """Select metrics whose statistics are stored.

    Averages need no statistics of their own: ``conll`` is computed from MUC, B³ and CEAFe.
    """
    asked, counts = resolve(metrics), scores.counts
    needed = {str(part): part for metric in asked.values() for part in metric.needs()}
    missing = [name for name in needed if name not in counts.values]
    if missing:
        raise UsageError(
            f"these scores have no statistics for {', '.join(missing)}",
            remedy=f"They were computed with: {', '.join(scores.request.names)}.",
        )
    request = replace(scores.request, metrics=asked)
    values = {name: counts.values[name] for name in needed}
    return replace(scores, counts=replace(counts, request=request, values=values))


def joined(parts: Iterable[Scores]) -> Scores:
    """The scores of all documents of the parts, which have one request and version."""
    found = list(parts)
    if not found:
        raise UsageError("no scores to combine", remedy="Give at least one part.")
    first = found[0]
    for part in found:
        if _conventions(part) != _conventions(first):
            raise UsageError(
                f"scores with different conventions cannot be combined: "
                f"{first.signature.conventions} and {part.signature.conventions}",
                remedy="Score all parts with the same metrics, settings and version of corefine.",
            )
    counts = Counts.sum([_with_warnings(part) for part in found])
    sources = dict.fromkeys(source for part in found for source in part.kind_sources)
    return Scores(counts, tuple(sources), joint_findings(counts), first.version)


def _conventions(scores: Scores) -> tuple[Any, ...]:
    """Return the conventions that parts must share, in the form in which they are saved."""
    request = scores.request
    scorer = None if request.scorer is None else request.scorer.name
    kinds = "auto" if request.kinds is None else request.kinds.asked
    by = tuple(map(str, request.by))
    return tuple(request.metrics.items()), request.settings, kinds, by, scorer, scores.version


def _with_warnings(scores: Scores) -> Counts:
    """The counts, with all warnings of the scores."""
    provenance = replace(scores.counts.provenance, warnings=scores.warnings)
    return replace(scores.counts, provenance=provenance)


def _form(scores: Scores, name: str | None, date: datetime | None) -> StoredForm:
    request, counts, key = scores.request, scores.counts, scores.key
    code = counts.provenance.kind_code
    return StoredForm(
        FORMAT,
        HOLDS,
        scores.version,
        str(scores.signature),
        name,
        None if date is None else date.isoformat(timespec="seconds"),
        {name: _metric_name(metric) for name, metric in request.metrics.items()},
        asdict(request.settings),
        "auto" if request.kinds is None else request.kinds.asked,
        list(scores.kind_sources),
        list(map(str, request.by)),
        None if request.scorer is None else request.scorer.name,
        StoredKey(key.documents, key.mentions, f"{key.code:016x}"),
        list(counts.documents),
        _plain(counts.values),
        [
            StoredBreakdown(
                str(one.division),
                list(map(_metric_name, one.metrics.values())),
                {group: _plain(parts) for group, parts in one.parts.items()},
                one.division.genre_source,
                {group: rows.tolist() for group, rows in one.rows.items()},
            )
            for one in counts.breakdowns
        ],
        list(map(str, scores.warnings)),
        _digest(counts),
        request.preset,
        None if counts.provenance.copies is None else counts.provenance.copies.without_choices(),
        f"{code:016x}" if code else "",
        list(map(code_of, scores.warnings)),
        counts.provenance.evidence,
        _plain(counts.placements),
    )


def _scores(form: StoredForm, where: Location) -> Scores:
    """The scores of a saved result, checked."""
    from corefine.scoring.scorers.profiles import profile_named

    documents = tuple(form.documents)
    if len(set(documents)) != len(documents):
        raise _damaged("a document occurs twice", where)
    try:
        metrics = {name: parse(metric) for name, metric in form.metrics.items()}
        chosen = settings_from(dict(form.settings))
        scorer = None if form.scorer is None else profile_named(form.scorer).under(chosen)
        breakdowns = tuple(_breakdown_counts(one, documents, where) for one in form.breakdowns)
    except UsageError as error:
        raise FormatError(
            f"saved scores that this version of corefine cannot interpret: {error.message}",
            where,
            f"They were written by corefine {form.corefine}; this is {__version__}.",
        ) from None
    by = tuple(one.division for one in breakdowns)
    if list(map(str, by)) != form.by:
        raise _damaged("its breakdowns are not those requested", where)
    kinds = KindPlan((), form.kinds)
    request = Request(metrics, chosen, kinds, by, preset=form.preset, scorer=scorer)
    values = _statistics(form.statistics, len(documents), where)
    missing = [name for name in request.needed if name not in values]
    if missing or not metrics:
        raise _damaged(f"the statistics of {', '.join(missing) or 'any metric'} are missing", where)
    codes = [form.key.code, *filter(None, [form.kind_code])]
    if not all(re.fullmatch("[0-9a-f]{16}", code) for code in codes):
        raise _damaged(f"the fingerprint of the key is {form.key.code!r}", where)
    key = Fingerprint(form.key.documents, form.key.mentions, int(form.key.code, 16))
    provenance = Provenance(
        key,
        kind_code=int(form.kind_code or "0", 16),
        copies=form.copies,
        evidence=form.evidence or Evidence(),
    )
    placements = {
        metric: {name: np.array(column, np.float64) for name, column in columns.items()}
        for metric, columns in form.placements.items()
    }
    counts = Counts(request, documents, values, breakdowns, provenance, placements)
    if _digest(counts) != form.digest:
        raise _damaged("its numbers have been changed", where)
    if len(form.warnings) != len(form.warning_codes):
        raise _damaged("its warnings have no codes", where)
    warnings = list(map(Caution, form.warnings, form.warning_codes))
    return Scores(counts, tuple(form.kind_sources), tuple(warnings), form.corefine)


def _breakdown_counts(
    stored: StoredBreakdown, documents: tuple[str, ...], where: Location
) -> BreakdownCounts:
    """The groups of a saved breakdown."""
    if stored.rows.keys() != stored.parts.keys():
        raise _damaged("its groups have no documents", where)
    rows = stored.rows
    for group, numbers in rows.items():
        if sorted(set(numbers)) != numbers or not all(0 <= n < len(documents) for n in numbers):
            raise _damaged(f"the group {group!r} has impossible documents", where)
    return BreakdownCounts(
        _breakdown(stored.by, stored.genres),
        {name: parse(name) for name in stored.metrics},
        documents,
        {
            group: _statistics(parts, len(rows[group]), where)
            for group, parts in stored.parts.items()
        },
        {group: np.array(numbers, np.int64) for group, numbers in rows.items()},
    )


def _breakdown(by: str, genres: str | None) -> Breakdown:
    """A breakdown with the name of the stored one; it is not applied again."""
    found = parse_breakdown(by)
    if genres == found.genre_source:
        return found
    return replace(found, genres=Genres("", (), genres or ""))


def _metric_name(metric: Metric) -> str:
    """The canonical name of a metric, if it defines the metric completely."""
    name = str(metric)
    try:
        again = parse(name)
    except UsageError:
        again = None
    if again != metric:
        raise UsageError(
            f"{name} cannot be saved: its name does not define it completely",
            remedy="Leave it out, or register it as a metric.",
        )
    return name


def _date(written: str | datetime, where: Location) -> datetime:
    try:
        date = datetime.fromisoformat(written) if isinstance(written, str) else written
    except ValueError:
        raise FormatError(f"invalid date {written!r}", where, "Write it as 2026-11-16.") from None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _plain(statistics: Mapping[str, Statistics]) -> dict[str, Columns]:
    for metric, columns in statistics.items():
        if not all(np.isfinite(column).all() for column in columns.values()):
            raise UsageError(f"scores with statistics of {metric} that are not finite")
    return {
        metric: {name: column.tolist() for name, column in columns.items()}
        for metric, columns in statistics.items()
    }


def _statistics(
    stored: Mapping[str, Columns], documents: int, where: Location
) -> dict[str, Statistics]:
    for metric, columns in stored.items():
        for name, column in columns.items():
            if len(column) != documents:
                raise _damaged(
                    f"{metric} has {len(column):,} values of {name} for {documents:,} documents",
                    where,
                )
    return {
        metric: {name: np.array(column, np.float64) for name, column in columns.items()}
        for metric, columns in stored.items()
    }


def _digest(counts: Counts) -> str:
    """A hash of the documents and all numbers, independent of the order of names."""
    digest = hashlib.blake2b(digest_size=16)
    parts: dict[str, Mapping[str, Mapping[str, Statistics]]] = {"": {"": counts.values}}
    parts |= {one.by: one.parts for one in counts.breakdowns}
    if counts.placements:
        parts["placements"] = {"": counts.placements}
    digest.update(json.dumps(counts.documents).encode())
    for by, groups in sorted(parts.items()):
        for group, metrics in sorted(groups.items()):
            for metric, columns in sorted(metrics.items()):
                for name, column in sorted(columns.items()):
                    digest.update(json.dumps([by, group, metric, name]).encode())
                    digest.update(column.astype("<f8").tobytes())
    if counts.provenance.copies is not None:
        digest.update(json.dumps(counts.provenance.copies.to_dict()).encode())
    return digest.hexdigest()


def _check_scores(scores: Scores, where: Location) -> None:
    """Raise an error for numbers that are not those of scores."""
    try:
        with np.errstate(all="ignore"):
            found = [*scores.by_name.values()]
            for groups in scores.breakdown.values():
                found += [score for metrics in groups.values() for score in metrics.values()]
    except KeyError as error:
        raise _damaged(f"the statistic {error} is missing", where) from None
    values = [value for score in found for value in score if value is not None]
    if not all(-ROUNDING <= value <= 1 + ROUNDING for value in values):
        raise _damaged("its numbers give no score between 0 and 100%", where)


def _damaged(reason: str, where: Location) -> FormatError:
    return FormatError(
        f"corrupt saved scores: {reason}",
        where,
        "Score the response again with --save.",
        code="corrupt-result",
    )
